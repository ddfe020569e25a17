//! Which traces are executions: the semantics of `docs/language.md` written down once more.
//!
//! Input: a program, a model, a trace. Output: whether the trace is an execution that breaks its property. It
//! shares nothing with the interpreter that it is held against: stores that have not reached memory are one
//! list in the order in which they were made, whatever the model; what a step waits for is a search in
//! this list.

use cupola::front::cup::ast::{ArithOp, CompareOp, SpecKind};
use cupola::memory::Model;
use cupola::program::{
    Action, Cond, Edge, Fifo, Init, LocId, Place, Program, PropertyId, Spec, Term, ThreadId, VarId,
};
use cupola::semantics::{Move, MoveKind, Taken, Trace};

/// Whether `trace` is an execution of `program` under `model` that breaks its property; if it has none, whether it
/// is an execution no step of which breaks one.
pub fn is_execution(program: &Program, model: Model, trace: &Trace) -> bool {
    let starts = trace.model == model && may_start(program, &trace.initial);
    let mut state = State {
        at: program.threads.iter().map(|thread| thread.entry).collect(),
        values: trace.initial.iter().map(|&value| value.into()).collect(),
        pending: Vec::new(),
        fifos: vec![Vec::new(); program.fifos.len()],
    };
    if !starts {
        return false;
    }
    for (number, step) in trace.steps.iter().enumerate() {
        let rules = Rules { program, model };
        match rules.take(&mut state, &step.action) {
            Some(Ending::Done) => {}
            Some(Ending::Breaks(property)) => {
                return number + 1 == trace.steps.len() && trace.property == Some(property);
            }
            None => return false,
        }
    }
    match trace.property {
        Some(property) => state.broken_specs(program).contains(&property),
        None => true,
    }
}

fn may_start(program: &Program, initial: &[i64]) -> bool {
    let is_allowed = |(init, value): (Init, i64)| match init {
        Init::Value(only) => only == value,
        Init::Range(range) => range.values().any(|other| other == value),
        Init::Any => true,
    };
    let inits = program.vars.iter().map(|var| var.init);
    inits.len() == initial.len() && inits.zip(initial.iter().copied()).all(is_allowed)
}

struct State {
    at: Vec<LocId>,
    values: Vec<i128>,
    /// Stores that have not reached memory, the oldest first.
    pending: Vec<Pending>,
    /// The entries of the program's FIFOs, the oldest first.
    fifos: Vec<Vec<Vec<i128>>>,
}

#[derive(Clone, Copy)]
struct Pending {
    thread: ThreadId,
    var: VarId,
    value: i128,
}

/// How a step ends that is possible.
enum Ending {
    Done,
    Breaks(PropertyId),
}

#[derive(Clone, Copy)]
struct Rules<'p> {
    program: &'p Program,
    model: Model,
}

