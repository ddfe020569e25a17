//! Breaks text into lines of a given width.
//!
//! Widths are columns of a terminal: wide characters count two, control sequences for colours nothing.

use unicode_width::UnicodeWidthChar;

/// Where a line is broken rather than elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    /// Between two words.
    Words,
    /// Between two items of a list, which end with `,`, `;` or `|`; between words where one item is too long.
    Items,
}

/// The columns of a terminal that a text takes.
pub(super) fn width_of(text: &str) -> usize {
    widths(text).map(|(_, width)| width).sum()
}

/// The longest word of a text.
pub(super) fn longest_word(text: &str) -> usize {
    text.split(' ').map(width_of).max().unwrap_or(0)
}

/// The text in lines of at most `width` columns, at least one line. Blanks at a break are dropped, a word
/// that is longer than a line is cut.
pub(super) fn wrap(text: &str, width: usize, breaks: Breaks) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut rest = text;
    while width_of(rest) > width {
        let end = end_of_line(rest, width, breaks);
        lines.push(rest[..end].trim_end_matches(' ').to_owned());
        rest = rest[end..].trim_start_matches(' ');
    }
    lines.push(rest.to_owned());
    lines
}

/// The text in lines of at most `width` columns, all but the first indented by two blanks.
pub(super) fn hanging(text: &str, width: usize) -> Vec<String> {
    let mut lines = wrap(text, width, Breaks::Words);
    if lines.len() > 1 {
        let tail = text[lines[0].len()..].trim_start_matches(' ');
        lines.truncate(1);
        let rest = wrap(tail, width.saturating_sub(2), Breaks::Words);
        lines.extend(rest.iter().map(|line| format!("  {line}")));
    }
    lines
}

/// The offset at which the first line of a text that is too long ends.
fn end_of_line(text: &str, width: usize, breaks: Breaks) -> usize {
    let fits = fitting(text, width);
    // A blank right behind what fits is a place to break, too.
    let blanks = text.match_indices(' ').map(|(at, _)| at);
    let blanks = blanks.filter(|&at| at > 0 && at <= fits && !text[..at].trim().is_empty());
    let (mut word, mut item) = (None, None);
    for at in blanks {
        word = Some(at);
        if text[..at].ends_with([',', ';', '|']) {
            item = Some(at);
        }
    }
    let item = item.filter(|_| breaks == Breaks::Items);
    item.or(word).unwrap_or(fits)
}

/// How many bytes of a text fit, at least one character.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, more) in widths(text) {
        used += more;
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

/// The characters of a text: where each begins, and the columns that it takes.
fn widths(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut in_sequence = false;
    text.char_indices().map(move |(at, c)| {
        in_sequence |= c == '\x1b';
        let width = match in_sequence {
            true => 0,
            false => c.width().unwrap_or(0),
        };
        in_sequence &= !c.is_ascii_alphabetic();
        (at, width)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        let lines = wrap("if (flag1 == 1 && turn == 1)", 16, Breaks::Words);
        assert_eq!(lines, ["if (flag1 == 1", "&& turn == 1)"]);
    }

    #[test]
    fn items_stay_whole_where_they_fit() {
        let text = "flag0 = 1, turn = 1, flag1 = 0";
        let lines = wrap(text, 16, Breaks::Items);
        assert_eq!(lines, ["flag0 = 1,", "turn = 1,", "flag1 = 0"]);
        let lines = wrap(text, 16, Breaks::Words);
        assert_eq!(lines, ["flag0 = 1, turn", "= 1, flag1 = 0"]);
    }

    #[test]
    fn long_words_are_cut_by_columns_not_by_bytes() {
        assert_eq!(wrap("abcdefgh", 3, Breaks::Words), ["abc", "def", "gh"]);
        assert_eq!(wrap("äöüß", 2, Breaks::Words), ["äö", "üß"]);
        assert_eq!(wrap("図図図", 4, Breaks::Words), ["図図", "図"]);
    }

    #[test]
    fn colours_take_no_room() {
        let painted = "is \x1b[31mviolated\x1b[0m here";
        assert_eq!(width_of(painted), 16);
        assert_eq!(wrap(painted, 16, Breaks::Words), [painted]);
        let lines = ["is \x1b[31mviolated\x1b[0m", "here"];
        assert_eq!(wrap(painted, 11, Breaks::Words), lines);
    }

    #[test]
    fn what_fits_is_one_line_as_it_is() {
        assert_eq!(wrap("  a  b ", 7, Breaks::Words), ["  a  b "]);
        assert_eq!(wrap("", 7, Breaks::Words), [""]);
    }
}
