//! Whether a trace is a run.

use std::collections::BTreeSet;

use boolprog_checker::Trace;
use boolprog_checker::ast::StmtKind;

use super::code::Instruction;
use super::{Reference, State};

impl Reference<'_> {
    /// Whether the trace is a run that ends in the failing assertion, or before the statement with the error label.
    pub fn replays(&self, trace: &Trace) -> bool {
        let fits = |state: &State, values: &[(String, Option<bool>)]| {
            values
                .iter()
                .all(|(name, value)| match (state.globals.get(name), value) {
                    (Some(real), Some(value)) => real == value,
                    _ => true,
                })
        };
        let globals = self.tree.globals.len();
        let mut states: BTreeSet<_> = self.initial().into_iter().collect();
        states.retain(|state| fits(state, &trace.initial[..globals]));
        for (number, step) in trace.steps.iter().enumerate() {
            let last = number + 1 == trace.steps.len();
            let mut next = BTreeSet::new();
            for state in self.silent_closure(states) {
                for index in self.movable(&state) {
                    if state.threads[index].id != step.thread {
                        continue;
                    }
                    let (id, result) = self.step(&state, index);
                    if id != step.stmt.index() {
                        continue;
                    }
                    if last && step.label.is_some() {
                        return true;
                    }
                    if last && result.fails {
                        return true;
                    }
                    next.extend(
                        result
                            .states
                            .into_iter()
                            .filter(|state| fits(state, &step.changes)),
                    );
                }
            }
            states = next;
        }
        false
    }

    /// The states reached by statements that traces leave out.
    fn silent_closure(&self, states: BTreeSet<State>) -> BTreeSet<State> {
        let mut seen = states;
        let mut work: Vec<_> = seen.iter().cloned().collect();
        while let Some(state) = work.pop() {
            for index in self.movable(&state) {
                if self.is_silent(&state, index) {
                    for next in self.step(&state, index).1.states {
                        if seen.insert(next.clone()) {
                            work.push(next);
                        }
                    }
                }
            }
        }
        seen
    }

    fn is_silent(&self, state: &State, index: usize) -> bool {
        let top = state.threads[index].stack.last().unwrap();
        match self.codes[top.procedure].instructions.get(top.at) {
            Some((_, Instruction::Jump(_))) | None => true,
            Some((_, Instruction::Branch(..))) => false,
            Some((_, Instruction::Do(stmt))) => match &stmt.kind {
                StmtKind::Skip
                | StmtKind::Print(_)
                | StmtKind::AtomicBegin
                | StmtKind::AtomicEnd
                | StmtKind::EndThread
                | StmtKind::Return(_) => true,
                StmtKind::Call { .. } => !stmt.is_async(),
                _ => false,
            },
        }
    }
}
