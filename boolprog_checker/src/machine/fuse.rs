//! Fuses steps without effect with what follows them.
//!
//! A `skip` or `goto` changes nothing that another thread or an assertion can see, so a thread that
//! stands before it may as well stand behind it. Each location gets the effective steps of all
//! locations it reaches by fusable steps, and a step that leads to a location with just one fusable
//! step leads on. Fusable are steps without effect between locations with the same `enforce` that
//! are both inside or both outside an atomic section, and for which the caller has nothing against it.
//!
//! Where control can go many ways from one `goto` to the next, each location would get the steps of all
//! that follow. A location for which there is too much to look through keeps its own steps instead, so
//! that time and memory are linear in the size of the program.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Action, Edge, LocId, Location, Machine};
use crate::syntax::ast::StmtId;

/// Most steps that are looked through for each step that a location has itself. What predicate abstraction
/// makes of programs stays far below.
const MAX_FOR_EACH: usize = 16;

/// The same machine with fused steps. It has at most [`MAX_FOR_EACH`] times as many steps.
pub(crate) fn fuse(machine: &Machine) -> Machine {
    let fusion = Fusion {
        machine,
        some: |_| true,
        most_for_each: MAX_FOR_EACH,
    };
    fusion.run(&fusion.ends())
}

/// The same machine with all steps fused that can be and are steps of these statements, however many steps
/// that makes: no thread ever stands before one of them.
pub(crate) fn fuse_some(machine: &Machine, some: impl Fn(StmtId) -> bool) -> Machine {
    let fusion = Fusion {
        machine,
        some,
        most_for_each: usize::MAX,
    };
    fusion.run(&fusion.ends())
}

struct Fusion<'a, S> {
    machine: &'a Machine,
    some: S,
    /// Most steps to look through for each step of a location.
    most_for_each: usize,
}

/// For each location the one behind the chain of single fusable steps that begins there.
struct Ends(Vec<LocId>);

impl Ends {
    fn of(&self, at: LocId) -> LocId {
        if at == LocId::ENDED {
            at
        } else {
            self.0[at.index()]
        }
    }
}

