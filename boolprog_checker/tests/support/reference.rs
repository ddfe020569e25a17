//! A naive interpreter of boolean programs, written without any code of the crate but the syntax
//! tree: threads are call stacks, states are plain values in a set, nothing is reduced.

use std::collections::{BTreeMap, BTreeSet};

use boolprog_checker::Trace;
use boolprog_checker::ast::{Expr, Ident, Procedure, Stmt, StmtKind, Target, ThreadStart, Tree};

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

/// One instruction; jumps are places in the same procedure.
#[derive(Clone, Debug)]
enum Instruction<'a> {
    Do(&'a Stmt),
    Branch(&'a Expr, usize, usize),
    Jump(Vec<usize>),
}

struct Code<'a> {
    procedure: &'a Procedure,
    instructions: Vec<(usize, Instruction<'a>)>,
    labels: BTreeMap<&'a str, usize>,
}

pub struct Reference<'a> {
    tree: &'a Tree,
    codes: Vec<Code<'a>>,
    ids: BTreeMap<*const Stmt, usize>,
    /// The numbers of the `goto` statements.
    gotos: BTreeSet<usize>,
}

/// The result of one instruction.
struct Step {
    states: Vec<State>,
    /// Whether an assertion can fail here.
    fails: bool,
}

impl<'a> Reference<'a> {
    pub fn new(tree: &'a Tree) -> Self {
        let ids = tree.statements().into_iter().enumerate();
        let ids = ids
            .map(|(id, stmt)| (std::ptr::from_ref(stmt), id))
            .collect();
        let statements = tree.statements().into_iter().enumerate();
        let gotos = statements.filter(|(_, stmt)| matches!(stmt.kind, StmtKind::Goto(_)));
        let gotos = gotos.map(|(id, _)| id).collect();
        let mut reference = Self {
            tree,
            codes: Vec::new(),
            ids,
            gotos,
        };
        for procedure in &tree.procedures {
            let mut code = Code {
                procedure,
                instructions: Vec::new(),
                labels: BTreeMap::new(),
            };
            reference.flatten(&procedure.body, &mut code);
            let gotos: Vec<_> = code.instructions.iter().map(|(id, _)| *id).collect();
            for (place, id) in gotos.into_iter().enumerate() {
                if let Instruction::Do(Stmt {
                    kind: StmtKind::Goto(labels),
                    ..
                }) = &code.instructions[place].1
                {
                    let targets = labels
                        .iter()
                        .map(|label| code.labels[label.name.as_str()])
                        .collect();
                    code.instructions[place] = (id, Instruction::Jump(targets));
                }
            }
            reference.codes.push(code);
        }
        reference
    }

    fn flatten(&self, block: &'a [Stmt], code: &mut Code<'a>) {
        for stmt in block {
            let id = self.ids[&std::ptr::from_ref(stmt)];
            for label in &stmt.labels {
                code.labels.insert(&label.name, code.instructions.len());
            }
            match &stmt.kind {
                StmtKind::If {
                    branches,
                    otherwise,
                } => {
                    let mut ends = Vec::new();
                    for branch in branches {
                        let fork = code.instructions.len();
                        code.instructions.push((id, Instruction::Jump(Vec::new())));
                        self.flatten(&branch.body, code);
                        ends.push(code.instructions.len());
                        code.instructions.push((id, Instruction::Jump(Vec::new())));
                        let after = code.instructions.len();
                        code.instructions[fork].1 =
                            Instruction::Branch(&branch.condition, fork + 1, after);
                    }
                    self.flatten(otherwise.as_deref().unwrap_or_default(), code);
                    for end in ends {
                        code.instructions[end].1 = Instruction::Jump(vec![code.instructions.len()]);
                    }
                }
                StmtKind::While { condition, body } => {
                    let head = code.instructions.len();
                    code.instructions.push((id, Instruction::Jump(Vec::new())));
                    self.flatten(body, code);
                    code.instructions.push((id, Instruction::Jump(vec![head])));
                    let after = code.instructions.len();
                    code.instructions[head].1 = Instruction::Branch(condition, head + 1, after);
                }
                _ => code.instructions.push((id, Instruction::Do(stmt))),
            }
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
            let top = thread.stack.last().unwrap();
            let enforce = &self.codes[top.procedure].procedure.enforce;
            enforce
                .as_ref()
                .is_none_or(|expr| eval(expr, &state.globals, &top.locals, None).contains(&true))
        };
        state.threads.iter().all(holds).then_some(state)
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

    /// Executes the next instruction of a thread; gives its statement's number too.
    fn step(&self, state: &State, index: usize) -> (usize, Step) {
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
            StmtKind::Skip => vec![state.clone()],
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

    /// Whether the trace is a run that ends in the failing assertion.
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

fn all_values(names: &[String]) -> Vec<Values> {
    let rows = product(vec![vec![false, true]; names.len()]);
    rows.into_iter()
        .map(|row| names.iter().cloned().zip(row).collect())
        .collect()
}

fn product(sets: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let mut rows = vec![Vec::new()];
    for set in sets {
        rows = rows
            .iter()
            .flat_map(|row| set.iter().map(|value| [row.as_slice(), &[*value]].concat()))
            .collect();
    }
    rows
}

/// The possible values of an expression.
fn eval(
    expr: &Expr,
    globals: &Values,
    locals: &Values,
    next: Option<(&Values, &Values)>,
) -> Vec<bool> {
    let value = |e: &Expr| eval(e, globals, locals, next);
    let look = |name: &Ident, globals: &Values, locals: &Values| {
        vec![
            *locals
                .get(&name.name)
                .or_else(|| globals.get(&name.name))
                .unwrap(),
        ]
    };
    let combine = |parts: Vec<Vec<bool>>, f: &dyn Fn(&[bool]) -> Vec<bool>| -> Vec<bool> {
        let results: BTreeSet<bool> = product(parts).iter().flat_map(|row| f(row)).collect();
        results.into_iter().collect()
    };
    match expr {
        Expr::Const(value) => vec![*value],
        Expr::Nondet => vec![false, true],
        Expr::Var(name) => look(name, globals, locals),
        Expr::Next(name) => {
            let (globals, locals) = next.unwrap();
            look(name, globals, locals)
        }
        Expr::Not(e) => combine(vec![value(e)], &|v| vec![!v[0]]),
        Expr::And(parts) => combine(parts.iter().map(value).collect(), &|v| {
            vec![v.iter().all(|v| *v)]
        }),
        Expr::Or(parts) => combine(parts.iter().map(value).collect(), &|v| {
            vec![v.iter().any(|v| *v)]
        }),
        Expr::Xor(e, f) | Expr::Ne(e, f) => {
            combine(vec![value(e), value(f)], &|v| vec![v[0] != v[1]])
        }
        Expr::Eq(e, f) => combine(vec![value(e), value(f)], &|v| vec![v[0] == v[1]]),
        Expr::Implies(e, f) => combine(vec![value(e), value(f)], &|v| vec![!v[0] || v[1]]),
        Expr::Ite(c, e, f) => combine(vec![value(c), value(e), value(f)], &|v| {
            vec![if v[0] { v[1] } else { v[2] }]
        }),
        Expr::Schoose(e, f) => combine(vec![value(e), value(f)], &|v| match (v[0], v[1]) {
            (true, _) => vec![true],
            (false, true) => vec![false],
            (false, false) => vec![false, true],
        }),
    }
}
