//! Abstract store buffers, and what the rules of the PLDI 2011 paper do with them, one function for each rule.
//!
//! A [`Buffer`] is ⟨l, S, H⟩ of section 4.1. Under PSO it stands for the stores of one thread to one variable; under TSO for
//! all stores of a thread, which one FIFO holds: then H is the beginning of this FIFO, and every variable has an l and an S of
//! its own. So both models have the same rules, and differ in which variables share a buffer (section 3.4).
//!
//! What a buffer stands for. With `w` a sequence of stores, oldest first:
//!
//! - `fd`: w = H·t, S(x) is the set of the stores to x in t, and l(x) is the last store to x in w, if there is one;
//! - `pd`: the same, but S(x) may have more than these; it is empty only if t has no store to x;
//! - `set`: the same as `fd` without H and l.
//!
//! Invariants: `last` has no entry for a variable of which nothing is buffered; a set has at most 64 entries, which are
//! numbered for each (thread, variable). `docs/coherence.md` has the proof that every rule covers the steps of real buffers.

use crate::verdict::Domain;

/// A set of entries by number.
pub(crate) type Mask = u64;

/// The most entries that are numbered.
pub(crate) const MOST_ENTRIES: usize = Mask::BITS as usize;

/// A variable of a buffer, by its place among those that share it.
pub(crate) type Slot = usize;

/// An abstract store buffer ⟨l, S, H⟩.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buffer {
    /// H: the oldest stores, in order.
    pub head: Vec<(Slot, u8)>,
    /// S: by variable, the other stores.
    pub sets: Vec<Mask>,
    /// l: by variable, the most recent store.
    pub last: Vec<Option<u8>>,
}

/// The rules by which a store reaches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlushRule {
    /// FLUSH-H.
    H,
    /// FLUSH-SN.
    Sn,
    /// FLUSH-SD.
    Sd,
    /// FLUSH-NE.
    Ne,
    /// FLUSH-E.
    E,
}

impl FlushRule {
    /// Its name in the paper.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FlushRule::H => "FLUSH-H",
            FlushRule::Sn => "FLUSH-SN",
            FlushRule::Sd => "FLUSH-SD",
            FlushRule::Ne => "FLUSH-NE",
            FlushRule::E => "FLUSH-E",
        }
    }
}

/// A store that reaches memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flush {
    /// The rule that says so.
    pub rule: FlushRule,
    /// The variable.
    pub slot: Slot,
    /// The store.
    pub entry: u8,
    /// What is left.
    pub left: Buffer,
}

/// The rules. Each is tried on its own; one whose premise fails says `None`.
pub(crate) trait Rules {
    /// LOAD-B: the stores of which a load may read the value, if its thread has one in the buffer.
    fn load_b(&self, buffer: &Buffer, slot: Slot) -> Option<Mask>;

    /// LOAD-G: whether a load reads memory.
    fn load_g(&self, buffer: &Buffer, slot: Slot) -> bool;

