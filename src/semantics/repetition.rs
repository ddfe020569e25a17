//! Parts of an execution that can be repeated for ever, each time with longer buffers.
//!
//! Input: an execution. Output: where such a part begins and ends. The states come from the independent interpreter.
//!
//! Let `before` and `after` be the states around some steps. The steps can be repeated for ever if
//!
//! 1. locations and memory (with the locals) are the same in both;
//! 2. each buffer is the same in both, or in `after` it is the one of `before` with more entries at its newest end, and
//!    none of the steps takes an entry out of it;
//! 3. the newest entry for each variable in each buffer is the same in both, or missing in both.
//!
//! Why: run the steps again from `after`, and compare with the first run step by step. Locations and memory are the same
//! at first, and stay so. A buffer of the first kind is the same. One of the second kind only gets entries; by 3 it is not
//! empty in `before` either, since what was added is newest for its variable, so fences and atomic operations that wait
//! for it block in both runs, that is, the steps have none. A load of a variable reads what these steps have stored,
//! the same in both runs, or else the newest entry at their beginning, the same by 3. So every step is possible again and
//! writes the same values, and the state at the end differs from `after` as `after` differs from `before`.

use std::collections::VecDeque;

use super::interpreter::{BufferKey, Consequence, Interpreter, PlainState, ReplayError};
use super::trace::{Move, MoveKind, Trace};
use crate::memory::Model;
use crate::program::{Program, VarId};

/// Confirms that the steps of `trace` from number `from` on can be repeated for ever and make a buffer longer each time.
pub fn repeats(program: &Program, trace: &Trace, from: usize) -> Result<(), ReplayError> {
    let states = states(program, trace)?;
    let before = states.get(from).ok_or(ReplayError::Property)?;
    let after = &states[trace.steps.len()];
    let grows = grows(
        trace.model,
        (before, after),
        moves(trace, from, trace.steps.len()),
    );
    grows.then_some(()).ok_or(ReplayError::Property)
}

/// The first place where a part ends that can be repeated for ever, and where the part begins: the shortest one.
pub fn repetition(program: &Program, trace: &Trace) -> Option<(usize, usize)> {
    let states = states(program, trace).ok()?;
    let ends = 1..states.len();
    let parts = ends.flat_map(|end| (0..end).rev().map(move |start| (start, end)));
    let mut parts = parts.filter(|&(start, end)| {
        let pair = (&states[start], &states[end]);
        grows(trace.model, pair, moves(trace, start, end))
    });
    parts.next()
}

/// The states before the first step and behind each step.
fn states(program: &Program, trace: &Trace) -> Result<Vec<PlainState>, ReplayError> {
    let interpreter = Interpreter {
        program,
        model: trace.model,
    };
    let start = interpreter.start(&trace.initial);
    let mut states = vec![start.ok_or(ReplayError::Start)?];
    for (number, step) in trace.steps.iter().enumerate() {
        match interpreter.run(&states[number], &step.action) {
            Consequence::State(state) => states.push(state),
            Consequence::Broken(_) | Consequence::Impossible => {
                return Err(ReplayError::Step(number));
            }
        }
    }
    Ok(states)
}

fn moves(trace: &Trace, start: usize, end: usize) -> impl Iterator<Item = &Move> {
    trace.steps[start..end].iter().map(|step| &step.action)
}

/// Whether the steps between two states can be repeated for ever, with a longer buffer each time.
fn grows<'a>(
    model: Model,
    (before, after): (&PlainState, &PlainState),
    moves: impl Iterator<Item = &'a Move>,
) -> bool {
    if before.at != after.at || before.memory != after.memory || before.buffers == after.buffers {
        return false;
    }
    let flushed: Vec<BufferKey> = moves.filter_map(|step| flushed(model, step)).collect();
    let empty = VecDeque::new();
    let mut keys = before.buffers.keys().chain(after.buffers.keys());
    keys.all(|key| {
        let old = before.buffers.get(key).unwrap_or(&empty);
        let new = after.buffers.get(key).unwrap_or(&empty);
        let extended = new.len() > old.len()
            && new.iter().zip(old).all(|(new, old)| new == old)
            && !flushed.contains(key);
        (old == new || extended)
            && new
                .iter()
                .all(|(var, _)| newest(old, *var) == newest(new, *var))
    })
}

/// The buffer that a step takes an entry out of.
fn flushed(model: Model, step: &Move) -> Option<BufferKey> {
    let MoveKind::Flush(var) = step.kind else {
        return None;
    };
    Some((step.thread, (model == Model::Pso).then_some(var)))
}

fn newest(buffer: &VecDeque<(VarId, i128)>, var: VarId) -> Option<i128> {
    let newest = buffer.iter().rfind(|(other, _)| *other == var);
    newest.map(|&(_, value)| value)
}
