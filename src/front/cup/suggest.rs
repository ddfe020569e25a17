//! Names that a user may have meant.

/// The candidate that is closest to `name`, if one is close enough to be a slip of the keyboard.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit && distance < candidate.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The number of characters to insert, delete, change, or swap with a neighbour; a difference in
/// case is none.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<u8> = from.to_ascii_lowercase().into_bytes();
    let to: Vec<u8> = to.to_ascii_lowercase().into_bytes();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i; to.len() + 1];
        for j in 1..=to.len() {
            let change = usize::from(from[i - 1] != to[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            let swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if swapped {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised() {
        let names = ["flag0", "flag1", "turn"];
        assert_eq!(closest("flga1", names), Some("flag1"));
        assert_eq!(closest("Turn", names), Some("turn"));
        assert_eq!(closest("trun", names), Some("turn"));
        assert_eq!(closest("number", names), None);
        assert_eq!(closest("x", ["y"]), None);
    }
}
