//! Conditions in normal form.
//!
//! A [`Formula`] is a condition without negation: `!` is pushed to the comparisons, which are
//! `t == 0`, `t != 0` and `t <= 0` over terms without common divisor; conjunctions and disjunctions
//! are flat, sorted and free of duplicates. So conditions that differ only in how they are written
//! are equal values, and equal values print and hash alike. Control locations are atoms too.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexSet;

use super::fact::Fact;
use super::linear::{Linear, TooLarge, linear_cases};
use crate::front::cup::ast::CompareOp;
use crate::program::{Cond, LocId, ThreadId, VarId};

/// A condition in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    /// Always true.
    True,
    /// Always false.
    False,
    /// An atom.
    Atom(Atom),
    /// All of them; at least two.
    And(Vec<Formula>),
    /// One of them; at least two.
    Or(Vec<Formula>),
}

/// An atomic condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// `t == 0`
    Zero(Linear),
    /// `t != 0`
    NonZero(Linear),
    /// `t <= 0`
    NotPositive(Linear),
    /// Whether a thread is at one of some locations.
    At(Flag, bool),
    /// Whether a quantified predicate holds.
    Fact(Arc<Fact>, bool),
}

/// A thread and a set of its locations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flag {
    /// The thread.
    pub thread: ThreadId,
    /// The locations, in order.
    pub locations: Vec<LocId>,
}

/// What connects formulas: integer variables, location flags and facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// An integer variable.
    Var(VarId),
    /// A location flag.
    Flag(Flag),
    /// A quantified predicate.
    Fact(Arc<Fact>),
}

/// An assignment of values to what formulas speak of.
pub trait Valuation {
    /// The value of a variable.
    fn value(&self, var: VarId) -> i128;
    /// Whether a flag holds.
    fn holds(&self, flag: &Flag) -> bool;
    /// Whether a quantified predicate holds.
    fn satisfies(&self, fact: &Fact) -> bool;
}

impl Formula {
    /// The normal form of a program's condition.
    pub fn from_cond(cond: &Cond) -> Result<Formula, TooLarge> {
        Ok(match cond {
            Cond::Const(true) => Formula::True,
            Cond::Const(false) => Formula::False,
            Cond::Not(inner) => Formula::from_cond(inner)?.negated(),
            Cond::And(a, b) => Formula::and([Formula::from_cond(a)?, Formula::from_cond(b)?]),
            Cond::Or(a, b) => Formula::or([Formula::from_cond(a)?, Formula::from_cond(b)?]),
            Cond::Compare(op, a, b) => {
                let mut parts = Vec::new();
                for (left_guard, a) in linear_cases(a)? {
                    for (right_guard, b) in linear_cases(b)? {
                        let guard = Formula::and([left_guard.clone(), right_guard]);
                        parts.push(Formula::or([guard.negated(), compare(*op, &a, &b)]));
                    }
                }
                Formula::and(parts)
            }
            Cond::At(thread, locations) => Formula::at(*thread, locations),
        })
    }

    /// `t == 0`
    pub fn equal_zero(term: &Linear) -> Formula {
        let divisor = term.divisor();
        let constant = term.constant_part();
        if divisor == 0 {
            return Formula::constant(constant == 0);
        }
        if constant % divisor != 0 {
            return Formula::False;
        }
        let first = term.factors().next();
        let divisor = if first < Some(0) { -divisor } else { divisor };
        Formula::Atom(Atom::Zero(term.divided(divisor, constant / divisor)))
    }

    /// `t <= 0`
    pub fn not_positive(term: &Linear) -> Formula {
        let divisor = term.divisor();
        let constant = term.constant_part();
        if divisor == 0 {
            return Formula::constant(constant <= 0);
        }
        let rounded_up = -(-constant).div_euclid(divisor);
        Formula::Atom(Atom::NotPositive(term.divided(divisor, rounded_up)))
    }

    /// The thread is at one of these locations.
    pub fn at(thread: ThreadId, locations: &[LocId]) -> Formula {
        let locations: BTreeSet<LocId> = locations.iter().copied().collect();
        if locations.is_empty() {
            return Formula::False;
        }
        let locations = locations.into_iter().collect();
        Formula::Atom(Atom::At(Flag { thread, locations }, true))
    }

    /// The atom that a fact is.
    pub fn fact(fact: &Fact) -> Formula {
        Formula::Atom(Atom::Fact(Arc::new(fact.clone()), true))
    }

    /// A truth value.
    pub fn constant(value: bool) -> Formula {
        if value { Formula::True } else { Formula::False }
    }

