//! The engine: bounds, methods and retries.
//!
//! A proof begins with SC: predicates that fail there are not tried under other models. For each other model the
//! bound goes up as long as a buffer overflows; at each bound the methods are tried in turn, the settings that
//! verified SC first. Where no bound can be enough, or the largest one is not, buffers are FIFOs of any length.

use std::sync::Arc;

use boolprog_checker::Split;
use indexmap::IndexSet;

use super::attempt::{Slice, Try, Tuning, is_worth_a_retry, most_informative, retries};
use super::explain::Explain;
use super::prove::prove;
use super::rounds::{Material, Refinement};
use super::stage::{harvested, stage_with, without_fifos};
use super::unreached::unreached;
use super::{
    Bound, Input, MethodChoice, NAME, PastBounds, PredicateConfig, PredicateError, ReductionChoice,
};
use crate::engine::{Context, Engine, EngineError, Task};
use crate::memory::{BufferSizes, Buffers, MAX_ENTRIES, Model};
use crate::program;
use crate::proof::Proof;
use crate::reduce::{Reduction, Storage};
use crate::refine::fewer;
use crate::verdict::{
    Attempt, Feasibility, Growth, Limit, Method, Outcome, Round, Settings, Unknown, Unsupported,
    Verdict, VerdictKind, Violation, Warning,
};

/// The predicate engine.
pub struct Predicate {
    config: PredicateConfig,
    /// What is known under SC.
    sc: Option<Arc<Outcome>>,
    /// The proof with the cubes that cube extrapolation needs.
    completed: Option<Proof>,
    /// What candidates for new predicates are made of.
    material: Option<Material>,
    /// The proof that refinement has found, and its rounds.
    found: Option<(Proof, Vec<Round>)>,
}

impl Predicate {
    /// The engine with a configuration.
    pub fn new(config: PredicateConfig) -> Self {
        Predicate {
            config,
            sc: None,
            completed: None,
            material: None,
            found: None,
        }
    }

    /// The proof to start from: one that was found, the user's, or predicates taken from the program.
    fn proof(&self, task: &Task<'_>) -> Proof {
        let found = self.found.as_ref().map(|(proof, _)| proof);
        let given = self.completed.as_ref().or(found).or(task.proof);
        given.cloned().unwrap_or_else(|| harvested(task))
    }

    /// The outcome under SC, found once.
    fn sc(&mut self, task: &Task<'_>, context: &Context) -> Result<Arc<Outcome>, EngineError> {
        if let Some(sc) = &self.sc {
            return Ok(Arc::clone(sc));
        }
        let task = Task {
            model: Model::Sc,
            fences: &IndexSet::new(),
            earlier: &[],
            ..*task
        };
        let sc = Arc::new(self.outcome(&task, &Bounds::under_sc(), context)?);
        self.sc = Some(Arc::clone(&sc));
        Ok(sc)
    }

    /// The settings with which the program was verified under SC, if it was.
    fn settings_under_sc(&self) -> Option<&Settings> {
        let verified = self.sc.as_ref()?.decisive()?;
        (verified.verdict.kind() == VerdictKind::Verified).then_some(&verified.settings)
    }

    /// The outcome under a model: with the proof that there is, then with more predicates.
    fn outcome(
        &mut self,
        task: &Task<'_>,
        bounds: &Bounds,
        context: &Context,
    ) -> Result<Outcome, EngineError> {
        let refines = self.config.refine > 0 && self.config.method == MethodChoice::Auto;
        if refines && self.found.is_some() {
            let outcome = Outcome::new(
                Verdict::Unknown(Unknown::Stopped(Limit::States)),
                Vec::new(),
            );
            return self.refined_in_turn(task, bounds, context, outcome);
        }
        let proof = self.proof(task);
        let verification = Verification {
            input: &Input {
                source: task.source,
                program: task.program,
                proof: &proof,
            },
            model: task.model,
            fences: task.fences,
            config: &self.config,
            context,
            growth: known_growth(task.earlier),
            under_sc: self.settings_under_sc(),
            retries: !refines || task.proof.is_some(),
        };
        let outcome = verification.run_all(bounds)?;
        let is_open = match &outcome.verdict {
            Verdict::Unknown(Unknown::TooCoarse { .. } | Unknown::Stopped(Limit::States)) => true,
            Verdict::Unknown(Unknown::Overflow { path, growth }) => {
                let may_fit =
                    growth.is_none() && !matches!(path.feasibility, Feasibility::Feasible(_));
                bounds.has_fifos() || may_fit
            }
            Verdict::Unknown(_) | Verdict::Verified(_) | Verdict::Violated(_) => false,
        };
        match is_open && refines {
            true => self.refined_in_turn(task, bounds, context, outcome),
            false => Ok(outcome),
        }
    }

