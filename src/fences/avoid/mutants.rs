//! `prevent`, wrong in several ways: the tests must notice every one.
//!
//! That all stores of S count in `pd`, or only the most recent one in `fd`, is not among them: both infer the same. For if l
//! is older than the most recent store l' to its variable, a placement that enforces [l ≺ t] either has a fence on every way
//! from l to l', so that l' does not run while l waits, or it has one on every way from l' to t.

use super::order::Constraint;
use super::prevent::{
    Prevent, Rule, accesses_memory, ends_section, is_observed, twice, violated, waiting,
};
use crate::engine::coherence::buffer::FlushRule;
use crate::engine::coherence::layout::Layout;
use crate::engine::coherence::state::State;
use crate::engine::coherence::steps::Step;
use crate::program::{Action, EdgeId, Program};
use crate::verdict::Domain;

/// How many there are; number 0 is right.
pub(super) const COUNT: usize = 10;

/// Those that say that too much can be prevented.
pub(super) const UNSOUND: [usize; 3] = [1, 3, 6];

/// `prevent`, wrong in the way with this number.
pub(super) struct Mutant(pub(super) usize);

impl Prevent for Mutant {
    fn prevent(
        &self,
        program: &Program,
        domain: Domain,
        source: (&Layout, &State),
        step: &Step,
    ) -> Vec<Constraint> {
        let right = Rule.prevent(program, domain, source, step);
        match (self.0, step) {
            // A store in order is taken for one of two.
            (
                1,
                Step::Flush {
                    rule: FlushRule::H,
                    label: Some(label),
                    ..
                },
            ) => vec![twice(*label)],
            // The stores of another thread count.
            (2, Step::Statement { edge, .. }) if !right.is_empty() => {
                let mut others = program.thread_ids().filter(|thread| *thread != edge.thread);
                let other = others.next().expect("there are two");
                let then = EdgeId {
                    thread: other,
                    ..*edge
                };
                let there = program.threads[other.index()]
                    .locations
                    .get(edge.at.index());
                if there.is_none_or(|there| there.edges.len() <= edge.number) {
                    return right;
                }
                violated(source, then, |buffer, slot| waiting(domain, buffer, slot))
            }
            // What waits must come before what comes first.
            (3, Step::Statement { edge, .. }) => {
                let at = program.threads[edge.thread.index()].entry;
                let then = EdgeId {
                    at,
                    number: 0,
                    ..*edge
                };
                let each = right.into_iter();
                each.map(|constraint| Constraint { then, ..constraint })
                    .collect()
            }
            // Only stores in order count.
            (4, Step::Statement { edge, .. }) if !right.is_empty() => {
                violated(source, *edge, |buffer, slot| {
                    let head = buffer.head.iter().filter(|(of, _)| *of == slot);
                    head.map(|(_, entry)| *entry).collect()
                })
            }
            // Loads are never prevented.
            (5, Step::Statement { edge, .. })
                if matches!(program.edge(*edge).action, Action::Load(..)) =>
            {
                Vec::new()
            }
            // The last store of a statement is taken for one of two.
            (
                6,
                Step::Flush {
                    rule: FlushRule::Sd,
                    label: Some(label),
                    ..
                },
            ) => vec![twice(*label)],
            // The end of a section is a step like others.
            (7, Step::Statement { edge, .. })
                if ends_section(program, *edge)
                    && !accesses_memory(program, *edge)
                    && !is_observed(program) =>
            {
                Vec::new()
            }
            // A spec that looks at memory makes no difference.
            (8, Step::Statement { edge, .. })
                if !ends_section(program, *edge) && !accesses_memory(program, *edge) =>
            {
                Vec::new()
            }
            // A store of S may always reach memory once more.
            (
                9,
                Step::Flush {
                    rule: FlushRule::Sn,
                    ..
                },
            ) => Vec::new(),
            _ => right,
        }
    }
}
