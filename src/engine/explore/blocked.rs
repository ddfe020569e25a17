//! Threads that are blocked for ever.
//!
//! A thread is blocked for ever in a state if it has not ended and takes no step in any execution that goes on from there,
//! whatever the others do. A loop that waits takes steps; an `assume` that stays false does not. An atomic block in
//! which an `assume` is false counts as one that cannot be entered yet: an execution that never leaves a
//! section goes nowhere and does not count.
//!
//! While states are expanded, the threads are noted that have no step ([`Suspects`]). Three observations keep them few. Where
//! a thread can flush a store, it is blocked for ever only if it is in the state behind the flush, too; the same holds
//! for states in which another thread holds the atomic section. And a condition over locals, which no other thread
//! changes, stays false. What is left is decided on the finished graph of states ([`blocked`]): from the states in which
//! the thread can step back to those that lead there.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::engine::store::{StateId, Store};
use crate::program::{Action, LocId, Program, Thread, ThreadId};
use crate::semantics::machine::{Attempt, Event, Machine};
use crate::semantics::state::State;
use crate::semantics::trace::MoveKind;

/// The threads without a step, by the states that are expanded.
pub(super) struct Suspects {
    /// The threads whose atomic sections may not be left.
    waits: Vec<bool>,
    /// What the threads did in the state that is expanded.
    did: Vec<Did>,
    /// The states in which threads have no step, in the order in which they were found, by thread and location.
    undecided: BTreeMap<(ThreadId, LocId), Vec<StateId>>,
    /// The first state in which a thread is blocked for ever at a location.
    certain: BTreeMap<(ThreadId, LocId), StateId>,
}

/// What a thread can do in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Did {
    Nothing,
    /// It takes the first step of an atomic section that may not be left.
    Enter,
    Step,
}

impl Suspects {
    pub(super) fn new(program: &Program) -> Self {
        Suspects {
            waits: program.threads.iter().map(waits_in_sections).collect(),
            did: vec![Did::Nothing; program.threads.len()],
            undecided: BTreeMap::new(),
            certain: BTreeMap::new(),
        }
    }

    /// A step was tried in the state that is expanded.
    pub(super) fn see(
        &mut self,
        state: &State,
        attempt: Attempt<'_>,
        event: Event,
        machine: &Machine<'_>,
    ) {
        if attempt.kind != MoveKind::Statement {
            return;
        }
        let thread = attempt.thread;
        let enters = event == Event::Reached
            && self.waits[thread.index()]
            && machine.holder(state) == Some(thread);
        let did = &mut self.did[thread.index()];
        match enters {
            true if *did == Did::Nothing => *did = Did::Enter,
            true => {}
            false => *did = Did::Step,
        }
    }

    /// All steps of a state were tried.
    pub(super) fn expanded(&mut self, state: &State, id: StateId, machine: &Machine<'_>) {
        let free = machine.holder(state).is_none();
        for thread in machine.program.thread_ids() {
            let did = std::mem::replace(&mut self.did[thread.index()], Did::Nothing);
            let graph = &machine.program.threads[thread.index()];
            let at = state.at(thread);
            if !free || did == Did::Step || at == graph.end || !machine.drained(state, thread) {
                continue;
            }
            let place = (thread, at);
            if did == Did::Nothing && stays_false(machine.program, graph, at) {
                self.certain.entry(place).or_insert(id);
            } else {
                self.undecided.entry(place).or_default().push(id);
            }
        }
    }

    /// The bytes that they take up.
    pub(super) fn bytes(&self) -> usize {
        let states = self.undecided.values().map(Vec::capacity);
        states.sum::<usize>() * size_of::<StateId>()
    }

    /// The first state in which a thread is blocked for ever at a location, for each of them. Unless the graph of states is
    /// `finished` only what is certain without it.
    pub(super) fn blocked(
        self,
        machine: &Machine<'_>,
        store: &Store,
        finished: bool,
    ) -> Vec<(ThreadId, LocId, StateId)> {
        let mut found = self.certain;
        if finished {
            let mut sections = Sections::new(machine, store);
            for thread in machine.program.thread_ids() {
                let of_thread = self.undecided.iter().filter(|((id, _), _)| *id == thread);
                let states = of_thread.clone().flat_map(|(_, states)| states);
                let mut graph = Ahead::new(&mut sections, thread, states.copied());
                graph.search();
                for (place, states) in of_thread {
                    let first = states.iter().find(|state| !graph.steps_again(**state));
                    if let Some(&first) = first {
                        let known = found.entry(*place).or_insert(first);
                        *known = first.min(*known);
                    }
                }
            }
        }
        let found = found.into_iter();
        found
            .map(|((thread, at), state)| (thread, at, state))
            .collect()
    }
}

