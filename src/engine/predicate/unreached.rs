//! What no execution reaches, where the abstraction shows it.
//!
//! Input: a task and the settings of the attempt that verified it. Output: [`Warning`]s about labels and assertions. The
//! inductive invariant of the proof says where threads can be, in the reduced program; a location of the source is
//! reached if one of the steps that stand for its steps is. The invariant leaves out locations inside atomic sections: they
//! count as reached where control comes to them.

use super::PredicateConfig;
use super::attempt::Slice;
use super::certificate::{Invariant, invariant};
use crate::engine::vacuity::{self, Reached};
use crate::engine::{Context, Task};
use crate::program::{self, EdgeId, LocId, Program, Thread, ThreadId};
use crate::reduce::{Origin, Reduction};
use crate::verdict::{Settings, Warning};

/// What the search for the invariant may take, which is no part of the verdict: about a second.
const SLICE: Slice = Slice {
    states: 50_000,
    calls: 50_000,
};

/// The labels and assertions that no execution of a verified task reaches, if that is found out soon.
pub(super) fn unreached(
    task: &Task<'_>,
    settings: &Settings,
    config: &PredicateConfig,
    context: &Context,
) -> Vec<Warning> {
    let program = program::lower(task.program, task.fences);
    let warnings = |reached: &Reached| vacuity::unreached_places(task.program, &program, reached);
    if warnings(&Reached::start(&program)).is_empty() || context.stop.should_stop() {
        return Vec::new();
    }
    match invariant(task, (settings, SLICE), config, context) {
        Ok(found) => warnings(&reached(&program, &found)),
        Err(_) => Vec::new(),
    }
}

/// The locations of the source at which threads can be.
fn reached(source: &Program, found: &Invariant) -> Reached {
    let stage = &found.stage;
    let mut reached = Reached::start(source);
    for (thread, graph) in stage.program.thread_ids().zip(&stage.program.threads) {
        let ats = found.locations().into_iter().map(|at| at[thread.index()]);
        for at in with_sections(graph, ats) {
            mark(stage, source, (thread, at), &mut reached);
        }
    }
    reached
}

/// Locations, with those inside atomic sections to which control comes from them.
fn with_sections(thread: &Thread, ats: impl Iterator<Item = LocId>) -> Vec<LocId> {
    let mut seen = vec![false; thread.locations.len()];
    let mut work: Vec<LocId> = ats.collect();
    let mut all = Vec::new();
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at.index()], true) {
            continue;
        }
        all.push(at);
        let targets = thread.location(at).edges.iter().map(|edge| edge.target);
        work.extend(targets.filter(|target| thread.location(*target).held));
    }
    all
}

/// Marks the locations of the source that a location of the reduced program stands for.
fn mark(
    stage: &Reduction,
    source: &Program,
    (thread, at): (ThreadId, LocId),
    reached: &mut Reached,
) {
    let location = stage.program.threads[thread.index()].location(at);
    for number in 0..location.edges.len() {
        match stage.origin(EdgeId { thread, at, number }) {
            Origin::Statement(step)
            | Origin::Further(step)
            | Origin::Bounds(step)
            | Origin::Overflow(step) => reached.come(step.thread, step.at),
            Origin::Flush { .. } | Origin::FlushOldest(_) | Origin::Flushing => {}
        }
    }
    if location.labels.is_empty() {
        return;
    }
    for (own, named) in source.threads[thread.index()].locations.iter().enumerate() {
        if named
            .labels
            .iter()
            .any(|label| location.labels.contains(label))
        {
            reached.come(thread, LocId::new(own));
        }
    }
}
