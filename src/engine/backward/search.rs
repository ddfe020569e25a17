//! The backward search: from the bad states to all that reach them, as a set of minimal elements.
//!
//! A [`Config`] is a set of states that is closed upwards in a well-quasi-order; the search keeps an antichain of them.
//! It ends since the order has no infinite antichain, and its union at the end is the set of all states from which
//! a bad state can be reached: the program is broken if and only if an initial state is among them.
//!
//! The rules for memory, and the phases before and after the moment at which a property sees it, are in `moments`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::{IndexMap, IndexSet};

use super::buffers::{Buffers, Thread};
use super::graph::{Bad, Mask, NodeId, Op, Shared, System, one};
use super::invariant::Invariant;
use super::moments::Phase;
use crate::memory::Model;
use crate::run::stop::Stop;

/// Where a thread is: at a node, or (as [`ANYWHERE`]) at any node at which it does not hold the atomic section.
pub(super) type At = NodeId;

/// Any node at which the thread does not hold the atomic section.
pub(super) const ANYWHERE: At = At::MAX;

/// A set of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config<B> {
    /// The phase.
    pub phase: Phase,
    /// Where the threads are.
    pub at: Vec<At>,
    /// What memory may hold.
    pub memory: Vec<Mask>,
    /// What the threads' buffers may hold.
    pub buffers: Vec<B>,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End<B> {
    /// No bad state can be reached: these are all sets of states from which one can, and none is initial.
    Safe(Vec<Config<B>>),
    /// A bad state can be reached.
    Reached,
    /// There are too many sets.
    TooMany,
    /// The run was stopped.
    Stopped,
}

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Found<B> {
    /// How the search ended.
    pub end: End<B>,
    /// The sets that were kept at some time.
    pub configs: usize,
}

/// Searches backwards from the bad states of a system whose threads are at no node inside an atomic section under
/// TSO.
pub(super) fn search<B: Buffers>(
    system: &System,
    invariant: Option<&Invariant>,
    most: usize,
    stop: &Stop,
) -> Found<B> {
    let mut search = Search {
        system,
        invariant,
        into: system.graphs.iter().map(incoming).collect(),
        changes: system.graphs.iter().map(changing).collect(),
        threads: threads(system),
        kept: Kept::default(),
        open: BinaryHeap::new(),
        reached: false,
        seen: 0,
    };
    let end = search.run(most, stop);
    Found {
        end,
        configs: search.seen,
    }
}

fn threads(system: &System) -> Vec<Thread> {
    let graphs = system.graphs.iter();
    let threads = graphs.map(|graph| Thread {
        stores: graph.stores.clone(),
    });
    threads.collect()
}

/// An edge, seen from its target.
type Incoming = (NodeId, Op);

/// By node: the edges that lead there.
fn incoming(graph: &super::graph::Graph) -> Vec<Vec<Incoming>> {
    let mut into = vec![Vec::new(); graph.nodes.len()];
    for (at, node) in graph.nodes.iter().enumerate() {
        for edge in &node.edges {
            into[edge.target as usize].push((at as NodeId, edge.op.clone()));
        }
    }
    into
}

/// The edges that change memory or buffers and lead to a node outside atomic sections: where a thread may be anywhere,
/// a step that changes nothing leads from a set to a part of it.
fn changing(graph: &super::graph::Graph) -> Vec<Incoming> {
    let mut found = Vec::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        for edge in &node.edges {
            let changes = match &edge.op {
                Op::Silent | Op::Read(..) | Op::Fence => false,
                Op::Write(..) => true,
                Op::Update(update) => !update.writes.is_empty(),
            };
            let open = !graph.nodes[edge.target as usize].held;
            if (changes || node.held) && open {
                found.push((at as NodeId, edge.op.clone()));
            }
        }
    }
    found
}

struct Search<'a, B> {
    system: &'a System,
    invariant: Option<&'a Invariant>,
    into: Vec<Vec<Vec<Incoming>>>,
    changes: Vec<Vec<Incoming>>,
    threads: Vec<Thread>,
    kept: Kept<B>,
    open: BinaryHeap<Reverse<(usize, usize)>>,
    reached: bool,
    /// The sets that were kept at some time.
    seen: usize,
}

/// The antichain: sets of which none covers another with the same locations.
struct Kept<B> {
    /// All that were kept at some time; `None` if another one covers it.
    configs: Vec<Option<Config<B>>>,
    by_place: IndexMap<(Phase, Vec<At>), Vec<usize>>,
    /// Which threads are anywhere, in some set.
    shapes: IndexSet<Vec<bool>>,
}

