//! The verification of a program under a model with the predicates that there are: bounds, and the ways to try at
//! each of them.
//!
//! The bound goes up as long as a buffer overflows; at each bound the methods take turns ([`super::turns`]), the settings that
//! verified SC first. Where no bound can be enough, or the largest one is not, buffers are FIFOs of any length; before that they take
//! turns with slots, first where only the largest bound may be enough.

use std::sync::Arc;

use boolprog_checker::Split;
use indexmap::IndexSet;

use super::attempt::{Slice, Try, Tuning, most_informative, retries};
use super::bounds::{Bounds, Place};
use super::explain::Explain;
use super::stage::stage_with;
use super::turns::{Ground, STATES_OVER_SC, STATES_OVER_SC_WITH_FIFOS, in_turns};
use super::{Input, MethodChoice, PredicateConfig, PredicateError};
use crate::engine::{Context, EngineError};
use crate::memory::{Buffers, Model};
use crate::proof::Proof;
use crate::reduce::{Reduction, Storage};
use crate::verdict::{Attempt, Growth, Limit, Method, Outcome, Settings, Unknown, Verdict};

/// The verification of a program under a model.
pub(super) struct Verification<'a> {
    pub input: &'a Input<'a>,
    pub model: Model,
    pub fences: &'a IndexSet<String>,
    pub config: &'a PredicateConfig,
    pub context: &'a Context,
    /// An execution that makes a buffer as long as one likes, if one is known.
    pub growth: Option<Arc<Growth>>,
    /// How the program was verified under SC, if that is known.
    pub under_sc: Option<&'a Settings>,
    /// The states that it had there.
    pub states_under_sc: usize,
    /// Whether what one method cannot exclude is tried again in other ways.
    pub retries: bool,
}

impl Verification<'_> {
    /// Tries slots and FIFOs in their turn. FIFOs come after slots only where a buffer overflows; what slots say of an
    /// overflow is more than that FIFOs do not decide.
    pub fn run_all(&self, bounds: &Bounds) -> Result<Outcome, EngineError> {
        let mut found: Option<Outcome> = None;
        let place = bounds.fifos_beside_slots();
        for bounds in bounds.in_turn() {
            let is_wanted = match found.as_ref().map(|outcome| &outcome.verdict) {
                None => true,
                Some(Verdict::Verified(_) | Verdict::Violated(_)) => false,
                Some(Verdict::Unknown(Unknown::Overflow { .. })) => true,
                Some(Verdict::Unknown(unknown)) => !unknown.is_stop() && bounds != [Buffers::Fifos],
            };
            if !is_wanted {
                break;
            }
            let beside = place.filter(|_| bounds != [Buffers::Fifos]);
            let outcome = self.run(bounds, beside)?;
            found = Some(match found {
                None => outcome,
                Some(before) => {
                    let log = before.log.into_iter().chain(outcome.log).collect();
                    let overflows =
                        matches!(before.verdict, Verdict::Unknown(Unknown::Overflow { .. }));
                    let keeps = overflows && matches!(outcome.verdict, Verdict::Unknown(_));
                    let verdict = match keeps {
                        true => before.verdict,
                        false => outcome.verdict,
                    };
                    Outcome::new(verdict, log)
                }
            });
        }
        Ok(found.expect("there are slots or FIFOs to try"))
    }

    /// Tries bounds from the smallest on, each with FIFOs beside it if they have a place there; only an overflow leads
    /// to the next bound.
    fn run(&self, bounds: &[Buffers], beside: Option<Place>) -> Result<Outcome, EngineError> {
        let mut log = Vec::new();
        let mut first = self.under_sc.cloned();
        for (number, buffers) in bounds.iter().enumerate() {
            if self.context.stop.should_stop() {
                let limit = Limit::of_stop(&self.context.stop);
                return Ok(Outcome::new(Verdict::Unknown(Unknown::Stopped(limit)), log));
            }
            let reducing = format!("{}, reducing", self.model);
            self.context.progress.begin(reducing);
            let stop = &self.context.stop;
            let beside = beside.filter(|_| self.retries);
            let fifos = beside.map(|_| &Buffers::Fifos);
            let ways = std::iter::once(buffers).chain(fifos);
            let stages =
                ways.map(|way| stage_with(self.input, (self.model, way), self.fences, stop));
            let stages: Vec<Reduction> = match stages.collect() {
                Err(PredicateError::Stopped) => {
                    let verdict = Verdict::Unknown(Unknown::Stopped(Limit::of_stop(stop)));
                    return Ok(Outcome::new(verdict, log));
                }
                stages => stages?,
            };
            let (stage, others) = stages.split_first().expect("there is a way");
            let fifos = beside.zip(others.first());
            let begin = log.len();
            log.extend(self.at(stage, fifos, first.as_ref())?);
            let overflows = matches!(
                log.last().map(|tried: &Attempt| &tried.verdict),
                Some(Verdict::Unknown(Unknown::Overflow { .. }))
            );
            if !overflows || number + 1 == bounds.len() {
                let told = begin + most_informative(&log[begin..]);
                let told_by = match log[told].settings.buffers {
                    Some(Buffers::Fifos) => others.first().unwrap_or(stage),
                    _ => stage,
                };
                self.explain(told_by, &mut log[told]);
                let verdict = log[told].verdict.clone();
                return Ok(Outcome::new(verdict, log));
            }
            first = log.last().map(|tried| tried.settings.clone());
        }
        unreachable!("there is at least one bound, and the last one ends the loop")
    }

    /// Tries the methods until one decides, overflows, or the time is over: first what verified SC, or came to an overflow
    /// at the bound before; FIFOs beside the bound have their place.
    fn at(
        &self,
        stage: &Reduction,
        fifos: Option<(Place, &Reduction)>,
        before: Option<&Settings>,
    ) -> Result<Vec<Attempt>, PredicateError> {
        let mut lanes = lanes(tunings(self.input.proof, stage, self.config));
        lanes.sort_by_key(|lane| !lane.iter().any(|tuning| comes_first(tuning, before)));
        if !self.retries {
            lanes.truncate(1);
            lanes.iter_mut().for_each(|lane| lane.truncate(1));
        }
        let tries = |stage, lane: Vec<Tuning>| {
            let this = |tuning| Try {
                input: self.input,
                stage,
                tuning,
                config: self.config,
                context: self.context,
            };
            lane.into_iter().map(this).collect()
        };
        let (ground, ground_of_fifos) = (Ground::default(), Ground::default());
        let lanes = lanes.into_iter();
        let mut lanes: Vec<_> = lanes.map(|lane| (tries(stage, lane), &ground)).collect();
        let mut times = STATES_OVER_SC;
        if let Some((place, stage)) = fifos {
            let lane = tunings(self.input.proof, stage, self.config);
            let lane = (tries(stage, lane), &ground_of_fifos);
            match place {
                Place::Last => lanes.push(lane),
                Place::First => {
                    lanes.insert(0, lane);
                    times = STATES_OVER_SC_WITH_FIFOS;
                }
            }
        }
        in_turns(lanes, times * self.states_under_sc as u64)
    }

    /// Adds to an attempt what can be found out about its path.
    fn explain(&self, stage: &Reduction, attempt: &mut Attempt) {
        let explain = Explain {
            input: self.input,
            stage,
            method: attempt.settings.method.unwrap_or(Method::Trad),
            config: self.config,
            context: self.context,
        };
        attempt.verdict = explain.explained(attempt.verdict.clone());
        if let Verdict::Unknown(Unknown::Overflow { growth, .. }) = &mut attempt.verdict
            && growth.is_none()
        {
            growth.clone_from(&self.growth);
        }
    }
}

