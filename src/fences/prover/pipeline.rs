//! The proof pipeline as a prover.
//!
//! It proves placements from the program's SC proof, for integers of any size. Placements share
//! the answers of the solver (`PipelineConfig::memo`): their abstractions differ only at the places.
//! It refutes nothing: what it does not prove is unknown.

use super::{Judgement, Opinion, Prover, names};
use crate::explore::Exploration;
use crate::fences::frontier::FenceSet;
use crate::fences::places::Candidates;
use crate::lang::placement::Placement;
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::pipeline::{Bound, Task, VerifyConfig, verify};
use crate::proof::Proof;
use crate::report::{AttemptOutcome, ModelResult, Report, StopReason};

/// What it is called in reports.
const NAME: &str = "pipeline";

/// The pipeline with a proof and a configuration.
#[derive(Clone)]
pub struct PipelineProver<'a> {
    file: &'a SourceFile,
    candidates: &'a Candidates,
    proof: &'a Proof,
    config: VerifyConfig,
}

impl<'a> PipelineProver<'a> {
    /// The pipeline for a model; the models and the placement of `config` do not matter.
    pub fn new(
        file: &'a SourceFile,
        candidates: &'a Candidates,
        proof: &'a Proof,
        model: Model,
        config: VerifyConfig,
    ) -> Self {
        // SC is asked for too, so that what it takes is counted.
        let models = vec![Model::Sc, model];
        PipelineProver {
            file,
            candidates,
            proof,
            config: VerifyConfig {
                models,
                refute_states: 0,
                ..config
            },
        }
    }

    /// Judges a placement of which an execution is known that has `stores` stores in one buffer: no
    /// smaller bound can do.
    pub(super) fn judge_with(&self, fences: &FenceSet, stores: usize) -> Opinion {
        match self.config.bound.at_least(stores) {
            Some(bound) => self.opinion(self.verify(fences, bound)),
            None => Opinion {
                judgement: Judgement::Unknown(format!(
                    "a buffer holds {stores} stores, more than the bound of a proof"
                )),
                prover: NAME,
                states: 0,
                solver_calls: 0,
            },
        }
    }

    fn verify(&self, fences: &FenceSet, bound: Bound) -> Result<Report, String> {
        let task = Task {
            file: self.file,
            checked: &self.candidates.checked,
            proof: self.proof,
        };
        let names = names(self.candidates, fences).into_iter().collect();
        let mut config = self.config.clone();
        config.bound = bound;
        config.pipeline.placement = Placement::Named(names);
        verify(&task, false, &config).map_err(|error| error.to_string())
    }

    fn opinion(&self, report: Result<Report, String>) -> Opinion {
        let results = report.as_ref().map(|report| report.results.as_slice());
        let results = results.unwrap_or_default().iter();
        let tries = results.filter(|result| !result.sc_failed);
        let tries = tries.flat_map(|result| &result.attempts);
        Opinion {
            prover: NAME,
            states: tries.clone().map(|tried| tried.states).sum(),
            solver_calls: tries.map(|tried| tried.effort.calls).sum(),
            judgement: match &report {
                Ok(report) if report.is_verified() => Judgement::Safe,
                Ok(report) => Judgement::Unknown(reason(report)),
                Err(error) => Judgement::Unknown(error.clone()),
            },
        }
    }
}

impl Prover for PipelineProver<'_> {
    fn broken_under_sc(&mut self) -> Option<Exploration> {
        None
    }

    fn judge(&mut self, fences: &FenceSet) -> Opinion {
        self.judge_with(fences, 1)
    }
}

/// Why the program is not verified.
fn reason(report: &Report) -> String {
    let failed = report.results.iter().find(|result| !result.is_verified());
    let outcome = failed.and_then(ModelResult::outcome);
    let what = match outcome {
        Some(AttemptOutcome::Abstraction(property, _)) => {
            format!("the abstraction is too coarse for `{}`", property.name)
        }
        Some(AttemptOutcome::Overflow(..)) => {
            "a buffer overflows at every k that was tried".to_owned()
        }
        Some(AttemptOutcome::Limit(StopReason::States)) => {
            "the checker met too many states".to_owned()
        }
        Some(AttemptOutcome::Limit(StopReason::Timeout)) => "the time was up".to_owned(),
        Some(AttemptOutcome::Limit(StopReason::Interrupted)) => "it was interrupted".to_owned(),
        Some(AttemptOutcome::Violated(violation)) => format!("`{}` is broken", violation.property),
        Some(AttemptOutcome::Verified) | None => "it is not verified".to_owned(),
    };
    match failed.map(|result| result.model) {
        Some(Model::Sc) => format!("{what}, already under sc"),
        Some(Model::Tso | Model::Pso) | None => what,
    }
}
