//! Goes on from a proof without cubes to one that small cubes can use.
//!
//! With three or more threads a search without cubes has very many states, and under TSO and PSO, with the states of the buffers,
//! too many. A relation between variables that tells cases apart often takes the place of the many literals
//! that the search without cubes used at once. Candidates are tried one after the other, those first that compare what
//! alike threads have at the same place, until the proof with one of them is enough for small cubes.

use super::PredicateError;
use super::attempt::{Slice, Tuning};
use super::rounds::Refinement;
use crate::memory::Model;
use crate::proof::Proof;
use crate::reduce::Reduction;
use crate::refine;
use crate::verdict::{Attempt, Method, VerdictKind};

/// The fewest threads for which it is worth while.
const FEWEST_THREADS: usize = 3;

/// How many times the states of the search without cubes may be looked at.
const EFFORT: usize = 4;

impl Refinement<'_> {
    /// How the program is verified: with small cubes, after a candidate has been added to the proof, if there is one; else as it was.
    pub(super) fn with_cubes(
        &mut self,
        stage: &Reduction,
        small: Tuning,
        verified: (Tuning, Attempt),
    ) -> Result<(Tuning, Attempt), PredicateError> {
        let is_lazy = [small.method, verified.0.method].map(|method| method == Method::Lazy);
        let is_wanted = self.model == Model::Sc && self.minimizes;
        if !is_wanted || is_lazy != [false, true] || self.material.threads < FEWEST_THREADS {
            return Ok(verified);
        }
        let mut left = EFFORT * verified.1.stats.states;
        let candidates = refine::unknown_to(&self.proof, self.relations());
        let mut candidates = self.orbits(&candidates);
        candidates.sort_by_key(|orbit| !self.is_between_alike(orbit));
        for orbit in candidates {
            if left == 0 || self.context.stop.should_stop() {
                break;
            }
            let mut predicates = self.proof.predicates.clone();
            predicates.extend(orbit);
            let proof = Proof {
                predicates,
                cubes: None,
            };
            let tuning = Tuning {
                slice: Slice {
                    states: left,
                    ..small.slice
                },
                ..small
            };
            let attempt = self.attempt(stage, tuning, &proof)?;
            left = left.saturating_sub(attempt.stats.states.max(1));
            if attempt.verdict.kind() == VerdictKind::Verified {
                self.proof = proof;
                return Ok((small, attempt));
            }
        }
        Ok(verified)
    }
}
