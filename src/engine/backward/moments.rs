//! What steps do to memory, backwards, before and after the moment at which a property sees it.
//!
//! **Phases.** Memory of the load-buffer semantics is ahead of real memory: a store changes it before it is flushed.
//! Where a property under TSO is about memory, the search begins in the phase [`Phase::After`] the moment at which the
//! property sees memory. Stores there are those that are in the buffers at that moment: they leave marks but do not
//! change memory, memory sends nothing any more, and what waits for an empty buffer does not happen. At any time the
//! search may step into the phase [`Phase::Before`] that moment, in which all is as usual.

#[cfg(test)]
pub(super) mod wrong;

use super::graph::{Mask, Op, Update, Value, one};

/// Before or after the moment at which a property sees memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// The ordinary phase, in which runs begin.
    Before,
    /// Memory does not change any more.
    After,
}

/// The rules for memory and phases. They are the same for all buffers; only tests have others.
pub(super) trait Moments {
    /// The phase in which the search begins; `ahead` says whether memory may be ahead of what a property sees.
    fn last(ahead: bool) -> Phase {
        match ahead {
            true => Phase::After,
            false => Phase::Before,
        }
    }

    /// The phase before a phase.
    fn earlier(phase: Phase) -> Option<Phase> {
        (phase == Phase::After).then_some(Phase::Before)
    }

    /// Whether memory sends messages, or takes stores from the buffers.
    fn delivers(phase: Phase) -> bool {
        phase == Phase::Before
    }

    /// Whether a store that changes memory at once does so in a phase.
    fn stores(phase: Phase) -> bool {
        phase == Phase::Before
    }

    /// Whether a step happens in a phase at all.
    fn happens(op: &Op, phase: Phase) -> bool {
        phase == Phase::Before || !matches!(op, Op::Fence | Op::Update(_))
    }

    /// Whether memory may hold all that it may hold in another set.
    fn holds_all(memory: &[Mask], of_other: &[Mask]) -> bool {
        let mut masks = memory.iter().zip(of_other);
        masks.all(|(mask, other)| other & !mask == 0)
    }

    /// What memory of a variable held before a store that changes it at once; `all` are all its values.
    fn before_store(held: Mask, value: Value, all: Mask) -> Option<Mask> {
        (held & one(value) != 0).then_some(all)
    }

    /// What memory held before an update; `all` are the values of each variable.
    fn before_update(memory: &[Mask], update: &Update, all: &[Mask]) -> Option<Vec<Mask>> {
        let mut before = memory.to_vec();
        for &(var, value) in &update.writes {
            before[var] = Self::before_store(before[var], value, all[var])?;
        }
        for &(var, mask) in &update.guards {
            before[var] &= mask;
        }
        let mut guarded = update.guards.iter();
        guarded.all(|&(var, _)| before[var] != 0).then_some(before)
    }
}
