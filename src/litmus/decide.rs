//! The final states of a test under a memory model, and what they say.
//!
//! Input: a [`Test`], a [`Model`], the [`Context`] of the run. Output: a [`Decision`]. Called by `cupola litmus`.
//! The test's program is explored with FIFOs that are long enough for all stores of a thread without loops, so that only
//! the number of states and the time can end the search early; a loop that stores without a fence may fill any FIFO.
//!
//! A search that saw everything also gives a shortest execution to a final state that the condition asks for, or that
//! contradicts it if it asks for all: the witness.
//!
//! What is counted are distinct final states, as far as the locations of the condition and of
//! `locations […]` go; herd counts executions. The words are the same, for a proposition holds of
//! some, all or no executions if and only if it holds of some, all or no final states.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use crate::engine::Context;
use crate::engine::explore::{self, ExploreConfig, Outcomes};
use crate::front::cup::{self, Checked};
use crate::memory::Model;
use crate::program::{self, Program};
use crate::verdict::{Limit, Violation};

use super::syntax::{Location, Quantifier, Test};
use crate::front::litmus::names::Names;
use crate::front::litmus::{Operation, translate};

/// How many stores a FIFO may hold where a thread has jumps, unless one asks for more.
pub const LOOP_BUFFER: usize = 8;

/// What is known of a test.
#[derive(Clone, Debug)]
pub enum Decision {
    /// All final states were found.
    Decided(FinalStates),
    /// The search met these limits.
    Unknown(BTreeSet<Limit>),
    /// The model has no step for this.
    NotModelled(&'static str),
}

/// An execution to a final state, with the program that it is one of.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The program of the test; its places are those of the test.
    pub program: Program,
    /// The execution, which the interpreter has run.
    pub violation: Arc<Violation>,
}

/// All final states of a test.
#[derive(Clone, Debug)]
pub struct FinalStates {
    /// The locations that they are shown with.
    pub locations: Vec<Location>,
    /// The values of the locations, one row per state, in order.
    pub rows: BTreeSet<Vec<i64>>,
    /// In how many the proposition of the condition holds.
    pub positive: usize,
    /// In how many it does not.
    pub negative: usize,
    /// An execution to a state in which the proposition holds, or for `forall` to one in which it does not.
    pub witness: Option<Arc<Witness>>,
}

/// In which final states the proposition of a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// In none.
    Never,
    /// In some, but not in all.
    Sometimes,
    /// In all.
    Always,
}

/// Finds the final states of a test under a memory model. Where a thread has jumps, FIFOs hold up to `loop_buffer` stores.
pub fn decide(test: &Test, model: Model, loop_buffer: usize, context: &Context) -> Decision {
    if model == Model::Pso && has_store_fence(test) {
        return Decision::NotModelled("SFENCE under pso");
    }
    let checked = checked(test);
    let program = program::lower(&checked, &IndexSet::new());
    let config = explore_config(test, loop_buffer, context);
    let exploration = explore::explore(&program, model, &config, context)
        .expect("the program of a litmus test has no background blocks");
    match &exploration.outcomes {
        Some(outcomes) if exploration.saw_everything() => {
            let mut states = FinalStates::new(test, outcomes);
            let violation = exploration.violation;
            debug_assert_eq!(
                violation.is_some(),
                states.breaks(test.condition.quantifier)
            );
            states.witness = violation.map(|violation| Arc::new(Witness { program, violation }));
            Decision::Decided(states)
        }
        _ => Decision::Unknown(exploration.limits),
    }
}

/// A barrier between stores alone means nothing under SC and TSO, which keep stores in order; PSO has no step for it.
fn has_store_fence(test: &Test) -> bool {
    let mut instructions = test.threads.iter().flat_map(|thread| &thread.instructions);
    instructions.any(|instruction| instruction.operation == Operation::StoreFence)
}

/// How far a test is explored.
pub fn explore_config(test: &Test, loop_buffer: usize, context: &Context) -> ExploreConfig {
    ExploreConfig {
        buffer: longest_thread(test, loop_buffer).max(1),
        max_states: context.limits.explore_states,
        outcomes: true,
        ..ExploreConfig::default()
    }
}

/// The program of a test with its symbols.
fn checked(test: &Test) -> Checked {
    cup::check(translate(test)).expect("the program of a litmus test obeys all static rules")
}

/// No FIFO holds more stores than a thread without loops has instructions.
fn longest_thread(test: &Test, loop_buffer: usize) -> usize {
    let lengths = test.threads.iter().map(|thread| {
        let jumps = thread.instructions.iter().any(|instruction| {
            matches!(
                instruction.operation,
                Operation::Jump(..) | Operation::JumpIfZero(..)
            )
        });
        let least = if jumps { loop_buffer } else { 1 };
        thread.instructions.len().max(least)
    });
    lengths.max().unwrap_or(0)
}

impl FinalStates {
    fn new(test: &Test, outcomes: &Outcomes) -> Self {
        let locations: Vec<Location> = test.displayed().into_iter().collect();
        let asked: BTreeSet<Location> = test.displayed().union(&test.filtered()).cloned().collect();
        let names = Names::new(test);
        let columns: IndexMap<Location, usize> = asked
            .into_iter()
            .map(|location| {
                let column = column(outcomes, &names.full(&location));
                (location, column)
            })
            .collect();
        let mut rows: BTreeMap<Vec<i64>, bool> = BTreeMap::new();
        for row in outcomes.rows() {
            let value = |location: &Location| match location {
                Location::Memory(_) => row[columns[location]],
                Location::Register(_, part) => part.extract(row[columns[location]]),
            };
            let counts = test
                .filter
                .as_ref()
                .is_none_or(|filter| filter.holds(&value));
            if counts {
                let shown = locations.iter().map(value).collect();
                rows.insert(shown, test.condition.prop.holds(&value));
            }
        }
        let positive = rows.values().filter(|holds| **holds).count();
        FinalStates {
            negative: rows.len() - positive,
            positive,
            locations,
            rows: rows.into_keys().collect(),
            witness: None,
        }
    }

    /// herd's word for the counts.
    pub fn observation(&self) -> Observation {
        match (self.positive, self.negative) {
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
            (_, _) => Observation::Sometimes,
        }
    }

    /// Whether the condition with this quantifier holds.
    pub fn satisfy(&self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::Exists => self.positive > 0,
            Quantifier::NotExists => self.positive == 0,
            Quantifier::Forall => self.negative == 0,
        }
    }

    /// The witnesses of the condition and of its contrary. For `~exists` the witnesses are the states
    /// in which the proposition does not hold.
    pub fn witnesses(&self, quantifier: Quantifier) -> (usize, usize) {
        match quantifier {
            Quantifier::Exists | Quantifier::Forall => (self.positive, self.negative),
            Quantifier::NotExists => (self.negative, self.positive),
        }
    }

    /// Whether the spec that the condition is translated to is violated.
    fn breaks(&self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::Exists | Quantifier::NotExists => self.positive > 0,
            Quantifier::Forall => self.negative > 0,
        }
    }
}

fn column(outcomes: &Outcomes, name: &str) -> usize {
    let at = outcomes.names().iter().position(|other| other == name);
    at.expect("every location of a test is a variable of its program")
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Observation::Never => "Never",
            Observation::Sometimes => "Sometimes",
            Observation::Always => "Always",
        })
    }
}
