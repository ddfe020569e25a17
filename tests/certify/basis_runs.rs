//! Runs from single states, which show that a basis is wrong.
//!
//! A state that is in the invariant and outside the basis, and from which a run breaks a property, shows that an obligation
//! does not hold: if all did, the states of the run would be in the invariant, its last one would be in the basis,
//! and so, going back, would be the first. The machines here are written from the tables of `docs/exact.md`: store
//! buffers for PSO, load buffers for TSO. They know no atomic sections.

use cupola::certificate::{BasisTable, BufferSet, MarkSet, Reached, StateSet, Stored};
use cupola::front::cup::ast::SpecKind;
use cupola::memory::Model;
use cupola::program::{Action, LocId, Program, ThreadId, VarId, lower};
use indexmap::IndexSet;

use crate::enumerate::{self, State};

/// The most states of a run's search.
const MAX_STATES: usize = 4_000;

/// The most messages or stores of a buffer.
const LONGEST: usize = 2;

/// A message: a variable and a value.
type Message = (usize, i64);

/// The newest own store of a variable: its value and the number of older messages.
type Mark = Option<(i64, usize)>;

/// The buffers of one thread; variables by their numbers among the shared ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// By variable: stores, the oldest first.
    Stores(Vec<Vec<i64>>),
    /// Messages, the oldest first, and marks by variable.
    Loads(Vec<Message>, Vec<Mark>),
}

/// A state with buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Whole {
    state: State,
    buffers: Vec<Buffer>,
}

/// A program with a basis that is said to show that it is safe.
pub struct Claim<'a> {
    program: Program,
    model: Model,
    shared: Vec<VarId>,
    table: &'a BasisTable,
}

impl<'a> Claim<'a> {
    pub fn new(stored: &Stored, table: &'a BasisTable) -> Self {
        let checked = cupola::front::cup::load(&stored.source).expect("it is a program");
        let program = lower(&checked, &stored.config.fences);
        let shared = program.var_ids();
        let shared = shared.filter(|var| program.vars[var.index()].owner.is_none());
        Claim {
            shared: shared.collect(),
            program,
            model: stored.config.model,
            table,
        }
    }

    /// Whether the state is in the invariant and outside the basis, and a run from it breaks a property.
    pub fn is_refuted_by(&self, whole: &Whole) -> bool {
        let mut lines = self.table.invariant.iter();
        let mut sets = self.table.sets.iter();
        let invariant = self.table.invariant.is_empty() || lines.any(|line| self.on(whole, line));
        invariant && !sets.any(|set| self.is_in(whole, set)) && self.breaks(whole)
    }

    /// The state with these nodes, values of memory (by their numbers) and buffers.
    pub fn state(&self, nodes: &[usize], memory: &[usize], buffers: Vec<Buffer>) -> Whole {
        let mut values = vec![0; self.program.vars.len()];
        for ((var, value), listed) in self.shared.iter().zip(memory).zip(&self.table.variables) {
            values[var.index()] = listed.values[*value];
        }
        let mut at = Vec::new();
        for (thread, (node, listed)) in nodes.iter().zip(&self.table.threads).enumerate() {
            let (location, locals) = &listed.nodes[*node];
            at.push(LocId::new(*location as usize));
            for (var, value) in self.locals(thread).zip(locals) {
                values[var.index()] = value.unwrap_or(0);
            }
        }
        let state = State {
            at,
            values,
            fifos: Vec::new(),
        };
        Whole { state, buffers }
    }

    /// Empty buffers of all threads.
    pub fn empty(&self) -> Vec<Buffer> {
        let vars = self.shared.len();
        let empty = match self.model {
            Model::Tso => Buffer::Loads(Vec::new(), vec![None; vars]),
            Model::Sc | Model::Pso => Buffer::Stores(vec![Vec::new(); vars]),
        };
        vec![empty; self.program.threads.len()]
    }

    /// The number in the list of a value of a variable.
    pub fn value(&self, var: usize, number: u32) -> i64 {
        self.table.variables[var].values[number as usize]
    }

    fn locals(&self, thread: usize) -> impl Iterator<Item = VarId> {
        let owner = Some(ThreadId::new(thread));
        let vars = self.program.var_ids();
        vars.filter(move |var| self.program.vars[var.index()].owner == owner)
    }

    /// Whether a value is in a set of values.
    fn has(&self, mask: u64, var: usize, value: i64) -> bool {
        let mut values = self.table.variables[var].values.iter();
        let number = values.position(|listed| *listed == value);
        number.is_some_and(|number| mask >> number & 1 == 1)
    }

    fn is_at(&self, whole: &Whole, thread: usize, node: usize) -> bool {
        let (location, locals) = &self.table.threads[thread].nodes[node];
        let mut values = self.locals(thread).zip(locals);
        whole.state.at[thread].index() == *location as usize
            && values.all(|(var, listed)| {
                listed.is_none_or(|listed| listed == whole.state.values[var.index()])
            })
    }

