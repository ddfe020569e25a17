//! `cupola verify`: models, bounds, methods and retries.

use std::ops::RangeInclusive;

use boolprog_checker::Split;
use indexmap::IndexMap;

use super::attempt::{Try, Tuning, is_worth_a_retry, prove, retries};
use super::refute::{self, refute};
use super::replay::Replaying;
use super::{PipelineConfig, PipelineError, Stage, Task, stage};
use crate::model::Model;
use crate::reduce;
use crate::report::{Attempt, AttemptOutcome, Method, ModelResult, Report};

/// The size of the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// From 1 up to a limit, as far as overflows ask for.
    Auto(usize),
    /// The same from a bound below which something overflows for sure.
    Between(usize, usize),
    /// Just this one.
    Fixed(usize),
}

impl Bound {
    /// The same without the sizes below `least`, which are known to be too small; `None` if there
    /// is no other.
    pub fn at_least(self, least: usize) -> Option<Bound> {
        let (first, last) = match self {
            Bound::Auto(most) => (1, most),
            Bound::Between(first, most) => (first, most),
            Bound::Fixed(k) => (k, k),
        };
        let first = first.max(least);
        (first <= last).then_some(Bound::Between(first, last))
    }
}

/// Which methods are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    /// Cube extrapolation where the proof has cubes, predicate extrapolation, retries.
    Auto,
    /// This one, once.
    Only(Method),
}

/// The default of [`VerifyConfig::refute_states`]: seen in a fraction of a second.
pub const REFUTE_STATES: usize = 50_000;

/// What to verify, and how.
#[derive(Clone, Debug)]
pub struct VerifyConfig {
    /// The models.
    pub models: Vec<Model>,
    /// The size of the buffers.
    pub bound: Bound,
    /// The methods.
    pub method: MethodChoice,
    /// The states of the search for a violation before the proof; 0 for none.
    pub refute_states: usize,
    /// What all stages need to know.
    pub pipeline: PipelineConfig,
}

impl VerifyConfig {
    fn is_stopped(&self) -> bool {
        self.pipeline.stop().is_due()
    }
}

/// Verifies a program under some models, if it has a meaning under all of them. First a violation is looked
/// for, under SC and then under each of them. The proof begins with SC: where it fails, no other is tried.
pub fn verify(
    task: &Task<'_>,
    harvested: bool,
    config: &VerifyConfig,
) -> Result<Report, PipelineError> {
    for &model in &config.models {
        reduce::fits(task.checked, model)?;
    }
    let sc = refute(task, Model::Sc, config)?;
    let mut refuted = IndexMap::new();
    for &model in &config.models {
        if let Some(result) = refuted_under(task, model, sc.as_ref(), config)? {
            refuted.insert(model, result);
        }
    }
    let results = match refuted.len() == config.models.len() {
        true => refuted.into_values().collect(),
        false => proved(task, &refuted, config)?,
    };
    Ok(Report {
        program: task.file.name().to_owned(),
        source: task.file.clone(),
        harvested: harvested.then(|| task.predicates()),
        predicates_sc: task.proof.predicates.len(),
        results,
    })
}

/// A violation under a model: the one under SC if there is one, since no fence will help against it.
fn refuted_under(
    task: &Task<'_>,
    model: Model,
    sc: Option<&ModelResult>,
    config: &VerifyConfig,
) -> Result<Option<ModelResult>, PipelineError> {
    let result = match (model, sc) {
        (Model::Sc, sc) => return Ok(sc.cloned()),
        (Model::Tso | Model::Pso, None) => return refute(task, model, config),
        (Model::Tso | Model::Pso, Some(sc)) => untried(task, model, sc, config)?,
    };
    match result.refutation {
        Some(_) => Ok(Some(result)),
        None => refute(task, model, config),
    }
}

/// The results for all models: proofs where no violation was found.
fn proved(
    task: &Task<'_>,
    refuted: &IndexMap<Model, ModelResult>,
    config: &VerifyConfig,
) -> Result<Vec<ModelResult>, PipelineError> {
    let sc = match refuted.get(&Model::Sc) {
        Some(sc) => sc.clone(),
        None => verify_model(task, Model::Sc, config)?,
    };
    let completed;
    let task = if sc.is_verified() && needs_cubes(task, config) {
        completed = prove(task, &config.pipeline)?.proof;
        Task {
            proof: completed.as_ref().unwrap_or(task.proof),
            ..*task
        }
    } else {
        *task
    };
    let mut results = Vec::new();
    for model in &config.models {
        results.push(match (model, refuted.get(model)) {
            (_, Some(result)) => result.clone(),
            (Model::Sc, None) => sc.clone(),
            (Model::Tso | Model::Pso, None) => match sc.is_verified() || config.is_stopped() {
                // Once it is to end, this says for each model that it was not come to.
                true => verify_model(&task, *model, config)?,
                false => untried(&task, *model, &sc, config)?,
            },
        });
    }
    Ok(results)
}

