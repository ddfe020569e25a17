//! Gives `tid` its value and computes what becomes constant by it.
//!
//! Only what depends on `tid` is computed, so that the rest of a program reads as its author wrote
//! it. Arithmetic that leaves 64 bits stays as it is written.

use super::build::Build;
use crate::lang::ast::{ArithOp, Cond, CondKind, Expr, ExprKind, Place, Rhs};

/// The value of a constant expression without `tid`.
pub(super) fn value(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Num(number) => Some(*number),
        ExprKind::Tid | ExprKind::Place(_) => None,
        ExprKind::Neg(operand) => value(operand)?.checked_neg(),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (value(left)?, value(right)?);
            match op {
                ArithOp::Add => left.checked_add(right),
                ArithOp::Sub => left.checked_sub(right),
                ArithOp::Mul => left.checked_mul(right),
            }
        }
    }
}

/// The right-hand side in the copy with number `tid`.
pub(super) fn instantiate_rhs(rhs: &Rhs, tid: Option<i64>) -> Rhs {
    let expr = |expr: &Expr| instantiate(expr, tid);
    let place = |place: &Place| instantiate_place(place, tid);
    match rhs {
        Rhs::Any(span) => Rhs::Any(*span),
        Rhs::Expr(value) => Rhs::Expr(expr(value)),
        Rhs::Cas(on, old, new) => Rhs::Cas(place(on), expr(old), expr(new)),
        Rhs::Swap(on, new) => Rhs::Swap(place(on), expr(new)),
        Rhs::FetchAdd(on, difference) => Rhs::FetchAdd(place(on), expr(difference)),
    }
}

/// The place in the copy with number `tid`.
pub(super) fn instantiate_place(place: &Place, tid: Option<i64>) -> Place {
    let index = place.index.as_ref();
    Place {
        index: index.map(|index| Box::new(instantiate(index, tid))),
        ..place.clone()
    }
}

/// The condition in the copy with number `tid`.
pub(super) fn instantiate_cond(cond: &Cond, tid: Option<i64>) -> Cond {
    let sub = |cond: &Cond| Box::new(instantiate_cond(cond, tid));
    let kind = match &cond.kind {
        CondKind::True | CondKind::False | CondKind::Any | CondKind::At(..) => cond.kind.clone(),
        CondKind::Not(operand) => CondKind::Not(sub(operand)),
        CondKind::And(left, right) => CondKind::And(sub(left), sub(right)),
        CondKind::Or(left, right) => CondKind::Or(sub(left), sub(right)),
        CondKind::Compare(op, left, right) => {
            CondKind::Compare(*op, instantiate(left, tid), instantiate(right, tid))
        }
    };
    Cond {
        kind,
        span: cond.span,
    }
}

/// The expression in the copy with number `tid`.
fn instantiate(expr: &Expr, tid: Option<i64>) -> Expr {
    let sub = |expr: &Expr| Box::new(instantiate(expr, tid));
    let kind = match &expr.kind {
        ExprKind::Num(_) => expr.kind.clone(),
        ExprKind::Tid => match tid {
            Some(number) => ExprKind::Num(number),
            None => ExprKind::Tid,
        },
        ExprKind::Place(place) => ExprKind::Place(instantiate_place(place, tid)),
        ExprKind::Neg(operand) => ExprKind::Neg(sub(operand)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, sub(left), sub(right)),
    };
    let instance = Expr {
        kind,
        span: expr.span,
    };
    match value(&instance) {
        Some(number) if mentions_tid(expr) && number != i64::MIN => {
            Build::at(expr.span).num(number)
        }
        _ => instance,
    }
}

fn mentions_tid(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Num(_) | ExprKind::Place(_) => false,
        ExprKind::Tid => true,
        ExprKind::Neg(operand) => mentions_tid(operand),
        ExprKind::Binary(_, left, right) => mentions_tid(left) || mentions_tid(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::ast::Span;

    fn binary(op: ArithOp, left: Expr, right: Expr) -> Expr {
        build().expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
    }

    fn build() -> Build {
        Build::at(Span::default())
    }

    fn tid() -> Expr {
        build().expr(ExprKind::Tid)
    }

    #[test]
    fn what_depends_on_tid_is_computed() {
        let other = binary(ArithOp::Sub, build().num(1), tid());
        assert_eq!(instantiate(&other, Some(0)), build().num(1));
        let less = binary(ArithOp::Sub, tid(), build().num(3));
        assert_eq!(instantiate(&less, Some(1)), build().num(-2));
        assert_eq!(value(&build().num(-2)), Some(-2));
    }

    #[test]
    fn what_does_not_depend_on_tid_stays_as_written() {
        let sum = binary(ArithOp::Add, build().num(1), build().num(2));
        assert_eq!(instantiate(&sum, Some(1)), sum);
        let mixed = binary(
            ArithOp::Add,
            binary(ArithOp::Mul, tid(), build().num(4)),
            sum.clone(),
        );
        let variable = binary(ArithOp::Add, mixed, build().var("r"));
        let expected = binary(ArithOp::Add, build().num(11), build().var("r"));
        assert_eq!(instantiate(&variable, Some(2)), expected);
    }

    #[test]
    fn arithmetic_beyond_64_bits_stays() {
        let large = binary(ArithOp::Add, build().num(i64::MAX), tid());
        let expected = binary(ArithOp::Add, build().num(i64::MAX), build().num(1));
        assert_eq!(instantiate(&large, Some(1)), expected);
        assert_eq!(value(&expected), None);
    }
}