/// Whether an atomic section of a thread may have no way on.
fn waits_in_sections(thread: &Thread) -> bool {
    let held = thread.locations.iter().filter(|location| location.held);
    let mut edges = held.flat_map(|location| &location.edges);
    edges.any(|edge| {
        let waits = matches!(edge.action, Action::Assume(_) | Action::Pop(_));
        waits && edge.branch.is_none()
    })
}

/// Whether what a thread waits for is a condition over its locals that nobody else changes.
fn stays_false(program: &Program, thread: &Thread, at: LocId) -> bool {
    let mut edges = thread.location(at).edges.iter();
    let own = program.fifos.is_empty() && thread.backgrounds.is_empty();
    own && edges.all(|edge| matches!(edge.action, Action::Assume(_)))
}

/// Which states inside atomic sections lead out of them.
struct Sections<'a> {
    machine: &'a Machine<'a>,
    store: &'a Store,
    known: FxHashMap<StateId, bool>,
    state: State,
}

impl<'a> Sections<'a> {
    fn new(machine: &'a Machine<'a>, store: &'a Store) -> Self {
        Sections {
            machine,
            store,
            known: FxHashMap::default(),
            state: State::initial(machine.program, &machine.buffers),
        }
    }

    /// The steps of a state: whose step it is, if it is a statement, and where it leads, if it breaks nothing.
    fn steps(&mut self, id: StateId) -> Vec<(Option<ThreadId>, Option<StateId>)> {
        let (machine, store) = (self.machine, self.store);
        self.state.decode(&machine.buffers, store.encoding(id));
        let mut steps = Vec::new();
        let mut encoding = Vec::new();
        let _ = machine.expand(
            &mut self.state,
            &mut Vec::new(),
            &mut |state, attempt, event| {
                let thread = (attempt.kind == MoveKind::Statement).then_some(attempt.thread);
                let next = (event == Event::Reached).then(|| {
                    state.encode(&machine.buffers, &mut encoding);
                    store.find(&encoding)
                });
                steps.push((thread, next.flatten()));
                ControlFlow::Continue(())
            },
        );
        steps
    }

    fn is_held(&mut self, id: StateId) -> bool {
        self.state
            .decode(&self.machine.buffers, self.store.encoding(id));
        self.machine.holder(&self.state).is_some()
    }

    /// Whether an execution that comes to a state goes on outside atomic sections.
    fn goes_on(&mut self, start: StateId) -> bool {
        if !self.is_held(start) {
            return true;
        }
        if let Some(&known) = self.known.get(&start) {
            return known;
        }
        let mut seen = indexmap::IndexSet::from([start]);
        let mut next = 0;
        let mut leaves = false;
        while let Some(&id) = seen.get_index(next).filter(|_| !leaves) {
            next += 1;
            for (_, to) in self.steps(id) {
                match to {
                    Some(to) if !self.is_held(to) => leaves = true,
                    Some(to) => drop(seen.insert(to)),
                    None => leaves = true,
                }
            }
        }
        match leaves {
            true => drop(self.known.insert(start, true)),
            // None of them has a way out.
            false => self.known.extend(seen.into_iter().map(|id| (id, false))),
        }
        leaves
    }
}

/// The states that follow some states as long as a thread does not step.
struct Ahead<'a, 's> {
    sections: &'s mut Sections<'a>,
    thread: ThreadId,
    /// The states, each with those that lead to it, and whether the thread steps in it or later.
    nodes: IndexMap<StateId, (Vec<usize>, bool)>,
}

impl<'a, 's> Ahead<'a, 's> {
    fn new(
        sections: &'s mut Sections<'a>,
        thread: ThreadId,
        states: impl Iterator<Item = StateId>,
    ) -> Self {
        Ahead {
            sections,
            thread,
            nodes: states.map(|state| (state, (Vec::new(), false))).collect(),
        }
    }

    /// Finds the states ahead, and goes back from those in which the thread steps.
    fn search(&mut self) {
        let mut work = Vec::new();
        let mut next = 0;
        while let Some((&id, _)) = self.nodes.get_index(next) {
            let mut steps = self.sections.steps(id);
            steps.retain(|(_, to)| to.is_none_or(|to| self.sections.goes_on(to)));
            if steps.iter().any(|(thread, _)| *thread == Some(self.thread)) {
                self.nodes[next].1 = true;
                work.push(next);
            } else {
                for to in steps.into_iter().filter_map(|(_, to)| to) {
                    self.nodes.entry(to).or_default().0.push(next);
                }
            }
            next += 1;
        }
        while let Some(node) = work.pop() {
            for before in self.nodes[node].0.clone() {
                if !std::mem::replace(&mut self.nodes[before].1, true) {
                    work.push(before);
                }
            }
        }
    }

    fn steps_again(&self, state: StateId) -> bool {
        self.nodes.get(&state).is_some_and(|(_, steps)| *steps)
    }
}
