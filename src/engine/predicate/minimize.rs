//! Leaves out of a proof that was found what is not needed.
//!
//! Orbits of predicates are left out one after the other, the last found first, as long as the settings that verified
//! the program still do. The effort is bounded by that of the rounds before, in states.

use super::PredicateError;
use super::attempt::Tuning;
use super::rounds::Refinement;
use crate::proof::Proof;
use crate::reduce::Reduction;
use crate::verdict::{Attempt, VerdictKind};

/// How many times the states of the rounds, and of the last attempt, may be looked at.
const EFFORT: usize = 4;

impl Refinement<'_> {
    /// The last attempt with fewer predicates; those that were there before stay.
    pub(super) fn minimized(
        &mut self,
        stage: &Reduction,
        tuning: Tuning,
        mut verified: Attempt,
    ) -> Result<Attempt, PredicateError> {
        let states = self.rounds.iter().map(|round| round.states).sum::<usize>();
        let mut left = EFFORT * (states + verified.stats.states);
        let new = self.proof.predicates.split_off(self.kept);
        let mut orbits = self.orbits(&new);
        let mut number = orbits.len();
        while number > 0 && left > 0 && !self.context.stop.should_stop() {
            number -= 1;
            let mut fewer = orbits.clone();
            fewer.remove(number);
            let old = self.proof.predicates.iter();
            let predicates = old.chain(fewer.iter().flatten()).cloned().collect();
            let proof = Proof {
                predicates,
                cubes: None,
            };
            let attempt = self.attempt(stage, tuning, &proof)?;
            left = left.saturating_sub(attempt.stats.states.max(1));
            if attempt.verdict.kind() == VerdictKind::Verified {
                orbits = fewer;
                verified = attempt;
            }
        }
        self.proof.predicates.extend(orbits.into_iter().flatten());
        Ok(verified)
    }
}
