//! Constant expressions, evaluated with checked arithmetic.
//!
//! `tid` is a constant of each copy, so a constant expression has one value, or one for each copy.

use crate::front::cup::ast::ArithOp;

/// What is known of an expression's value before the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// It depends on variables.
    Variable,
    /// The same value everywhere.
    Same(i64),
    /// A value for each copy of the thread.
    PerCopy(Vec<i64>),
    /// It was complained about.
    Broken,
}

impl Fold {
    pub(super) fn is_variable(&self) -> bool {
        *self == Fold::Variable
    }

    /// The values that it can have, with the copies that have them, if it is constant.
    pub(super) fn values(&self) -> Vec<(Option<usize>, i64)> {
        match self {
            Fold::Variable | Fold::Broken => Vec::new(),
            Fold::Same(value) => vec![(None, *value)],
            Fold::PerCopy(values) => values
                .iter()
                .enumerate()
                .map(|(copy, &value)| (Some(copy), value))
                .collect(),
        }
    }

    /// The values that two have together, in each copy, if both are constant.
    pub(super) fn pairs(&self, other: &Fold) -> Vec<(i64, i64)> {
        let values = |fold: &Fold| fold.values().into_iter().map(|(_, value)| value);
        match (self, other) {
            (Fold::Same(value), _) => values(other).map(|other| (*value, other)).collect(),
            (_, Fold::Same(other)) => values(self).map(|value| (value, *other)).collect(),
            _ => values(self).zip(values(other)).collect(),
        }
    }

    /// The negation; `None` if it does not fit in 64 bits.
    pub(super) fn negated(self) -> Option<Fold> {
        Fold::Same(0).combined(ArithOp::Sub, self)
    }

    /// The result of an operation; `None` if it does not fit in 64 bits. Divisors are positive.
    pub(super) fn combined(self, op: ArithOp, other: Fold) -> Option<Fold> {
        let apply = |left: i64, right: i64| op.checked(left, right);
        let per_copy = |values: Option<Vec<i64>>| values.map(Fold::PerCopy);
        match (self, other) {
            (Fold::Broken, _) | (_, Fold::Broken) => Some(Fold::Broken),
            (Fold::Variable, _) | (_, Fold::Variable) => Some(Fold::Variable),
            (Fold::Same(left), Fold::Same(right)) => apply(left, right).map(Fold::Same),
            (Fold::Same(left), Fold::PerCopy(rights)) => {
                per_copy(rights.iter().map(|&right| apply(left, right)).collect())
            }
            (Fold::PerCopy(lefts), Fold::Same(right)) => {
                per_copy(lefts.iter().map(|&left| apply(left, right)).collect())
            }
            (Fold::PerCopy(lefts), Fold::PerCopy(rights)) => {
                let pairs = lefts.iter().zip(&rights);
                per_copy(pairs.map(|(&left, &right)| apply(left, right)).collect())
            }
        }
    }
}