/// Tries bounds from the smallest on; only an overflow leads to the next one.
fn verify_model(
    task: &Task<'_>,
    model: Model,
    config: &VerifyConfig,
) -> Result<ModelResult, PipelineError> {
    let mut result = ModelResult {
        model,
        fences: Vec::new(),
        refutation: None,
        attempts: Vec::new(),
        sc_failed: false,
    };
    let bounds = bounds(model, config.bound);
    let last = *bounds.end();
    for k in bounds {
        let stage = stage(task, model, k, &config.pipeline.placement)?;
        result.fences = stage.fences.iter().cloned().collect();
        result.attempts.extend(try_stage(task, &stage, config)?);
        let overflows = matches!(result.outcome(), Some(AttemptOutcome::Overflow(..)));
        if !overflows || k == last {
            explain(task, &stage, config, &mut result);
            break;
        }
    }
    Ok(result)
}

/// Says of the last try with a path what can be said of it.
fn explain(task: &Task<'_>, stage: &Stage, config: &VerifyConfig, result: &mut ModelResult) {
    if let Some(told) = result.telling() {
        let told = &mut result.attempts[told];
        let replaying = Replaying {
            task,
            stage,
            method: told.method,
            config: &config.pipeline,
        };
        told.outcome = replaying.explained(told.outcome.clone());
    }
}

/// Tries the methods in turn until one verifies the program, overflows, or the time is over.
fn try_stage(
    task: &Task<'_>,
    stage: &Stage,
    config: &VerifyConfig,
) -> Result<Vec<Attempt>, PipelineError> {
    let mut attempts = Vec::new();
    for tuning in tunings(task, stage.model, config) {
        let tried = Try {
            task,
            stage,
            tuning,
            config: &config.pipeline,
        }
        .run()?;
        let go_on = is_worth_a_retry(&tried.outcome);
        attempts.push(tried);
        if !go_on {
            break;
        }
    }
    Ok(attempts)
}

fn bounds(model: Model, bound: Bound) -> RangeInclusive<usize> {
    match (model, bound) {
        (Model::Sc, _) => 1..=1,
        (Model::Tso | Model::Pso, Bound::Auto(most)) => 1..=most,
        (Model::Tso | Model::Pso, Bound::Between(least, most)) => least..=most,
        (Model::Tso | Model::Pso, Bound::Fixed(k)) => k..=k,
    }
}

/// The ways to try, in order. The retries split unknowns, then look for larger cubes.
fn tunings(task: &Task<'_>, model: Model, config: &VerifyConfig) -> Vec<Tuning> {
    let plain = |method| Tuning {
        method,
        sizes: config.pipeline.sizes,
        split: Split::None,
    };
    let (first, searching) = match (model, config.method) {
        (Model::Sc, MethodChoice::Only(Method::Lazy)) => return vec![plain(Method::Lazy)],
        (Model::Sc, _) => (None, Method::Trad),
        (Model::Tso | Model::Pso, MethodChoice::Only(method)) => return vec![plain(method)],
        (Model::Tso | Model::Pso, MethodChoice::Auto) => {
            let has_cubes = task
                .proof
                .cubes
                .as_ref()
                .is_some_and(|cubes| !cubes.is_empty());
            (has_cubes.then_some(Method::Ce), Method::Pe)
        }
    };
    let first = first.map(plain).into_iter();
    first
        .chain(retries(searching, config.pipeline.sizes))
        .collect()
}

fn needs_cubes(task: &Task<'_>, config: &VerifyConfig) -> bool {
    let relaxed = config.models.iter().any(|model| *model != Model::Sc);
    relaxed && task.proof.cubes.is_none() && config.method == MethodChoice::Only(Method::Ce)
}

/// The result for a model that is not tried because SC fails: what breaks the program under SC breaks
/// it here too; without that, the tries under SC are shown.
fn untried(
    task: &Task<'_>,
    model: Model,
    sc: &ModelResult,
    config: &VerifyConfig,
) -> Result<ModelResult, PipelineError> {
    let fences = config.pipeline.placement.in_force(task.checked, model)?;
    let violation = sc.violation();
    let refutation =
        violation.and_then(|found| refute::from_sc(task, (model, &fences), &found.trace));
    Ok(ModelResult {
        model,
        fences: fences.into_iter().collect(),
        refutation,
        attempts: sc.attempts.clone(),
        sc_failed: true,
    })
}
