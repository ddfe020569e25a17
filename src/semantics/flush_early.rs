//! An execution with some of its flushes earlier.
//!
//! Input: an execution that breaks a property, and the steps before which the thread that takes
//! them should have empty buffers. Output: an execution with the same statements that breaks the same
//! property and flushes everything before these steps, if there is one in this order. Called by the
//! search for fences, which asks which delays an execution needs.

use std::collections::BTreeMap;

use crate::memory::Model;
use crate::program::{Program, ThreadId, VarId};

use super::record::replayed;
use super::trace::{Move, MoveKind, Step, Trace};

/// The execution `trace` with the buffers of a thread flushed before each of its steps that is
/// `wanted`; `None` if it is none any more, or breaks the property no more.
pub fn flush_early(
    program: &Program,
    model: Model,
    trace: &Trace,
    wanted: impl Fn(&Step) -> bool,
) -> Option<Trace> {
    let moves = moves(model, trace, wanted);
    let flushed = Trace::from_moves(model, trace.initial.clone(), moves, trace.property);
    replayed(program, model, &flushed)
}

/// The moves in their new order.
fn moves(model: Model, trace: &Trace, wanted: impl Fn(&Step) -> bool) -> Vec<Move> {
    // How many stores of a FIFO have been flushed that the trace flushes later.
    let mut early: BTreeMap<(ThreadId, Option<VarId>), usize> = BTreeMap::new();
    let fifo = |thread, var| (thread, (model == Model::Pso).then_some(var));
    let mut moves = Vec::new();
    for step in &trace.steps {
        let thread = step.action.thread;
        if let MoveKind::Flush(var) = step.action.kind {
            let ahead = early.entry(fifo(thread, var)).or_default();
            if *ahead > 0 {
                *ahead -= 1;
                continue;
            }
        } else if wanted(step) {
            for buffer in step.buffers.iter().filter(|buffer| buffer.thread == thread) {
                let ahead = early
                    .entry(fifo(thread, buffer.entries[0].var))
                    .or_default();
                let waiting = &buffer.entries[*ahead..];
                moves.extend(waiting.iter().map(|entry| Move::flush(thread, entry.var)));
                *ahead = buffer.entries.len();
            }
        }
        moves.push(step.action.clone());
    }
    moves
}
