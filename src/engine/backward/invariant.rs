//! A forward invariant that keeps the backward search from what can never be.
//!
//! For each combination of nodes and memory that may be reached it has, thread by thread, the values that may be in the
//! buffers, as sets without order or number ([`Known`]). All that is reached is inside, so that sets of states
//! outside may be left out of the backward search: no run to a bad state passes through them. Under TSO memory and
//! buffers are those of the load-buffer semantics.

use indexmap::IndexMap;

use super::buffers::Known;
use super::graph::{Mask, NodeId, Op, Shared, System, Value, one, values};
use crate::memory::Model;
use crate::run::stop::Stop;

/// Nodes and memory.
type Key = (Vec<NodeId>, Vec<Value>);

/// What may be reached.
#[derive(Clone, Debug, Default)]
pub(super) struct Invariant {
    by_nodes: IndexMap<Vec<NodeId>, IndexMap<Vec<Value>, Vec<Known>>>,
}

impl Invariant {
    /// The memories that may be there when the threads are at these nodes, with what their buffers may hold.
    pub(super) fn at(&self, nodes: &[NodeId]) -> impl Iterator<Item = (&Vec<Value>, &Vec<Known>)> {
        self.by_nodes.get(nodes).into_iter().flatten()
    }

    /// All of it.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Vec<NodeId>, &Vec<Value>, &Vec<Known>)> {
        let all = self.by_nodes.iter();
        all.flat_map(|(nodes, there)| {
            there
                .iter()
                .map(move |(memory, known)| (nodes, memory, known))
        })
    }
}

/// The invariant of a system, unless it has more combinations of nodes and memory than `most`.
pub(super) fn invariant(system: &System, most: usize, stop: &Stop) -> Option<Invariant> {
    let mut growing = Growing {
        system,
        found: IndexMap::new(),
        open: Vec::new(),
    };
    for start in system.starts() {
        let known = vec![Known::nothing(system.domains.len()); system.graphs.len()];
        growing.join(start, known);
        if growing.found.len() > most {
            return None;
        }
    }
    while let Some(index) = growing.open.pop() {
        growing.found[index].1 = false;
        growing.expand(index);
        if growing.found.len() > most || stop.should_stop() {
            return None;
        }
    }
    let mut invariant = Invariant::default();
    for ((at, memory), (known, _)) in growing.found {
        let there = invariant.by_nodes.entry(at).or_default();
        there.insert(memory, known);
    }
    Some(invariant)
}

struct Growing<'a> {
    system: &'a System,
    /// What may be in the buffers, and whether steps from there are still to be taken.
    found: IndexMap<Key, (Vec<Known>, bool)>,
    open: Vec<usize>,
}

impl Growing<'_> {
    fn join(&mut self, key: Key, mut known: Vec<Known>) {
        if self.system.model == Model::Tso {
            for thread in &mut known {
                for (sent, &value) in thread.sent.iter_mut().zip(&key.1) {
                    *sent |= one(value);
                }
            }
        }
        let (index, _) = match self.found.get_full_mut(&key) {
            Some((index, _, (old, open))) => {
                let mut grown = false;
                for (old, new) in old.iter_mut().zip(&known) {
                    grown |= old.join(new);
                }
                if !grown || *open {
                    return;
                }
                *open = true;
                (index, ())
            }
            None => (self.found.insert_full(key, (known, true)).0, ()),
        };
        self.open.push(index);
    }

    fn expand(&mut self, index: usize) {
        let Some((key, (known, _))) = self.found.get_index(index) else {
            return;
        };
        let ((at, memory), known) = (key.clone(), known.clone());
        let system = self.system;
        let node = |thread: usize| &system.graphs[thread].nodes[at[thread] as usize];
        let threads = 0..system.graphs.len();
        let holder = threads.clone().find(|&thread| node(thread).held);
        for thread in threads.filter(|&thread| holder.is_none_or(|holder| holder == thread)) {
            for edge in &node(thread).edges {
                let mut next = (at.clone(), memory.clone());
                let mut then = known.clone();
                next.0[thread] = edge.target;
                if self.take(&mut next.1, &mut then[thread], &edge.op) {
                    self.join(next, then);
                }
            }
            if system.model == Model::Pso {
                self.flush(&at, &memory, &known, thread);
            }
        }
    }

    fn flush(&mut self, at: &[NodeId], memory: &[Value], known: &[Known], thread: usize) {
        for (var, &stored) in known[thread].own.iter().enumerate() {
            for value in values(stored) {
                let mut memory = memory.to_vec();
                memory[var] = value;
                self.join((at.to_vec(), memory), known.to_vec());
            }
        }
    }

    /// Takes a step; whether it is possible.
    fn take(&self, memory: &mut [Value], known: &mut Known, op: &Op) -> bool {
        match op {
            Op::Silent => true,
            Op::Read(var, accepted) => self.read(memory, known, *var, *accepted),
            Op::Write(var, value) => {
                match self.system.model {
                    Model::Tso => {
                        memory[*var] = *value;
                        known.own[*var] = one(*value);
                    }
                    Model::Sc | Model::Pso => known.own[*var] |= one(*value),
                }
                true
            }
            Op::Fence => {
                *known = Known::nothing(memory.len());
                true
            }
            Op::Update(update) => {
                let mut guards = update.guards.iter();
                if !guards.all(|&(var, mask)| one(memory[var]) & mask != 0) {
                    return false;
                }
                match self.system.model {
                    Model::Tso => *known = Known::nothing(memory.len()),
                    Model::Sc | Model::Pso => {
                        let guards = update.guards.iter().map(|(var, _)| *var);
                        let writes = update.writes.iter().map(|(var, _)| *var);
                        guards.chain(writes).for_each(|var| known.own[var] = 0);
                    }
                }
                for &(var, value) in &update.writes {
                    memory[var] = value;
                }
                true
            }
        }
    }

    fn read(&self, memory: &[Value], known: &mut Known, var: Shared, accepted: Mask) -> bool {
        let own = known.own[var] & accepted;
        match self.system.model {
            Model::Tso => {
                let possible = own != 0 || known.sent[var] & accepted != 0;
                known.own[var] = own;
                possible
            }
            Model::Sc | Model::Pso => {
                if own == 0 {
                    known.own[var] = 0;
                }
                own != 0 || one(memory[var]) & accepted != 0
            }
        }
    }
}
