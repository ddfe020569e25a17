//! How an engine found predicates for itself: the rounds of its refinement.

use crate::memory::{Buffers, Model};
use crate::program::Cond;

/// Predicates that an engine found, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The predicates of the proof, conditions of the source program.
    pub predicates: Vec<Cond>,
    /// The same as text.
    pub lines: Vec<String>,
    /// The rounds in which they were found, under this model and under those before.
    pub rounds: Vec<Round>,
}

/// One round: an abstraction could not exclude a path, and something was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The model.
    pub model: Model,
    /// The number of threads that took steps: of those that are alike two are tried first.
    pub threads: usize,
    /// The sizes of the buffers, under a model that has them.
    pub buffers: Option<Buffers>,
    /// What the path was.
    pub case: Case,
    /// The number of its steps.
    pub steps: usize,
    /// The property that it would break, or does: its name, or what it says.
    pub property: String,
    /// The predicates that are new, as text.
    pub predicates: Vec<String>,
    /// The states of the abstraction.
    pub states: usize,
    /// The questions to the solver, of the abstraction and of the choice of predicates.
    pub calls: u64,
}

/// What a path is that an abstraction cannot exclude: the four cases of section 7 of the SAS 2012 paper. In the first
/// two the round is the last one, and the verdict is `violated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Real under SC: no fence helps.
    Sc,
    /// Real under the model: a fence may help.
    Model,
    /// Impossible with larger buffers.
    Buffers,
    /// Impossible in data.
    Data,
}

impl Case {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Case::Sc => "sc",
            Case::Model => "model",
            Case::Buffers => "buffers",
            Case::Data => "data",
        }
    }
}
