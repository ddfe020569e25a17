//! What an attempt took.

use std::time::Duration;

/// What an attempt took; what an engine does not have is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// The states that were stored.
    pub states: usize,
    /// The bytes that they took up.
    pub memory_bytes: usize,
    /// The time of the search.
    pub time: Duration,
    /// The most stores that a FIFO holds in a real state that was seen.
    pub max_buffer: Option<usize>,
    /// What the solver was asked.
    pub solver: Option<SolverStats>,
    /// The abstraction that was built.
    pub abstraction: Option<AbstractionStats>,
}

/// What the solver was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverStats {
    /// The number of questions.
    pub calls: u64,
    /// How many of them were asked of Z3; the others were decided without it.
    pub z3_calls: u64,
    /// How many of them had no answer.
    pub unanswered: u64,
    /// Time spent on them.
    pub time: Duration,
}

/// The size of an abstraction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AbstractionStats {
    /// The number of predicates.
    pub predicates: usize,
    /// The number of cubes given to cube extrapolation, where that is the method.
    pub cubes: Option<usize>,
    /// Time to build it.
    pub build_time: Duration,
    /// The number of cubes of two literals or more in use.
    pub cubes_used: usize,
    /// The size of the largest of them.
    pub largest_cube: usize,
}

impl Stats {
    /// The number of questions to the solver.
    pub fn solver_calls(&self) -> u64 {
        self.solver.map_or(0, |solver| solver.calls)
    }
}
