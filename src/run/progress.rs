//! How far long work is, recorded for another thread to show.
//!
//! The work counts, now and then, into a [`Progress`]; the command line reads it and draws. Nothing
//! depends on what is counted.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What is being done, and how far it is. Clones are about the same work.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    what: Mutex<String>,
    questions: AtomicU64,
    answered: AtomicU64,
    states: Arc<AtomicUsize>,
}

impl Progress {
    /// Begins something else: nothing of it is done yet.
    pub fn begin(&self, what: String) {
        *self.0.what.lock().unwrap_or_else(PoisonError::into_inner) = what;
        self.0.questions.store(0, Ordering::Relaxed);
        self.0.answered.store(0, Ordering::Relaxed);
        self.0.states.store(0, Ordering::Relaxed);
    }

    /// There are this many more questions to answer.
    pub fn ask(&self, questions: usize) {
        let questions = u64::try_from(questions).unwrap_or(u64::MAX);
        self.0.questions.fetch_add(questions, Ordering::Relaxed);
    }

    /// One of them is answered.
    pub fn answer(&self) {
        self.0.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// Where a search says how many states it has.
    pub fn states(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.0.states)
    }

    /// What is being done.
    pub fn what(&self) -> String {
        let what = self.0.what.lock().unwrap_or_else(PoisonError::into_inner);
        what.clone()
    }

    /// The questions answered, of how many.
    pub fn questions(&self) -> (u64, u64) {
        let answered = self.0.answered.load(Ordering::Relaxed);
        (answered, self.0.questions.load(Ordering::Relaxed))
    }

    /// The states so far.
    pub fn state_count(&self) -> usize {
        self.0.states.load(Ordering::Relaxed)
    }
}
