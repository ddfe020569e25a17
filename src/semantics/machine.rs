//! The machine: which steps a state has and what each does.
//!
//! One table for all three models: `Buffers` says which FIFO, if any, a thread's stores to a variable
//! go through; where there is none they write main memory. Steps change the state in place; the
//! visitor sees it changed, and then the change is taken back.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::memory::Model;
use crate::program::{Action, Edge, LocId, Place, Program, PropertyId, ThreadId, VarId};

use super::buffers::Buffers;
use super::havoc::HavocRange;
use super::state::{Entry, State};
use super::trace::{Move, MoveKind, Taken};

/// A program together with what decides its steps.
pub(crate) struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    /// The memory model.
    pub model: Model,
    /// Its store buffers.
    pub buffers: Buffers,
    /// The longest that each FIFO may get.
    pub buffer_limits: Vec<usize>,
    /// The longest that the program's own FIFOs may get.
    pub fifo_limit: usize,
    /// The values tried for arbitrary ones.
    pub havoc: HavocRange,
}

/// A step that is being tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt<'a> {
    /// Whose step it is.
    pub thread: ThreadId,
    /// What kind of step it is.
    pub kind: MoveKind,
    /// The statements that it runs.
    pub path: &'a [Taken],
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It leads to the state shown.
    Reached,
    /// It breaks a property.
    Failed(PropertyId),
    /// It is not followed, or not in all ways.
    Cut(Cut),
}

/// Why a step is not followed, or not in all ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// A store, or an `append`, met a full FIFO.
    Buffer,
    /// A value did not fit 64 bits.
    Values,
    /// Only the values of a range are tried for an arbitrary one.
    Havoc,
}

/// What became of one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    Done,
    Blocked,
    Failed(PropertyId),
    Cut(Cut),
}

impl<'p> Machine<'p> {
    /// The machine that runs `program` under `model`.
    pub(crate) fn new(
        program: &'p Program,
        model: Model,
        buffer_limit: usize,
        havoc: HavocRange,
    ) -> Self {
        let buffers = Buffers::new(program, model);
        Machine {
            program,
            model,
            buffer_limits: vec![buffer_limit; buffers.fifos().len()],
            buffers,
            fifo_limit: buffer_limit,
            havoc,
        }
    }

    /// The same with other limits for the FIFOs of single variables, which there are under PSO.
    pub(crate) fn with_limits(mut self, limits: &BTreeMap<VarId, usize>) -> Self {
        for (limit, fifo) in self.buffer_limits.iter_mut().zip(self.buffers.fifos()) {
            let own = fifo.var.and_then(|var| limits.get(&var));
            *limit = own.copied().unwrap_or(*limit);
        }
        self
    }
}

