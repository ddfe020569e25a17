//! Confirms an execution with code of its own, so that no engine confirms its own results.
//!
//! Input: a program, a model and a [`Trace`]. Output: nothing, or where the trace is wrong. A plain
//! interpreter of the same semantics, written for clearness alone: maps for memory and buffers, a new
//! state for every step, unbounded buffers, 128-bit arithmetic. It shares the graphs of
//! [`Program`] with the machine and nothing else.
//!
//! Invariant: whatever a trace holds, the answer is an error or the trace is an execution. A move must say all that its
//! step needs and nothing more. Only moves, initial values and the property are looked at: what a step read and
//! wrote is not part of what is confirmed.

use std::collections::{BTreeMap, VecDeque};

use crate::front::cup::ast::{ArithOp, CompareOp, SpecKind};
use crate::memory::Model;
use crate::program::{
    Action, Cond, Edge, Fifo, FifoId, Init, LocId, Place, Program, PropertyId, Spec, Term, Thread,
    ThreadId, VarId,
};

use super::trace::{Move, MoveKind, Taken, Trace};

/// Why a trace is not an execution that breaks its property.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// It is an execution of another memory model.
    #[error("the trace is one of another memory model")]
    Model,
    /// It starts with a value that the program does not start with.
    #[error("the trace does not start in an initial state")]
    Start,
    /// A step is not possible where it is taken.
    #[error("step {0} of the trace is not possible")]
    Step(usize),
    /// The end does not break the property.
    #[error("the trace does not break the property it is for")]
    Property,
}

/// A program and a model.
#[derive(Clone, Copy)]
pub(crate) struct Interpreter<'p> {
    pub program: &'p Program,
    pub model: Model,
}

/// A state as plain maps; buffers that are empty are left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlainState {
    pub at: Vec<LocId>,
    pub memory: BTreeMap<VarId, i128>,
    pub buffers: BTreeMap<BufferKey, VecDeque<(VarId, i128)>>,
    /// The entries of the program's own FIFOs, the oldest first.
    pub fifos: BTreeMap<FifoId, VecDeque<Vec<i128>>>,
}

/// A thread, and under PSO the variable.
pub(crate) type BufferKey = (ThreadId, Option<VarId>);

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    /// It leads here.
    State(PlainState),
    /// It breaks this property.
    Broken(PropertyId),
    /// It is not possible.
    Impossible,
}

/// Why a step leads to no state.
enum Failure {
    Broken(PropertyId),
    Impossible,
}

/// Goes on only if this holds.
fn possible(holds: bool) -> Result<(), Failure> {
    holds.then_some(()).ok_or(Failure::Impossible)
}

/// Confirms that `trace` is an execution of `program` under `model` that breaks its property; without a
/// property, that it is an execution no step of which breaks one.
pub fn replay(program: &Program, model: Model, trace: &Trace) -> Result<(), ReplayError> {
    if trace.model != model {
        return Err(ReplayError::Model);
    }
    let interpreter = Interpreter { program, model };
    let mut state = interpreter
        .start(&trace.initial)
        .ok_or(ReplayError::Start)?;
    for (number, step) in trace.steps.iter().enumerate() {
        state = match interpreter.run(&state, &step.action) {
            Consequence::State(state) => state,
            Consequence::Impossible => return Err(ReplayError::Step(number)),
            Consequence::Broken(property) => {
                let is_last = number + 1 == trace.steps.len();
                let is_right = is_last && trace.property == Some(property);
                return is_right.then_some(()).ok_or(ReplayError::Property);
            }
        };
    }
    let broken = interpreter.broken_specs(&state);
    match trace
        .property
        .is_none_or(|property| broken.contains(&property))
    {
        true => Ok(()),
        false => Err(ReplayError::Property),
    }
}

