//! The rules for load buffers, each of them wrong in one way: the tests must notice every one.

use super::{ANYTHING, LoadBuffer, Own};
use crate::engine::backward::buffers::{Buffers, Known, Thread};
use crate::engine::backward::graph::{Mask, Op, Shared, Update, Value};
use crate::engine::backward::moments::wrong::WrongUpdate;
use crate::engine::backward::moments::{Moments, Phase};

/// How many there are; number 0 is right.
pub(in crate::engine::backward) const COUNT: usize = 51;

/// The rules, wrong in the way with this number.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::engine::backward) struct Mutant<const N: usize>(LoadBuffer);

impl<const N: usize> Mutant<N> {
    pub(super) fn new(set: LoadBuffer) -> Self {
        Mutant(set)
    }

    pub(super) fn inner(&self) -> &LoadBuffer {
        &self.0
    }

    fn without_marks(&self) -> bool {
        !self.0.own.iter().any(|own| own.is_kept())
    }

    fn all(sets: impl IntoIterator<Item = LoadBuffer>) -> Vec<Self> {
        sets.into_iter().map(Mutant).collect()
    }

    fn unsent(set: &LoadBuffer) -> Option<LoadBuffer> {
        let mut before = set.unsent();
        if N == 11 && before.is_none() && !set.word.is_empty() {
            let mut loose = set.clone();
            for own in &mut loose.own {
                if let Own::Kept { older, .. } = own {
                    *older = (*older).min(set.word.len() - 1);
                }
            }
            before = loose.unsent();
        }
        if N == 12 {
            before = before.map(|mut before| {
                let length = before.word.len();
                for (own, old) in before.own.iter_mut().zip(&set.own) {
                    let older = match *own {
                        Own::Past { .. } => 0,
                        Own::Kept { older, .. } => older,
                    };
                    *own = own.with_newer(old.newer().min(length - older));
                }
                before
            });
        }
        before
    }

    /// The set as the order sees it.
    fn blurred(&self, is_larger: bool) -> LoadBuffer {
        let mut set = self.0.clone();
        for own in &mut set.own {
            *own = match (N, *own) {
                (13, own) if is_larger => own.with_newer(0),
                (14, Own::Kept { values, newer, .. }) if is_larger => Own::Kept {
                    values,
                    older: 0,
                    newer,
                },
                (15, Own::Kept { newer, .. }) if is_larger => Own::Past { newer },
                (16, Own::Kept { older, newer, .. }) if is_larger => Own::Kept {
                    values: Mask::MAX,
                    older,
                    newer,
                },
                (_, own) => own,
            };
        }
        if N == 48 && is_larger && !set.word.is_empty() {
            set.word.remove(0);
            for own in &mut set.own {
                let newer = own.newer().min(set.word.len());
                *own = match *own {
                    Own::Past { .. } => Own::Past { newer },
                    Own::Kept { values, older, .. } => Own::Kept {
                        values,
                        older: older.saturating_sub(1),
                        newer,
                    },
                };
            }
        }
        if N == 50 {
            set.word.sort_unstable();
        }
        if N == 17 && is_larger {
            set.word
                .iter_mut()
                .for_each(|(_, values)| *values = Mask::MAX);
        }
        set
    }
}

impl<const N: usize> Moments for Mutant<N> {
    fn last(ahead: bool) -> Phase {
        LoadBuffer::last(ahead && N != 30)
    }

    fn earlier(phase: Phase) -> Option<Phase> {
        LoadBuffer::earlier(phase).filter(|_| N != 31)
    }

    fn delivers(phase: Phase) -> bool {
        N == 32 || LoadBuffer::delivers(phase)
    }

    fn stores(phase: Phase) -> bool {
        match (N, phase) {
            (33, Phase::After) => true,
            (34, Phase::Before) => false,
            _ => LoadBuffer::stores(phase),
        }
    }

    fn happens(op: &Op, phase: Phase) -> bool {
        match (N, op) {
            (35, Op::Fence) | (36, Op::Update(_)) => true,
            (37, Op::Write(..)) if phase == Phase::After => false,
            _ => LoadBuffer::happens(op, phase),
        }
    }

    fn holds_all(memory: &[Mask], of_other: &[Mask]) -> bool {
        N == 49 || LoadBuffer::holds_all(memory, of_other)
    }

    fn before_store(held: Mask, value: Value, all: Mask) -> Option<Mask> {
        match N {
            38 => Some(all),
            39 => LoadBuffer::before_store(held, value, held),
            _ => LoadBuffer::before_store(held, value, all),
        }
    }