impl<S: Fn(StmtId) -> bool> Fusion<'_, S> {
    fn run(&self, ends: &Ends) -> Machine {
        let machine = self.machine;
        let mut fused = machine.clone();
        let ids = || (0..machine.locations.len() as u32).map(LocId);
        for at in ids().filter(|at| ends.of(*at) == *at) {
            let old = machine.location(at);
            let edges = &mut fused.locations[at.index()].edges;
            if self.only_step(at).is_some() {
                // The chain runs into a circle, which nothing has an effect in.
                edges.clear();
            } else if old.edges.iter().any(|edge| self.fusable(old, edge))
                && let Some(effective) = self.effective_edges(at)
            {
                *edges = effective;
            }
        }
        for at in ids().filter(|at| ends.of(*at) != *at) {
            let behind = &fused.location(ends.of(at)).edges;
            if behind.len() <= self.most_for_each {
                fused.locations[at.index()].edges = behind.clone();
            }
        }
        for location in &mut fused.locations {
            for edge in &mut location.edges {
                edge.target = ends.of(edge.target);
                if let Action::Start(start) = &mut edge.action {
                    Arc::make_mut(start).entry = ends.of(start.entry);
                }
            }
        }
        fused.main = ends.of(machine.main);
        fused
    }

    fn fusable(&self, from: &Location, edge: &Edge) -> bool {
        let plain = matches!(edge.action, Action::NoOp) && edge.target != LocId::ENDED;
        plain && (self.some)(edge.stmt) && {
            let to = self.machine.location(edge.target);
            from.atomic == to.atomic && from.enforce == to.enforce
        }
    }

    /// The steps of all locations that fusable steps lead to, the location's own included. Nothing if there
    /// are too many to look through.
    fn effective_edges(&self, start: LocId) -> Option<Vec<Edge>> {
        let own = self.machine.location(start).edges.len();
        let mut left = own.saturating_mul(self.most_for_each);
        let mut seen = FxHashSet::from_iter([start]);
        let mut order = vec![start];
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(at) = order.get(next).copied() {
            next += 1;
            let location = self.machine.location(at);
            left = left.checked_sub(location.edges.len())?;
            for edge in &location.edges {
                if !self.fusable(location, edge) {
                    edges.push(edge);
                } else if seen.insert(edge.target) {
                    order.push(edge.target);
                }
            }
        }
        Some(edges.into_iter().cloned().collect())
    }

    /// Where the only step from a location leads, if it is fusable.
    fn only_step(&self, at: LocId) -> Option<LocId> {
        let location = self.machine.location(at);
        match location.edges.as_slice() {
            [edge] if self.fusable(location, edge) => Some(edge.target),
            _ => None,
        }
    }

    /// The ends of all chains. A chain that runs into a circle is left where it begins. Each location is
    /// passed once: the locations of a chain get their ends together.
    fn ends(&self) -> Ends {
        let mut ends: Vec<Option<LocId>> = vec![None; self.machine.locations.len()];
        let mut chain = Vec::new();
        let mut on_chain = FxHashSet::default();
        for start in (0..ends.len() as u32).map(LocId) {
            let mut at = start;
            while ends[at.index()].is_none() && on_chain.insert(at) {
                chain.push(at);
                at = self.only_step(at).unwrap_or(at);
            }
            let end = ends[at.index()].unwrap_or(at);
            let circle = self.only_step(end).is_some();
            for passed in chain.drain(..) {
                ends[passed.index()] = Some(if circle { passed } else { end });
            }
            on_chain.clear();
        }
        Ends(ends.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The fused machine, and how many steps there are before and after.
    fn fused(body: &str) -> (Machine, usize, usize) {
        let text = format!("decl x;\nvoid main() begin\n{body}\nassert(x);\nend\n");
        let program = parse(&text).expect("it is a program");
        let count = |machine: &Machine| {
            let locations = machine.locations.iter();
            locations.map(|location| location.edges.len()).sum()
        };
        let machine = fuse(program.machine());
        let (before, after) = (count(program.machine()), count(&machine));
        (machine, before, after)
    }

    /// `count` lines, each made of its number and the next.
    fn lines(count: usize, line: impl Fn(usize, usize) -> String) -> String {
        (0..count).map(|i| line(i, i + 1) + "\n").collect()
    }

    fn cascade(count: usize) -> String {
        let gotos = lines(count, |i, next| format!("L{i}: goto M{i}, L{next};"));
        let steps = lines(count, |i, _| format!("M{i}: x := !x;"));
        format!("{gotos}L{count}: skip;\n{steps}")
    }

    /// A place with `count` ways, and as many ways to it.
    fn dispatcher(count: usize, way: impl Fn(usize) -> String) -> String {
        let labels: Vec<_> = (0..count).map(|i| format!("L{i}")).collect();
        let ways = lines(count, |i, _| way(i));
        format!("D: goto {};\n{ways}", labels.join(", "))
    }

    #[test]
    fn many_ways_through_gotos_do_not_multiply_the_steps() {
        let through = dispatcher(300, |i| format!("L{i}: goto M{i}, D;\nM{i}: x := !x;"));
        let back = dispatcher(300, |i| format!("L{i}: x := !x;\nskip;\ngoto D;"));
        for body in [cascade(400), through, back] {
            let (_, before, after) = fused(&body);
            assert!(after <= MAX_FOR_EACH * before, "{before} {after}");
        }
    }

    /// Nothing would come of looking through them all for each of them.
    #[test]
    fn gotos_that_lead_to_many_others_are_left_alone() {
        let size = 1000;
        let (_, before, after) = fused(&lines(size, |i, next| {
            format!("L{i}: goto L{}, L{};", next % size, i * 7 % size)
        }));
        assert_eq!(after, before);
    }

    #[test]
    fn a_dispatcher_is_fused_whatever_its_size() {
        let (machine, _, _) = fused(&dispatcher(300, |i| format!("L{i}: x := !x;")));
        let edges = &machine.location(machine.main).edges;
        assert_eq!(edges.len(), 300);
        assert!(
            edges
                .iter()
                .all(|edge| !matches!(edge.action, Action::NoOp))
        );
    }

    #[test]
    fn no_thread_stands_before_statements_that_have_to_be_fused() {
        let text = format!(
            "decl x;\nvoid main() begin\n{}assert(x);\nend\n",
            cascade(100)
        );
        let program = parse(&text).expect("it is a program");
        let machine = fuse_some(program.machine(), |_| true);
        assert_eq!(machine.location(machine.main).edges.len(), 100);
    }
}
