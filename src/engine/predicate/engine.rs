//! The engine: what is known under SC, the proof that there is, and its refinement.
//!
//! A proof begins with SC: predicates that fail there are not tried under other models. Under each model the program
//! is verified with the proof that there is ([`super::verification`]), and where that does not suffice with one that
//! refinement goes on to find ([`super::rounds`]).

use std::sync::Arc;

use indexmap::IndexSet;

use super::bounds::{Bounds, bounds, known_growth};
use super::prove::prove;
use super::rounds::{Material, Refinement};
use super::stage::{harvested, without_fifos};
use super::unreached::unreached;
use super::verification::Verification;
use super::{Input, MethodChoice, NAME, PredicateConfig, PredicateError};
use crate::engine::{Context, Engine, EngineError, Task};
use crate::memory::{BufferSizes, Buffers, Model};
use crate::program;
use crate::proof::Proof;
use crate::refine::fewer;
use crate::verdict::{
    Attempt, Feasibility, Limit, Method, Outcome, Round, Settings, Unknown, Unsupported, Verdict,
    VerdictKind, Violation, Warning,
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

    /// The states that the program has under SC, if it was verified there.
    fn states_under_sc(&self) -> usize {
        let verified = self.sc.as_ref().and_then(|sc| sc.decisive());
        verified.map_or(0, |verified| verified.stats.states)
    }

    /// The outcome under a model: with the proof that there is, then with more predicates.
    fn outcome(
        &mut self,
        task: &Task<'_>,
        bounds: &Bounds,
        context: &Context,
    ) -> Result<Outcome, EngineError> {
        let refines = self.config.refine > 0 && self.config.method == MethodChoice::Auto;
        if let Some([fifos, slots]) = bounds.apart().filter(|_| refines) {
            let first = self.outcome(task, &fifos, context)?;
            if is_decided(&first.verdict) {
                return Ok(first);
            }
            let then = self.outcome(task, &slots, context)?;
            let log = first.log.into_iter().chain(then.log).collect();
            return Ok(Outcome::new(then.verdict, log));
        }
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
            states_under_sc: self.states_under_sc(),
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
            if is_decided(&outcome.verdict) {
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
            minimizes: true,
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
/// Two threads begin with what their statements say, and all of what they begin with or find counts: what two do not need three may.
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
    let two = Material::without(task, spare);
    let mut refinement = Refinement {
        task,
        model: Model::Sc,
        bounds: &[Buffers::Slots(BufferSizes::ONE)],
        config,
        context,
        material: &two,
        proof: Proof {
            predicates: two.definitions.clone(),
            cubes: None,
        },
        before: 0,
        rounds: Vec::new(),
        kept: 0,
        minimizes: false,
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

/// Whether nothing more is to be tried.
fn is_decided(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Verified(_) | Verdict::Violated(_) => true,
        Verdict::Unknown(unknown) => unknown.is_stop(),
    }
}
