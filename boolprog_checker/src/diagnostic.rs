//! Draws errors on the text they are about, with codespan-reporting.

use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{self, Config, DisplayStyle};

use crate::error::{Errors, ProgramError};

/// The longest line of a text that is shown.
const LONGEST_LINE: usize = 500;

/// Renders the errors as text without colours; `name` is what the file is called.
pub fn render_errors(errors: &Errors, name: &str, text: &str) -> String {
    let file = SimpleFile::new(name, text);
    let mut out = String::new();
    for error in errors.iter() {
        let config = Config {
            display_style: style(error, text),
            ..Config::default()
        };
        let diagnostic = diagnostic(error);
        if term::emit_to_string(&mut out, &config, &file, &diagnostic).is_err() {
            out.push_str(&format!("error: {error}\n"));
        }
    }
    if let Some(left_out) = errors.left_out() {
        out.push_str(&format!("note: {left_out}\n"));
    }
    out
}

/// With the line of the text, unless that is too long to be looked at.
fn style(error: &ProgramError, text: &str) -> DisplayStyle {
    let at = range(error).start.min(text.len());
    let (before, behind) = text.as_bytes().split_at(at);
    let ends = |byte: &u8| *byte == b'\n';
    let start = before.iter().rev().position(ends).unwrap_or(before.len());
    let end = behind.iter().position(ends).unwrap_or(behind.len());
    if start + end > LONGEST_LINE {
        DisplayStyle::Medium
    } else {
        DisplayStyle::Rich
    }
}

/// The place of an error; what is about the program as a whole is shown at its beginning.
fn range(error: &ProgramError) -> Range<usize> {
    error
        .span
        .map_or(0..0, |span| span.start as usize..span.end as usize)
}

fn diagnostic(error: &ProgramError) -> Diagnostic<()> {
    let diagnostic = Diagnostic::error()
        .with_message(error.to_string())
        .with_labels(vec![Label::primary((), range(error))]);
    match error.kind.hint() {
        Some(hint) => diagnostic.with_notes(vec![format!("help: {hint}")]),
        None => diagnostic,
    }
}
