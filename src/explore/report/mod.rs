//! Tells the result of an exploration, as text for readers and as JSON for programs.
//!
//! Input: what was explored and how, and the [`Exploration`]. Called by the command line. The text
//! speaks in source terms: threads and variables by the names that the user gave them, statements as
//! they stand in the source.

mod json;
mod table;
mod text;

use indexmap::IndexSet;

use crate::lang::ast::SpecKind;
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::program::{Action, Branch, BranchKind, Edge, Program, ThreadId, VarId};

use super::statement;
use super::{Exploration, ExploreConfig, Limit, MoveKind, Property, PropertyKind, Step, Verdict};

/// An exploration together with what it was of.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The program.
    pub program: &'a Program,
    /// The memory model.
    pub model: Model,
    /// The optional fences in force.
    pub fences: &'a IndexSet<String>,
    /// The limits.
    pub config: &'a ExploreConfig,
    /// What was found.
    pub exploration: &'a Exploration,
}

/// A limit that was hit, for readers.
struct Explanation {
    what: String,
    way_out: &'static str,
}

impl Report<'_> {
    /// What stands in the source for a step: its line, if it has one, and its text on one line.
    fn statement(&self, step: &Step) -> (Option<usize>, String) {
        let line = |span| statement::line(self.source, span);
        match (step.action.kind, step.span) {
            (MoveKind::Statement, Some(span)) => {
                let text = match span.start == span.end {
                    // A place where a fence may stand, put in between two statements.
                    true => "fence?".to_owned(),
                    false => statement::text(self.source, span),
                };
                (Some(line(span)), self.with_choice(step, text))
            }
            (MoveKind::Background(_), Some(span)) => (Some(line(span)), "background".to_owned()),
            (MoveKind::Flush(_), _) => {
                let flushed = step.writes.iter();
                let flushed = flushed.map(|write| self.access(step.action.thread, *write));
                (None, format!("flushes {}", flushed.collect::<String>()))
            }
            (MoveKind::Statement | MoveKind::Background(_), None) => (None, String::new()),
        }
    }

    /// The text of a statement with what was decided: the truth of a condition, whether an
    /// optional fence is in force.
    fn with_choice(&self, step: &Step, text: String) -> String {
        let Some(edge) = self.edge(step) else {
            return text;
        };
        match (edge.branch, &edge.action) {
            (Some(Branch { of, taken }), _) => {
                let keyword = match of {
                    BranchKind::If => "if",
                    BranchKind::While | BranchKind::DoWhile => "while",
                };
                format!("{keyword} ({text}) is {taken}")
            }
            (None, Action::Skip) if text.starts_with("fence") => format!("{text} is off"),
            (None, Action::Fence) if text.contains('?') => format!("{text} is on"),
            (None, _) => text,
        }
    }

    fn edge(&self, step: &Step) -> Option<&Edge> {
        let taken = step.action.path.first()?;
        let thread = &self.program.threads[step.action.thread.index()];
        thread.location(taken.at).edges.get(taken.edge)
    }

    /// `x = 1`, as the thread itself would say it.
    fn access(&self, thread: ThreadId, access: super::Access) -> String {
        format!("{} = {}", self.var(thread, access.var), access.value)
    }

    fn var(&self, thread: ThreadId, var: VarId) -> String {
        let declared = &self.program.vars[var.index()];
        match declared.owner {
            Some(owner) if owner == thread => declared.display_name.clone(),
            Some(_) | None => self.program.var_display_name(var),
        }
    }

    fn thread(&self, thread: ThreadId) -> &str {
        &self.program.threads[thread.index()].display_name
    }

    fn property_kind(&self, property: &Property) -> &'static str {
        match &property.kind {
            PropertyKind::Assertion(_) | PropertyKind::Overflow => "assertion",
            PropertyKind::Spec(SpecKind::Invariant, _) => "invariant",
            PropertyKind::Spec(SpecKind::Forbid, _) => "forbid",
            PropertyKind::Spec(SpecKind::Finally, _) => "finally",
            PropertyKind::Bounds => "array index",
        }
    }

    fn explain(&self, limit: Limit) -> Explanation {
        let (what, way_out) = match limit {
            Limit::Overflow => (
                "a buffer of the reduced program overflows".to_owned(),
                "translate with a larger -k",
            ),
            Limit::Timeout => ("the time was up".to_owned(), "raise --timeout"),
            Limit::States => (
                format!("there are more than {} states", self.exploration.states),
                "raise --max-states",
            ),
            Limit::Buffer => (
                format!(
                    "a store met a full buffer, the limit being {}",
                    self.config.buffer
                ),
                "raise --buffer; stores in a loop without a fence fill any buffer",
            ),
            Limit::Values => (
                "a value did not fit 64 bits".to_owned(),
                "keep values small with `assume`",
            ),
            Limit::Star => {
                let values = self.config.star.values();
                let (low, high) = (values.start(), values.end());
                (
                    format!("arbitrary values were tried only from {low} to {high}"),
                    "widen --star to look further; no range covers all values",
                )
            }
        };
        Explanation { what, way_out }
    }
}

impl Verdict {
    /// The word for it in text.
    fn text_word(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }

    /// The word for it in JSON, which all verifying commands share.
    fn json_word(self) -> &'static str {
        match self {
            Verdict::Safe => "verified",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }
}
