//! An execution, told step by step.
//!
//! The search keeps only parents. The steps between a state and its child are found again by expanding
//! the state; what each read and wrote is found by running its statements once more.

use std::ops::ControlFlow;

use crate::lang::ast::Span;
use crate::model::Model;
use crate::program::{Action, Cond, Edge, LocId, Place, Program, Spec, Term, ThreadId, VarId};

use super::Star;
use super::buffers::Buffers;
use super::eval::View;
use super::machine::{Applied, Event, Machine};
use super::property::Property;
use super::replay::{ReplayError, replay};
use super::state::State;

/// An execution that breaks a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The memory model that it is an execution of.
    pub model: Model,
    /// The values of all variables at the start.
    pub initial: Vec<i64>,
    /// The steps. If the property is a spec it is broken behind the last one, else by it.
    pub steps: Vec<Step>,
    /// The property.
    pub property: Property,
    /// If the property is a spec: the values of its variables where it is broken.
    pub seen: Vec<Access>,
}

/// A step with what it read and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub action: Move,
    /// Where it stands in the source: the statement, the condition or the background block; a flush
    /// stands nowhere.
    pub span: Option<Span>,
    /// What was read, in order.
    pub reads: Vec<Access>,
    /// What was written, in order: for a store that is buffered, what was put into the buffer.
    pub writes: Vec<Access>,
    /// The buffers that are not empty behind the step.
    pub buffers: Vec<BufferContents>,
}

/// What a step does, as far as it is needed to do it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Whose step it is.
    pub thread: ThreadId,
    /// What kind of step it is.
    pub kind: MoveKind,
    /// The statements that it runs: one, or those of a background block; none for a flush.
    pub path: Vec<Taken>,
}

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// A statement of the thread.
    Statement,
    /// A flush of the oldest buffered store to this variable.
    Flush(VarId),
    /// A run of the thread's background block with this number.
    Background(usize),
}

/// An edge that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The location that it leaves.
    pub at: LocId,
    /// Its number there.
    pub edge: usize,
    /// The value chosen for `*`.
    pub value: Option<i64>,
}

/// A variable and a value that was read from it or written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The variable.
    pub var: VarId,
    /// The value.
    pub value: i64,
}

/// What one FIFO holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferContents {
    /// Whose stores they are.
    pub thread: ThreadId,
    /// The stores, the oldest first.
    pub entries: Vec<Access>,
}

/// How an execution breaks a property.
#[derive(Clone, Debug)]
pub(super) enum Ending<'p> {
    /// By a step that fails in the last state.
    Step(Move),
    /// By the last state, which breaks a spec.
    State(&'p Spec),
}

/// Tells the execution through the states with these encodings, and how it ends.
pub(super) fn tell(
    machine: &Machine<'_>,
    encodings: &[&[u8]],
    ending: &Ending<'_>,
    property: Property,
) -> Trace {
    let mut state = State::initial(machine.program, &machine.buffers);
    state.decode(&machine.buffers, encodings[0]);
    let initial = state.values().to_vec();
    let mut steps = Vec::new();
    for pair in encodings.windows(2) {
        state.decode(&machine.buffers, pair[0]);
        let action = move_between(machine, &mut state, pair[1]);
        steps.push(tell_step(machine, &mut state, action));
    }
    state.decode(&machine.buffers, encodings[encodings.len() - 1]);
    let mut seen = Effects::default();
    match ending {
        Ending::Step(action) => steps.push(tell_step(machine, &mut state, action.clone())),
        Ending::State(spec) => seen.read_cond(&spec.cond, state.view()),
    }
    Trace {
        model: machine.model,
        initial,
        steps,
        property,
        seen: seen.reads,
    }
}

/// The execution with these moves instead, as far as it is known without running it.
pub(super) fn unseen(trace: &Trace, moves: Vec<Move>) -> Trace {
    let initial = trace.initial.clone();
    from_moves(trace.model, initial, moves, trace.property.clone())
}

/// An execution as far as it is known without running it.
pub(super) fn from_moves(
    model: Model,
    initial: Vec<i64>,
    moves: Vec<Move>,
    property: Property,
) -> Trace {
    let step = |action| Step {
        action,
        span: None,
        reads: Vec::new(),
        writes: Vec::new(),
        buffers: Vec::new(),
    };
    Trace {
        model,
        initial,
        steps: moves.into_iter().map(step).collect(),
        property,
        seen: Vec::new(),
    }
}