    /// Goes on by refinement with each way to store buffers until one decides.
    fn refined_in_turn(
        &mut self,
        task: &Task<'_>,
        bounds: &Bounds,
        context: &Context,
        mut outcome: Outcome,
    ) -> Result<Outcome, EngineError> {
        for bounds in bounds.in_turn() {
            outcome = self.refined(task, bounds, context, outcome)?;
            let is_over = match &outcome.verdict {
                Verdict::Verified(_) | Verdict::Violated(_) => true,
                Verdict::Unknown(unknown) => unknown.is_stop(),
            };
            if is_over {
                break;
            }
        }
        Ok(outcome)
    }

    /// Goes on from an outcome by refinement.
    fn refined(
        &mut self,
        task: &Task<'_>,
        bounds: &[Buffers],
        context: &Context,
        mut outcome: Outcome,
    ) -> Result<Outcome, EngineError> {
        let start = self.proof(task);
        let material = self.material.get_or_insert_with(|| Material::of(task));
        let (proof, rounds, kept) = match (self.found.clone(), task.proof) {
            (Some((proof, rounds)), _) => {
                let kept = proof.predicates.len();
                (proof, rounds, kept)
            }
            // Of what was taken from the program and failed, only what is needed comes back.
            (None, given)
                if task.model == Model::Sc
                    && given.is_none_or(|given| given.predicates.is_empty()) =>
            {
                let (proof, rounds) = from_fewer_threads(task, material, &self.config, context)?;
                (proof, rounds, 0)
            }
            (None, _) => {
                let kept = start.predicates.len();
                (start, Vec::new(), kept)
            }
        };
        let mut refinement = Refinement {
            task,
            model: task.model,
            bounds,
            config: &self.config,
            context,
            material,
            proof,
            before: rounds.len(),
            rounds,
            kept,
            open: None,
        };
        let mut attempt = refinement.run()?;
        if let Verdict::Unknown(Unknown::Overflow { growth, .. }) = &mut attempt.verdict
            && growth.is_none()
        {
            *growth = known_growth(task.earlier);
        }
        if attempt.verdict.kind() == VerdictKind::Verified {
            self.found = Some((refinement.proof, refinement.rounds));
        }
        // What holds up to a length is more than that nothing was found for any.
        let keeps = match (&attempt.verdict, &outcome.verdict) {
            (Verdict::Unknown(_), Verdict::Unknown(Unknown::Overflow { .. })) => {
                bounds == [Buffers::Fifos]
            }
            _ => false,
        };
        // A limit says less than the path of the last round, or of an attempt before.
        match &attempt.verdict {
            Verdict::Unknown(Unknown::Stopped(limit)) => {
                let open = refinement.open;
                if limit.is_stop() {
                    outcome.verdict = attempt.verdict.clone();
                } else if let Some(open) = open.as_ref().filter(|_| !keeps) {
                    outcome.verdict = open.verdict.clone();
                }
                outcome.log.extend(open);
            }
            _ if keeps => {}
            verdict => outcome.verdict = verdict.clone(),
        }
        outcome.log.push(attempt);
        Ok(outcome)
    }

    /// The proof that refinement finds under SC, with the attempt that it verifies, if it does.
    pub(super) fn proof_under_sc(
        &mut self,
        task: &Task<'_>,
        context: &Context,
    ) -> Result<Option<(Attempt, Proof)>, EngineError> {
        let sc = self.sc(task, context)?;
        let found = self.found.as_ref().map(|(proof, _)| proof.clone());
        Ok(sc.decisive().cloned().zip(found))
    }

    /// Computes the cubes of the proof where cube extrapolation is asked for and they are missing.
    fn complete(&mut self, task: &Task<'_>, context: &Context) -> Result<(), PredicateError> {
        let proof = self.proof(task);
        let needed = self.config.method == MethodChoice::Only(Method::Ce);
        if needed && proof.cubes.is_none() {
            let input = Input {
                source: task.source,
                program: task.program,
                proof: &proof,
            };
            self.completed = prove(&input, &self.config, context)?.proof;
        }
        Ok(())
    }
}

impl Engine for Predicate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, task: &Task<'_>, context: &Context) -> Result<Outcome, EngineError> {
        if without_fifos(task.program).is_err() {
            let reason = "the program has FIFOs".to_owned();
            let engine = NAME;
            return Err(Unsupported { engine, reason }.into());
        }
        let sc = self.sc(task, context)?;
        if task.model == Model::Sc {
            return Ok(Outcome::clone(&sc));
        }
        if let Some(verdict) = known_from_sc(task, &sc) {
            let log = Vec::new();
            return Ok(Outcome::new(verdict, log));
        }
        self.complete(task, context)?;
        let bounds = bounds(&self.config, task.earlier)?;
        self.outcome(task, &bounds, context)
    }

    fn warnings(
        &mut self,
        task: &Task<'_>,
        settings: &Settings,
        context: &Context,
    ) -> Vec<Warning> {
        unreached(task, settings, &self.config, context)
    }
}

