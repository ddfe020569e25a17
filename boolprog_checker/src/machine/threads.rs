//! Which starts of threads a run can come to any number of times.
//!
//! A thread is *unbounded* if it can be one of any number: if it is started in a loop, by an unbounded thread, or by
//! one that it starts itself, perhaps through others. A start can be repeated if it stands in a loop or in the text of
//! an unbounded thread. All others happen at most once for each thread that comes to them, so the number of their
//! threads is known: [`Machine::fixed_threads`]. The limit on threads is about the starts that can be repeated.

use std::sync::Arc;

use super::visibility::{Role, roles};
use super::{Action, LocId, Machine};

/// Marks the starts that can be repeated and counts the threads of the others.
pub(super) fn mark(machine: &mut Machine) {
    if machine.main == LocId::ENDED {
        return;
    }
    let roles = roles(machine);
    let unbounded = unbounded(&roles);
    machine.fixed_threads = count(&roles, &unbounded);
    for (role, unbounded) in roles.iter().zip(unbounded) {
        let reached = machine
            .locations
            .iter_mut()
            .zip(&role.reach)
            .filter(|(_, reached)| **reached);
        let edges = reached.flat_map(|(location, _)| &mut location.edges);
        let starts = edges.filter_map(|edge| match &mut edge.action {
            Action::Start(start) => Some(start),
            Action::NoOp | Action::Assume(_) | Action::Assert(_) | Action::Assign(_) => None,
        });
        for (start, (_, in_a_loop)) in starts.zip(&role.starts) {
            Arc::make_mut(start).repeated |= unbounded || *in_a_loop;
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

/// How many threads there can be, `main` included, without the starts that can be repeated. Bounded threads start each
/// other without circles, so as many rounds as there are roles carry every number to its end.
fn count(roles: &[Role], unbounded: &[bool]) -> usize {
    let mut counts = vec![0usize; roles.len()];
    for _ in 0..=roles.len() {
        let mut next = vec![0usize; roles.len()];
        next[0] = 1;
        for (number, role) in roles
            .iter()
            .enumerate()
            .filter(|(number, _)| !unbounded[*number])
        {
            for (entry, _) in role.starts.iter().filter(|(_, in_a_loop)| !in_a_loop) {
                let started = numbered(roles, *entry);
                next[started] = next[started].saturating_add(counts[number]);
            }
        }
        counts = next;
    }
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
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
        assert_eq!(threads(in_a_loop), (2, vec![false, true]));
        let each_other = "void f() begin start_thread g(); end\n\
            void g() begin start_thread f(); start_thread h(); end\n\
            void h() begin skip; end\n\
            void k() begin skip; end\n\
            void main() begin start_thread f(); start_thread k(); end";
        let (fixed, repeated) = threads(each_other);
        assert_eq!(fixed, 3);
        assert_eq!(repeated.iter().filter(|repeated| **repeated).count(), 3);
    }
}
