//! The exact explorer: all states of a program under a memory model, with real store buffers.
//!
//! Input: a [`Program`], a [`Model`], limits. Output: [`Exploration`]. The search is breadth first, so
//! a violation comes with a shortest trace. `machine` is the semantics of `docs/language.md`, `state`
//! and `store` keep states small, `search` is the loop, `trace` tells an execution in source
//! terms, `replay` runs a trace again with code of its own, `hasten` makes its flushes earlier, `relax`
//! turns one of SC into one of a relaxed model, `follow` runs a schedule.
//!
//! Invariant: the verdict is [`Verdict::Safe`] only if every reachable state was seen, that is, if
//! no [`Limit`] was hit; a violation is always real.

mod buffers;
mod eval;
mod follow;
mod hasten;
mod machine;
mod outcomes;
mod property;
mod relax;
pub mod replay;
pub mod report;
mod search;
mod state;
mod statement;
mod store;
#[cfg(test)]
mod tests;
mod trace;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use itertools::Itertools;

use crate::model::Model;
use crate::program::Program;

pub use follow::{Directive, Followed, follow};
pub use hasten::hasten;
pub use outcomes::Outcomes;
pub use property::{Property, PropertyKind};
pub use relax::relax;
pub use trace::{Access, BufferContents, Move, MoveKind, Step, Taken, Trace};

/// How far to explore.
#[derive(Clone, Debug)]
pub struct ExploreConfig {
    /// The longest that a FIFO may get: under TSO a thread's buffer, under PSO each of its FIFOs.
    pub buffer: usize,
    /// The greatest number of states.
    pub max_states: usize,
    /// The values that are tried for arbitrary ones.
    pub star: Star,
    /// Whether to see everything, past violations, and to list the final states.
    pub outcomes: bool,
    /// How long to search.
    pub timeout: Option<Duration>,
    /// Set from outside to stop.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Where the number of states is told, now and then.
    pub progress: Option<Arc<AtomicUsize>>,
}

/// The values that are tried for arbitrary ones, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Star {
    low: i64,
    high: i64,
}

/// What an exploration says of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every reachable state was seen and none breaks a property.
    Safe,
    /// An execution breaks a property.
    Violated,
    /// No violation was found, but not everything was seen.
    Unknown,
}

/// Why not everything was seen; the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// A buffer of a reduced program is too small for an execution.
    Overflow,
    /// Somebody said so.
    Interrupted,
    /// The time was up.
    Timeout,
    /// There are more states than allowed.
    States,
    /// A store met a full FIFO.
    Buffer,
    /// A value did not fit 64 bits.
    Values,
    /// An arbitrary value was needed; only those of a range were tried.
    Star,
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The verdict.
    pub verdict: Verdict,
    /// The property that is violated: that of the shortest trace.
    pub property: Option<Property>,
    /// An execution that breaks the property; under [`Limit::Overflow`] alone, one that overflows.
    pub trace: Option<Trace>,
    /// The number of states seen.
    pub states: usize,
    /// The greatest number of entries seen in a FIFO.
    pub max_buffer: usize,
    /// Why not everything was seen.
    pub limits: BTreeSet<Limit>,
    /// The final states, if they were asked for.
    pub outcomes: Option<Outcomes>,
    /// The bytes that the states took up.
    pub bytes: usize,
    /// How long the search took.
    pub time: Duration,
}

/// Why a program cannot be explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// A reduced program, which has SC semantics only, under another model.
    #[error("a program with `background` blocks has SC semantics only, not {0}")]
    Background(Model),
}

/// Explores `program` under `model`. Every trace is confirmed by [`replay::replay`].
pub fn explore(
    program: &Program,
    model: Model,
    config: &ExploreConfig,
) -> Result<Exploration, ExploreError> {
    if model != Model::Sc && program.has_background() {
        return Err(ExploreError::Background(model));
    }
    let exploration = search::run(program, model, config);
    if let Some(trace) = &exploration.trace {
        let confirmed = replay::replay(program, model, trace);
        confirmed.expect("a trace is an execution that breaks its property");
    }
    Ok(exploration)
}

impl Exploration {
    /// Whether some execution puts more than `entries` stores into one FIFO; `None` if the search ended
    /// before this could be known.
    pub fn buffer_exceeds(&self, entries: usize) -> Option<bool> {
        if self.max_buffer > entries {
            return Some(true);
        }
        self.saw_everything().then_some(false)
    }

    /// Whether every reachable state was seen: the search was not cut and did not stop at a
    /// violation.
    pub fn saw_everything(&self) -> bool {
        let stopped = self.verdict == Verdict::Violated && self.outcomes.is_none();
        !stopped && self.limits.iter().all(|&limit| limit == Limit::Overflow)
    }
}

impl Limit {
    /// The word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Limit::Overflow => "overflow",
            Limit::Timeout => "timeout",
            Limit::Interrupted => "interrupted",
            Limit::States => "states",
            Limit::Buffer => "buffer",
            Limit::Values => "values",
            Limit::Star => "star",
        }
    }
}

impl Star {
    /// The values from `low` to `high`; `None` if there are none.
    pub fn new(low: i64, high: i64) -> Option<Self> {
        (low <= high).then_some(Star { low, high })
    }

    /// The values, those closest to 0 first.
    pub fn values(self) -> impl Iterator<Item = i64> + Clone {
        let negative = (self.low..=self.high.min(-1)).rev();
        let others = self.low.max(0)..=self.high;
        others.merge_by(negative, |other, negative| {
            other.unsigned_abs() <= negative.unsigned_abs()
        })
    }

    /// The least and the greatest value.
    pub fn ends(self) -> (i64, i64) {
        (self.low, self.high)
    }
}

impl Default for Star {
    fn default() -> Self {
        Star { low: -1, high: 1 }
    }
}

impl Default for ExploreConfig {
    fn default() -> Self {
        ExploreConfig {
            buffer: 8,
            max_states: 4_000_000,
            star: Star::default(),
            outcomes: false,
            timeout: None,
            cancel: None,
            progress: None,
        }
    }
}