    /// STORE-H: the store is one of the k oldest.
    fn store_h(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Buffer>;

    /// STORE-S: it goes to the set.
    fn store_s(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Buffer>;

    /// FLUSH-H: the oldest store of H reaches memory.
    fn flush_h(&self, buffer: &Buffer) -> Option<Flush>;

    /// FLUSH-SN: a store of S reaches memory, and the same one waits once more.
    fn flush_sn(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush>;

    /// FLUSH-SD: a store of S reaches memory, and the same one does not wait any more.
    fn flush_sd(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush>;

    /// FLUSH-NE: a store of S reaches memory, and some store to its variable is left.
    fn flush_ne(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush>;

    /// FLUSH-E: the last store to a variable reaches memory.
    fn flush_e(&self, buffer: &Buffer, slot: Slot) -> Option<Flush>;

    /// `emp(x)`, the premise of atomic operations under PSO.
    fn emp(&self, buffer: &Buffer, slot: Slot) -> bool;

    /// FENCE: whether nothing waits.
    fn fence(&self, buffer: &Buffer) -> bool;

    /// Whether the buffer stands for all that the other one does.
    fn covers(&self, buffer: &Buffer, other: &Buffer) -> bool;
}

/// The rules of the paper: Semantics 3, or 4 in the domain `pd`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Semantics {
    /// The domain.
    pub domain: Domain,
    /// The length of H; 0 in the domain `set`.
    pub k: usize,
}

impl Buffer {
    /// An empty buffer of so many variables.
    pub(crate) fn empty(slots: usize) -> Self {
        Buffer {
            head: Vec::new(),
            sets: vec![0; slots],
            last: vec![None; slots],
        }
    }

    /// Whether no store waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.sets.iter().all(|set| *set == 0)
    }

    /// `emp(x)`: whether no store to the variable waits.
    pub(crate) fn holds_none(&self, slot: Slot) -> bool {
        self.sets[slot] == 0 && self.head.iter().all(|(of, _)| *of != slot)
    }

    /// The same without what it knows of the last store to a variable that has none.
    fn settled(mut self, slot: Slot) -> Self {
        if self.holds_none(slot) {
            self.last[slot] = None;
        }
        self
    }
}

/// The entries of a set, by number.
pub(crate) fn entries(mask: Mask) -> impl Iterator<Item = u8> {
    (0..MOST_ENTRIES as u8).filter(move |entry| mask & one(*entry) != 0)
}

/// The set of one entry.
pub(crate) fn one(entry: u8) -> Mask {
    1 << entry
}

impl Semantics {
    /// The rules of a domain.
    pub(crate) fn new(domain: Domain, k: usize) -> Self {
        let k = match domain {
            Domain::Set => 0,
            Domain::Fd | Domain::Pd => k,
        };
        Semantics { domain, k }
    }

    /// The most recent store, which a bare set does not know.
    fn recent(&self, entry: u8) -> Option<u8> {
        (self.domain != Domain::Set).then_some(entry)
    }
}

/// A flush from S, which needs an empty H.
fn flushed_from_set(
    (buffer, rule): (&Buffer, FlushRule),
    (slot, entry): (Slot, u8),
    left: Mask,
) -> Option<Flush> {
    if !buffer.head.is_empty() || buffer.sets[slot] & one(entry) == 0 {
        return None;
    }
    let mut after = buffer.clone();
    after.sets[slot] = left;
    Some(Flush {
        rule,
        slot,
        entry,
        left: after.settled(slot),
    })
}

impl Rules for Semantics {
    fn load_b(&self, buffer: &Buffer, slot: Slot) -> Option<Mask> {
        if buffer.holds_none(slot) {
            return None;
        }
        Some(match self.domain {
            Domain::Set => buffer.sets[slot],
            Domain::Fd | Domain::Pd => buffer.last[slot].map_or(0, one),
        })
    }

    fn load_g(&self, buffer: &Buffer, slot: Slot) -> bool {
        buffer.holds_none(slot)
    }

    fn store_h(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Buffer> {
        let is_exact = buffer.sets.iter().all(|set| *set == 0);
        if !is_exact || buffer.head.len() >= self.k {
            return None;
        }
        let mut after = buffer.clone();
        after.head.push((slot, entry));
        after.last[slot] = self.recent(entry);
        Some(after)
    }

    fn store_s(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Buffer> {
        let is_exact = buffer.sets.iter().all(|set| *set == 0);
        if is_exact && buffer.head.len() < self.k {
            return None;
        }
        let mut after = buffer.clone();
        after.sets[slot] |= one(entry);
        after.last[slot] = self.recent(entry);
        Some(after)
    }

    fn flush_h(&self, buffer: &Buffer) -> Option<Flush> {
        let &(slot, entry) = buffer.head.first()?;
        let mut after = buffer.clone();
        after.head.remove(0);
        Some(Flush {
            rule: FlushRule::H,
            slot,
            entry,
            left: after.settled(slot),
        })
    }

    fn flush_sn(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush> {
        if self.domain == Domain::Pd {
            return None;
        }
        flushed_from_set((buffer, FlushRule::Sn), (slot, entry), buffer.sets[slot])
    }

    fn flush_sd(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush> {
        let set = buffer.sets[slot];
        let is_last = buffer.last[slot] == Some(entry);
        if self.domain == Domain::Pd || (is_last && set != one(entry)) {
            return None;
        }
        flushed_from_set((buffer, FlushRule::Sd), (slot, entry), set & !one(entry))
    }

    fn flush_ne(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush> {
        if self.domain != Domain::Pd {
            return None;
        }
        flushed_from_set((buffer, FlushRule::Ne), (slot, entry), buffer.sets[slot])
    }

    fn flush_e(&self, buffer: &Buffer, slot: Slot) -> Option<Flush> {
        if self.domain != Domain::Pd {
            return None;
        }
        flushed_from_set((buffer, FlushRule::E), (slot, buffer.last[slot]?), 0)
    }

    fn emp(&self, buffer: &Buffer, slot: Slot) -> bool {
        buffer.holds_none(slot)
    }

    fn fence(&self, buffer: &Buffer) -> bool {
        buffer.is_empty()
    }

    fn covers(&self, buffer: &Buffer, other: &Buffer) -> bool {
        let sets = || buffer.sets.iter().zip(&other.sets);
        buffer.head == other.head
            && buffer.last == other.last
            && match self.domain {
                Domain::Set | Domain::Fd => buffer.sets == other.sets,
                Domain::Pd => {
                    sets().all(|(set, other)| other & !set == 0 && (*other == 0) == (*set == 0))
                }
            }
    }
}

/// Every store that may reach memory next.
pub(crate) fn flushes(rules: &impl Rules, buffer: &Buffer) -> Vec<Flush> {
    let mut found: Vec<Flush> = rules.flush_h(buffer).into_iter().collect();
    for (slot, &set) in buffer.sets.iter().enumerate() {
        for entry in entries(set) {
            found.extend(rules.flush_sn(buffer, slot, entry));
            found.extend(rules.flush_sd(buffer, slot, entry));
            found.extend(rules.flush_ne(buffer, slot, entry));
        }
        if set != 0 {
            found.extend(rules.flush_e(buffer, slot));
        }
    }
    found
}

/// The buffer after a store.
pub(crate) fn store(rules: &impl Rules, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Buffer> {
    let first = rules.store_h(buffer, slot, entry);
    first.or_else(|| rules.store_s(buffer, slot, entry))
}
