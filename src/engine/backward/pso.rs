//! What a set of states says of one thread under PSO: real store buffers, backwards.
//!
//! Steps are monotone in an order on real states: more stores in a buffer, but for its newest one, which loads see, and
//! never more than none. A [`Word`] is a set of buffers that is closed upwards in this order. `docs/exact.md` has
//! the order and the proofs of the rules here.

#[cfg(test)]
pub(super) mod mutants;

use super::buffers::{Buffers, Known, Thread};
use super::graph::{Mask, Shared, Value, one};
use super::moments::Moments;
use crate::certificate::BufferSet;

/// A set of buffers of one variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Word {
    /// Values that are among those of the buffer, in this order, the oldest first.
    letters: Vec<Mask>,
    /// Whether the last letter is the newest store, or, without letters, the buffer is empty.
    closed: bool,
}

impl Word {
    /// The empty buffer, if it is in the set.
    fn empty(&self) -> Option<Self> {
        self.letters.is_empty().then_some(Word {
            letters: Vec::new(),
            closed: true,
        })
    }

    fn covers(&self, other: &Word) -> bool {
        let (mut letters, mut others) = (self.letters.as_slice(), other.letters.as_slice());
        if self.closed {
            if !other.closed {
                return false;
            }
            match (letters, others) {
                ([], []) => return true,
                ([first @ .., last], [of_first @ .., of_last]) if of_last & !last == 0 => {
                    (letters, others) = (first, of_first);
                }
                _ => return false,
            }
        }
        let mut others = others.iter();
        letters
            .iter()
            .all(|letter| others.any(|other| other & !letter == 0))
    }
}

/// A set of store buffers of one thread: by variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StoreBuffers {
    /// The buffer of a variable that the thread does not store to is always empty, and any word stands for it.
    words: Vec<Word>,
}

impl StoreBuffers {
    fn with(&self, var: Shared, word: Word) -> Self {
        let mut before = self.clone();
        before.words[var] = word;
        before
    }

    /// The set in which the thread's buffers of these variables are empty.
    fn emptied(&self, thread: &Thread, vars: impl IntoIterator<Item = Shared>) -> Option<Self> {
        let mut before = self.clone();
        for var in vars.into_iter().filter(|&var| thread.stores[var] != 0) {
            before.words[var] = self.words[var].empty()?;
        }
        Some(before)
    }

    /// A load of the newest store.
    fn own_reads(&self, var: Shared, accepted: Mask) -> Vec<Self> {
        let word = &self.words[var];
        let mut found = Vec::new();
        if let Some((&last, rest)) = word.letters.split_last()
            && last & accepted != 0
        {
            let mut letters = rest.to_vec();
            letters.push(last & accepted);
            found.push(Word {
                letters,
                closed: true,
            });
        }
        if !word.closed && accepted != 0 {
            let mut letters = word.letters.clone();
            letters.push(accepted);
            found.push(Word {
                letters,
                closed: true,
            });
        }
        found.into_iter().map(|word| self.with(var, word)).collect()
    }
}

impl StoreBuffers {
    /// The set as a certificate has it.
    pub(super) fn to_set(&self) -> BufferSet {
        let words = self.words.iter();
        let words = words.map(|word| (word.letters.clone(), word.closed));
        BufferSet::Store(words.collect())
    }
}

impl Moments for StoreBuffers {}

impl Buffers for StoreBuffers {
    fn any(thread: &Thread) -> Self {
        let word = Word {
            letters: Vec::new(),
            closed: false,
        };
        StoreBuffers {
            words: vec![word; thread.stores.len()],
        }
    }

    fn drained(thread: &Thread) -> Self {
        let words = thread.stores.iter().map(|&stores| Word {
            letters: Vec::new(),
            closed: stores != 0,
        });
        StoreBuffers {
            words: words.collect(),
        }
    }

    fn write(&self, var: Shared, value: Value) -> Option<Self> {
        let word = &self.words[var];
        let dropped = || Word {
            letters: word.letters[..word.letters.len() - 1].to_vec(),
            closed: false,
        };
        match word.letters.last() {
            Some(last) if last & one(value) != 0 => Some(self.with(var, dropped())),
            _ if word.closed => None,
            _ => Some(self.clone()),
        }
    }

    fn read(
        &self,
        thread: &Thread,
        (var, accepted): (Shared, Mask),
        memory: Mask,
    ) -> Vec<(Self, Mask)> {
        let mut found: Vec<(Self, Mask)> = Vec::new();
        let own = self.own_reads(var, accepted & thread.stores[var]);
        found.extend(own.into_iter().map(|before| (before, memory)));
        if memory & accepted != 0 {
            let before = self.emptied(thread, [var]);
            found.extend(before.map(|before| (before, memory & accepted)));
        }
        found
    }

    fn fence(&self, thread: &Thread) -> Option<Self> {
        self.emptied(thread, 0..self.words.len())
    }

    fn update(&self, thread: &Thread, vars: &[Shared]) -> Option<Self> {
        self.emptied(thread, vars.iter().copied())
    }

    fn arrivals(&self, thread: &Thread, memory: &[Mask]) -> Vec<(Self, Shared, Mask)> {
        let mut found = Vec::new();
        for (var, word) in self.words.iter().enumerate() {
            let flushed = memory[var] & thread.stores[var];
            if flushed == 0 {
                continue;
            }
            let mut letters = vec![flushed];
            letters.extend_from_slice(&word.letters);
            let closed = word.closed;
            let before = self.with(var, Word { letters, closed });
            found.push((before, var, Mask::MAX));
        }
        found
    }

    fn weaken(&mut self, _memory: &[Mask]) {}

    fn covers(&self, other: &Self) -> bool {
        let mut words = self.words.iter().zip(&other.words);
        words.all(|(word, other)| word.covers(other))
    }

    fn fits(&self, known: &Known) -> bool {
        let mut words = self.words.iter().zip(&known.own);
        words.all(|(word, known)| word.letters.iter().all(|letter| letter & known != 0))
    }

    fn is_initial(&self) -> bool {
        self.words.iter().all(|word| word.letters.is_empty())
    }

    fn size(&self) -> usize {
        let words = self.words.iter();
        words
            .map(|word| word.letters.len() + usize::from(word.closed))
            .sum()
    }
}
