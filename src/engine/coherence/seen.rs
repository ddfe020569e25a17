//! The abstract states that were seen.
//!
//! In the domains `set` and `fd` every state is kept. In `pd` only those that no other one covers are: they form an antichain
//! of the order of section 4.3, restricted to buffers with the same H. States that agree but for their sets lie together.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::buffer::{Mask, Rules};
use super::state::State;
use crate::engine::store::{StateId, Store};
use crate::verdict::Domain;

/// The states that were seen, each with the one from which it was reached.
pub(super) struct Seen {
    store: Store,
    /// By what comes before the sets: the states that nothing covers. Only in `pd`.
    antichain: Option<Antichain>,
    /// Scratch space for an encoding.
    bytes: Vec<u8>,
}

/// States that agree but for their sets, which come first.
type Alike = Vec<(Box<[Mask]>, StateId)>;

#[derive(Default)]
struct Antichain {
    alike: IndexMap<Box<[u8]>, Alike, FxBuildHasher>,
    /// States that others cover.
    covered: FxHashSet<StateId>,
}

/// What became of a state that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It is new.
    New(StateId),
    /// It, or one that covers it, was seen.
    Known,
    /// There is no room for it.
    Full,
}

impl Seen {
    pub(super) fn new(domain: Domain) -> Self {
        Seen {
            store: Store::default(),
            antichain: (domain == Domain::Pd).then(Antichain::default),
            bytes: Vec::new(),
        }
    }

    /// The number of states that were found and are not covered.
    pub(super) fn len(&self) -> usize {
        let covered = self.antichain.as_ref().map(|chain| chain.covered.len());
        self.store.len() - covered.unwrap_or(0)
    }

    /// The bytes that they take up.
    pub(super) fn bytes(&self) -> usize {
        let antichain = self.antichain.as_ref().map_or(0, |chain| {
            chain
                .alike
                .iter()
                .map(|(key, states)| {
                    let sets = states.first().map_or(0, |(sets, _)| sets.len() * 8);
                    key.len() + states.len() * (sets + 24) + 48
                })
                .sum()
        });
        self.store.bytes() + antichain
    }

    /// Adds a state, unless there are as many as allowed.
    pub(super) fn add(
        &mut self,
        rules: &impl Rules,
        state: &State,
        parent: Option<StateId>,
        most: usize,
    ) -> Added {
        let key = state.encode(&mut self.bytes);
        if self.store.contains(&self.bytes) {
            return Added::Known;
        }
        if self
            .antichain
            .as_ref()
            .is_some_and(|chain| chain.is_covered(rules, state, &self.bytes[..key]))
        {
            return Added::Known;
        }
        if self.len() >= most || self.store.is_full(self.bytes.len()) {
            return Added::Full;
        }
        let Some(id) = self.store.insert(&self.bytes, parent) else {
            return Added::Known;
        };
        if let Some(chain) = &mut self.antichain {
            chain.add(rules, state, &self.bytes[..key], id);
        }
        Added::New(id)
    }

    /// Whether another state covers it, so that its steps need not be looked at.
    pub(super) fn is_covered(&self, id: StateId) -> bool {
        let chain = self.antichain.as_ref();
        chain.is_some_and(|chain| chain.covered.contains(&id))
    }

    /// Becomes the state.
    pub(super) fn read(&self, id: StateId, state: &mut State) {
        state.decode(self.store.encoding(id));
    }

    /// The states on the way to a state, the first one first.
    pub(super) fn way(&self, id: StateId) -> Vec<StateId> {
        let parents = std::iter::successors(Some(id), |id| self.store.parent(*id));
        let mut way: Vec<StateId> = parents.collect();
        way.reverse();
        way
    }
}

impl Antichain {
    fn is_covered(&self, rules: &impl Rules, state: &State, key: &[u8]) -> bool {
        let alike = self.alike.get(key);
        alike.is_some_and(|alike| {
            let mut others = alike.iter();
            others.any(|(sets, _)| covers(rules, state, sets, Larger::Other))
        })
    }

    fn add(&mut self, rules: &impl Rules, state: &State, key: &[u8], id: StateId) {
        let alike = self.alike.entry(key.into()).or_default();
        alike.retain(|(sets, other)| {
            let is_covered = covers(rules, state, sets, Larger::State);
            if is_covered {
                self.covered.insert(*other);
            }
            !is_covered
        });
        alike.push((state.sets().collect(), id));
    }
}

/// Which of two states is to cover the other one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Larger {
    State,
    Other,
}

/// Whether one of two states that differ in their sets alone covers the other one.
fn covers(rules: &impl Rules, state: &State, sets: &[Mask], larger: Larger) -> bool {
    let mut sets = sets;
    state.buffers.iter().all(|buffer| {
        let (own, rest) = sets.split_at(buffer.sets.len());
        sets = rest;
        let mut other = buffer.clone();
        other.sets.copy_from_slice(own);
        match larger {
            Larger::State => rules.covers(buffer, &other),
            Larger::Other => rules.covers(&other, buffer),
        }
    })
}