/// The predicates to begin with under SC: where more than two threads are alike, the images of those that suffice for two.
fn from_fewer_threads(
    task: &Task<'_>,
    material: &Material,
    config: &PredicateConfig,
    context: &Context,
) -> Result<(Proof, Vec<Round>), PredicateError> {
    let spare = fewer::spare(&program::lower(task.program, &IndexSet::new()));
    if spare.is_empty() {
        return Ok(Default::default());
    }
    let mut refinement = Refinement {
        task,
        model: Model::Sc,
        bounds: &[Buffers::Slots(BufferSizes::ONE)],
        config,
        context,
        material: &Material::without(task, spare),
        proof: Proof::default(),
        before: 0,
        rounds: Vec::new(),
        kept: 0,
        open: None,
    };
    let attempt = refinement.run()?;
    Ok(match attempt.verdict.kind() {
        VerdictKind::Verified => (material.with_images(&refinement.proof), refinement.rounds),
        // It ends here, with what was found so far.
        VerdictKind::Unknown if context.stop.should_stop() => (refinement.proof, refinement.rounds),
        VerdictKind::Violated | VerdictKind::Unknown => Default::default(),
    })
}

/// What SC says of a relaxed model: a violation is one there too, and predicates that fail under SC are not tried.
fn known_from_sc(task: &Task<'_>, sc: &Arc<Outcome>) -> Option<Verdict> {
    let failed = || Verdict::Unknown(Unknown::NotVerifiedUnderSc(Arc::clone(sc)));
    match &sc.verdict {
        Verdict::Verified(_) => None,
        Verdict::Violated(violation) => Some(relaxed(task, violation).unwrap_or_else(failed)),
        Verdict::Unknown(unknown) if unknown.is_stop() => Some(sc.verdict.clone()),
        Verdict::Unknown(_) => Some(failed()),
    }
}

/// What a violation under SC says of a task under a relaxed model.
fn relaxed(task: &Task<'_>, violation: &Violation) -> Option<Verdict> {
    let program = program::lower(task.program, task.fences);
    let relaxed = violation.under(Arc::new(program), task.model)?;
    Some(Verdict::Violated(Arc::new(relaxed)))
}

/// The ways to store buffers that are tried.
struct Bounds {
    /// Slots, from the fewest on.
    slots: Vec<Buffers>,
    /// Whether FIFOs are tried, and when.
    fifos: Option<Turn>,
}

/// When FIFOs are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    BeforeSlots,
    AfterSlots,
}

impl Bounds {
    /// Where there are no buffers.
    fn under_sc() -> Self {
        Bounds {
            slots: vec![Buffers::Slots(BufferSizes::ONE)],
            fifos: None,
        }
    }

    fn has_fifos(&self) -> bool {
        self.fifos.is_some()
    }

    /// Slots and FIFOs in their turn.
    fn in_turn(&self) -> Vec<&[Buffers]> {
        let slots = (!self.slots.is_empty()).then_some(&self.slots[..]);
        let fifos = self.fifos.map(|_| &[Buffers::Fifos][..]);
        let both = match self.fifos {
            Some(Turn::BeforeSlots) => [fifos, slots],
            Some(Turn::AfterSlots) | None => [slots, fifos],
        };
        both.into_iter().flatten().collect()
    }
}

/// The bounds to try. An execution that is known to put more stores into a buffer shows that a bound overflows; one that makes
/// a buffer as long as one likes, that all of them do.
fn bounds(config: &PredicateConfig, earlier: &[Attempt]) -> Result<Bounds, Unsupported> {
    if config.reduction == ReductionChoice::Fifos {
        return Ok(Bounds {
            slots: Vec::new(),
            fifos: Some(Turn::BeforeSlots),
        });
    }
    let is_auto = config.reduction == ReductionChoice::Auto;
    let last = match &config.bound {
        Bound::Auto(most) => (*most).clamp(1, MAX_ENTRIES),
        Bound::Fixed(sizes) => sizes.largest(),
    };
    let known = earlier.iter().filter_map(|tried| tried.stats.max_buffer);
    let needed = known.max().unwrap_or(0);
    let fifos = match &config.bound {
        Bound::Auto(_) if is_auto => Some(match known_growth(earlier) {
            Some(_) => Turn::BeforeSlots,
            None if needed > last => Turn::BeforeSlots,
            None => Turn::AfterSlots,
        }),
        Bound::Auto(_) | Bound::Fixed(_) => None,
    };
    let slots = match config.past_bounds {
        PastBounds::Skip if needed > last && fifos.is_none() => {
            return Err(Unsupported {
                engine: NAME,
                reason: format!("a buffer holds {needed} stores, more than the bound of a proof"),
            });
        }
        PastBounds::Skip if needed > last => Vec::new(),
        PastBounds::Skip | PastBounds::ProveUntilOverflow => match &config.bound {
            Bound::Fixed(sizes) => vec![Buffers::Slots(sizes.clone())],
            Bound::Auto(_) => {
                let sizes = (needed.clamp(1, last)..=last).map(BufferSizes::uniform);
                sizes.filter_map(Result::ok).map(Buffers::Slots).collect()
            }
        },
    };
    Ok(Bounds { slots, fifos })
}

