//! Which starts of threads a run can come to any number of times.
//!
//! A thread is *unbounded* if it can be one of any number: if it is started in a loop, by an unbounded thread, or by
//! one that it starts itself, perhaps through others. The starts of all other threads happen at most once for each
//! thread that comes to them, so their number is known: [`Machine::fixed_threads`]. The limit on threads is about
//! the unbounded ones alone.

use std::sync::Arc;

use super::visibility::{Role, roles};
use super::{Action, LocId, Machine};

/// Marks the starts of unbounded threads and counts the others.
pub(super) fn mark(machine: &mut Machine) {
    if machine.main == LocId::ENDED {
        return;
    }
    let roles = roles(machine);
    let unbounded = unbounded(&roles);
    machine.fixed_threads = count(&roles, &unbounded);
    let entries: Vec<_> = roles.iter().zip(unbounded).collect();
    for edge in machine
        .locations
        .iter_mut()
        .flat_map(|location| &mut location.edges)
    {
        if let Action::Start(start) = &mut edge.action {
            let known = entries.iter().find(|(role, _)| role.entry == start.entry);
            Arc::make_mut(start).repeated = known.is_some_and(|(_, unbounded)| *unbounded);
        }
    }
}

/// For each way in which threads begin, whether there can be any number of them.
fn unbounded(roles: &[Role]) -> Vec<bool> {
    let mut unbounded: Vec<bool> = (0..roles.len())
        .map(|number| starts_itself(roles, number))
        .collect();
    loop {
        let before = unbounded.clone();
        for (number, role) in roles.iter().enumerate() {
            for (entry, repeated) in &role.starts {
                if *repeated || before[number] {
                    unbounded[numbered(roles, *entry)] = true;
                }
            }
        }
        if unbounded == before {
            return unbounded;
        }
    }
}

/// Whether a thread of this role leads, by starts of threads, to another one of the same.
fn starts_itself(roles: &[Role], number: usize) -> bool {
    let mut reached = vec![false; roles.len()];
    let mut work = vec![number];
    while let Some(role) = work.pop() {
        for (entry, _) in &roles[role].starts {
            let started = numbered(roles, *entry);
            if !std::mem::replace(&mut reached[started], true) {
                work.push(started);
            }
        }
    }
    reached[number]
}

/// How many threads there can be in the bounded roles together, `main` included. They start each other without
/// circles, so as many rounds as there are roles carry every number to its end.
fn count(roles: &[Role], unbounded: &[bool]) -> usize {
    let mut counts = vec![0usize; roles.len()];
    for _ in 0..=roles.len() {
        let mut next = vec![0usize; roles.len()];
        next[0] = 1;
        for (role, number) in roles.iter().zip(&counts) {
            for started in role.starts.iter().map(|(entry, _)| numbered(roles, *entry)) {
                if !unbounded[started] {
                    next[started] = next[started].saturating_add(*number);
                }
            }
        }
        counts = next;
    }
    let bounded = counts
        .iter()
        .zip(unbounded)
        .filter(|(_, unbounded)| !**unbounded);
    bounded.fold(0, |sum, (count, _)| sum.saturating_add(*count))
}

fn numbered(roles: &[Role], entry: LocId) -> usize {
    let place = roles.iter().position(|role| role.entry == entry);
    place.expect("every start of a role has a role")
}

#[cfg(test)]
mod tests {
    use crate::machine::Action;
    use crate::parse;

    /// The number of bounded threads, and for each start, in the order of the text, whether it is repeated.
    fn threads(text: &str) -> (usize, Vec<bool>) {
        let program = parse(text).expect("it is a program");
        let machine = program.machine();
        let edges = machine
            .locations
            .iter()
            .flat_map(|location| &location.edges);
        let repeated = edges.filter_map(|edge| match &edge.action {
            Action::Start(start) => Some(start.repeated),
            Action::NoOp | Action::Assume(_) | Action::Assert(_) | Action::Assign(_) => None,
        });
        (machine.fixed_threads, repeated.collect())
    }

    #[test]
    fn threads_that_no_loop_starts_are_counted() {
        let text = "void f() begin start_thread g(); start_thread g(); end\n\
            void g() begin skip; end\n\
            void main() begin start_thread f(); start_thread f(); start_thread g(); end";
        assert_eq!(threads(text), (1 + 2 + 2 * 2 + 1, vec![false; 5]));
    }

    #[test]
    fn loops_and_circles_of_threads_have_no_number() {
        let in_a_loop = "void g() begin skip; end\n\
            void main() begin start_thread g(); while * do start_thread g(); od end";
        assert_eq!(threads(in_a_loop), (1, vec![true, true]));
        let each_other = "void f() begin start_thread g(); end\n\
            void g() begin start_thread f(); start_thread h(); end\n\
            void h() begin skip; end\n\
            void k() begin skip; end\n\
            void main() begin start_thread f(); start_thread k(); end";
        let (fixed, repeated) = threads(each_other);
        assert_eq!(fixed, 2);
        assert_eq!(repeated.iter().filter(|repeated| **repeated).count(), 4);
    }
}
