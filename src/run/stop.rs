//! When long work is to end early: at a deadline, when it is cancelled, or when there is no memory left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What ends long work early; nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Set from outside to give up.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Set from outside, before `cancel`, where the reason is that there is no memory left.
    pub full: Option<Arc<AtomicBool>>,
}

impl Stop {
    /// Whether to give up now.
    pub fn should_stop(&self) -> bool {
        self.is_cancelled()
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        let said = |cancel: &Arc<AtomicBool>| cancel.load(Ordering::Relaxed);
        self.cancel.as_ref().is_some_and(said)
    }

    /// Whether there is no memory left.
    pub fn is_full(&self) -> bool {
        let said = |full: &Arc<AtomicBool>| full.load(Ordering::Relaxed);
        self.full.as_ref().is_some_and(said)
    }

    /// The time until the deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
