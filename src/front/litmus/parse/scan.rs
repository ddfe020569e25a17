//! What must be known before the grammar reads a test: comments, and brackets that nest too deeply.

use std::ops::Range;

use crate::front::cup::ast::Span;
use crate::source::Diagnostic;

use super::span;

/// How deep parentheses may nest.
const MAX_NESTING: usize = 100;

/// The text with every comment `(* … *)` from `start` on replaced by blanks, byte by byte, so that
/// places stay as they are. Comments nest. What follows `<<` is not looked at.
pub(super) fn without_comments(text: &str, start: usize) -> Result<String, Diagnostic> {
    let mut blanked = text.as_bytes().to_vec();
    for comment in comments(text, start)? {
        for byte in &mut blanked[comment] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    Ok(String::from_utf8(blanked).expect("a comment begins and ends between characters"))
}

fn comments(text: &str, start: usize) -> Result<Vec<Range<usize>>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = start;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"(*" => {
                open.push(at);
                at += 2;
            }
            b"*)" => {
                at += 2;
                if let Some(begin) = open.pop()
                    && open.is_empty()
                {
                    found.push(begin..at);
                }
            }
            b"<<" if open.is_empty() => break,
            _ => at += 1,
        }
    }
    match open.first() {
        None => Ok(found),
        Some(&begin) => {
            let message = "this comment is not closed";
            let error = Diagnostic::error(message, span(begin..begin + 2), "opened here");
            Err(error.with_note("close it with `*)`; comments nest"))
        }
    }
}

/// Refuses parentheses that nest deeper than the grammar should recurse.
pub(super) fn check_nesting(text: &str) -> Result<(), Diagnostic> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(too_deep(span(at..at + 1)));
        }
    }
    Ok(())
}

/// What nests too deeply.
pub(super) fn too_deep(place: Span) -> Diagnostic {
    Diagnostic::error("this condition nests too deeply", place, "too deep")
        .with_note(format!("at most {MAX_NESTING} levels are read"))
}
