//! One try: extrapolate, abstract, check, and say what came out.

use std::time::{Duration, Instant};

use boolprog_checker::{
    Finding, Limit, Limits, Mode, Options, Outcome, Reason, Reductions, Split, Trace, ast,
};
use indexmap::IndexSet;

use super::{
    PipelineConfig, PipelineError, Stage, Task, abstracted, extrapolated, stage, too_large,
};
use crate::abstraction::lazy::{self, LazyFinding, LazyLimits, LazyStep};
use crate::abstraction::{Abstraction, AbstractionError, CubeSizes, Property, PropertyKind};
use crate::extrapolate::Extrapolation;
use crate::logic::{Cube, sort_cubes};
use crate::model::Model;
use crate::proof::Proof;
use crate::report::{AbstractTrace, Attempt, AttemptOutcome, Method, StopReason};

/// The largest cubes that a proof keeps for cube extrapolation.
const PROOF_CUBE_SIZE: usize = 3;

/// What is varied between tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tuning {
    pub method: Method,
    pub sizes: CubeSizes,
    pub split: Split,
}

/// The answer of `cupola prove`.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The try under SC.
    pub attempt: Attempt,
    /// The proof with the cubes that took part, if the program is verified.
    pub proof: Option<Proof>,
}

/// Verifies a program under SC and completes its proof with cubes: those in conditions, and those
/// that made an update definite in the search with all reductions off.
pub fn prove(task: &Task<'_>, config: &PipelineConfig) -> Result<Proved, PipelineError> {
    let stage = stage(task, Model::Sc, 1, &config.placement)?;
    let tuning = Tuning {
        method: Method::Trad,
        sizes: config.sizes,
        split: Split::None,
    };
    let built = build(task, &stage, tuning, config)?;
    let options = Options {
        reductions: Reductions::NONE,
        record_fired: true,
        ..options(&stage, tuning, config)
    };
    let outcome = boolprog_checker::check(&built.abstraction.program, &options);
    let attempt = judge(task, &stage, tuning, &built, &outcome, config);
    let verified = matches!(attempt.outcome, AttemptOutcome::Verified);
    let proof = verified.then(|| Proof {
        cubes: Some(proof_cubes(task.proof, &built.abstraction, &outcome)),
        ..task.proof.clone()
    });
    Ok(Proved { attempt, proof })
}

/// Tries one way to verify a stage.
pub(super) fn attempt(
    task: &Task<'_>,
    stage: &Stage,
    tuning: Tuning,
    config: &PipelineConfig,
) -> Result<Attempt, PipelineError> {
    if tuning.method == Method::Lazy {
        return lazily(task, stage, tuning, config);
    }
    let built = build(task, stage, tuning, config)?;
    let options = options(stage, tuning, config);
    let outcome = boolprog_checker::check(&built.abstraction.program, &options);
    Ok(judge(task, stage, tuning, &built, &outcome, config))
}

/// Tries the lazy search: what takes the place of building and checking is all checking.
fn lazily(
    task: &Task<'_>,
    stage: &Stage,
    tuning: Tuning,
    config: &PipelineConfig,
) -> Result<Attempt, PipelineError> {
    let start = Instant::now();
    let proof = extrapolated(task, stage, tuning.method, &config.extrapolate)?;
    let limits = LazyLimits {
        max_states: config.max_states,
        deadline: config.deadline,
    };
    let found = lazy::search(&stage.reduced, &proof.predicates, limits)
        .map_err(|AbstractionError { span, error }| too_large(error, span))?;
    let tell = |path: &[LazyStep]| {
        AbstractTrace::from_lazy(path, &proof.predicates, &stage.reduced, task.file)
    };
    Ok(Attempt {
        k: shown_bound(stage),
        method: tuning.method,
        sizes: tuning.sizes,
        split: false,
        predicates: proof.predicates.len(),
        cubes: 0,
        effort: found.effort,
        build_time: Duration::ZERO,
        cubes_used: 0,
        largest_cube: 0,
        states: found.states,
        memory_bytes: 0,
        check_time: start.elapsed(),
        outcome: match &found.finding {
            LazyFinding::Verified => AttemptOutcome::Verified,
            LazyFinding::Timeout => AttemptOutcome::Limit(StopReason::Timeout),
            LazyFinding::States => AttemptOutcome::Limit(StopReason::States),
            LazyFinding::Broken(property, path) => match property.kind {
                PropertyKind::User | PropertyKind::Bounds => {
                    AttemptOutcome::Abstraction(property.clone(), tell(path))
                }
                PropertyKind::Overflow => AttemptOutcome::Overflow(tell(path)),
            },
        },
    })
}

/// The bound that reports show: none under SC.
fn shown_bound(stage: &Stage) -> usize {
    match stage.model {
        Model::Sc => 0,
        Model::Tso | Model::Pso => stage.k,
    }
}

