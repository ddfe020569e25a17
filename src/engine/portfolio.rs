//! Several engines, one after the other, until one decides.
//!
//! Input: a program, models, and the engines that are chosen. Output: a [`Report`]. A short exploration comes first: it
//! decides small programs and finds what is broken in a few steps. Then comes the backward search, which decides programs
//! with finite data whatever the buffers' length, and where that meets its limit a search with abstract buffers; then the proofs, and last an exploration as far as the limits go. All limits are counts, so the same input gives the same answer.
//!
//! Of several models each is explored shortly before any is proved, so that what is broken after a few steps is told even
//! where a proof under SC takes long.
//!
//! What breaks a program under SC breaks it under every model, so SC comes first, and its violation is reported for the
//! other models as one that no fence helps against.

#[cfg(test)]
mod wrong_rules;

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::backward::{self, Backward, BackwardConfig};
use super::coherence::{Coherence, CoherenceConfig};
use super::explore::{Explore, ExploreConfig, explore};
use super::predicate::{Predicate, PredicateConfig};
use super::{Context, Engine, EngineError, Limits, Task, vacuity};
use crate::front::cup::check::Checked;
use crate::front::cup::placement::{Placement, UnknownPlace};
use crate::memory::Model;
use crate::program;
use crate::proof::Proof;
use crate::reduce;
use crate::source::SourceFile;
use crate::verdict::{
    Attempt, Evidence, Limit, ModelResult, Outcome, Report, Unknown, Verdict, Violation, Warning,
};

/// The states of the exploration before the proofs: seen in a fraction of a second.
pub const FIRST_STATES: usize = 50_000;

/// Which engines are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// All of them.
    #[default]
    Auto,
    /// The one with this name.
    Only(String),
}

/// How the engines are set.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Which engines are asked.
    pub choice: Choice,
    /// The explorer, but for its number of states, which the limits of the run say.
    pub explore: ExploreConfig,
    /// The backward engine.
    pub backward: BackwardConfig,
    /// The engine with abstract store buffers.
    pub coherence: CoherenceConfig,
    /// The predicate engine.
    pub predicate: PredicateConfig,
}

/// The most states of the exploration that looks for labels and assertions: they are seen at once.
const STATES_TO_REACH_ALL: usize = 5_000;

/// The engines in the order in which they are asked. This is the list to extend by a new engine.
pub fn engines(config: &Config, limits: &Limits) -> Vec<Box<dyn Engine>> {
    let explore = |max_states| {
        Box::new(Explore::new(ExploreConfig {
            max_states,
            ..config.explore.clone()
        }))
    };
    let coherence = Coherence::new(config.coherence);
    let coherence = match config.choice {
        Choice::Auto => coherence.behind(backward::NAME),
        Choice::Only(_) => coherence,
    };
    vec![
        explore(limits.explore_states.min(FIRST_STATES)),
        Box::new(Backward::new(config.backward)),
        Box::new(coherence),
        Box::new(Predicate::new(config.predicate.clone())),
        explore(limits.explore_states),
    ]
}

/// The names of the engines.
pub fn names() -> Vec<&'static str> {
    let engines = engines(&Config::default(), &Limits::default());
    let names: IndexSet<&str> = engines.iter().map(|engine| engine.name()).collect();
    names.into_iter().collect()
}

/// Engines that are asked one after the other until one decides.
pub struct Portfolio {
    engines: Vec<Box<dyn Engine>>,
}

/// A program as the user gave it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The source.
    pub source: &'a SourceFile,
    /// The checked program.
    pub program: &'a Checked,
    /// Its proof under SC, if there is one.
    pub proof: Option<&'a Proof>,
}