impl Interpreter<'_> {
    /// The initial state with these values.
    pub(crate) fn start(&self, values: &[i64]) -> Option<PlainState> {
        let vars = &self.program.vars;
        let fits = vars.len() == values.len()
            && (vars.iter().zip(values)).all(|(var, &value)| may_start(var.init, value));
        let memory = self
            .program
            .var_ids()
            .zip(values.iter().map(|&value| value.into()));
        fits.then(|| PlainState {
            at: self
                .program
                .threads
                .iter()
                .map(|thread| thread.entry)
                .collect(),
            memory: memory.collect(),
            buffers: BTreeMap::new(),
            fifos: BTreeMap::new(),
        })
    }

    /// Takes one step.
    pub(crate) fn run(&self, state: &PlainState, step: &Move) -> Consequence {
        let mut state = state.clone();
        match self.step(&mut state, step) {
            Ok(()) => Consequence::State(state),
            Err(Failure::Broken(property)) => Consequence::Broken(property),
            Err(Failure::Impossible) => Consequence::Impossible,
        }
    }

    fn step(&self, state: &mut PlainState, step: &Move) -> Result<(), Failure> {
        let id = step.thread;
        let thread = self.program.threads.get(id.index());
        let thread = thread.ok_or(Failure::Impossible)?;
        let holders: Vec<ThreadId> = self.holders(state);
        possible(holders.iter().all(|&holder| holder == id))?;
        match step.kind {
            MoveKind::Flush(var) => {
                possible(step.path.is_empty())?;
                possible(self.flush(state, id, var))
            }
            MoveKind::Statement => {
                possible(step.path.len() == 1)?;
                let at = state.at[id.index()];
                state.at[id.index()] = self.statements(state, id, at, &step.path)?;
                Ok(())
            }
            MoveKind::Background(block) => {
                possible(holders.is_empty())?;
                let block = thread.backgrounds.get(block);
                let entry = block.ok_or(Failure::Impossible)?.entry;
                let target = self.statements(state, id, entry, &step.path)?;
                possible(target == thread.end)
            }
        }
    }

    /// The specs that a state breaks, which is nothing while an atomic section is held.
    pub(crate) fn broken_specs(&self, state: &PlainState) -> Vec<PropertyId> {
        if !self.holders(state).is_empty() {
            return Vec::new();
        }
        let specs = self.program.specs.iter();
        specs
            .filter_map(|spec| self.broken_spec(state, spec))
            .collect()
    }

    /// Whether all threads have ended and all buffers are empty.
    pub(crate) fn is_final(&self, state: &PlainState) -> bool {
        let ends = self.program.threads.iter().map(|thread| thread.end);
        state.at.iter().copied().eq(ends) && state.buffers.is_empty()
    }

    fn broken_spec(&self, state: &PlainState, spec: &Spec) -> Option<PropertyId> {
        if spec.kind == SpecKind::Finally && !self.is_final(state) {
            return None;
        }
        if let Some(bounds) = &spec.bounds
            && !state.cond(&bounds.cond)?
        {
            return Some(bounds.property);
        }
        let is_broken = state.cond(&spec.cond)? == (spec.kind == SpecKind::Forbid);
        is_broken.then_some(spec.property)
    }

    fn holders(&self, state: &PlainState) -> Vec<ThreadId> {
        let threads = self.program.thread_ids();
        let held = |thread: &ThreadId| {
            let at = state.at[thread.index()];
            self.thread(*thread).location(at).held
        };
        threads.filter(held).collect()
    }

    /// Runs statements one after the other; returns where they lead. Nothing comes behind one that
    /// breaks a property.
    fn statements(
        &self,
        state: &mut PlainState,
        thread: ThreadId,
        entry: LocId,
        path: &[Taken],
    ) -> Result<LocId, Failure> {
        let mut at = entry;
        for (number, taken) in path.iter().enumerate() {
            possible(taken.at == at)?;
            let edges = &self.thread(thread).location(at).edges;
            let edge = edges.get(taken.edge).ok_or(Failure::Impossible)?;
            let done = self.statement(state, thread, edge, taken.value);
            let is_last = number + 1 == path.len();
            possible(is_last || !matches!(done, Err(Failure::Broken(_))))?;
            done?;
            at = edge.target;
        }
        Ok(at)
    }

    fn statement(
        &self,
        state: &mut PlainState,
        thread: ThreadId,
        edge: &Edge,
        arbitrary: Option<i64>,
    ) -> Result<(), Failure> {
        let is_chosen = matches!(edge.action, Action::Havoc(_) | Action::Choose(..));
        possible(arbitrary.is_some() == is_chosen)?;
        if let Some(bounds) = &edge.bounds
            && state.cond(&bounds.cond) == Some(false)
        {
            return Err(Failure::Broken(bounds.property));
        }
        if let Action::Assert(cond, property) = &edge.action
            && state.cond(cond) == Some(false)
        {
            return Err(Failure::Broken(*property));
        }
        let done = self.action(state, thread, &edge.action, arbitrary);
        done.ok_or(Failure::Impossible)
    }

    /// Runs an action; `None` if it has to wait.
    fn action(
        &self,
        state: &mut PlainState,
        thread: ThreadId,
        action: &Action,
        arbitrary: Option<i64>,
    ) -> Option<()> {
        match action {
            Action::Skip => {}
            Action::Assume(cond) | Action::Assert(cond, _) => {
                state.cond(cond)?.then_some(())?;
            }
            Action::Assign(place, term) => {
                let value = state.term(term)?;
                state.memory.insert(state.place(place)?, value);
            }
            Action::Havoc(place) => {
                state.memory.insert(state.place(place)?, arbitrary?.into());
            }
            Action::Choose(place, range) => {
                let (least, greatest) = range.ends();
                let value = arbitrary?;
                (least <= value && value <= greatest).then_some(())?;
                state.memory.insert(state.place(place)?, value.into());
            }
            Action::Load(place, source) => {
                let value = self.read(state, thread, state.place(source)?);
                state.memory.insert(state.place(place)?, value);
            }
            Action::Store(place, term) => {
                let entry = (state.place(place)?, state.term(term)?);
                self.store(state, thread, entry);
            }
            Action::Cas(place, target, expected, new) => {
                let target = self.target(state, thread, target)?;
                let equal = state.memory[&target] == state.term(expected)?;
                let result = state.place(place)?;
                if equal {
                    state.memory.insert(target, state.term(new)?);
                }
                state.memory.insert(result, i128::from(equal));
            }
            Action::Swap(place, target, new) => {
                let target = self.target(state, thread, target)?;
                let (result, new) = (state.place(place)?, state.term(new)?);
                let old = state.memory.insert(target, new)?;
                state.memory.insert(result, old);
            }
            Action::FetchAdd(place, target, difference) => {
                let target = self.target(state, thread, target)?;
                let (result, difference) = (state.place(place)?, state.term(difference)?);
                let old = state.memory[&target];
                state.memory.insert(target, old.checked_add(difference)?);
                state.memory.insert(result, old);
            }
            Action::Append(fifo, values) => {
                let values = values.iter().map(|value| state.term(value));
                let entry = values.collect::<Option<Vec<i128>>>()?;
                state.fifos.entry(fifo.id).or_default().push_back(entry);
                state.show(fifo);
            }
            Action::Pop(fifo) => {
                state.fifos.get_mut(&fifo.id)?.pop_front()?;
                state.show(fifo);
            }
            Action::Fence => {
                let waits = state.buffers.keys().any(|&(owner, _)| owner == thread);
                (!waits).then_some(())?;
            }
        }
        Some(())
    }

    fn read(&self, state: &PlainState, thread: ThreadId, var: VarId) -> i128 {
        let buffer = state.buffers.get(&self.buffer(thread, var));
        let newest = buffer.and_then(|buffer| buffer.iter().rfind(|(other, _)| *other == var));
        newest.map_or(state.memory[&var], |&(_, value)| value)
    }

    fn store(&self, state: &mut PlainState, thread: ThreadId, entry: (VarId, i128)) {
        if self.model == Model::Sc {
            state.memory.insert(entry.0, entry.1);
        } else {
            let buffer = self.buffer(thread, entry.0);
            state.buffers.entry(buffer).or_default().push_back(entry);
        }
    }

    /// The variable of an atomic operation, once its buffer is empty.
    fn target(&self, state: &PlainState, thread: ThreadId, place: &Place) -> Option<VarId> {
        let var = state.place(place)?;
        let waits = state.buffers.contains_key(&self.buffer(thread, var));
        (!waits).then_some(var)
    }

    fn flush(&self, state: &mut PlainState, thread: ThreadId, var: VarId) -> bool {
        let key = self.buffer(thread, var);
        let Some(buffer) = state.buffers.get_mut(&key) else {
            return false;
        };
        let Some((oldest, value)) = buffer.pop_front() else {
            return false;
        };
        if buffer.is_empty() {
            state.buffers.remove(&key);
        }
        state.memory.insert(oldest, value);
        oldest == var
    }

    fn buffer(&self, thread: ThreadId, var: VarId) -> BufferKey {
        match self.model {
            Model::Sc | Model::Tso => (thread, None),
            Model::Pso => (thread, Some(var)),
        }
    }

    fn thread(&self, thread: ThreadId) -> &Thread {
        &self.program.threads[thread.index()]
    }
}

