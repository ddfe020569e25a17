//! Lowers places, expressions and conditions, and collects what must hold of their indices.
//!
//! Copies' numbers are constants and constants are folded, so that an index that does not depend on
//! variables picks its scalar. Every other index yields a bound, which stands behind the bounds
//! of the indices inside it: evaluated from left to right, no bound meets an index out of range.

use crate::front::cup::ast::{self, ArithOp, CompareOp, CondKind, Expr, ExprKind};
use crate::program::{Cond, Fifo, LocId, Place, Range, Term, Thread, ThreadId, VarId};

use super::names::{Names, Resolved};

/// Where an expression stands.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// What names stand for.
    pub names: &'a Names<'a>,
    /// The thread that it belongs to, or `None` in a spec.
    pub thread: Option<ThreadId>,
    /// The lowered threads, for control locations in specs.
    pub threads: &'a [Thread],
    /// Which indices of a condition are checked.
    pub indices: Indices,
}

/// Which indices of a condition must be in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indices {
    /// All of them, whatever the condition short-circuits: statements.
    All,
    /// Those that evaluation from left to right meets: specs.
    Met,
}

/// What must hold of indices; `None` where there is nothing to check.
pub(super) type Bounds = Option<Cond>;

impl Context<'_> {
    /// Whether the place is shared.
    pub(super) fn is_shared(&self, place: &ast::Place) -> bool {
        match self.names.resolve(self.thread, place) {
            Resolved::Constant(_) => false,
            Resolved::Scalar(var) => self.names.is_shared(var),
            Resolved::Array(elements) => elements.iter().all(|&var| self.names.is_shared(var)),
        }
    }

    /// The FIFO with this name of the thread.
    pub(super) fn fifo(&self, name: &str) -> Fifo {
        let thread = self.thread.expect("the checks keep FIFOs in threads");
        self.names.fifo(thread, name)
    }

    /// The place of a variable, with the bounds of its indices added to `bounds`.
    pub(super) fn place(&self, place: &ast::Place, bounds: &mut Bounds) -> Place {
        let elements = match self.names.resolve(self.thread, place) {
            Resolved::Constant(_) => unreachable!("the checks keep constants out of places"),
            Resolved::Scalar(var) => return Place::Var(var),
            Resolved::Array(elements) => elements,
        };
        let index = place.index.as_ref().expect("the checks index every array");
        let index = self.term(index, bounds);
        match constant_element(&index, &elements) {
            Some(var) => Place::Var(var),
            None => {
                add(bounds, in_range(&index, elements.len()));
                Place::Choice(index, elements)
            }
        }
    }

    /// The term, with the bounds of its indices added to `bounds`.
    pub(super) fn term(&self, expr: &Expr, bounds: &mut Bounds) -> Term {
        match &expr.kind {
            ExprKind::Num(value) => Term::Const(*value),
            ExprKind::Tid => Term::Const(self.tid()),
            ExprKind::Place(place) => self.read(place, bounds),
            ExprKind::Neg(inner) => negate(self.term(inner, bounds)),
            ExprKind::Binary(op, left, right) => {
                let left = self.term(left, bounds);
                binary(*op, left, self.term(right, bounds))
            }
        }
    }

    /// What is read from a variable or constant.
    fn read(&self, place: &ast::Place, bounds: &mut Bounds) -> Term {
        if let Resolved::Constant(value) = self.names.resolve(self.thread, place) {
            return Term::Const(value);
        }
        match self.place(place, bounds) {
            Place::Var(var) => Term::Var(var),
            Place::Choice(index, elements) => {
                let elements = elements.into_iter().map(Term::Var).collect();
                Term::Choice(Box::new(index), elements)
            }
        }
    }

    /// The range between two constants, the first of which is not greater.
    pub(super) fn range(&self, low: &Expr, high: &Expr) -> Range {
        let value = |end| match self.term(end, &mut None) {
            Term::Const(value) => value,
            Term::Var(_) | Term::Choice(..) | Term::Neg(_) | Term::Binary(..) => {
                unreachable!("the checks keep variables out of ranges")
            }
        };
        Range::new(value(low), value(high)).expect("the checks keep empty ranges out")
    }

    /// The condition, which is not `*`, with the bounds of its indices.
    pub(super) fn cond(&self, cond: &ast::Cond) -> (Cond, Bounds) {
        match &cond.kind {
            CondKind::True => (Cond::Const(true), None),
            CondKind::False => (Cond::Const(false), None),
            CondKind::Any => unreachable!("the checks keep `*` out of conditions"),
            CondKind::Not(inner) => {
                let (inner, bounds) = self.cond(inner);
                (Cond::Not(Box::new(inner)), bounds)
            }
            CondKind::And(left, right) => {
                let (left, right, bounds) = self.sides(left, right, |left| Cond::Not(left.into()));
                (Cond::And(left.into(), right.into()), bounds)
            }
            CondKind::Or(left, right) => {
                let (left, right, bounds) = self.sides(left, right, |left| left);
                (Cond::Or(left.into(), right.into()), bounds)
            }
            CondKind::Compare(op, left, right) => {
                let mut bounds = None;
                let left = self.term(left, &mut bounds);
                let right = self.term(right, &mut bounds);
                (Cond::Compare(*op, left, right), bounds)
            }
            CondKind::At(thread, label) => {
                let thread = self.names.thread(thread);
                (Cond::At(thread, self.labelled(thread, &label.text)), None)
            }
        }
    }

    /// Both sides of a connective with the bounds of both; `decided` says when, given its left
    /// side, the right one is not evaluated.
    fn sides(
        &self,
        left: &ast::Cond,
        right: &ast::Cond,
        decided: impl Fn(Cond) -> Cond,
    ) -> (Cond, Cond, Bounds) {
        let (left, mut bounds) = self.cond(left);
        let (right, right_bounds) = self.cond(right);
        if let Some(bound) = right_bounds {
            let bound = match self.indices {
                Indices::All => bound,
                Indices::Met => Cond::Or(decided(left.clone()).into(), bound.into()),
            };
            add(&mut bounds, bound);
        }
        (left, right, bounds)
    }

    fn labelled(&self, thread: ThreadId, label: &str) -> Vec<LocId> {
        let locations = self.threads[thread.index()].locations.iter();
        let labelled = locations
            .enumerate()
            .filter(|(_, location)| location.labels.iter().any(|name| name == label));
        labelled.map(|(index, _)| LocId::new(index)).collect()
    }

    fn tid(&self) -> i64 {
        let thread = self.thread.expect("the checks keep `tid` out of specs");
        let copy = self.names.instances()[thread.index()].copy;
        let copy = copy.expect("the checks keep `tid` inside copies");
        i64::try_from(copy).expect("the number of copies is an i64 in the source")
    }
}

