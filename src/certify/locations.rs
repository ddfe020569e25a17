//! Whether locations that a certificate names make sense for its program.

use crate::program::{LocId, Program, Thread, ThreadId};

/// The locations that threads can be at.
#[derive(Clone, Debug)]
pub(super) struct Locations<'a> {
    program: &'a Program,
    own: Vec<Vec<bool>>,
}

impl<'a> Locations<'a> {
    /// The locations of a program's threads; those of their background blocks are left out.
    pub(super) fn of(program: &'a Program) -> Self {
        Locations {
            program,
            own: program.threads.iter().map(own_locations).collect(),
        }
    }

    /// Makes sure that there is a location for each thread at which it can be, and that no more than one
    /// holds the atomic section. An error says what is wrong.
    pub(super) fn check(&self, at: &[LocId]) -> Result<(), String> {
        let threads = &self.program.threads;
        if at.len() != threads.len() {
            let (found, wanted) = (at.len(), threads.len());
            return Err(format!(
                "has {found} locations, but the program has {wanted} threads"
            ));
        }
        for (thread, location) in at.iter().enumerate() {
            if self.own[thread].get(location.index()) != Some(&true) {
                let (name, location) = (&threads[thread].display_name, location.index());
                return Err(format!(
                    "has {name} at location {location}, where it never is"
                ));
            }
        }
        match holders(self.program, at).count() {
            0 | 1 => Ok(()),
            _ => Err("has two threads hold the atomic section".to_owned()),
        }
    }
}

/// The threads that hold the atomic section at these locations, which exist.
pub(super) fn holders<'a>(
    program: &'a Program,
    at: &'a [LocId],
) -> impl Iterator<Item = ThreadId> + 'a {
    program
        .thread_ids()
        .filter(|id| program.threads[id.index()].location(at[id.index()]).held)
}

/// By location, whether a thread itself can be there.
fn own_locations(thread: &Thread) -> Vec<bool> {
    let mut own = vec![false; thread.locations.len()];
    own[thread.end.index()] = true;
    let mut open = vec![thread.entry];
    while let Some(location) = open.pop() {
        if !std::mem::replace(&mut own[location.index()], true) {
            let edges = &thread.location(location).edges;
            open.extend(edges.iter().map(|edge| edge.target));
        }
    }
    own
}