/// Whether a way comes before others: what verified the program before.
fn comes_first(tuning: &Tuning, before: Option<&Settings>) -> bool {
    before.is_some_and(|before| {
        let is_lazy =
            [before.method, Some(tuning.method)].map(|method| method == Some(Method::Lazy));
        is_lazy == [true; 2]
            || is_lazy == [false; 2]
                && before.cube_sizes == Some(tuning.sizes)
                && before.split == (tuning.split != Split::None)
    })
}

/// The ways to try in lanes: those with cubes of the same sizes one behind the other, and those without cubes.
fn lanes(tunings: Vec<Tuning>) -> Vec<Vec<Tuning>> {
    let mut lanes: Vec<Vec<Tuning>> = Vec::new();
    for tuning in tunings {
        let has_cubes = |other: &Tuning| other.method != Method::Lazy;
        let same = lanes.iter_mut().find(|lane| {
            let other = &lane[0];
            has_cubes(other) == has_cubes(&tuning) && other.sizes == tuning.sizes
        });
        match same {
            Some(lane) => lane.push(tuning),
            None => lanes.push(vec![tuning]),
        }
    }
    lanes
}

/// The ways to try, in order. The retries do without cubes, split unknowns, then look for larger cubes.
fn tunings(proof: &Proof, stage: &Reduction, config: &PredicateConfig) -> Vec<Tuning> {
    let model = stage.model();
    let plain = |method| Tuning {
        method,
        sizes: config.sizes,
        split: Split::None,
        slice: Slice::ALL,
    };
    let (first, searching) = match (model, config.method) {
        (Model::Sc, MethodChoice::Only(Method::Lazy)) => return vec![plain(Method::Lazy)],
        (Model::Sc, _) => (None, Method::Trad),
        (Model::Tso | Model::Pso, MethodChoice::Only(method)) => return vec![plain(method)],
        // Facts need many literals at once, more than cubes have.
        (Model::Tso | Model::Pso, MethodChoice::Auto) if stage.storage == Storage::Fifos => {
            let lazy = Tuning {
                slice: Slice::LAZY,
                ..plain(Method::Lazy)
            };
            let splitting = Tuning {
                split: Split::All,
                slice: match config.refine {
                    0 => Slice::LAZY,
                    // What lacks a predicate is not to take long before one is found.
                    _ => Slice::SPLIT,
                },
                ..lazy
            };
            return vec![lazy, splitting];
        }
        (Model::Tso | Model::Pso, MethodChoice::Auto) => {
            let has_cubes = proof.cubes.as_ref().is_some_and(|cubes| !cubes.is_empty());
            (has_cubes.then_some(Method::Ce), Method::Pe)
        }
    };
    let mut all: Vec<Tuning> = first.map(plain).into_iter().collect();
    all.extend(retries(searching, config.sizes));
    if config.method == MethodChoice::Auto {
        let lazy = Tuning {
            slice: Slice::LAZY,
            ..plain(Method::Lazy)
        };
        // Splitting may take very long: what needs no cubes comes before it.
        let plain = all.iter().position(|tuning| tuning.method == searching);
        all.insert(plain.map_or(all.len(), |place| place + 1), lazy);
    }
    all
}
