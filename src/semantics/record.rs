//! Runs moves on the machine and records the execution that they are.
//!
//! Input: initial values, moves and the property that they break. Output: a [`Trace`] with what every step read and
//! wrote. [`record`] needs moves that can be taken; [`replayed`] takes any and has the interpreter say first
//! whether they can.

use crate::memory::Model;
use crate::program::{Program, PropertyId};

use super::effects::Effects;
use super::havoc::HavocRange;
use super::interpreter::replay;
use super::machine::Machine;
use super::state::State;
use super::trace::{Access, BufferContents, Move, MoveKind, Step, Trace};

/// The execution with these moves, which can be taken, from these values.
pub(crate) fn record(
    machine: &Machine<'_>,
    initial: &[i64],
    moves: impl IntoIterator<Item = Move>,
    property: Option<PropertyId>,
) -> Trace {
    let mut state = State::with_values(machine.program, &machine.buffers, initial);
    let moves = moves.into_iter();
    let steps = moves.map(|action| record_step(machine, &mut state, action));
    let steps = steps.collect();
    let mut seen = Effects::default();
    if let Some(spec) = property.and_then(|property| machine.program.spec_of(property)) {
        seen.read_cond(&spec.cond, state.view());
    }
    Trace {
        model: machine.model,
        initial: initial.to_vec(),
        steps,
        property,
        seen: seen.reads,
    }
}

/// The same execution with what its steps read and write, if the interpreter confirms it.
pub(crate) fn replayed(program: &Program, model: Model, trace: &Trace) -> Option<Trace> {
    replay(program, model, trace).ok()?;
    let longest_buffer = trace.steps.len();
    let machine = Machine::new(program, model, longest_buffer, HavocRange::default());
    let moves = trace.moves().cloned();
    Some(record(&machine, &trace.initial, moves, trace.property))
}

/// Takes a step and records what it does.
pub(super) fn record_step(machine: &Machine<'_>, state: &mut State, action: Move) -> Step {
    let mut effects = Effects::default();
    if let MoveKind::Flush(var) = action.kind {
        effects.flush(machine, state, action.thread, var);
    }
    for &taken in &action.path {
        let edge = machine.edge(action.thread, taken);
        effects.statement(machine, state, action.thread, edge, taken.value);
    }
    if let (MoveKind::Statement, Some(&taken)) = (action.kind, action.path.first()) {
        let target = machine.edge(action.thread, taken).target;
        state.set_location(action.thread, target);
    }
    Step {
        reads: effects.reads,
        writes: effects.writes,
        buffers: contents(machine, state),
        action,
    }
}

/// The buffers that are not empty.
pub(crate) fn contents(machine: &Machine<'_>, state: &State) -> Vec<BufferContents> {
    let fifos = machine.buffers.fifos().iter().zip(state.fifos());
    let filled = fifos.filter(|(_, entries)| !entries.is_empty());
    let contents = filled.map(|(fifo, entries)| BufferContents {
        thread: fifo.thread,
        entries: entries
            .iter()
            .map(|entry| Access {
                var: entry.var,
                value: entry.value,
            })
            .collect(),
    });
    contents.collect()
}
