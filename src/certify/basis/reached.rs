//! The check of the forward invariant of a basis.

use indexmap::IndexMap;
use itertools::Itertools;

use super::graph::{Act, Graph};
use crate::certificate::{BasisTable, Reached};
use crate::memory::Model;

/// The most initial states.
const MAX_INITIAL: usize = 100_000;

/// Checks that the lines of an invariant, if there are any, have all initial states and are closed under steps.
pub(super) fn check(graph: &Graph<'_>, table: &BasisTable) -> Result<(), String> {
    if table.invariant.is_empty() {
        return Ok(());
    }
    let mut lines: IndexMap<(&[usize], &[usize]), &Reached> = IndexMap::new();
    for (number, line) in table.invariant.iter().enumerate() {
        if !has_shape(graph, line) {
            let number = number + 1;
            return Err(format!(
                "line {number} of the invariant has not the shape of the program"
            ));
        }
        if lines.insert((&line.at, &line.memory), line).is_some() {
            return Err(format!(
                "line {} of the invariant repeats another",
                number + 1
            ));
        }
    }
    let is_inside = |state: &Reached| {
        let line = lines.get(&(state.at.as_slice(), state.memory.as_slice()));
        line.is_some_and(|line| is_part(&state.sent, &line.sent) && is_part(&state.own, &line.own))
    };
    for state in initial(graph)? {
        if !is_inside(&state) {
            return Err("an initial state is not in the invariant".to_owned());
        }
    }
    for (number, line) in table.invariant.iter().enumerate() {
        if !is_inside(&sent(graph, line.clone())) {
            let number = number + 1;
            return Err(format!(
                "a message of memory leads from line {number} out of the invariant"
            ));
        }
        for (thread, after) in successors(graph, line) {
            if !is_inside(&after) {
                let (number, name) = (number + 1, graph.name(thread));
                return Err(format!(
                    "a step of {name} leads from line {number} out of the invariant"
                ));
            }
        }
    }
    Ok(())
}

fn has_shape(graph: &Graph<'_>, line: &Reached) -> bool {
    let threads = graph.threads.len();
    let rows = |rows: &[Vec<u64>]| {
        rows.len() == threads && rows.iter().all(|row| row.len() == graph.vars())
    };
    let mut at = line.at.iter().zip(&graph.threads);
    let mut memory = line.memory.iter().zip(&graph.values);
    line.at.len() == threads
        && line.memory.len() == graph.vars()
        && rows(&line.sent)
        && rows(&line.own)
        && at.all(|(at, thread)| *at < thread.nodes.len())
        && memory.all(|(value, values)| *value < values.len())
}

fn is_part(rows: &[Vec<u64>], larger: &[Vec<u64>]) -> bool {
    let mut masks = rows.iter().flatten().zip(larger.iter().flatten());
    masks.all(|(mask, larger)| mask & !larger == 0)
}

fn initial(graph: &Graph<'_>) -> Result<Vec<Reached>, String> {
    let bits = |mask: u64| (0..64).filter(move |bit| mask >> bit & 1 == 1);
    let memory = graph
        .initial
        .iter()
        .map(|&mask| bits(mask).collect::<Vec<usize>>());
    let at = graph.threads.iter().map(|thread| thread.entries.clone());
    let (memory, at): (Vec<_>, Vec<_>) = (memory.collect(), at.collect());
    let mut sizes = memory.iter().chain(&at).map(Vec::len);
    let count = sizes.try_fold(1_usize, |all, one| all.checked_mul(one));
    if count.is_none_or(|count| count > MAX_INITIAL) {
        return Err("there are too many initial states".to_owned());
    }
    let at = at.into_iter().multi_cartesian_product();
    let memory = memory.into_iter().multi_cartesian_product();
    let states = at.cartesian_product(memory.collect::<Vec<_>>());
    let nothing = vec![vec![0; graph.vars()]; graph.threads.len()];
    let states = states.map(|(at, memory)| {
        sent(
            graph,
            Reached {
                at,
                memory,
                sent: nothing.clone(),
                own: nothing.clone(),
            },
        )
    });
    Ok(states.collect())
}

/// Under TSO memory may have sent all that it holds.
fn sent(graph: &Graph<'_>, mut state: Reached) -> Reached {
    if graph.model == Model::Tso {
        for row in &mut state.sent {
            for (mask, value) in row.iter_mut().zip(&state.memory) {
                *mask |= 1 << value;
            }
        }
    }
    state
}

/// The states after each step that breaks no property, and whose step it is.
fn successors(graph: &Graph<'_>, line: &Reached) -> Vec<(usize, Reached)> {
    let threads = 0..graph.threads.len();
    let holder = threads
        .clone()
        .find(|&thread| graph.held(thread, line.at[thread]));
    let mut found = Vec::new();
    for thread in threads.filter(|&thread| holder.is_none_or(|holder| holder == thread)) {
        for step in &graph.threads[thread].nodes[line.at[thread]].steps {
            let Some(target) = step.target else { continue };
            let mut after = line.clone();
            after.at[thread] = target;
            if take(graph.model, &mut after, thread, &step.act) {
                found.push((thread, sent(graph, after)));
            }
        }
        if graph.model == Model::Pso {
            for (var, &own) in line.own[thread].iter().enumerate() {
                for value in (0..64).filter(|bit| own >> bit & 1 == 1) {
                    let mut after = line.clone();
                    after.memory[var] = value;
                    found.push((thread, after));
                }
            }
        }
    }
    found
}

/// Takes a step; whether it is possible.
fn take(model: Model, state: &mut Reached, thread: usize, act: &Act) -> bool {
    let (sent, own) = (&mut state.sent[thread], &mut state.own[thread]);
    match act {
        Act::Local => true,
        Act::Fence => {
            sent.fill(0);
            own.fill(0);
            true
        }
        &Act::Write { var, value } => {
            state.memory[var] = value;
            true
        }
        &Act::Store { var, value } => {
            match model {
                Model::Tso => {
                    state.memory[var] = value;
                    own[var] = 1 << value;
                }
                Model::Sc | Model::Pso => own[var] |= 1 << value,
            }
            true
        }
        Act::Update { held, written } => {
            if model == Model::Tso {
                sent.fill(0);
                own.fill(0);
            } else {
                act.vars().into_iter().for_each(|var| own[var] = 0);
            }
            let mut values = held.iter();
            let possible = values.all(|&(var, value)| state.memory[var] == value);
            for &(var, value) in written {
                state.memory[var] = value;
            }
            possible
        }
        &Act::Load { var, value } => match model {
            Model::Tso => {
                own[var] &= 1 << value;
                own[var] != 0 || sent[var] >> value & 1 == 1
            }
            Model::Sc | Model::Pso => {
                let from_own = own[var] >> value & 1 == 1;
                if !from_own {
                    own[var] = 0;
                }
                from_own || state.memory[var] == value
            }
        },
    }
}
