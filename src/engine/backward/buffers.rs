//! What a symbolic set of states says of one thread's buffers, and what its steps were, backwards.
//!
//! The search is the same for both models; `tso` and `pso` say what the buffers are. Each function gives sets whose
//! states reach a state of the given set, and together they have every state that does so in one step; `docs/exact.md`
//! has the proofs.

use super::graph::{Mask, Shared, Value};
use super::moments::Moments;

/// What a thread does, as far as its buffers go.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// By variable: the values that it stores.
    pub stores: Vec<Mask>,
}

/// What one thread's buffers may hold, by variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Values that memory may have sent, under TSO.
    pub sent: Vec<Mask>,
    /// Values that the thread may have stored: under TSO its newest one.
    pub own: Vec<Mask>,
}

impl Known {
    /// Empty buffers.
    pub(super) fn nothing(vars: usize) -> Self {
        Known {
            sent: vec![0; vars],
            own: vec![0; vars],
        }
    }

    /// Adds what another one may hold; whether that is more.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let ours = self.sent.iter_mut().chain(&mut self.own);
        let theirs = other.sent.iter().chain(&other.own);
        let mut grown = false;
        for (ours, theirs) in ours.zip(theirs) {
            grown |= theirs & !*ours != 0;
            *ours |= theirs;
        }
        grown
    }
}

/// A set of buffers of one thread.
pub(super) trait Buffers: Moments + Clone + Eq {
    /// All buffers.
    fn any(thread: &Thread) -> Self;

    /// Those of a final state, in which all stores are in memory.
    fn drained(thread: &Thread) -> Self;

    /// Before a store.
    fn write(&self, var: Shared, value: Value) -> Option<Self>;

    /// Before a load that yields one of these values; with what memory then holds for the variable.
    fn read(&self, thread: &Thread, access: (Shared, Mask), memory: Mask) -> Vec<(Self, Mask)>;

    /// Before a fence.
    fn fence(&self, thread: &Thread) -> Option<Self>;

    /// Before an atomic update of these variables.
    fn update(&self, thread: &Thread, vars: &[Shared]) -> Option<Self>;

    /// Before a step of the memory: a message to the thread, or a flush of the thread's oldest store; with the variable
    /// and what memory then holds for it.
    fn arrivals(&self, thread: &Thread, memory: &[Mask]) -> Vec<(Self, Shared, Mask)>;

    /// Gives up what memory alone guarantees.
    fn weaken(&mut self, memory: &[Mask]);

    /// Whether every buffer of `other` is one of this set.
    fn covers(&self, other: &Self) -> bool;

    /// Whether some buffer of the set holds only what is known.
    fn fits(&self, known: &Known) -> bool;

    /// Whether the buffers of an initial state are in the set.
    fn is_initial(&self) -> bool;

    /// How much it demands.
    fn size(&self) -> usize;
}
