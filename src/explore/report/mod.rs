//! Tells the result of an exploration, as text for readers and as JSON for programs.
//!
//! Input: what was explored and how, and the [`Exploration`]. Called by the command line. The text
//! speaks in source terms: threads and variables by the names that the user gave them, statements as
//! they stand in the source.

mod execution;
mod json;
pub(crate) mod table;
mod text;

use indexmap::IndexSet;

use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::program::Program;

use super::{Exploration, ExploreConfig, Limit, Verdict};
pub use execution::Execution;

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

impl<'a> Report<'a> {
    /// The execution that was found, if one was.
    fn execution(&self) -> Option<Execution<'a>> {
        self.exploration.trace.as_ref().map(|trace| Execution {
            source: self.source,
            program: self.program,
            trace,
        })
    }

    fn explain(&self, limit: Limit) -> Explanation {
        let (what, way_out) = match limit {
            Limit::Overflow => (
                "a buffer of the reduced program overflows".to_owned(),
                "translate with a larger -k",
            ),
            Limit::Interrupted => ("it was interrupted".to_owned(), "let it run"),
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
                let (low, high) = self.config.star.ends();
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
