//! Which placements to try next.
//!
//! Input: clauses, placements that are proved, placements that are undecided. Output: the smallest
//! placement that meets all clauses, is above no proved one, and was not tried. This is the work set
//! of Algorithm 2 of the TACAS 2012 paper, taken by size; with undecided placements, all of whose
//! direct supersets come next.
//!
//! Invariant: every sufficient placement is above one that is waiting or proved. Sizes only grow, so
//! no placement is met twice, and all that are below one have been met before it.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::clause::Clause;
use super::places::PlaceId;

/// A set of places that hold a fence, ordered by size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FenceSet(BTreeSet<PlaceId>);

/// The placements that wait to be tried.
#[derive(Clone, Debug)]
pub struct Frontier {
    waiting: BTreeSet<FenceSet>,
    clauses: Vec<Clause>,
    proved: Vec<FenceSet>,
}

impl FenceSet {
    /// The places, in order.
    pub fn places(&self) -> impl Iterator<Item = PlaceId> {
        self.0.iter().copied()
    }

    /// The number of places.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no place holds a fence.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the place holds a fence.
    pub fn contains(&self, place: PlaceId) -> bool {
        self.0.contains(&place)
    }

    /// The same with one more fence.
    #[must_use]
    pub fn with(&self, place: PlaceId) -> Self {
        let mut places = self.0.clone();
        places.insert(place);
        FenceSet(places)
    }

    /// The same with one fence less.
    #[must_use]
    pub fn without(&self, place: PlaceId) -> Self {
        let mut places = self.0.clone();
        places.remove(&place);
        FenceSet(places)
    }

    /// Whether all fences of this placement are in the other one.
    pub fn is_subset(&self, other: &FenceSet) -> bool {
        self.0.is_subset(&other.0)
    }

    /// Whether the placement holds a place of the clause.
    pub fn meets(&self, clause: &Clause) -> bool {
        !self.0.is_disjoint(clause)
    }
}

impl FromIterator<PlaceId> for FenceSet {
    fn from_iter<I: IntoIterator<Item = PlaceId>>(places: I) -> Self {
        FenceSet(places.into_iter().collect())
    }
}

impl Ord for FenceSet {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_size = self.len().cmp(&other.len());
        by_size.then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for FenceSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for Frontier {
    /// The placement without fences waits.
    fn default() -> Self {
        Frontier {
            waiting: BTreeSet::from([FenceSet::default()]),
            clauses: Vec::new(),
            proved: Vec::new(),
        }
    }
}

impl Frontier {
    /// Takes the next placement to try.
    pub fn take(&mut self) -> Option<FenceSet> {
        while let Some(fences) = self.waiting.pop_first() {
            if self.proved.iter().any(|proved| proved.is_subset(&fences)) {
                continue;
            }
            match self.clauses.iter().find(|clause| !fences.meets(clause)) {
                None => return Some(fences),
                Some(clause) => {
                    let larger = clause.iter().map(|&place| fences.with(place));
                    self.waiting.extend(larger);
                }
            }
        }
        None
    }

    /// The placement was proved.
    pub fn prove(&mut self, fences: FenceSet) {
        self.proved.push(fences);
    }

    /// The placement was refuted by an execution with this clause, of which it holds no place.
    pub fn refute(&mut self, fences: &FenceSet, clause: Clause) {
        debug_assert!(
            !fences.meets(&clause),
            "a fence is passed with empty buffers"
        );
        let larger = clause.iter().map(|&place| fences.with(place));
        self.waiting.extend(larger);
        self.clauses.push(clause);
    }

    /// The placement is set aside; `places` are all that there are.
    pub fn set_aside(&mut self, fences: &FenceSet, places: impl Iterator<Item = PlaceId>) {
        let others = places.filter(|&place| !fences.contains(place));
        self.waiting.extend(others.map(|place| fences.with(place)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(places: &[usize]) -> Clause {
        places.iter().map(|&place| PlaceId::new(place)).collect()
    }

    fn set(places: &[usize]) -> FenceSet {
        places.iter().map(|&place| PlaceId::new(place)).collect()
    }

    /// The placements that meet all clauses, found as the search would; every one that does is proved.
    fn minimal(clauses: &[&[usize]]) -> (Vec<FenceSet>, usize) {
        let mut frontier = Frontier::default();
        let mut tried = 0;
        while let Some(fences) = frontier.take() {
            tried += 1;
            let missed = clauses.iter().find(|one| !fences.meets(&clause(one)));
            match missed {
                Some(missed) => frontier.refute(&fences, clause(missed)),
                None => frontier.prove(fences),
            }
        }
        (frontier.proved, tried)
    }

    #[test]
    fn minimal_sets_meet_all_clauses() {
        let (sets, _) = minimal(&[&[0, 1], &[1, 2], &[3]]);
        assert_eq!(sets, [set(&[1, 3]), set(&[0, 2, 3])]);
        assert_eq!(minimal(&[]).0, [set(&[])]);
        assert_eq!(minimal(&[&[0], &[]]).0, []);
    }

    #[test]
    fn a_clause_is_asked_for_once() {
        let (sets, tried) = minimal(&[&[0], &[1], &[2], &[3]]);
        assert_eq!(sets, [set(&[0, 1, 2, 3])]);
        assert_eq!(tried, 5);
    }

    #[test]
    fn supersets_of_an_undecided_placement_are_tried() {
        let mut frontier = Frontier::default();
        let all = || (0..3).map(PlaceId::new);
        let empty = frontier.take().expect("the first");
        frontier.set_aside(&empty, all());
        let first = frontier.take().expect("one place");
        assert_eq!(first, set(&[0]));
        frontier.prove(first);
        let second = frontier.take().expect("one place");
        assert_eq!(second, set(&[1]));
        frontier.refute(&second, clause(&[2]));
        let third = frontier.take().expect("one place");
        assert_eq!(third, set(&[2]));
        frontier.set_aside(&third, all());
        assert_eq!(frontier.take(), Some(set(&[1, 2])));
        assert_eq!(frontier.take(), None);
    }
}
