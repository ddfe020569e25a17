//! Keeps the states of a search, compactly, and answers which state covers another.
//!
//! A state is its location vector and its known-set, both interned, and the words of its values:
//! 24 bytes and 8 for every 64 variables. States with the same locations and the same known-set form
//! a group. A state is covered by a group's member exactly if the group's known-set is a subset of
//! its own and its values, cut down to that set, are a member: one hash lookup for each known-set
//! that occurs with its locations. No state is ever compared with all others.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use super::config::Config;
use crate::machine::LocId;

/// The number of a stored state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateId(u32);

impl StateId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The state before it; `None` for an initial state.
    pub parent: Option<StateId>,
    /// The place of the state among the successors of the one before it.
    pub place: u32,
}

impl Link {
    /// The link of an initial state.
    pub(crate) const INITIAL: Self = Self {
        parent: None,
        place: 0,
    };
}

/// What became of a state that was to be stored.
pub(crate) enum Stored {
    New,
    Revisited,
    Covered,
}

/// States with the same locations and the same known-set.
struct Group {
    control: u32,
    known: Box<[u64]>,
}

/// A location vector and the groups of its states.
struct Control {
    locations: Box<[LocId]>,
    groups: Vec<u32>,
    /// The known-sets of the groups once more, one after the other: what is looked through for every
    /// new state lies together.
    known: Vec<u64>,
}

struct Record {
    /// Where its values begin.
    values: usize,
    group: u32,
    parent: u32,
    place: u32,
}

const NO_PARENT: u32 = u32::MAX;

/// The stored states, in the order in which they were stored.
#[derive(Default)]
pub(crate) struct Store {
    records: Vec<Record>,
    /// The values of all states, each as many words as its group's known-set.
    values: Vec<u64>,
    table: HashTable<u32>,
    groups: Vec<Group>,
    /// The groups by their locations and known-sets.
    group_table: HashTable<u32>,
    controls: Vec<Control>,
    control_ids: FxHashMap<Box<[LocId]>, u32>,
    cover: bool,
}

