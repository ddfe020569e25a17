//! The forward search: all states of a system with real store buffers of at most `k` entries.
//!
//! Breadth first, so that a way to a bad state is a shortest one. If no store met a full buffer, every state with
//! buffers of any length was seen, and the search is exact both ways; a bad state is exact in any case.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use indexmap::{IndexMap, IndexSet};

use super::graph::{Bad, Edge, NodeId, Op, Shared, Sight, System, Value, one};
use crate::engine::store::{StateId, Store};
use crate::memory::Model;
use crate::program::{ThreadId, VarId};
use crate::run::stop::Stop;
use crate::semantics::Directive;

/// The longest that buffers may get: their lengths are written with two bytes.
pub(super) const MAX_BUFFER: usize = u16::MAX as usize;

/// How far to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The longest that a buffer may get, at most [`MAX_BUFFER`].
    pub buffer: usize,
    /// The most states.
    pub states: usize,
}

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// How the search ended.
    pub end: End,
    /// The states that were seen.
    pub states: usize,
    /// The most entries that a buffer had.
    pub longest: usize,
    /// The bytes that the states took up.
    pub bytes: usize,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// No bad state is within reach, whatever the buffers' length.
    Safe,
    /// No bad state is within reach with buffers of this length, but a store met a full one.
    Refused,
    /// There are too many states.
    States,
    /// The run was stopped.
    Stopped,
    /// A bad state is within reach.
    Bad(Way),
}

/// A way to a bad state.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The values of shared variables at the start.
    pub memory: Vec<i64>,
    /// The nodes at which the threads start.
    pub entries: Vec<NodeId>,
    /// The steps, as far as the graphs know them.
    pub steps: Vec<Directive>,
}

/// Searches a system.
pub(super) fn search(system: &System, bounds: Bounds, stop: &Stop) -> Found {
    let mut search = Search {
        system,
        bounds: Bounds {
            buffer: bounds.buffer.min(MAX_BUFFER),
            ..bounds
        },
        targets: Targets::new(system),
        store: Store::default(),
        refused: false,
        longest: 0,
        encoding: Vec::new(),
    };
    let end = match search.run(stop) {
        ControlFlow::Break(end) => end,
        ControlFlow::Continue(()) if search.refused => End::Refused,
        ControlFlow::Continue(()) => End::Safe,
    };
    Found {
        end,
        states: search.store.len(),
        longest: search.longest,
        bytes: search.store.bytes(),
    }
}

/// A state.
#[derive(Clone, Debug)]
struct State {
    at: Vec<NodeId>,
    memory: Vec<Value>,
    fifos: Vec<VecDeque<(Shared, Value)>>,
}

impl State {
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        for at in &self.at {
            bytes.extend_from_slice(&at.to_le_bytes()[..3]);
        }
        bytes.extend_from_slice(&self.memory);
        for fifo in &self.fifos {
            bytes.extend_from_slice(&(fifo.len() as u16).to_le_bytes());
            bytes.extend(
                fifo.iter()
                    .flat_map(|&(var, value)| [var as u8, (var >> 8) as u8, value]),
            );
        }
    }

    /// Becomes another state without new allocations.
    fn become_like(&mut self, other: &State) {
        self.at.clone_from(&other.at);
        self.memory.clone_from(&other.memory);
        for (fifo, other) in self.fifos.iter_mut().zip(&other.fifos) {
            fifo.clear();
            fifo.extend(other);
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        let mut bytes = bytes.iter().copied();
        let mut byte = || bytes.next().expect("an encoding is whole");
        for at in &mut self.at {
            *at = u32::from_le_bytes([byte(), byte(), byte(), 0]);
        }
        self.memory.iter_mut().for_each(|value| *value = byte());
        for fifo in &mut self.fifos {
            let length = u16::from_le_bytes([byte(), byte()]);
            fifo.clear();
            for _ in 0..length {
                let var = Shared::from(byte()) | Shared::from(byte()) << 8;
                fifo.push_back((var, byte()));
            }
        }
    }
}

/// The bad states, by what is seen of the threads.
struct Targets<'a> {
    /// Which threads matter, for all bad sets.
    shapes: IndexSet<Vec<bool>>,
    by_sights: IndexMap<Vec<Option<Sight>>, Vec<&'a Bad>>,
}

impl<'a> Targets<'a> {
    fn new(system: &'a System) -> Self {
        let mut targets = Targets {
            shapes: IndexSet::new(),
            by_sights: IndexMap::new(),
        };
        for bad in &system.bad {
            let shape = bad.sights.iter().map(Option::is_some).collect();
            targets.shapes.insert(shape);
            targets
                .by_sights
                .entry(bad.sights.clone())
                .or_default()
                .push(bad);
        }
        targets
    }

