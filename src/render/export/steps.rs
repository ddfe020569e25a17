//! The ways through atomic sections.
//!
//! A step of an exported program is one edge, or a way through an atomic section, or a way through a `background` block.
//! It begins and ends where the thread rests: where it does not hold the section, or at the head of a loop in it. A way that can break a property ends there, as a
//! way of its own. A thread that blocks in its section keeps all others from moving for ever, and no property looks at
//! such states, so that ways which block lead nowhere. Only where a thread can rest in a section does a state have to say
//! that it is held.

use std::collections::BTreeSet;

use crate::program::{Action, Cond, Edge, EdgeId, LocId, PropertyId, Thread, ThreadId};

use super::{Exported, Refused};

/// Most ways from one location.
const MOST: usize = 4096;

/// A way: edges one after the other, and what comes behind them.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub edges: Vec<EdgeId>,
    pub end: End,
}

/// What a way leads to.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// The thread rests here.
    At(LocId),
    /// The condition, which the last edge asks for, does not hold.
    Breaks(PropertyId, Cond),
}

impl Exported<'_> {
    /// Whether some thread can rest in an atomic section.
    pub(super) fn rests_in_sections(self) -> Result<bool, Refused> {
        let program = self.program();
        for (id, thread) in program.thread_ids().zip(&program.threads) {
            let held = |at: &LocId| thread.location(*at).held;
            if self.resting(id)?.iter().any(held) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The locations that a thread can rest at, in the order of their numbers.
    pub(super) fn resting(self, thread: ThreadId) -> Result<Vec<LocId>, Refused> {
        let graph = &self.program().threads[thread.index()];
        let mut reached = BTreeSet::from([graph.entry]);
        let mut work = vec![graph.entry];
        while let Some(at) = work.pop() {
            for way in self.ways(thread, at)? {
                if let End::At(target) = way.end
                    && reached.insert(target)
                {
                    work.push(target);
                }
            }
        }
        Ok(reached.into_iter().collect())
    }

    /// The ways from a location of a thread, or from the entry of one of its `background` blocks.
    pub(super) fn ways(self, thread: ThreadId, from: LocId) -> Result<Vec<Way>, Refused> {
        let mut ways = Vec::new();
        let graph = &self.program().threads[thread.index()];
        // Loops matter in sections alone; most locations lead into none.
        let enters = |edge: &Edge| graph.location(edge.target).held;
        let heads = match graph.location(from).edges.iter().any(enters) {
            true => loop_heads(graph),
            false => BTreeSet::new(),
        };
        // The edges that are still to be looked at, the next one last, each with the number of edges before it.
        let mut open = edges_of(graph, (thread, from), 0);
        let mut edges: Vec<EdgeId> = Vec::new();
        while let Some((id, before)) = open.pop() {
            edges.truncate(before);
            edges.push(id);
            if let Some(at) = self.extend(id, (&heads, &edges), &mut ways)? {
                open.extend(edges_of(graph, (thread, at), edges.len()));
            }
        }
        Ok(ways)
    }

    /// Adds the ways that end with an edge, the last of `edges`; where a way goes on behind it, the location there.
    fn extend(
        self,
        id: EdgeId,
        (heads, edges): (&BTreeSet<LocId>, &[EdgeId]),
        ways: &mut Vec<Way>,
    ) -> Result<Option<LocId>, Refused> {
        let edge = self.program().edge(id);
        let way = |end: End| Way {
            edges: edges.to_vec(),
            end,
        };
        // All edges of a location have the same bounds.
        if let (0, Some(bounds)) = (id.number, &edge.bounds) {
            ways.push(way(End::Breaks(bounds.property, bounds.cond.clone())));
        }
        if let Action::Assert(cond, property) = &edge.action {
            ways.push(way(End::Breaks(*property, cond.clone())));
        }
        if edge.action.fails() || edge.action == Action::Assume(Cond::Const(false)) {
            return Ok(None);
        }
        if ways.len() > MOST {
            return Err(self.too_many(id));
        }
        let thread = &self.program().threads[id.thread.index()];
        if thread.location(edge.target).held && !heads.contains(&edge.target) {
            return Ok(Some(edge.target));
        }
        ways.push(way(End::At(edge.target)));
        Ok(None)
    }

    fn too_many(self, id: EdgeId) -> Refused {
        let message = format!("more than {MOST} ways through an atomic section");
        Refused::new(
            message,
            self.span(id),
            "make the section smaller, or export to C",
        )
    }
}

/// The locations in atomic sections that a loop in the section comes back to, at least one of each loop.
fn loop_heads(thread: &Thread) -> BTreeSet<LocId> {
    let mut heads = BTreeSet::new();
    let mut seen = vec![Seen::No; thread.locations.len()];
    for index in 0..thread.locations.len() {
        visit(thread, LocId::new(index), &mut seen, &mut heads);
    }
    heads
}

/// Whether a location was visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    /// It is on the way to the one that is visited now.
    Open,
    Done,
}

/// Visits the held locations from here. The way is a list, not the stack of calls: a section may be long.
fn visit(thread: &Thread, from: LocId, seen: &mut [Seen], heads: &mut BTreeSet<LocId>) {
    let is_new =
        |at: LocId, seen: &[Seen]| thread.location(at).held && seen[at.index()] == Seen::No;
    if !is_new(from, seen) {
        return;
    }
    seen[from.index()] = Seen::Open;
    let mut way = vec![(from, 0)];
    while let Some((at, number)) = way.last_mut() {
        let Some(edge) = thread.location(*at).edges.get(*number) else {
            seen[at.index()] = Seen::Done;
            way.pop();
            continue;
        };
        *number += 1;
        if seen[edge.target.index()] == Seen::Open {
            heads.insert(edge.target);
        } else if is_new(edge.target, seen) {
            seen[edge.target.index()] = Seen::Open;
            way.push((edge.target, 0));
        }
    }
}

/// The edges of a location, the first one last, each with a number of edges that stand before it.
fn edges_of(
    graph: &Thread,
    (thread, at): (ThreadId, LocId),
    before: usize,
) -> Vec<(EdgeId, usize)> {
    let numbers = (0..graph.location(at).edges.len()).rev();
    let id = |number| EdgeId { thread, at, number };
    numbers.map(|number| (id(number), before)).collect()
}
