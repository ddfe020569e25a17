//! The ways through atomic sections.
//!
//! A step of an exported program is one edge, or a way through an atomic section, or a way through a `background` block.
//! It begins and ends where the thread rests: where it does not hold the section, or at the head of a loop in it. A way that can break a property ends there, as a
//! way of its own. A thread that blocks in its section keeps all others from moving for ever, and no property looks at
//! such states, so that ways which block lead nowhere. Only where a thread can rest in a section does a state have to say
//! that it is held.

use std::collections::BTreeSet;

use crate::program::{Action, Cond, EdgeId, LocId, PropertyId, Thread, ThreadId};

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
        let heads = loop_heads(&self.program().threads[thread.index()]);
        self.extend(thread, from, (&heads, Vec::new()), &mut ways)?;
        Ok(ways)
    }

    /// Adds the ways that go on with the edges of `at`; `edges` are those behind.
    fn extend(
        self,
        thread: ThreadId,
        at: LocId,
        (heads, edges): (&BTreeSet<LocId>, Vec<EdgeId>),
        ways: &mut Vec<Way>,
    ) -> Result<(), Refused> {
        let graph = &self.program().threads[thread.index()];
        for (number, edge) in graph.location(at).edges.iter().enumerate() {
            let id = EdgeId { thread, at, number };
            let mut edges = edges.clone();
            edges.push(id);
            let mut breaks = |property: PropertyId, cond: &Cond| {
                let end = End::Breaks(property, cond.clone());
                ways.push(Way {
                    edges: edges.clone(),
                    end,
                });
            };
            // All edges of a location have the same bounds.
            if let (0, Some(bounds)) = (number, &edge.bounds) {
                breaks(bounds.property, &bounds.cond);
            }
            if let Action::Assert(cond, property) = &edge.action {
                breaks(*property, cond);
            }
            if edge.action.fails() || edge.action == Action::Assume(Cond::Const(false)) {
                continue;
            }
            if ways.len() > MOST {
                return Err(self.too_many(id));
            }
            if !graph.location(edge.target).held || heads.contains(&edge.target) {
                let end = End::At(edge.target);
                ways.push(Way { edges, end });
            } else {
                self.extend(thread, edge.target, (heads, edges), ways)?;
            }
        }
        Ok(())
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
    let mut done = BTreeSet::new();
    for index in 0..thread.locations.len() {
        visit(
            thread,
            LocId::new(index),
            &mut Vec::new(),
            &mut done,
            &mut heads,
        );
    }
    heads
}

/// Visits the held locations from here; `open` are those on the way.
fn visit(
    thread: &Thread,
    at: LocId,
    open: &mut Vec<LocId>,
    done: &mut BTreeSet<LocId>,
    heads: &mut BTreeSet<LocId>,
) {
    if open.contains(&at) {
        heads.insert(at);
        return;
    }
    if !thread.location(at).held || done.contains(&at) {
        return;
    }
    open.push(at);
    for edge in &thread.location(at).edges {
        visit(thread, edge.target, open, done, heads);
    }
    open.pop();
    done.insert(at);
}