/// Why there is no report.
#[derive(Clone, Debug, thiserror::Error)]
pub enum VerifyError {
    /// The placement names a fence that the program does not have.
    #[error(transparent)]
    Placement(#[from] UnknownPlace),
    /// No engine can handle the program.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Portfolio {
    /// These engines, in this order.
    pub fn new(engines: Vec<Box<dyn Engine>>) -> Self {
        Portfolio { engines }
    }

    /// The engines that are chosen. Of several with the chosen name it is the last one, which has the widest limits.
    pub fn of(config: &Config, limits: &Limits) -> Self {
        let mut engines = engines(config, limits);
        if let Choice::Only(name) = &config.choice {
            let last = engines.iter().rposition(|engine| engine.name() == name);
            engines = last
                .map(|last| engines.swap_remove(last))
                .into_iter()
                .collect();
        }
        Portfolio { engines }
    }

    /// Verifies a program under some models, if it has a meaning under all of them.
    pub fn verify(
        &mut self,
        subject: &Subject<'_>,
        models: &[Model],
        placement: &Placement,
        context: &Context,
    ) -> Result<Report, VerifyError> {
        for &model in models {
            reduce::fits(subject.program, model).map_err(EngineError::from)?;
        }
        let mut models = models.to_vec();
        models.sort_unstable();
        let in_force = |&model: &Model| Ok((model, placement.in_force(subject.program, model)?));
        let models: Vec<(Model, IndexSet<String>)> = models
            .iter()
            .map(in_force)
            .collect::<Result<_, UnknownPlace>>()?;
        let mut verification = Verification {
            portfolio: self,
            subject,
            context,
            sc: None,
            looks: IndexMap::new(),
        };
        if models.len() > 1 {
            for (model, fences) in &models {
                verification.look(*model, fences);
            }
        }
        let results = models.into_iter().map(|(model, fences)| {
            let outcome = verification.outcome(model, &fences)?;
            Ok(ModelResult {
                model,
                fences: fences.into_iter().collect(),
                outcome,
            })
        });
        Ok(Report {
            results: results.collect::<Result<_, VerifyError>>()?,
            properties: program::lower(subject.program, &IndexSet::new()).properties,
        })
    }
}

impl Engine for Portfolio {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn run(&mut self, task: &Task<'_>, context: &Context) -> Result<Outcome, EngineError> {
        self.run_after(None, task, context)
    }
}

impl Portfolio {
    /// Asks one engine after the other; what the first one says may be known already.
    fn run_after(
        &mut self,
        mut look: Option<Result<Outcome, EngineError>>,
        task: &Task<'_>,
        context: &Context,
    ) -> Result<Outcome, EngineError> {
        let mut log: Vec<Attempt> = task.earlier.to_vec();
        let mut found = Unknowns::default();
        let program = program::lower(task.program, task.fences);
        let mut warnings = vacuity::in_text(task.program, &program);
        for engine in &mut self.engines {
            if !engine.is_worth_trying(&log) {
                continue;
            }
            if context.stop.should_stop() && !log.is_empty() {
                let limit = Limit::of_stop(&context.stop);
                found.reasons.push(Unknown::Stopped(limit));
                break;
            }
            let task = Task {
                earlier: &log,
                ..*task
            };
            let ran = look.take().unwrap_or_else(|| engine.run(&task, context));
            let outcome = match ran {
                Ok(outcome) => outcome,
                Err(EngineError::Stopped) => {
                    let limit = Limit::of_stop(&context.stop);
                    found.reasons.push(Unknown::Stopped(limit));
                    break;
                }
                Err(error) => {
                    found.errors.push(error);
                    continue;
                }
            };
            log.extend(outcome.log);
            Warning::add(&mut warnings, outcome.warnings);
            match outcome.verdict {
                Verdict::Unknown(unknown) => {
                    let stop = unknown.is_stop();
                    found.reasons.push(unknown);
                    if stop {
                        break;
                    }
                }
                verdict => return Ok(decided(verdict, log, warnings)),
            }
        }
        let verdict = Verdict::Unknown(found.most_informative()?);
        Ok(decided(verdict, log, warnings))
    }
}

/// Whether a short exploration under SC, whose executions are executions under each model, comes to all labels and
/// assertions, so that a proof need not be searched for those that are not reached.
fn reaches_all_soon(task: &Task<'_>, context: &Context) -> bool {
    let config = ExploreConfig {
        max_states: STATES_TO_REACH_ALL,
        ..ExploreConfig::default()
    };
    let program = program::lower(task.program, task.fences);
    let explored = explore(&program, Model::Sc, &config, context);
    explored.is_ok_and(|explored| {
        vacuity::unreached_places(task.program, &program, &explored.seen).is_empty()
    })
}

/// What was decided, with what is known beside it unless a property is broken.
fn decided(verdict: Verdict, log: Vec<Attempt>, mut warnings: Vec<Warning>) -> Outcome {
    if verdict.violation().is_some() {
        warnings.clear();
    }
    Outcome {
        verdict,
        log,
        warnings,
    }
}

/// Why the engines did not decide.
#[derive(Default)]
struct Unknowns {
    reasons: Vec<Unknown>,
    errors: Vec<EngineError>,
}

impl Unknowns {
    /// The reason that says most: a stop, then what an abstraction lacks, then the last limit; an error only where
    /// there is nothing else.
    fn most_informative(mut self) -> Result<Unknown, EngineError> {
        let rank = |unknown: &Unknown| match unknown {
            _ if unknown.is_stop() => 0,
            Unknown::TooCoarse { .. } | Unknown::Overflow { .. } => 1,
            Unknown::NotVerifiedUnderSc(_) => 2,
            Unknown::Stopped(_) => 3,
            Unknown::Incomplete { .. } => 4,
            Unknown::TooIncoherent { .. } => 5,
            Unknown::Unsupported(_) => 6,
        };
        self.reasons.reverse();
        self.reasons.sort_by_key(rank);
        if let Some(first) = self.reasons.into_iter().next() {
            return Ok(first);
        }
        let mut unsupported = Vec::new();
        for error in self.errors {
            match error {
                EngineError::Unsupported(error) => unsupported.push(error),
                error => return Err(error),
            }
        }
        Ok(Unknown::Unsupported(unsupported))
    }
}

/// The verification of one program.
struct Verification<'a> {
    portfolio: &'a mut Portfolio,
    subject: &'a Subject<'a>,
    context: &'a Context,
    /// What is known under SC: nothing, that it was looked for, or a violation.
    sc: Option<Option<Arc<Violation>>>,
    /// What the first engine has said under each model.
    looks: IndexMap<Model, Result<Outcome, EngineError>>,
}

