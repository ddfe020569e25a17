//! Fuses steps without effect with what follows them.
//!
//! A `skip` or `goto` changes nothing that another thread or an assertion can see, so a thread that
//! stands before it may as well stand behind it. Each location gets the effective steps of all
//! locations it reaches by fusable steps, and a step that leads to a location with just one fusable
//! step leads on. Fusable are steps without effect between locations with the same `enforce` that
//! are both inside or both outside an atomic section, and for which the caller has nothing against it.

use rustc_hash::FxHashSet;

use super::{Action, Edge, LocId, Location, Machine};
use crate::syntax::ast::StmtId;

/// The same machine with all steps fused that can be.
pub(crate) fn fuse(machine: &Machine) -> Machine {
    fuse_some(machine, |_| true)
}

/// The same machine with fused steps, as far as they are steps of these statements.
pub(crate) fn fuse_some(machine: &Machine, some: impl Fn(StmtId) -> bool) -> Machine {
    Fusion { machine, some }.run()
}

struct Fusion<'a, S> {
    machine: &'a Machine,
    some: S,
}

impl<S: Fn(StmtId) -> bool> Fusion<'_, S> {
    fn run(&self) -> Machine {
        let machine = self.machine;
        let mut fused = machine.clone();
        for (index, location) in fused.locations.iter_mut().enumerate() {
            let old = &machine.locations[index];
            if old.edges.iter().any(|edge| self.fusable(old, edge)) {
                location.edges = self.effective_edges(LocId(index as u32));
            }
        }
        for location in &mut fused.locations {
            for edge in &mut location.edges {
                edge.target = self.last(edge.target);
                if let Action::Start(start) = &mut edge.action {
                    start.entry = self.last(start.entry);
                }
            }
        }
        fused.main = self.last(machine.main);
        fused
    }

    fn fusable(&self, from: &Location, edge: &Edge) -> bool {
        let plain = matches!(edge.action, Action::NoOp) && edge.target != LocId::ENDED;
        plain && (self.some)(edge.stmt) && {
            let to = self.machine.location(edge.target);
            from.atomic == to.atomic && from.enforce == to.enforce
        }
    }

    /// The steps of all locations that fusable steps lead to, the location's own included.
    fn effective_edges(&self, start: LocId) -> Vec<Edge> {
        let mut seen = FxHashSet::from_iter([start]);
        let mut order = vec![start];
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(at) = order.get(next).copied() {
            next += 1;
            let location = self.machine.location(at);
            for edge in &location.edges {
                if !self.fusable(location, edge) {
                    edges.push(edge.clone());
                } else if seen.insert(edge.target) {
                    order.push(edge.target);
                }
            }
        }
        edges
    }

    /// The location behind a chain of single fusable steps; a circle of them is left where it begins.
    fn last(&self, start: LocId) -> LocId {
        let mut at = start;
        let mut seen = FxHashSet::default();
        while at != LocId::ENDED && seen.insert(at) {
            let location = self.machine.location(at);
            match location.edges.as_slice() {
                [edge] if self.fusable(location, edge) => at = edge.target,
                _ => return at,
            }
        }
        if at == LocId::ENDED { at } else { start }
    }
}
