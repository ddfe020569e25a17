//! Tokens of a text, for what must be known before the grammar reads it: comments, and how deep it nests.

use crate::source::{Diagnostic, Span};

use super::span;

/// How deep statements, conditions and expressions may nest.
pub(super) const MAX_DEPTH: usize = 60;

/// A word, a number or a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// Its text.
    pub text: &'t str,
    /// Where it stands.
    pub span: Span,
}

const OPERATORS: [&str; 6] = [":=", "||", "&&", "!=", "<=", ">="];

/// The tokens of a text without comments, in order.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(blanks) = text[at..].find(|c: char| !c.is_ascii_whitespace()) {
        at += blanks;
        let length = token_length(&text[at..]);
        tokens.push(Token {
            text: &text[at..at + length],
            span: span(at..at + length),
        });
        at += length;
    }
    tokens
}

fn token_length(rest: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let sigil = usize::from(rest.starts_with('$'));
    let word = rest[sigil..]
        .find(|c| !is_word(c))
        .unwrap_or(rest.len() - sigil);
    if word > 0 {
        return sigil + word;
    }
    let mut operators = OPERATORS.iter();
    match operators.find(|operator| rest.starts_with(**operator)) {
        Some(operator) => operator.len(),
        None => rest.chars().next().map_or(0, char::len_utf8),
    }
}

/// The text with every comment `/* … */` replaced by blanks, byte by byte, so that places stay as they
/// are. Comments do not nest.
pub(super) fn without_comments(text: &str) -> Result<String, Diagnostic> {
    let mut readable = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        let Some(length) = rest[start + 2..].find("*/") else {
            let at = text.len() - rest.len() + start;
            let error = Diagnostic::error(
                "this comment is not closed",
                span(at..at + 2),
                "the comment begins here",
            );
            return Err(error.with_note("close it with `*/`"));
        };
        let end = start + 2 + length + 2;
        readable += &rest[..start];
        let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
        readable.extend(rest[start..end].bytes().map(blank));
        rest = &rest[end..];
    }
    Ok(readable + rest)
}

/// Refuses what nests deeper than the grammar should recurse.
pub(super) fn check_depth(tokens: &[Token<'_>]) -> Result<(), Diagnostic> {
    let mut open: Vec<usize> = vec![0];
    let mut depth = 0_usize;
    for token in tokens {
        let base = open.last().copied().unwrap_or(0);
        match token.text {
            "{" => {
                depth += 1;
                open.push(depth);
            }
            "}" => {
                open.pop();
                depth = open.last().copied().unwrap_or(0);
            }
            ";" => depth = base,
            "process" => {
                open.truncate(1);
                depth = 0;
            }
            "(" | "[" | "then" | "else" | "do" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1).max(base),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let message = format!("this nests more than {MAX_DEPTH} deep");
            return Err(Diagnostic::error(message, token.span, "too deep")
                .with_note("use labels and `goto` in place of the innermost statements"));
        }
    }
    Ok(())
}
