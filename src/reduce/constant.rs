//! Gives `tid` its value and computes what becomes constant by it.
//!
//! Only what depends on `tid` is computed, so that the rest of a program reads as its author wrote
//! it, constants by their names. Arithmetic that leaves 64 bits stays as it is written.

use super::build::Build;
use crate::front::cup::ast::{Cond, CondKind, Expr, ExprKind, Place, Rhs};
use crate::front::cup::symbols::Symbols;

/// One copy of a thread, or a thread without copies.
#[derive(Clone, Copy)]
pub(super) struct Copy<'a> {
    /// The constants of the program.
    pub symbols: &'a Symbols,
    /// The number of the copy.
    pub tid: Option<i64>,
}

/// The right-hand side in one copy.
pub(super) fn instantiate_rhs(rhs: &Rhs, copy: Copy<'_>) -> Rhs {
    let expr = |expr: &Expr| instantiate(expr, copy);
    let place = |place: &Place| instantiate_place(place, copy);
    match rhs {
        Rhs::Any(span) => Rhs::Any(*span),
        Rhs::Choose(low, high) => Rhs::Choose(expr(low), expr(high)),
        Rhs::Expr(value) => Rhs::Expr(expr(value)),
        Rhs::Cas(on, old, new) => Rhs::Cas(place(on), expr(old), expr(new)),
        Rhs::Swap(on, new) => Rhs::Swap(place(on), expr(new)),
        Rhs::FetchAdd(on, difference) => Rhs::FetchAdd(place(on), expr(difference)),
    }
}

/// The place in one copy.
pub(super) fn instantiate_place(place: &Place, copy: Copy<'_>) -> Place {
    let index = place.index.as_ref();
    Place {
        index: index.map(|index| Box::new(instantiate(index, copy))),
        ..place.clone()
    }
}

/// The condition in one copy.
pub(super) fn instantiate_cond(cond: &Cond, copy: Copy<'_>) -> Cond {
    let sub = |cond: &Cond| Box::new(instantiate_cond(cond, copy));
    let kind = match &cond.kind {
        CondKind::True | CondKind::False | CondKind::Any | CondKind::At(..) => cond.kind.clone(),
        CondKind::Not(operand) => CondKind::Not(sub(operand)),
        CondKind::And(left, right) => CondKind::And(sub(left), sub(right)),
        CondKind::Or(left, right) => CondKind::Or(sub(left), sub(right)),
        CondKind::Compare(op, left, right) => {
            CondKind::Compare(*op, instantiate(left, copy), instantiate(right, copy))
        }
    };
    Cond {
        kind,
        span: cond.span,
    }
}

/// The expression in one copy.
/// The expression in one copy.
pub(super) fn instantiate(expr: &Expr, copy: Copy<'_>) -> Expr {
    let sub = |expr: &Expr| Box::new(instantiate(expr, copy));
    let kind = match &expr.kind {
        ExprKind::Num(_) => expr.kind.clone(),
        ExprKind::Tid => match copy.tid {
            Some(number) => ExprKind::Num(number),
            None => ExprKind::Tid,
        },
        ExprKind::Place(place) => ExprKind::Place(instantiate_place(place, copy)),
        ExprKind::Neg(operand) => ExprKind::Neg(sub(operand)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, sub(left), sub(right)),
    };
    let instance = Expr {
        kind,
        span: expr.span,
    };
    match copy.symbols.value(&instance) {
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
    use crate::front::cup::ast::{ArithOp, Span};
    use crate::front::cup::symbols::Constant;

    /// The expression in a copy of a program with the constant `N`, which is 4.
    fn in_copy(expr: &Expr, tid: i64) -> Expr {
        let mut symbols = Symbols::default();
        let span = Span::default();
        let constant = Constant { value: 4, span };
        symbols.constants.insert("N".to_owned(), constant);
        let copy = Copy {
            symbols: &symbols,
            tid: Some(tid),
        };
        instantiate(expr, copy)
    }

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
        assert_eq!(in_copy(&other, 0), build().num(1));
        let less = binary(ArithOp::Sub, tid(), build().num(3));
        assert_eq!(in_copy(&less, 1), build().num(-2));
        let last = binary(
            ArithOp::Sub,
            build().var("N"),
            binary(ArithOp::Add, tid(), build().num(1)),
        );
        assert_eq!(in_copy(&last, 1), build().num(2));
    }

    #[test]
    fn what_does_not_depend_on_tid_stays_as_written() {
        let named = binary(ArithOp::Div, build().var("N"), build().num(2));
        assert_eq!(in_copy(&named, 1), named);
        let sum = binary(ArithOp::Add, build().num(1), build().num(2));
        assert_eq!(in_copy(&sum, 1), sum);
        let mixed = binary(
            ArithOp::Add,
            binary(ArithOp::Mul, tid(), build().num(4)),
            sum.clone(),
        );
        let variable = binary(ArithOp::Add, mixed, build().var("r"));
        let expected = binary(ArithOp::Add, build().num(11), build().var("r"));
        assert_eq!(in_copy(&variable, 2), expected);
    }

    #[test]
    fn arithmetic_beyond_64_bits_stays() {
        let large = binary(ArithOp::Add, build().num(i64::MAX), tid());
        let expected = binary(ArithOp::Add, build().num(i64::MAX), build().num(1));
        assert_eq!(in_copy(&large, 1), expected);
    }
}
