//! Which registers are read before they are set.
//!
//! A register that starts with any value of its domain, and is set on every way to a place that reads it and
//! to the end of its process, may as well start with one value: no property names registers. That keeps
//! the number of initial states small. The analysis follows all ways through the statements, whatever their conditions say; a `goto`
//! joins the ways to its label.

use indexmap::{IndexMap, IndexSet};

use crate::front::cup::ast::{Cond, CondKind, Expr, ExprKind};

use super::super::syntax::{Memory, MemoryKind, Process, Statement, StatementKind};

/// The registers of a process that some way through its text may read before it sets them.
pub(super) fn read_before_set(process: &Process) -> IndexSet<String> {
    let mut analysis = Analysis::default();
    loop {
        let known = analysis.at_labels.clone();
        let end = analysis.list(&process.body, Some(IndexSet::new()));
        if known == analysis.at_labels {
            // Final values are looked at.
            let registers = process.registers.iter();
            let names = registers.map(|register| register.name.text.clone());
            let unset = |name: &String| end.as_ref().is_some_and(|set| !set.contains(name));
            analysis.read.extend(names.filter(unset));
            return analysis.read;
        }
    }
}

/// The registers that are set on every way to a place; `None` if no way leads there.
type Set = Option<IndexSet<String>>;

#[derive(Default)]
struct Analysis {
    /// What is set on every way to each label that was found so far.
    at_labels: IndexMap<String, Set>,
    read: IndexSet<String>,
}

impl Analysis {
    fn list(&mut self, list: &[Statement], set: Set) -> Set {
        list.iter()
            .fold(set, |set, inner| self.statement(inner, set))
    }

    fn statement(&mut self, statement: &Statement, set: Set) -> Set {
        let set = match &statement.label {
            Some(label) => self.join_at(&label.text, set),
            None => set,
        };
        match &statement.kind {
            StatementKind::Nop | StatementKind::Fence | StatementKind::LoadFence => set,
            StatementKind::Set(register, value) => {
                self.expr(value, &set);
                with(set, &register.text)
            }
            StatementKind::Assume(cond) => {
                self.cond(cond, &set);
                set
            }
            StatementKind::ReadTo(register, memory) => {
                self.memory(memory, &set);
                with(set, &register.text)
            }
            StatementKind::ReadEqual(memory, value)
            | StatementKind::Write(memory, value)
            | StatementKind::LockedWrite(memory, value) => {
                self.memory(memory, &set);
                self.expr(value, &set);
                set
            }
            StatementKind::Cas(memory, expected, new) => {
                self.memory(memory, &set);
                self.expr(expected, &set);
                self.expr(new, &set);
                set
            }
            StatementKind::Locked(lists) | StatementKind::Either(lists) => {
                let ways = lists.iter().map(|list| self.list(list, set.clone()));
                ways.reduce(joined).flatten()
            }
            StatementKind::Block(list) => self.list(list, set),
            StatementKind::If(cond, then, otherwise) => {
                self.cond(cond, &set);
                let then = self.statement(then, set.clone());
                let otherwise = match otherwise {
                    Some(otherwise) => self.statement(otherwise, set),
                    None => set,
                };
                joined(then, otherwise)
            }
            StatementKind::While(cond, body) => self.repeated(cond, body, set),
            StatementKind::Goto(label) => {
                self.join_at(&label.text, set);
                None
            }
        }
    }

    fn repeated(&mut self, cond: &Cond, body: &Statement, mut set: Set) -> Set {
        loop {
            let end = self.statement(body, set.clone());
            let again = joined(set.clone(), end);
            if again == set {
                self.cond(cond, &set);
                return set;
            }
            set = again;
        }
    }

    fn join_at(&mut self, label: &str, set: Set) -> Set {
        let known = self.at_labels.entry(label.to_owned()).or_default();
        *known = joined(known.take(), set);
        known.clone()
    }

    fn memory(&mut self, memory: &Memory, set: &Set) {
        if let MemoryKind::Pointer(pointer) = &memory.kind {
            self.expr(pointer, set);
        }
    }

    fn expr(&mut self, expr: &Expr, set: &Set) {
        match &expr.kind {
            ExprKind::Place(register) => {
                let name = &register.name.text;
                if set.as_ref().is_some_and(|set| !set.contains(name)) {
                    self.read.insert(name.clone());
                }
            }
            ExprKind::Neg(inner) => self.expr(inner, set),
            ExprKind::Binary(_, left, right) => {
                self.expr(left, set);
                self.expr(right, set);
            }
            ExprKind::Num(_) | ExprKind::Tid => {}
        }
    }

    fn cond(&mut self, cond: &Cond, set: &Set) {
        match &cond.kind {
            CondKind::Not(inner) => self.cond(inner, set),
            CondKind::And(left, right) | CondKind::Or(left, right) => {
                self.cond(left, set);
                self.cond(right, set);
            }
            CondKind::Compare(_, left, right) => {
                self.expr(left, set);
                self.expr(right, set);
            }
            CondKind::True | CondKind::False | CondKind::Any | CondKind::At(..) => {}
        }
    }
}

fn with(set: Set, register: &str) -> Set {
    set.map(|mut set| {
        set.insert(register.to_owned());
        set
    })
}

/// What is set on both ways.
fn joined(left: Set, right: Set) -> Set {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.intersection(&right).cloned().collect()),
        (left, right) => left.or(right),
    }
}
