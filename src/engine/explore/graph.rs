//! The states of a program and the steps between them, for small programs that somebody wants to look at.
//!
//! Input: a program, a model, a number of states. Output: a [`StateGraph`], or nothing if there are more states. States
//! that break a property are among them; what follows them is, too.

use std::ops::ControlFlow;

use indexmap::IndexSet;
use itertools::Itertools;

use crate::memory::Model;
use crate::program::{Init, LocId, Program, PropertyId, Range, VarId};
use crate::semantics::machine::{Event, Machine};
use crate::semantics::record::contents;
use crate::semantics::spec::{self, SpecStatus};
use crate::semantics::state::State;
use crate::semantics::{BufferContents, HavocRange, Move};

/// All states of a program.
#[derive(Clone, Debug)]
pub struct StateGraph {
    /// The states; the initial ones come first.
    pub nodes: Vec<StateNode>,
    /// How many of them are initial.
    pub initial: usize,
    /// The steps.
    pub edges: Vec<StateEdge>,
    /// Whether something is not there: values of `*`, stores into buffers that are full, values beyond 64 bits.
    pub is_cut: bool,
}

/// A state.
#[derive(Clone, Debug)]
pub struct StateNode {
    /// Where each thread is.
    pub at: Vec<LocId>,
    /// The value of each variable.
    pub values: Vec<i64>,
    /// The buffers that are not empty.
    pub buffers: Vec<BufferContents>,
    /// The properties of states that it breaks.
    pub broken: Vec<PropertyId>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct StateEdge {
    /// From which state.
    pub from: usize,
    /// The step.
    pub step: Move,
    /// What it leads to.
    pub to: Reached,
}

/// What a step leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A state.
    State(usize),
    /// A broken property.
    Broken(PropertyId),
}

/// The graph of the states of a program, if there are at most `most`; buffers have at most `buffer` entries.
pub fn state_graph(
    program: &Program,
    model: Model,
    (buffer, havoc): (usize, HavocRange),
    most: usize,
) -> Option<StateGraph> {
    let machine = Machine::new(program, model, buffer, havoc);
    let mut states: IndexSet<Vec<u8>> = IndexSet::new();
    let mut graph = StateGraph {
        nodes: Vec::new(),
        initial: 0,
        edges: Vec::new(),
        is_cut: program.vars.iter().any(|var| var.init == Init::Any),
    };
    let mut state = State::initial(program, &machine.buffers);
    let encode = |state: &State| {
        let mut bytes = Vec::new();
        state.encode(&machine.buffers, &mut bytes);
        bytes
    };
    for values in starts(program, havoc) {
        values
            .iter()
            .for_each(|(var, value)| state.set_value(*var, *value));
        state.settle();
        states.insert(encode(&state));
    }
    graph.initial = states.len();
    let mut path = Vec::new();
    while let Some(encoding) = states.get_index(graph.nodes.len()) {
        if states.len() > most {
            return None;
        }
        state.decode(&machine.buffers, encoding);
        let from = graph.nodes.len();
        let node = node(&machine, &state);
        graph.is_cut |= node.is_none();
        graph
            .nodes
            .push(node.unwrap_or_else(|| unjudged(&machine, &state)));
        let _ = machine.expand(&mut state, &mut path, &mut |after, attempt, event| {
            let to = match event {
                Event::Reached => Reached::State(states.insert_full(encode(after)).0),
                Event::Failed(property) => Reached::Broken(property),
                Event::Cut(_) => {
                    graph.is_cut = true;
                    return ControlFlow::Continue(());
                }
            };
            let step = attempt.to_move();
            graph.edges.push(StateEdge { from, step, to });
            ControlFlow::Continue(())
        });
    }
    Some(graph)
}

/// The combinations of values that variables without a fixed one start with.
fn starts(program: &Program, havoc: HavocRange) -> Vec<Vec<(VarId, i64)>> {
    let tried = |init: Init| -> Option<Range> {
        match init {
            Init::Value(_) => None,
            Init::Range(range) => Some(range),
            Init::Any => Some(havoc.range()),
        }
    };
    let vars = program.var_ids().zip(&program.vars);
    let open = vars.filter_map(|(id, var)| Some((id, tried(var.init)?)));
    let values = open.map(|(id, range)| {
        range
            .values()
            .map(move |value| (id, value))
            .collect::<Vec<_>>()
    });
    values.multi_cartesian_product().collect()
}

/// A state with the properties that it breaks; nothing if a value of one does not fit 64 bits.
fn node(machine: &Machine<'_>, state: &State) -> Option<StateNode> {
    let mut node = unjudged(machine, state);
    if machine.holder(state).is_some() {
        return Some(node);
    }
    let is_final = machine.is_final(state);
    for spec in &machine.program.specs {
        match spec::status(spec, state.view(), is_final) {
            SpecStatus::Broken(property) => node.broken.push(property),
            SpecStatus::Holds => {}
            SpecStatus::OutOfI64 => return None,
        }
    }
    Some(node)
}

/// A state without the properties that it breaks.
fn unjudged(machine: &Machine<'_>, state: &State) -> StateNode {
    let threads = machine.program.thread_ids();
    StateNode {
        at: threads.map(|thread| state.at(thread)).collect(),
        values: state.values().to_vec(),
        buffers: contents(machine, state),
        broken: Vec::new(),
    }
}
