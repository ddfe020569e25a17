//! Linear integer terms in normal form.
//!
//! A [`Linear`] is `c + a·x + b·y + … + d·q + …` with non-zero coefficients in the order of the variables
//! `x`, `y`, … and of the quotients `q`, so terms that are written differently are mostly equal values; without
//! quotients, always. A [`Quotient`] is a linear term divided by a positive number and rounded down. It is a
//! function of the variables like any other, so that substitution and evaluation go through it; a
//! remainder `t % n` is `t - n·(t / n)`. Terms of the program enter through [`linear_cases`], which also
//! removes `Choice` terms: such a term is a list of guarded linear ones.
//!
//! Invariant: whatever comes from a program has coefficients below [`LIMIT`], so that one
//! substitution of such terms into another never leaves `i128`: a program has less than 2^17 variables. It
//! has at most [`MAX_QUOTIENTS`].

use super::formula::Formula;
use crate::front::cup::ast::ArithOp;
use crate::program::{Term, VarId};

/// Coefficients and constants of a program's terms stay below this.
const LIMIT: i128 = 1 << 54;

/// The most quotients of a program's term, those inside others included. A remainder names its dividend
/// twice, so remainders of remainders double.
const MAX_QUOTIENTS: usize = 256;

/// A term, or a number in it, is too large to reason about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a constant or coefficient exceeds 2^54, or divisions nest too deeply, which is too large to reason about"
)]
pub struct TooLarge;

/// A linear term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear {
    coefficients: Vec<(VarId, i128)>,
    quotients: Vec<(Quotient, i128)>,
    constant: i128,
}

/// A linear term divided by a number and rounded down.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quotient {
    dividend: Linear,
    divisor: i128,
}

/// A linear term and the condition under which it is meant.
pub type GuardedTerm = (Formula, Linear);

impl Quotient {
    /// What is divided.
    pub fn dividend(&self) -> &Linear {
        &self.dividend
    }

    /// The divisor, which is positive.
    pub fn divisor(&self) -> i128 {
        self.divisor
    }
}

/// The variables and the quotients of a term, each with its factor.
pub type Parts<'a> = (&'a [(VarId, i128)], &'a [(Quotient, i128)]);

impl Linear {
    /// A constant.
    pub fn constant(value: i128) -> Self {
        Linear {
            coefficients: Vec::new(),
            quotients: Vec::new(),
            constant: value,
        }
    }

    /// A variable.
    pub fn var(var: VarId) -> Self {
        Linear {
            coefficients: vec![(var, 1)],
            ..Linear::constant(0)
        }
    }

    /// A term divided by a positive number and rounded down.
    ///
    /// Multiples of the divisor come out of the quotient, common factors are cancelled, and the
    /// quotient of a quotient is one quotient, as far as the numbers stay below [`LIMIT`].
    pub fn quotient(dividend: Linear, divisor: i128) -> Self {
        debug_assert!(divisor > 0, "a divisor is positive");
        let whole = dividend.map(|value| value.div_euclid(divisor));
        if !whole.is_small() {
            return Linear::of_quotient(dividend, divisor);
        }
        let rest = dividend.plus(-divisor, &whole);
        if rest.is_constant() {
            return whole;
        }
        let common = gcd(rest.divisor(), divisor);
        let rest = rest.divided(common, rest.constant.div_euclid(common));
        let divisor = divisor / common;
        let inner = match &rest.quotients[..] {
            [(inner, 1)] if rest.coefficients.is_empty() => {
                inner.divided_again(rest.constant, divisor)
            }
            _ => None,
        };
        let quotient = inner.unwrap_or_else(|| Linear::of_quotient(rest, divisor));
        whole.plus(1, &quotient)
    }

    fn of_quotient(dividend: Linear, divisor: i128) -> Self {
        let quotient = Quotient { dividend, divisor };
        Linear {
            quotients: vec![(quotient, 1)],
            ..Linear::constant(0)
        }
    }

    /// Whether the constant and all coefficients are as small as those of a program's terms.
    pub fn is_small(&self) -> bool {
        let small = |value: i128| value.abs() < LIMIT;
        let small_quotient = |(quotient, factor): &(Quotient, i128)| {
            small(*factor) && small(quotient.divisor) && quotient.dividend.is_small()
        };
        small(self.constant)
            && self.coefficients.iter().all(|&(_, a)| small(a))
            && self.quotients.iter().all(small_quotient)
    }

    /// The constant part.
    pub fn constant_part(&self) -> i128 {
        self.constant
    }

