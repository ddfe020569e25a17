//! Bounded refutation: a short search of the exact semantics before any proof.
//!
//! Input: a program, a model, a number of states. Output: a violation, or nothing, which says nothing. The
//! explorer goes breadth first through executions with real store buffers, so what is broken in a few
//! steps is told at once. That it saw everything is no proof here: a verdict `Verified` comes from
//! the pipeline alone.

use indexmap::IndexSet;

use super::{PipelineError, Task, VerifyConfig};
use crate::explore::{self, ExploreConfig, Trace, Verdict};
use crate::model::Model;
use crate::program;
use crate::report::{FoundBy, ModelResult, Violation};

/// Looks for a violation under a model within the states that the configuration allows.
pub(super) fn refute(
    task: &Task<'_>,
    model: Model,
    config: &VerifyConfig,
) -> Result<Option<ModelResult>, PipelineError> {
    if config.refute_states == 0 {
        return Ok(None);
    }
    let fences = config.pipeline.placement.in_force(task.checked, model)?;
    let program = program::lower(task.checked, &fences);
    let looking = format!("{model}, looking for a violation");
    config.pipeline.progress.begin(looking);
    let limits = ExploreConfig {
        max_states: config.refute_states,
        timeout: config.pipeline.stop().remaining(),
        cancel: config.pipeline.cancel.clone(),
        progress: Some(config.pipeline.progress.states()),
        ..ExploreConfig::default()
    };
    // A program that cannot be explored under the model is refused by the reduction.
    let Ok(exploration) = explore::explore(&program, model, &limits) else {
        return Ok(None);
    };
    let (Verdict::Violated, Some(trace)) = (exploration.verdict, exploration.trace) else {
        return Ok(None);
    };
    let found_by = FoundBy::Refutation {
        states: exploration.states,
        memory_bytes: exploration.bytes,
        time: exploration.time,
    };
    Ok(Some(ModelResult {
        model,
        fences: fences.into_iter().collect(),
        refutation: Some(Violation::new(found_by, program, trace)),
        attempts: Vec::new(),
        sc_failed: false,
    }))
}

/// The violation under a relaxed model that one under SC is.
pub(super) fn from_sc(
    task: &Task<'_>,
    (model, fences): (Model, &IndexSet<String>),
    trace: &Trace,
) -> Option<Violation> {
    let program = program::lower(task.checked, fences);
    let trace = explore::relax(&program, model, trace)?;
    Some(Violation::new(FoundBy::Sc, program, trace))
}
