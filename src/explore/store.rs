//! The states seen so far: their encodings in one arena, found by hash, each with its parent.
//!
//! A state costs its encoding and about twenty bytes more. States are numbered in the order in which they
//! are found, so a breadth-first search needs no queue, and a parent's number is below its child's.

use std::hash::{BuildHasher, BuildHasherDefault};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// The number of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StateId(u32);

/// A set of encoded states.
#[derive(Default)]
pub(super) struct Store {
    arena: Vec<u8>,
    /// Where each encoding ends in the arena.
    ends: Vec<u64>,
    parents: Vec<u32>,
    index: HashTable<u32>,
}

const NO_PARENT: u32 = u32::MAX;

impl StateId {
    /// The number as an index.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Store {
    /// The greatest number of states that a store can hold.
    pub(super) const CAPACITY: usize = NO_PARENT as usize;

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The id of the state with this number, if there is one.
    pub(super) fn get(&self, number: usize) -> Option<StateId> {
        (number < self.len()).then_some(StateId(number as u32))
    }

    /// The encoding of a state.
    pub(super) fn encoding(&self, id: StateId) -> &[u8] {
        slice(&self.arena, &self.ends, id.0)
    }

    /// The state from which a state was first reached; `None` for an initial one.
    pub(super) fn parent(&self, id: StateId) -> Option<StateId> {
        let parent = self.parents[id.index()];
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    /// Whether a state is there.
    pub(super) fn contains(&self, encoding: &[u8]) -> bool {
        let same = |&id: &u32| slice(&self.arena, &self.ends, id) == encoding;
        self.index.find(hash(encoding), same).is_some()
    }

    /// Adds a state; returns its id if it is new.
    pub(super) fn insert(&mut self, encoding: &[u8], parent: Option<StateId>) -> Option<StateId> {
        let (arena, ends) = (&mut self.arena, &mut self.ends);
        let same = |&id: &u32| slice(arena, ends, id) == encoding;
        let rehash = |&id: &u32| hash(slice(arena, ends, id));
        let entry = self.index.entry(hash(encoding), same, rehash);
        let hashbrown::hash_table::Entry::Vacant(vacant) = entry else {
            return None;
        };
        let id = u32::try_from(ends.len()).expect("searches stop below 2^32 states");
        vacant.insert(id);
        arena.extend_from_slice(encoding);
        ends.push(arena.len() as u64);
        self.parents
            .push(parent.map_or(NO_PARENT, |parent| parent.0));
        Some(StateId(id))
    }

    /// The bytes that the store takes up.
    pub(super) fn bytes(&self) -> usize {
        self.arena.capacity()
            + self.ends.capacity() * size_of::<u64>()
            + self.parents.capacity() * size_of::<u32>()
            + self.index.allocation_size()
    }
}

fn slice<'a>(arena: &'a [u8], ends: &[u64], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &arena[start as usize..ends[id] as usize]
}

fn hash(bytes: &[u8]) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_once() {
        let mut store = Store::default();
        let root = store.insert(b"root", None).expect("new");
        let child = store.insert(b"child", Some(root)).expect("new");
        assert_eq!(store.insert(b"root", Some(child)), None);
        assert_eq!(store.len(), 2);
        assert_eq!(store.encoding(child), b"child");
        assert_eq!(store.parent(child), Some(root));
        assert_eq!(store.parent(root), None);
        assert!(store.contains(b"child") && !store.contains(b"chil"));
    }

    #[test]
    fn growth_keeps_every_state() {
        let mut store = Store::default();
        for number in 0..50_000_u32 {
            assert!(store.insert(&number.to_le_bytes(), None).is_some());
        }
        for number in 0..50_000_u32 {
            assert!(store.insert(&number.to_le_bytes(), None).is_none());
        }
        assert!(store.bytes() < 50_000 * 64);
    }
}
