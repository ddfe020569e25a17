//! All reachable states of a finite reduced program, one by one, and the certificates that they make.
//!
//! This interpreter is written apart from the explorer and the checker, so that it can contradict both.
//! Its invariants have a predicate `x == v` for every variable and value that occurs, and a pair
//! for every state; its lists have the states themselves.

use cupola::certificate::{self, Body, Certificate, Literal, Pair};
use cupola::front::cup;
use cupola::front::cup::ast::{CompareOp, SpecKind};
use cupola::program::{
    Action, BoundsCheck, Cond, Edge, Fifo, Init, LocId, Place, Program, Term, VarId,
};
use cupola::reduce::{ReduceConfig, Reduction, reduce};
use cupola::source::SourceFile;
use indexmap::{IndexMap, IndexSet};
use itertools::Itertools;

/// How many states are enumerated.
const MAX_STATES: usize = 20_000;

/// A state of a reduced program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Where each thread is.
    pub at: Vec<LocId>,
    /// The values of the variables.
    pub values: Vec<i64>,
    /// The entries of the FIFOs, the oldest first.
    pub fifos: Vec<Vec<Vec<i64>>>,
}

/// What was reached.
#[derive(Debug, Default)]
pub struct Reached {
    /// The states, those inside atomic sections included.
    pub states: IndexSet<State>,
    /// Whether some property is broken.
    pub broken: bool,
}

/// What a certificate lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// A pair for every state.
    AllPairs,
    /// A pair for every state in which no thread holds the atomic section.
    FreePairs,
    /// These states, without entries of buffers that are not in use.
    States,
    /// These states, with the values of all variables.
    WholeStates,
}

/// The reduction of a source.
pub fn reduced(source: &SourceFile, config: &ReduceConfig) -> Option<Reduction> {
    let checked = cup::load(source).ok()?;
    reduce(source, &checked, config).ok()
}

/// Enumerates the states of a program; `None` if there are too many, or values without bound. A failing
/// statement ends its run and no other.
pub fn reach(program: &Program) -> Option<Reached> {
    let locations = program.threads.iter().flat_map(|thread| &thread.locations);
    let mut edges = locations.flat_map(|location| &location.edges);
    if edges.any(|edge| matches!(edge.action, Action::Havoc(_))) {
        return None;
    }
    let starts: Option<Vec<Vec<i64>>> = program.vars.iter().map(|var| starts(var.init)).collect();
    let mut reached = Reached::default();
    for values in starts?.into_iter().multi_cartesian_product() {
        let at = program.threads.iter().map(|thread| thread.entry).collect();
        let fifos = vec![Vec::new(); program.fifos.len()];
        reached.states.insert(State { at, values, fifos });
    }
    let mut next = 0;
    while next < reached.states.len() {
        let state = reached.states[next].clone();
        next += 1;
        let mut machine = Machine {
            program,
            reached: &mut reached,
        };
        machine.expand(&state);
        if reached.states.len() > MAX_STATES {
            return None;
        }
    }
    Some(reached)
}

/// The only initial state of a program.
pub fn start(program: &Program) -> State {
    let values = program.vars.iter().map(|var| var.init.value());
    State {
        at: program.threads.iter().map(|thread| thread.entry).collect(),
        values: values.collect::<Option<_>>().expect("one initial state"),
        fifos: vec![Vec::new(); program.fifos.len()],
    }
}

/// The states after a statement of a thread that is run on memory itself: none if it cannot be run.
pub fn after(program: &Program, state: &State, thread: usize, edge: &Edge) -> Vec<State> {
    let mut machine = Machine {
        program,
        reached: &mut Reached::default(),
    };
    let mut states = machine.run(state, &edge.bounds, &edge.action);
    for state in &mut states {
        state.at[thread] = edge.target;
    }
    states
}

/// What a variable may start with; `None` if that is anything.
fn starts(init: Init) -> Option<Vec<i64>> {
    match init {
        Init::Value(value) => Some(vec![value]),
        Init::Range(range) => Some((range.ends().0..=range.ends().1).collect()),
        Init::Any => None,
    }
}

/// Whether no thread holds the atomic section.
pub fn is_free(program: &Program, at: &[LocId]) -> bool {
    let mut threads = program.threads.iter().zip(at);
    threads.all(|(thread, &location)| !thread.location(location).held)
}

