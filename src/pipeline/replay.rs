//! What a try's abstract path is worth: replayed, and explained if it is not real.
//!
//! Input: a path that an abstraction could not exclude. Output: the same with what `replay` says of it. Called
//! after each try for a property that may be broken; for what is told in the end, also for overflows and for
//! what the proof lacks.

use super::{PipelineConfig, Stage, Task, extrapolated};
use crate::abstraction::Property;
use crate::explore::Trace;
use crate::logic::Predicate;
use crate::model::Model;
use crate::proof::Proof;
use crate::replay::{self, Missing, Path, Replay, Search};
use crate::report::{AbstractTrace, AttemptOutcome, FoundBy, Lack, Method, Reality, Violation};

/// A stage whose paths are replayed.
#[derive(Clone, Copy)]
pub(super) struct Replaying<'a> {
    pub task: &'a Task<'a>,
    pub stage: &'a Stage,
    /// How the abstraction was made.
    pub method: Method,
    pub config: &'a PipelineConfig,
}

impl Replaying<'_> {
    /// What a path that may break a property comes to: a violation, if it is real.
    pub(super) fn replayed(&self, property: Property, trace: AbstractTrace) -> AttemptOutcome {
        let reality = match self.reality(&property, &trace) {
            Err(violation) => return AttemptOutcome::Violated(violation),
            // The run broke nothing after all; this proves nothing.
            Ok(Reality::Real(_)) => Reality::Undecided,
            Ok(reality) => reality,
        };
        AttemptOutcome::Abstraction(property, AbstractTrace { reality, ..trace })
    }

    /// The outcome of the last try, with all that can be said about its path.
    pub(super) fn explained(&self, outcome: AttemptOutcome) -> AttemptOutcome {
        match outcome {
            AttemptOutcome::Overflow(property, trace) => match self.reality(&property, &trace) {
                Err(violation) => AttemptOutcome::Violated(violation),
                Ok(reality) => {
                    let trace = self.with_lack(&property, AbstractTrace { reality, ..trace });
                    AttemptOutcome::Overflow(property, trace)
                }
            },
            AttemptOutcome::Abstraction(property, trace) => {
                let trace = self.with_lack(&property, trace);
                AttemptOutcome::Abstraction(property, trace)
            }
            AttemptOutcome::Verified | AttemptOutcome::Violated(_) | AttemptOutcome::Limit(_) => {
                outcome
            }
        }
    }

    /// Whether a path is real, or else the violation that it is.
    fn reality(
        &self,
        property: &Property,
        trace: &AbstractTrace,
    ) -> Result<Reality, Box<Violation>> {
        let found = |trace: Trace| {
            let program = self.stage.source.clone();
            Box::new(Violation::new(FoundBy::Replay, program, trace))
        };
        let path = path(property, trace);
        match replay::replay(self.setting(), &path, self.config.stop()) {
            Replay::Violated(trace) => Err(found(trace)),
            Replay::Real(trace) => Ok(Reality::Real(found(trace))),
            Replay::Impossible(step) => Ok(Reality::Impossible(step, Lack::Unknown)),
            Replay::Undecided => Ok(Reality::Undecided),
        }
    }

    /// The path with what the proof lacks to exclude it, if it is not real.
    fn with_lack(&self, property: &Property, trace: AbstractTrace) -> AbstractTrace {
        let reality = match trace.reality {
            Reality::Impossible(step, _) => {
                Reality::Impossible(step, self.lack(property, &trace, step))
            }
            Reality::Undecided | Reality::Real(_) => trace.reality,
        };
        AbstractTrace { reality, ..trace }
    }

    fn setting(&self) -> replay::Setting<'_> {
        replay::Setting {
            model: self.stage.model,
            source: &self.stage.source,
            reduced: &self.stage.reduced,
        }
    }

    /// What the proof lacks to exclude a path at a step.
    fn lack(&self, property: &Property, trace: &AbstractTrace, step: usize) -> Lack {
        let path = path(property, trace);
        let search = Search {
            setting: self.setting(),
            layout: &self.stage.layout,
            proof: self.task.proof,
            path: &path,
            step,
            stop: &self.config.stop(),
        };
        match replay::missing(search, |proof| self.predicates(proof)) {
            Missing::Predicates(predicates) => {
                let source = &self.stage.source;
                let texts = predicates.iter().map(|predicate| predicate.text(source));
                Lack::Predicates(texts.map(|text| format!("{text};")).collect())
            }
            Missing::Cubes => Lack::Cubes,
            Missing::Unknown => Lack::Unknown,
        }
    }

    /// The predicates that a proof gives for the stage.
    fn predicates(&self, proof: &Proof) -> Option<Vec<Predicate>> {
        let task = Task {
            proof,
            ..*self.task
        };
        let method = match (self.stage.model, self.method) {
            (Model::Sc, _) | (_, Method::Trad) => Method::Trad,
            (Model::Tso | Model::Pso, Method::Pe | Method::Ce | Method::Lazy) => Method::Pe,
        };
        let rules = &self.config.extrapolate;
        let extrapolated = extrapolated(&task, self.stage, method, rules).ok()?;
        Some(extrapolated.predicates)
    }
}

fn path(property: &Property, trace: &AbstractTrace) -> Path {
    Path {
        steps: trace.edges(),
        property: property.clone(),
    }
}
