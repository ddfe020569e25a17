//! The exact explorer as a prover.
//!
//! It decides wherever exploration ends within its limits, and a violation comes with an execution.
//! What it says of unbounded buffers is exact: [`Judgement::Safe`] means that no buffer got longer
//! than allowed.

use std::collections::BTreeSet;
use std::time::Instant;

use indexmap::IndexSet;
use itertools::Itertools;

use super::{Judgement, Opinion, Prover, names};
use crate::explore::{self, Exploration, ExploreConfig, ExploreError, Limit, Verdict};
use crate::fences::frontier::FenceSet;
use crate::fences::places::Candidates;
use crate::model::Model;
use crate::program;

/// The exact explorer as a prover.
#[derive(Clone, Debug)]
pub struct ExploreProver<'a> {
    candidates: &'a Candidates,
    model: Model,
    config: ExploreConfig,
    deadline: Option<Instant>,
}

impl<'a> ExploreProver<'a> {
    /// The explorer with some limits, until the deadline.
    pub fn new(
        candidates: &'a Candidates,
        model: Model,
        config: ExploreConfig,
        deadline: Option<Instant>,
    ) -> Result<Self, ExploreError> {
        if program::lower(&candidates.checked, &IndexSet::new()).has_background() {
            return Err(ExploreError::Background(model));
        }
        Ok(ExploreProver {
            candidates,
            model,
            config,
            deadline,
        })
    }

    /// The same with another limit on states.
    #[must_use]
    pub fn with_max_states(&self, max_states: usize) -> Self {
        ExploreProver {
            config: ExploreConfig {
                max_states,
                ..self.config.clone()
            },
            ..self.clone()
        }
    }

    /// The greatest number of states.
    pub fn max_states(&self) -> usize {
        self.config.max_states
    }

    /// Explores the program with these fences.
    pub(super) fn explore_with(&self, fences: &FenceSet) -> Exploration {
        self.explore(self.model, fences)
    }

    /// The opinion that an exploration is.
    pub(super) fn opinion(&self, seen: Exploration) -> Opinion {
        let states = seen.states;
        Opinion {
            judgement: match seen.verdict {
                Verdict::Safe => Judgement::Safe,
                Verdict::Violated => Judgement::Violated(Box::new(seen)),
                Verdict::Unknown => Judgement::Unknown(self.reason(&seen.limits)),
            },
            prover: "explore",
            states,
            solver_calls: 0,
        }
    }

    fn explore(&self, model: Model, fences: &FenceSet) -> Exploration {
        let program = program::lower(&self.candidates.checked, &names(self.candidates, fences));
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let config = ExploreConfig {
            timeout: left.or(self.config.timeout),
            ..self.config.clone()
        };
        explore::explore(&program, model, &config).expect("the program has no background blocks")
    }

    fn reason(&self, limits: &BTreeSet<Limit>) -> String {
        let config = &self.config;
        let mut reasons = limits.iter().map(|limit| match limit {
            Limit::Overflow => "a buffer of the reduced program overflows".to_owned(),
            Limit::Interrupted => "it was interrupted".to_owned(),
            Limit::Timeout => "the time was up".to_owned(),
            Limit::States => format!("there are more than {} states", config.max_states),
            Limit::Buffer => format!("a buffer gets longer than {} stores", config.buffer),
            Limit::Values => "a value did not fit 64 bits".to_owned(),
            Limit::Star => "not all values can be tried for `*`".to_owned(),
        });
        reasons.join("; ")
    }
}

impl Prover for ExploreProver<'_> {
    fn broken_under_sc(&mut self) -> Option<Exploration> {
        let seen = self.explore(Model::Sc, &FenceSet::default());
        (seen.verdict == Verdict::Violated).then_some(seen)
    }

    fn judge(&mut self, fences: &FenceSet) -> Opinion {
        self.opinion(self.explore_with(fences))
    }
}
