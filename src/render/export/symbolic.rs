//! The values of variables along a way, as expressions over those at its beginning.

use crate::front::cup::ast::ArithOp;
use crate::program::{Action, Cond, EdgeId, Place, Program, PropertyId, Range, Term, VarId};

use super::expr::{Syntax, Writer};

/// A state in the middle of a way.
pub(super) struct Symbolic<'a> {
    program: &'a Program,
    syntax: Syntax,
    /// The value of each variable.
    pub values: Vec<String>,
    /// What must hold for the way to come here.
    pub guards: Vec<String>,
    /// The value of the next choice: among these, or any integer.
    chosen: &'a mut dyn FnMut(Option<Range>) -> String,
}

impl<'a> Symbolic<'a> {
    /// The beginning of a way.
    pub(super) fn new(
        program: &'a Program,
        syntax: Syntax,
        values: Vec<String>,
        chosen: &'a mut dyn FnMut(Option<Range>) -> String,
    ) -> Self {
        Symbolic {
            program,
            syntax,
            values,
            guards: Vec::new(),
            chosen,
        }
    }

    /// Goes along an edge, all of whose properties hold.
    pub(super) fn pass(&mut self, id: EdgeId) {
        let program = self.program;
        let edge = program.edge(id);
        if let Some(bounds) = &edge.bounds {
            self.require(&bounds.cond);
        }
        match &edge.action {
            Action::Skip | Action::Fence => {}
            Action::Assume(cond) | Action::Assert(cond, _) => self.require(cond),
            Action::Assign(place, term) | Action::Store(place, term) => {
                let value = self.term(term);
                self.set(place, &value);
            }
            Action::Append(..) | Action::Pop(_) => unreachable!("programs with FIFOs are refused"),
            Action::Havoc(place) => {
                let value = (self.chosen)(None);
                self.set(place, &value);
            }
            Action::Choose(place, range) => {
                let value = (self.chosen)(Some(*range));
                self.set(place, &value);
            }
            Action::Load(place, source) => {
                let value = self.term(&as_term(source));
                self.set(place, &value);
            }
            Action::Cas(place, target, expected, new) => {
                let old = as_term(target);
                let (before, new) = (self.term(&old), self.term(new));
                let is = self.write(|w| w.equal(&before, &w.term(expected)));
                let [one, zero] = [1, 0].map(|value| self.write(|w| w.constant(value)));
                let after = self.write(|w| w.if_then_else(&is, &new, &before));
                let result = self.write(|w| w.if_then_else(&is, &one, &zero));
                self.set(target, &after);
                self.set(place, &result);
            }
            Action::Swap(place, target, new) => {
                let (old, new) = (self.term(&as_term(target)), self.term(new));
                self.set(target, &new);
                self.set(place, &old);
            }
            Action::FetchAdd(place, target, difference) => {
                let (old, sum) = (as_term(target), added(target, difference));
                let (old, sum) = (self.term(&old), self.term(&sum));
                self.set(target, &sum);
                self.set(place, &old);
            }
        }
    }

    /// Comes to an edge at which a property does not hold.
    pub(super) fn fail(&mut self, id: EdgeId, property: PropertyId, cond: &Cond) {
        match &self.program.edge(id).bounds {
            Some(bounds) if bounds.property != property => self.require(&bounds.cond.clone()),
            _ => {}
        }
        let broken = self.write(|w| w.not(&w.cond(cond)));
        self.guards.push(broken);
    }

    /// The guards together.
    pub(super) fn guard(&self) -> String {
        self.write(|w| w.all(&self.guards))
    }

    fn require(&mut self, cond: &Cond) {
        if *cond != Cond::Const(true) {
            self.guards.push(self.write(|w| w.cond(cond)));
        }
    }

    fn term(&self, term: &Term) -> String {
        self.write(|w| w.term(term))
    }

    fn set(&mut self, place: &Place, value: &str) {
        match place {
            Place::Var(var) => value.clone_into(&mut self.values[var.index()]),
            Place::Choice(index, vars) => {
                let index = self.term(index);
                for (number, var) in vars.iter().enumerate() {
                    let old = &self.values[var.index()];
                    let new = self.write(|w| {
                        let is = w.equal(&index, &w.constant_of(number));
                        w.if_then_else(&is, value, old)
                    });
                    self.values[var.index()] = new;
                }
            }
        }
    }

    fn write<T>(&self, with: impl FnOnce(&Writer<'_>) -> T) -> T {
        with(&Writer {
            syntax: self.syntax,
            var: &|var: VarId| self.values[var.index()].clone(),
            at: &|_| unreachable!("statements do not ask where threads are"),
        })
    }
}

/// The value of what an action reads.
pub(super) fn as_term(place: &Place) -> Term {
    match place {
        Place::Var(var) => Term::Var(*var),
        Place::Choice(index, vars) => Term::Choice(
            Box::new(index.clone()),
            vars.iter().map(|var| Term::Var(*var)).collect(),
        ),
    }
}

/// The value of a place and a difference together.
pub(super) fn added(place: &Place, difference: &Term) -> Term {
    Term::Binary(
        ArithOp::Add,
        Box::new(as_term(place)),
        Box::new(difference.clone()),
    )
}
