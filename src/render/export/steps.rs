//! The ways through atomic sections.
//!
//! A step of an exported program begins and ends where the thread does not hold the section: it is one edge, or a way
//! through an atomic section, or a way through a `background` block. A way that can break a property ends there, as a
//! way of its own. A thread that blocks in its section keeps all others from moving for ever, and no property looks at
//! such states, so that ways which block lead nowhere. A loop in a section has no longest way and is refused.

use std::collections::BTreeSet;

use crate::program::{Action, Cond, EdgeId, LocId, PropertyId, ThreadId};

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
    /// The thread stands here and holds nothing.
    At(LocId),
    /// The condition, which the last edge asks for, does not hold.
    Breaks(PropertyId, Cond),
}

impl Exported<'_> {
    /// The locations that a thread can stand at without the section, in the order of their numbers.
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
        let edges = Vec::new();
        self.extend(thread, from, &mut vec![from], edges, &mut ways)?;
        Ok(ways)
    }

    /// Adds the ways that go on with the edges of `at`, where `passed` are the locations behind.
    fn extend(
        self,
        thread: ThreadId,
        at: LocId,
        passed: &mut Vec<LocId>,
        edges: Vec<EdgeId>,
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
            if !graph.location(edge.target).held {
                let end = End::At(edge.target);
                ways.push(Way { edges, end });
            } else if passed.contains(&edge.target) {
                let hint = "write the loop outside of the section, or export to C";
                return Err(Refused::new(
                    "a loop in an atomic section",
                    self.span(id),
                    hint,
                ));
            } else {
                passed.push(edge.target);
                self.extend(thread, edge.target, passed, edges, ways)?;
                passed.pop();
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