/// The certificate that lists the states reached.
pub fn certificate(
    source: &SourceFile,
    reduction: &Reduction,
    reached: &Reached,
    listing: Listing,
) -> Certificate {
    let free = |state: &&State| is_free(&reduction.program, &state.at);
    let body = match listing {
        Listing::AllPairs => pairs(&reduction.program, reached.states.iter()),
        Listing::FreePairs => pairs(&reduction.program, reached.states.iter().filter(free)),
        Listing::States | Listing::WholeStates => {
            let in_use = |state: &State| in_use(reduction, state);
            let whole = |state: &State| state.values.iter().copied().map(Some).collect();
            let states = reached.states.iter().filter(free);
            let states = states.map(|state| certificate::State {
                at: state.at.clone(),
                values: match listing {
                    Listing::States => in_use(state),
                    _ => whole(state),
                },
            });
            Body::States(states.unique().collect())
        }
    };
    Certificate {
        source: source.clone(),
        config: reduction.config.clone(),
        body,
    }
}

fn pairs<'a>(program: &Program, states: impl Iterator<Item = &'a State>) -> Body {
    let mut predicates: IndexMap<(VarId, i64), Cond> = IndexMap::new();
    let mut pairs = Vec::new();
    for state in states {
        let cube = program.var_ids().map(|var| {
            let value = state.values[var.index()];
            let equal = Cond::Compare(CompareOp::Eq, Term::Var(var), Term::Const(value));
            let (predicate, _) = predicates.insert_full((var, value), equal);
            Literal {
                predicate,
                holds: true,
            }
        });
        pairs.push(Pair {
            cube: cube.collect(),
            at: state.at.clone(),
        });
    }
    Body::Invariant {
        predicates: predicates.into_values().collect(),
        pairs,
    }
}

/// The values of a state without those of entries past the counts of their buffers.
fn in_use(reduction: &Reduction, state: &State) -> Vec<Option<i64>> {
    let mut values: Vec<Option<i64>> = state.values.iter().copied().map(Some).collect();
    for buffer in reduction.buffers() {
        let count = state.values[buffer.count.index()];
        for (slot, number) in buffer.slots.iter().zip(0..) {
            if number >= count {
                slot.all().for_each(|var| values[var.index()] = None);
            }
        }
    }
    values
}

struct Machine<'a> {
    program: &'a Program,
    reached: &'a mut Reached,
}

impl Machine<'_> {
    fn expand(&mut self, state: &State) {
        let free = is_free(self.program, &state.at);
        if free {
            self.specs(state);
        }
        for (index, thread) in self.program.threads.iter().enumerate() {
            let here = thread.location(state.at[index]);
            if free || here.held {
                self.statements(state, index, state.at[index], |state, target| {
                    state.at[index] = target;
                });
            }
            let blocks = thread.backgrounds.iter().filter(|_| free);
            for block in blocks {
                self.block(state, index, block.entry);
            }
        }
    }

    /// Runs what is left of a background block.
    fn block(&mut self, state: &State, thread: usize, location: LocId) {
        if location == self.program.threads[thread].end {
            self.reached.states.insert(state.clone());
            return;
        }
        for edge in &self.program.threads[thread].location(location).edges {
            for next in self.run(state, &edge.bounds, &edge.action) {
                self.block(&next, thread, edge.target);
            }
        }
    }

    fn statements(
        &mut self,
        state: &State,
        thread: usize,
        location: LocId,
        go: impl Fn(&mut State, LocId),
    ) {
        for edge in &self.program.threads[thread].location(location).edges {
            for mut next in self.run(state, &edge.bounds, &edge.action) {
                go(&mut next, edge.target);
                self.reached.states.insert(next);
            }
        }
    }

    /// The states after a statement: none if it cannot be run, several if it chooses.
    fn run(&mut self, state: &State, bounds: &Option<BoundsCheck>, action: &Action) -> Vec<State> {
        let Action::Choose(place, range) = action else {
            return self.run_one(state, bounds, action).into_iter().collect();
        };
        let (low, high) = range.ends();
        let values = (low..=high).filter_map(|value| {
            let assign = Action::Assign(place.clone(), Term::Const(value));
            self.run_one(state, bounds, &assign)
        });
        values.collect()
    }

    /// The state after a statement without a choice, if it can be run.
    fn run_one(
        &mut self,
        state: &State,
        bounds: &Option<BoundsCheck>,
        action: &Action,
    ) -> Option<State> {
        let in_range = |bounds: &BoundsCheck| state.cond(&bounds.cond);
        if !bounds.as_ref().is_none_or(in_range) {
            self.reached.broken = true;
            return None;
        }
        let mut next = state.clone();
        let mut set = |place: &Place, value: i64| next.values[state.place(place).index()] = value;
        match action {
            Action::Skip | Action::Fence => {}
            Action::Assume(cond) => return state.cond(cond).then_some(next),
            Action::Assert(cond, _) => {
                self.reached.broken |= !state.cond(cond);
                return state.cond(cond).then_some(next);
            }
            Action::Assign(place, term) | Action::Store(place, term) => {
                set(place, state.term(term));
            }
            Action::Append(fifo, values) => {
                let entry = values.iter().map(|value| state.term(value)).collect();
                next.fifos[fifo.id.index()].push(entry);
                next.show(fifo);
            }
            Action::Pop(fifo) => {
                if next.fifos[fifo.id.index()].is_empty() {
                    return None;
                }
                next.fifos[fifo.id.index()].remove(0);
                next.show(fifo);
            }
            Action::Havoc(_) => unreachable!("programs with arbitrary values are left out"),
            Action::Choose(..) => unreachable!("a choice is an assignment of each value"),
            Action::Load(place, source) => set(place, state.value(source)),
            Action::Cas(place, target, expected, new) => {
                let equal = state.value(target) == state.term(expected);
                set(place, i64::from(equal));
                if equal {
                    set(target, state.term(new));
                }
            }
            Action::Swap(place, target, new) => {
                set(place, state.value(target));
                set(target, state.term(new));
            }
            Action::FetchAdd(place, target, difference) => {
                set(place, state.value(target));
                set(target, state.value(target) + state.term(difference));
            }
        }
        Some(next)
    }

    fn specs(&mut self, state: &State) {
        let mut threads = self.program.threads.iter().zip(&state.at);
        let ended = threads.all(|(thread, &location)| location == thread.end);
        for spec in &self.program.specs {
            let must_hold = spec.kind != SpecKind::Finally || ended;
            let in_range = spec.bounds.as_ref();
            let in_range = in_range.is_none_or(|bounds| state.cond(&bounds.cond));
            let wanted = spec.kind != SpecKind::Forbid;
            let holds = in_range && state.cond(&spec.cond) == wanted;
            self.reached.broken |= must_hold && !holds;
        }
    }
}

