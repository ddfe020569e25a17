//! Sets of literals over a cone, as bits.

use crate::logic::{Literal, Predicate, PredicateId};
use crate::smt::Model;

/// A set of literals: bit `2i + 1` is predicate `i` of the cone, bit `2i` its negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralSet(Box<[u64]>);

/// The predicates of a cone, numbered.
pub struct Cone<'a> {
    predicates: &'a [Predicate],
    members: Vec<PredicateId>,
}

impl<'a> Cone<'a> {
    /// A cone with these members.
    pub fn new(predicates: &'a [Predicate], members: Vec<PredicateId>) -> Self {
        Cone {
            predicates,
            members,
        }
    }

    /// The number of literals.
    pub fn literal_count(&self) -> usize {
        2 * self.members.len()
    }

    /// The literal with this number.
    pub fn literal(&self, number: usize) -> Literal {
        Literal {
            predicate: self.members[number / 2],
            positive: number % 2 == 1,
        }
    }

    /// The number of a literal, if its predicate is in the cone.
    pub fn number(&self, literal: Literal) -> Option<usize> {
        let position = self.members.binary_search(&literal.predicate).ok()?;
        Some(2 * position + usize::from(literal.positive))
    }

    /// The set of all literals.
    pub fn all(&self) -> LiteralSet {
        let mut set = LiteralSet::empty(self.literal_count());
        (0..self.literal_count()).for_each(|number| set.insert(number));
        set
    }

    /// The literals that hold in a model; `None` if some predicate has no value there.
    pub fn true_in(&self, model: &Model) -> Option<LiteralSet> {
        let mut set = LiteralSet::empty(self.literal_count());
        for (position, member) in self.members.iter().enumerate() {
            let value = self.predicates[member.index()].formula.eval(model)?;
            set.insert(2 * position + usize::from(value));
        }
        Some(set)
    }
}

impl LiteralSet {
    /// The empty set, for this many literals.
    pub fn empty(literal_count: usize) -> Self {
        LiteralSet(vec![0; literal_count.div_ceil(64)].into_boxed_slice())
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
        let count = 64 * self.0.len();
        (0..count).filter(|&number| self.contains(number))
    }
}
