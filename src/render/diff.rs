//! How one text differs from another, line by line.

use similar::TextDiff;

/// The lines of context around a change.
const CONTEXT: usize = 3;

/// The difference in the unified form, without a head: hunks that begin with `@@`, lines with ` `, `-` or `+` before
/// them. Nothing for equal texts.
pub fn unified(old: &str, new: &str) -> Vec<String> {
    let difference = TextDiff::from_lines(old, new);
    let hunks = difference
        .unified_diff()
        .context_radius(CONTEXT)
        .to_string();
    // A carriage return belongs to its line.
    hunks.split_terminator('\n').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_comes_with_its_context() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nd\nE\nf\ng\nh\n";
        let hunk = [
            "@@ -2,7 +2,7 @@",
            " b",
            " c",
            " d",
            "-e",
            "+E",
            " f",
            " g",
            " h",
        ];
        assert_eq!(unified(old, new), hunk);
        assert!(unified(old, old).is_empty());
        assert_eq!(unified("", "x\n"), ["@@ -0,0 +1 @@", "+x"]);
    }

    #[test]
    fn lines_keep_their_carriage_returns() {
        let hunk = ["@@ -1,2 +1,2 @@", " a\r", "-b\r", "+c\r"];
        assert_eq!(unified("a\r\nb\r\n", "a\r\nc\r\n"), hunk);
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old: String = (0..40).map(|line| format!("{line}\n")).collect();
        let new = old
            .replace("5\n", "five\n")
            .replace("\n30\n", "\n30\n30.5\n");
        let heads = unified(&old, &new);
        let heads: Vec<&String> = heads.iter().filter(|line| line.starts_with('@')).collect();
        // The lines 25, 30 and 35 are so close that they are in one.
        assert_eq!(heads.len(), 3, "{heads:?}");
    }
}