/// Adds a bound behind those that are there.
pub(super) fn add(bounds: &mut Bounds, bound: Cond) {
    *bounds = Some(match bounds.take() {
        Some(first) => Cond::And(first.into(), bound.into()),
        None => bound,
    });
}

fn constant_element(index: &Term, elements: &[VarId]) -> Option<VarId> {
    match index {
        Term::Const(index) => elements.get(usize::try_from(*index).ok()?).copied(),
        Term::Var(_) | Term::Choice(..) | Term::Neg(_) | Term::Binary(..) => None,
    }
}

fn in_range(index: &Term, size: usize) -> Cond {
    let size = i64::try_from(size).expect("the size of an array is an i64 in the source");
    Cond::And(
        Cond::Compare(CompareOp::Le, Term::Const(0), index.clone()).into(),
        Cond::Compare(CompareOp::Lt, index.clone(), Term::Const(size)).into(),
    )
}

/// `-t`, folded if it is constant and fits.
fn negate(term: Term) -> Term {
    let folded = match term {
        Term::Const(value) => value.checked_neg(),
        Term::Var(_) | Term::Choice(..) | Term::Neg(_) | Term::Binary(..) => None,
    };
    folded.map_or_else(|| Term::Neg(Box::new(term)), Term::Const)
}

/// `a op b`, folded if it is constant and fits.
fn binary(op: ArithOp, left: Term, right: Term) -> Term {
    let folded = match (&left, &right) {
        (Term::Const(a), Term::Const(b)) => op.checked(*a, *b),
        _ => None,
    };
    folded.map_or_else(
        || Term::Binary(op, Box::new(left), Box::new(right)),
        Term::Const,
    )
}
