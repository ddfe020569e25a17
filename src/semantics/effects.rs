//! What the statements of a step read and write, found by running them on the machine.

use crate::program::{Action, Cond, Edge, Place, Term, ThreadId, VarId};

use super::eval::View;
use super::machine::{Applied, Machine};
use super::state::State;
use super::trace::Access;

/// What the statements of a step read and write.
#[derive(Default)]
pub(super) struct Effects {
    /// What was read, in order.
    pub reads: Vec<Access>,
    /// What was written, in order.
    pub writes: Vec<Access>,
}

impl Effects {
    /// Takes the oldest store to a variable out of its buffer, and records the write to memory.
    pub(super) fn flush(
        &mut self,
        machine: &Machine<'_>,
        state: &mut State,
        thread: ThreadId,
        var: VarId,
    ) {
        let fifo = machine.buffers.of_store(thread, var);
        let entry = fifo.and_then(|fifo| state.pop(fifo));
        let entry = entry.expect("a flush takes a buffered store");
        state.set_value(entry.var, entry.value);
        self.write(entry.var, entry.value);
    }

    /// Records what the statement does and runs it; one that fails only reads.
    pub(super) fn statement(
        &mut self,
        machine: &Machine<'_>,
        state: &mut State,
        thread: ThreadId,
        edge: &Edge,
        arbitrary: Option<i64>,
    ) {
        if let Some(bounds) = &edge.bounds {
            self.read_cond(&bounds.cond, state.view());
        }
        if let Some(access) = accessed(machine, state, thread, &edge.action) {
            self.read(access);
        }
        self.read_action(&edge.action, state.view());
        let targets = written(&edge.action, state.view());
        let applied = machine.apply(state, thread, edge, arbitrary);
        if applied == Applied::Done {
            for var in targets {
                self.write(var, machine.load(state, thread, var));
            }
        }
    }

    /// Reads the variables of an action's terms and conditions.
    fn read_action(&mut self, action: &Action, view: View<'_>) {
        match action {
            Action::Skip
            | Action::Fence
            | Action::Havoc(_)
            | Action::Choose(..)
            | Action::Load(..) => {}
            Action::Assume(cond) | Action::Assert(cond, _) => self.read_cond(cond, view),
            Action::Assign(_, term)
            | Action::Store(_, term)
            | Action::Swap(_, _, term)
            | Action::FetchAdd(_, _, term) => self.read_term(term, view),
            Action::Append(_, values) => {
                values.iter().for_each(|value| self.read_term(value, view));
            }
            Action::Pop(fifo) => {
                let oldest = fifo.oldest.iter();
                oldest.for_each(|&var| self.read_term(&Term::Var(var), view));
            }
            Action::Cas(_, _, expected, new) => {
                self.read_term(expected, view);
                self.read_term(new, view);
            }
        }
    }

    /// Reads the variables of a condition.
    pub(super) fn read_cond(&mut self, cond: &Cond, view: View<'_>) {
        match cond {
            Cond::Const(_) | Cond::At(..) => {}
            Cond::Not(inner) => self.read_cond(inner, view),
            Cond::And(left, right) | Cond::Or(left, right) => {
                self.read_cond(left, view);
                self.read_cond(right, view);
            }
            Cond::Compare(_, left, right) => {
                self.read_term(left, view);
                self.read_term(right, view);
            }
        }
    }

    fn read_term(&mut self, term: &Term, view: View<'_>) {
        match term {
            Term::Const(_) => {}
            Term::Var(var) => self.read(Access {
                var: *var,
                value: view.values[var.index()],
            }),
            Term::Choice(index, elements) => {
                self.read_term(index, view);
                if let Some(element) = view.element(index, elements) {
                    self.read_term(element, view);
                }
            }
            Term::Neg(inner) => self.read_term(inner, view),
            Term::Binary(_, left, right) => {
                self.read_term(left, view);
                self.read_term(right, view);
            }
        }
    }

    fn read(&mut self, access: Access) {
        if !self.reads.contains(&access) {
            self.reads.push(access);
        }
    }

    fn write(&mut self, var: VarId, value: i64) {
        self.writes.push(Access { var, value });
    }
}

/// The shared variable that an action loads, and what it yields.
fn accessed(
    machine: &Machine<'_>,
    state: &State,
    thread: ThreadId,
    action: &Action,
) -> Option<Access> {
    let (place, buffered) = match action {
        Action::Load(_, source) => (source, true),
        Action::Cas(_, target, ..)
        | Action::Swap(_, target, _)
        | Action::FetchAdd(_, target, _) => (target, false),
        Action::Skip
        | Action::Assume(_)
        | Action::Assert(..)
        | Action::Assign(..)
        | Action::Havoc(_)
        | Action::Choose(..)
        | Action::Store(..)
        | Action::Append(..)
        | Action::Pop(_)
        | Action::Fence => return None,
    };
    let var = state.view().place(place)?;
    let value = match buffered {
        true => machine.load(state, thread, var),
        false => state.value(var),
    };
    Some(Access { var, value })
}

/// The variables that an action writes: a shared one first, then locals.
fn written(action: &Action, view: View<'_>) -> Vec<VarId> {
    let var = |place: &Place| view.place(place);
    let [shared, local] = match action {
        Action::Skip | Action::Assume(_) | Action::Assert(..) | Action::Fence => [None, None],
        Action::Append(fifo, _) => {
            let newest = fifo.newest.iter().copied();
            return newest.chain([fifo.length]).collect();
        }
        Action::Pop(fifo) => return vec![fifo.length],
        Action::Assign(place, _)
        | Action::Havoc(place)
        | Action::Choose(place, _)
        | Action::Load(place, _) => [None, var(place)],
        Action::Store(place, _) => [var(place), None],
        Action::Cas(place, target, expected, _) => {
            let succeeds = var(target).map(|var| view.values[var.index()]) == view.term(expected);
            [var(target).filter(|_| succeeds), var(place)]
        }
        Action::Swap(place, target, _) | Action::FetchAdd(place, target, _) => {
            [var(target), var(place)]
        }
    };
    shared.into_iter().chain(local).collect()
}
