//! When to give up.
//!
//! All loops of a check share one budget. Once it has stopped, loops end at their next look and
//! whatever they computed is not used for a verdict of `verified`.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::options::Limits;
use crate::outcome::Limit;

/// How many looks pass between two looks at the clock.
const CLOCK_INTERVAL: u32 = 512;

/// States are numbered with 32 bits.
const MAX_STATES: usize = u32::MAX as usize - 1;

/// The limits of a check and whether one was hit.
pub(crate) struct Budget<'a> {
    limits: &'a Limits,
    start: Instant,
    looks: Cell<u32>,
    stopped: Cell<Option<Limit>>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            start: Instant::now(),
            looks: Cell::new(0),
            stopped: Cell::new(None),
        }
    }

    pub(crate) fn max_threads(&self) -> usize {
        self.limits.max_threads
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// The limit that was hit.
    pub(crate) fn stopped(&self) -> Option<Limit> {
        self.stopped.get()
    }

    /// Lets the next search begin; time and cancellation stay as they are.
    pub(crate) fn restart(&self) {
        if self.stopped.get() == Some(Limit::States) {
            self.stopped.set(None);
        }
    }

    /// Whether to go on, with this many states at hand.
    pub(crate) fn allows(&self, states: usize) -> bool {
        if states > self.limits.max_states.min(MAX_STATES) {
            self.stop(Limit::States);
        }
        self.looks.set(self.looks.get().wrapping_add(1));
        if self.looks.get().is_multiple_of(CLOCK_INTERVAL) {
            self.look_at_clock();
            if let Some(progress) = &self.limits.progress {
                progress.store(states, Ordering::Relaxed);
            }
        }
        self.stopped.get().is_none()
    }

    /// Looks at the clock and at the caller's flag.
    pub(crate) fn look_at_clock(&self) {
        if self
            .limits
            .timeout
            .is_some_and(|timeout| self.start.elapsed() >= timeout)
        {
            self.stop(Limit::Timeout);
        }
        if self
            .limits
            .cancel
            .as_ref()
            .is_some_and(|cancel| cancel.load(Ordering::Relaxed))
        {
            self.stop(Limit::Cancelled);
        }
    }

    /// Stops the search because of this limit, unless another one was hit before.
    pub(crate) fn stop(&self, limit: Limit) {
        if self.stopped.get().is_none() {
            self.stopped.set(Some(limit));
        }
    }
}