impl Rules<'_> {
    /// Takes a step; `None` if it is not possible or not well described.
    fn take(self, state: &mut State, step: &Move) -> Option<Ending> {
        let thread = self.program.threads.get(step.thread.index())?;
        let holder = state.holder(self.program);
        if holder.is_some_and(|holder| holder != step.thread) {
            return None;
        }
        match step.kind {
            MoveKind::Flush(var) => {
                let oldest = step
                    .path
                    .is_empty()
                    .then(|| self.oldest(state, step.thread, var));
                let stored = state.pending.remove(oldest??);
                state.values[stored.var.index()] = stored.value;
                Some(Ending::Done)
            }
            MoveKind::Statement => {
                let &[taken] = &step.path[..] else {
                    return None;
                };
                let edge = self.edge(step.thread, state.at[step.thread.index()], taken)?;
                let ending = self.run(state, step.thread, edge, taken.value)?;
                state.at[step.thread.index()] = edge.target;
                Some(ending)
            }
            MoveKind::Background(block) if holder.is_none() => {
                let mut at = thread.backgrounds.get(block)?.entry;
                let mut rest = step.path.iter();
                while let Some(&taken) = rest.next() {
                    let edge = self.edge(step.thread, at, taken)?;
                    if let Ending::Breaks(property) =
                        self.run(state, step.thread, edge, taken.value)?
                    {
                        return rest.next().is_none().then_some(Ending::Breaks(property));
                    }
                    at = edge.target;
                }
                (at == thread.end).then_some(Ending::Done)
            }
            MoveKind::Background(_) => None,
        }
    }

    /// The edge that is taken, if it leaves `at`.
    fn edge(&self, thread: ThreadId, at: LocId, taken: Taken) -> Option<&Edge> {
        let edges = &self.program.threads[thread.index()].location(at).edges;
        edges.get(taken.edge).filter(|_| taken.at == at)
    }

    /// The place of the thread's store to `var` that may reach memory next: under TSO the oldest of all its stores
    /// must be to `var`.
    fn oldest(self, state: &State, thread: ThreadId, var: VarId) -> Option<usize> {
        let mut stores = state.pending.iter();
        let first = match self.model {
            Model::Sc => None,
            Model::Tso => stores.position(|store| store.thread == thread),
            Model::Pso => stores.position(|store| store.thread == thread && store.var == var),
        };
        first.filter(|&place| state.pending[place].var == var)
    }

    /// Whether an atomic operation on `var` has to wait for a store of its thread.
    fn waits(self, state: &State, thread: ThreadId, var: VarId) -> bool {
        let mut own = state.pending.iter().filter(|store| store.thread == thread);
        match self.model {
            Model::Sc | Model::Tso => own.next().is_some(),
            Model::Pso => own.any(|store| store.var == var),
        }
    }

    fn run(
        self,
        state: &mut State,
        thread: ThreadId,
        edge: &Edge,
        value: Option<i64>,
    ) -> Option<Ending> {
        let chooses = matches!(edge.action, Action::Havoc(_) | Action::Choose(..));
        if value.is_some() != chooses {
            return None;
        }
        if let Some(bounds) = &edge.bounds
            && !state.holds(&bounds.cond)
        {
            return Some(Ending::Breaks(bounds.property));
        }
        match &edge.action {
            Action::Skip => {}
            Action::Assume(cond) => state.holds(cond).then_some(())?,
            Action::Assert(cond, property) if !state.holds(cond) => {
                return Some(Ending::Breaks(*property));
            }
            Action::Assert(..) => {}
            Action::Assign(place, term) => state.set(place, state.value(term)),
            Action::Havoc(place) => state.set(place, value?.into()),
            Action::Choose(place, range) => {
                let chosen = range.values().find(|&other| Some(other) == value)?;
                state.set(place, chosen.into());
            }
            Action::Load(place, from) => {
                let var = state.scalar(from);
                let mut newest_first = state.pending.iter().rev();
                let own = newest_first.find(|store| store.thread == thread && store.var == var);
                let loaded = own.map_or(state.values[var.index()], |store| store.value);
                state.set(place, loaded);
            }
            Action::Store(place, term) => {
                let (var, value) = (state.scalar(place), state.value(term));
                match self.model {
                    Model::Sc => state.values[var.index()] = value,
                    Model::Tso | Model::Pso => state.pending.push(Pending { thread, var, value }),
                }
            }
            Action::Cas(place, on, expected, new) => {
                let old = self.atomically(state, thread, on)?;
                let succeeds = old == state.value(expected);
                if succeeds {
                    state.set(on, state.value(new));
                }
                state.set(place, succeeds.into());
            }
            Action::Swap(place, on, new) => {
                let old = self.atomically(state, thread, on)?;
                state.set(on, state.value(new));
                state.set(place, old);
            }
            Action::FetchAdd(place, on, difference) => {
                let old = self.atomically(state, thread, on)?;
                state.set(on, old + state.value(difference));
                state.set(place, old);
            }
            Action::Append(fifo, entry) => {
                let entry = entry.iter().map(|value| state.value(value)).collect();
                state.fifos[fifo.id.index()].push(entry);
                state.show(fifo);
            }
            Action::Pop(fifo) => {
                let entries = &mut state.fifos[fifo.id.index()];
                (!entries.is_empty()).then_some(())?;
                entries.remove(0);
                state.show(fifo);
            }
            Action::Fence => {
                let mut stores = state.pending.iter();
                (!stores.any(|store| store.thread == thread)).then_some(())?;
            }
        }
        Some(Ending::Done)
    }

    /// The value that an atomic operation finds in memory, if it need not wait.
    fn atomically(self, state: &State, thread: ThreadId, on: &Place) -> Option<i128> {
        let var = state.scalar(on);
        (!self.waits(state, thread, var)).then(|| state.values[var.index()])
    }
}