    /// The bad set that a state is in.
    fn find(&self, system: &System, state: &State) -> Option<&'a Bad> {
        let nodes = || {
            let graphs = system.graphs.iter().zip(&state.at);
            graphs.map(|(graph, &at)| &graph.nodes[at as usize])
        };
        self.shapes.iter().find_map(|shape| {
            let mut unseen = nodes().zip(shape).filter(|(_, seen)| !**seen);
            if unseen.any(|(node, _)| node.held) {
                return None;
            }
            let sights = nodes()
                .zip(shape)
                .map(|(node, seen)| seen.then_some(node.sight));
            let sights: Vec<Option<Sight>> = sights.collect();
            let bad = self.by_sights.get(&sights)?;
            bad.iter().copied().find(|bad| {
                let mut memory = bad.memory.iter().zip(&state.memory);
                memory.all(|(mask, &value)| mask & one(value) != 0)
                    && (!bad.drained || state.fifos.iter().all(VecDeque::is_empty))
            })
        })
    }
}

/// A step of a state.
enum Step<'a> {
    Edge(&'a Edge),
    Flush(usize, Shared),
}

struct Search<'a> {
    system: &'a System,
    bounds: Bounds,
    targets: Targets<'a>,
    store: Store,
    refused: bool,
    longest: usize,
    encoding: Vec<u8>,
}

/// How many states are expanded between two looks at the clock.
const STATES_PER_LOOK: usize = 512;

impl<'a> Search<'a> {
    fn run(&mut self, stop: &Stop) -> ControlFlow<End> {
        for state in initial_states(self.system) {
            self.add(&state, None)?;
        }
        let Some(mut state) = initial_states(self.system).next() else {
            return ControlFlow::Continue(());
        };
        let mut next = self.store.first();
        let mut expanded = 0_usize;
        while let Some(id) = next {
            expanded += 1;
            if expanded.is_multiple_of(STATES_PER_LOOK) && stop.should_stop() {
                return ControlFlow::Break(End::Stopped);
            }
            state.decode(self.store.encoding(id));
            let mut flow = ControlFlow::Continue(());
            let (system, buffer) = (self.system, self.bounds.buffer);
            let refused = expand(system, &state, buffer, &mut |next, _| {
                if flow.is_continue() {
                    flow = self.add(next, Some(id));
                }
            });
            self.refused |= refused;
            flow?;
            next = self.store.after(id);
        }
        ControlFlow::Continue(())
    }

    fn add(&mut self, state: &State, parent: Option<StateId>) -> ControlFlow<End> {
        state.encode(&mut self.encoding);
        if self.store.len() >= self.bounds.states || self.store.is_full(self.encoding.len()) {
            return match self.store.contains(&self.encoding) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(End::States),
            };
        }
        let Some(id) = self.store.insert(&self.encoding, parent) else {
            return ControlFlow::Continue(());
        };
        let longest = state.fifos.iter().map(VecDeque::len).max();
        self.longest = self.longest.max(longest.unwrap_or(0));
        match self.targets.find(self.system, state) {
            None => ControlFlow::Continue(()),
            Some(bad) => ControlFlow::Break(End::Bad(self.way(id, bad))),
        }
    }

    /// The way to a state, found again step by step.
    fn way(&self, id: StateId, bad: &Bad) -> Way {
        let mut ids = vec![id];
        while let Some(parent) = self.store.parent(ids[ids.len() - 1]) {
            ids.push(parent);
        }
        ids.reverse();
        let blank = initial_states(self.system)
            .next()
            .expect("there is a state");
        let states: Vec<State> = ids
            .iter()
            .map(|&id| {
                let mut state = blank.clone();
                state.decode(self.store.encoding(id));
                state
            })
            .collect();
        let mut steps = Vec::new();
        for pair in states.windows(2) {
            steps.extend(self.steps_between(&pair[0], &pair[1]));
        }
        steps.extend(bad.step);
        let memory = states[0].memory.iter().zip(&self.system.domains);
        Way {
            memory: memory
                .map(|(&value, domain)| domain[usize::from(value)])
                .collect(),
            entries: states[0].at.clone(),
            steps,
        }
    }

    fn steps_between(&self, from: &State, to: &State) -> Vec<Directive> {
        let (mut wanted, mut reached) = (Vec::new(), Vec::new());
        to.encode(&mut wanted);
        let mut found = None;
        expand(self.system, from, self.bounds.buffer, &mut |next, step| {
            next.encode(&mut reached);
            if found.is_none() && reached == wanted {
                found = Some(match step {
                    Step::Edge(edge) => edge.steps.clone(),
                    Step::Flush(thread, var) => vec![Directive::Flush {
                        thread: ThreadId::new(thread),
                        var: VarId::new(var),
                    }],
                });
            }
        });
        found.expect("a state is reached from its parent by a step")
    }
}

