//! Measures how deeply a text is nested, without recursion and before it is parsed.
//!
//! Counts parentheses, brackets and block words outside comments. Text that is wrong in other ways
//! passes; the parser will find that.

use super::ast::Span;
use crate::error::{ErrorKind, ProgramError};

/// Refuses a text that is nested more than `limit` levels deep, at the place where that happens.
pub(super) fn check(text: &str, limit: usize) -> Result<(), ProgramError> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        let end = token_end(bytes, at);
        match token(&bytes[at..end]) {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Other => {}
        }
        if depth > limit {
            let span = Span {
                start: at as u32,
                end: end as u32,
            };
            return Err(ProgramError::new(ErrorKind::TooDeep(limit), Some(span)));
        }
        at = end;
    }
    Ok(())
}

enum Token {
    Open,
    Close,
    Other,
}

fn token(bytes: &[u8]) -> Token {
    match bytes {
        b"(" | b"[" | b"if" | b"while" | b"begin" => Token::Open,
        b")" | b"]" | b"fi" | b"od" | b"end" => Token::Close,
        _ => Token::Other,
    }
}

/// The end of the word, comment or single byte that begins at `at`.
fn token_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let length = match rest {
        [b'/', b'/', ..] => until(rest, |tail| tail.starts_with(b"\n")),
        [b'/', b'*', ..] => 2 + until(&rest[2..], |tail| tail.starts_with(b"*/")),
        [b'{', ..] => until(rest, |tail| matches!(tail[0], b'}' | b'\n')),
        [first, ..] if is_letter(*first) => until(rest, |tail| !is_letter(tail[0])),
        _ => 1,
    };
    at + length.max(1)
}

fn until(bytes: &[u8], stop: impl Fn(&[u8]) -> bool) -> usize {
    (0..bytes.len())
        .find(|at| stop(&bytes[*at..]))
        .unwrap_or(bytes.len())
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}
