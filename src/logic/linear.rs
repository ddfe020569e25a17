//! Linear integer terms in normal form.
//!
//! A [`Linear`] is `c + a·x + b·y + …` with non-zero coefficients in the order of the variables, so
//! equal terms are equal values. Terms of the program enter through [`linear_cases`], which also
//! removes `Choice` terms: such a term is a list of guarded linear ones.
//!
//! Invariant: whatever comes from a program has coefficients below [`LIMIT`], so that one
//! substitution of such terms into another never leaves `i128`: a program has less than 2^17 variables.

use super::formula::Formula;
use crate::lang::ast::ArithOp;
use crate::program::{Term, VarId};

/// Coefficients and constants of a program's terms stay below this.
const LIMIT: i128 = 1 << 54;

/// A number in a term is too large to reason about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a constant or coefficient exceeds 2^54, which is too large to reason about")]
pub struct TooLarge;

/// A linear term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear {
    coefficients: Vec<(VarId, i128)>,
    constant: i128,
}

/// A linear term and the condition under which it is meant.
pub type GuardedTerm = (Formula, Linear);

impl Linear {
    /// A constant.
    pub fn constant(value: i128) -> Self {
        Linear {
            coefficients: Vec::new(),
            constant: value,
        }
    }

    /// A variable.
    pub fn var(var: VarId) -> Self {
        Linear {
            coefficients: vec![(var, 1)],
            constant: 0,
        }
    }

    /// Whether the constant and all coefficients are as small as those of a program's terms.
    pub fn is_small(&self) -> bool {
        let small = |value: i128| value.abs() < LIMIT;
        small(self.constant) && self.coefficients.iter().all(|&(_, a)| small(a))
    }

    /// The constant part.
    pub fn constant_part(&self) -> i128 {
        self.constant
    }

    /// Variables with their coefficients.
    pub fn coefficients(&self) -> &[(VarId, i128)] {
        &self.coefficients
    }

    /// `self + factor * other`
    #[must_use]
    pub fn plus(&self, factor: i128, other: &Linear) -> Linear {
        let mut coefficients = Vec::with_capacity(self.coefficients.len());
        let (mut left, mut right) = (self.coefficients.as_slice(), other.coefficients.as_slice());
        loop {
            let (var, value) = match (left, right) {
                ([], []) => break,
                ([(x, a), rest @ ..], [(y, _), ..]) if x < y => (*x, take(*a, &mut left, rest)),
                ([(x, a), rest @ ..], []) => (*x, take(*a, &mut left, rest)),
                ([(x, a), rest @ ..], [(y, b), more @ ..]) if x == y => {
                    left = rest;
                    (*x, a + factor * take(*b, &mut right, more))
                }
                (_, [(y, b), more @ ..]) => (*y, factor * take(*b, &mut right, more)),
            };
            if value != 0 {
                coefficients.push((var, value));
            }
        }
        Linear {
            coefficients,
            constant: self.constant + factor * other.constant,
        }
    }

    /// `factor * self`
    #[must_use]
    pub fn times(&self, factor: i128) -> Linear {
        Linear::constant(0).plus(factor, self)
    }

    /// The term with terms put in place of some variables, all at once.
    #[must_use]
    pub fn substitute(&self, with: &[(VarId, Linear)]) -> Linear {
        let start = Linear::constant(self.constant);
        self.coefficients
            .iter()
            .fold(start, |sum, &(var, factor)| match find(with, var) {
                Some(term) => sum.plus(factor, term),
                None => sum.plus(factor, &Linear::var(var)),
            })
    }

    /// The value of the term, or `None` where it leaves `i128`.
    pub fn value(&self, values: impl Fn(VarId) -> i128) -> Option<i128> {
        self.coefficients
            .iter()
            .try_fold(self.constant, |sum, &(var, factor)| {
                sum.checked_add(factor.checked_mul(values(var))?)
            })
    }

    /// The greatest common divisor of the coefficients, 0 if there are none.
    pub(super) fn divisor(&self) -> i128 {
        self.coefficients
            .iter()
            .fold(0, |divisor, &(_, factor)| gcd(divisor, factor.abs()))
    }

    /// Coefficients divided by `divisor`, which divides them, and a new constant.
    pub(super) fn divided(&self, divisor: i128, constant: i128) -> Linear {
        let divide = |&(var, factor): &(VarId, i128)| (var, factor / divisor);
        Linear {
            coefficients: self.coefficients.iter().map(divide).collect(),
            constant,
        }
    }

    fn checked(self) -> Result<Linear, TooLarge> {
        if self.is_small() {
            Ok(self)
        } else {
            Err(TooLarge)
        }
    }
}

/// The term as guarded linear terms. The guards exclude each other, and one of them holds wherever
/// every index is in range.
pub fn linear_cases(term: &Term) -> Result<Vec<GuardedTerm>, TooLarge> {
    match term {
        Term::Const(value) => Ok(vec![(
            Formula::True,
            Linear::constant(i128::from(*value)).checked()?,
        )]),
        Term::Var(var) => Ok(vec![(Formula::True, Linear::var(*var))]),
        Term::Neg(inner) => linear_cases(inner)?
            .into_iter()
            .map(|(guard, term)| Ok((guard, term.times(-1))))
            .collect(),
        Term::Binary(op, left, right) => combine(*op, &linear_cases(left)?, &linear_cases(right)?),
        Term::Choice(index, elements) => choose(&linear_cases(index)?, elements),
    }
}

/// The guard under which an index is `position`, for each case of the index.
pub(super) fn index_guard(index: &[GuardedTerm], position: usize) -> Formula {
    let position = Linear::constant(i128::try_from(position).expect("an array's size fits"));
    Formula::or(index.iter().map(|(guard, term)| {
        Formula::and([
            guard.clone(),
            Formula::equal_zero(&term.plus(-1, &position)),
        ])
    }))
}

fn choose(index: &[GuardedTerm], elements: &[Term]) -> Result<Vec<GuardedTerm>, TooLarge> {
    let mut cases = Vec::new();
    for (position, element) in elements.iter().enumerate() {
        let here = index_guard(index, position);
        if here == Formula::False {
            continue;
        }
        for (guard, term) in linear_cases(element)? {
            cases.push((Formula::and([here.clone(), guard]), term));
        }
    }
    Ok(cases)
}

fn combine(
    op: ArithOp,
    left: &[GuardedTerm],
    right: &[GuardedTerm],
) -> Result<Vec<GuardedTerm>, TooLarge> {
    let mut cases = Vec::with_capacity(left.len() * right.len());
    for (left_guard, a) in left {
        for (right_guard, b) in right {
            let guard = Formula::and([left_guard.clone(), right_guard.clone()]);
            let term = match op {
                ArithOp::Add => a.plus(1, b),
                ArithOp::Sub => a.plus(-1, b),
                ArithOp::Mul => product(a, b),
            };
            cases.push((guard, term.checked()?));
        }
    }
    Ok(cases)
}

/// A product of which one side is constant, as the static rules ask.
fn product(a: &Linear, b: &Linear) -> Linear {
    if a.coefficients.is_empty() {
        b.times(a.constant)
    } else {
        assert!(
            b.coefficients.is_empty(),
            "one side of a product is constant"
        );
        a.times(b.constant)
    }
}

fn find(with: &[(VarId, Linear)], var: VarId) -> Option<&Linear> {
    with.iter().find(|(x, _)| *x == var).map(|(_, term)| term)
}

fn take<'a, T>(value: i128, from: &mut &'a [T], rest: &'a [T]) -> i128 {
    *from = rest;
    value
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
