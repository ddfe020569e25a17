//! The exact explorer: all states of a program under a memory model, with real store buffers.
//!
//! Input: a [`Program`], a [`Model`], limits. Output: [`Exploration`]. The search is breadth first, so
//! a violation comes with a shortest trace. `search` is the loop, `path` finds the steps
//! between states again, `engine` makes it one of the engines. What a step does is in `semantics`.
//!
//! Invariant: the verdict is `Verified` only if every reachable state was seen, that is, if
//! no [`Limit`] was hit; a violation was run by the independent interpreter.

mod blocked;
mod certificate;
mod engine;
mod graph;
mod outcomes;
mod path;
mod search;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::Context;
use super::vacuity::{self, Reached as Taken};
use crate::front::cup::check::Checked;
use crate::memory::Model;
use crate::program::{LocId, Program, PropertyId, ThreadId, VarId};
use crate::semantics::machine::Cut;
use crate::semantics::{HavocRange, Trace};
use crate::verdict::{Growth, Limit, Run, VerdictKind, Violation, Warning, WarningKind};

pub use certificate::{NoCertificate, certificate};
pub use engine::{Explore, NAME};
pub use graph::{Reached, StateEdge, StateGraph, StateNode, state_graph};
pub use outcomes::Outcomes;

/// How far to explore.
#[derive(Clone, Debug)]
pub struct ExploreConfig {
    /// The longest that a FIFO may get: under TSO a thread's buffer, under PSO each of its FIFOs.
    pub buffer: usize,
    /// The same for FIFOs of single variables under PSO, where it differs.
    pub buffer_of: BTreeMap<VarId, usize>,
    /// The greatest number of states.
    pub max_states: usize,
    /// The values that are tried for arbitrary ones.
    pub havoc: HavocRange,
    /// Whether to see everything, past violations, and to list the final states.
    pub outcomes: bool,
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// An execution that breaks a property: a shortest one.
    pub violation: Option<Arc<Violation>>,
    /// An execution of a reduced program that overflows one of its buffers.
    pub overflow: Option<Arc<Violation>>,
    /// An execution that makes a buffer as long as one likes, looked for where a store met a full FIFO.
    pub growth: Option<Arc<Growth>>,
    /// The number of states seen.
    pub states: usize,
    /// The greatest number of entries seen in a FIFO.
    pub max_buffer: usize,
    /// Why not everything was seen.
    pub limits: BTreeSet<Limit>,
    /// The steps that executions take, if all were seen.
    pub taken: Option<Taken>,
    /// The steps that were seen.
    pub seen: Taken,
    /// The threads that are blocked for ever in some state; all of them where everything was seen.
    pub blocked: Vec<Blocked>,
    /// The final states, if they were asked for.
    pub outcomes: Option<Outcomes>,
    /// The bytes that the states took up.
    pub bytes: usize,
    /// How long the search took.
    pub time: Duration,
}

/// A thread that is blocked for ever.
#[derive(Clone, Debug)]
pub struct Blocked {
    /// The thread.
    pub thread: ThreadId,
    /// Where it is.
    pub at: LocId,
    /// An execution that leads there: a shortest one to a state in which the thread is blocked here.
    pub run: Arc<Run>,
}

/// Why a program cannot be explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// A reduced program, which has SC semantics only, under another model.
    #[error("a program with `background` blocks has SC semantics only, not {0}")]
    Background(Model),
    /// A program with FIFOs, which has SC semantics only, under another model.
    #[error("a program with FIFOs has SC semantics only, not {0}")]
    Fifo(Model),
}

/// Explores `program` under `model`.
pub fn explore(
    program: &Program,
    model: Model,
    config: &ExploreConfig,
    context: &Context,
) -> Result<Exploration, ExploreError> {
    if model != Model::Sc && program.has_background() {
        return Err(ExploreError::Background(model));
    }
    if model != Model::Sc && !program.fifos.is_empty() {
        return Err(ExploreError::Fifo(model));
    }
    Ok(search::run(program, model, config, context))
}

impl Exploration {
    /// The verdict in one word.
    pub fn kind(&self) -> VerdictKind {
        match (&self.violation, self.limits.is_empty()) {
            (Some(_), _) => VerdictKind::Violated,
            (None, true) => VerdictKind::Verified,
            (None, false) => VerdictKind::Unknown,
        }
    }

    /// The property that is violated.
    pub fn property(&self) -> Option<PropertyId> {
        let violation = self.violation.as_ref();
        violation.map(|violation| violation.property_id())
    }

    /// The execution to show: one that breaks a property, or else one that overflows a buffer of a reduced program.
    pub fn trace(&self) -> Option<&Trace> {
        let shown = self.violation.as_ref().or(self.overflow.as_ref());
        shown.map(|violation| violation.trace())
    }

    /// What the exploration says beside its verdict on a program that it did not find violated.
    pub fn warnings(&self, checked: &Checked, program: &Program) -> Vec<Warning> {
        if self.violation.is_some() {
            return Vec::new();
        }
        let mut warnings = vacuity::in_text(checked, program);
        if let Some(taken) = &self.taken {
            let unreached = vacuity::unreached(checked, program, taken);
            Warning::add(&mut warnings, unreached);
        }
        let blocked = self.blocked.iter().filter_map(|blocked| {
            let thread = &program.threads[blocked.thread.index()];
            let edge = thread.location(blocked.at).edges.first()?;
            let statement = program.statement(edge.stmt);
            Some(Warning {
                kind: WarningKind::Blocked,
                threads: vec![thread.display_name.clone()],
                name: statement.text.clone(),
                span: Some(statement.span),
                run: Some(Arc::clone(&blocked.run)),
            })
        });
        Warning::add(&mut warnings, blocked.collect());
        warnings
    }

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
        let stopped = self.violation.is_some() && self.outcomes.is_none();
        !stopped && self.limits.iter().all(|&limit| limit == Limit::Overflow)
    }
}

impl From<Cut> for Limit {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Buffer => Limit::Buffer,
            Cut::Values => Limit::Values,
            Cut::Havoc => Limit::Havoc,
        }
    }
}

impl Default for ExploreConfig {
    fn default() -> Self {
        ExploreConfig {
            buffer: 8,
            buffer_of: BTreeMap::new(),
            max_states: 4_000_000,
            havoc: HavocRange::default(),
            outcomes: false,
        }
    }
}