impl Store {
    /// An empty store; `cover` says whether it drops states that a stored one covers.
    pub(crate) fn new(cover: bool) -> Self {
        Self {
            cover,
            ..Self::default()
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// The state stored as number `index`.
    pub(crate) fn id(&self, index: usize) -> Option<StateId> {
        (index < self.records.len()).then_some(StateId(index as u32))
    }

    /// Stores the state unless it is there or covered.
    pub(crate) fn insert(&mut self, config: &Config, link: Link) -> Stored {
        let control = self.control(&config.control);
        let own = self.own_group(control, &config.known);
        if let Some(group) = own
            && self.find(group, &config.value).is_some()
        {
            return Stored::Revisited;
        }
        if self.cover && self.covering(control, own, &config.known, &config.value) {
            return Stored::Covered;
        }
        let group = own.unwrap_or_else(|| self.new_group(control, &config.known));
        self.push(group, &config.value, link);
        Stored::New
    }

    /// Whether a state that was stored later covers this one.
    pub(crate) fn is_covered(&self, id: StateId) -> bool {
        let record = &self.records[id.index()];
        let group = &self.groups[record.group as usize];
        self.covering(
            group.control,
            Some(record.group),
            &group.known,
            self.values_of(record),
        )
    }

    /// Whether the same locations with this known-set and these values are stored.
    pub(crate) fn contains(&self, config: &Config) -> bool {
        let control = self.control_ids.get(config.control.as_slice());
        let group = control.and_then(|control| self.own_group(*control, &config.known));
        group.is_some_and(|group| self.find(group, &config.value).is_some())
    }

    pub(crate) fn config(&self, id: StateId) -> Config {
        let record = &self.records[id.index()];
        let group = &self.groups[record.group as usize];
        Config {
            control: self.controls[group.control as usize].locations.to_vec(),
            known: group.known.to_vec(),
            value: self.values_of(record).to_vec(),
        }
    }

    pub(crate) fn link(&self, id: StateId) -> Link {
        let record = &self.records[id.index()];
        let parent = (record.parent != NO_PARENT).then_some(StateId(record.parent));
        Link {
            parent,
            place: record.place,
        }
    }

    /// Bytes for the states and the hash table, unused capacity included.
    pub(crate) fn memory_bytes(&self) -> usize {
        let known: usize = self
            .groups
            .iter()
            .map(|group| size_of_val(&*group.known))
            .sum();
        let locations: usize = self
            .controls
            .iter()
            .map(|control| {
                2 * size_of_val(&*control.locations) + control.known.capacity() * size_of::<u64>()
            })
            .sum();
        self.records.capacity() * size_of::<Record>()
            + self.values.capacity() * size_of::<u64>()
            + self.table_bytes()
            + self.groups.capacity() * size_of::<Group>()
            + self.group_table.allocation_size()
            + self.controls.capacity() * size_of::<Control>()
            + known
            + locations
    }

    /// Bytes for the hash table.
    pub(crate) fn table_bytes(&self) -> usize {
        self.table.allocation_size()
    }

    fn values_of(&self, record: &Record) -> &[u64] {
        let words = self.groups[record.group as usize].known.len();
        &self.values[record.values..][..words]
    }

    fn control(&mut self, locations: &[LocId]) -> u32 {
        if let Some(id) = self.control_ids.get(locations) {
            return *id;
        }
        let id = self.controls.len() as u32;
        self.controls.push(Control {
            locations: locations.into(),
            groups: Vec::new(),
            known: Vec::new(),
        });
        self.control_ids.insert(locations.into(), id);
        id
    }

    fn own_group(&self, control: u32, known: &[u64]) -> Option<u32> {
        let is_it = |index: &u32| {
            let group = &self.groups[*index as usize];
            group.control == control && *group.known == *known
        };
        let hash = hash(control, known.iter().copied());
        self.group_table.find(hash, is_it).copied()
    }

    fn new_group(&mut self, control: u32, known: &[u64]) -> u32 {
        let id = self.groups.len() as u32;
        self.groups.push(Group {
            control,
            known: known.into(),
        });
        let groups = &self.groups;
        let rehash = |index: &u32| {
            let group = &groups[*index as usize];
            hash(group.control, group.known.iter().copied())
        };
        self.group_table.insert_unique(rehash(&id), id, rehash);
        let control = &mut self.controls[control as usize];
        control.groups.push(id);
        control.known.extend(known);
        id
    }

    /// Whether a member of another group covers the state.
    fn covering(&self, control: u32, own: Option<u32>, known: &[u64], value: &[u64]) -> bool {
        let control = &self.controls[control as usize];
        if known.is_empty() {
            return false;
        }
        let general = control.known.chunks_exact(known.len());
        control.groups.iter().zip(general).any(|(group, general)| {
            let mut pairs = general.iter().zip(known);
            Some(*group) != own
                && pairs.all(|(general, known)| general & !known == 0)
                && self.find_cut(*group, general, value)
        })
    }

    fn find_cut(&self, group: u32, known: &[u64], value: &[u64]) -> bool {
        let cut = || known.iter().zip(value).map(|(known, value)| known & value);
        let hash = hash(group, cut());
        self.table
            .find(hash, |index| self.matches(*index, group, cut()))
            .is_some()
    }

    fn find(&self, group: u32, value: &[u64]) -> Option<u32> {
        let words = || value.iter().copied();
        self.table
            .find(hash(group, words()), |index| {
                self.matches(*index, group, words())
            })
            .copied()
    }

    fn matches(&self, index: u32, group: u32, words: impl Iterator<Item = u64>) -> bool {
        let record = &self.records[index as usize];
        record.group == group && self.values_of(record).iter().copied().eq(words)
    }

    fn push(&mut self, group: u32, value: &[u64], link: Link) {
        let index = self.records.len() as u32;
        let parent = link.parent.map_or(NO_PARENT, |parent| parent.0);
        let values = self.values.len();
        self.records.push(Record {
            group,
            values,
            parent,
            place: link.place,
        });
        self.values.extend_from_slice(value);
        let (records, all, groups) = (&self.records, &self.values, &self.groups);
        let rehash = |index: &u32| {
            let record = &records[*index as usize];
            let words = groups[record.group as usize].known.len();
            hash(record.group, all[record.values..][..words].iter().copied())
        };
        let own_hash = rehash(&index);
        self.table.insert_unique(own_hash, index, rehash);
    }
}

fn hash(group: u32, words: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(group);
    words.for_each(|word| hasher.write_u64(word));
    hasher.finish()
}
