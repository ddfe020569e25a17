//! Evaluates terms and conditions in a state, with 64-bit numbers.
//!
//! `None` means that a result does not fit: the caller cuts the path and says so. Evaluation is total;
//! an index out of range, which the bounds of a step or spec rule out beforehand, is `None` too.

use crate::program::{Cond, LocId, Place, Term, VarId};

/// What terms and conditions are evaluated in.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// The values of all variables, shared ones as in main memory.
    pub values: &'a [i64],
    /// The location of each thread.
    pub at: &'a [LocId],
}

impl View<'_> {
    /// The value of a term.
    pub(crate) fn term(&self, term: &Term) -> Option<i64> {
        match term {
            Term::Const(value) => Some(*value),
            Term::Var(var) => Some(self.values[var.index()]),
            Term::Choice(index, elements) => self.term(self.element(index, elements)?),
            Term::Neg(inner) => self.term(inner)?.checked_neg(),
            Term::Binary(op, left, right) => op.checked(self.term(left)?, self.term(right)?),
        }
    }

    /// The truth of a condition, from left to right and no further than needed.
    pub(crate) fn cond(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Const(value) => Some(*value),
            Cond::Not(inner) => self.cond(inner).map(|value| !value),
            Cond::And(left, right) => match self.cond(left)? {
                true => self.cond(right),
                false => Some(false),
            },
            Cond::Or(left, right) => match self.cond(left)? {
                true => Some(true),
                false => self.cond(right),
            },
            Cond::Compare(op, left, right) => Some(op.holds(self.term(left)?, self.term(right)?)),
            Cond::At(thread, locations) => Some(locations.contains(&self.at[thread.index()])),
        }
    }

    /// The scalar that a place means.
    pub(crate) fn place(&self, place: &Place) -> Option<VarId> {
        match place {
            Place::Var(var) => Some(*var),
            Place::Choice(index, elements) => self.element(index, elements).copied(),
        }
    }

    /// The element that an index picks.
    pub(crate) fn element<'e, T>(&self, index: &Term, elements: &'e [T]) -> Option<&'e T> {
        elements.get(usize::try_from(self.term(index)?).ok()?)
    }
}
