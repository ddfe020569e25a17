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
        Symbol::Flag(_) => None,
    });
    vars.filter(|var| slots.values.contains_key(var))
        .sorted()
        .collect()
}

/// All liftings of some shared variables, with at most `most` slots each.
pub fn liftings(vars: &IndexSet<VarId>, slots: &Slots, most: usize) -> Vec<Lifting> {
    let choices = vars.iter().map(|var| {
        let buffered = slots.values[var].iter().map(|slot| Some((*var, *slot)));
        std::iter::once(None).chain(buffered).collect_vec()
    });
    let picks = choices.multi_cartesian_product();
    picks
        .map(|pick| pick.into_iter().flatten().collect_vec())
        .filter(|pick| (1..=most).contains(&pick.len()))
        .filter(|pick| pick.iter().map(|(_, slot)| slot).all_unique())
        .sorted_by_key(Vec::len)
        .map(Lifting)
        .collect()
}
