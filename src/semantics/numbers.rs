//! Numbers as bytes: varints, seven bits to a byte, signed ones zigzag.

/// A signed number as one that is small if it is near 0.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The number that [`zigzag`] made this of.
pub(crate) fn unzigzag(code: u64) -> i64 {
    (code >> 1) as i64 ^ -((code & 1) as i64)
}

/// Appends a number.
pub(crate) fn write(bytes: &mut Vec<u8>, mut code: u64) {
    while code >= 0x80 {
        bytes.push(code as u8 | 0x80);
        code >>= 7;
    }
    bytes.push(code as u8);
}

/// Reads numbers that [`write`] wrote, one after the other.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the beginning.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, next: 0 }
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.next];
        self.next += 1;
        byte
    }

    /// The next number.
    pub(crate) fn read(&mut self) -> u64 {
        let mut code = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            code |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return code;
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_their_encoding() {
        let values = [0, 1, -1, 63, -64, 64, 8191, i64::MAX, i64::MIN];
        let mut bytes = Vec::new();
        for value in values {
            write(&mut bytes, zigzag(value));
        }
        let mut reader = Reader::new(&bytes);
        let read: Vec<i64> = values.iter().map(|_| unzigzag(reader.read())).collect();
        assert_eq!(read, values);
        assert_eq!(reader.next, bytes.len());
    }

    #[test]
    fn small_numbers_take_one_byte() {
        let mut bytes = Vec::new();
        write(&mut bytes, zigzag(-64));
        write(&mut bytes, zigzag(63));
        assert_eq!(bytes.len(), 2);
    }
}
