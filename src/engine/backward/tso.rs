//! What a set of states says of one thread under TSO: the load-buffer semantics, backwards.
//!
//! In the load-buffer semantics (Abdulla, Atig, Bouajjani and Ngo, *A Load-Buffer Semantics for Total Store Ordering*,
//! LMCS 2018) a store writes memory at once and leaves a mark in its thread's buffer; memory sends values of variables
//! to the buffers at any time; a load reads the thread's newest mark for the variable or, if there is none, the oldest
//! message, which must be for the variable. `docs/exact.md` has the semantics, the order and the proofs of the rules here.
//!
//! A [`LoadBuffer`] is a set of buffers: those with the letters of `word` among their messages, in this order, such that
//! the marks are where `own` says. Oldest letters come first; `n` is their number.

#[cfg(test)]
pub(super) mod mutants;
#[cfg(test)]
pub(super) mod naive;

use super::buffers::{Buffers, Known, Thread};
use super::graph::{Mask, Shared, Value, one};
use super::moments::Moments;
use crate::certificate::{BufferSet, MarkSet};

/// Which mark a thread has for a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Own {
    /// None, or one older than each of the `newer` newest letters; with 0 letters anything.
    Past {
        /// The number of letters.
        newer: usize,
    },
    /// One with such a value, newer than each of the `older` oldest letters and older than each of the `newer` newest.
    Kept {
        /// The values.
        values: Mask,
        /// The number of older letters.
        older: usize,
        /// The number of newer letters.
        newer: usize,
    },
}

const ANYTHING: Own = Own::Past { newer: 0 };

/// A set of load buffers of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LoadBuffer {
    /// Messages, the oldest first.
    word: Vec<(Shared, Mask)>,
    /// By variable. A thread has no mark for a variable that it does not store to: there it is always [`ANYTHING`].
    own: Vec<Own>,
}

impl Own {
    fn newer(self) -> usize {
        match self {
            Own::Past { newer } | Own::Kept { newer, .. } => newer,
        }
    }

    fn with_newer(self, newer: usize) -> Self {
        match self {
            Own::Past { .. } => Own::Past { newer },
            Own::Kept { values, older, .. } => Own::Kept {
                values,
                older,
                newer,
            },
        }
    }

    fn is_kept(self) -> bool {
        matches!(self, Own::Kept { .. })
    }
}

impl LoadBuffer {
    /// A load of the thread's own mark.
    fn own_read(&self, var: Shared, accepted: Mask) -> Option<Self> {
        let (values, older, newer) = match self.own[var] {
            Own::Past { newer } => (accepted, 0, newer),
            Own::Kept {
                values,
                older,
                newer,
            } => (values & accepted, older, newer),
        };
        let mut before = self.clone();
        before.own[var] = Own::Kept {
            values,
            older,
            newer,
        };
        (values != 0).then_some(before)
    }

    /// A load of the oldest message, which is the first letter.
    fn first_letter_read(&self, var: Shared, accepted: Mask) -> Option<Self> {
        let &(of, values) = self.word.first()?;
        if of != var || values & accepted == 0 {
            return None;
        }
        let mut before = self.clone();
        before.word[0].1 = values & accepted;
        for own in &mut before.own {
            if let Own::Kept { older, newer, .. } = own {
                *older = (*older).max(1);
                if *older + *newer > self.word.len() {
                    return None;
                }
            }
        }
        Some(before)
    }

    /// A load of the oldest message, which is none of the letters.
    fn other_letter_read(&self, var: Shared, accepted: Mask) -> Self {
        let mut before = self.clone();
        before.word.insert(0, (var, accepted));
        for own in &mut before.own {
            if let Own::Kept { older, .. } = own {
                *older += 1;
            }
        }
        before
    }

    /// The set without its newest letter, which was sent from memory last; `None` if a mark is newer than that.
    fn unsent(&self) -> Option<Self> {
        let length = self.word.len();
        let mut before = self.clone();
        before.word.pop()?;
        for own in &mut before.own {
            if let Own::Kept { older, .. } = own
                && *older == length
            {
                return None;
            }
            *own = own.with_newer(own.newer().saturating_sub(1));
        }
        Some(before)
    }