    fn memory(&self, whole: &Whole) -> impl Iterator<Item = (usize, i64)> {
        let shared = self.shared.iter().enumerate();
        shared.map(|(number, var)| (number, whole.state.values[var.index()]))
    }

    /// Whether a line of the invariant stands for the state.
    fn on(&self, whole: &Whole, line: &Reached) -> bool {
        let mut nodes = line.at.iter().enumerate();
        nodes.all(|(thread, &node)| self.is_at(whole, thread, node))
            && self
                .memory(whole)
                .all(|(var, value)| self.has(1 << line.memory[var], var, value))
            && whole.buffers.iter().enumerate().all(|(thread, buffer)| {
                let (sent, own) = (&line.sent[thread], &line.own[thread]);
                match buffer {
                    Buffer::Stores(stores) => stores.iter().enumerate().all(|(var, stores)| {
                        stores.iter().all(|value| self.has(own[var], var, *value))
                    }),
                    Buffer::Loads(messages, marks) => {
                        let mut marks = marks.iter().enumerate();
                        messages
                            .iter()
                            .all(|&(var, value)| self.has(sent[var], var, value))
                            && marks.all(|(var, mark)| {
                                mark.is_none_or(|(value, _)| self.has(own[var], var, value))
                            })
                    }
                }
            })
    }

    fn is_in(&self, whole: &Whole, set: &StateSet) -> bool {
        let mut nodes = set.at.iter().enumerate();
        let mut buffers = whole.buffers.iter().zip(&set.buffers);
        !set.after
            && nodes.all(|(thread, node)| node.is_none_or(|node| self.is_at(whole, thread, node)))
            && self
                .memory(whole)
                .all(|(var, value)| self.has(set.memory[var], var, value))
            && buffers.all(|(buffer, set)| match (buffer, set) {
                (Buffer::Stores(stores), BufferSet::Store(words)) => {
                    let words = words.iter().zip(stores).enumerate();
                    let mut fit = words.map(|(var, ((letters, closed), stores))| {
                        self.stores_fit(var, letters, *closed, stores)
                    });
                    fit.all(|fits| fits)
                }
                (Buffer::Loads(messages, marks), BufferSet::Load { word, own }) => {
                    self.loads_fit((messages, marks), (word, own), &mut Vec::new())
                }
                _ => false,
            })
    }

    fn stores_fit(&self, var: usize, letters: &[u64], closed: bool, stores: &[i64]) -> bool {
        match (letters, stores) {
            ([], []) => true,
            ([], _) => !closed,
            (_, []) => false,
            ([letter, rest @ ..], [store, others @ ..]) => {
                let taken = self.has(*letter, var, *store);
                taken && self.stores_fit(var, rest, closed, others)
                    || self.stores_fit(var, letters, closed, others)
            }
        }
    }

    /// Whether the letters from the one on that has no place yet have places, so that the marks fit.
    fn loads_fit(
        &self,
        (messages, marks): (&[Message], &[Mark]),
        (word, own): (&[(usize, u64)], &[MarkSet]),
        places: &mut Vec<usize>,
    ) -> bool {
        let Some(&(var, values)) = word.get(places.len()) else {
            let older = |at: usize, newer: usize| newer == 0 || at <= places[places.len() - newer];
            let mut marks = marks.iter().zip(own).enumerate();
            return marks.all(|(var, (mark, own))| match (*own, *mark) {
                (MarkSet::Past(newer), mark) => mark.is_none_or(|(_, at)| older(at, newer)),
                (MarkSet::Kept(..), None) => false,
                (MarkSet::Kept(values, behind, newer), Some((value, at))) => {
                    let newer_than = behind == 0 || places[behind - 1] < at;
                    self.has(values, var, value) && newer_than && older(at, newer)
                }
            });
        };
        let first = places.last().map_or(0, |last| last + 1);
        (first..messages.len()).any(|place| {
            let (of, value) = messages[place];
            places.push(place);
            let fits = of == var
                && self.has(values, var, value)
                && self.loads_fit((messages, marks), (word, own), places);
            places.pop();
            fits
        })
    }

    /// Whether a run from the state breaks a property of locations, locals and memory. Under TSO memory is ahead of what
    /// a property sees, so that programs with properties over memory are not for this test.
    fn breaks(&self, whole: &Whole) -> bool {
        let mut seen = IndexSet::from([whole.clone()]);
        let mut next = 0;
        while next < seen.len() && seen.len() < MAX_STATES {
            let now = seen[next].clone();
            next += 1;
            if self.is_bad(&now.state) {
                return true;
            }
            for thread in 0..self.program.threads.len() {
                seen.extend(self.steps(&now, thread));
                seen.extend(self.deliveries(&now, thread));
            }
        }
        false
    }

    fn is_bad(&self, state: &State) -> bool {
        let mut specs = self.program.specs.iter();
        specs.any(|spec| match spec.kind {
            SpecKind::Forbid => spec.bounds.is_none() && state.cond(&spec.cond),
            SpecKind::Invariant => spec.bounds.is_none() && !state.cond(&spec.cond),
            SpecKind::Finally => false,
        })
    }

