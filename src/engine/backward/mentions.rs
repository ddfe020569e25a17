//! Which variables and threads a condition mentions.

use std::collections::BTreeSet;

use crate::program::{Cond, Program, Term, ThreadId, VarId};

/// What a condition mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    /// Shared variables.
    pub shared: BTreeSet<VarId>,
    /// Locals.
    pub locals: BTreeSet<VarId>,
    /// Threads, by their locations or their locals.
    pub threads: BTreeSet<ThreadId>,
}

impl Mentions {
    /// What these conditions mention.
    pub(super) fn of<'a>(program: &Program, conds: impl IntoIterator<Item = &'a Cond>) -> Self {
        let mut mentions = Mentions::default();
        for cond in conds {
            mentions.cond(program, cond);
        }
        mentions
    }

    fn cond(&mut self, program: &Program, cond: &Cond) {
        match cond {
            Cond::Const(_) => {}
            Cond::Not(inner) => self.cond(program, inner),
            Cond::And(left, right) | Cond::Or(left, right) => {
                self.cond(program, left);
                self.cond(program, right);
            }
            Cond::Compare(_, left, right) => {
                self.term(program, left);
                self.term(program, right);
            }
            Cond::At(thread, _) => drop(self.threads.insert(*thread)),
        }
    }

    /// Adds what a term mentions.
    pub(super) fn term(&mut self, program: &Program, term: &Term) {
        match term {
            Term::Const(_) => {}
            Term::Var(var) => self.var(program, *var),
            Term::Choice(index, elements) => {
                self.term(program, index);
                elements.iter().for_each(|term| self.term(program, term));
            }
            Term::Neg(inner) => self.term(program, inner),
            Term::Binary(_, left, right) => {
                self.term(program, left);
                self.term(program, right);
            }
        }
    }

    fn var(&mut self, program: &Program, var: VarId) {
        match program.vars[var.index()].owner {
            None => drop(self.shared.insert(var)),
            Some(thread) => {
                self.locals.insert(var);
                self.threads.insert(thread);
            }
        }
    }
}
