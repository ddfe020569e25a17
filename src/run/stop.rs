//! When long work is to end early: at a deadline, or when it is cancelled.

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

    /// The time until the deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
