//! Fewer threads: the program to solve first where three or more threads are alike.
//!
//! A proof for two of the threads is found much sooner than one for all of them: there are fewer states, shorter paths and
//! fewer candidates. Its images under the swaps of the alike threads ([`super::symmetry`]) are where the search for all
//! threads begins. Every execution of the smaller program is one of the program in which the other threads wait at
//! their start, so a violation there is one of the program; that nothing is broken says nothing about the program.

use super::symmetry;
use crate::program::{Action, Cond, Program, ThreadId};

/// How many of the threads that are alike stay.
const STAYING: usize = 2;

/// The threads to leave out: of those that are alike all but the first two.
pub fn spare(program: &Program) -> Vec<ThreadId> {
    let mut first: Vec<usize> = (0..program.threads.len()).collect();
    for (a, b, _) in symmetry::alike(program) {
        let (a, b) = (first[a].min(first[b]), first[a].max(first[b]));
        for other in &mut first {
            if *other == b {
                *other = a;
            }
        }
    }
    let is_spare = |&thread: &ThreadId| {
        let own = first[thread.index()];
        let before = first[..thread.index()].iter();
        before.filter(|other| **other == own).count() >= STAYING
    };
    program.thread_ids().filter(is_spare).collect()
}

/// Keeps threads from taking a step; they stay in the program, so that all numbers of threads and steps do too.
pub fn hold(program: &mut Program, threads: &[ThreadId]) {
    for thread in threads {
        for location in &mut program.threads[thread.index()].locations {
            for edge in &mut location.edges {
                edge.bounds = None;
                edge.action = Action::Assume(Cond::Const(false));
            }
        }
    }
}
