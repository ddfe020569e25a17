//! Which values an expression may have, and what must hold for them to lie in a domain.

use crate::front::build::{all, compare, number_expr};
use crate::front::cup::ast::{ArithOp, CompareOp, Cond, CondKind, Expr, ExprKind};

use super::syntax::Domain;

/// The least and the greatest value of an expression, where they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    low: Option<i128>,
    high: Option<i128>,
}

impl Interval {
    /// The values of an expression over variables with these domains.
    pub(super) fn of(expr: &Expr, domain: &impl Fn(&str) -> Domain) -> Self {
        match &expr.kind {
            ExprKind::Num(value) => Interval::from(Domain::Range(*value, *value)),
            ExprKind::Tid => Interval::from(Domain::Integers),
            ExprKind::Place(place) => Interval::from(domain(&place.name.text)),
            ExprKind::Neg(inner) => Interval::of(inner, domain).negated(),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (Interval::of(left, domain), Interval::of(right, domain));
                match op {
                    ArithOp::Add => left.plus(right),
                    ArithOp::Sub => left.plus(right.negated()),
                    ArithOp::Mul | ArithOp::Div | ArithOp::Mod => Interval::from(Domain::Integers),
                }
            }
        }
    }

    /// The domain that holds these values and, where both ends are known, no others.
    pub(super) fn domain(self) -> Domain {
        let ends = (self.low.map(i64::try_from), self.high.map(i64::try_from));
        match ends {
            (Some(Ok(low)), Some(Ok(high))) => Domain::Range(low, high),
            _ => Domain::Integers,
        }
    }

    fn plus(self, other: Interval) -> Interval {
        let sum = |left: Option<i128>, right: Option<i128>| left?.checked_add(right?);
        Interval {
            low: sum(self.low, other.low),
            high: sum(self.high, other.high),
        }
    }

    fn negated(self) -> Interval {
        Interval {
            low: self.high.map(|high| -high),
            high: self.low.map(|low| -low),
        }
    }

    /// Whether a value may be among them.
    pub(super) fn may_be(self, value: i64) -> bool {
        let value = i128::from(value);
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }

    /// Whether all of them are in a domain.
    pub(super) fn lies_in(self, domain: Domain) -> bool {
        !self.may_be_below(domain) && !self.may_be_above(domain)
    }

    fn may_be_below(self, domain: Domain) -> bool {
        let (low, _) = domain.ends();
        low.is_some_and(|least| self.low.is_none_or(|low| low < i128::from(least)))
    }

    fn may_be_above(self, domain: Domain) -> bool {
        let (_, high) = domain.ends();
        high.is_some_and(|most| self.high.is_none_or(|high| high > i128::from(most)))
    }

    /// The condition that `expr`, which has these values, is in a domain; `None` if it always is.
    pub(super) fn guard(self, expr: &Expr, domain: Domain) -> Option<Cond> {
        let span = expr.span;
        let (low, high) = domain.ends();
        let low = low.filter(|_| self.may_be_below(domain));
        let high = high.filter(|_| self.may_be_above(domain));
        let bound = |op, end| compare(op, expr.clone(), number_expr(end, span), span);
        let conds: Vec<Cond> = [
            low.map(|low| bound(CompareOp::Ge, low)),
            high.map(|high| bound(CompareOp::Le, high)),
        ]
        .into_iter()
        .flatten()
        .collect();
        let never = self.is_outside(domain).then_some(CondKind::False);
        let never = never.map(|kind| Cond { kind, span });
        (!conds.is_empty()).then(|| never.unwrap_or_else(|| all(conds, span)))
    }

    /// Whether none of them is in a domain.
    fn is_outside(self, domain: Domain) -> bool {
        let (low, high) = domain.ends();
        let below = low
            .zip(self.high)
            .is_some_and(|(low, own)| own < i128::from(low));
        let above = high
            .zip(self.low)
            .is_some_and(|(high, own)| own > i128::from(high));
        below || above
    }
}

impl From<Domain> for Interval {
    fn from(domain: Domain) -> Self {
        let (low, high) = domain.ends();
        Interval {
            low: low.map(i128::from),
            high: high.map(i128::from),
        }
    }
}
