//! One try: extrapolate, abstract, check, and say what came out.

use std::time::{Duration, Instant};

use boolprog_checker::{
    Finding, Limit, Limits, Mode, Options, Outcome, Reason, Reductions, Split, Trace, ast,
};
use indexmap::IndexSet;

use super::replay::Replaying;
use super::{
    PipelineConfig, PipelineError, Stage, Task, abstracted, extrapolated, stage, stage_in,
    too_large,
};
use crate::abstraction::lazy::{self, LazyFinding, LazyLimits, LazyOutcome, LazyStep};
use crate::abstraction::{
    Abstraction, AbstractionError, CubeSizes, Manner, Property, PropertyKind,
};
use crate::extrapolate::Extrapolation;
use crate::logic::{Cube, Literal, sort_cubes};
use crate::model::Model;
use crate::proof::Proof;
use crate::report::{AbstractTrace, Attempt, AttemptOutcome, Method, StopReason};
use crate::shortcuts::Shortcut;
use crate::smt::Effort;

/// Most states of a retry that splits unknowns; there is another retry behind it.
const SPLIT_STATES: usize = 1_000_000;

/// What is varied between tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tuning {
    pub method: Method,
    pub sizes: CubeSizes,
    pub split: Split,
}

/// A method and its retries: unknowns are split, then larger cubes are looked for.
pub(super) fn retries(method: Method, sizes: CubeSizes) -> [Tuning; 3] {
    let plain = Tuning {
        method,
        sizes,
        split: Split::None,
    };
    let splitting = Tuning {
        split: Split::All,
        ..plain
    };
    let larger = Tuning {
        sizes: CubeSizes {
            updates: sizes.updates + 1,
            conditions: sizes.conditions + 1,
        },
        ..plain
    };
    [plain, splitting, larger]
}

/// Whether another tuning may do better: an abstraction was too coarse, or had too many states.
pub(super) fn is_worth_a_retry(outcome: &AttemptOutcome) -> bool {
    matches!(
        outcome,
        AttemptOutcome::Abstraction(..) | AttemptOutcome::Limit(StopReason::States)
    )
}

/// The answer of `cupola prove`.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The try under SC.
    pub attempt: Attempt,
    /// The proof with the cubes that took part, if the program is verified.
    pub proof: Option<Proof>,
}

/// One way to verify a program under a model.
#[derive(Clone, Copy)]
pub(super) struct Try<'a> {
    pub task: &'a Task<'a>,
    pub stage: &'a Stage,
    pub tuning: Tuning,
    pub config: &'a PipelineConfig,
}

/// An abstraction and what it was made from.
pub(super) struct Built {
    pub proof: Extrapolation,
    pub abstraction: Abstraction,
    time: Duration,
}

/// Verifies a program under SC and completes its proof with the cubes that fired in the search with
/// all reductions off.
pub fn prove(task: &Task<'_>, config: &PipelineConfig) -> Result<Proved, PipelineError> {
    let stage = &stage(task, Model::Sc, 1, &config.placement)?;
    let mut proved: Option<Proved> = None;
    for tuning in retries(Method::Trad, config.sizes) {
        let this = Try {
            task,
            stage,
            tuning,
            config,
        };
        let tried = this.prove()?;
        let retry = is_worth_a_retry(&tried.attempt.outcome);
        // A path says more than a limit that a retry reached.
        let told = match (&tried.attempt.outcome, proved) {
            (AttemptOutcome::Limit(_), Some(before)) => before,
            _ => tried,
        };
        proved = Some(told);
        if !retry {
            break;
        }
    }
    let Proved { attempt, proof } = proved.expect("there is a first try");
    let replaying = Replaying {
        task,
        stage,
        method: Method::Trad,
        config,
    };
    let outcome = replaying.explained(attempt.outcome);
    let attempt = Attempt { outcome, ..attempt };
    Ok(Proved { attempt, proof })
}

