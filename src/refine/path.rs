//! Paths through a program: edges, one after the other, and the property that they may break.

use std::collections::BTreeSet;

use crate::program::{EdgeId, LocId, Program, PropertyId, Spec, Thread};

/// A path that may break a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The steps. If the property is no spec, the last one breaks it.
    pub steps: Vec<EdgeId>,
    /// The property.
    pub property: PropertyId,
}

impl Path {
    /// The spec that the path may break.
    pub(super) fn spec<'p>(&self, program: &'p Program) -> Option<&'p Spec> {
        program.spec_of(self.property)
    }

    /// Whether each step starts where its thread is.
    pub(super) fn is_connected(&self, program: &Program) -> bool {
        let blocks: Vec<BTreeSet<LocId>> = program.threads.iter().map(background).collect();
        let mut position: Vec<LocId> = program.threads.iter().map(|t| t.entry).collect();
        self.steps.iter().all(|&step| {
            let is_background = blocks[step.thread.index()].contains(&step.at);
            let location = &mut position[step.thread.index()];
            let is_there = *location == step.at;
            if is_there {
                *location = program.edge(step).target;
            }
            is_there || is_background
        })
    }

    /// Where the threads are behind the first `count` steps; background blocks move none.
    pub(super) fn position(&self, program: &Program, count: usize) -> Vec<LocId> {
        let blocks: Vec<BTreeSet<LocId>> = program.threads.iter().map(background).collect();
        let mut position: Vec<LocId> = program.threads.iter().map(|t| t.entry).collect();
        for &step in &self.steps[..count] {
            if !blocks[step.thread.index()].contains(&step.at) {
                position[step.thread.index()] = program.edge(step).target;
            }
        }
        position
    }
}

/// The locations of a thread's background blocks.
pub(super) fn background(thread: &Thread) -> BTreeSet<LocId> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<LocId> = thread.backgrounds.iter().map(|block| block.entry).collect();
    while let Some(at) = work.pop() {
        if at != thread.end && seen.insert(at) {
            let edges = thread.location(at).edges.iter();
            work.extend(edges.map(|edge| edge.target));
        }
    }
    seen
}