/// Whether a variable may start with a value.
fn may_start(init: Init, value: i64) -> bool {
    match init {
        Init::Value(only) => value == only,
        Init::Range(range) => {
            let (least, greatest) = range.ends();
            least <= value && value <= greatest
        }
        Init::Any => true,
    }
}

/// The greatest integer whose product with a positive divisor does not exceed the dividend.
fn quotient(dividend: i128, divisor: i128) -> Option<i128> {
    if divisor < 1 {
        return None;
    }
    let towards_zero = dividend / divisor;
    let exceeds = dividend % divisor < 0;
    Some(towards_zero - i128::from(exceeds))
}

impl PlainState {
    /// Sets the variables that show a FIFO to what is in it.
    fn show(&mut self, fifo: &Fifo) {
        let entries = self.fifos.get(&fifo.id).cloned().unwrap_or_default();
        let nothing = vec![0; fifo.width()];
        let oldest = entries.front().unwrap_or(&nothing);
        let newest = entries.back().unwrap_or(&nothing);
        self.memory.insert(fifo.length, entries.len() as i128);
        self.memory
            .extend(fifo.oldest.iter().copied().zip(oldest.iter().copied()));
        self.memory
            .extend(fifo.newest.iter().copied().zip(newest.iter().copied()));
    }