    /// For each letter the range of places among the letters of `other` that the marks allow; `None` if a mark of
    /// `other` is not as demanded.
    fn windows(&self, other: &Self) -> Option<Vec<(usize, usize)>> {
        let (length, others) = (self.word.len(), other.word.len());
        let mut windows = vec![(0, others); length];
        for (own, of_other) in self.own.iter().zip(&other.own) {
            if own.newer() > 0 {
                if of_other.newer() == 0 {
                    return None;
                }
                let first = &mut windows[length - own.newer()];
                first.0 = first.0.max(others - of_other.newer());
            }
            if let Own::Kept { values, older, .. } = *own {
                let Own::Kept {
                    values: of_values,
                    older: of_older,
                    ..
                } = *of_other
                else {
                    return None;
                };
                if of_values & !values != 0 {
                    return None;
                }
                if older > 0 {
                    let last = &mut windows[older - 1];
                    last.1 = last.1.min(of_older);
                }
            }
        }
        Some(windows)
    }
}

impl LoadBuffer {
    /// The set as a certificate has it.
    pub(super) fn to_set(&self) -> BufferSet {
        let own = self.own.iter().map(|own| match *own {
            Own::Past { newer } => MarkSet::Past(newer),
            Own::Kept {
                values,
                older,
                newer,
            } => MarkSet::Kept(values, older, newer),
        });
        BufferSet::Load {
            word: self.word.clone(),
            own: own.collect(),
        }
    }
}

impl Moments for LoadBuffer {}

impl Buffers for LoadBuffer {
    fn any(thread: &Thread) -> Self {
        LoadBuffer {
            word: Vec::new(),
            own: vec![ANYTHING; thread.stores.len()],
        }
    }

    /// The memory of the load-buffer semantics is that of a state in which all stores were flushed.
    fn drained(thread: &Thread) -> Self {
        Self::any(thread)
    }

    fn write(&self, var: Shared, value: Value) -> Option<Self> {
        let fits = match self.own[var] {
            Own::Past { newer } => newer == 0,
            Own::Kept { values, newer, .. } => newer == 0 && values & one(value) != 0,
        };
        let mut before = self.clone();
        before.own[var] = ANYTHING;
        fits.then_some(before)
    }

    fn read(
        &self,
        thread: &Thread,
        (var, accepted): (Shared, Mask),
        memory: Mask,
    ) -> Vec<(Self, Mask)> {
        let stores = thread.stores[var];
        let mut found = Vec::new();
        if accepted & stores != 0 {
            found.extend(self.own_read(var, accepted & stores));
        }
        if !self.own[var].is_kept() {
            let mut foreign: Vec<Self> = Vec::new();
            foreign.extend(self.first_letter_read(var, accepted));
            foreign.push(self.other_letter_read(var, accepted));
            if stores != 0 {
                for before in &mut foreign {
                    before.own[var] = Own::Past {
                        newer: before.word.len(),
                    };
                }
            }
            found.extend(foreign);
        }
        found.into_iter().map(|before| (before, memory)).collect()
    }

    fn fence(&self, _thread: &Thread) -> Option<Self> {
        self.is_initial().then(|| self.clone())
    }

    fn update(&self, thread: &Thread, _vars: &[Shared]) -> Option<Self> {
        self.fence(thread)
    }

    fn arrivals(&self, _thread: &Thread, memory: &[Mask]) -> Vec<(Self, Shared, Mask)> {
        let Some(&(var, values)) = self.word.last() else {
            return Vec::new();
        };
        let sent = memory[var] & values;
        let before = self.unsent().filter(|_| sent != 0);
        before
            .map(|before| (before, var, sent))
            .into_iter()
            .collect()
    }

    fn weaken(&mut self, memory: &[Mask]) {
        while let Some(&(var, values)) = self.word.last()
            && memory[var] & !values == 0
            && let Some(before) = self.unsent()
        {
            *self = before;
        }
    }

    fn covers(&self, other: &Self) -> bool {
        let Some(windows) = self.windows(other) else {
            return false;
        };
        let mut next = 0;
        for (&(var, values), (first, last)) in self.word.iter().zip(windows) {
            next = next.max(first);
            let fits = |&(of, of_values): &(Shared, Mask)| of == var && of_values & !values == 0;
            match other.word[next.min(other.word.len())..]
                .iter()
                .position(fits)
            {
                Some(distance) if next + distance < last => next += distance + 1,
                _ => return false,
            }
        }
        true
    }

    fn fits(&self, known: &Known) -> bool {
        let mut word = self.word.iter();
        let mut own = self.own.iter().zip(&known.own);
        word.all(|&(var, values)| values & known.sent[var] != 0)
            && own.all(|(own, &known)| match own {
                Own::Past { .. } => true,
                Own::Kept { values, .. } => values & known != 0,
            })
    }

    fn is_initial(&self) -> bool {
        self.word.is_empty() && !self.own.iter().any(|own| own.is_kept())
    }

    fn size(&self) -> usize {
        let kept = self.own.iter().filter(|own| own.is_kept());
        self.word.len() + kept.count()
    }
}