impl Verification<'_> {
    /// Asks the first of several engines, unless the program is known to be broken under every model.
    fn look(&mut self, model: Model, fences: &IndexSet<String>) {
        let [engine, _, ..] = self.portfolio.engines.as_mut_slice() else {
            return;
        };
        if !engine.is_worth_trying(&[]) || matches!(self.sc, Some(Some(_))) {
            return;
        }
        let look = engine.run(&self.subject.task(model, fences), self.context);
        if let (Model::Sc, Ok(outcome)) = (model, &look) {
            self.sc = outcome.verdict.violation().cloned().map(Some);
        }
        self.looks.insert(model, look);
    }

    fn outcome(&mut self, model: Model, fences: &IndexSet<String>) -> Result<Outcome, VerifyError> {
        if model == Model::Sc {
            let outcome = self.run(model, fences)?;
            self.sc = Some(outcome.verdict.violation().cloned());
            return Ok(outcome);
        }
        if let Some(Some(violation)) = self.sc.clone()
            && let Some(relaxed) = self.relaxed(&violation, model, fences)
        {
            let verdict = Verdict::Violated(relaxed);
            return Ok(Outcome::new(verdict, Vec::new()));
        }
        let mut outcome = self.run(model, fences)?;
        if let Verdict::Violated(_) = outcome.verdict
            && let Some(finder) = outcome.decisive().map(|attempt| attempt.engine)
            && let Some(violation) = self.sc_violation(finder, fences)
            && let Some(relaxed) = self.relaxed(&violation, model, fences)
        {
            outcome.verdict = Verdict::Violated(relaxed);
        }
        Ok(outcome)
    }

    fn run(&mut self, model: Model, fences: &IndexSet<String>) -> Result<Outcome, EngineError> {
        let task = self.subject.task(model, fences);
        let look = self.looks.shift_remove(&model);
        let mut outcome = self.portfolio.run_after(look, &task, self.context)?;
        if let Verdict::Verified(Evidence::Invariant(settings)) = &outcome.verdict
            && !reaches_all_soon(&task, self.context)
        {
            let finder = outcome.decisive().map(|attempt| attempt.engine);
            let mut engines = self.portfolio.engines.iter_mut();
            let finder = engines.find(|engine| Some(engine.name()) == finder);
            let more = finder.map(|engine| engine.warnings(&task, settings, self.context));
            Warning::add(&mut outcome.warnings, more.unwrap_or_default());
        }
        Ok(outcome)
    }

    /// A violation under SC, which the engine that found one under another model looks for once.
    fn sc_violation(&mut self, finder: &str, fences: &IndexSet<String>) -> Option<Arc<Violation>> {
        if self.sc.is_none() {
            let task = self.subject.task(Model::Sc, fences);
            let mut engines = self.portfolio.engines.iter_mut();
            let finder = engines.find(|engine| engine.name() == finder);
            let outcome = finder.and_then(|engine| engine.run(&task, self.context).ok());
            let violation = outcome.and_then(|outcome| outcome.verdict.violation().cloned());
            self.sc = Some(violation);
        }
        self.sc.clone().flatten()
    }

    /// A violation under SC as one under a relaxed model.
    fn relaxed(
        &self,
        violation: &Violation,
        model: Model,
        fences: &IndexSet<String>,
    ) -> Option<Arc<Violation>> {
        let program = Arc::new(program::lower(self.subject.program, fences));
        violation.under(program, model).map(Arc::new)
    }
}

impl<'a> Subject<'a> {
    /// The task for a model and a placement.
    pub fn task(&self, model: Model, fences: &'a IndexSet<String>) -> Task<'a> {
        Task {
            source: self.source,
            program: self.program,
            model,
            fences,
            proof: self.proof,
            earlier: &[],
        }
    }
}
