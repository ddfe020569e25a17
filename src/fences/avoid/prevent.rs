//! `prevent(t)`: the constraints of which each, if it is enforced, keeps a step from being taken.
//!
//! They are [l ≺ l'] for the label l' of the step, which accesses memory, and the label l of every store that waits for sure
//! in a buffer of its thread: in all states that the abstract state stands for. In the domains `set` and `fd` these are all
//! stores of the buffer. In `pd` a store of S may be missing; for sure there are those of H and the most recent one of each
//! variable. (The paper takes the conjunction over all of S and H there, which is stronger than any of these: what it enforces
//! is enforced here, too.)
//!
//! A step that does not access memory is prevented only if it matters where its thread is while stores wait: if a spec looks at
//! memory while threads run, or if the step ends an atomic section, behind which others run. Of the flushes only FLUSH-SN is prevented: behind it a store of the same
//! statement l waits, so l has run while a store of its own waited, which [l ≺ l] excludes. Then FLUSH-SD stands for the flush.

use crate::engine::coherence::buffer::{Buffer, FlushRule, Slot, entries};
use crate::engine::coherence::layout::{Layout, Waits};
use crate::engine::coherence::state::State;
use crate::engine::coherence::steps::Step;
use crate::front::cup::ast::SpecKind;
use crate::program::{Action, Cond, EdgeId, Program, Term};
use crate::verdict::Domain;

use super::order::Constraint;

/// A way to prevent steps.
pub(super) trait Prevent {
    /// The constraints of which each prevents the step from the state.
    fn prevent(
        &self,
        program: &Program,
        domain: Domain,
        source: (&Layout, &State),
        step: &Step,
    ) -> Vec<Constraint>;
}

/// The right one.
pub(super) struct Rule;

impl Prevent for Rule {
    fn prevent(
        &self,
        program: &Program,
        domain: Domain,
        source: (&Layout, &State),
        step: &Step,
    ) -> Vec<Constraint> {
        match *step {
            Step::Flush {
                rule: FlushRule::Sn,
                label,
                ..
            } => label.into_iter().map(twice).collect(),
            Step::Statement { edge: then, .. }
                if accesses_memory(program, then)
                    || ends_section(program, then)
                    || is_observed(program) =>
            {
                violated(source, then, |buffer, slot| waiting(domain, buffer, slot))
            }
            Step::Flush { .. } | Step::Statement { .. } => Vec::new(),
        }
    }
}

/// [l ≺ l]: no two stores of a statement wait together.
pub(super) fn twice(label: EdgeId) -> Constraint {
    Constraint {
        first: label,
        then: label,
    }
}

/// The constraints that a step violates if these stores wait.
pub(super) fn violated(
    (layout, state): (&Layout, &State),
    then: EdgeId,
    waiting: impl Fn(&Buffer, Slot) -> Vec<u8>,
) -> Vec<Constraint> {
    let mut found = Vec::new();
    for buffer in layout.of_thread(then.thread) {
        let held = &state.buffers[buffer];
        for slot in 0..held.sets.len() {
            let labels = waiting(held, slot).into_iter();
            let labels =
                labels.filter_map(|entry| layout.entry(Waits { buffer, slot }, entry).label);
            found.extend(labels.map(|first| Constraint { first, then }));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The stores to a variable that wait for sure.
pub(super) fn waiting(domain: Domain, buffer: &Buffer, slot: Slot) -> Vec<u8> {
    let head = buffer.head.iter().filter(|(of, _)| *of == slot);
    let head = head.map(|(_, entry)| *entry);
    match domain {
        Domain::Set | Domain::Fd => head.chain(entries(buffer.sets[slot])).collect(),
        Domain::Pd => head.chain(buffer.last[slot]).collect(),
    }
}

/// Whether a statement reads or writes shared memory.
pub(super) fn accesses_memory(program: &Program, edge: EdgeId) -> bool {
    match &program.edge(edge).action {
        Action::Load(..)
        | Action::Store(..)
        | Action::Cas(..)
        | Action::Swap(..)
        | Action::FetchAdd(..) => true,
        Action::Assert(cond, _) => reads_shared(program, cond),
        Action::Skip
        | Action::Assume(_)
        | Action::Assign(..)
        | Action::Havoc(_)
        | Action::Choose(..)
        | Action::Append(..)
        | Action::Pop(_)
        | Action::Fence => false,
    }
}

/// Whether the step of a statement leaves an atomic section, so that the other threads run again.
pub(super) fn ends_section(program: &Program, edge: EdgeId) -> bool {
    let thread = &program.threads[edge.thread.index()];
    let is_held = |location| thread.location(location).held;
    is_held(edge.at) && !is_held(program.edge(edge).target)
}

/// Whether a spec looks at memory before the program has ended.
pub(super) fn is_observed(program: &Program) -> bool {
    let mut specs = program
        .specs
        .iter()
        .filter(|spec| spec.kind != SpecKind::Finally);
    specs.any(|spec| {
        let bounds = spec.bounds.as_ref().map(|bounds| &bounds.cond);
        let mut conds = bounds.into_iter().chain([&spec.cond]);
        conds.any(|cond| reads_shared(program, cond))
    })
}

fn reads_shared(program: &Program, cond: &Cond) -> bool {
    match cond {
        Cond::Const(_) | Cond::At(..) => false,
        Cond::Not(inner) => reads_shared(program, inner),
        Cond::And(left, right) | Cond::Or(left, right) => {
            reads_shared(program, left) || reads_shared(program, right)
        }
        Cond::Compare(_, left, right) => is_shared(program, left) || is_shared(program, right),
    }
}

fn is_shared(program: &Program, term: &Term) -> bool {
    match term {
        Term::Const(_) => false,
        Term::Var(var) => program.vars[var.index()].owner.is_none(),
        Term::Choice(index, elements) => {
            is_shared(program, index) || elements.iter().any(|term| is_shared(program, term))
        }
        Term::Neg(inner) => is_shared(program, inner),
        Term::Binary(_, left, right) => is_shared(program, left) || is_shared(program, right),
    }
}