impl Machine<'_> {
    /// Shows `visit` every step that `state` has, in a fixed order, until it has seen enough;
    /// `path` is scratch space.
    pub(crate) fn expand(
        &self,
        state: &mut State,
        path: &mut Vec<Taken>,
        visit: &mut impl FnMut(&State, Attempt<'_>, Event) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        path.clear();
        let holder = self.holder(state);
        for thread in self.program.thread_ids() {
            if holder.is_some_and(|holder| holder != thread) {
                continue;
            }
            let at = state.at(thread);
            let mut expansion = Expansion {
                machine: self,
                state: &mut *state,
                path: &mut *path,
                visit: &mut *visit,
                thread,
            };
            expansion.statements(MoveKind::Statement, at)?;
            expansion.flushes()?;
            if holder.is_none() {
                expansion.backgrounds()?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The thread that holds the atomic section.
    pub(crate) fn holder(&self, state: &State) -> Option<ThreadId> {
        let mut threads = self.program.thread_ids();
        threads.find(|&thread| self.location_held(thread, state.at(thread)))
    }

    /// Whether all threads have ended and all buffers are empty.
    pub(crate) fn is_final(&self, state: &State) -> bool {
        let mut threads = self.program.thread_ids();
        threads.all(|thread| state.at(thread) == self.program.threads[thread.index()].end)
            && state.fifos().iter().all(|fifo| fifo.is_empty())
    }

    /// Runs the action of `edge`, with `arbitrary` for `*` or a choice; the thread's location stays.
    pub(crate) fn apply(
        &self,
        state: &mut State,
        thread: ThreadId,
        edge: &Edge,
        arbitrary: Option<i64>,
    ) -> Applied {
        let applied = self.try_apply(state, thread, edge, arbitrary);
        applied.unwrap_or(Applied::Cut(Cut::Values))
    }

    /// The value that a thread's load of a shared variable yields.
    pub(crate) fn load(&self, state: &State, thread: ThreadId, var: VarId) -> i64 {
        let fifo = self.buffers.of_store(thread, var);
        let buffered = fifo.and_then(|fifo| {
            let mut newest_first = state.fifo(fifo).iter().rev();
            newest_first.find(|entry| entry.var == var)
        });
        buffered.map_or_else(|| state.value(var), |entry| entry.value)
    }

    /// The edge that was taken.
    pub(crate) fn edge(&self, thread: ThreadId, taken: Taken) -> &Edge {
        &self.edges(thread, taken.at)[taken.edge]
    }

    fn try_apply(
        &self,
        state: &mut State,
        thread: ThreadId,
        edge: &Edge,
        arbitrary: Option<i64>,
    ) -> Option<Applied> {
        if let Some(bounds) = &edge.bounds
            && !state.view().cond(&bounds.cond)?
        {
            return Some(Applied::Failed(bounds.property));
        }
        let view = state.view();
        match &edge.action {
            Action::Skip => {}
            Action::Assume(cond) if view.cond(cond)? => {}
            Action::Assume(_) => return Some(Applied::Blocked),
            Action::Assert(cond, _) if view.cond(cond)? => {}
            Action::Assert(_, property) => return Some(Applied::Failed(*property)),
            Action::Assign(place, term) => {
                let (var, value) = (view.place(place)?, view.term(term)?);
                state.set_value(var, value);
            }
            Action::Havoc(place) => {
                let value = arbitrary.expect("a step with `*` comes with a value");
                let var = view.place(place)?;
                state.set_value(var, value);
            }
            Action::Choose(place, range) => {
                let (low, high) = range.ends();
                let value = arbitrary.expect("a choice comes with a value");
                if !(low..=high).contains(&value) {
                    return Some(Applied::Blocked);
                }
                let var = view.place(place)?;
                state.set_value(var, value);
            }
            Action::Load(place, source) => {
                let (var, source) = (view.place(place)?, view.place(source)?);
                let value = self.load(state, thread, source);
                state.set_value(var, value);
            }
            Action::Store(place, term) => {
                let (var, value) = (view.place(place)?, view.term(term)?);
                return Some(self.store(state, thread, Entry { var, value }));
            }
            Action::Cas(place, target, expected, new) => {
                return self.update(state, thread, (place, target), |state, old| {
                    match old == state.view().term(expected)? {
                        true => Some((1, state.view().term(new)?)),
                        false => Some((0, old)),
                    }
                });
            }
            Action::Swap(place, target, new) => {
                return self.update(state, thread, (place, target), |state, old| {
                    Some((old, state.view().term(new)?))
                });
            }
            Action::FetchAdd(place, target, difference) => {
                return self.update(state, thread, (place, target), |state, old| {
                    Some((old, old.checked_add(state.view().term(difference)?)?))
                });
            }
            Action::Append(fifo, values) => {
                let values = values.iter().map(|value| view.term(value));
                let entry = values.collect::<Option<Vec<i64>>>()?;
                let limit = i64::try_from(self.fifo_limit).unwrap_or(i64::MAX);
                if state.value(fifo.length) >= limit {
                    return Some(Applied::Cut(Cut::Buffer));
                }
                state.append(fifo, &entry);
            }
            Action::Pop(fifo) => {
                if state.value(fifo.length) == 0 {
                    return Some(Applied::Blocked);
                }
                state.take(fifo);
            }
            Action::Fence if self.drained(state, thread) => {}
            Action::Fence => return Some(Applied::Blocked),
        }
        Some(Applied::Done)
    }

    fn store(&self, state: &mut State, thread: ThreadId, entry: Entry) -> Applied {
        match self.buffers.of_store(thread, entry.var) {
            None => state.set_value(entry.var, entry.value),
            Some(fifo) if state.fifo(fifo).len() >= self.buffer_limits[fifo] => {
                return Applied::Cut(Cut::Buffer);
            }
            Some(fifo) => state.push(fifo, entry),
        }
        Applied::Done
    }

    /// An atomic operation on memory: `change` turns the old value into the result and the new
    /// value.
    fn update(
        &self,
        state: &mut State,
        thread: ThreadId,
        (place, target): (&Place, &Place),
        change: impl Fn(&State, i64) -> Option<(i64, i64)>,
    ) -> Option<Applied> {
        let (var, target) = (state.view().place(place)?, state.view().place(target)?);
        if !self.may_update(state, thread, target) {
            return Some(Applied::Blocked);
        }
        let (result, new) = change(state, state.value(target))?;
        state.set_value(target, new);
        state.set_value(var, result);
        Some(Applied::Done)
    }

    fn may_update(&self, state: &State, thread: ThreadId, target: VarId) -> bool {
        match self.model {
            Model::Sc => true,
            Model::Tso => self.drained(state, thread),
            Model::Pso => {
                let fifo = self.buffers.of_store(thread, target);
                fifo.is_none_or(|fifo| state.fifo(fifo).is_empty())
            }
        }
    }

    /// Whether all stores of a thread have reached memory.
    pub(crate) fn drained(&self, state: &State, thread: ThreadId) -> bool {
        let mut fifos = self.buffers.of_thread(thread);
        fifos.all(|fifo| state.fifo(fifo).is_empty())
    }

    fn edges(&self, thread: ThreadId, at: LocId) -> &[Edge] {
        &self.program.threads[thread.index()].location(at).edges
    }

    fn location_held(&self, thread: ThreadId, at: LocId) -> bool {
        self.program.threads[thread.index()].location(at).held
    }
}

impl Attempt<'_> {
    /// The step as a value of its own.
    pub(crate) fn to_move(self) -> Move {
        Move {
            thread: self.thread,
            kind: self.kind,
            path: self.path.to_vec(),
        }
    }
}

/// The steps of one thread in one state.
struct Expansion<'a, 'p, V> {
    machine: &'a Machine<'p>,
    state: &'a mut State,
    path: &'a mut Vec<Taken>,
    visit: &'a mut V,
    thread: ThreadId,
}

impl<V: FnMut(&State, Attempt<'_>, Event) -> ControlFlow<()>> Expansion<'_, '_, V> {
    /// Tries the statements at `at`, with every value in range for an arbitrary or chosen one.
    fn statements(&mut self, kind: MoveKind, at: LocId) -> ControlFlow<()> {
        let machine = self.machine;
        for (index, edge) in machine.edges(self.thread, at).iter().enumerate() {
            let taken = |value| Taken {
                at,
                edge: index,
                value,
            };
            match &edge.action {
                Action::Havoc(_) => {
                    for value in machine.havoc.values() {
                        self.show(kind, Event::Cut(Cut::Havoc))?;
                        self.statement(kind, edge, taken(Some(value)))?;
                    }
                }
                Action::Choose(_, range) => {
                    for value in range.values() {
                        self.statement(kind, edge, taken(Some(value)))?;
                    }
                }
                Action::Skip
                | Action::Assume(_)
                | Action::Assert(..)
                | Action::Assign(..)
                | Action::Load(..)
                | Action::Store(..)
                | Action::Cas(..)
                | Action::Swap(..)
                | Action::FetchAdd(..)
                | Action::Append(..)
                | Action::Pop(_)
                | Action::Fence => self.statement(kind, edge, taken(None))?,
            }
        }
        ControlFlow::Continue(())
    }

    fn statement(&mut self, kind: MoveKind, edge: &Edge, taken: Taken) -> ControlFlow<()> {
        let mark = self.state.mark();
        self.path.push(taken);
        let flow = match self
            .machine
            .apply(self.state, self.thread, edge, taken.value)
        {
            Applied::Done => self.arrive(kind, edge.target),
            Applied::Blocked => ControlFlow::Continue(()),
            Applied::Failed(property) => self.show(kind, Event::Failed(property)),
            Applied::Cut(cut) => self.show(kind, Event::Cut(cut)),
        };
        self.path.pop();
        self.state.undo(mark);
        flow
    }

    /// Control has come to `target`: a background block runs on until it ends.
    fn arrive(&mut self, kind: MoveKind, target: LocId) -> ControlFlow<()> {
        match kind {
            MoveKind::Statement => {
                self.state.set_location(self.thread, target);
                self.show(kind, Event::Reached)
            }
            MoveKind::Background(_) if target == self.end() => self.show(kind, Event::Reached),
            MoveKind::Background(_) => self.statements(kind, target),
            MoveKind::Flush(_) => unreachable!("a flush runs no statement"),
        }
    }

    fn flushes(&mut self) -> ControlFlow<()> {
        for fifo in self.machine.buffers.of_thread(self.thread) {
            let mark = self.state.mark();
            let Some(entry) = self.state.pop(fifo) else {
                continue;
            };
            self.state.set_value(entry.var, entry.value);
            let flow = self.show(MoveKind::Flush(entry.var), Event::Reached);
            self.state.undo(mark);
            flow?;
        }
        ControlFlow::Continue(())
    }

    fn backgrounds(&mut self) -> ControlFlow<()> {
        let thread = &self.machine.program.threads[self.thread.index()];
        for (index, background) in thread.backgrounds.iter().enumerate() {
            self.statements(MoveKind::Background(index), background.entry)?;
        }
        ControlFlow::Continue(())
    }

    fn end(&self) -> LocId {
        self.machine.program.threads[self.thread.index()].end
    }

    fn show(&mut self, kind: MoveKind, event: Event) -> ControlFlow<()> {
        let attempt = Attempt {
            thread: self.thread,
            kind,
            path: self.path,
        };
        (self.visit)(self.state, attempt, event)
    }
}
