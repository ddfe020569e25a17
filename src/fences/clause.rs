//! What an execution says about placements.
//!
//! Input: an execution that breaks a property. Output: its *clause*, the places that some thread
//! passes while its buffers are not empty; `Barrier` of the TACAS 2012 paper, but for every place and
//! not for those between an overtaken store and the load that overtakes it alone, so that it is right
//! for PSO, atomic operations and `atomic` sections too.
//!
//! A flush may come later in the execution than it has to. [`tighten`] tries, place by place, whether
//! the property is still broken if the buffers are flushed before the place is passed: the
//! smaller the clause, the fewer candidates are left.
//!
//! Invariant: the execution is one of every placement that holds no place of its clause. For
//! each step is possible there: a fence is passed with empty buffers, what is no fence is a skip.
//! So a sufficient placement holds a place of every clause, and if the clause is empty there is none.

use std::collections::BTreeSet;

use super::places::{Candidates, PlaceId};
use crate::program::{Action, Program};
use crate::semantics::{MoveKind, Step, Trace, flush_early};
use crate::verdict::Violation;

/// Places of which a sufficient placement must hold at least one.
pub type Clause = BTreeSet<PlaceId>;

/// The clause of an execution of `program`.
pub fn clause(candidates: &Candidates, program: &Program, trace: &Trace) -> Clause {
    let delayed = trace.steps.iter().filter(|step| buffers(step));
    delayed
        .filter_map(|step| passed(candidates, program, step))
        .collect()
}

/// An execution with the same statements and a clause that is as small as earlier flushes make it.
pub fn tighten(candidates: &Candidates, violation: &Violation) -> (Violation, Clause) {
    let program = violation.program();
    let mut violation = violation.clone();
    for place in clause(candidates, program, violation.trace()) {
        let passes = |step: &Step| passed(candidates, program, step) == Some(place);
        let earlier = flush_early(program, violation.model(), violation.trace(), passes);
        let earlier = earlier.and_then(|trace| violation.with_trace(trace).ok());
        violation = earlier.unwrap_or(violation);
    }
    let clause = clause(candidates, program, violation.trace());
    (violation, clause)
}

/// The place that a step passes.
fn passed(candidates: &Candidates, program: &Program, step: &Step) -> Option<PlaceId> {
    if step.action.kind != MoveKind::Statement {
        return None;
    }
    let taken = step.action.path.first()?;
    let thread = &program.threads[step.action.thread.index()];
    let edge = &thread.location(taken.at).edges[taken.edge];
    let is_place = edge.branch.is_none() && matches!(edge.action, Action::Skip | Action::Fence);
    candidates.place_at(edge.span).filter(|_| is_place)
}

/// Whether the buffers of the step's thread are not empty behind the step; a step that passes a
/// place leaves them as they are.
fn buffers(step: &Step) -> bool {
    let mut filled = step.buffers.iter();
    filled.any(|buffer| buffer.thread == step.action.thread)
}
