//! An execution under SC as one under a relaxed model: every store is flushed at once.
//!
//! Input: an execution under SC that breaks a property. Output: the same under TSO or PSO. Buffers are
//! empty wherever a fence or an atomic operation stands, so every placement of fences allows it.
//! Called for models that are weaker than SC, under which the program fails.

use crate::memory::Model;
use crate::program::{Action, Program};

use super::record::replayed;
use super::trace::{Move, Step, Trace};

/// The execution `trace` of SC under `model`; `None` if it is none there.
pub fn as_relaxed_trace(program: &Program, model: Model, trace: &Trace) -> Option<Trace> {
    let moves = trace.steps.iter().flat_map(|step| {
        let flush = match model {
            Model::Sc => None,
            Model::Tso | Model::Pso => flush(program, step),
        };
        std::iter::once(step.action.clone()).chain(flush)
    });
    let relaxed = Trace::from_moves(
        model,
        trace.initial.clone(),
        moves.collect(),
        trace.property,
    );
    replayed(program, model, &relaxed)
}

/// The flush of the store that a step is.
fn flush(program: &Program, step: &Step) -> Option<Move> {
    let taken = step.action.path.first()?;
    let thread = &program.threads[step.action.thread.index()];
    let edge = thread.location(taken.at).edges.get(taken.edge)?;
    let stored = matches!(edge.action, Action::Store(..)).then(|| step.writes.first());
    Some(Move::flush(step.action.thread, stored??.var))
}
