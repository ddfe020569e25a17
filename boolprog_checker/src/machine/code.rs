//! Expressions over frame bits and their value in Kleene's three-valued logic.
//!
//! Each `*` and each `schoose` chooses on its own, so where all variables are known, "unknown" means
//! exactly that both values are possible: the same evaluation serves the exact search.

use super::FrameBit;

/// A value: `None` is unknown.
pub(crate) type Tri = Option<bool>;

/// Gives the value of a frame bit.
pub(crate) trait Valuation {
    /// The value of the variable at `bit`.
    fn get(&self, bit: FrameBit) -> Tri;
}

/// An expression over frame bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Const(bool),
    Nondet,
    Var(FrameBit),
    Not(Box<Code>),
    And(Vec<Code>),
    Or(Vec<Code>),
    Xor(Box<Code>, Box<Code>),
    Ite(Box<Code>, Box<Code>, Box<Code>),
    Schoose(Box<Code>, Box<Code>),
}

impl Code {
    /// The value of the expression.
    pub(crate) fn eval(&self, valuation: &impl Valuation) -> Tri {
        match self {
            Self::Const(value) => Some(*value),
            Self::Nondet => None,
            Self::Var(bit) => valuation.get(*bit),
            Self::Not(e) => e.eval(valuation).map(|value| !value),
            Self::And(parts) => dominated(parts, false, valuation),
            Self::Or(parts) => dominated(parts, true, valuation),
            Self::Xor(e, f) => Some(e.eval(valuation)? ^ f.eval(valuation)?),
            Self::Ite(c, e, f) => match c.eval(valuation) {
                Some(true) => e.eval(valuation),
                Some(false) => f.eval(valuation),
                None => agreement(e.eval(valuation), f.eval(valuation)),
            },
            Self::Schoose(positive, negative) => match positive.eval(valuation) {
                Some(true) => Some(true),
                Some(false) if negative.eval(valuation) == Some(true) => Some(false),
                Some(false) | None => None,
            },
        }
    }

    /// The same expression with negations pushed through `&`, `|` and `!`, so that the negation of
    /// a disjunction is a list of conjuncts.
    pub(crate) fn pushed(self) -> Self {
        match self {
            Self::Not(inner) => match *inner {
                Self::Not(e) => e.pushed(),
                Self::And(parts) => Self::Or(negated(parts)),
                Self::Or(parts) => Self::And(negated(parts)),
                Self::Const(value) => Self::Const(!value),
                other @ (Self::Nondet
                | Self::Var(_)
                | Self::Xor(..)
                | Self::Ite(..)
                | Self::Schoose(..)) => Self::Not(Box::new(other)),
            },
            Self::And(parts) => Self::And(parts.into_iter().map(Self::pushed).collect()),
            Self::Or(parts) => Self::Or(parts.into_iter().map(Self::pushed).collect()),
            other @ (Self::Const(_)
            | Self::Nondet
            | Self::Var(_)
            | Self::Xor(..)
            | Self::Ite(..)
            | Self::Schoose(..)) => other,
        }
    }

    /// The disjuncts of an argument of `schoose`.
    pub(crate) fn disjuncts(&self) -> &[Self] {
        match self {
            Self::Or(parts) => parts,
            Self::Const(_)
            | Self::Nondet
            | Self::Var(_)
            | Self::Not(_)
            | Self::And(_)
            | Self::Xor(..)
            | Self::Ite(..)
            | Self::Schoose(..) => std::slice::from_ref(self),
        }
    }

    /// Whether the expression is nondeterministic.
    pub(crate) fn chooses(&self) -> bool {
        match self {
            Self::Nondet | Self::Schoose(..) => true,
            Self::Const(_) | Self::Var(_) => false,
            Self::Not(e) => e.chooses(),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::chooses),
            Self::Xor(e, f) => e.chooses() || f.chooses(),
            Self::Ite(c, e, f) => c.chooses() || e.chooses() || f.chooses(),
        }
    }

    /// Adds the variables of the expression to `bits`.
    pub(crate) fn collect_bits(&self, bits: &mut Vec<FrameBit>) {
        match self {
            Self::Const(_) | Self::Nondet => {}
            Self::Var(bit) => bits.push(*bit),
            Self::Not(e) => e.collect_bits(bits),
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().for_each(|part| part.collect_bits(bits))
            }
            Self::Xor(e, f) | Self::Schoose(e, f) => {
                e.collect_bits(bits);
                f.collect_bits(bits);
            }
            Self::Ite(c, e, f) => {
                c.collect_bits(bits);
                e.collect_bits(bits);
                f.collect_bits(bits);
            }
        }
    }
}

fn negated(parts: Vec<Code>) -> Vec<Code> {
    parts
        .into_iter()
        .map(|part| Code::Not(Box::new(part)).pushed())
        .collect()
}

/// A conjunction (`dominant` false) or disjunction (`dominant` true).
fn dominated(parts: &[Code], dominant: bool, valuation: &impl Valuation) -> Tri {
    let mut result = Some(!dominant);
    for part in parts {
        match part.eval(valuation) {
            Some(value) if value == dominant => return Some(dominant),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

fn agreement(left: Tri, right: Tri) -> Tri {
    if left == right { left } else { None }
}