fn initial_states(system: &System) -> impl Iterator<Item = State> {
    let fifos = match system.model {
        Model::Sc => 0,
        Model::Tso => system.graphs.len(),
        Model::Pso => system.graphs.len() * system.domains.len(),
    };
    system.starts().map(move |(at, memory)| State {
        at,
        memory,
        fifos: vec![VecDeque::new(); fifos],
    })
}

/// Shows every successor of a state; whether a store met a full buffer.
fn expand<'a>(
    system: &'a System,
    state: &State,
    buffer: usize,
    visit: &mut dyn FnMut(&State, Step<'a>),
) -> bool {
    let node = |thread: usize| &system.graphs[thread].nodes[state.at[thread] as usize];
    let threads = 0..system.graphs.len();
    let holder = threads.clone().find(|&thread| node(thread).held);
    let mut refused = false;
    let mut next = state.clone();
    for thread in threads.filter(|&thread| holder.is_none_or(|holder| holder == thread)) {
        for edge in &node(thread).edges {
            next.become_like(state);
            match take(system, &mut next, thread, &edge.op, buffer) {
                Taken::Done => {
                    next.at[thread] = edge.target;
                    visit(&next, Step::Edge(edge));
                }
                Taken::Blocked => {}
                Taken::Refused => refused = true,
            }
        }
        for fifo in fifos_of(system, thread) {
            if state.fifos[fifo].is_empty() {
                continue;
            }
            next.become_like(state);
            if let Some((var, value)) = next.fifos[fifo].pop_front() {
                next.memory[var] = value;
                visit(&next, Step::Flush(thread, var));
            }
        }
    }
    refused
}

/// What became of a step.
enum Taken {
    Done,
    Blocked,
    Refused,
}

fn take(system: &System, state: &mut State, thread: usize, op: &Op, buffer: usize) -> Taken {
    let possible = match op {
        Op::Silent => true,
        Op::Read(var, values) => {
            let fifo = fifo_of(system, thread, *var);
            let stored = fifo.and_then(|fifo| {
                let mut newest_first = state.fifos[fifo].iter().rev();
                newest_first.find(|(of, _)| of == var)
            });
            let value = stored.map_or(state.memory[*var], |(_, value)| *value);
            one(value) & values != 0
        }
        Op::Write(var, value) => match fifo_of(system, thread, *var) {
            None => {
                state.memory[*var] = *value;
                true
            }
            Some(fifo) if state.fifos[fifo].len() >= buffer => return Taken::Refused,
            Some(fifo) => {
                state.fifos[fifo].push_back((*var, *value));
                true
            }
        },
        Op::Fence => fifos_of(system, thread).all(|fifo| state.fifos[fifo].is_empty()),
        Op::Update(update) => {
            let vars = update.guards.iter().map(|(var, _)| *var);
            let mut vars = vars.chain(update.writes.iter().map(|(var, _)| *var));
            let drained = match system.model {
                Model::Sc => true,
                Model::Tso => state.fifos[thread].is_empty(),
                Model::Pso => vars.all(|var| {
                    let fifo = fifo_of(system, thread, var);
                    fifo.is_none_or(|fifo| state.fifos[fifo].is_empty())
                }),
            };
            let mut guards = update.guards.iter();
            let possible = drained && guards.all(|&(var, mask)| one(state.memory[var]) & mask != 0);
            if possible {
                for &(var, value) in &update.writes {
                    state.memory[var] = value;
                }
            }
            possible
        }
    };
    match possible {
        true => Taken::Done,
        false => Taken::Blocked,
    }
}

fn fifo_of(system: &System, thread: usize, var: Shared) -> Option<usize> {
    match system.model {
        Model::Sc => None,
        Model::Tso => Some(thread),
        Model::Pso => Some(thread * system.domains.len() + var),
    }
}

fn fifos_of(system: &System, thread: usize) -> std::ops::Range<usize> {
    let count = system.domains.len();
    match system.model {
        Model::Sc => 0..0,
        Model::Tso => thread..thread + 1,
        Model::Pso => thread * count..(thread + 1) * count,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::State;

    /// Buffers of more entries than a byte counts are read as they were written.
    #[test]
    fn long_buffers_are_read_as_they_were_written() {
        for length in [0, 1, 255, 256, 300, 4_464] {
            let fifo: VecDeque<_> = (0..length).map(|at| (at % 3, (at % 5) as u8)).collect();
            let state = State {
                at: vec![7, 70_000],
                memory: vec![1, 2, 3],
                fifos: vec![fifo, VecDeque::from([(2, 4)])],
            };
            let mut bytes = Vec::new();
            state.encode(&mut bytes);
            let mut read = State {
                at: vec![0; 2],
                memory: vec![0; 3],
                fifos: vec![VecDeque::new(); 2],
            };
            read.decode(&bytes);
            assert_eq!(read.at, state.at);
            assert_eq!(read.memory, state.memory);
            assert_eq!(read.fifos, state.fifos, "{length}");
        }
    }
}
