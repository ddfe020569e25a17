//! A control-flow graph under construction.
//!
//! A block is lowered from its last statement to its first, each statement with the location that
//! control goes to next. Where that is not known yet (the head of a `loop`, a label), a slot is opened and later
//! made an alias of the location that it turned out to be. [`Graph::finish`] resolves aliases, drops
//! what cannot be reached and numbers the rest in the order in which control first meets it.

use crate::program::{Edge, LocId, Location};

/// Locations and the slots that will become one.
#[derive(Default)]
pub(super) struct Graph {
    slots: Vec<Slot>,
}

enum Slot {
    Open,
    Alias(LocId),
    Location(Location),
}

impl Graph {
    /// A new location.
    pub(super) fn add(&mut self, held: bool, edges: Vec<Edge>) -> LocId {
        self.push(Slot::Location(Location {
            held,
            labels: Vec::new(),
            edges,
        }))
    }

    /// A slot for a location that is not known yet.
    pub(super) fn open(&mut self) -> LocId {
        self.push(Slot::Open)
    }

    /// Says which location an open slot stands for.
    pub(super) fn close(&mut self, open: LocId, location: LocId) {
        let slot = &mut self.slots[open.index()];
        debug_assert!(matches!(slot, Slot::Open), "a slot is closed once");
        *slot = Slot::Alias(location);
    }

    /// Sets the edges of a location that was added without.
    pub(super) fn set_edges(&mut self, location: LocId, edges: Vec<Edge>) {
        self.location_mut(location).edges = edges;
    }

    /// Puts labels before those that a location has.
    pub(super) fn label(&mut self, location: LocId, labels: impl Iterator<Item = String>) {
        self.location_mut(location).labels.splice(0..0, labels);
    }

    /// A location with the same labels and steps, at which the atomic section is not held.
    pub(super) fn unheld_copy(&mut self, location: LocId) -> LocId {
        let copy = Location {
            held: false,
            ..self.location_mut(location).clone()
        };
        self.push(Slot::Location(copy))
    }

    /// The locations that can be reached from `roots`, and the new ids of the roots.
    pub(super) fn finish(mut self, roots: &[LocId]) -> (Vec<Location>, Vec<LocId>) {
        let order = self.reachable(roots);
        let mut numbers = vec![None; self.slots.len()];
        for (number, &old) in order.iter().enumerate() {
            numbers[old.index()] = Some(LocId::new(number));
        }
        let renumber = |graph: &Graph, id: LocId| {
            numbers[graph.resolve(id).index()].expect("what an edge leads to is reachable")
        };
        let new_roots = roots.iter().map(|&root| renumber(&self, root)).collect();
        let mut locations = Vec::with_capacity(order.len());
        for &old in &order {
            let mut location = std::mem::take(self.location_mut(old));
            for edge in &mut location.edges {
                edge.target = renumber(&self, edge.target);
            }
            locations.push(location);
        }
        (locations, new_roots)
    }

    /// Reachable locations in depth-first order, the first edge's target first.
    fn reachable(&self, roots: &[LocId]) -> Vec<LocId> {
        let mut seen = vec![false; self.slots.len()];
        let mut order = Vec::new();
        let mut stack: Vec<LocId> = roots.iter().rev().copied().collect();
        while let Some(id) = stack.pop() {
            let id = self.resolve(id);
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            order.push(id);
            let edges = &self.location(id).edges;
            stack.extend(edges.iter().rev().map(|edge| edge.target));
        }
        order
    }

    fn resolve(&self, mut id: LocId) -> LocId {
        while let Slot::Alias(next) = self.slots[id.index()] {
            id = next;
        }
        id
    }

    fn location(&self, id: LocId) -> &Location {
        match &self.slots[id.index()] {
            Slot::Location(location) => location,
            Slot::Alias(_) | Slot::Open => unreachable!("only resolved slots are read"),
        }
    }

    fn location_mut(&mut self, id: LocId) -> &mut Location {
        match &mut self.slots[id.index()] {
            Slot::Location(location) => location,
            Slot::Alias(_) | Slot::Open => unreachable!("only resolved slots are changed"),
        }
    }

    fn push(&mut self, slot: Slot) -> LocId {
        let id = LocId::new(self.slots.len());
        self.slots.push(slot);
        id
    }
}
