//! Why a verdict may hold for less than its reader thinks: what no execution reaches, and threads that are blocked for
//! ever.
//!
//! A [`Warning`] is a fact about all executions under a model, as certain as a proof is; an engine that does not know says
//! nothing. `docs/verification.md` defines each kind.

use std::sync::Arc;

use super::Run;
use crate::source::Span;

/// Something that a verdict does not say and its reader should know.
#[derive(Clone, Debug)]
pub struct Warning {
    /// What it is.
    pub kind: WarningKind,
    /// The threads that it is about, by their names in reports.
    pub threads: Vec<String>,
    /// The name of the label or of the property, or the text of the statement; empty for an empty program.
    pub name: String,
    /// Where it stands; nothing for an empty program.
    pub span: Option<Span>,
    /// For a thread that is blocked: an execution that leads there, if one is known.
    pub run: Option<Arc<Run>>,
}

/// The kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningKind {
    /// No thread has a statement.
    Empty,
    /// No execution comes to a label.
    Label,
    /// No execution comes to an assertion.
    Assertion,
    /// No execution has a final state, so that a `finally` says nothing.
    Finally,
    /// No execution leaves a loop that has a condition.
    Loop,
    /// An execution leads to a state from which a thread that has not ended never steps again.
    Blocked,
}

impl WarningKind {
    /// The word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            WarningKind::Empty => "empty",
            WarningKind::Label => "label",
            WarningKind::Assertion => "assertion",
            WarningKind::Finally => "finally",
            WarningKind::Loop => "loop",
            WarningKind::Blocked => "blocked",
        }
    }
}

impl Warning {
    /// Whether it says the same, perhaps with another execution.
    pub fn is_same(&self, other: &Warning) -> bool {
        (self.kind, &self.threads, &self.name, self.span)
            == (other.kind, &other.threads, &other.name, other.span)
    }

    /// Adds warnings to others, in the order of the source. Of two about one place the later one, which knows more threads,
    /// stays.
    pub fn add(all: &mut Vec<Warning>, more: Vec<Warning>) {
        for warning in more {
            let place = |known: &Warning| {
                let blocked = warning.kind == WarningKind::Blocked;
                let same = (known.kind, known.span) == (warning.kind, warning.span);
                same && (!blocked || known.threads == warning.threads)
            };
            match all.iter().position(place) {
                Some(known) => all[known] = warning,
                None => all.push(warning),
            }
        }
        all.sort_by_key(|warning| warning.span);
    }
}
