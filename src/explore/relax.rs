//! An execution under SC as one under a relaxed model: every store is flushed at once.
//!
//! Input: an execution under SC that breaks a property. Output: the same under TSO or PSO. Buffers are
//! empty wherever a fence or an atomic operation stands, so whatever fences are in force let it
//! pass. Called by the pipeline for models that are weaker than one that a program fails under.

use crate::model::Model;
use crate::program::{Action, Program};

use super::trace::{self, Move, MoveKind, Step, Trace};

/// The execution `trace` of SC under `model`, told anew; `None` if it is none there.
pub fn relax(program: &Program, model: Model, trace: &Trace) -> Option<Trace> {
    let moves = trace.steps.iter().flat_map(|step| {
        let flush = match model {
            Model::Sc => None,
            Model::Tso | Model::Pso => flush(program, step),
        };
        std::iter::once(step.action.clone()).chain(flush)
    });
    let relaxed = trace::unseen(trace, moves.collect());
    trace::retold(program, model, &relaxed)
}

/// The flush of the store that a step is.
fn flush(program: &Program, step: &Step) -> Option<Move> {
    let taken = step.action.path.first()?;
    let thread = &program.threads[step.action.thread.index()];
    let edge = thread.location(taken.at).edges.get(taken.edge)?;
    let stored = matches!(edge.action, Action::Store(..)).then(|| step.writes.first());
    Some(Move {
        thread: step.action.thread,
        kind: MoveKind::Flush(stored??.var),
        path: Vec::new(),
    })
}
