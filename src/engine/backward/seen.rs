//! What a bounded exploration sees: the values of shared variables and the locals of threads at their locations.
//!
//! Where the values that threads may make of one another's values have no bound, those that they do make may have one.
//! An exploration with short buffers says which; `unfold` then lets nothing else be, and `bad` has it as a bad state
//! that something else comes about. If that cannot be reached, nothing was left out.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use indexmap::IndexSet;
use itertools::Itertools;

use crate::engine::store::Store;
use crate::memory::Model;
use crate::program::{Init, LocId, Program, VarId};
use crate::run::stop::Stop;
use crate::semantics::HavocRange;
use crate::semantics::machine::{Cut, Event, Machine};
use crate::semantics::state::State;

/// The most states that are explored.
const MAX_STATES: usize = 30_000;

/// The most initial states.
const MAX_INITIAL: usize = 4_096;

/// What was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// By shared variable: its values, in memory and in buffers.
    pub values: Vec<BTreeSet<i64>>,
    /// By thread: locations with the values of its locals.
    pub places: Vec<IndexSet<(LocId, Vec<i64>)>>,
}

/// What an exploration with buffers of this length sees, if it sees everything within that length.
pub(super) fn seen(program: &Program, model: Model, buffer: usize, stop: &Stop) -> Option<Seen> {
    let machine = Machine::new(program, model, buffer, HavocRange::default());
    let mut store = Store::default();
    let mut encoding = Vec::new();
    for state in initial_states(&machine)? {
        state.encode(&machine.buffers, &mut encoding);
        store.insert(&encoding, None);
    }
    let mut state = State::initial(program, &machine.buffers);
    let mut path = Vec::new();
    let mut next = store.first();
    let mut seen = Seen::new(program);
    let mut expanded = 0_usize;
    while let Some(id) = next {
        expanded += 1;
        if expanded.is_multiple_of(512) && stop.should_stop() {
            return None;
        }
        state.decode(&machine.buffers, store.encoding(id));
        seen.add(program, &state);
        let flow = machine.expand(&mut state, &mut path, &mut |state, _, event| match event {
            Event::Reached => {
                state.encode(&machine.buffers, &mut encoding);
                store.insert(&encoding, Some(id));
                match store.len() > MAX_STATES {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            }
            Event::Failed(_) | Event::Cut(Cut::Buffer) => ControlFlow::Continue(()),
            Event::Cut(Cut::Values | Cut::Havoc) => ControlFlow::Break(()),
        });
        if flow.is_break() {
            return None;
        }
        next = store.after(id);
    }
    Some(seen)
}

fn initial_states(machine: &Machine<'_>) -> Option<Vec<State>> {
    let program = machine.program;
    let values = program.vars.iter().map(|var| match var.init {
        Init::Value(value) => Some(vec![value]),
        Init::Range(range) => Some(range.values().take(MAX_INITIAL + 1).collect()),
        Init::Any => None,
    });
    let values = values.collect::<Option<Vec<Vec<i64>>>>()?;
    let count = values
        .iter()
        .try_fold(1_usize, |all, one| all.checked_mul(one.len()))?;
    if count > MAX_INITIAL {
        return None;
    }
    let choices = values.into_iter().multi_cartesian_product();
    let states = choices.map(|values| State::with_values(program, &machine.buffers, &values));
    Some(states.collect())
}

impl Seen {
    fn new(program: &Program) -> Self {
        let shared = program.vars.iter().filter(|var| var.owner.is_none());
        Seen {
            values: vec![BTreeSet::new(); shared.count()],
            places: vec![IndexSet::new(); program.threads.len()],
        }
    }

    fn add(&mut self, program: &Program, state: &State) {
        for (var, values) in self.values.iter_mut().enumerate() {
            values.insert(state.value(VarId::new(var)));
        }
        for entry in state.fifos().iter().flatten() {
            self.values[entry.var.index()].insert(entry.value);
        }
        for thread in program.thread_ids() {
            let own = |id: &VarId| program.vars[id.index()].owner == Some(thread);
            let own = program.var_ids().filter(own);
            let locals = own.map(|var| state.value(var)).collect();
            self.places[thread.index()].insert((state.at(thread), locals));
        }
    }
}
