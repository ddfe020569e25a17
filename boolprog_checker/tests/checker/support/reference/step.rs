//! One instruction of one thread.

use std::collections::BTreeSet;

use boolprog_checker::ast::{Expr, Ident, Stmt, StmtKind, Target, ThreadStart};

use super::code::Instruction;
use super::eval::{all_values, eval, product};
use super::{Frame, Reference, State, Thread};

/// The result of one instruction.
pub(super) struct Step {
    pub(super) states: Vec<State>,
    /// Whether an assertion can fail here.
    pub(super) fails: bool,
}

impl Reference<'_> {
    /// Executes the next instruction of a thread; gives its statement's number too.
    pub(super) fn step(&self, state: &State, index: usize) -> (usize, Step) {
        let top = state.threads[index].stack.last().unwrap();
        let code = &self.codes[top.procedure];
        let Some((id, instruction)) = code.instructions.get(top.at) else {
            let results = code.procedure.results as usize;
            let call = top.call;
            let names: Vec<_> = (0..results).map(|i| i.to_string()).collect();
            let values = all_values(&names)
                .into_iter()
                .map(|values| values.into_values().collect());
            return (
                call,
                self.pass(
                    values
                        .map(|values: Vec<bool>| leave(state, index, &values))
                        .collect(),
                ),
            );
        };
        let moved = |at: usize| {
            let mut next = state.clone();
            next.threads[index].stack.last_mut().unwrap().at = at;
            next
        };
        let step = match instruction {
            Instruction::Jump(targets) => {
                self.pass(targets.iter().map(|target| moved(*target)).collect())
            }
            Instruction::Branch(condition, yes, no) => {
                let values = eval(condition, &state.globals, &top.locals, None);
                self.pass(
                    values
                        .into_iter()
                        .map(|value| moved(if value { *yes } else { *no }))
                        .collect(),
                )
            }
            Instruction::Do(stmt) => self.execute(&moved(top.at + 1), index, stmt),
        };
        (*id, step)
    }

    fn pass(&self, states: Vec<State>) -> Step {
        Step {
            states: states
                .into_iter()
                .filter_map(|state| self.consistent(state))
                .collect(),
            fails: false,
        }
    }

    /// Executes a statement in a state whose thread has already moved on.
    fn execute(&self, state: &State, index: usize, stmt: &Stmt) -> Step {
        let top = state.threads[index].stack.last().unwrap();
        let value = |expr: &Expr| eval(expr, &state.globals, &top.locals, None);
        let with = |change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            change(&mut next);
            vec![next]
        };
        let states = match &stmt.kind {
            StmtKind::Skip | StmtKind::Print(_) => vec![state.clone()],
            StmtKind::AtomicBegin => with(&|next| next.threads[index].atomic += 1),
            StmtKind::AtomicEnd => with(&|next| next.threads[index].atomic -= 1),
            StmtKind::EndThread => with(&|next| next.threads[index].stack.clear()),
            StmtKind::Assume(condition) if value(condition).contains(&true) => vec![state.clone()],
            StmtKind::Assume(_) => Vec::new(),
            StmtKind::Assert(condition) => {
                let values = value(condition);
                let states = if values.contains(&true) {
                    vec![state.clone()]
                } else {
                    Vec::new()
                };
                return Step {
                    fails: values.contains(&false),
                    ..self.pass(states)
                };
            }
            StmtKind::Assign {
                targets,
                values,
                constrain,
            } => {
                let names: Vec<_> = targets.iter().map(target_name).collect();
                let combinations = product(values.iter().map(value).collect());
                let mut states = Vec::new();
                for values in combinations {
                    let mut next = state.clone();
                    store(&mut next, index, &names, &values);
                    let new = &next.threads[index].stack.last().unwrap().locals;
                    let allowed = constrain.as_ref().is_none_or(|condition| {
                        eval(
                            condition,
                            &state.globals,
                            &top.locals,
                            Some((&next.globals, new)),
                        )
                        .contains(&true)
                    });
                    if allowed {
                        states.push(next);
                    }
                }
                states
            }
            StmtKind::Dead(names) => {
                let names: Vec<_> = names.iter().map(|name| Some(name.name.clone())).collect();
                let combinations = product(vec![vec![false, true]; names.len()]);
                let mut states = Vec::new();
                for values in combinations {
                    let mut next = state.clone();
                    store(&mut next, index, &names, &values);
                    states.push(next);
                }
                states
            }
            StmtKind::Return(values) => {
                let combinations = product(values.iter().map(value).collect());
                combinations
                    .iter()
                    .map(|values| leave(state, index, values))
                    .collect()
            }
            StmtKind::Call {
                procedure,
                arguments,
                ..
            } if stmt.is_async() => self.started(state, self.entered(procedure, arguments, &value)),
            StmtKind::Call {
                targets,
                procedure,
                arguments,
            } => {
                let mut states = Vec::new();
                for mut frame in self.entered(procedure, arguments, &value) {
                    frame.results = targets.iter().map(target_name).collect();
                    frame.call = self.ids[&std::ptr::from_ref(stmt)];
                    let mut next = state.clone();
                    next.threads[index].stack.push(frame);
                    states.push(next);
                }
                states
            }
            StmtKind::StartThread(ThreadStart::Procedure(name)) => {
                self.started(state, self.frames(self.procedure(name)))
            }
            StmtKind::StartThread(ThreadStart::Goto(label)) => {
                let mut stack = state.threads[index].stack.clone();
                let top = stack.last_mut().unwrap();
                top.at = self.codes[top.procedure].labels[label.name.as_str()];
                let mut next = state.clone();
                next.threads.push(Thread {
                    id: next_id(state),
                    atomic: 0,
                    stack,
                });
                vec![next]
            }
            StmtKind::If { .. } | StmtKind::While { .. } | StmtKind::Goto(_) => {
                unreachable!("flattened")
            }
        };
        self.pass(states)
    }

    fn entered(
        &self,
        name: &Ident,
        arguments: &[Expr],
        value: &dyn Fn(&Expr) -> Vec<bool>,
    ) -> Vec<Frame> {
        let procedure = self.procedure(name);
        let parameters = &self.tree.procedures[procedure].parameters;
        let mut frames = BTreeSet::new();
        for values in product(arguments.iter().map(value).collect()) {
            for mut frame in self.frames(procedure) {
                for (parameter, value) in parameters.iter().zip(&values) {
                    frame.locals.insert(parameter.name.name.clone(), *value);
                }
                frames.insert(frame);
            }
        }
        frames.into_iter().collect()
    }

    fn started(&self, state: &State, frames: Vec<Frame>) -> Vec<State> {
        let start = |frame| {
            let mut next = state.clone();
            next.threads.push(Thread {
                id: next_id(state),
                atomic: 0,
                stack: vec![frame],
            });
            next
        };
        frames.into_iter().map(start).collect()
    }
}

fn next_id(state: &State) -> usize {
    // Ended threads are gone, so this is only right while nobody starts threads after one ended.
    state
        .threads
        .iter()
        .map(|thread| thread.id + 1)
        .max()
        .unwrap_or(0)
}

fn target_name(target: &Target) -> Option<String> {
    match target {
        Target::Var(name) => Some(name.name.clone()),
        Target::Sink => None,
    }
}

fn store(state: &mut State, index: usize, names: &[Option<String>], values: &[bool]) {
    let locals = &mut state.threads[index].stack.last_mut().unwrap().locals;
    for (name, value) in names.iter().zip(values) {
        let Some(name) = name else { continue };
        let place = if locals.contains_key(name) {
            &mut *locals
        } else {
            &mut state.globals
        };
        place.insert(name.clone(), *value);
    }
}

/// Leaves the top frame with these results.
fn leave(state: &State, index: usize, values: &[bool]) -> State {
    let mut next = state.clone();
    let frame = next.threads[index].stack.pop().unwrap();
    if !next.threads[index].stack.is_empty() {
        store(&mut next, index, &frame.results, values);
    }
    next
}
