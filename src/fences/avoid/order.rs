//! Ordering constraints, and the placements that enforce them.
//!
//! [l ≺ l'] is enforced if every way of the thread's graph from behind l to l' passes something that waits for the store of
//! l: a fence, or an atomic operation that does; or if l' is itself a place that holds a fence. Then l' never runs while the store waits in the buffer: between the two the
//! thread has taken one of these ways.

use std::collections::VecDeque;

use indexmap::IndexMap;

use crate::fences::frontier::FenceSet;
use crate::fences::places::{Candidates, PlaceId};
use crate::memory::Model;
use crate::program::{Action, Edge, EdgeId, LocId, Place, Program, VarId};
use crate::source::Span;

/// [l ≺ l']: what `first` stores has reached memory before `then` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    /// A store.
    pub first: EdgeId,
    /// A statement of the same thread.
    pub then: EdgeId,
}

/// Locations that a search has reached: from which one, past which place.
type Reached = IndexMap<LocId, Option<(LocId, Option<PlaceId>)>>;

/// The constraints that a placement enforces.
pub(super) struct Order<'a> {
    program: &'a Program,
    fences: &'a FenceSet,
    model: Model,
    known: IndexMap<Constraint, bool>,
    /// The places by the spans of their statements.
    places: IndexMap<Span, PlaceId>,
}

impl<'a> Order<'a> {
    /// What these fences enforce, beside those that the program has.
    pub(super) fn new(
        program: &'a Program,
        candidates: &Candidates,
        fences: &'a FenceSet,
        model: Model,
    ) -> Self {
        let mut places = IndexMap::new();
        for (place, site) in candidates.sites() {
            places.entry(site.span).or_insert(place);
        }
        Order {
            places,
            program,
            fences,
            model,
            known: IndexMap::new(),
        }
    }

    /// Whether a fence stands on every way.
    pub(super) fn is_enforced(&mut self, constraint: Constraint) -> bool {
        if let Some(&known) = self.known.get(&constraint) {
            return known;
        }
        let enforced = self.open_way(constraint).is_none();
        self.known.insert(constraint, enforced);
        enforced
    }

    /// The places on a way without a fence: a placement that enforces the constraint has one of them.
    pub(super) fn places_of_a_way(&self, constraint: Constraint) -> Vec<PlaceId> {
        self.open_way(constraint).unwrap_or_default()
    }

    /// The places on a way without a fence that passes few of them; `None` if there is no such way.
    fn open_way(&self, constraint: Constraint) -> Option<Vec<PlaceId>> {
        let thread = &self.program.threads[constraint.first.thread.index()];
        let start = self.program.edge(constraint.first).target;
        let stored = self.stored(constraint.first);
        // Each location with the one before it and the place between the two.
        let mut reached: Reached = IndexMap::from([(start, None)]);
        let mut next = VecDeque::from([start]);
        while let Some(at) = next.pop_front() {
            if at == constraint.then.at {
                let own = self.place_of(self.program.edge(constraint.then));
                return match own {
                    Some(own) if self.fences.contains(own) => None,
                    own => Some(places_to(&reached, at).into_iter().chain(own).collect()),
                };
            }
            for edge in &thread.location(at).edges {
                let place = self.place_of(edge);
                let fenced = place.is_some_and(|place| self.fences.contains(place));
                if fenced || self.waits(edge, stored) || reached.contains_key(&edge.target) {
                    continue;
                }
                reached.insert(edge.target, Some((at, place)));
                match place {
                    Some(_) => next.push_back(edge.target),
                    None => next.push_front(edge.target),
                }
            }
        }
        None
    }

    /// The place that a step passes, if it passes one.
    fn place_of(&self, edge: &Edge) -> Option<PlaceId> {
        let is_place = self.program.statement(edge.stmt).is_optional_fence;
        is_place.then(|| self.places.get(&edge.span).copied())?
    }

    /// The one variable that a store is to, if there is one.
    fn stored(&self, store: EdgeId) -> Option<VarId> {
        match &self.program.edge(store).action {
            Action::Store(Place::Var(var), _) => Some(*var),
            _ => None,
        }
    }

    /// Whether a step runs only when a store to the variable has reached memory.
    fn waits(&self, edge: &Edge, stored: Option<VarId>) -> bool {
        match (&edge.action, self.model) {
            (Action::Fence, _) => true,
            (Action::Cas(..) | Action::Swap(..) | Action::FetchAdd(..), Model::Tso) => true,
            (
                Action::Cas(_, Place::Var(target), ..)
                | Action::Swap(_, Place::Var(target), _)
                | Action::FetchAdd(_, Place::Var(target), _),
                Model::Pso,
            ) => Some(*target) == stored,
            _ => false,
        }
    }
}

/// The places on the way to a location that was reached, in its order.
fn places_to(reached: &Reached, mut at: LocId) -> Vec<PlaceId> {
    let mut places = Vec::new();
    while let Some((before, place)) = reached[&at] {
        places.extend(place);
        at = before;
    }
    places.reverse();
    places
}
