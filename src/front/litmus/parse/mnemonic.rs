//! What the name of an instruction says: what it does, and perhaps with how many bits.

use super::super::condition::Condition;
use super::super::instruction::{Binary, Unary, Width};

/// What an instruction with some name does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Move,
    /// Whether the sign is kept, and the width of the target, where the name says it.
    Extend(bool, Option<Width>),
    Exchange,
    ExchangeAdd,
    CompareExchange,
    Unary(Unary),
    /// Whether only flags are set.
    Binary(Binary, bool),
    /// Whether to the left.
    Shift(bool),
    Jump(Option<Condition>),
    /// The width of the register that is to be zero.
    JumpIfZero(Width),
    Fence,
    StoreFence,
    Nothing,
}

/// Names that may be followed by the letter of a width.
const SIZED: [(&str, Kind); 21] = [
    ("MOV", Kind::Move),
    ("MOVZX", Kind::Extend(false, None)),
    ("MOVSX", Kind::Extend(true, None)),
    ("XCHG", Kind::Exchange),
    ("XADD", Kind::ExchangeAdd),
    ("CMPXCHG", Kind::CompareExchange),
    ("INC", Kind::Unary(Unary::Increment)),
    ("DEC", Kind::Unary(Unary::Decrement)),
    ("NEG", Kind::Unary(Unary::Negate)),
    ("NOT", Kind::Unary(Unary::Complement)),
    ("ADD", Kind::Binary(Binary::Add, false)),
    ("SUB", Kind::Binary(Binary::Sub, false)),
    ("AND", Kind::Binary(Binary::And, false)),
    ("OR", Kind::Binary(Binary::Or, false)),
    ("XOR", Kind::Binary(Binary::Xor, false)),
    ("CMP", Kind::Binary(Binary::Sub, true)),
    ("TEST", Kind::Binary(Binary::And, true)),
    ("SHL", Kind::Shift(true)),
    ("SAL", Kind::Shift(true)),
    ("SHR", Kind::Shift(false)),
    ("NOP", Kind::Nothing),
];

/// Names that stand for themselves.
const PLAIN: [(&str, Kind); 9] = [
    ("JMP", Kind::Jump(None)),
    ("JCXZ", Kind::JumpIfZero(Width::Word)),
    ("JECXZ", Kind::JumpIfZero(Width::Double)),
    ("JRCXZ", Kind::JumpIfZero(Width::Quad)),
    ("MFENCE", Kind::Fence),
    ("SFENCE", Kind::StoreFence),
    ("LFENCE", Kind::Nothing),
    ("ENDBR64", Kind::Nothing),
    ("ENDBR32", Kind::Nothing),
];

/// What the name says; the width is that of the source for `MOVZX` and its kind.
pub(super) fn named(name: &str) -> Option<(Kind, Option<Width>)> {
    let name = name.to_ascii_uppercase();
    let find = |table: &[(&str, Kind)], name: &str| {
        let found = table.iter().find(|(other, _)| *other == name);
        found.map(|(_, kind)| *kind)
    };
    if let Some(kind) = find(&PLAIN, &name).or_else(|| find(&SIZED, &name)) {
        return Some((kind, None));
    }
    if let Some(condition) = name.strip_prefix('J').and_then(Condition::named) {
        return Some((Kind::Jump(Some(condition)), None));
    }
    if let Some(found) = extending(&name) {
        return Some(found);
    }
    let (width, base) = (letter(name.chars().last()?)?, &name[..name.len() - 1]);
    Some((find(&SIZED, base)?, Some(width)))
}

/// `MOVZBL`, `MOVSLQ` and their kind, and `MOVSXD`.
fn extending(name: &str) -> Option<(Kind, Option<Width>)> {
    if name == "MOVSXD" {
        let kind = Kind::Extend(true, Some(Width::Quad));
        return Some((kind, Some(Width::Double)));
    }
    let letters: Vec<char> = name.strip_prefix("MOV")?.chars().collect();
    let &[sign, from, to] = letters.as_slice() else {
        return None;
    };
    let (from, to) = (letter(from)?, letter(to)?);
    let signed = match sign {
        'S' => true,
        'Z' if from < Width::Double => false,
        _ => return None,
    };
    (from < to).then_some((Kind::Extend(signed, Some(to)), Some(from)))
}

fn letter(letter: char) -> Option<Width> {
    match letter {
        'B' => Some(Width::Byte),
        'W' => Some(Width::Word),
        'L' => Some(Width::Double),
        'Q' => Some(Width::Quad),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_and_how_wide() {
        assert_eq!(named("shl"), Some((Kind::Shift(true), None)));
        let long = Some(Width::Double);
        assert_eq!(named("SHLL"), Some((Kind::Shift(true), long)));
        assert_eq!(named("xaddl"), Some((Kind::ExchangeAdd, long)));
        let wide = Kind::Extend(false, long);
        assert_eq!(named("movzbl"), Some((wide, Some(Width::Byte))));
        for unknown in [
            "", "B", "MOVSB", "MOVZLQ", "MOVZWB", "JX", "MFENCEL", "SAR", "JMPQ",
        ] {
            assert_eq!(named(unknown), None, "{unknown}");
        }
    }
}
