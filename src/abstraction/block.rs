//! Background blocks as single steps.
//!
//! A flush writes several variables and pops an entry. Edge by edge, what connects the entry with memory would be lost in
//! between: no predicate speaks of a record that is half written. So a block that only tests and assigns is composed:
//! for each of its paths the conditions and assignments are put into each other, which gives [`Case`]s, guarded parallel
//! assignments that exclude each other. A `pop` splits: the FIFO is empty afterwards, or it is not.
//!
//! Invariant: a run of the block is exactly one of the cases. A block that cannot be composed (it has a loop, an
//! assertion, an arbitrary value, numbers too large, or changes a FIFO twice) has no cases, and is taken edge by edge.

use super::AbstractionError;
use crate::logic::{Entries, Formula, Linear, TooLarge, Update, fresh_var, updates};
use crate::program::{Action, EdgeId, FifoId, LocId, Program, ThreadId, VarId};
#[cfg(test)]
use crate::run::wrong::{self, Wrong};

/// The most cases of a block.
const MAX_CASES: usize = 64;

/// One way through a background block.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its steps.
    pub edges: Vec<EdgeId>,
    /// When it is taken, and what it assigns.
    pub update: Update,
    /// How it changes FIFOs, each at most once.
    pub changes: Vec<FifoChange>,
    /// For each `pop` whether an entry is left behind it.
    pub left: Vec<bool>,
}

/// A change of a FIFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FifoChange {
    /// An entry is appended; its values are those that the step assigns to the newest entry.
    Append(FifoId),
    /// The oldest entry is taken.
    Pop(FifoId),
}

impl FifoChange {
    /// The FIFO.
    pub fn fifo(self) -> FifoId {
        match self {
            FifoChange::Append(fifo) | FifoChange::Pop(fifo) => fifo,
        }
    }

    /// What an action does to a FIFO.
    pub fn of(action: &Action) -> Option<Self> {
        match action {
            Action::Append(fifo, _) => Some(FifoChange::Append(fifo.id)),
            Action::Pop(fifo) => Some(FifoChange::Pop(fifo.id)),
            _ => None,
        }
    }
}

/// The background blocks of a program with FIFOs that can be composed, in cases. Where buffers are slots, blocks stay
/// what they are in the paper.
pub fn all(program: &Program) -> Result<Vec<(ThreadId, LocId, Vec<Case>)>, AbstractionError> {
    let mut all = Vec::new();
    if program.fifos.is_empty() {
        return Ok(all);
    }
    let fresh = fresh_var(program);
    for (thread, graph) in program.thread_ids().zip(&program.threads) {
        for block in &graph.backgrounds {
            let span = block.span;
            let cases = cases(program, thread, block.entry, fresh);
            let cases = cases.map_err(|error| AbstractionError::TooLarge { span, error })?;
            all.extend(cases.map(|cases| (thread, block.entry, cases)));
        }
    }
    Ok(all)
}

/// The cases of a background block; `None` if it cannot be composed.
fn cases(
    program: &Program,
    thread: ThreadId,
    entry: LocId,
    fresh: VarId,
) -> Result<Option<Vec<Case>>, TooLarge> {
    let graph = &program.threads[thread.index()];
    let nothing = Case {
        edges: Vec::new(),
        update: Update {
            guard: Formula::True,
            assigned: Vec::new(),
        },
        changes: Vec::new(),
        left: Vec::new(),
    };
    let mut open = vec![(entry, vec![entry], nothing)];
    let mut done = Vec::new();
    while let Some((at, path, case)) = open.pop() {
        for (number, edge) in graph.location(at).edges.iter().enumerate().rev() {
            let step = EdgeId { thread, at, number };
            if path.contains(&edge.target) || open.len() + done.len() > MAX_CASES {
                return Ok(None);
            }
            let Some(longer) = case.followed_by(program, step, fresh)? else {
                return Ok(None);
            };
            let path: Vec<LocId> = path.iter().copied().chain([edge.target]).collect();
            for case in longer {
                match edge.target == graph.end {
                    true => done.push(case),
                    false => open.push((edge.target, path.clone(), case)),
                }
            }
        }
    }
    Ok(Some(done))
}

impl Case {
    /// The cases in which a step follows; `None` if that cannot be composed.
    fn followed_by(
        &self,
        program: &Program,
        step: EdgeId,
        fresh: VarId,
    ) -> Result<Option<Vec<Case>>, TooLarge> {
        let edge = program.edge(step);
        let change = FifoChange::of(&edge.action);
        let twice = |change: FifoChange| self.changes.iter().any(|c| c.fifo() == change.fifo());
        if edge.bounds.is_some() || change.is_some_and(twice) {
            return Ok(None);
        }
        let nothing = |guard| {
            let assigned = Vec::new();
            vec![Update { guard, assigned }]
        };
        let following = match &edge.action {
            Action::Skip | Action::Fence => nothing(Formula::True),
            Action::Assume(cond) => nothing(Formula::from_cond(cond)?),
            Action::Pop(fifo) => updates(&edge.action, Entries::of(program, fifo).next_var())?,
            Action::Assign(..)
            | Action::Store(..)
            | Action::Load(..)
            | Action::Swap(..)
            | Action::FetchAdd(..)
            | Action::Append(..)
            | Action::Cas(..) => updates(&edge.action, fresh)?,
            Action::Assert(..) | Action::Havoc(_) | Action::Choose(..) => return Ok(None),
        };
        #[cfg(test)]
        let following = match (&edge.action, wrong::is(Wrong::EmptyLeftOut)) {
            (Action::Pop(_), true) => vec![following[1].clone()],
            _ => following,
        };
        // A pop has two cases, first the one in which no entry is left.
        let pops = matches!(edge.action, Action::Pop(_));
        let composed = following.iter().enumerate().map(|(number, update)| Case {
            edges: self.edges.iter().copied().chain([step]).collect(),
            update: compose(&self.update, update),
            changes: self.changes.iter().copied().chain(change).collect(),
            left: (self.left.iter().copied())
                .chain(pops.then_some(number > 0))
                .collect(),
        });
        let possible = composed.filter(|case| case.update.guard != Formula::False);
        let cases: Vec<Case> = possible.collect();
        let mut values = cases.iter().flat_map(|case| &case.update.assigned);
        let are_small = values.all(|(_, value)| value.is_small());
        Ok(are_small.then_some(cases))
    }
}

/// One guarded assignment after another as a single one.
fn compose(first: &Update, second: &Update) -> Update {
    let mut assigned = first.assigned.clone();
    for (var, value) in &second.assigned {
        let value: Linear = value.substitute(&first.assigned);
        match assigned.iter_mut().find(|(known, _)| known == var) {
            Some(known) => known.1 = value,
            None => assigned.push((*var, value)),
        }
    }
    let guard = second.guard.substitute(&first.assigned);
    Update {
        guard: Formula::and([first.guard.clone(), guard]),
        assigned,
    }
}
