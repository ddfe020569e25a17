//! The limits that end a search early.

use crate::run::stop::Stop;

/// Why a search did not see everything; the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// A buffer of a reduced program is too small for an execution.
    Overflow,
    /// The user interrupted the work.
    Interrupted,
    /// There was no memory left.
    Memory,
    /// The time was up.
    Timeout,
    /// There are more states than allowed.
    States,
    /// A store met a full FIFO.
    Buffer,
    /// A value did not fit 64 bits.
    Values,
    /// An arbitrary value was needed; only those of a range were tried.
    Havoc,
}

impl Limit {
    /// Why work ends that looked at this and was told to.
    pub fn of_stop(stop: &Stop) -> Self {
        match (stop.is_full(), stop.is_cancelled()) {
            (true, _) => Limit::Memory,
            (false, true) => Limit::Interrupted,
            (false, false) => Limit::Timeout,
        }
    }

    /// The word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Limit::Overflow => "overflow",
            Limit::Memory => "memory",
            Limit::Timeout => "timeout",
            Limit::Interrupted => "interrupted",
            Limit::States => "states",
            Limit::Buffer => "buffer",
            Limit::Values => "values",
            Limit::Havoc => "star",
        }
    }

    /// Whether it ends all further work, too.
    pub fn is_stop(self) -> bool {
        matches!(self, Limit::Timeout | Limit::Interrupted | Limit::Memory)
    }
}