/// One try with a method at a bound, as it comes: nothing is verified under SC before, and nothing is
/// tried after.
pub fn attempt(
    task: &Task<'_>,
    bound: (Model, usize),
    method: Method,
    config: &PipelineConfig,
) -> Result<Attempt, PipelineError> {
    let this = Try {
        task,
        stage: &stage_in(config.manner, task, bound, &config.placement)?,
        tuning: Tuning {
            method,
            sizes: config.sizes,
            split: Split::None,
        },
        config,
    };
    this.run()
}

impl Try<'_> {
    /// Does it with all reductions off, and gives the proof the cubes that fired.
    fn prove(&self) -> Result<Proved, PipelineError> {
        let built = self.build()?;
        let options = Options {
            reductions: Reductions::NONE,
            record_fired: true,
            ..self.options()
        };
        let outcome = boolprog_checker::check(&built.abstraction.program, &options);
        let attempt = self.judge(&built, &outcome);
        let verified = matches!(attempt.outcome, AttemptOutcome::Verified);
        let proof = verified.then(|| Proof {
            cubes: Some(proof_cubes(self.task.proof, &built.abstraction, &outcome)),
            ..self.task.proof.clone()
        });
        Ok(Proved { attempt, proof })
    }

    /// Does it.
    pub fn run(&self) -> Result<Attempt, PipelineError> {
        self.announce();
        if self.config.stop().is_due() {
            return Ok(self.attempt(0, Effort::default(), self.stopped()));
        }
        if self.tuning.method == Method::Lazy {
            return self.lazily();
        }
        let built = self.build()?;
        let outcome = boolprog_checker::check(&built.abstraction.program, &self.options());
        Ok(self.judge(&built, &outcome))
    }

    /// Says what begins, to whoever watches.
    fn announce(&self) {
        let (model, k, method) = (self.stage.model, self.stage.k, self.tuning.method.name());
        self.config.progress.begin(match model {
            Model::Sc => format!("{model}, {method}"),
            Model::Tso | Model::Pso => format!("{model}, k = {k}, {method}"),
        });
    }

    /// The outcome of what was ended early.
    fn stopped(&self) -> AttemptOutcome {
        AttemptOutcome::Limit(match self.config.stop().is_cancelled() {
            true => StopReason::Interrupted,
            false => StopReason::Timeout,
        })
    }

    /// Builds the abstraction.
    pub fn build(&self) -> Result<Built, PipelineError> {
        let start = Instant::now();
        let config = PipelineConfig {
            sizes: self.tuning.sizes,
            ..self.config.clone()
        };
        let (task, stage, method) = (self.task, self.stage, self.tuning.method);
        let proof = extrapolated(task, stage, method, &config.extrapolate)?;
        let abstraction = abstracted(task, stage, &proof, method, &config)?;
        Ok(Built {
            proof,
            abstraction,
            time: start.elapsed(),
        })
    }

    /// How the boolean program is checked.
    pub fn options(&self) -> Options {
        Options {
            mode: Mode::ThreeValued,
            split: self.tuning.split,
            shortest: false,
            limits: Limits {
                max_states: self.max_states(),
                // The program's threads and the environment.
                max_threads: self.stage.reduced.threads.len() + 1,
                timeout: self.config.stop().remaining(),
                cancel: self.config.cancel.clone(),
                progress: Some(self.config.progress.states()),
            },
            reductions: match self.config.manner {
                Manner::Sparing => Reductions::ALL,
                Manner::Printed => Reductions::NONE,
            },
            ..Options::default()
        }
    }

    fn max_states(&self) -> usize {
        match self.tuning.split {
            Split::None => self.config.max_states,
            Split::Needed | Split::All => self.config.max_states.min(SPLIT_STATES),
        }
    }

    fn judge(&self, built: &Built, outcome: &Outcome) -> Attempt {
        let abstraction = &built.abstraction;
        let tell = |trace: &Trace, property: &Property| {
            let told = (abstraction, property);
            AbstractTrace::new(trace, told, &self.stage.reduced, self.task.file)
        };
        let found = match decisive(abstraction, outcome) {
            Decisive::Verified => AttemptOutcome::Verified,
            // Without time for the solver the abstraction says nothing about the predicates.
            _ if self.config.stop().is_due() => self.stopped(),
            Decisive::Broken(property, trace) => {
                self.replayed(property.clone(), tell(trace, property))
            }
            Decisive::Limit(reason) => AttemptOutcome::Limit(reason),
            Decisive::Overflow(property, trace) => {
                AttemptOutcome::Overflow(property.clone(), tell(trace, property))
            }
        };
        Attempt {
            cubes: match self.tuning.method {
                Method::Ce => built.proof.cubes.len(),
                Method::Trad | Method::Pe | Method::Lazy => 0,
            },
            build_time: built.time,
            cubes_used: abstraction.cubes.len(),
            largest_cube: abstraction.largest_cube(),
            states: outcome.stats.states,
            memory_bytes: outcome.stats.memory_bytes,
            check_time: Duration::from_secs_f64(outcome.stats.seconds),
            ..self.attempt(built.proof.predicates.len(), abstraction.effort, found)
        }
    }

    /// Tries the lazy search: what takes the place of building and checking is all checking.
    fn lazily(&self) -> Result<Attempt, PipelineError> {
        let start = Instant::now();
        let (task, reduced) = (self.task, &self.stage.reduced);
        let (proof, found) = self.lazy_search()?;
        let tell = |path: &[LazyStep], property: &Property| {
            let told = (&proof.predicates[..], property);
            AbstractTrace::from_lazy((&found.initial, path), told, reduced, task.file)
        };
        let outcome = match &found.finding {
            LazyFinding::Verified => AttemptOutcome::Verified,
            LazyFinding::Timeout => self.stopped(),
            LazyFinding::States => AttemptOutcome::Limit(StopReason::States),
            LazyFinding::Broken(property, path) => match property.kind {
                PropertyKind::User | PropertyKind::Bounds => {
                    self.replayed(property.clone(), tell(path, property))
                }
                PropertyKind::Overflow => {
                    AttemptOutcome::Overflow(property.clone(), tell(path, property))
                }
            },
        };
        Ok(Attempt {
            states: found.states,
            check_time: start.elapsed(),
            ..self.attempt(proof.predicates.len(), found.effort, outcome)
        })
    }

    /// What a path that may break a property is: a violation, if it is real.
    fn replayed(&self, property: Property, trace: AbstractTrace) -> AttemptOutcome {
        self.replaying().replayed(property, trace)
    }

    fn replaying(&self) -> Replaying<'_> {
        Replaying {
            task: self.task,
            stage: self.stage,
            method: self.tuning.method,
            config: self.config,
        }
    }

    /// Searches the abstract states one by one.
    pub fn lazy_search(&self) -> Result<(Extrapolation, LazyOutcome), PipelineError> {
        let (stage, rules) = (self.stage, &self.config.extrapolate);
        let proof = extrapolated(self.task, stage, self.tuning.method, rules)?;
        let limits = LazyLimits {
            max_states: self.config.max_states,
            stop: self.config.stop(),
            differences: self.config.shortcuts.has(Shortcut::Differences),
        };
        let buffers = super::forgotten(stage, self.config);
        let found = lazy::search(&stage.reduced, &proof.predicates, &buffers, limits)
            .map_err(|AbstractionError { span, error }| too_large(error, span))?;
        Ok((proof, found))
    }

    /// An attempt with the figures that every method has.
    fn attempt(&self, predicates: usize, effort: Effort, outcome: AttemptOutcome) -> Attempt {
        Attempt {
            k: match self.stage.model {
                Model::Sc => 0,
                Model::Tso | Model::Pso => self.stage.k,
            },
            method: self.tuning.method,
            sizes: self.tuning.sizes,
            split: self.tuning.split != Split::None,
            predicates,
            cubes: 0,
            effort,
            build_time: Duration::ZERO,
            cubes_used: 0,
            largest_cube: 0,
            states: 0,
            memory_bytes: 0,
            check_time: Duration::ZERO,
            outcome,
        }
    }
}

