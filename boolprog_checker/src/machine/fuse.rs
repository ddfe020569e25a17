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
    let fusion = Fusion { machine, some };
    fusion.run(&fusion.ends())
}

struct Fusion<'a, S> {
    machine: &'a Machine,
    some: S,
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
            } else if old.edges.iter().any(|edge| self.fusable(old, edge)) {
                *edges = self.effective_edges(at);
            }
        }
        for at in ids().filter(|at| ends.of(*at) != *at) {
            fused.locations[at.index()].edges = fused.location(ends.of(at)).edges.clone();
        }
        for location in &mut fused.locations {
            for edge in &mut location.edges {
                edge.target = ends.of(edge.target);
                if let Action::Start(start) = &mut edge.action {
                    start.entry = ends.of(start.entry);
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