impl<B> Default for Kept<B> {
    fn default() -> Self {
        Kept {
            configs: Vec::new(),
            by_place: IndexMap::new(),
            shapes: IndexSet::new(),
        }
    }
}

impl<B: Buffers> Kept<B> {
    /// Adds a set unless another one covers it; returns its number. `held` are the threads that hold the atomic section.
    fn add(&mut self, config: Config<B>, held: &[bool]) -> Option<usize> {
        for shape in &self.shapes {
            if shape
                .iter()
                .zip(held)
                .any(|(anywhere, held)| *anywhere && *held)
            {
                continue;
            }
            let at = config.at.iter().zip(shape);
            let at = at.map(|(&at, &anywhere)| if anywhere { ANYWHERE } else { at });
            let place = (config.phase, at.collect::<Vec<At>>());
            let there = self.by_place.get(&place);
            let mut there = there.into_iter().flatten();
            if there.any(|&id| {
                self.configs[id]
                    .as_ref()
                    .is_some_and(|kept| kept.covers(&config))
            }) {
                return None;
            }
        }
        let shape = config.at.iter().map(|&at| at == ANYWHERE).collect();
        self.shapes.insert(shape);
        let id = self.configs.len();
        let place = (config.phase, config.at.clone());
        let there = self.by_place.entry(place).or_default();
        there.retain(|&other| {
            let covered = self.configs[other]
                .as_ref()
                .is_some_and(|kept| config.covers(kept));
            if covered {
                self.configs[other] = None;
            }
            !covered
        });
        there.push(id);
        self.configs.push(Some(config));
        Some(id)
    }
}

impl<B: Buffers> Config<B> {
    /// Whether every state of `other`, with threads at the same nodes, is in this set.
    fn covers(&self, other: &Self) -> bool {
        let mut buffers = self.buffers.iter().zip(&other.buffers);
        B::holds_all(&self.memory, &other.memory) && buffers.all(|(set, other)| set.covers(other))
    }

    fn size(&self, system: &System) -> usize {
        let memory = self.memory.iter().enumerate();
        let demanded = memory.filter(|(var, mask)| **mask != system.all(*var));
        let buffers = self.buffers.iter().map(B::size);
        demanded.count() + buffers.sum::<usize>()
    }

    fn is_initial(&self, system: &System) -> bool {
        let mut at = self.at.iter().zip(&system.graphs);
        let mut memory = self.memory.iter().zip(&system.initial);
        self.phase == Phase::Before
            && at.all(|(at, graph)| *at == ANYWHERE || graph.entries.contains(at))
            && memory.all(|(mask, initial)| mask & initial != 0)
            && self.buffers.iter().all(B::is_initial)
    }
}