    fn term(&self, term: &Term) -> Option<i128> {
        match term {
            Term::Const(value) => Some(i128::from(*value)),
            Term::Var(var) => Some(self.memory[var]),
            Term::Choice(index, elements) => {
                let index = usize::try_from(self.term(index)?).ok()?;
                self.term(elements.get(index)?)
            }
            Term::Neg(inner) => self.term(inner)?.checked_neg(),
            Term::Binary(op, left, right) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                match op {
                    ArithOp::Add => left.checked_add(right),
                    ArithOp::Sub => left.checked_sub(right),
                    ArithOp::Mul => left.checked_mul(right),
                    ArithOp::Div => quotient(left, right),
                    ArithOp::Mod => left.checked_sub(quotient(left, right)?.checked_mul(right)?),
                }
            }
        }
    }

    fn cond(&self, cond: &Cond) -> Option<bool> {
        Some(match cond {
            Cond::Const(value) => *value,
            Cond::Not(inner) => !self.cond(inner)?,
            Cond::And(left, right) => self.cond(left)? && self.cond(right)?,
            Cond::Or(left, right) => self.cond(left)? || self.cond(right)?,
            Cond::Compare(op, left, right) => {
                let order = self.term(left)?.cmp(&self.term(right)?);
                match op {
                    CompareOp::Eq => order.is_eq(),
                    CompareOp::Ne => order.is_ne(),
                    CompareOp::Lt => order.is_lt(),
                    CompareOp::Le => order.is_le(),
                    CompareOp::Gt => order.is_gt(),
                    CompareOp::Ge => order.is_ge(),
                }
            }
            Cond::At(thread, locations) => locations.contains(&self.at[thread.index()]),
        })
    }

    fn place(&self, place: &Place) -> Option<VarId> {
        match place {
            Place::Var(var) => Some(*var),
            Place::Choice(index, elements) => {
                let index = usize::try_from(self.term(index)?).ok()?;
                elements.get(index).copied()
            }
        }
    }
}
