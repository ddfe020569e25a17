//! Fuses steps without effect with what follows them.
//!
//! A `skip` or `goto` changes nothing that another thread or an assertion can see, so a thread that
//! stands before it may as well stand behind it. Each location gets the effective steps of all
//! locations it reaches by fusable steps, and a step that leads to a location with just one fusable
//! step leads on. Fusable are steps without effect between locations with the same `enforce` that
//! are both inside or both outside an atomic section.

use rustc_hash::FxHashSet;

use super::{Action, Edge, LocId, Location, Machine};

/// The same machine with fused steps.
pub(crate) fn fuse(machine: &Machine) -> Machine {
    let mut fused = machine.clone();
    for (index, location) in fused.locations.iter_mut().enumerate() {
        if machine.locations[index]
            .edges
            .iter()
            .any(|edge| fusable(machine, &machine.locations[index], edge))
        {
            location.edges = effective_edges(machine, LocId(index as u32));
        }
    }
    for location in &mut fused.locations {
        for edge in &mut location.edges {
            edge.target = last(machine, edge.target);
            if let Action::Start(start) = &mut edge.action {
                start.entry = last(machine, start.entry);
            }
        }
    }
    fused.main = last(machine, machine.main);
    fused
}

fn fusable(machine: &Machine, from: &Location, edge: &Edge) -> bool {
    matches!(edge.action, Action::NoOp) && edge.target != LocId::ENDED && {
        let to = machine.location(edge.target);
        from.atomic == to.atomic && from.enforce == to.enforce
    }
}

/// The steps of all locations that fusable steps lead to, the location's own included.
fn effective_edges(machine: &Machine, start: LocId) -> Vec<Edge> {
    let mut seen = FxHashSet::from_iter([start]);
    let mut order = vec![start];
    let mut edges = Vec::new();
    let mut next = 0;
    while let Some(at) = order.get(next).copied() {
        next += 1;
        let location = machine.location(at);
        for edge in &location.edges {
            if !fusable(machine, location, edge) {
                edges.push(edge.clone());
            } else if seen.insert(edge.target) {
                order.push(edge.target);
            }
        }
    }
    edges
}

/// The location behind a chain of single fusable steps; a circle of them is left where it begins.
fn last(machine: &Machine, start: LocId) -> LocId {
    let mut at = start;
    let mut seen = FxHashSet::default();
    while at != LocId::ENDED && seen.insert(at) {
        let location = machine.location(at);
        match location.edges.as_slice() {
            [edge] if fusable(machine, location, edge) => at = edge.target,
            _ => return at,
        }
    }
    if at == LocId::ENDED { at } else { start }
}
