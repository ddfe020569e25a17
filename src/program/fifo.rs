//! FIFOs: unbounded queues of records, local to a thread.
//!
//! What can be read of a FIFO is in ordinary variables: its length, and the fields of its oldest and newest entries,
//! all 0 while it is empty. So terms and conditions know nothing of FIFOs; only the two actions that change one do.

use super::{FifoId, ThreadId, VarId};

/// A FIFO of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fifo {
    /// Its number.
    pub id: FifoId,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub owner: ThreadId,
    /// The number of entries.
    pub length: VarId,
    /// The fields of the oldest entry.
    pub oldest: Vec<VarId>,
    /// The fields of the newest entry.
    pub newest: Vec<VarId>,
}

impl Fifo {
    /// How many values an entry has.
    pub fn width(&self) -> usize {
        self.newest.len()
    }

    /// The variables that show it: the length, then the oldest and the newest entry.
    pub fn views(&self) -> impl Iterator<Item = VarId> {
        let ends = self.oldest.iter().chain(&self.newest);
        std::iter::once(self.length).chain(ends.copied())
    }
}
