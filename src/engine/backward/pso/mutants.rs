//! The rules for store buffers, each of them wrong in one way: the tests must notice every one.

use super::{StoreBuffers, Word};
use crate::engine::backward::buffers::{Buffers, Known, Thread};
use crate::engine::backward::graph::{Mask, Shared, Update, Value};
use crate::engine::backward::moments::Moments;
use crate::engine::backward::moments::wrong::WrongUpdate;

/// How many there are; number 0 is right.
pub(in crate::engine::backward) const COUNT: usize = 35;

/// The rules, wrong in the way with this number.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::engine::backward) struct Mutant<const N: usize>(StoreBuffers);

impl<const N: usize> Mutant<N> {
    /// The set as the order sees it.
    fn blurred(&self, is_larger: bool) -> StoreBuffers {
        let mut set = self.0.clone();
        for word in &mut set.words {
            match N {
                11 if is_larger => word.closed = false,
                12 if is_larger && !word.letters.is_empty() => {
                    word.letters.pop();
                    word.letters.push(Mask::MAX);
                }
                13 if is_larger && word.letters.is_empty() => word.closed = false,
                14 if is_larger && word.letters.len() > 1 => {
                    word.letters.remove(0);
                }
                33 if is_larger => {
                    let others =
                        word.letters.len() - usize::from(word.closed && !word.letters.is_empty());
                    word.letters[..others].fill(Mask::MAX);
                }
                34 => {
                    let others =
                        word.letters.len() - usize::from(word.closed && !word.letters.is_empty());
                    word.letters[..others].sort_unstable();
                }
                _ => {}
            }
        }
        set
    }
}

impl<const N: usize> Moments for Mutant<N> {
    fn holds_all(memory: &[Mask], of_other: &[Mask]) -> bool {
        N == 29 || StoreBuffers::holds_all(memory, of_other)
    }

    fn before_update(memory: &[Mask], update: &Update, all: &[Mask]) -> Option<Vec<Mask>> {
        let wrong = match N {
            26 => WrongUpdate::AnyGuard,
            27 => WrongUpdate::AnyWrite,
            28 => WrongUpdate::KeptMemory,
            _ => return StoreBuffers::before_update(memory, update, all),
        };
        wrong.before(memory, update, all)
    }
}

impl<const N: usize> Buffers for Mutant<N> {
    fn any(thread: &Thread) -> Self {
        Mutant(StoreBuffers::any(thread))
    }

    fn drained(thread: &Thread) -> Self {
        match N {
            10 => Mutant(StoreBuffers::any(thread)),
            _ => Mutant(StoreBuffers::drained(thread)),
        }
    }

    fn write(&self, var: Shared, value: Value) -> Option<Self> {
        let right = self.0.write(var, value);
        let word = &self.0.words[var];
        let found = match N {
            1 if right.is_none() => Some(self.0.clone()),
            2 if right.as_ref() == Some(&self.0) && !word.letters.is_empty() => None,
            30 => right.map(|mut before| {
                before.words[var].letters.clone_from(&word.letters);
                before
            }),
            3 => right.map(|mut before| {
                before.words[var].closed = word.closed;
                before
            }),
            _ => right,
        };
        found.map(Mutant)
    }

    fn read(
        &self,
        thread: &Thread,
        (var, accepted): (Shared, Mask),
        memory: Mask,
    ) -> Vec<(Self, Mask)> {
        let set = &self.0;
        let length = set.words[var].letters.len();
        let mut found: Vec<(StoreBuffers, Mask)> = Vec::new();
        for mut before in set.own_reads(var, accepted & thread.stores[var]) {
            let appended = before.words[var].letters.len() > length;
            if (N == 4 && appended) || (N == 5 && !appended) {
                continue;
            }
            if N == 6 {
                before.words[var].closed = false;
            }
            if N == 31 && !appended {
                before.words[var]
                    .letters
                    .clone_from(&set.words[var].letters);
            }
            found.push((before, memory));
        }
        if memory & accepted != 0 {
            let before = match N {
                7 => Some(set.clone()),
                8 if length > 0 => Some(set.with(
                    var,
                    Word {
                        letters: Vec::new(),
                        closed: true,
                    },
                )),
                _ => set.emptied(thread, [var]),
            };
            let held = if N == 32 { memory } else { memory & accepted };
            found.extend(before.map(|before| (before, held)));
        }
        let found = found.into_iter();
        found.map(|(set, memory)| (Mutant(set), memory)).collect()
    }

    fn fence(&self, thread: &Thread) -> Option<Self> {
        match N {
            9 => Some(self.clone()),
            15 => None,
            16 => self.0.is_initial().then(|| self.clone()),
            _ => self.0.fence(thread).map(Mutant),
        }
    }

    fn update(&self, thread: &Thread, vars: &[Shared]) -> Option<Self> {
        match N {
            17 => Some(self.clone()),
            18 => self.0.fence(thread).map(Mutant),
            19 => None,
            _ => self.0.update(thread, vars).map(Mutant),
        }
    }

    fn arrivals(&self, thread: &Thread, memory: &[Mask]) -> Vec<(Self, Shared, Mask)> {
        let found = self.0.arrivals(thread, memory).into_iter();
        let found = found.filter_map(|(mut set, var, mut held)| {
            let letters = &mut set.words[var].letters;
            match N {
                20 => return None,
                21 if letters.len() > 1 => return None,
                22 => held = memory[var],
                23 => letters[0] = thread.stores[var],
                24 => letters.rotate_left(1),
                25 => set.words[var].closed = false,
                _ => {}
            }
            Some((Mutant(set), var, held))
        });
        found.collect()
    }

    fn weaken(&mut self, memory: &[Mask]) {
        self.0.weaken(memory);
    }

    fn covers(&self, other: &Self) -> bool {
        self.blurred(true).covers(&other.blurred(false))
    }

    fn fits(&self, known: &Known) -> bool {
        self.0.fits(known)
    }

    fn is_initial(&self) -> bool {
        self.0.is_initial()
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}
