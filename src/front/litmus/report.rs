//! What is wrong with a test, and what of it is not modelled.
//!
//! The two are kept apart: a file that is no test is bad input, while a test that is not modelled is one whose answer
//! is unknown.

use crate::front::cup::ast::Span;
use crate::source::Diagnostic;

/// Why there is no test.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// Each reason where it stands, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the test is right as far as it was read, but something in it is not modelled.
    pub not_modelled: bool,
}

/// The reasons found so far.
#[derive(Default)]
pub(super) struct Report {
    diagnostics: Vec<Diagnostic>,
    /// Whether one of them says that the test is wrong.
    wrong: bool,
}

impl Report {
    /// Something is wrong.
    pub(super) fn error(
        &mut self,
        message: impl Into<String>,
        place: Span,
        label: &str,
        note: &str,
    ) {
        self.push(Diagnostic::error(message, place, label).with_note(note));
    }

    /// Something is wrong, as this says.
    pub(super) fn push(&mut self, error: Diagnostic) {
        self.wrong = true;
        self.diagnostics.push(error);
    }

    /// Something is not modelled.
    pub(super) fn refuse(
        &mut self,
        message: impl Into<String>,
        place: Span,
        label: &str,
        note: &str,
    ) {
        let error = Diagnostic::error(message, place, label);
        self.diagnostics.push(error.with_note(note));
    }

    /// Whether there is nothing to report.
    pub(super) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The value, if there is nothing to report.
    pub(super) fn unless_empty<T>(mut self, value: T) -> Result<T, Rejection> {
        if self.diagnostics.is_empty() {
            return Ok(value);
        }
        self.diagnostics
            .sort_by_key(|diagnostic| diagnostic.primary.0.start);
        Err(Rejection {
            diagnostics: self.diagnostics,
            not_modelled: !self.wrong,
        })
    }
}

impl Rejection {
    /// A file that is no test.
    pub(super) fn wrong(diagnostic: Diagnostic) -> Self {
        Rejection {
            diagnostics: vec![diagnostic],
            not_modelled: false,
        }
    }
}