impl<B: Buffers> Search<'_, B> {
    fn run(&mut self, most: usize, stop: &Stop) -> End<B> {
        let system = self.system;
        for bad in &system.bad {
            for config in self.start(bad) {
                self.add(config);
            }
        }
        let mut looked = 0_usize;
        while let Some(Reverse((_, id))) = self.open.pop() {
            if self.reached {
                return End::Reached;
            }
            looked += 1;
            if looked.is_multiple_of(64) && stop.should_stop() {
                return End::Stopped;
            }
            let Some(config) = self.kept.configs[id].clone() else {
                continue;
            };
            self.expand(&config);
            if self.kept.configs.len() > most {
                return End::TooMany;
            }
        }
        match self.reached {
            true => End::Reached,
            false => {
                let configs = std::mem::take(&mut self.kept.configs);
                End::Safe(configs.into_iter().flatten().collect())
            }
        }
    }

    fn add(&mut self, mut config: Config<B>) {
        if self.reached {
            return;
        }
        if B::delivers(config.phase) {
            for buffers in &mut config.buffers {
                buffers.weaken(&config.memory);
            }
        }
        if !self.may_be(&config) {
            return;
        }
        self.reached |= config.is_initial(self.system);
        let size = config.size(self.system);
        let threads = 0..config.at.len();
        let held: Vec<bool> = threads.map(|thread| self.holds(&config, thread)).collect();
        if let Some(id) = self.kept.add(config, &held) {
            self.open.push(Reverse((size, id)));
            self.seen += 1;
        }
    }

    /// Whether the invariant has a state of the set, as far as it says something about sets of this kind.
    fn may_be(&self, config: &Config<B>) -> bool {
        let Some(invariant) = self.invariant else {
            return true;
        };
        if config.phase == Phase::After || config.at.contains(&ANYWHERE) {
            return true;
        }
        invariant.at(&config.at).any(|(memory, known)| {
            let mut memory = config.memory.iter().zip(memory);
            let mut buffers = config.buffers.iter().zip(known);
            memory.all(|(mask, &value)| mask & one(value) != 0)
                && buffers.all(|(set, known)| set.fits(known))
        })
    }

    /// The sets of bad states: one for each choice of nodes with the sights.
    fn start(&self, bad: &Bad) -> Vec<Config<B>> {
        use itertools::Itertools;
        let system = self.system;
        let nodes = system.graphs.iter().zip(&bad.sights);
        let nodes = nodes.map(|(graph, sight)| match sight {
            None => vec![ANYWHERE],
            Some(sight) => {
                let nodes = graph.nodes.iter().enumerate();
                let seen = nodes.filter(|(_, node)| node.sight == *sight);
                seen.map(|(id, _)| id as NodeId).collect()
            }
        });
        let mut vectors: Vec<Vec<At>> = nodes.multi_cartesian_product().collect();
        if system.graphs.is_empty() {
            vectors.push(Vec::new());
        }
        let ahead = system.model == Model::Tso && !bad.drained && bad.sees_memory(system);
        let phase = B::last(ahead);
        let buffers = self.threads.iter().map(|thread| match bad.drained {
            true => B::drained(thread),
            false => B::any(thread),
        });
        let buffers: Vec<B> = buffers.collect();
        let configs = vectors.into_iter().map(|at| Config {
            phase,
            at,
            memory: bad.memory.clone(),
            buffers: buffers.clone(),
        });
        configs.collect()
    }

    /// Adds all sets from which a state of this one is reached in a step.
    fn expand(&mut self, config: &Config<B>) {
        if let Some(phase) = B::earlier(config.phase) {
            self.add(Config {
                phase,
                ..config.clone()
            });
        }
        for thread in 0..self.threads.len() {
            if self.others_hold(config, thread) {
                continue;
            }
            if B::delivers(config.phase) {
                self.arrivals(config, thread);
            }
            let edges = match config.at[thread] {
                ANYWHERE => self.changes[thread].clone(),
                at => self.into[thread][at as usize].clone(),
            };
            for (from, op) in &edges {
                self.step(config, thread, *from, op);
            }
        }
    }

    /// Whether another thread holds the atomic section.
    fn others_hold(&self, config: &Config<B>, thread: usize) -> bool {
        let mut others = (0..config.at.len()).filter(|&other| other != thread);
        others.any(|other| self.holds(config, other))
    }

    /// Whether a thread holds the atomic section.
    fn holds(&self, config: &Config<B>, thread: usize) -> bool {
        match config.at[thread] {
            ANYWHERE => false,
            at => self.system.graphs[thread].nodes[at as usize].held,
        }
    }

    fn arrivals(&mut self, config: &Config<B>, thread: usize) {
        let found = config.buffers[thread].arrivals(&self.threads[thread], &config.memory);
        for (buffers, var, mask) in found {
            let mut before = config.clone();
            before.buffers[thread] = buffers;
            before.memory[var] = mask & self.system.all(var);
            self.add(before);
        }
    }

    fn step(&mut self, config: &Config<B>, thread: usize, from: NodeId, op: &Op) {
        if !B::happens(op, config.phase) {
            return;
        }
        let mut before = config.clone();
        before.at[thread] = from;
        let buffers = &config.buffers[thread];
        let info = &self.threads[thread];
        match op {
            Op::Silent => self.add(before),
            Op::Read(var, values) => {
                for (buffers, mask) in buffers.read(info, (*var, *values), config.memory[*var]) {
                    let mut before = before.clone();
                    before.buffers[thread] = buffers;
                    before.memory[*var] = mask;
                    self.add(before);
                }
            }
            Op::Write(var, value) => {
                let Some(buffers) = buffers.write(*var, *value) else {
                    return;
                };
                before.buffers[thread] = buffers;
                if self.system.model == Model::Tso && B::stores(config.phase) {
                    let all = self.system.all(*var);
                    let Some(held) = B::before_store(config.memory[*var], *value, all) else {
                        return;
                    };
                    before.memory[*var] = held;
                }
                self.add(before);
            }
            Op::Fence => {
                if let Some(buffers) = buffers.fence(info) {
                    before.buffers[thread] = buffers;
                    self.add(before);
                }
            }
            Op::Update(update) => {
                let vars = update.guards.iter().map(|(var, _)| *var);
                let vars = vars.chain(update.writes.iter().map(|(var, _)| *var));
                let vars: Vec<Shared> = vars.collect();
                let Some(buffers) = buffers.update(info, &vars) else {
                    return;
                };
                before.buffers[thread] = buffers;
                let all = self.system.any_memory();
                if let Some(memory) = B::before_update(&config.memory, update, &all) {
                    before.memory = memory;
                    self.add(before);
                }
            }
        }
    }
}
