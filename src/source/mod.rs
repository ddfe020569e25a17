//! A source file with what is needed to report on it.

mod span;

use codespan_reporting::diagnostic::{Diagnostic as Codespan, Label};
use codespan_reporting::files::{Files, SimpleFile};
use codespan_reporting::term::{Config, DisplayStyle};

pub use span::Span;

/// What some editors put at the beginning of a file.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A source file: its name as the user gave it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    file: SimpleFile<String, String>,
}

/// A file is not UTF-8 text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not UTF-8 text: the byte at line {line}, column {column} begins no character")]
pub struct NotUtf8 {
    /// The line of the first bad byte, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted.
    Warning,
}

/// A message about a place of the source, with a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in lower case and without a final dot.
    pub message: String,
    /// The offending place and what to say there.
    pub primary: (Span, String),
    /// Other places that explain it.
    pub secondary: Vec<(Span, String)>,
    /// Ways out.
    pub notes: Vec<String>,
}

impl SourceFile {
    /// A file with this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        SourceFile {
            file: SimpleFile::new(name.into(), text.into()),
        }
    }

    /// A file with this name and the text that these bytes encode, without the mark that some editors
    /// put at its beginning.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, NotUtf8> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let good = String::from_utf8_lossy(good);
            let line = good.rsplit('\n').next().unwrap_or_default();
            NotUtf8 {
                line: good.matches('\n').count() + 1,
                column: line.chars().count() + 1,
            }
        })?;
        let text = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        Ok(SourceFile::new(name, text))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.file.name()
    }

    /// Its text.
    pub fn text(&self) -> &str {
        self.file.source()
    }

    /// The number of the line, from 1, on which the byte at `offset` stands.
    pub fn line(&self, offset: u32) -> usize {
        let index = self.file.line_index((), offset as usize);
        index.map_or(1, |index| index + 1)
    }

    /// The line and the column of the byte at `offset`, from 1; columns are counted in characters.
    pub fn position(&self, offset: u32) -> (usize, usize) {
        let place = self.file.location((), offset as usize);
        place.map_or((1, 1), |place| (place.line_number, place.column_number))
    }

    /// The length of the line on which a span begins.
    fn line_length(&self, span: Span) -> usize {
        let line = self.file.line_index((), span.range().start);
        let range = line.and_then(|line| self.file.line_range((), line));
        range.map_or(0, |range| range.len())
    }

    /// What the renderer of codespan-reporting needs.
    pub fn codespan(&self) -> &SimpleFile<String, String> {
        &self.file
    }
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            primary: (span, label.into()),
            secondary: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A warning at `span`.
    pub fn warning(message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(message, span, label)
        }
    }

    /// The same with one more place.
    #[must_use]
    pub fn with_secondary(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push((span, label.into()));
        self
    }

    /// The same with one more way out.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// How to render it: with the lines of the source, unless one of them is too long to be looked at.
    pub fn style(&self, file: &SourceFile) -> Config {
        const LONGEST_LINE: usize = 500;
        let spans = self.secondary.iter().map(|(span, _)| *span);
        let long = std::iter::once(self.primary.0)
            .chain(spans)
            .any(|span| file.line_length(span) > LONGEST_LINE);
        Config {
            display_style: if long {
                DisplayStyle::Medium
            } else {
                DisplayStyle::Rich
            },
            ..Config::default()
        }
    }

    /// The diagnostic in the form that codespan-reporting renders.
    pub fn to_codespan(&self) -> Codespan<()> {
        let base = match self.severity {
            Severity::Error => Codespan::error(),
            Severity::Warning => Codespan::warning(),
        };
        let primary = Label::primary((), self.primary.0.range()).with_message(&self.primary.1);
        let secondary = self
            .secondary
            .iter()
            .map(|(span, text)| Label::secondary((), span.range()).with_message(text));
        base.with_message(&self.message)
            .with_labels(std::iter::once(primary).chain(secondary).collect())
            .with_notes(self.notes.clone())
    }
}

/// Sorts diagnostics by their places and leaves the first `limit`, the last of which says so.
pub(crate) fn sort_and_limit(diagnostics: &mut Vec<Diagnostic>, limit: usize) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.0);
    if diagnostics.len() >= limit {
        diagnostics.truncate(limit);
        if let Some(last) = diagnostics.last_mut() {
            last.notes.push(format!(
                "these are the first {limit} messages; there may be more"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_located() {
        let good = SourceFile::from_bytes("f", "shared é;".into()).unwrap();
        assert_eq!(good.text(), "shared é;");
        let error = SourceFile::from_bytes("f", b"// \xc3\xa9\nab\xff;".to_vec()).unwrap_err();
        assert_eq!(error, NotUtf8 { line: 2, column: 3 });
    }
}