    /// Variables with their coefficients, and quotients with theirs.
    pub fn parts(&self) -> Parts<'_> {
        (&self.coefficients, &self.quotients)
    }

    /// All coefficients, those of variables first.
    pub fn factors(&self) -> impl Iterator<Item = i128> + '_ {
        let of_quotients = self.quotients.iter().map(|&(_, factor)| factor);
        let of_vars = self.coefficients.iter().map(|&(_, factor)| factor);
        of_vars.chain(of_quotients)
    }

    /// The variables, those of quotients included, each as often as it occurs.
    pub fn vars(&self) -> Vec<VarId> {
        let mut vars: Vec<VarId> = self.coefficients.iter().map(|&(var, _)| var).collect();
        let quotients = self.quotients.iter();
        vars.extend(quotients.flat_map(|(quotient, _)| quotient.dividend.vars()));
        vars
    }

    /// Whether it has a quotient.
    pub fn has_quotient(&self) -> bool {
        !self.quotients.is_empty()
    }

    /// Whether it mentions nothing.
    fn is_constant(&self) -> bool {
        self.coefficients.is_empty() && self.quotients.is_empty()
    }

    /// `self + factor * other`
    #[must_use]
    pub fn plus(&self, factor: i128, other: &Linear) -> Linear {
        Linear {
            coefficients: merged(&self.coefficients, factor, &other.coefficients),
            quotients: merged(&self.quotients, factor, &other.quotients),
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
        let sum =
            self.coefficients
                .iter()
                .fold(start, |sum, &(var, factor)| match find(with, var) {
                    Some(term) => sum.plus(factor, term),
                    None => sum.plus(factor, &Linear::var(var)),
                });
        self.quotients.iter().fold(sum, |sum, (quotient, factor)| {
            let dividend = quotient.dividend.substitute(with);
            sum.plus(*factor, &Linear::quotient(dividend, quotient.divisor))
        })
    }

    /// The value of the term, or `None` where it leaves `i128`.
    pub fn value(&self, values: impl Fn(VarId) -> i128) -> Option<i128> {
        self.value_at(&values)
    }

    fn value_at(&self, values: &impl Fn(VarId) -> i128) -> Option<i128> {
        let vars = self.coefficients.iter();
        let mut sum = vars
            .map(|&(var, factor)| (values(var), factor))
            .try_fold(self.constant, add_product)?;
        for (quotient, factor) in &self.quotients {
            let value = quotient.dividend.value_at(values)?;
            sum = add_product(sum, (value.div_euclid(quotient.divisor), *factor))?;
        }
        Some(sum)
    }

    /// The greatest common divisor of the coefficients, 0 if there are none.
    pub(super) fn divisor(&self) -> i128 {
        self.factors()
            .fold(0, |divisor, factor| gcd(divisor, factor.abs()))
    }

    /// Coefficients divided by `divisor`, which divides them, and a new constant.
    pub(super) fn divided(&self, divisor: i128, constant: i128) -> Linear {
        Linear {
            constant,
            ..self.map(|factor| factor / divisor)
        }
    }

    /// The term with other coefficients and another constant; those that become 0 go.
    fn map(&self, change: impl Fn(i128) -> i128) -> Linear {
        let coefficients = self.coefficients.iter();
        let coefficients = coefficients.map(|&(var, factor)| (var, change(factor)));
        let quotients = self.quotients.iter();
        let quotients = quotients.map(|(quotient, factor)| (quotient.clone(), change(*factor)));
        Linear {
            coefficients: coefficients.filter(|&(_, factor)| factor != 0).collect(),
            quotients: quotients.filter(|&(_, factor)| factor != 0).collect(),
            constant: change(self.constant),
        }
    }

    /// The number of quotients, those inside others included.
    fn quotient_count(&self) -> usize {
        let quotients = self.quotients.iter();
        let counts = quotients.map(|(quotient, _)| 1 + quotient.dividend.quotient_count());
        counts.sum()
    }

    fn checked(self) -> Result<Linear, TooLarge> {
        if self.is_small() && self.quotient_count() <= MAX_QUOTIENTS {
            Ok(self)
        } else {
            Err(TooLarge)
        }
    }
}

impl Quotient {
    /// The quotient plus a number divided once more, as one quotient; `None` if its numbers get large.
    fn divided_again(&self, plus: i128, divisor: i128) -> Option<Linear> {
        let both = self.divisor.checked_mul(divisor).filter(|&d| d < LIMIT)?;
        let dividend = self
            .dividend
            .plus(plus.checked_mul(self.divisor)?, &Linear::constant(1));
        dividend
            .is_small()
            .then(|| Linear::quotient(dividend, both))
    }
}

fn add_product(sum: i128, (value, factor): (i128, i128)) -> Option<i128> {
    sum.checked_add(factor.checked_mul(value)?)
}

/// The sum of what has coefficients, the right side times a factor.
fn merged<K: Clone + Ord>(
    mut left: &[(K, i128)],
    factor: i128,
    mut right: &[(K, i128)],
) -> Vec<(K, i128)> {
    let mut sum = Vec::with_capacity(left.len());
    loop {
        let (base, value) = match (left, right) {
            ([], []) => break,
            ([(x, a), rest @ ..], [(y, _), ..]) if x < y => (x, take(*a, &mut left, rest)),
            ([(x, a), rest @ ..], []) => (x, take(*a, &mut left, rest)),
            ([(x, a), rest @ ..], [(y, b), more @ ..]) if x == y => {
                left = rest;
                (x, a + factor * take(*b, &mut right, more))
            }
            (_, [(y, b), more @ ..]) => (y, factor * take(*b, &mut right, more)),
        };
        if value != 0 {
            sum.push((base.clone(), value));
        }
    }
    sum
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
                ArithOp::Div => Linear::quotient(a.clone(), divisor(b)),
                ArithOp::Mod => {
                    let divisor = divisor(b);
                    a.plus(-divisor, &Linear::quotient(a.clone(), divisor))
                }
            };
            cases.push((guard, term.checked()?));
        }
    }
    Ok(cases)
}

/// A product of which one side is constant, as the static rules ask.
fn product(a: &Linear, b: &Linear) -> Linear {
    if a.is_constant() {
        b.times(a.constant)
    } else {
        assert!(b.is_constant(), "one side of a product is constant");
        a.times(b.constant)
    }
}

/// What a term is divided by, as the static rules ask.
fn divisor(term: &Linear) -> i128 {
    assert!(
        term.is_constant() && term.constant > 0,
        "a divisor is a positive constant"
    );
    term.constant
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
