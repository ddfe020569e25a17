//! Predicates, literals and cubes.
//!
//! A predicate keeps the condition as it was written, for printing, and its normal form, which is
//! what it is compared by. Lists of predicates have no two with the same normal form.

use std::sync::Arc;

use indexmap::IndexSet;
use itertools::Itertools;

use super::fact::Fact;
use super::formula::{Flag, Formula};
use super::linear::TooLarge;
use super::rename::rename_cond;
use crate::program::{Cond, Program, VarId, cond_text, operand_text};

/// A predicate: an index into a list of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(u32);

/// A condition that is tracked by a boolean variable.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// As it was written.
    pub meaning: Meaning,
    /// Its normal form.
    pub formula: Formula,
}

/// What a predicate says.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A condition.
    Cond(Cond),
    /// Something about all entries of a FIFO.
    Fact(Arc<Fact>),
}

/// A predicate or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// The predicate.
    pub predicate: PredicateId,
    /// Whether it is the predicate itself.
    pub positive: bool,
}

/// A conjunction of literals of different predicates, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube(Vec<Literal>);

impl PredicateId {
    /// The predicate with this index.
    pub fn new(index: usize) -> Self {
        PredicateId(u32::try_from(index).expect("there are fewer than 2^32 predicates"))
    }

    /// Its index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Predicate {
    /// The predicate that a condition is.
    pub fn new(cond: Cond) -> Result<Self, TooLarge> {
        let formula = Formula::from_cond(&cond)?;
        Ok(Predicate {
            meaning: Meaning::Cond(cond),
            formula,
        })
    }

    /// The predicate that a fact is.
    pub fn of_fact(fact: Fact) -> Self {
        Predicate {
            formula: Formula::fact(&fact),
            meaning: Meaning::Fact(Arc::new(fact)),
        }
    }

    /// The predicate with other variables; a fact stays what it is.
    pub fn renamed(&self, rename: &impl Fn(VarId) -> VarId) -> Result<Self, TooLarge> {
        match &self.meaning {
            Meaning::Cond(cond) => Predicate::new(rename_cond(cond, rename)),
            Meaning::Fact(_) => Ok(self.clone()),
        }
    }

    /// The condition that it is, unless it is a fact.
    pub fn cond(&self) -> Option<&Cond> {
        match &self.meaning {
            Meaning::Cond(cond) => Some(cond),
            Meaning::Fact(_) => None,
        }
    }

    /// The fact that it is, if it is one.
    pub fn fact(&self) -> Option<&Arc<Fact>> {
        match &self.meaning {
            Meaning::Cond(_) => None,
            Meaning::Fact(fact) => Some(fact),
        }
    }

    /// The predicate that a thread is at one of some locations.
    pub fn flag(flag: &Flag) -> Self {
        Predicate {
            meaning: Meaning::Cond(Cond::At(flag.thread, flag.locations.clone())),
            formula: Formula::at(flag.thread, &flag.locations),
        }
    }

    /// Its text.
    pub fn text(&self, program: &Program) -> String {
        match &self.meaning {
            Meaning::Cond(cond) => cond_text(program, cond),
            Meaning::Fact(fact) => fact.text(program),
        }
    }

    /// Its text behind `!` or beside `&&`.
    fn operand_text(&self, program: &Program) -> String {
        match &self.meaning {
            Meaning::Cond(cond) => operand_text(program, cond),
            Meaning::Fact(fact) => fact.operand_text(program),
        }
    }
}

impl Literal {
    /// The formula that it stands for.
    pub fn formula(self, predicates: &[Predicate]) -> Formula {
        let formula = &predicates[self.predicate.index()].formula;
        if self.positive {
            formula.clone()
        } else {
            formula.negated()
        }
    }

    /// The opposite literal.
    #[must_use]
    pub fn negated(self) -> Literal {
        Literal {
            positive: !self.positive,
            ..self
        }
    }

