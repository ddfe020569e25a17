//! The invariant of a certificate, arranged by location vectors.
//!
//! A *location vector* is a location of every thread. It is *free* if no thread holds the atomic section
//! there, and *held* if one does. The invariant at a vector is the disjunction of the cubes of its
//! pairs; at a vector without pairs it is false.

use indexmap::IndexMap;

use crate::certificate::Pair;
use crate::program::{LocId, Program, Thread, ThreadId};

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
        let own: Vec<Vec<bool>> = program.threads.iter().map(own_locations).collect();
        let mut vectors: IndexMap<Vec<LocId>, Vec<usize>> = IndexMap::new();
        for (index, pair) in pairs.iter().enumerate() {
            check_locations(program, &own, &pair.at).map_err(|reason| PairError {
                pair: index + 1,
                reason,
            })?;
            vectors.entry(pair.at.clone()).or_default().push(index);
        }
        let holders = vectors.keys().map(|at| holders(program, at).next());
        let mut listed: Vec<Vec<bool>> = own.iter().map(|own| vec![false; own.len()]).collect();
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

/// Which locations a thread itself can be at: those of its background blocks are left out.
fn own_locations(thread: &Thread) -> Vec<bool> {
    let mut own = vec![false; thread.locations.len()];
    own[thread.end.index()] = true;
    let mut open = vec![thread.entry];
    while let Some(location) = open.pop() {
        if !std::mem::replace(&mut own[location.index()], true) {
            let edges = &thread.location(location).edges;
            open.extend(edges.iter().map(|edge| edge.target));
        }
    }
    own
}

fn check_locations(program: &Program, own: &[Vec<bool>], at: &[LocId]) -> Result<(), String> {
    if at.len() != program.threads.len() {
        let (found, wanted) = (at.len(), program.threads.len());
        return Err(format!(
            "has {found} locations, but the program has {wanted} threads"
        ));
    }
    for (thread, location) in at.iter().enumerate() {
        if own[thread].get(location.index()) != Some(&true) {
            let (name, location) = (&program.threads[thread].display_name, location.index());
            return Err(format!(
                "has {name} at location {location}, where it never is"
            ));
        }
    }
    match holders(program, at).count() {
        0 | 1 => Ok(()),
        _ => Err("has two threads hold the atomic section".to_owned()),
    }
}

fn holders<'a>(program: &'a Program, at: &'a [LocId]) -> impl Iterator<Item = ThreadId> + 'a {
    program
        .thread_ids()
        .filter(|id| program.threads[id.index()].location(at[id.index()]).held)
}
