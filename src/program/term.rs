//! Terms and conditions over a program's scalars.

use super::{CompareOp, LocId, ThreadId, VarId};
use crate::front::cup::ast::ArithOp;

/// An integer term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant.
    Const(i64),
    /// A variable.
    Var(VarId),
    /// The element that an index picks; the index is within range wherever the term is evaluated.
    Choice(Box<Term>, Vec<Term>),
    /// `-t`
    Neg(Box<Term>),
    /// Sum, difference, product of which one side is constant, or quotient or remainder by a positive
    /// constant.
    Binary(ArithOp, Box<Term>, Box<Term>),
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// A truth value.
    Const(bool),
    /// `!c`
    Not(Box<Cond>),
    /// `c && d`
    And(Box<Cond>, Box<Cond>),
    /// `c || d`
    Or(Box<Cond>, Box<Cond>),
    /// A comparison.
    Compare(CompareOp, Term, Term),
    /// The thread is at one of these locations; only in specs.
    At(ThreadId, Vec<LocId>),
}

impl Cond {
    /// The condition with another one in place of each comparison.
    #[must_use]
    pub fn map_comparisons(&self, with: &impl Fn(CompareOp, &Term, &Term) -> Cond) -> Cond {
        let inner = |cond: &Cond| Box::new(cond.map_comparisons(with));
        match self {
            Cond::Const(_) | Cond::At(..) => self.clone(),
            Cond::Not(a) => Cond::Not(inner(a)),
            Cond::And(a, b) => Cond::And(inner(a), inner(b)),
            Cond::Or(a, b) => Cond::Or(inner(a), inner(b)),
            Cond::Compare(op, a, b) => with(*op, a, b),
        }
    }
}

/// What an action reads or writes: a scalar, or the one that an index picks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A scalar.
    Var(VarId),
    /// The element that the index picks.
    Choice(Term, Vec<VarId>),
}
