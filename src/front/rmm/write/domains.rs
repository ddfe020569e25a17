//! The domains of variables: the values that they may come to have.
//!
//! Every variable starts with its initial values; what is assigned to it is added, until nothing changes. A
//! variable that still grows after some rounds has all integers. A domain found in this way never
//! blocks a statement.

use indexmap::IndexMap;

use crate::front::cup::ast::Expr;

use super::super::domain::Interval;
use super::super::syntax::{Domain, MemoryKind, Model, Statement, StatementKind};

/// How many rounds a variable may grow.
const ROUNDS: usize = 40;

/// A global location (no process) or a register of a process.
type Key = (Option<usize>, String);

/// Sets the domains of all variables of a program, each of which has its initial values for a domain.
/// All memory locations are global.
pub(super) fn infer(model: &mut Model) {
    let mut domains = Domains::default();
    for variable in &model.data {
        let key = (None, variable.name.text.clone());
        domains.found.insert(key, variable.domain);
    }
    for (number, process) in model.processes.iter().enumerate() {
        for register in &process.registers {
            let key = (Some(number), register.name.text.clone());
            domains.found.insert(key, register.domain);
        }
    }
    for round in 0.. {
        domains.widen = round > ROUNDS;
        domains.changed = false;
        for (number, process) in model.processes.iter().enumerate() {
            domains.list(number, &process.body);
        }
        if !domains.changed {
            break;
        }
    }
    for variable in &mut model.data {
        variable.domain = domains.of(None, &variable.name.text);
    }
    for (number, process) in model.processes.iter_mut().enumerate() {
        for register in &mut process.registers {
            register.domain = domains.of(Some(number), &register.name.text);
        }
    }
}

#[derive(Default)]
struct Domains {
    found: IndexMap<Key, Domain>,
    /// Whether what grows now has all integers.
    widen: bool,
    changed: bool,
}

impl Domains {
    fn of(&self, process: Option<usize>, name: &str) -> Domain {
        let found = self.found.get(&(process, name.to_owned()));
        found.copied().unwrap_or(Domain::Integers)
    }

    fn list(&mut self, process: usize, list: &[Statement]) {
        for statement in list {
            self.statement(process, statement);
        }
    }

    fn statement(&mut self, process: usize, statement: &Statement) {
        match &statement.kind {
            StatementKind::Set(register, value) => {
                let value = self.value(process, value);
                self.add((Some(process), register.text.clone()), value);
            }
            StatementKind::ReadTo(register, memory) => {
                if let MemoryKind::Global(name) = &memory.kind {
                    let value = self.of(None, &name.text);
                    self.add((Some(process), register.text.clone()), value);
                }
            }
            StatementKind::Write(memory, value)
            | StatementKind::LockedWrite(memory, value)
            | StatementKind::Cas(memory, _, value) => {
                if let MemoryKind::Global(name) = &memory.kind {
                    let value = self.value(process, value);
                    self.add((None, name.text.clone()), value);
                }
            }
            StatementKind::Locked(lists) | StatementKind::Either(lists) => {
                lists.iter().for_each(|list| self.list(process, list));
            }
            StatementKind::Block(list) => self.list(process, list),
            StatementKind::If(_, then, otherwise) => {
                self.statement(process, then);
                if let Some(otherwise) = otherwise {
                    self.statement(process, otherwise);
                }
            }
            StatementKind::While(_, body) => self.statement(process, body),
            _ => {}
        }
    }

    fn value(&self, process: usize, value: &Expr) -> Domain {
        Interval::of(value, &|register| self.of(Some(process), register)).domain()
    }

    fn add(&mut self, key: Key, values: Domain) {
        let known = self.found.get(&key).copied().unwrap_or(Domain::Integers);
        let joined = match (known, values) {
            (Domain::Range(low, high), Domain::Range(least, most)) => {
                Domain::Range(low.min(least), high.max(most))
            }
            _ => Domain::Integers,
        };
        if joined != known {
            self.changed = true;
            let grown = if self.widen { Domain::Integers } else { joined };
            self.found.insert(key, grown);
        }
    }
}