impl State {
    fn holder(&self, program: &Program) -> Option<ThreadId> {
        let mut threads = program.thread_ids();
        threads.find(|thread| {
            let at = self.at[thread.index()];
            program.threads[thread.index()].location(at).held
        })
    }

    fn broken_specs(&self, program: &Program) -> Vec<PropertyId> {
        if self.holder(program).is_some() {
            return Vec::new();
        }
        let mut threads = program.threads.iter().zip(&self.at);
        let is_final = self.pending.is_empty() && threads.all(|(thread, &at)| at == thread.end);
        let specs = program.specs.iter();
        let due = specs.filter(|spec| is_final || spec.kind != SpecKind::Finally);
        due.filter_map(|spec| self.broken_spec(spec)).collect()
    }

    fn broken_spec(&self, spec: &Spec) -> Option<PropertyId> {
        match &spec.bounds {
            Some(bounds) if !self.holds(&bounds.cond) => Some(bounds.property),
            _ => {
                let wanted = spec.kind != SpecKind::Forbid;
                (self.holds(&spec.cond) != wanted).then_some(spec.property)
            }
        }
    }

    fn show(&mut self, fifo: &Fifo) {
        let entries = &self.fifos[fifo.id.index()];
        self.values[fifo.length.index()] = entries.len() as i128;
        for field in 0..fifo.width() {
            let end = |entry: Option<&Vec<i128>>| entry.map_or(0, |entry| entry[field]);
            self.values[fifo.oldest[field].index()] = end(entries.first());
            self.values[fifo.newest[field].index()] = end(entries.last());
        }
    }

    fn scalar(&self, place: &Place) -> VarId {
        match place {
            Place::Var(var) => *var,
            Place::Choice(index, elements) => elements[self.index(index)],
        }
    }

    fn set(&mut self, place: &Place, value: i128) {
        let var = self.scalar(place);
        self.values[var.index()] = value;
    }

    /// An index, which is in range wherever it is used.
    fn index(&self, index: &Term) -> usize {
        usize::try_from(self.value(index)).expect("indices are checked before they are used")
    }

    fn value(&self, term: &Term) -> i128 {
        match term {
            Term::Const(value) => (*value).into(),
            Term::Var(var) => self.values[var.index()],
            Term::Choice(index, elements) => self.value(&elements[self.index(index)]),
            Term::Neg(inner) => -self.value(inner),
            Term::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                match op {
                    ArithOp::Add => left + right,
                    ArithOp::Sub => left - right,
                    ArithOp::Mul => left * right,
                    ArithOp::Div => left.div_euclid(right),
                    ArithOp::Mod => left.rem_euclid(right),
                }
            }
        }
    }

    fn holds(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Const(value) => *value,
            Cond::Not(inner) => !self.holds(inner),
            Cond::And(left, right) => self.holds(left) && self.holds(right),
            Cond::Or(left, right) => self.holds(left) || self.holds(right),
            Cond::Compare(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                match op {
                    CompareOp::Eq => left == right,
                    CompareOp::Ne => left != right,
                    CompareOp::Lt => left < right,
                    CompareOp::Le => left <= right,
                    CompareOp::Gt => left > right,
                    CompareOp::Ge => left >= right,
                }
            }
            Cond::At(thread, locations) => locations.contains(&self.at[thread.index()]),
        }
    }
}
