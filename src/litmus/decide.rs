//! The final states of a test under a memory model, and what they say.
//!
//! Input: a [`Test`], a [`Model`], the [`Context`] of the run. Output: a [`Decision`]. Called by `cupola litmus`.
//! The test's program is explored with FIFOs that are long enough for all stores of a thread, so only
//! the number of states and the time can end the search early.
//!
//! What is counted are distinct final states, as far as the locations of the condition and of
//! `locations […]` go; herd counts executions. The words are the same, for a proposition holds of
//! some, all or no executions if and only if it holds of some, all or no final states.

use std::collections::BTreeSet;
use std::fmt;

use indexmap::IndexSet;

use crate::engine::Context;
use crate::engine::explore::{self, ExploreConfig, Outcomes};
use crate::front::cup::{self, Checked};
use crate::memory::Model;
use crate::program;
use crate::verdict::Limit;

use super::syntax::{Location, Quantifier, Test};
use crate::front::litmus::names::Names;
use crate::front::litmus::translate;

/// What is known of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// All final states were found.
    Decided(FinalStates),
    /// The search met these limits.
    Unknown(BTreeSet<Limit>),
}

/// All final states of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalStates {
    /// The locations that they are shown with.
    pub locations: Vec<Location>,
    /// The values of the locations, one row per state, in order.
    pub rows: BTreeSet<Vec<i64>>,
    /// In how many the proposition of the condition holds.
    pub positive: usize,
    /// In how many it does not.
    pub negative: usize,
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

/// Finds the final states of a test under a memory model.
pub fn decide(test: &Test, model: Model, context: &Context) -> Decision {
    let checked = checked(test);
    let program = program::lower(&checked, &IndexSet::new());
    let config = explore_config(test, context);
    let exploration = explore::explore(&program, model, &config, context)
        .expect("the program of a litmus test has no background blocks");
    match &exploration.outcomes {
        Some(outcomes) if exploration.saw_everything() => {
            let states = FinalStates::new(test, outcomes);
            let violated = exploration.violation.is_some();
            debug_assert_eq!(violated, states.breaks(test.condition.quantifier));
            Decision::Decided(states)
        }
        _ => Decision::Unknown(exploration.limits),
    }
}

/// How far a test is explored.
pub fn explore_config(test: &Test, context: &Context) -> ExploreConfig {
    ExploreConfig {
        buffer: longest_thread(test).max(1),
        max_states: context.limits.explore_states,
        outcomes: true,
        ..ExploreConfig::default()
    }
}

/// The program of a test with its symbols.
fn checked(test: &Test) -> Checked {
    cup::check(translate(test)).expect("the program of a litmus test obeys all static rules")
}

/// No FIFO holds more stores than a thread has instructions.
fn longest_thread(test: &Test) -> usize {
    let lengths = test.threads.iter().map(|thread| thread.instructions.len());
    lengths.max().unwrap_or(0)
}

impl FinalStates {
    fn new(test: &Test, outcomes: &Outcomes) -> Self {
        let names = Names::new(test);
        let locations: Vec<Location> = test.displayed().into_iter().collect();
        let columns: Vec<usize> = locations
            .iter()
            .map(|location| column(outcomes, &names.full(location)))
            .collect();
        let rows = outcomes.rows().iter();
        let rows: BTreeSet<Vec<i64>> = rows
            .map(|row| columns.iter().map(|&column| row[column]).collect())
            .collect();
        let holds = |row: &&Vec<i64>| {
            let value = |wanted: &Location| {
                let at = locations.iter().position(|location| location == wanted);
                row[at.expect("the locations of the condition are displayed")]
            };
            test.condition.prop.holds(&value)
        };
        let positive = rows.iter().filter(holds).count();
        FinalStates {
            negative: rows.len() - positive,
            positive,
            locations,
            rows,
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
