//! Which locals are live at a location: those that some way on from there may read before it writes them.
//!
//! A local that is not live is as good as 0: no step and no property depends on it, so that `unfold` needs one node
//! where there would be one for each of its values. Locals that a property mentions are always live.

use std::collections::BTreeSet;

use super::mentions::Mentions;
use crate::program::{Action, Edge, Place, Program, Term, ThreadId, VarId};

/// The locals that specs mention, which are always live.
pub(super) fn in_specs(program: &Program) -> BTreeSet<VarId> {
    let specs = program.specs.iter().flat_map(|spec| {
        let bounds = spec.bounds.iter().map(|bounds| &bounds.cond);
        bounds.chain([&spec.cond])
    });
    Mentions::of(program, specs).locals
}

/// By location: the locals that are live there.
pub(super) fn live(
    program: &Program,
    thread: ThreadId,
    always: &BTreeSet<VarId>,
) -> Vec<BTreeSet<VarId>> {
    let locations = &program.threads[thread.index()].locations;
    let mut live = vec![always.clone(); locations.len()];
    loop {
        let mut changed = false;
        for (at, location) in locations.iter().enumerate().rev() {
            for edge in &location.edges {
                let mut before = live[edge.target.index()].clone();
                if let Some(var) = written(edge).filter(|var| !always.contains(var)) {
                    before.remove(&var);
                }
                before.extend(read(program, edge));
                let known = live[at].len();
                live[at].extend(before);
                changed |= live[at].len() > known;
            }
        }
        if !changed {
            return live;
        }
    }
}

/// The local that an edge writes for sure.
fn written(edge: &Edge) -> Option<VarId> {
    match &edge.action {
        Action::Assign(place, _)
        | Action::Havoc(place)
        | Action::Choose(place, _)
        | Action::Load(place, _)
        | Action::Cas(place, ..)
        | Action::Swap(place, ..)
        | Action::FetchAdd(place, ..) => match place {
            Place::Var(var) => Some(*var),
            Place::Choice(..) => None,
        },
        Action::Skip
        | Action::Assume(_)
        | Action::Assert(..)
        | Action::Store(..)
        | Action::Append(..)
        | Action::Pop(_)
        | Action::Fence => None,
    }
}

/// The locals that an edge reads.
fn read(program: &Program, edge: &Edge) -> BTreeSet<VarId> {
    let conds = edge.bounds.iter().map(|bounds| &bounds.cond);
    let mut mentions = Mentions::of(program, conds);
    let mut term = |term: &Term| mentions.term(program, term);
    let mut places: Vec<&Place> = Vec::new();
    match &edge.action {
        Action::Skip | Action::Fence | Action::Pop(_) => {}
        Action::Append(_, values) => values.iter().for_each(term),
        Action::Assume(cond) | Action::Assert(cond, _) => {
            mentions.locals.extend(Mentions::of(program, [cond]).locals);
        }
        Action::Assign(place, value) | Action::Store(place, value) => {
            term(value);
            places.push(place);
        }
        Action::Havoc(place) | Action::Choose(place, _) => places.push(place),
        Action::Load(place, source) => places.extend([place, source]),
        Action::Cas(place, target, expected, new) => {
            term(expected);
            term(new);
            places.extend([place, target]);
        }
        Action::Swap(place, target, value) | Action::FetchAdd(place, target, value) => {
            term(value);
            places.extend([place, target]);
        }
    }
    for place in places {
        if let Place::Choice(index, _) = place {
            mentions.term(program, index);
        }
    }
    mentions.locals
}