    /// The conjunction.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat = BTreeSet::new();
        for part in parts {
            match part {
                Formula::True => {}
                Formula::False => return Formula::False,
                Formula::And(inner) => flat.extend(inner),
                part @ (Formula::Atom(_) | Formula::Or(_)) => _ = flat.insert(part),
            }
        }
        if has_opposites(&flat) {
            return Formula::False;
        }
        single_or(flat, Formula::True, Formula::And)
    }

    /// The disjunction.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat = BTreeSet::new();
        for part in parts {
            match part {
                Formula::False => {}
                Formula::True => return Formula::True,
                Formula::Or(inner) => flat.extend(inner),
                part @ (Formula::Atom(_) | Formula::And(_)) => _ = flat.insert(part),
            }
        }
        if has_opposites(&flat) {
            return Formula::True;
        }
        single_or(flat, Formula::False, Formula::Or)
    }

    /// The negation.
    #[must_use]
    pub fn negated(&self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Atom(atom) => atom.negated(),
            Formula::And(parts) => Formula::or(parts.iter().map(Formula::negated)),
            Formula::Or(parts) => Formula::and(parts.iter().map(Formula::negated)),
        }
    }

    /// The formula with terms put in place of some variables, all at once.
    #[must_use]
    pub fn substitute(&self, with: &[(VarId, Linear)]) -> Formula {
        match self {
            Formula::True | Formula::False => self.clone(),
            Formula::Atom(atom) => atom.substitute(with),
            Formula::And(parts) => Formula::and(parts.iter().map(|part| part.substitute(with))),
            Formula::Or(parts) => Formula::or(parts.iter().map(|part| part.substitute(with))),
        }
    }

    /// The formula with truth values in place of flags.
    #[must_use]
    pub fn decide_flags(&self, holds: &impl Fn(&Flag) -> bool) -> Formula {
        match self {
            Formula::Atom(Atom::At(flag, expected)) => Formula::constant(holds(flag) == *expected),
            Formula::True | Formula::False | Formula::Atom(_) => self.clone(),
            Formula::And(parts) => Formula::and(parts.iter().map(|part| part.decide_flags(holds))),
            Formula::Or(parts) => Formula::or(parts.iter().map(|part| part.decide_flags(holds))),
        }
    }

    /// The variables, flags and facts, in order of their first occurrence; with a fact all variables that its axioms
    /// speak of.
    pub fn symbols(&self) -> IndexSet<Symbol> {
        let mut symbols = IndexSet::new();
        self.collect_symbols(&mut symbols);
        symbols
    }

    /// Whether it holds; `None` where a term leaves `i128`.
    pub fn eval(&self, model: &impl Valuation) -> Option<bool> {
        match self {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::Atom(atom) => atom.eval(model),
            Formula::And(parts) => fold(parts, model, false),
            Formula::Or(parts) => fold(parts, model, true),
        }
    }

    fn collect_symbols(&self, symbols: &mut IndexSet<Symbol>) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Atom(Atom::Zero(term) | Atom::NonZero(term) | Atom::NotPositive(term)) => {
                symbols.extend(term.vars().into_iter().map(Symbol::Var));
            }
            Formula::Atom(Atom::At(flag, _)) => _ = symbols.insert(Symbol::Flag(flag.clone())),
            Formula::Atom(Atom::Fact(fact, _)) => {
                symbols.insert(Symbol::Fact(Arc::clone(fact)));
                symbols.extend(fact.connected().map(Symbol::Var));
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.collect_symbols(symbols));
            }
        }
    }
}

impl Atom {
    fn negated(&self) -> Formula {
        match self {
            Atom::Zero(term) => Formula::Atom(Atom::NonZero(term.clone())),
            Atom::NonZero(term) => Formula::Atom(Atom::Zero(term.clone())),
            Atom::NotPositive(term) => Formula::not_positive(&Linear::constant(1).plus(-1, term)),
            Atom::At(flag, value) => Formula::Atom(Atom::At(flag.clone(), !value)),
            Atom::Fact(fact, value) => Formula::Atom(Atom::Fact(Arc::clone(fact), !value)),
        }
    }

    fn substitute(&self, with: &[(VarId, Linear)]) -> Formula {
        match self {
            Atom::Zero(term) => Formula::equal_zero(&term.substitute(with)),
            Atom::NonZero(term) => Formula::equal_zero(&term.substitute(with)).negated(),
            Atom::NotPositive(term) => Formula::not_positive(&term.substitute(with)),
            Atom::At(..) | Atom::Fact(..) => Formula::Atom(self.clone()),
        }
    }

    fn eval(&self, model: &impl Valuation) -> Option<bool> {
        let value = |term: &Linear| term.value(|var| model.value(var));
        Some(match self {
            Atom::Zero(term) => value(term)? == 0,
            Atom::NonZero(term) => value(term)? != 0,
            Atom::NotPositive(term) => value(term)? <= 0,
            Atom::At(flag, expected) => model.holds(flag) == *expected,
            Atom::Fact(fact, expected) => model.satisfies(fact) == *expected,
        })
    }
}

fn compare(op: CompareOp, a: &Linear, b: &Linear) -> Formula {
    let difference = a.plus(-1, b);
    match op {
        CompareOp::Eq => Formula::equal_zero(&difference),
        CompareOp::Ne => Formula::equal_zero(&difference).negated(),
        CompareOp::Le => Formula::not_positive(&difference),
        CompareOp::Gt => Formula::not_positive(&difference).negated(),
        CompareOp::Ge => Formula::not_positive(&difference.times(-1)),
        CompareOp::Lt => Formula::not_positive(&difference.times(-1)).negated(),
    }
}

fn has_opposites(parts: &BTreeSet<Formula>) -> bool {
    let atoms = parts.iter().filter(|part| matches!(part, Formula::Atom(_)));
    atoms
        .into_iter()
        .any(|atom| parts.contains(&atom.negated()))
}

fn single_or(
    parts: BTreeSet<Formula>,
    empty: Formula,
    several: fn(Vec<Formula>) -> Formula,
) -> Formula {
    let mut parts: Vec<Formula> = parts.into_iter().collect();
    match parts.len() {
        0 => empty,
        1 => parts.remove(0),
        _ => several(parts),
    }
}

/// Whether some part is `wanted`, as that part's value; else the opposite.
fn fold(parts: &[Formula], model: &impl Valuation, wanted: bool) -> Option<bool> {
    for part in parts {
        if part.eval(model)? == wanted {
            return Some(wanted);
        }
    }
    Some(!wanted)
}
