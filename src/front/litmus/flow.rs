//! Where control goes between the instructions of a thread, and what holds at each of them.
//!
//! Places are numbered: place `i` is before instruction `i`, and the last one is the end. [`Flow::forward`] and
//! [`Flow::backward`] find the least solution of equations over finite lattices, for `resolve` and `flags`.

use indexmap::IndexMap;

use super::instruction::{Instruction, Operation};
use super::report::Report;

/// The places that may follow each instruction.
pub(super) struct Flow {
    next: Vec<Vec<usize>>,
}

impl Flow {
    /// The flow of a thread. Labels that are missing, or stand twice, are errors.
    pub(super) fn new<M, W>(
        instructions: &[Instruction<M, W>],
        end_labels: &[String],
        report: &mut Report,
    ) -> Flow {
        let labels = labels(instructions, end_labels, report);
        let mut next = Vec::new();
        for (at, instruction) in instructions.iter().enumerate() {
            let (label, falls_through) = match &instruction.operation {
                Operation::Jump(None, label) => (Some(label), false),
                Operation::Jump(Some(_), label) | Operation::JumpIfZero(_, label) => {
                    (Some(label), true)
                }
                _ => (None, true),
            };
            let target = label.and_then(|label| {
                let target = labels.get(label.as_str()).copied();
                if target.is_none() {
                    let message = format!("there is no label `{label}` in this thread");
                    let note =
                        "a label stands before an instruction of the same thread, as in `L0: NOP`";
                    report.error(message, instruction.span, "no such label", note);
                }
                target
            });
            next.push(
                falls_through
                    .then_some(at + 1)
                    .into_iter()
                    .chain(target)
                    .collect(),
            );
        }
        Flow { next }
    }

    /// What holds at each place that is reached, with `start` before the first instruction and `step` for what an
    /// instruction makes of it.
    pub(super) fn forward<S: Clone + PartialEq>(
        &self,
        start: S,
        step: impl Fn(usize, &S) -> S,
        join: impl Fn(&S, &S) -> S,
    ) -> Vec<Option<S>> {
        let mut held: Vec<Option<S>> = vec![None; self.next.len() + 1];
        held[0] = Some(start);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let (Some(before), Some(next)) = (&held[at], self.next.get(at)) else {
                continue;
            };
            let after = step(at, before);
            for &target in next {
                let joined = match &held[target] {
                    Some(old) => join(old, &after),
                    None => after.clone(),
                };
                if held[target].as_ref() != Some(&joined) {
                    held[target] = Some(joined);
                    open.push(target);
                }
            }
        }
        held
    }

    /// What holds behind each instruction, if `step` says what holds before one from what holds behind it, and what
    /// holds on some way on holds.
    pub(super) fn backward<S: Clone + PartialEq>(
        &self,
        end: &S,
        step: impl Fn(usize, &S) -> S,
        join: impl Fn(&S, &S) -> S,
    ) -> Vec<S> {
        let count = self.next.len();
        let mut before = vec![end.clone(); count + 1];
        loop {
            let old = before.clone();
            for at in (0..count).rev() {
                before[at] = step(at, &self.behind(at, &before, end, &join));
            }
            if before == old {
                break;
            }
        }
        (0..count)
            .map(|at| self.behind(at, &before, end, &join))
            .collect()
    }

    fn behind<S: Clone>(&self, at: usize, before: &[S], end: &S, join: &impl Fn(&S, &S) -> S) -> S {
        let next = self.next[at].iter();
        next.fold(end.clone(), |all, &target| join(&all, &before[target]))
    }
}

fn labels<'i, M, W>(
    instructions: &'i [Instruction<M, W>],
    end_labels: &'i [String],
    report: &mut Report,
) -> IndexMap<&'i str, usize> {
    let mut labels = IndexMap::new();
    let placed = instructions
        .iter()
        .enumerate()
        .flat_map(|(at, instruction)| {
            let labels = instruction.labels.iter();
            labels.map(move |label| (label, at, instruction.span))
        });
    let end = instructions
        .last()
        .map(|last| last.span)
        .unwrap_or_default();
    let at_end = end_labels
        .iter()
        .map(|label| (label, instructions.len(), end));
    for (label, at, span) in placed.chain(at_end) {
        if labels.insert(label.as_str(), at).is_some() {
            let message = format!("there are two labels `{label}` in this thread");
            report.error(
                message,
                span,
                "the second one",
                "give each label a name of its own",
            );
        }
    }
    labels
}
