//! Both provers, the cheap one first.
//!
//! A short exploration decides small programs and finds violations; the pipeline proves what is
//! left, with buffers that are as long as the exploration has seen them; where that fails and only the number of states was in the way, a long exploration has the last
//! word.

use std::collections::BTreeSet;

use super::{ExploreProver, Judgement, Opinion, PipelineProver, Prover};
use crate::explore::{Exploration, Limit};
use crate::fences::frontier::FenceSet;

/// The states of the short exploration. The shortest violations of all examples take fewer.
const SHORT: usize = 100_000;

/// The explorer and the pipeline.
#[derive(Clone)]
pub struct AutoProver<'a> {
    short: ExploreProver<'a>,
    long: ExploreProver<'a>,
    pipeline: PipelineProver<'a>,
}

impl<'a> AutoProver<'a> {
    /// Both provers, each within its limits.
    pub fn new(explore: ExploreProver<'a>, pipeline: PipelineProver<'a>) -> Self {
        AutoProver {
            short: explore.with_max_states(explore.max_states().min(SHORT)),
            long: explore,
            pipeline,
        }
    }
}

impl Prover for AutoProver<'_> {
    fn broken_under_sc(&mut self) -> Option<Exploration> {
        self.short.broken_under_sc()
    }

    fn judge(&mut self, fences: &FenceSet) -> Opinion {
        let seen = self.short.explore_with(fences);
        let (stores, limits) = (seen.max_buffer, seen.limits.clone());
        let short = self.short.opinion(seen);
        let Judgement::Unknown(explored) = &short.judgement else {
            return short;
        };
        if limits.contains(&Limit::Timeout) || limits.contains(&Limit::Interrupted) {
            return short;
        }
        let proof = self.pipeline.judge_with(fences, stores);
        let Judgement::Unknown(unproved) = &proof.judgement else {
            return proof;
        };
        let worth_it = limits == BTreeSet::from([Limit::States])
            && self.long.max_states() > self.short.max_states();
        let last = match worth_it {
            true => self.long.judge(fences),
            false => short.clone(),
        };
        let solver_calls = proof.solver_calls;
        let judgement = match last.judgement {
            Judgement::Unknown(_) => Judgement::Unknown(format!("{explored}; {unproved}")),
            decided => decided,
        };
        Opinion {
            judgement,
            solver_calls,
            ..last
        }
    }
}
