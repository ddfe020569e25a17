//! Sets of literals, as bits.

use crate::logic::{Literal, Predicate, PredicateId, Valuation};

/// A set of literals: bit `2i + 1` is predicate `i`, bit `2i` its negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralSet(Box<[u64]>);

/// The literal with a number.
pub fn literal(number: usize) -> Literal {
    Literal {
        predicate: PredicateId::new(number / 2),
        positive: number % 2 == 1,
    }
}

/// The number of a literal.
pub fn number(literal: Literal) -> usize {
    2 * literal.predicate.index() + usize::from(literal.positive)
}

impl LiteralSet {
    /// The empty set, for the literals of this many predicates.
    pub fn empty(predicates: usize) -> Self {
        LiteralSet(vec![0; (2 * predicates).div_ceil(64)].into_boxed_slice())
    }

    /// All literals of some of the predicates.
    pub fn of(members: &[PredicateId], predicates: usize) -> Self {
        let mut set = LiteralSet::empty(predicates);
        for member in members {
            set.insert(2 * member.index());
            set.insert(2 * member.index() + 1);
        }
        set
    }

    /// The literals that hold in a model; `None` if some predicate has no value there.
    pub fn true_in(model: &impl Valuation, predicates: &[Predicate]) -> Option<Self> {
        let mut set = LiteralSet::empty(predicates.len());
        for (index, predicate) in predicates.iter().enumerate() {
            let value = predicate.formula.eval(model)?;
            set.insert(2 * index + usize::from(value));
        }
        Some(set)
    }

    /// Adds a literal.
    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Removes a literal.
    pub fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Whether a literal is in it.
    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Removes the literals of another set.
    pub fn subtract(&mut self, other: &LiteralSet) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine &= !theirs;
        }
    }

    /// The literals in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.0.iter().enumerate();
        words.flat_map(|(index, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(64 * index + bit)
            })
        })
    }
}
