//! Tokens of the source text, for what the grammar does not do.
//!
//! The grammar reads correct pieces; this file finds comments, measures brackets before the grammar
//! recurses into them, and steps over the tokens of broken pieces. All in one pass each, whatever
//! the text is.

use super::{MAX_BRACKETS, span};
use crate::front::cup::ast::Span;
use crate::source::Diagnostic;

/// A token of the source; comments are tokens too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    Text,
    UnclosedText,
    Comment,
    UnclosedComment,
    Symbol,
}

/// What one pass over the tokens finds.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The comments, in order.
    pub comments: Vec<Span>,
    /// Where the text to be parsed ends: at its end, or at a comment that is not closed.
    pub end: usize,
    /// The comment that is not closed.
    pub unclosed_comment: Option<Diagnostic>,
    /// Pieces with too many nested brackets; the grammar must not see them.
    pub too_deep: Vec<Diagnostic>,
}

const OPERATORS: [&str; 7] = ["==", "!=", "<=", ">=", "&&", "||", ".."];

/// Finds comments and brackets that nest too deeply.
pub(super) fn scan(text: &str) -> Scan {
    let mut found = Scan {
        end: text.len(),
        ..Scan::default()
    };
    let mut brackets = Brackets::default();
    let mut at = 0;
    while let Some(token) = next_token(text, at) {
        at = token.end;
        match token.kind {
            TokenKind::Comment => found.comments.push(span(token.start, token.end)),
            TokenKind::UnclosedComment => {
                found.end = token.start;
                found.unclosed_comment = Some(unclosed_comment(token.start));
            }
            TokenKind::Symbol => {
                if brackets.step(&text[token.start..token.end]) {
                    found.too_deep.push(too_deep(token));
                }
            }
            TokenKind::Word | TokenKind::Number | TokenKind::Text | TokenKind::UnclosedText => {}
        }
    }
    found
}

/// The first token at or behind `at`.
pub(super) fn next_token(text: &str, at: usize) -> Option<Token> {
    let start = at + text[at..].find(|c: char| !is_space(c))?;
    let rest = &text[start..];
    let (kind, length) = if rest.starts_with("//") {
        (
            TokenKind::Comment,
            rest.find(['\n', '\r']).unwrap_or(rest.len()),
        )
    } else if let Some(inside) = rest.strip_prefix("/*") {
        match inside.find("*/") {
            Some(length) => (TokenKind::Comment, length + 4),
            None => (TokenKind::UnclosedComment, rest.len()),
        }
    } else if let Some(inside) = rest.strip_prefix('"') {
        text_token(inside)
    } else {
        word_or_symbol(rest)
    };
    Some(Token {
        kind,
        start,
        end: start + length,
    })
}

/// The first token at or behind `at` that is not a comment.
pub(super) fn next_proper_token(text: &str, at: usize) -> Option<Token> {
    let mut at = at;
    loop {
        let token = next_token(text, at)?;
        if token.kind != TokenKind::Comment {
            return Some(token);
        }
        at = token.end;
    }
}

fn text_token(inside: &str) -> (TokenKind, usize) {
    match inside.find(['"', '\n', '\r']) {
        Some(end) if inside[end..].starts_with('"') => (TokenKind::Text, end + 2),
        Some(end) => (TokenKind::UnclosedText, end + 1),
        None => (TokenKind::UnclosedText, inside.len() + 1),
    }
}

fn word_or_symbol(rest: &str) -> (TokenKind, usize) {
    let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    if word > 0 {
        let kind = if rest.starts_with(|c: char| c.is_ascii_digit()) {
            TokenKind::Number
        } else {
            TokenKind::Word
        };
        return (kind, word);
    }
    let operator = OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator));
    let length = match operator {
        Some(operator) => operator.len(),
        None => rest.chars().next().map_or(0, char::len_utf8),
    };
    (TokenKind::Symbol, length)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The nesting of round and square brackets within one piece.
#[derive(Default)]
struct Brackets {
    depth: usize,
    reported: bool,
}

impl Brackets {
    /// Takes one symbol and says whether it is the first of its piece that nests too deeply.
    fn step(&mut self, symbol: &str) -> bool {
        match symbol {
            "(" | "[" => self.depth += 1,
            ")" | "]" => self.depth = self.depth.saturating_sub(1),
            ";" | "{" | "}" => *self = Brackets::default(),
            _ => {}
        }
        let first = self.depth > MAX_BRACKETS && !self.reported;
        self.reported |= first;
        first
    }
}

fn unclosed_comment(start: usize) -> Diagnostic {
    Diagnostic::error(
        "this comment is not closed",
        span(start, start + 2),
        "the comment begins here",
    )
    .with_note("close it with `*/`, or begin it with `//` if it is meant to end with its line")
}

fn too_deep(token: Token) -> Diagnostic {
    Diagnostic::error(
        format!("brackets nest more than {MAX_BRACKETS} deep"),
        span(token.start, token.end),
        "this bracket is one too many",
    )
    .with_note("compute parts of the expression into locals first")
}
