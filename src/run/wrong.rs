//! Rules of the proofs with FIFOs that are made wrong, for tests that must notice.

use std::cell::Cell;

/// A rule that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A fact is not asked about the entry that is appended.
    AppendedForgotten,
    /// A fact about two entries is used where both are the same one.
    OrderReflexive,
    /// A fact stays known where a variable changes that it mentions.
    ChangedKept,
    /// A flush writes a field that the entry has from an older one.
    InheritedWritten,
    /// After a `pop` the FIFO is never empty.
    EmptyLeftOut,
}

impl Wrong {
    pub(crate) const ALL: [Wrong; 5] = [
        Wrong::AppendedForgotten,
        Wrong::OrderReflexive,
        Wrong::ChangedKept,
        Wrong::InheritedWritten,
        Wrong::EmptyLeftOut,
    ];
}

thread_local! {
    static RULE: Cell<Option<Wrong>> = const { Cell::new(None) };
}

/// Whether a rule is wrong at present.
pub(crate) fn is(rule: Wrong) -> bool {
    RULE.get() == Some(rule)
}

/// Does some work with a wrong rule, or with none.
pub(crate) fn with<R>(rule: Option<Wrong>, work: impl FnOnce() -> R) -> R {
    RULE.set(rule);
    let result = work();
    RULE.set(None);
    result
}
