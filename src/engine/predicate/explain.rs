//! What an abstract path is worth: replayed, and explained if it is not an execution.
//!
//! Input: a path that an abstraction could not exclude. Output: a violation, if the path is one; else the same path with
//! whether it is feasible and what the proof lacks. Called after each attempt for a property that may be broken, and for
//! the attempt that is reported also for overflows and for what the proof lacks.

use std::sync::Arc;

use super::stage::{extrapolated, forgotten};
use super::{Input, PredicateConfig};
use crate::abstraction::lazy::LazyLimits;
use crate::engine::Context;
use crate::logic::Predicate;
use crate::memory::Model;
use crate::optimizations::Optimization;
use crate::proof::Proof;
use crate::reduce::Reduction;
use crate::refine::symmetry::Orbit;
use crate::refine::{self, Chosen, Excluding, Path, Replay};
use crate::semantics::Trace;
use crate::smt::Effort;
use crate::verdict::{
    AbstractPath, Feasibility, FoundBy, Growth, Method, Refinement, Run, Unknown, Verdict,
    Violation,
};

/// The most candidates that a suggestion is chosen from.
const SUGGESTED_FROM: usize = 24;

/// A stage whose paths are replayed.
#[derive(Clone, Copy)]
pub(super) struct Explain<'a> {
    pub input: &'a Input<'a>,
    pub stage: &'a Reduction,
    /// How the abstraction was made.
    pub method: Method,
    pub config: &'a PredicateConfig,
    pub context: &'a Context,
}

/// What became of a path.
enum Replayed {
    Violated(Arc<Violation>),
    Path(Feasibility),
}