/// The same told anew by running its moves, if they are an execution that breaks the property.
pub(super) fn retold(program: &Program, model: Model, trace: &Trace) -> Option<Trace> {
    replay(program, model, trace).ok()?;
    Some(tell_again(program, model, trace))
}

/// The same for an execution that breaks nothing.
pub(super) fn retold_run(program: &Program, model: Model, trace: &Trace) -> Option<Trace> {
    let ran = replay(program, model, trace) == Err(ReplayError::Property);
    ran.then(|| tell_again(program, model, trace))
}

/// Tells an execution again by running its moves.
fn tell_again(program: &Program, model: Model, trace: &Trace) -> Trace {
    let machine = Machine {
        program,
        model,
        buffers: Buffers::new(program, model),
        buffer_limit: trace.steps.len(),
        star: Star::default(),
    };
    let machine = &machine;
    let mut state = State::initial(machine.program, &machine.buffers);
    for (var, &value) in machine.program.var_ids().zip(&trace.initial) {
        state.set_value(var, value);
    }
    let mut steps = Vec::new();
    for Step { action, .. } in &trace.steps {
        steps.push(tell_step(machine, &mut state, action.clone()));
        if let (MoveKind::Statement, Some(&taken)) = (action.kind, action.path.first()) {
            let target = machine.edge(action.thread, taken).target;
            state.set_location(action.thread, target);
        }
    }
    let mut specs = machine.program.specs.iter();
    let spec = specs.find(|spec| spec.span == trace.property.span);
    let mut seen = Effects::default();
    if let Some(spec) = spec {
        seen.read_cond(&spec.cond, state.view());
    }
    Trace {
        model,
        steps,
        seen: seen.reads,
        ..trace.clone()
    }
}

/// The first step of `state` that leads to the state encoded as `target`.
fn move_between(machine: &Machine<'_>, state: &mut State, target: &[u8]) -> Move {
    let mut found = None;
    let mut encoding = Vec::new();
    let _ = machine.expand(state, &mut Vec::new(), &mut |state, attempt, event| {
        if event != Event::Reached {
            return ControlFlow::Continue(());
        }
        state.encode(&machine.buffers, &mut encoding);
        if encoding != target {
            return ControlFlow::Continue(());
        }
        found = Some(attempt.to_move());
        ControlFlow::Break(())
    });
    found.expect("a state is reached from its parent by a step")
}

/// Runs a step on `state` and tells what it does.
fn tell_step(machine: &Machine<'_>, state: &mut State, action: Move) -> Step {
    let thread = &machine.program.threads[action.thread.index()];
    let mut effects = Effects::default();
    let span = match action.kind {
        MoveKind::Statement => action
            .path
            .first()
            .map(|&taken| machine.edge(action.thread, taken).span),
        MoveKind::Background(block) => Some(thread.backgrounds[block].span),
        MoveKind::Flush(var) => {
            effects.flush(machine, state, action.thread, var);
            None
        }
    };
    for &taken in &action.path {
        let edge = machine.edge(action.thread, taken);
        effects.statement(machine, state, action.thread, edge, taken.value);
    }
    Step {
        span,
        reads: effects.reads,
        writes: effects.writes,
        buffers: buffer_contents(machine, state),
        action,
    }
}

fn buffer_contents(machine: &Machine<'_>, state: &State) -> Vec<BufferContents> {
    let fifos = machine.buffers.fifos().iter().zip(state.fifos());
    let filled = fifos.filter(|(_, entries)| !entries.is_empty());
    let contents = filled.map(|(fifo, entries)| BufferContents {
        thread: fifo.thread,
        entries: entries
            .iter()
            .map(|entry| Access {
                var: entry.var,
                value: entry.value,
            })
            .collect(),
    });
    contents.collect()
}

/// What the statements of a step read and write.
#[derive(Default)]
struct Effects {
    reads: Vec<Access>,
    writes: Vec<Access>,
}

impl Effects {
    fn flush(&mut self, machine: &Machine<'_>, state: &mut State, thread: ThreadId, var: VarId) {
        let fifo = machine.buffers.of_store(thread, var);
        let entry = fifo.and_then(|fifo| state.pop(fifo));
        let entry = entry.expect("a flush takes a buffered store");
        state.set_value(entry.var, entry.value);
        self.write(entry.var, entry.value);
    }

