//! Formulas as cases: disjunctions of conjunctions of differences.
//!
//! Most formulas of the pipeline compare a variable with a constant or with another variable plus a
//! constant. Those, and only those, have cases ([`CasesOf::cases`]); conjunctions of them are
//! decided without the solver (`difference`).

use std::sync::Arc;

use indexmap::IndexSet;

use crate::logic::{Atom, Formula, Linear, Symbol};
use crate::program::VarId;

/// A place in an assignment: 0 stands for the number zero, `v + 1` for the variable `v`.
pub(super) type Node = usize;

/// `high - low <= value`, or `high - low != value`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub high: Node,
    pub low: Node,
    pub value: i64,
}

impl Difference {
    /// `low - high <= -value`, or `!=`.
    pub fn swapped(self) -> Self {
        Difference {
            high: self.low,
            low: self.high,
            value: -self.value,
        }
    }

    /// `high - low <= value - 1`, which is `<`.
    pub fn lowered(self) -> Self {
        Difference {
            value: self.value - 1,
            ..self
        }
    }
}

/// A condition of a case.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constraint {
    /// The difference is at most the value.
    AtMost(Difference),
    /// The difference is not the value.
    Differs(Difference),
    /// The flag with this number has this value.
    Flag(usize, bool),
}

/// One of the conjunctions holds.
pub(super) type Cases = Vec<Vec<Constraint>>;

/// The most cases of a formula.
const MAX_CASES: usize = 64;

/// Values of differences stay below this, so that sums of many of them fit into `i64`.
const LIMIT: i128 = 1 << 40;

/// Turns formulas into cases; numbers their variables, flags and facts.
#[derive(Default)]
pub(super) struct CasesOf {
    /// The flags and facts seen so far.
    pub flags: IndexSet<Symbol>,
    /// The number of places that an assignment needs.
    pub nodes: usize,
}

impl CasesOf {
    /// The cases of a formula; `None` if it is none of differences, or has too many cases.
    pub fn cases(&mut self, formula: &Formula) -> Option<Cases> {
        match formula {
            Formula::True => Some(vec![Vec::new()]),
            Formula::False => Some(Vec::new()),
            Formula::Atom(atom) => Some(vec![self.atom(atom)?]),
            Formula::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.cases(part)?);
                }
                (all.len() <= MAX_CASES).then_some(all)
            }
            Formula::And(parts) => {
                let mut all: Cases = vec![Vec::new()];
                for part in parts {
                    all = product(&all, &self.cases(part)?)?;
                }
                Some(all)
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> Option<Vec<Constraint>> {
        Some(match atom {
            Atom::NotPositive(term) => vec![Constraint::AtMost(self.difference(term)?)],
            Atom::NonZero(term) => vec![Constraint::Differs(self.difference(term)?)],
            Atom::Zero(term) => {
                let difference = self.difference(term)?;
                let both = [difference, difference.swapped()];
                both.map(Constraint::AtMost).into()
            }
            Atom::At(flag, value) => self.truth(Symbol::Flag(flag.clone()), *value),
            Atom::Fact(fact, value) => self.truth(Symbol::Fact(Arc::clone(fact)), *value),
        })
    }

    fn truth(&mut self, symbol: Symbol, value: bool) -> Vec<Constraint> {
        vec![Constraint::Flag(self.flag(symbol), value)]
    }

    /// The number of a flag or a fact.
    pub fn flag(&mut self, symbol: Symbol) -> usize {
        self.flags.insert_full(symbol).0
    }

    /// The term as `high - low - value`.
    pub fn difference(&mut self, term: &Linear) -> Option<Difference> {
        let constant = term.constant_part();
        if constant.abs() >= LIMIT {
            return None;
        }
        let value = i64::try_from(-constant).ok()?;
        let (high, low) = match term.parts() {
            (&[(x, 1)], []) => (self.node(x), 0),
            (&[(x, -1)], []) => (0, self.node(x)),
            (&[(x, 1), (y, -1)], []) => (self.node(x), self.node(y)),
            (&[(x, -1), (y, 1)], []) => (self.node(y), self.node(x)),
            _ => return None,
        };
        Some(Difference { high, low, value })
    }

    fn node(&mut self, var: VarId) -> Node {
        let node = var.index() + 1;
        self.nodes = self.nodes.max(node + 1);
        node
    }
}

fn product(left: &Cases, right: &Cases) -> Option<Cases> {
    if left.len() * right.len() > MAX_CASES {
        return None;
    }
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
    Some(pairs.map(|(a, b)| [a.as_slice(), b].concat()).collect())
}
