//! The rules, each of them wrong in one way: the tests must notice every one.

use super::buffer::{Buffer, Flush, Mask, Rules, Semantics, Slot, entries, one};
use crate::verdict::Domain;

/// How many there are; number 0 is right.
pub(super) const COUNT: usize = 33;

/// The rules, wrong in the way with this number.
#[derive(Clone, Copy)]
pub(super) struct Mutant<const N: usize>(pub(super) Semantics);

impl<const N: usize> Mutant<N> {
    /// A flush with another rest.
    fn with(flush: Option<Flush>, change: impl Fn(&mut Flush)) -> Option<Flush> {
        flush.map(|mut flush| {
            change(&mut flush);
            flush
        })
    }
}

impl<const N: usize> Rules for Mutant<N> {
    fn load_b(&self, buffer: &Buffer, slot: Slot) -> Option<Mask> {
        let right = self.0.load_b(buffer, slot);
        let head = || buffer.head.iter().find(|(of, _)| *of == slot);
        match N {
            1 if self.0.domain != Domain::Set => right.map(|last| last | buffer.sets[slot]),
            2 => right.map(|last| head().map_or(last, |(_, entry)| one(*entry))),
            3 if buffer.sets[slot] == 0 => None,
            4 if self.0.domain == Domain::Set => right.map(|set| set & set.wrapping_neg()),
            _ => right,
        }
    }

    fn load_g(&self, buffer: &Buffer, slot: Slot) -> bool {
        match N {
            5 => true,
            6 => buffer.is_empty(),
            _ => self.0.load_g(buffer, slot),
        }
    }

    fn store_h(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Buffer> {
        let right = self.0.store_h(buffer, slot, entry);
        let longer = Semantics::new(self.0.domain, self.0.k + 1);
        match N {
            7 => right.map(|mut after| {
                after.last[slot] = buffer.last[slot].or(Some(entry));
                after
            }),
            8 if self.0.k > buffer.head.len() => {
                let mut after = buffer.clone();
                after.head.push((slot, entry));
                after.last[slot] = Some(entry);
                Some(after)
            }
            9 if self.0.k > 0 => longer.store_h(buffer, slot, entry),
            _ => right,
        }
    }

    fn store_s(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Buffer> {
        let right = self.0.store_s(buffer, slot, entry);
        right.map(|mut after| {
            match N {
                10 if self.0.domain != Domain::Set => {
                    after.last[slot] = buffer.last[slot].or(Some(entry));
                }
                11 => after.sets[slot] = one(entry),
                12 => after.head.clear(),
                _ => {}
            }
            after
        })
    }

    fn flush_h(&self, buffer: &Buffer) -> Option<Flush> {
        let right = self.0.flush_h(buffer);
        match N {
            13 => Self::with(right, |flush| {
                let mut head = buffer.head.clone();
                if let Some((slot, entry)) = head.pop() {
                    (flush.slot, flush.entry, flush.left.head) = (slot, entry, head);
                }
            }),
            14 => right.filter(|_| buffer.sets.iter().all(|set| *set == 0)),
            15 => Self::with(right, |flush| flush.left.last.clone_from(&buffer.last)),
            16 => Self::with(right, |flush| flush.left.head.clear()),
            _ => right,
        }
    }

    fn flush_sn(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush> {
        match N {
            17 => None,
            18 => {
                let mut behind = buffer.clone();
                behind.head.clear();
                Self::with(self.0.flush_sn(&behind, slot, entry), |flush| {
                    flush.left.head.clone_from(&buffer.head);
                })
            }
            _ => self.0.flush_sn(buffer, slot, entry),
        }
    }

    fn flush_sd(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush> {
        let right = self.0.flush_sd(buffer, slot, entry);
        match N {
            19 => None,
            20 => {
                let mut bare = buffer.clone();
                bare.last[slot] = None;
                Self::with(self.0.flush_sd(&bare, slot, entry), |flush| {
                    flush.left.last[slot] =
                        buffer.last[slot].filter(|_| !flush.left.holds_none(slot));
                })
            }
            21 => right.filter(|_| buffer.last[slot] != Some(entry)),
            _ => right,
        }
    }

    fn flush_ne(&self, buffer: &Buffer, slot: Slot, entry: u8) -> Option<Flush> {
        let right = self.0.flush_ne(buffer, slot, entry);
        match N {
            22 => None,
            23 => right.filter(|_| buffer.last[slot] != Some(entry)),
            24 => Self::with(right, |flush| {
                let left = buffer.sets[slot] & !one(entry);
                flush.left.sets[slot] = if left == 0 { buffer.sets[slot] } else { left };
            }),
            _ => right,
        }
    }

    fn flush_e(&self, buffer: &Buffer, slot: Slot) -> Option<Flush> {
        let right = self.0.flush_e(buffer, slot);
        match N {
            25 => None,
            26 => right.filter(|_| buffer.sets[slot].count_ones() == 1),
            27 => Self::with(right, |flush| {
                flush.entry = entries(buffer.sets[slot]).next().unwrap_or(flush.entry);
            }),
            28 => Self::with(right, |flush| {
                flush.left.sets[slot] = buffer.sets[slot] & !one(flush.entry);
                if flush.left.sets[slot] != 0 {
                    flush.left.last[slot] = buffer.last[slot];
                }
            }),
            _ => right,
        }
    }

    fn emp(&self, buffer: &Buffer, slot: Slot) -> bool {
        match N {
            29 => buffer.sets[slot] == 0,
            _ => self.0.emp(buffer, slot),
        }
    }

    fn fence(&self, buffer: &Buffer) -> bool {
        match N {
            30 => buffer.sets.iter().all(|set| *set == 0),
            31 => buffer.head.is_empty(),
            _ => self.0.fence(buffer),
        }
    }

    fn covers(&self, buffer: &Buffer, other: &Buffer) -> bool {
        match N {
            32 => self.0.covers(other, buffer),
            _ => self.0.covers(buffer, other),
        }
    }
}
