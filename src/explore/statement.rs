//! A piece of the source on one line, without its labels and comments.

use crate::lang::ast::Span;
use crate::lang::source::SourceFile;

/// The line on which the statement itself stands, behind its labels.
pub(super) fn line(source: &SourceFile, span: Span) -> usize {
    let behind = behind_labels(slice(source, span));
    source.line(span.start + u32::try_from(behind).expect("a span fits"))
}

/// The statement on one line.
pub(super) fn text(source: &SourceFile, span: Span) -> String {
    let text = slice(source, span);
    let text = without_comments(&text[behind_labels(text)..]);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn slice(source: &SourceFile, span: Span) -> &str {
    source.text().get(span.range()).unwrap_or_default()
}

/// The number of bytes before the statement: labels, comments and blanks.
fn behind_labels(text: &str) -> usize {
    let mut behind = blank(text);
    loop {
        let rest = &text[behind..];
        let name = rest.len() - rest.trim_start_matches(is_name_char).len();
        let colon = name + blank(&rest[name..]);
        if name == 0 || !rest[colon..].starts_with(':') {
            return behind;
        }
        behind += colon + 1;
        behind += blank(&text[behind..]);
    }
}

/// The number of bytes of blanks and comments at the start.
fn blank(text: &str) -> usize {
    let mut rest = text;
    loop {
        let start = rest.trim_start();
        rest = &start[comment(start)..];
        if rest.len() == start.len() {
            return text.len() - rest.len();
        }
    }
}

/// The length of the comment at the start, if there is one.
fn comment(text: &str) -> usize {
    if text.starts_with("//") {
        text.find('\n').unwrap_or(text.len())
    } else if let Some(inside) = text.strip_prefix("/*") {
        inside.find("*/").map_or(text.len(), |end| end + 4)
    } else {
        0
    }
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    let mut in_string = false;
    while let Some(next) = rest.chars().next() {
        let skipped = if in_string { 0 } else { comment(rest) };
        if skipped > 0 {
            kept.push(' ');
            rest = &rest[skipped..];
        } else {
            in_string ^= next == '"';
            kept.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    kept
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, line: usize, expected: &str) {
        let source = SourceFile::new("test", text);
        let span = Span {
            start: 0,
            end: u32::try_from(text.len()).expect("short"),
        };
        assert_eq!(super::line(&source, span), line);
        assert_eq!(super::text(&source, span), expected);
    }

    #[test]
    fn labels_and_comments_are_left_out() {
        check("x = 1;", 1, "x = 1;");
        check("cs: skip;", 1, "skip;");
        check("a : /* why */\n b:\n  x = // two\n 2;", 3, "x = 2;");
        check(
            "assert(x == 0, \"no // comment\");",
            1,
            "assert(x == 0, \"no // comment\");",
        );
        check("/* never closed", 1, "");
    }
}
