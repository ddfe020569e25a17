//! The analysis behind rules 7 and 14: is there a fence between any two stores of a thread?
//!
//! A forward analysis of each thread's graph: a store is pending from the step that makes it until a
//! step that waits for the buffer to be empty. The answer is yes if no store starts while one is
//! pending. Under TSO an atomic operation waits for the whole buffer; under PSO it waits for one
//! variable only and does not count.

use crate::memory::Model;
use crate::program::{Action, Program, Thread};

/// Whether every two stores of a thread have a fence between them, for all threads.
pub fn stores_are_fenced(program: &Program, model: Model) -> bool {
    let fenced = |thread: &Thread| thread_is_fenced(thread, model);
    program.threads.iter().all(fenced)
}

fn thread_is_fenced(thread: &Thread, model: Model) -> bool {
    let mut reached = vec![[false; 2]; thread.locations.len()];
    let mut work = vec![(thread.entry, false)];
    while let Some((location, pending)) = work.pop() {
        if std::mem::replace(&mut reached[location.index()][usize::from(pending)], true) {
            continue;
        }
        for edge in &thread.locations[location.index()].edges {
            match after(&edge.action, pending, model) {
                Some(pending) => work.push((edge.target, pending)),
                None => return false,
            }
        }
    }
    true
}

/// Whether a store is pending after an action; `None` if a second one starts.
fn after(action: &Action, pending: bool, model: Model) -> Option<bool> {
    match action {
        Action::Store(..) => (!pending).then_some(true),
        Action::Fence => Some(false),
        Action::Cas(..) | Action::Swap(..) | Action::FetchAdd(..) => {
            Some(pending && model != Model::Tso)
        }
        Action::Skip
        | Action::Assume(_)
        | Action::Assert(..)
        | Action::Assign(..)
        | Action::Havoc(_)
        | Action::Choose(..)
        | Action::Append(..)
        | Action::Pop(_)
        | Action::Load(..) => Some(pending),
    }
}
