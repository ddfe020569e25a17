//! The buffer variables of a reduced program, as extrapolation sees them.
//!
//! Input: the reduction. [`Slots`] says which variables may hold a buffered value of which shared
//! variable; that a thread has slots only for the variables that it stores to is rule 5 (PSO) and rule
//! 12 (TSO).

use indexmap::IndexMap;

use crate::program::VarId;
use crate::reduce::{BufferVars, Reduction};

/// The buffer variables of a reduced program.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// For each shared variable that some thread stores to: where its buffered values may be.
    pub values: IndexMap<VarId, Vec<VarId>>,
    /// The counters, each with the number of slots that it counts.
    pub counts: Vec<(VarId, usize)>,
    /// Under TSO, the variables that name what is in a slot, each with the possible numbers.
    pub names: Vec<(VarId, Vec<i64>)>,
    /// Slots of one buffer, the oldest first, with the shared variables that they may hold.
    pub rows: Vec<(Vec<VarId>, Vec<VarId>)>,
    /// The overflow flag.
    pub overflow: Option<VarId>,
}

impl Slots {
    /// The buffer variables of a reduction.
    pub fn new(reduction: &Reduction) -> Self {
        let mut slots = Slots {
            overflow: reduction.overflow(),
            ..Slots::default()
        };
        for buffer in reduction.buffers() {
            slots.add(buffer);
        }
        slots
    }

    /// Whether a variable holds a buffered value.
    pub fn is_buffered(&self, var: VarId) -> bool {
        self.rows.iter().any(|(row, _)| row.contains(&var))
    }

    fn add(&mut self, buffer: &BufferVars) {
        let scalars = buffer.scalars.clone();
        let row: Vec<VarId> = buffer.values().collect();
        let numbers: Vec<i64> = scalars.iter().copied().map(BufferVars::number).collect();
        let names = buffer.slots.iter().filter_map(|slot| slot.lhs);
        self.names.extend(names.map(|lhs| (lhs, numbers.clone())));
        self.counts.push((buffer.count, row.len()));
        for scalar in &scalars {
            self.values.entry(*scalar).or_default().extend(&row);
        }
        self.rows.push((row, scalars));
    }
}