    /// Records what the statement does and runs it; one that fails only reads.
    fn statement(
        &mut self,
        machine: &Machine<'_>,
        state: &mut State,
        thread: ThreadId,
        edge: &Edge,
        arbitrary: Option<i64>,
    ) {
        if let Some(bounds) = &edge.bounds {
            self.read_cond(bounds, state.view());
        }
        if let Some(access) = accessed(machine, state, thread, &edge.action) {
            self.read(access);
        }
        self.read_action(&edge.action, state.view());
        let targets = written(&edge.action, state.view());
        let applied = machine.apply(state, thread, edge, arbitrary);
        if applied == Applied::Done {
            for var in targets.into_iter().flatten() {
                self.write(var, machine.load(state, thread, var));
            }
        }
    }

    /// Reads the variables of an action's terms and conditions.
    fn read_action(&mut self, action: &Action, view: View<'_>) {
        match action {
            Action::Skip | Action::Fence | Action::Havoc(_) | Action::Load(..) => {}
            Action::Assume(cond) | Action::Assert(cond, _) => self.read_cond(cond, view),
            Action::Assign(_, term)
            | Action::Store(_, term)
            | Action::Swap(_, _, term)
            | Action::FetchAdd(_, _, term) => self.read_term(term, view),
            Action::Cas(_, _, expected, new) => {
                self.read_term(expected, view);
                self.read_term(new, view);
            }
        }
    }

    fn read_cond(&mut self, cond: &Cond, view: View<'_>) {
        match cond {
            Cond::Const(_) | Cond::At(..) => {}
            Cond::Not(inner) => self.read_cond(inner, view),
            Cond::And(left, right) | Cond::Or(left, right) => {
                self.read_cond(left, view);
                self.read_cond(right, view);
            }
            Cond::Compare(_, left, right) => {
                self.read_term(left, view);
                self.read_term(right, view);
            }
        }
    }

    fn read_term(&mut self, term: &Term, view: View<'_>) {
        match term {
            Term::Const(_) => {}
            Term::Var(var) => self.read(Access {
                var: *var,
                value: view.values[var.index()],
            }),
            Term::Choice(index, elements) => {
                self.read_term(index, view);
                if let Some(element) = view.element(index, elements) {
                    self.read_term(element, view);
                }
            }
            Term::Neg(inner) => self.read_term(inner, view),
            Term::Binary(_, left, right) => {
                self.read_term(left, view);
                self.read_term(right, view);
            }
        }
    }

    fn read(&mut self, access: Access) {
        if !self.reads.contains(&access) {
            self.reads.push(access);
        }
    }

    fn write(&mut self, var: VarId, value: i64) {
        self.writes.push(Access { var, value });
    }
}

/// The shared variable that an action loads, and what it yields.
fn accessed(
    machine: &Machine<'_>,
    state: &State,
    thread: ThreadId,
    action: &Action,
) -> Option<Access> {
    let (place, buffered) = match action {
        Action::Load(_, source) => (source, true),
        Action::Cas(_, target, ..)
        | Action::Swap(_, target, _)
        | Action::FetchAdd(_, target, _) => (target, false),
        Action::Skip
        | Action::Assume(_)
        | Action::Assert(..)
        | Action::Assign(..)
        | Action::Havoc(_)
        | Action::Store(..)
        | Action::Fence => return None,
    };
    let var = state.view().place(place)?;
    let value = match buffered {
        true => machine.load(state, thread, var),
        false => state.value(var),
    };
    Some(Access { var, value })
}

/// The variables that an action writes: a shared one first, then a local.
fn written(action: &Action, view: View<'_>) -> [Option<VarId>; 2] {
    let var = |place: &Place| view.place(place);
    match action {
        Action::Skip | Action::Assume(_) | Action::Assert(..) | Action::Fence => [None, None],
        Action::Assign(place, _) | Action::Havoc(place) | Action::Load(place, _) => {
            [None, var(place)]
        }
        Action::Store(place, _) => [var(place), None],
        Action::Cas(place, target, expected, _) => {
            let succeeds = var(target).map(|var| view.values[var.index()]) == view.term(expected);
            [var(target).filter(|_| succeeds), var(place)]
        }
        Action::Swap(place, target, _) | Action::FetchAdd(place, target, _) => {
            [var(target), var(place)]
        }
    }
}
