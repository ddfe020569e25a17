//! A proof under SC for a program whose own predicates do not suffice.

use super::attempt::is_worth_a_retry;
use super::engine::Predicate;
use super::prove::{Proved, prove};
use super::stage::harvested;
use super::{Input, PredicateConfig};
use crate::engine::{Context, EngineError, Task};

/// Verifies a program under SC, with predicates that refinement finds where those of its proof do not suffice, and
/// completes the proof. Where the cubes would be too small for it, the proof has none.
pub fn prove_or_find(
    task: &Task<'_>,
    config: &PredicateConfig,
    context: &Context,
) -> Result<Proved, EngineError> {
    let proof = task.proof.cloned().unwrap_or_else(|| harvested(task));
    let input = Input {
        source: task.source,
        program: task.program,
        proof: &proof,
    };
    let proved = prove(&input, config, context)?;
    if !is_worth_a_retry(&proved.attempt.verdict) || config.refine == 0 {
        return Ok(proved);
    }
    let found = Predicate::new(config.clone()).proof_under_sc(task, context)?;
    let Some((attempt, found)) = found else {
        return Ok(proved);
    };
    let input = Input {
        proof: &found,
        ..input
    };
    let completed = prove(&input, config, context)?;
    Ok(match completed.proof {
        Some(_) => completed,
        None => Proved {
            attempt,
            proof: Some(found),
            stage: proved.stage,
        },
    })
}
