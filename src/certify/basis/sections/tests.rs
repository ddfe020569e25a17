//! Random threads with atomic sections, with real store buffers: no state outside the sections is lost.

use std::collections::BTreeSet;

use super::as_updates;
use crate::certify::basis::graph::{Act, Node, Step};
use crate::program::LocId;

/// The nodes of a thread that are inside its section; nodes 0 and those behind are outside.
const INSIDE: std::ops::RangeInclusive<usize> = 1..=4;

/// The number of nodes.
const NODES: usize = 7;

/// A small generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn act(&mut self) -> Act {
        let (var, value) = (self.below(2), self.below(2));
        match self.below(7) {
            0 => Act::Local,
            1 | 2 => Act::Load { var, value },
            3 | 4 => Act::Store { var, value },
            5 => Act::Fence,
            _ => Act::Update {
                held: vec![(var, value)],
                written: vec![(var, self.below(2))],
            },
        }
    }

    /// A thread whose steps lead forwards, and from its ends back to the start.
    fn thread(&mut self) -> Vec<Vec<Step>> {
        let steps = (0..NODES).map(|at| {
            let count = 1 + self.below(2);
            let steps = (0..count).map(|_| Step {
                act: self.act(),
                target: match at {
                    0 => Some(1),
                    _ if self.below(12) == 0 => None,
                    _ => Some((at + 1 + self.below(2)) % NODES),
                },
            });
            steps.collect()
        });
        steps.collect()
    }
}

fn nodes(steps: &[Vec<Step>]) -> Vec<Node<'static>> {
    let nodes = steps.iter().map(|steps| Node {
        at: LocId::new(0),
        locals: &[],
        steps: steps.clone(),
        checks: Vec::new(),
    });
    nodes.collect()
}

/// Where both threads are, `None` if a property was broken; memory, and the store buffers, the oldest store first.
type State = ([Option<usize>; 2], [usize; 2], [Vec<(usize, usize)>; 2]);

/// Buffers are no longer than this.
const LONGEST: usize = 2;

/// The states after a step of a thread, or of memory.
fn after(threads: [&[Node<'_>]; 2], thread: usize, state: &State) -> Vec<State> {
    let (at, memory, buffers) = state;
    let mut found = Vec::new();
    if let Some(&(var, value)) = buffers[thread].first() {
        let mut next = state.clone();
        next.1[var] = value;
        next.2[thread].remove(0);
        found.push(next);
    }
    let here = at[thread].map_or(&[][..], |at| &threads[thread][at].steps);
    for step in here {
        let mut next = state.clone();
        next.0[thread] = step.target;
        let buffer = &buffers[thread];
        let possible = match &step.act {
            Act::Local => true,
            Act::Load { var, value } => {
                let newest = buffer.iter().rev().find(|(of, _)| of == var);
                newest.map_or(memory[*var], |(_, value)| *value) == *value
            }
            Act::Store { var, value } => {
                next.2[thread].push((*var, *value));
                buffer.len() < LONGEST
            }
            Act::Fence => buffer.is_empty(),
            Act::Update { held, written } => {
                for &(var, value) in written {
                    next.1[var] = value;
                }
                buffer.is_empty() && held.iter().all(|&(var, value)| memory[var] == value)
            }
            Act::Write { .. } => false,
        };
        if possible {
            found.push(next);
        }
    }
    found
}

/// The states that are reached; with `sections` no thread steps while another one is inside its section.
fn reached(threads: [&[Node<'_>]; 2], sections: bool) -> BTreeSet<State> {
    let start: State = ([Some(0), Some(0)], [0, 0], [Vec::new(), Vec::new()]);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    let inside = |at: Option<usize>| at.is_some_and(|at| INSIDE.contains(&at));
    while let Some(state) = open.pop() {
        for thread in 0..2 {
            if !(sections && inside(state.0[1 - thread])) {
                let next = after(threads, thread, &state);
                open.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
            }
        }
    }
    seen.retain(|state| !state.0.iter().any(|&at| inside(at)));
    seen
}

#[test]
fn no_state_outside_a_section_is_lost() {
    let mut numbers = Numbers(15);
    let (mut updates, mut exact) = (0, 0);
    for round in 0..400 {
        let steps = [numbers.thread(), numbers.thread()];
        let before = [nodes(&steps[0]), nodes(&steps[1])];
        let mut then = [nodes(&steps[0]), nodes(&steps[1])];
        let inside: Vec<bool> = (0..NODES).map(|at| INSIDE.contains(&at)).collect();
        for nodes in &mut then {
            as_updates(nodes, &inside, &[0]).expect("there are few paths");
        }
        let real = reached([&before[0], &before[1]], true);
        let found = reached([&then[0], &then[1]], false);
        // A thread that broke a property holds no section any more, and others go on.
        let broken = |states: &BTreeSet<State>, thread: usize| {
            states.iter().any(|state| state.0[thread].is_none())
        };
        for thread in 0..2 {
            assert!(
                !broken(&real, thread) || broken(&found, thread),
                "round {round}: {steps:?}"
            );
        }
        let whole = |states: &BTreeSet<State>| -> BTreeSet<State> {
            let whole = states.iter();
            let whole = whole.filter(|state| state.0.iter().all(Option::is_some));
            whole.cloned().collect()
        };
        let (real, found) = (whole(&real), whole(&found));
        let lost: Vec<&State> = real.difference(&found).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?} of {steps:?}");
        let of_first = then[0][0].steps.iter();
        let is_update = |step: &Step| {
            let outside = step.target.is_none_or(|target| !inside[target]);
            outside && matches!(step.act, Act::Update { .. })
        };
        updates += usize::from(of_first.clone().any(is_update));
        exact += usize::from(real == found);
    }
    assert!(
        updates >= 60 && exact >= 200,
        "{updates} updates, {exact} exact"
    );
}
