//! The invariant of a certificate, arranged by location vectors.
//!
//! A *location vector* is a location of every thread. It is *free* if no thread holds the atomic section
//! there, and *held* if one does. The invariant at a vector is the disjunction of the cubes of its
//! pairs; at a vector without pairs it is false.

use indexmap::IndexMap;

use crate::certificate::Pair;
use crate::certify::locations::{Locations, holders};
use crate::program::{LocId, Program, ThreadId};

/// The pairs of a certificate by location vector.
#[derive(Clone, Debug)]
pub(super) struct Invariant {
    vectors: IndexMap<Vec<LocId>, Vec<usize>>,
    holders: Vec<Option<ThreadId>>,
    listed: Vec<Vec<bool>>,
}

/// A location vector that has pairs, numbered in the order of the first pair of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct VectorId(usize);

/// A pair that no state of the reduced program could be in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pair {pair} {reason}")]
pub struct PairError {
    /// Its number, from 1.
    pub pair: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl Invariant {
    /// Arranges the pairs, after checking that their locations make sense for the program.
    pub(super) fn new(program: &Program, pairs: &[Pair]) -> Result<Self, PairError> {
        let locations = Locations::of(program);
        let mut vectors: IndexMap<Vec<LocId>, Vec<usize>> = IndexMap::new();
        for (index, pair) in pairs.iter().enumerate() {
            locations.check(&pair.at).map_err(|reason| PairError {
                pair: index + 1,
                reason,
            })?;
            vectors.entry(pair.at.clone()).or_default().push(index);
        }
        let holders = vectors.keys().map(|at| holders(program, at).next());
        let counts = program.threads.iter().map(|thread| thread.locations.len());
        let mut listed: Vec<Vec<bool>> = counts.map(|count| vec![false; count]).collect();
        for at in vectors.keys() {
            for (thread, location) in at.iter().enumerate() {
                listed[thread][location.index()] = true;
            }
        }
        Ok(Invariant {
            holders: holders.collect(),
            listed,
            vectors,
        })
    }

    /// All vectors that have pairs.
    pub(super) fn vectors(&self) -> impl Iterator<Item = VectorId> + use<> {
        (0..self.vectors.len()).map(VectorId)
    }

    /// The vector with these locations, if it has pairs.
    pub(super) fn find(&self, at: &[LocId]) -> Option<VectorId> {
        self.vectors.get_index_of(at).map(VectorId)
    }

    /// The locations of a vector.
    pub(super) fn at(&self, vector: VectorId) -> &[LocId] {
        let entry = self.vectors.get_index(vector.0);
        entry.expect("ids are made for the vectors there are").0
    }

    /// The pairs of a vector, by their places in the list.
    pub(super) fn pairs(&self, vector: VectorId) -> &[usize] {
        &self.vectors[vector.0]
    }

    /// The thread that holds the atomic section at a vector.
    pub(super) fn holder(&self, vector: VectorId) -> Option<ThreadId> {
        self.holders[vector.0]
    }

    /// Whether some pair has the thread at the location.
    pub(super) fn lists(&self, thread: ThreadId, location: LocId) -> bool {
        self.listed[thread.index()][location.index()]
    }
}

impl VectorId {
    /// Its index among the vectors.
    pub(super) fn index(self) -> usize {
        self.0
    }
}