    fn before_update(memory: &[Mask], update: &Update, all: &[Mask]) -> Option<Vec<Mask>> {
        let wrong = match N {
            40 => WrongUpdate::AnyGuard,
            41 => WrongUpdate::AnyWrite,
            42 => WrongUpdate::KeptMemory,
            _ => return LoadBuffer::before_update(memory, update, all),
        };
        wrong.before(memory, update, all)
    }
}

impl<const N: usize> Buffers for Mutant<N> {
    fn any(thread: &Thread) -> Self {
        Mutant(LoadBuffer::any(thread))
    }

    fn drained(thread: &Thread) -> Self {
        Mutant(LoadBuffer::drained(thread))
    }

    fn write(&self, var: Shared, value: Value) -> Option<Self> {
        let right = self.0.write(var, value);
        let mut forced = self.0.clone();
        forced.own[var] = ANYTHING;
        let found = match (N, self.0.own[var]) {
            (1, Own::Kept { newer: 0, .. }) => Some(forced),
            (2, _) => Some(forced),
            (3, Own::Kept { .. }) => None,
            (18, _) => right.map(|mut before| {
                before.own[var] = self.0.own[var];
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
        let stores = thread.stores[var];
        let mut found = Vec::new();
        if accepted & stores != 0 && N != 4 {
            found.extend(match (N, set.own[var]) {
                (5, Own::Kept { .. }) => Some(set.clone()),
                (43, Own::Past { .. }) => {
                    let before = set.own_read(var, accepted & stores);
                    before.map(|mut before| {
                        before.own[var] = before.own[var].with_newer(0);
                        before
                    })
                }
                (44, Own::Past { .. }) => set.own_read(var, stores),
                _ => set.own_read(var, accepted & stores),
            });
        }
        if !set.own[var].is_kept() || N == 6 {
            let mut foreign = Vec::new();
            if N != 7 {
                foreign.extend(match N {
                    9 => {
                        let first = set.word.first().filter(|letter| letter.0 == var);
                        let both = first.map_or(0, |letter| letter.1 & accepted);
                        let mut before = set.clone();
                        (both != 0).then(|| {
                            before.word[0].1 = both;
                            before
                        })
                    }
                    46 => set.first_letter_read(var, accepted).map(|mut before| {
                        before.word[0] = set.word[0];
                        before
                    }),
                    _ => set.first_letter_read(var, accepted),
                });
            }
            let inside = set
                .word
                .first()
                .is_some_and(|&(of, values)| of == var && values & !accepted == 0);
            if N != 8 && !(N == 19 && inside) {
                foreign.push(match N {
                    10 => {
                        let mut before = set.clone();
                        before.word.insert(0, (var, accepted));
                        before
                    }
                    _ => set.other_letter_read(var, accepted),
                });
            }
            if stores != 0 && N != 45 {
                for before in &mut foreign {
                    let newer = before.word.len();
                    before.own[var] = Own::Past { newer };
                }
            }
            found.extend(foreign);
        }
        Self::all(found)
            .into_iter()
            .map(|set| (set, memory))
            .collect()
    }

    fn fence(&self, thread: &Thread) -> Option<Self> {
        match N {
            20 => Some(self.clone()),
            21 => self.without_marks().then(|| self.clone()),
            22 => self.0.word.is_empty().then(|| self.clone()),
            23 => None,
            _ => self.0.fence(thread).map(Mutant),
        }
    }

    fn update(&self, thread: &Thread, vars: &[Shared]) -> Option<Self> {
        match N {
            24 => Some(self.clone()),
            25 => self.without_marks().then(|| self.clone()),
            26 => self.0.word.is_empty().then(|| self.clone()),
            27 => None,
            _ => self.0.update(thread, vars).map(Mutant),
        }
    }

    fn arrivals(&self, _thread: &Thread, memory: &[Mask]) -> Vec<(Self, Shared, Mask)> {
        let Some(&(var, values)) = self.0.word.last() else {
            return Vec::new();
        };
        let sent = memory[var] & values;
        let before = Self::unsent(&self.0).filter(|_| sent != 0 && N != 28);
        let held = if N == 29 { memory[var] } else { sent };
        before
            .map(|before| (Mutant(before), var, held))
            .into_iter()
            .collect()
    }

    fn weaken(&mut self, memory: &[Mask]) {
        while let Some(&(var, values)) = self.0.word.last()
            && (N == 47 || memory[var] & !values == 0)
            && let Some(before) = Self::unsent(&self.0)
        {
            self.0 = before;
        }
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
