//! What fences cost.
//!
//! Every place costs 1, unless it is given another cost, or stands in a loop and places in loops do. A placement costs what its
//! places do together. All minimal placements are known, so the cheapest of them is the cheapest of all: no cost is negative.

use indexmap::IndexMap;

use super::frontier::FenceSet;
use super::places::{Candidates, PlaceId};

/// The costs of places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs(Vec<u64>);

impl Costs {
    /// The costs of all places: those that are given by name, else `in_loop` for places in loops, else 1. The name of one that
    /// there is not is returned.
    pub fn new(
        candidates: &Candidates,
        given: &IndexMap<String, u64>,
        in_loop: Option<u64>,
    ) -> Result<Self, String> {
        if let Some(unknown) = given.keys().find(|name| candidates.place(name).is_none()) {
            return Err(unknown.clone());
        }
        let loops = candidates.in_loops();
        let of = |place: PlaceId| {
            let own = given.get(candidates.name(place)).copied();
            own.or_else(|| in_loop.filter(|_| loops.contains(&place)))
        };
        Ok(Costs(
            candidates
                .ids()
                .map(|place| of(place).unwrap_or(1))
                .collect(),
        ))
    }

    /// What a placement costs.
    pub fn of(&self, fences: &FenceSet) -> u64 {
        let each = fences.places().map(|place| self.0[place.index()]);
        each.fold(0, u64::saturating_add)
    }

    /// The first of the cheapest placements, by number.
    pub fn cheapest<'a>(
        &self,
        placements: impl IntoIterator<Item = &'a FenceSet>,
    ) -> Option<usize> {
        let numbered = placements.into_iter().enumerate();
        numbered
            .min_by_key(|(_, fences)| self.of(fences))
            .map(|(number, _)| number)
    }
}