/// What decides a check.
enum Decisive<'a> {
    Verified,
    Broken(&'a Property, &'a Trace),
    Limit(StopReason),
    Overflow(&'a Property, &'a Trace),
}

/// A user's property that may be broken comes first, then a limit, then an overflow.
fn decisive<'a>(abstraction: &'a Abstraction, outcome: &'a Outcome) -> Decisive<'a> {
    let mut limit = None;
    let mut overflow = None;
    for report in &outcome.assertions {
        match &report.finding {
            Finding::Verified => {}
            Finding::Violated(trace) | Finding::Unknown(Reason::Abstraction(trace)) => {
                let property = property_of(abstraction, report.stmt);
                match property.kind {
                    PropertyKind::User | PropertyKind::Bounds => {
                        return Decisive::Broken(property, trace);
                    }
                    PropertyKind::Overflow => overflow = overflow.or(Some((property, trace))),
                }
            }
            Finding::Unknown(Reason::Limit(reached)) => {
                limit = limit.or(Some(match reached {
                    Limit::States | Limit::Threads => StopReason::States,
                    Limit::Timeout => StopReason::Timeout,
                    Limit::Cancelled => StopReason::Interrupted,
                }));
            }
        }
    }
    match (limit, overflow) {
        (Some(reason), _) => Decisive::Limit(reason),
        (None, Some((property, trace))) => Decisive::Overflow(property, trace),
        (None, None) => Decisive::Verified,
    }
}

