//! Paths through a program: edges, one after the other, and the property that they may break.

use std::collections::BTreeSet;

use crate::abstraction::Property;
use crate::program::{Edge, LocId, Program, Spec, Thread, ThreadId};

/// A step of a program: thread, location, and place among the location's edges.
pub type EdgeId = (ThreadId, LocId, usize);

/// A path that may break a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The steps. If the property is no spec, the last one breaks it.
    pub steps: Vec<EdgeId>,
    /// The property.
    pub property: Property,
}

impl Path {
    /// The edge of a step.
    pub(super) fn edge(program: &Program, (thread, at, number): EdgeId) -> &Edge {
        &program.threads[thread.index()].location(at).edges[number]
    }

    /// The spec that the path may break.
    pub(super) fn spec<'p>(&self, program: &'p Program) -> Option<&'p Spec> {
        let mut specs = program.specs.iter();
        specs.find(|spec| spec.span == self.property.span)
    }

    /// Whether each step starts where its thread is.
    pub(super) fn is_connected(&self, program: &Program) -> bool {
        let blocks: Vec<BTreeSet<LocId>> = program.threads.iter().map(background).collect();
        let mut position: Vec<LocId> = program.threads.iter().map(|t| t.entry).collect();
        self.steps.iter().all(|&step| {
            let (thread, at, _) = step;
            let is_background = blocks[thread.index()].contains(&at);
            let is_there = position[thread.index()] == at;
            if is_there {
                position[thread.index()] = Path::edge(program, step).target;
            }
            is_there || is_background
        })
    }

    /// Where the threads are behind the first `count` steps; background blocks move none.
    pub(super) fn position(&self, program: &Program, count: usize) -> Vec<LocId> {
        let blocks: Vec<BTreeSet<LocId>> = program.threads.iter().map(background).collect();
        let mut position: Vec<LocId> = program.threads.iter().map(|t| t.entry).collect();
        for &step in &self.steps[..count] {
            let (thread, at, _) = step;
            if !blocks[thread.index()].contains(&at) {
                position[thread.index()] = Path::edge(program, step).target;
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
