//! All reachable states of a finite reduced program, one by one, and the certificate that they make.
//!
//! This interpreter is written apart from the explorer and the checker, so that it can contradict both.
//! Its certificates have a predicate `x == v` for every variable and value that occurs, and a pair
//! for every state.

use cupola::certificate::{Certificate, Literal, Pair};
use cupola::lang;
use cupola::lang::ast::{CompareOp, SpecKind};
use cupola::lang::source::SourceFile;
use cupola::program::{Action, Cond, LocId, Place, Program, Term, VarId, lower};
use cupola::reduce::{ReduceConfig, reduce};
use indexmap::{IndexMap, IndexSet};

/// How many states are enumerated.
const MAX_STATES: usize = 20_000;

/// A state of a reduced program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Where each thread is.
    pub at: Vec<LocId>,
    /// The values of the variables.
    pub values: Vec<i64>,
}

/// What was reached.
#[derive(Debug, Default)]
pub struct Reached {
    /// The states, those inside atomic sections included.
    pub states: IndexSet<State>,
    /// Whether some property is broken.
    pub broken: bool,
}

/// Which states get a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// All of them.
    All,
    /// Those in which nobody holds the atomic section.
    Free,
}

/// The reduced program of a source.
pub fn reduced(source: &SourceFile, config: &ReduceConfig) -> Option<Program> {
    let checked = lang::load(source).ok()?;
    let tree = reduce(source, &checked, config).ok()?;
    let checked = lang::check(tree).expect("reduced programs pass the checks");
    Some(lower(&checked, &IndexSet::new()))
}

/// Enumerates the states of a program; `None` if there are too many, or arbitrary values. A failing
/// statement ends its run and no other.
pub fn reach(program: &Program) -> Option<Reached> {
    let locations = program.threads.iter().flat_map(|thread| &thread.locations);
    let mut edges = locations.flat_map(|location| &location.edges);
    if edges.any(|edge| matches!(edge.action, Action::Havoc(_))) {
        return None;
    }
    let values: Option<Vec<i64>> = program.vars.iter().map(|var| var.init).collect();
    let mut reached = Reached::default();
    let initial = State {
        at: program.threads.iter().map(|thread| thread.entry).collect(),
        values: values?,
    };
    reached.states.insert(initial);
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

/// Whether no thread holds the atomic section.
pub fn is_free(program: &Program, at: &[LocId]) -> bool {
    let mut threads = program.threads.iter().zip(at);
    threads.all(|(thread, &location)| !thread.location(location).held)
}

/// The certificate whose pairs are the states reached.
pub fn certificate(
    source: &SourceFile,
    config: &ReduceConfig,
    program: &Program,
    reached: &Reached,
    listing: Listing,
) -> Certificate {
    let mut predicates: IndexMap<(VarId, i64), Cond> = IndexMap::new();
    let mut pairs = Vec::new();
    for state in &reached.states {
        if listing == Listing::Free && !is_free(program, &state.at) {
            continue;
        }
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
    Certificate {
        source: source.clone(),
        config: config.clone(),
        predicates: predicates.into_values().collect(),
        pairs,
    }
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
            if let Some(next) = self.run(state, &edge.bounds, &edge.action) {
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
            if let Some(mut next) = self.run(state, &edge.bounds, &edge.action) {
                go(&mut next, edge.target);
                self.reached.states.insert(next);
            }
        }
    }

    /// The state after a statement, if it can be run.
    fn run(&mut self, state: &State, bounds: &Option<Cond>, action: &Action) -> Option<State> {
        if bounds.as_ref().is_some_and(|bounds| !state.cond(bounds)) {
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
            Action::Havoc(_) => unreachable!("programs that choose values are left out"),
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
            let in_range = spec.bounds.as_ref().is_none_or(|bounds| state.cond(bounds));
            let wanted = spec.kind != SpecKind::Forbid;
            let holds = in_range && state.cond(&spec.cond) == wanted;
            self.reached.broken |= must_hold && !holds;
        }
    }
}

impl State {
    fn term(&self, term: &Term) -> i64 {
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

    fn place(&self, place: &Place) -> VarId {
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
