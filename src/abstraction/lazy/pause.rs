//! A lazy search that is paused and goes on from there: no state is looked at twice, and no question asked twice.

use super::{AbstractionError, Lazy, LazyLimits, LazyOutcome, Unknowns};
use crate::logic::Predicate;
use crate::program::Program;
use crate::reduce::BufferVars;
use crate::smt::Effort;

/// A search that can be taken up again.
pub struct Pausing<'a> {
    search: Lazy<'a>,
    limits: LazyLimits,
}

impl<'a> Pausing<'a> {
    /// A search that has not begun; the limits are those at which it ends for good.
    pub fn new(
        program: &'a Program,
        predicates: &'a [Predicate],
        buffers: &'a [BufferVars],
        unknowns: Unknowns,
        limits: LazyLimits,
    ) -> Result<Self, AbstractionError> {
        let steps = program.edge_ids();
        let mut search = Lazy::new(program, predicates, buffers, &limits, steps)?;
        search.unknowns = unknowns;
        Ok(Pausing { search, limits })
    }

    /// What it took so far: states and questions together.
    pub fn spent(&self) -> u64 {
        self.search.spent()
    }

    /// What it took so far: the number of states, and the questions.
    pub fn effort(&self) -> (usize, Effort) {
        (self.search.states.len(), self.search.oracle.effort())
    }

    /// Goes on until states and questions together are more than `pause`; `None` if there is more to do.
    pub fn go_on(&mut self, pause: u64) -> Option<LazyOutcome> {
        let finding = self.search.run_until(&self.limits, pause)?;
        Some(self.search.outcome(finding))
    }
}
