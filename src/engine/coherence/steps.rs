//! The steps of abstract states.
//!
//! Statements do what they do in the exact semantics (`semantics::machine`) but for what touches a store buffer, where a rule
//! of [`Rules`] says what happens. Which thread may move is decided as there: while a thread is inside an atomic section, only
//! its own statements and flushes are.

use std::ops::ControlFlow;

use super::buffer::{self, Flush, FlushRule, Mask, Rules};
use super::layout::{Entry, Layout, Waits};
use super::state::State;
use crate::memory::Model;
use crate::program::{Action, Edge, EdgeId, LocId, Place, Program, PropertyId, ThreadId, VarId};

/// A program with its abstract buffers.
pub(crate) struct System<'p, R> {
    /// The program: finite data, no FIFOs, no background blocks.
    pub program: &'p Program,
    /// The memory model.
    pub model: Model,
    /// Its buffers.
    pub layout: Layout,
    /// The rules.
    pub rules: R,
}

/// A step of an abstract state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A statement.
    Statement {
        /// The edge of the program.
        edge: EdgeId,
        /// The value of a choice.
        value: Option<i64>,
    },
    /// A store reaches memory.
    Flush {
        /// The thread whose store it is.
        thread: ThreadId,
        /// The variable.
        var: VarId,
        /// The value.
        value: i64,
        /// The statement that stored it, where labels are kept.
        label: Option<EdgeId>,
        /// The rule.
        rule: FlushRule,
    },
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It leads to the state shown.
    Reached,
    /// It breaks a property.
    Failed(PropertyId),
    /// A value does not fit 64 bits, or there are too many for a set: it is not followed.
    TooManyValues,
}

impl Step {
    /// The thread that takes it.
    pub(crate) fn thread(&self) -> ThreadId {
        match self {
            Step::Statement { edge, .. } => edge.thread,
            Step::Flush { thread, .. } => *thread,
        }
    }
}

/// Sees the steps of a state: the buffers, the state after the step, which step it is, and what became of it.
pub(crate) type Visit<'a> = dyn FnMut(&Layout, &State, &Step, Event) -> ControlFlow<()> + 'a;