fn property_of(abstraction: &Abstraction, stmt: ast::StmtId) -> &Property {
    let tag = abstraction.program.stmt(stmt).origin.tag;
    let origin = tag.and_then(|tag| abstraction.origins.get(tag as usize));
    let property = origin.and_then(|origin| origin.property.as_ref());
    property.expect("every assertion is made for a property")
}

/// The cubes over the proof's own predicates that took part in an SC proof, sorted.
fn proof_cubes(proof: &Proof, abstraction: &Abstraction, outcome: &Outcome) -> Vec<Cube> {
    let updates = outcome.fired.iter().filter_map(|fired| {
        let expr = fired_disjunct(abstraction, fired)?;
        abstraction.cube(expr)
    });
    let conditions = outcome.fired_clauses.iter().filter_map(|clause| {
        let literal = |(name, positive): &(String, bool)| {
            Some(Literal {
                predicate: abstraction.predicate_of(name)?,
                positive: !positive,
            })
        };
        let literals: Option<Vec<Literal>> = clause.literals.iter().map(literal).collect();
        Cube::new(literals?)
    });
    let mut cubes: IndexSet<Cube> = updates.chain(conditions).collect();
    let own = |cube: &Cube| {
        let mut literals = cube.literals().iter();
        literals.all(|literal| literal.predicate.index() < proof.predicates.len())
    };
    cubes.retain(|cube| own(cube) && cube.size() >= 2);
    let mut cubes: Vec<Cube> = cubes.into_iter().collect();
    sort_cubes(&mut cubes);
    cubes
}

fn fired_disjunct<'a>(
    abstraction: &'a Abstraction,
    fired: &boolprog_checker::FiredDisjunct,
) -> Option<&'a ast::Expr> {
    let ast::StmtKind::Assign { values, .. } = &abstraction.program.stmt(fired.stmt).kind else {
        return None;
    };
    let ast::Expr::Schoose(positive, negative) = values.get(fired.value)? else {
        return None;
    };
    let argument = if fired.positive { positive } else { negative };
    argument.disjuncts().get(fired.disjunct)
}
