//! The execution that led to a state.
//!
//! The search keeps only the parent of each state. The step between a state and its child is found again by
//! expanding the state.

use std::ops::ControlFlow;

use crate::semantics::machine::{Event, Machine};
use crate::semantics::state::State;
use crate::semantics::trace::Move;

/// The values at the start and the moves of an execution through the states with these encodings.
pub(super) fn moves(machine: &Machine<'_>, encodings: &[&[u8]]) -> (Vec<i64>, Vec<Move>) {
    let mut state = State::initial(machine.program, &machine.buffers);
    state.decode(&machine.buffers, encodings[0]);
    let initial = state.values().to_vec();
    let pairs = encodings.windows(2);
    let moves = pairs.map(|pair| {
        state.decode(&machine.buffers, pair[0]);
        move_between(machine, &mut state, pair[1])
    });
    (initial, moves.collect())
}

/// The first step of `state` that leads to the state encoded as `target`.
fn move_between(machine: &Machine<'_>, state: &mut State, target: &[u8]) -> Move {
    let mut found = None;
    let mut encoding = Vec::new();
    let _ = machine.expand(state, &mut Vec::new(), &mut |state, attempt, event| {
        if event != Event::Reached {
            return ControlFlow::Continue(());
        }
        state.encode(&machine.buffers, &mut encoding);
        if encoding != target {
            return ControlFlow::Continue(());
        }
        found = Some(attempt.to_move());
        ControlFlow::Break(())
    });
    found.expect("a state is reached from its parent by a step")
}