    /// Its text in a cube: `p`, or `!(p)`.
    pub fn text(self, program: &Program, predicates: &[Predicate]) -> String {
        let predicate = &predicates[self.predicate.index()];
        if self.positive {
            predicate.operand_text(program)
        } else {
            format!("!({})", predicate.text(program))
        }
    }
}

impl Cube {
    /// The cube of some literals; `None` if two of them are opposite.
    pub fn new(literals: impl IntoIterator<Item = Literal>) -> Option<Self> {
        let mut literals: Vec<Literal> = literals.into_iter().collect();
        literals.sort_unstable();
        literals.dedup();
        let distinct = literals
            .windows(2)
            .all(|pair| pair[0].predicate != pair[1].predicate);
        distinct.then_some(Cube(literals))
    }

    /// Its literals.
    pub fn literals(&self) -> &[Literal] {
        &self.0
    }

    /// The number of its literals.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Whether every literal of `other` is one of it.
    pub fn contains(&self, other: &Cube) -> bool {
        other.0.iter().all(|l| self.0.binary_search(l).is_ok())
    }

    /// The formula that it stands for.
    pub fn formula(&self, predicates: &[Predicate]) -> Formula {
        Formula::and(self.0.iter().map(|literal| literal.formula(predicates)))
    }

    /// Its text.
    pub fn text(&self, program: &Program, predicates: &[Predicate]) -> String {
        let literals = self.0.iter();
        let texts: Vec<String> = literals.map(|l| l.text(program, predicates)).collect();
        texts.join(" && ")
    }
}

/// Orders cubes by size, then by their literals.
pub fn sort_cubes(cubes: &mut [Cube]) {
    cubes.sort_by(|a, b| a.size().cmp(&b.size()).then_with(|| a.cmp(b)));
}

/// Removes cubes that contain another one, and sorts the rest.
pub fn minimal_cubes(mut cubes: Vec<Cube>) -> Vec<Cube> {
    sort_cubes(&mut cubes);
    let mut kept: IndexSet<Cube> = IndexSet::new();
    for cube in cubes {
        if !contains_one(&cube, &kept) {
            kept.insert(cube);
        }
    }
    kept.into_iter().collect()
}

/// Whether a cube contains one of some cubes. Small cubes have fewer parts than there are other cubes, so
/// the parts are looked up.
fn contains_one(cube: &Cube, others: &IndexSet<Cube>) -> bool {
    let parts = u32::try_from(cube.size()).map_or(usize::MAX, |size| 2usize.saturating_pow(size));
    if parts < others.len() {
        let mut parts = cube.0.iter().copied().powerset();
        parts.any(|part| others.contains(&Cube(part)))
    } else {
        others.iter().any(|other| cube.contains(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(literals: &[i32]) -> Cube {
        let literal = |&number: &i32| Literal {
            predicate: PredicateId::new(number.unsigned_abs() as usize),
            positive: number > 0,
        };
        Cube::new(literals.iter().map(literal)).expect("no two are opposite")
    }

    #[test]
    fn cubes_that_contain_another_one_are_removed() {
        // So many pairs that the parts of a cube are looked up, and some with what is not there.
        let mut cubes: Vec<Cube> = (2..40).map(|number| cube(&[1, -number])).collect();
        let minimal = minimal_cubes(cubes.clone());
        cubes.extend([cube(&[1, -7, 9]), cube(&[1, -7]), cube(&[3, 1, 2, -39])]);
        cubes.extend([cube(&[1, 7, 9]), cube(&[-1, -7, 9]), cube(&[50])]);
        cubes.push(cube(&[50, 51]));
        let found = minimal_cubes(cubes);
        let expected = [
            vec![cube(&[50])],
            minimal,
            vec![cube(&[-1, -7, 9]), cube(&[1, 7, 9])],
        ];
        assert_eq!(found, expected.concat());
    }
}
