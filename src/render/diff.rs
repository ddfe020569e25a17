//! How one text differs from another, line by line.

/// The lines of context around a change.
const CONTEXT: usize = 3;

/// A line of a difference: what is done with it, and the numbers of the lines before it in both texts.
struct Line<'a> {
    mark: char,
    text: &'a str,
    at: (usize, usize),
}

/// The difference in the unified form, without a head: hunks that begin with `@@`, lines with ` `, `-` or `+` before
/// them. Nothing for equal texts.
pub fn unified(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let lines = compare(&old, &new);
    let changed: Vec<usize> = (0..lines.len())
        .filter(|&at| lines[at].mark != ' ')
        .collect();
    let mut out = Vec::new();
    let mut rest = &changed[..];
    while let Some(&first) = rest.first() {
        let near = rest
            .windows(2)
            .take_while(|pair| pair[1] - pair[0] <= 2 * CONTEXT + 1);
        let count = near.count() + 1;
        let begin = first.saturating_sub(CONTEXT);
        let end = (rest[count - 1] + CONTEXT + 1).min(lines.len());
        out.push(head(&lines[begin..end]));
        out.extend(
            lines[begin..end]
                .iter()
                .map(|line| format!("{}{}", line.mark, line.text)),
        );
        rest = &rest[count..];
    }
    out
}

/// `@@ -3,7 +3,9 @@`
fn head(hunk: &[Line<'_>]) -> String {
    let count = |other: char| hunk.iter().filter(|line| line.mark != other).count();
    let (old, new) = (count('+'), count('-'));
    let (before_old, before_new) = hunk.first().map_or((0, 0), |line| line.at);
    let first = |before: usize, count: usize| before + usize::from(count > 0);
    format!(
        "@@ -{},{old} +{},{new} @@",
        first(before_old, old),
        first(before_new, new)
    )
}

/// All lines of both texts, by a longest common subsequence of what is between their common beginning and end.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let begin = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old[begin..].iter().rev().zip(new[begin..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[begin..old.len() - end], &new[begin..new.len() - end]);
    let longest = lengths(a, b);
    let mut lines: Vec<Line<'a>> = Vec::new();
    let same = |at: usize, shift: (usize, usize)| Line {
        mark: ' ',
        text: old[at],
        at: shift,
    };
    lines.extend((0..begin).map(|at| same(at, (at, at))));
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let at = (begin + i, begin + j);
        let in_both = i < a.len() && j < b.len() && a[i] == b[j];
        let from_old = j == b.len() || (i < a.len() && longest[i + 1][j] >= longest[i][j + 1]);
        let (mark, text) = match (in_both, from_old) {
            (true, _) => (' ', a[i]),
            (false, true) => ('-', a[i]),
            (false, false) => ('+', b[j]),
        };
        lines.push(Line { mark, text, at });
        i += usize::from(mark != '+');
        j += usize::from(mark != '-');
    }
    lines.extend((0..end).map(|at| {
        let (in_old, in_new) = (old.len() - end + at, new.len() - end + at);
        same(in_old, (in_old, in_new))
    }));
    lines
}

/// The lengths of longest common subsequences of all ends of both.
fn lengths(a: &[&str], b: &[&str]) -> Vec<Vec<u32>> {
    let mut longest = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = match a[i] == b[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    longest
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
        assert_eq!(unified("", "x\n"), ["@@ -0,0 +1,1 @@", "+x"]);
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old: String = (0..40).map(|line| format!("{line}\n")).collect();
        let new = old
            .replace("5\n", "five\n")
            .replace("\n30\n", "\n30\n30.5\n");
        let heads = unified(&old, &new);
        let heads: Vec<&String> = heads.iter().filter(|line| line.starts_with('@')).collect();
        assert_eq!(heads.len(), 4, "{heads:?}");
    }
}