/// An abstraction and what it was made from.
struct Built {
    proof: Extrapolation,
    abstraction: Abstraction,
    time: Duration,
}

fn build(
    task: &Task<'_>,
    stage: &Stage,
    tuning: Tuning,
    config: &PipelineConfig,
) -> Result<Built, PipelineError> {
    let start = Instant::now();
    let config = PipelineConfig {
        sizes: tuning.sizes,
        ..config.clone()
    };
    let proof = extrapolated(task, stage, tuning.method, &config.extrapolate)?;
    let abstraction = abstracted(task, stage, &proof, tuning.method, &config)?;
    Ok(Built {
        proof,
        abstraction,
        time: start.elapsed(),
    })
}

fn options(stage: &Stage, tuning: Tuning, config: &PipelineConfig) -> Options {
    let left = config
        .deadline
        .map(|deadline| deadline.saturating_duration_since(Instant::now()));
    Options {
        mode: Mode::ThreeValued,
        split: tuning.split,
        limits: Limits {
            max_states: config.max_states,
            // The program's threads and the environment.
            max_threads: stage.reduced.threads.len() + 1,
            timeout: left,
            ..Limits::default()
        },
        ..Options::default()
    }
}

fn judge(
    task: &Task<'_>,
    stage: &Stage,
    tuning: Tuning,
    built: &Built,
    outcome: &Outcome,
    config: &PipelineConfig,
) -> Attempt {
    let abstraction = &built.abstraction;
    let tell = |trace: &Trace| AbstractTrace::new(trace, abstraction, &stage.reduced, task.file);
    let found = match decisive(abstraction, outcome) {
        Decisive::Verified => AttemptOutcome::Verified,
        // Without time for the solver the abstraction says nothing about the predicates.
        _ if is_over(config.deadline) => AttemptOutcome::Limit(StopReason::Timeout),
        Decisive::Broken(property, trace) => {
            AttemptOutcome::Abstraction(property.clone(), tell(trace))
        }
        Decisive::Limit(reason) => AttemptOutcome::Limit(reason),
        Decisive::Overflow(trace) => AttemptOutcome::Overflow(tell(trace)),
    };
    let stats = &outcome.stats;
    Attempt {
        k: shown_bound(stage),
        method: tuning.method,
        sizes: tuning.sizes,
        split: tuning.split != Split::None,
        predicates: built.proof.predicates.len(),
        cubes: match tuning.method {
            Method::Ce => built.proof.cubes.len(),
            Method::Trad | Method::Pe | Method::Lazy => 0,
        },
        effort: abstraction.effort,
        build_time: built.time,
        cubes_used: abstraction.cubes.len(),
        largest_cube: abstraction.largest_cube(),
        states: stats.states,
        memory_bytes: stats.memory_bytes,
        check_time: Duration::from_secs_f64(stats.seconds),
        outcome: found,
    }
}

/// What decides a check.
enum Decisive<'a> {
    Verified,
    Broken(&'a Property, &'a Trace),
    Limit(StopReason),
    Overflow(&'a Trace),
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
                    PropertyKind::Overflow => overflow = overflow.or(Some(trace)),
                }
            }
            Finding::Unknown(Reason::Limit(reached)) => {
                limit = limit.or(Some(match reached {
                    Limit::States | Limit::Threads => StopReason::States,
                    Limit::Timeout | Limit::Cancelled => StopReason::Timeout,
                }));
            }
        }
    }
    match (limit, overflow) {
        (Some(reason), _) => Decisive::Limit(reason),
        (None, Some(trace)) => Decisive::Overflow(trace),
        (None, None) => Decisive::Verified,
    }
}

fn property_of(abstraction: &Abstraction, stmt: ast::StmtId) -> &Property {
    let tag = abstraction.program.stmt(stmt).origin.tag;
    let origin = tag.and_then(|tag| abstraction.origins.get(tag as usize));
    let property = origin.and_then(|origin| origin.property.as_ref());
    property.expect("every assertion is made for a property")
}

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// The cubes over the proof's own predicates that took part in an SC proof, sorted.
fn proof_cubes(proof: &Proof, abstraction: &Abstraction, outcome: &Outcome) -> Vec<Cube> {
    let mut cubes: IndexSet<Cube> = abstraction.condition_cubes.clone();
    cubes.extend(outcome.fired.iter().filter_map(|fired| {
        let expr = fired_disjunct(abstraction, fired)?;
        abstraction.cube(expr)
    }));
    let own = |cube: &Cube| {
        let mut literals = cube.literals().iter();
        literals.all(|literal| literal.predicate.index() < proof.predicates.len())
    };
    cubes.retain(|cube| own(cube) && (2..=PROOF_CUBE_SIZE).contains(&cube.size()));
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