impl State {
    /// The value of a term.
    pub fn term(&self, term: &Term) -> i64 {
        match term {
            Term::Const(value) => *value,
            Term::Var(var) => self.values[var.index()],
            Term::Choice(index, elements) => {
                self.term(&elements[self.index(index, elements.len())])
            }
            Term::Neg(inner) => -self.term(inner),
            Term::Binary(op, left, right) => {
                let result = op.checked(self.term(left), self.term(right));
                result.expect("the programs of these tests have small values")
            }
        }
    }

    /// Sets the variables that show a FIFO to what is in it.
    fn show(&mut self, fifo: &Fifo) {
        let entries = &self.fifos[fifo.id.index()];
        let nothing = vec![0; fifo.width()];
        let oldest = entries.first().unwrap_or(&nothing).iter();
        let newest = entries.last().unwrap_or(&nothing).iter();
        self.values[fifo.length.index()] = i64::try_from(entries.len()).expect("a small number");
        let shown = fifo.oldest.iter().zip(oldest);
        for (view, value) in shown.chain(fifo.newest.iter().zip(newest)) {
            self.values[view.index()] = *value;
        }
    }

    /// Whether a condition holds.
    pub fn cond(&self, cond: &Cond) -> bool {
        match cond {
            Cond::Const(value) => *value,
            Cond::Not(inner) => !self.cond(inner),
            Cond::And(left, right) => self.cond(left) && self.cond(right),
            Cond::Or(left, right) => self.cond(left) || self.cond(right),
            Cond::Compare(op, left, right) => op.holds(self.term(left), self.term(right)),
            Cond::At(thread, locations) => locations.contains(&self.at[thread.index()]),
        }
    }

    /// The variable that a place stands for.
    pub fn place(&self, place: &Place) -> VarId {
        match place {
            Place::Var(var) => *var,
            Place::Choice(index, elements) => elements[self.index(index, elements.len())],
        }
    }

    fn value(&self, place: &Place) -> i64 {
        self.values[self.place(place).index()]
    }

    /// Bounds of statements are checked beforehand; in predicates an index out of range picks the
    /// last element.
    fn index(&self, index: &Term, length: usize) -> usize {
        let index = usize::try_from(self.term(index)).unwrap_or(usize::MAX);
        index.min(length - 1)
    }
}
