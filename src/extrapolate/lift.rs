//! Lifting: predicates and cubes with buffered values in place of shared variables.
//!
//! `lift` of section 5.2: for every choice of one or more of the shared variables that are mentioned,
//! and of a slot for each of them, the predicate with the slots put in. Every occurrence of a
//! variable gets the same slot (rules 6 and 13), and two variables never get the same one.

use indexmap::IndexSet;
use itertools::Itertools;

use super::slots::Slots;
use crate::logic::{Predicate, Symbol};
use crate::program::VarId;

/// Which slot stands for which shared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifting(Vec<(VarId, VarId)>);

impl Lifting {
    /// What stands for a variable.
    pub fn apply(&self, var: VarId) -> VarId {
        let slot = self.0.iter().find(|(shared, _)| *shared == var);
        slot.map_or(var, |(_, slot)| *slot)
    }
}

/// The shared variables that have slots among those that some predicates mention.
pub fn liftable<'a>(
    predicates: impl Iterator<Item = &'a Predicate>,
    slots: &Slots,
) -> IndexSet<VarId> {
    let symbols = predicates.flat_map(|predicate| predicate.formula.symbols());
    let vars = symbols.filter_map(|symbol| match symbol {
        Symbol::Var(var) => Some(var),
        Symbol::Flag(_) | Symbol::Fact(_) => None,
    });
    vars.filter(|var| slots.values.contains_key(var))
        .sorted()
        .collect()
}

/// All liftings of some shared variables with at most `most` slots each, those with fewer slots first; `None` if
/// there are more than `limit`.
pub fn liftings(
    vars: &IndexSet<VarId>,
    slots: &Slots,
    most: usize,
    limit: usize,
) -> Option<Vec<Lifting>> {
    let choices: Vec<_> = vars.iter().map(|var| (*var, &slots.values[var])).collect();
    let distinct = choices.iter().flat_map(|(_, slots)| slots.iter()).unique();
    let largest = most.min(choices.len()).min(distinct.count());
    let mut found = Vec::new();
    for size in 1..=largest {
        Picks {
            choices: &choices,
            limit,
            found: &mut found,
        }
        .extend(0, size, &mut Vec::new());
    }
    (found.len() <= limit).then_some(found)
}

/// Picks slots for some variables, one after the other.
struct Picks<'a> {
    /// The variables, each with its slots.
    choices: &'a [(VarId, &'a Vec<VarId>)],
    limit: usize,
    found: &'a mut Vec<Lifting>,
}

impl Picks<'_> {
    /// Finds the liftings that begin with `picked`, go on behind the first `from` variables and have `missing` slots
    /// more: first those that pass the next variable over, then those with each of its slots. It ends once
    /// there are more than the limit.
    fn extend(&mut self, from: usize, missing: usize, picked: &mut Vec<(VarId, VarId)>) {
        if missing == 0 {
            self.found.push(Lifting(picked.clone()));
            return;
        }
        if self.choices.len() - from < missing || self.found.len() > self.limit {
            return;
        }
        self.extend(from + 1, missing, picked);
        let (var, slots) = self.choices[from];
        for &slot in slots {
            if picked.iter().all(|(_, taken)| *taken != slot) {
                picked.push((var, slot));
                self.extend(from + 1, missing - 1, picked);
                picked.pop();
            }
        }
    }
}