impl<R: Rules> System<'_, R> {
    /// Shows every step that `state` has, in a fixed order, until enough was seen; afterwards the state is as before.
    pub(crate) fn expand(&mut self, state: &mut State, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let program = self.program;
        let holder = state.holder(program);
        let mut threads = program.thread_ids();
        threads.try_for_each(|thread| {
            if holder.is_some_and(|holder| holder != thread) {
                return ControlFlow::Continue(());
            }
            self.statements(state, thread, visit)?;
            self.flushes(state, thread, visit)
        })
    }

    fn statements(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let at = state.at(thread);
        let edges = &self.program.threads[thread.index()].location(at).edges;
        for (number, edge) in edges.iter().enumerate() {
            let id = EdgeId { thread, at, number };
            let mut take = Take {
                system: &mut *self,
                state: &mut *state,
                visit: &mut *visit,
                id,
                edge,
                value: None,
            };
            match &edge.action {
                Action::Choose(_, range) => {
                    for value in range.values() {
                        take.value = Some(value);
                        take.statement()?;
                    }
                }
                _ => take.statement()?,
            }
        }
        ControlFlow::Continue(())
    }

    fn flushes(
        &mut self,
        state: &mut State,
        thread: ThreadId,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        for buffer in self.layout.of_thread(thread) {
            for flush in buffer::flushes(&self.rules, &state.buffers[buffer]) {
                self.flush(state, (thread, buffer), flush, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn flush(
        &self,
        state: &mut State,
        (thread, buffer): (ThreadId, usize),
        flush: Flush,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let waits = Waits {
            buffer,
            slot: flush.slot,
        };
        let (var, rule) = (self.layout.var(waits), flush.rule);
        let Entry { value, label } = self.layout.entry(waits, flush.entry);
        let old_buffer = std::mem::replace(&mut state.buffers[buffer], flush.left);
        let old_value = std::mem::replace(&mut state.values[var.index()], value);
        let step = Step::Flush {
            thread,
            var,
            value,
            label,
            rule,
        };
        let flow = visit(&self.layout, state, &step, Event::Reached);
        state.values[var.index()] = old_value;
        state.buffers[buffer] = old_buffer;
        flow
    }

    /// CAS-T and CAS-F have `emp(x)` for a premise under PSO; under TSO an atomic operation waits for the whole buffer, as a
    /// fence does.
    fn may_update(&self, state: &State, thread: ThreadId, target: VarId) -> bool {
        match (self.model, self.layout.of_store(thread, target)) {
            (Model::Sc, _) | (Model::Pso, None) => true,
            (Model::Tso, _) => self.drained(state, thread),
            (Model::Pso, Some(waits)) => self.rules.emp(&state.buffers[waits.buffer], waits.slot),
        }
    }

    /// The premise of FENCE.
    fn drained(&self, state: &State, thread: ThreadId) -> bool {
        let mut buffers = self.layout.of_thread(thread);
        buffers.all(|buffer| self.rules.fence(&state.buffers[buffer]))
    }
}

/// A statement that is being tried.
struct Take<'a, 'p, 'v, R> {
    system: &'a mut System<'p, R>,
    state: &'a mut State,
    visit: &'a mut Visit<'v>,
    id: EdgeId,
    edge: &'p Edge,
    /// The value of a choice.
    value: Option<i64>,
}

impl<R: Rules> Take<'_, '_, '_, R> {
    fn statement(&mut self) -> ControlFlow<()> {
        let flow = self.try_statement();
        flow.unwrap_or_else(|| self.show(Event::TooManyValues))
    }

    /// Takes the statement; `None` if a value does not fit.
    fn try_statement(&mut self) -> Option<ControlFlow<()>> {
        let view = self.state.view();
        if let Some(bounds) = &self.edge.bounds
            && !view.cond(&bounds.cond)?
        {
            return Some(self.show(Event::Failed(bounds.property)));
        }
        let edge = self.edge;
        Some(match &edge.action {
            Action::Skip => self.arrive(),
            Action::Assume(cond) if view.cond(cond)? => self.arrive(),
            Action::Assume(_) => ControlFlow::Continue(()),
            Action::Assert(cond, _) if view.cond(cond)? => self.arrive(),
            Action::Assert(_, property) => self.show(Event::Failed(*property)),
            Action::Assign(place, term) => {
                let (var, value) = (view.place(place)?, view.term(term)?);
                self.set(var, value)
            }
            Action::Choose(place, _) => {
                let var = view.place(place)?;
                self.set(var, self.value?)
            }
            Action::Load(place, source) => {
                let (var, source) = (view.place(place)?, view.place(source)?);
                self.load(var, source)
            }
            Action::Store(place, term) => {
                let (var, value) = (view.place(place)?, view.term(term)?);
                self.store(var, value)?
            }
            Action::Cas(_, target, ..)
            | Action::Swap(_, target, _)
            | Action::FetchAdd(_, target, _)
                if !self.may_update(target)? =>
            {
                ControlFlow::Continue(())
            }
            Action::Cas(place, target, expected, new) => {
                let old = self.state.value(view.place(target)?);
                let (result, new) = match old == view.term(expected)? {
                    true => (1, view.term(new)?),
                    false => (0, old),
                };
                self.update((place, target), result, new)?
            }
            Action::Swap(place, target, new) => {
                let (old, new) = (self.state.value(view.place(target)?), view.term(new)?);
                self.update((place, target), old, new)?
            }
            Action::FetchAdd(place, target, difference) => {
                let old = self.state.value(view.place(target)?);
                let new = old.checked_add(view.term(difference)?)?;
                self.update((place, target), old, new)?
            }
            Action::Fence if self.system.drained(self.state, self.id.thread) => self.arrive(),
            Action::Fence => ControlFlow::Continue(()),
            Action::Havoc(_) | Action::Append(..) | Action::Pop(_) => return None,
        })
    }

    /// LOAD-B and LOAD-G.
    fn load(&mut self, var: VarId, source: VarId) -> ControlFlow<()> {
        let memory = self.state.value(source);
        let Some(waits) = self.system.layout.of_store(self.id.thread, source) else {
            return self.set(var, memory);
        };
        let buffer = &self.state.buffers[waits.buffer];
        let own: Option<Mask> = self.system.rules.load_b(buffer, waits.slot);
        let memory = self
            .system
            .rules
            .load_g(buffer, waits.slot)
            .then_some(memory);
        let own = buffer::entries(own.unwrap_or(0));
        let own = own.map(|entry| self.system.layout.entry(waits, entry).value);
        let mut values: Vec<i64> = own.chain(memory).collect();
        values.sort_unstable();
        values.dedup();
        values
            .into_iter()
            .try_for_each(|value| self.set(var, value))
    }

    /// STORE-H or STORE-S; without buffers the store is in memory at once. `None` if there are too many values.
    fn store(&mut self, var: VarId, value: i64) -> Option<ControlFlow<()>> {
        let Some(waits) = self.system.layout.of_store(self.id.thread, var) else {
            return Some(self.set(var, value));
        };
        let entry = Entry {
            value,
            label: Some(self.id),
        };
        let entry = self.system.layout.number(waits, entry)?;
        let before = &self.state.buffers[waits.buffer];
        let Some(after) = buffer::store(&self.system.rules, before, waits.slot, entry) else {
            return Some(ControlFlow::Continue(()));
        };
        let before = std::mem::replace(&mut self.state.buffers[waits.buffer], after);
        let flow = self.arrive();
        self.state.buffers[waits.buffer] = before;
        Some(flow)
    }

    /// An atomic operation on memory that need not wait; `None` if a value does not fit.
    fn update(
        &mut self,
        (place, target): (&Place, &Place),
        result: i64,
        new: i64,
    ) -> Option<ControlFlow<()>> {
        let view = self.state.view();
        let (var, target) = (view.place(place)?, view.place(target)?);
        let old = std::mem::replace(&mut self.state.values[target.index()], new);
        let flow = self.set(var, result);
        self.state.values[target.index()] = old;
        Some(flow)
    }

    fn may_update(&self, target: &Place) -> Option<bool> {
        let target = self.state.view().place(target)?;
        let (system, thread) = (&self.system, self.id.thread);
        Some(system.may_update(self.state, thread, target))
    }

    /// Sets a variable and goes on.
    fn set(&mut self, var: VarId, value: i64) -> ControlFlow<()> {
        let old = std::mem::replace(&mut self.state.values[var.index()], value);
        let flow = self.arrive();
        self.state.values[var.index()] = old;
        flow
    }

    /// The thread moves on.
    fn arrive(&mut self) -> ControlFlow<()> {
        let thread = self.id.thread.index();
        let old: LocId = std::mem::replace(&mut self.state.at[thread], self.edge.target);
        let flow = self.show(Event::Reached);
        self.state.at[thread] = old;
        flow
    }

    fn show(&mut self, event: Event) -> ControlFlow<()> {
        let step = Step::Statement {
            edge: self.id,
            value: self.value,
        };
        (self.visit)(&self.system.layout, self.state, &step, event)
    }
}
