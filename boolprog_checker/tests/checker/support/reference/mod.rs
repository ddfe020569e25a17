//! A naive interpreter of boolean programs, written without any code of the crate but the syntax
//! tree: threads are call stacks, states are plain values in a set, nothing is reduced.
//!
//! `code` flattens procedures to instructions, `step` executes one of them, `eval` has the values of
//! expressions, `replay` follows a trace; here are the states and the search through all of them.

mod code;
mod eval;
mod replay;
mod step;

use std::collections::{BTreeMap, BTreeSet};

use boolprog_checker::ast::{Ident, Stmt, StmtKind, Tree};

use code::{Code, Instruction};
use eval::{all_values, eval};

/// Names to values.
type Values = BTreeMap<String, bool>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    procedure: usize,
    at: usize,
    locals: Values,
    /// Where the caller's results go.
    results: Vec<Option<String>>,
    /// The number of the call statement.
    call: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    id: usize,
    atomic: u32,
    stack: Vec<Frame>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub globals: Values,
    threads: Vec<Thread>,
}

pub struct Reference<'a> {
    tree: &'a Tree,
    codes: Vec<Code<'a>>,
    ids: BTreeMap<*const Stmt, usize>,
    /// The numbers of the `goto` statements.
    gotos: BTreeSet<usize>,
}

impl<'a> Reference<'a> {
    pub fn new(tree: &'a Tree) -> Self {
        let numbered = || tree.statements().into_iter().enumerate();
        let ids = numbered()
            .map(|(id, stmt)| (std::ptr::from_ref(stmt), id))
            .collect();
        let gotos = numbered().filter(|(_, stmt)| matches!(stmt.kind, StmtKind::Goto(_)));
        Self {
            tree,
            codes: tree
                .procedures
                .iter()
                .map(|procedure| Code::new(procedure, &ids))
                .collect(),
            gotos: gotos.map(|(id, _)| id).collect(),
            ids,
        }
    }

    fn procedure(&self, name: &Ident) -> usize {
        self.tree
            .procedures
            .iter()
            .position(|p| p.name == *name)
            .unwrap()
    }

    /// All frames of a procedure with arbitrary values in its variables.
    fn frames(&self, procedure: usize) -> Vec<Frame> {
        let code = &self.codes[procedure];
        let decls = code
            .procedure
            .parameters
            .iter()
            .chain(&code.procedure.locals);
        let names: Vec<_> = decls.map(|decl| decl.name.name.clone()).collect();
        let frame = |locals| Frame {
            procedure,
            at: 0,
            locals,
            results: Vec::new(),
            call: 0,
        };
        all_values(&names).into_iter().map(frame).collect()
    }

    pub fn initial(&self) -> Vec<State> {
        let names: Vec<_> = self
            .tree
            .globals
            .iter()
            .map(|decl| decl.name.name.clone())
            .collect();
        let mut states = Vec::new();
        for globals in all_values(&names) {
            for frame in self.frames(self.procedure(&Ident::new("main"))) {
                let thread = Thread {
                    id: 0,
                    atomic: 0,
                    stack: vec![frame],
                };
                states.push(State {
                    globals: globals.clone(),
                    threads: vec![thread],
                });
            }
        }
        states
            .into_iter()
            .filter_map(|state| self.consistent(state))
            .collect()
    }

    /// Ends finished threads, then checks the `enforce` of every thread.
    fn consistent(&self, mut state: State) -> Option<State> {
        state.threads.retain(|thread| {
            let done = |frame: &Frame| frame.at >= self.codes[frame.procedure].instructions.len();
            !(thread.stack.is_empty() || thread.stack.len() == 1 && done(&thread.stack[0]))
        });
        let holds = |thread: &Thread| {
            let Some(top) = self.standing(thread) else {
                return true;
            };
            let enforce = &self.codes[top.procedure].procedure.enforce;
            enforce
                .as_ref()
                .is_none_or(|expr| eval(expr, &state.globals, &top.locals, None).contains(&true))
        };
        state.threads.iter().all(holds).then_some(state)
    }

    /// The frame of the statement that the thread stands at: at the end of a call it is the one where the
    /// caller goes on, or none if there are results that the caller has not got yet, or nothing is left to do.
    fn standing<'s>(&self, thread: &'s Thread) -> Option<&'s Frame> {
        let ended = |frame: &&Frame| {
            let code = &self.codes[frame.procedure];
            frame.at >= code.instructions.len() && code.procedure.results == 0
        };
        let frame = thread.stack.iter().rev().find(|frame| !ended(frame))?;
        let code = &self.codes[frame.procedure];
        (frame.at < code.instructions.len()).then_some(frame)
    }

    /// The assertions that can fail, or nothing if there are too many states; `visit` sees them all.
    pub fn violations(
        &self,
        limit: usize,
        mut visit: impl FnMut(&State),
    ) -> Option<BTreeSet<usize>> {
        let mut violations = BTreeSet::new();
        let mut seen: BTreeSet<State> = self.initial().into_iter().collect();
        let mut work: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = work.pop() {
            visit(&state);
            for index in self.movable(&state) {
                let (id, step) = self.step(&state, index);
                if step.fails {
                    violations.insert(id);
                }
                for next in step.states {
                    if seen.insert(next.clone()) {
                        work.push(next);
                    }
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some(violations)
    }

    /// The threads that may move: only the one in an atomic section, if there is one.
    fn movable(&self, state: &State) -> Vec<usize> {
        match state.threads.iter().position(|thread| thread.atomic > 0) {
            Some(index) => vec![index],
            None => (0..state.threads.len()).collect(),
        }
    }

    /// For each of the labels, in this order, and each procedure that has it whether a thread that may move stands
    /// before its statement in one of these states.
    pub fn labels(&self, names: &[String]) -> Vec<(usize, String)> {
        let has = |name: &&String, procedure: usize| {
            self.codes[procedure].labels.contains_key(name.as_str())
        };
        let places = names.iter().flat_map(|name| {
            let procedures = (0..self.codes.len()).filter(move |number| has(&name, *number));
            procedures.map(|number| (number, name.clone()))
        });
        places.collect()
    }

    /// Whether a thread that may move stands before the statement with this label of this procedure.
    pub fn reaches(&self, state: &State, (procedure, label): &(usize, String)) -> bool {
        let at = self.codes[*procedure].labels[label.as_str()];
        self.movable(state).into_iter().any(|index| {
            let top = state.threads[index].stack.last().unwrap();
            top.procedure == *procedure && top.at == at
        })
    }

    /// The number of the next statement of each thread; nothing while a thread is in an atomic
    /// section or between the end of a block and what follows it, which the crate does not tell apart.
    pub fn positions(&self, state: &State) -> Option<Vec<Option<usize>>> {
        let position = |thread: &Thread| {
            let top = thread.stack.last().unwrap();
            match self.codes[top.procedure].instructions.get(top.at) {
                Some((id, Instruction::Jump(_))) if !self.gotos.contains(id) => None,
                Some((id, _)) => Some(Some(*id)),
                None => Some(None),
            }
        };
        let outside = state.threads.iter().all(|thread| thread.atomic == 0);
        if outside {
            state.threads.iter().map(position).collect()
        } else {
            None
        }
    }
}
