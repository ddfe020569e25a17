//! The variables of a store buffer by id, for the stages that take a reduced program.

use crate::program::{ThreadId, VarId};

/// The variables of a store buffer, of the reduced program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferVars {
    /// Whose buffer it is.
    pub thread: ThreadId,
    /// The shared variables whose stores it holds, in declaration order; under PSO a single one.
    pub scalars: Vec<VarId>,
    /// The number of entries.
    pub count: VarId,
    /// The entries, the oldest first.
    pub slots: Vec<SlotVars>,
}

/// The variables of one entry of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotVars {
    /// Under TSO, which variable is stored to: the number of the variable, as
    /// [`BufferVars::number`] gives it.
    pub lhs: Option<VarId>,
    /// The value stored.
    pub value: VarId,
}

impl BufferVars {
    /// The values of the entries, the oldest first.
    pub fn values(&self) -> impl Iterator<Item = VarId> {
        self.slots.iter().map(|slot| slot.value)
    }

    /// The number of a shared variable in the `lhs` of an entry.
    pub fn number(scalar: VarId) -> i64 {
        i64::try_from(scalar.index()).expect("ids have 32 bits")
    }
}

impl SlotVars {
    /// All variables of the entry.
    pub fn all(self) -> impl Iterator<Item = VarId> {
        self.lhs.into_iter().chain([self.value])
    }
}
