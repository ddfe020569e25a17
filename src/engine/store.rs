//! The states seen so far: records in one arena, found by hash, each with its parent.
//!
//! A record is the parent's id, the length of the encoding and the encoding; a state's id is where its
//! record begins. Records lie in the order in which states are found, so a breadth-first search
//! reads the arena from start to end and needs no queue. The index keeps 32 bits of each hash, so that
//! neither its growth nor most of its misses touch the arena. A state costs its encoding and
//! about twenty bytes more.

use std::hash::{BuildHasher, BuildHasherDefault};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A state of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StateId(u32);

/// A set of encoded states.
#[derive(Default)]
pub(super) struct Store {
    arena: Vec<u8>,
    index: HashTable<Entry>,
}

/// What the index knows of a state.
#[derive(Clone, Copy)]
struct Entry {
    state: StateId,
    hash: u32,
}

const NO_PARENT: u32 = u32::MAX;

/// The bytes of a record before its encoding: the parent's id and the length.
const HEADER: usize = 8;

impl Store {
    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no room for one more state with an encoding of this length.
    pub(super) fn is_full(&self, length: usize) -> bool {
        self.arena.len() + HEADER + length >= NO_PARENT as usize
    }

    /// The state that was found first.
    pub(super) fn first(&self) -> Option<StateId> {
        (!self.arena.is_empty()).then_some(StateId(0))
    }

    /// The state that was found next after `id`.
    pub(super) fn after(&self, id: StateId) -> Option<StateId> {
        let end = id.0 as usize + HEADER + self.encoding(id).len();
        (end < self.arena.len()).then_some(StateId(end as u32))
    }

    /// The encoding of a state.
    pub(super) fn encoding(&self, id: StateId) -> &[u8] {
        encoding(&self.arena, id)
    }

    /// The state from which a state was first reached; `None` for an initial one.
    pub(super) fn parent(&self, id: StateId) -> Option<StateId> {
        let parent = word(&self.arena, id.0 as usize);
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    /// Whether a state is there.
    pub(super) fn contains(&self, sought: &[u8]) -> bool {
        self.find(sought).is_some()
    }

    /// The state with this encoding, if it is there.
    pub(super) fn find(&self, sought: &[u8]) -> Option<StateId> {
        let hash = hash(sought);
        let same = |entry: &Entry| entry.hash == hash && self.encoding(entry.state) == sought;
        let found = self.index.find(spread(hash), same);
        found.map(|entry| entry.state)
    }

    /// Adds a state, for which there is room; returns its id if it is new.
    pub(super) fn insert(&mut self, added: &[u8], parent: Option<StateId>) -> Option<StateId> {
        let arena = &mut self.arena;
        let hash = hash(added);
        let same = |entry: &Entry| entry.hash == hash && encoding(arena, entry.state) == added;
        let rehash = |entry: &Entry| spread(entry.hash);
        let entry = self.index.entry(spread(hash), same, rehash);
        let hashbrown::hash_table::Entry::Vacant(vacant) = entry else {
            return None;
        };
        let state = StateId(u32::try_from(arena.len()).expect("there is room"));
        vacant.insert(Entry { state, hash });
        let length = u32::try_from(added.len()).expect("there is room");
        arena.extend_from_slice(&parent.map_or(NO_PARENT, |parent| parent.0).to_le_bytes());
        arena.extend_from_slice(&length.to_le_bytes());
        arena.extend_from_slice(added);
        Some(state)
    }

    /// The bytes that the store takes up.
    pub(super) fn bytes(&self) -> usize {
        self.arena.capacity() + self.index.allocation_size()
    }
}

fn encoding(arena: &[u8], id: StateId) -> &[u8] {
    let start = id.0 as usize + HEADER;
    let length = word(arena, id.0 as usize + 4);
    &arena[start..start + length as usize]
}

fn word(arena: &[u8], at: usize) -> u32 {
    let bytes = arena[at..].first_chunk().expect("a record has a header");
    u32::from_le_bytes(*bytes)
}

/// The bits of the hash that the index keeps.
fn hash(bytes: &[u8]) -> u32 {
    let hash = BuildHasherDefault::<FxHasher>::default().hash_one(bytes);
    (hash ^ (hash >> 32)) as u32
}

/// Spreads these bits over the ones that the table looks at.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
        assert_eq!(store.first(), Some(root));
        assert_eq!(store.after(root), Some(child));
        assert_eq!(store.after(child), None);
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
