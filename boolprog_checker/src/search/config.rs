//! A state while it is worked on: a location for each thread slot and two bit sets.
//!
//! `known` says which variables have a definite value, `value` gives it and is zero elsewhere. The
//! words hold the globals, then the locals of each live thread, slot by slot. A slot whose thread
//! has ended has no words; it is used again for the next thread that starts.

use crate::machine::code::{Tri, Valuation};
use crate::machine::lower::NEXT_VALUES;
use crate::machine::{FrameBit, LocId, Machine, WORD};

/// A place in the words of a state.
pub(crate) type StateBit = usize;

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Config {
    /// The location of each slot; the last one is never `ENDED`.
    pub control: Vec<LocId>,
    pub known: Vec<u64>,
    pub value: Vec<u64>,
}

/// Where the frame of one thread lies in the words of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Bits of the globals' words.
    globals: usize,
    /// Where the thread's locals begin.
    locals: usize,
    /// Bits of the thread's locals' words.
    size: usize,
    /// Where next values begin: behind all words of the state.
    next: usize,
}

impl Window {
    /// The place of a frame bit in the state.
    pub(crate) fn place(self, bit: FrameBit) -> StateBit {
        let bit = bit as usize;
        if bit < self.globals {
            bit
        } else if bit < NEXT_VALUES as usize {
            bit - self.globals + self.locals
        } else {
            bit - NEXT_VALUES as usize + self.next
        }
    }

    /// The frame bit at a place of the state, if the thread can see it; next values do not count.
    pub(crate) fn frame_bit(self, place: StateBit) -> Option<FrameBit> {
        let local = place.wrapping_sub(self.locals);
        if place < self.globals {
            Some(place as FrameBit)
        } else if place >= self.locals && local < self.size {
            Some((local + self.globals) as FrameBit)
        } else {
            None
        }
    }
}

/// A state seen from one thread.
pub(crate) struct View<'a> {
    pub config: &'a Config,
    pub window: Window,
}

impl Valuation for View<'_> {
    fn get(&self, bit: FrameBit) -> Tri {
        self.config.get(self.window.place(bit))
    }
}

const BITS: usize = WORD as usize;

impl Config {
    /// A state without threads in which nothing is known.
    pub(crate) fn empty(machine: &Machine) -> Self {
        let words = machine.global_words();
        Self {
            control: Vec::new(),
            known: vec![0; words],
            value: vec![0; words],
        }
    }

    /// What is left where a state has been moved out.
    pub(crate) fn gone() -> Self {
        Self {
            control: Vec::new(),
            known: Vec::new(),
            value: Vec::new(),
        }
    }

    pub(crate) fn get(&self, bit: StateBit) -> Tri {
        let (word, mask) = (bit / BITS, 1 << (bit % BITS));
        (self.known[word] & mask != 0).then(|| self.value[word] & mask != 0)
    }

    pub(crate) fn set(&mut self, bit: StateBit, value: Tri) {
        let (word, mask) = (bit / BITS, 1 << (bit % BITS));
        self.known[word] &= !mask;
        self.value[word] &= !mask;
        if let Some(value) = value {
            self.known[word] |= mask;
            self.value[word] |= if value { mask } else { 0 };
        }
    }

    /// The live slots.
    pub(crate) fn live(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.control.len()).filter(|slot| self.control[*slot] != LocId::ENDED)
    }

    /// The word where the locals of a slot begin, live or not.
    pub(crate) fn base(&self, machine: &Machine, slot: usize) -> usize {
        let before = self.control[..slot]
            .iter()
            .filter(|loc| **loc != LocId::ENDED);
        machine.global_words()
            + before
                .map(|loc| machine.image_at(*loc).words())
                .sum::<usize>()
    }

    /// The place of the first local of a slot.
    pub(crate) fn first_local(&self, machine: &Machine, slot: usize) -> StateBit {
        self.base(machine, slot) * BITS
    }

    pub(crate) fn window(&self, machine: &Machine, slot: usize) -> Window {
        Window {
            globals: machine.global_words() * BITS,
            locals: self.first_local(machine, slot),
            size: machine.image_at(self.control[slot]).words() * BITS,
            next: self.known.len() * BITS,
        }
    }

    pub(crate) fn view(&self, window: Window) -> View<'_> {
        View {
            config: self,
            window,
        }
    }

    /// Starts a thread in the first free slot, with unknown locals.
    pub(crate) fn start_thread(&mut self, machine: &Machine, entry: LocId) -> usize {
        let free = self.control.iter().position(|loc| *loc == LocId::ENDED);
        let slot = free.unwrap_or(self.control.len());
        let base = self.base(machine, slot);
        let words = machine.image_at(entry).words();
        self.known.splice(base..base, std::iter::repeat_n(0, words));
        self.value.splice(base..base, std::iter::repeat_n(0, words));
        if slot == self.control.len() {
            self.control.push(entry);
        } else {
            self.control[slot] = entry;
        }
        slot
    }

    /// Ends the thread of a slot.
    pub(crate) fn end_thread(&mut self, machine: &Machine, slot: usize) {
        let base = self.base(machine, slot);
        let words = machine.image_at(self.control[slot]).words();
        self.known.drain(base..base + words);
        self.value.drain(base..base + words);
        self.control[slot] = LocId::ENDED;
        while self.control.last() == Some(&LocId::ENDED) {
            self.control.pop();
        }
    }

    /// All places of variables, globals first, then slot by slot.
    pub(crate) fn places(&self, machine: &Machine) -> Vec<StateBit> {
        let mut places: Vec<_> = (0..machine.globals.len()).collect();
        for slot in self.live() {
            let base = self.first_local(machine, slot);
            let locals = machine.image_at(self.control[slot]).locals.len();
            places.extend(base..base + locals);
        }
        places
    }

    /// Makes room for `count` next values behind the words of the state.
    pub(crate) fn extend(&mut self, count: usize) {
        let words = self.known.len() + count.div_ceil(BITS);
        self.known.resize(words, 0);
        self.value.resize(words, 0);
    }

    /// Drops the next values again.
    pub(crate) fn truncate(&mut self, words: usize) {
        self.known.truncate(words);
        self.value.truncate(words);
    }
}
