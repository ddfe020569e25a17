//! Draws errors on the text they are about, with codespan-reporting.

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{self, Config, DisplayStyle};

use crate::error::{Errors, ProgramError};

/// Renders the errors as text without colours; `name` is what the file is called.
pub fn render_errors(errors: &Errors, name: &str, text: &str) -> String {
    let file = SimpleFile::new(name, text);
    let config = Config {
        display_style: DisplayStyle::Rich,
        ..Config::default()
    };
    let mut out = String::new();
    for error in errors.iter() {
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

fn diagnostic(error: &ProgramError) -> Diagnostic<()> {
    let mut diagnostic = Diagnostic::error().with_message(error.to_string());
    if let Some(span) = error.span {
        let range = span.start as usize..span.end as usize;
        diagnostic = diagnostic.with_labels(vec![Label::primary((), range)]);
    }
    match error.kind.hint() {
        Some(hint) => diagnostic.with_notes(vec![format!("help: {hint}")]),
        None => diagnostic,
    }
}