impl Explain<'_> {
    /// The verdict of a path that may break a property: a violation, if it is real.
    pub(super) fn replayed(&self, path: AbstractPath) -> Verdict {
        let feasibility = match self.replay(&path) {
            Replayed::Violated(violation) => return Verdict::Violated(violation),
            // The run broke nothing after all; this proves nothing.
            Replayed::Path(Feasibility::Feasible(_)) => Feasibility::Undecided,
            Replayed::Path(feasibility) => feasibility,
        };
        let property = self.stage.source_property(path.property);
        Verdict::Unknown(Unknown::TooCoarse {
            property: property.expect("a property that may be broken is one of the source"),
            path: Arc::new(AbstractPath {
                feasibility,
                ..path
            }),
        })
    }

    /// The verdict of an overflow with whether its path is real.
    pub(super) fn replayed_overflow(&self, verdict: Verdict) -> Verdict {
        let Verdict::Unknown(Unknown::Overflow { path, growth }) = verdict else {
            return verdict;
        };
        match self.replay(&path) {
            Replayed::Violated(violation) => Verdict::Violated(violation),
            Replayed::Path(feasibility) => {
                let growth = growth.or_else(|| growth_of(&feasibility));
                let path = Arc::new(AbstractPath {
                    feasibility,
                    ..AbstractPath::clone(&path)
                });
                Verdict::Unknown(Unknown::Overflow { path, growth })
            }
        }
    }

    /// The verdict of the attempt that is reported, with all that can be found out about its path.
    pub(super) fn explained(&self, verdict: Verdict) -> Verdict {
        match self.replayed_overflow(verdict) {
            Verdict::Unknown(Unknown::Overflow { path, growth }) => {
                let path = self.with_refinement(AbstractPath::clone(&path));
                Verdict::Unknown(Unknown::Overflow { path, growth })
            }
            Verdict::Unknown(Unknown::TooCoarse { property, path }) => {
                let path = self.with_refinement(AbstractPath::clone(&path));
                Verdict::Unknown(Unknown::TooCoarse { property, path })
            }
            verdict => verdict,
        }
    }

    /// Whether a path is an execution, or else the violation that it is.
    fn replay(&self, path: &AbstractPath) -> Replayed {
        let program = || Arc::new(self.stage.source.clone());
        let violation = |trace: Trace| Violation::confirm(program(), trace, FoundBy::Replay);
        let run = |trace: Trace| Run::confirm(program(), trace);
        let (steps, stop) = (steps(path), self.context.stop.clone());
        Replayed::Path(match refine::replay(self.stage, &steps, stop) {
            Replay::Violated(trace) => match violation(trace) {
                Ok(violation) => return Replayed::Violated(Arc::new(violation)),
                Err(_) => Feasibility::Undecided,
            },
            Replay::Feasible(trace) => match run(trace) {
                Ok(run) => Feasibility::Feasible(Arc::new(run)),
                Err(_) => Feasibility::Undecided,
            },
            Replay::Spurious(step) => Feasibility::Spurious {
                step,
                refinement: Refinement::None,
            },
            Replay::Undecided => Feasibility::Undecided,
        })
    }

    /// The path with what the proof lacks to exclude it, if it is not an execution.
    fn with_refinement(&self, path: AbstractPath) -> Arc<AbstractPath> {
        let feasibility = match path.feasibility {
            Feasibility::Spurious { step, .. } => Feasibility::Spurious {
                step,
                refinement: self.refinement(&path, step),
            },
            Feasibility::Undecided | Feasibility::Feasible(_) => path.feasibility.clone(),
        };
        Arc::new(AbstractPath {
            feasibility,
            ..path
        })
    }

    /// What the proof lacks to exclude a path at a step.
    fn refinement(&self, path: &AbstractPath, step: usize) -> Refinement {
        let path = steps(path);
        let weakest = refine::weakest(self.stage, &path, step);
        let mut candidates = refine::unknown_to(self.input.proof, weakest);
        candidates.truncate(SUGGESTED_FROM);
        let alone = candidates.into_iter().map(|candidate| vec![candidate]);
        match self.choose(&path, &[alone.collect()], u64::MAX).0 {
            Chosen::Candidates(predicates) => {
                let source = &self.stage.source;
                let texts = predicates.iter().map(|predicate| predicate.text(source));
                Refinement::Predicates(texts.map(|text| format!("{text};")).collect())
            }
            Chosen::Nothing => Refinement::LargerCubes,
            Chosen::Unknown => Refinement::None,
        }
    }

    /// Chooses among candidates those that exclude a path.
    pub(super) fn choose(
        &self,
        path: &Path,
        tiers: &[Vec<Orbit>],
        max_calls: u64,
    ) -> (Chosen, Effort) {
        let excluding = Excluding {
            reduction: self.stage,
            buffers: &forgotten(self.stage, self.config),
            path,
            proof: self.input.proof,
            limits: LazyLimits {
                max_states: usize::MAX,
                max_calls,
                stop: self.context.stop.clone(),
                differences: self.config.optimizations.has(Optimization::Differences),
            },
        };
        excluding.choose(tiers, |proof| self.predicates(proof))
    }

    /// The predicates that a proof gives for the stage.
    fn predicates(&self, proof: &Proof) -> Option<Vec<Predicate>> {
        let input = Input {
            proof,
            ..*self.input
        };
        let method = match (self.stage.model(), self.method) {
            (Model::Sc, _) | (_, Method::Trad) => Method::Trad,
            (Model::Tso | Model::Pso, Method::Pe | Method::Ce | Method::Lazy) => Method::Pe,
        };
        let rules = &self.config.extrapolate;
        let extrapolated = extrapolated(&input, self.stage, method, rules).ok()?;
        Some(extrapolated.predicates)
    }
}

/// The growth of a buffer that the execution of a path shows, if the path is one.
fn growth_of(feasibility: &Feasibility) -> Option<Arc<Growth>> {
    let Feasibility::Feasible(run) = feasibility else {
        return None;
    };
    Growth::find(run.program(), run.trace()).map(Arc::new)
}

/// The steps of a path, as `refine` takes them.
pub(super) fn steps(path: &AbstractPath) -> Path {
    Path {
        steps: path.edges(),
        property: path.property,
    }
}