/// The growth of a buffer that an earlier attempt has found.
fn known_growth(earlier: &[Attempt]) -> Option<Arc<Growth>> {
    earlier.iter().find_map(|tried| match &tried.verdict {
        Verdict::Unknown(Unknown::Incomplete { growth, .. }) => growth.clone(),
        Verdict::Unknown(_) | Verdict::Verified(_) | Verdict::Violated(_) => None,
    })
}

/// The verification of a program under a model.
struct Verification<'a> {
    input: &'a Input<'a>,
    model: Model,
    fences: &'a IndexSet<String>,
    config: &'a PredicateConfig,
    context: &'a Context,
    /// An execution that makes a buffer as long as one likes, if one is known.
    growth: Option<Arc<Growth>>,
    /// How the program was verified under SC, if that is known.
    under_sc: Option<&'a Settings>,
    /// Whether what one method cannot exclude is tried again in other ways.
    retries: bool,
}

impl Verification<'_> {
    /// Tries slots and FIFOs in their turn. FIFOs come after slots only where a buffer overflows; what slots say of an
    /// overflow is more than that FIFOs do not decide.
    fn run_all(&self, bounds: &Bounds) -> Result<Outcome, EngineError> {
        let mut found: Option<Outcome> = None;
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
            let outcome = self.run(bounds)?;
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

    /// Tries bounds from the smallest on; only an overflow leads to the next one.
    fn run(&self, bounds: &[Buffers]) -> Result<Outcome, EngineError> {
        let mut log = Vec::new();
        for (number, buffers) in bounds.iter().enumerate() {
            if self.context.stop.should_stop() {
                let limit = Limit::of_stop(&self.context.stop);
                return Ok(Outcome::new(Verdict::Unknown(Unknown::Stopped(limit)), log));
            }
            let reducing = format!("{}, reducing", self.model);
            self.context.progress.begin(reducing);
            let stop = &self.context.stop;
            let bound = (self.model, buffers);
            let stage = match stage_with(self.input, bound, self.fences, stop) {
                Err(PredicateError::Stopped) => {
                    let verdict = Verdict::Unknown(Unknown::Stopped(Limit::of_stop(stop)));
                    return Ok(Outcome::new(verdict, log));
                }
                stage => stage?,
            };
            let first = log.len();
            log.extend(self.at(&stage)?);
            let overflows = matches!(
                log.last().map(|tried: &Attempt| &tried.verdict),
                Some(Verdict::Unknown(Unknown::Overflow { .. }))
            );
            if !overflows || number + 1 == bounds.len() {
                let told = first + most_informative(&log[first..]);
                self.explain(&stage, &mut log[told]);
                let verdict = log[told].verdict.clone();
                return Ok(Outcome::new(verdict, log));
            }
        }
        unreachable!("there is at least one bound, and the last one ends the loop")
    }

    /// Tries the methods in turn until one decides, overflows, or the time is over.
    fn at(&self, stage: &Reduction) -> Result<Vec<Attempt>, PredicateError> {
        let mut attempts = Vec::new();
        let mut tunings = tunings(self.input.proof, stage, self.config);
        tunings.sort_by_key(|tuning| !self.comes_first(tuning));
        for tuning in tunings {
            let tried = Try {
                input: self.input,
                stage,
                tuning,
                config: self.config,
                context: self.context,
            }
            .run()?;
            let go_on = self.retries && is_worth_a_retry(&tried.verdict);
            attempts.push(tried);
            if !go_on {
                break;
            }
        }
        Ok(attempts)
    }

    /// Whether a way comes before others: cubes that are given, and what verified the program under SC.
    fn comes_first(&self, tuning: &Tuning) -> bool {
        let is_same = |sc: &Settings| {
            let is_lazy =
                [sc.method, Some(tuning.method)].map(|method| method == Some(Method::Lazy));
            is_lazy == [true; 2]
                || is_lazy == [false; 2]
                    && sc.cube_sizes == Some(tuning.sizes)
                    && sc.split == (tuning.split != Split::None)
        };
        tuning.method == Method::Ce || self.under_sc.is_some_and(is_same)
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
            let slice = Slice::LAZY;
            return vec![Tuning {
                slice,
                ..plain(Method::Lazy)
            }];
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