    fn steps(&self, now: &Whole, thread: usize) -> Vec<Whole> {
        let here = self.program.threads[thread].location(now.state.at[thread]);
        let number = |var: VarId| self.shared.iter().position(|shared| *shared == var);
        let mut found = Vec::new();
        for edge in &here.edges {
            let plain = |state: &State| enumerate::after(&self.program, state, thread, edge);
            let with = |state: State, buffer: Buffer| {
                let mut buffers = now.buffers.clone();
                buffers[thread] = buffer;
                Whole { state, buffers }
            };
            let buffer = &now.buffers[thread];
            match &edge.action {
                Action::Load(_, source) => {
                    let var = now.state.place(source);
                    let Some(number) = number(var) else { continue };
                    let held = now.state.values[var.index()];
                    let Some(value) = buffer.loaded(number, held) else {
                        continue;
                    };
                    let mut view = now.state.clone();
                    view.values[var.index()] = value;
                    for mut state in plain(&view) {
                        state.values[var.index()] = held;
                        found.push(with(state, buffer.clone()));
                    }
                }
                Action::Store(place, term) => {
                    let var = now.state.place(place);
                    let Some(number) = number(var) else { continue };
                    let (held, value) = (now.state.values[var.index()], now.state.term(term));
                    for mut state in plain(&now.state) {
                        if self.model == Model::Pso {
                            state.values[var.index()] = held;
                        }
                        found.extend(buffer.stored(number, value).map(|next| with(state, next)));
                    }
                }
                Action::Fence => {
                    let states = plain(&now.state).into_iter().filter(|_| buffer.is_empty());
                    found.extend(states.map(|state| with(state, buffer.clone())));
                }
                Action::Cas(_, target, ..)
                | Action::Swap(_, target, _)
                | Action::FetchAdd(_, target, _) => {
                    let number = number(now.state.place(target));
                    if number.is_some_and(|number| buffer.is_free_for(number)) {
                        let states = plain(&now.state).into_iter();
                        found.extend(states.map(|state| with(state, buffer.clone())));
                    }
                }
                _ => {
                    let states = plain(&now.state).into_iter();
                    found.extend(states.map(|state| with(state, buffer.clone())));
                }
            }
        }
        found
    }

    /// What memory does with a thread's buffer, and what the thread forgets.
    fn deliveries(&self, now: &Whole, thread: usize) -> Vec<Whole> {
        let mut found = Vec::new();
        for (number, var) in self.shared.iter().enumerate() {
            let mut next = now.clone();
            let held = &mut next.state.values[var.index()];
            match &mut next.buffers[thread] {
                Buffer::Stores(stores) if !stores[number].is_empty() => {
                    *held = stores[number].remove(0);
                }
                Buffer::Loads(messages, _) if messages.len() < LONGEST => {
                    messages.push((number, *held));
                }
                Buffer::Stores(_) | Buffer::Loads(..) => continue,
            }
            found.push(next);
        }
        let mut next = now.clone();
        if next.buffers[thread].forget() {
            found.push(next);
        }
        found
    }
}

impl Buffer {
    /// What a load yields, if it can be run.
    fn loaded(&self, var: usize, held: i64) -> Option<i64> {
        match self {
            Buffer::Stores(stores) => Some(stores[var].last().copied().unwrap_or(held)),
            Buffer::Loads(messages, marks) => match marks[var] {
                Some((value, _)) => Some(value),
                None => {
                    let hidden = marks.iter().flatten().any(|(_, at)| *at == 0);
                    let oldest = messages.first().filter(|(of, _)| *of == var && !hidden);
                    oldest.map(|(_, value)| *value)
                }
            },
        }
    }

    fn stored(&self, var: usize, value: i64) -> Option<Self> {
        let mut next = self.clone();
        match &mut next {
            Buffer::Stores(stores) => {
                stores[var].push(value);
                (stores[var].len() <= LONGEST).then_some(next)
            }
            Buffer::Loads(messages, marks) => {
                marks[var] = Some((value, messages.len()));
                Some(next)
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Buffer::Stores(stores) => stores.iter().all(Vec::is_empty),
            Buffer::Loads(messages, marks) => {
                messages.is_empty() && marks.iter().all(Option::is_none)
            }
        }
    }

    /// Whether an atomic operation on a variable can be run.
    fn is_free_for(&self, var: usize) -> bool {
        match self {
            Buffer::Stores(stores) => stores[var].is_empty(),
            Buffer::Loads(..) => self.is_empty(),
        }
    }

    /// Forgets the oldest message or the marks before it; whether there is something.
    fn forget(&mut self) -> bool {
        let Buffer::Loads(messages, marks) = self else {
            return false;
        };
        let is_first = |mark: &Mark| mark.is_some_and(|(_, at)| at == 0);
        if marks.iter().any(is_first) {
            let first = marks.iter_mut().filter(|mark| is_first(mark));
            first.for_each(|mark| *mark = None);
            true
        } else if !messages.is_empty() {
            messages.remove(0);
            marks.iter_mut().flatten().for_each(|(_, at)| *at -= 1);
            true
        } else {
            false
        }
    }
}
