//! Threads as finite labelled graphs: what the searches of this engine run.
//!
//! A node of a thread's graph is a location with values of the locals. Its edges are labelled with what they do to
//! shared memory; values of shared variables are numbers into the variable's domain, and sets of values are bit
//! masks. `unfold` makes these graphs, `sections` and `shrink` make smaller ones of them, `forward` and `search` run
//! them. What must not happen is a list of [`Bad`] sets of states, in terms of what the properties see of a node.

use itertools::Itertools;

use crate::memory::Model;
use crate::semantics::Directive;

/// A set of values of one shared variable, by their numbers.
pub(super) type Mask = u64;

/// The most values that a shared variable may have.
pub(super) const MAX_VALUES: usize = Mask::BITS as usize;

/// A value of a shared variable: its number in the domain.
pub(super) type Value = u8;

/// A shared variable, by its place among the shared ones.
pub(super) type Shared = usize;

/// The number of a node in its graph.
pub(super) type NodeId = u32;

/// The number of what the properties see of a node.
pub(super) type Sight = u32;

/// What an edge does to shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Op {
    /// Nothing.
    Silent,
    /// A load that yields one of these values.
    Read(Shared, Mask),
    /// A store.
    Write(Shared, Value),
    /// Waits until all stores of the thread have reached memory.
    Fence,
    /// Memory is tested and changed at once. Under TSO the thread's buffer is empty, under PSO its buffers of these
    /// variables are.
    Update(Update),
}

/// An atomic operation on memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Update {
    /// What memory must hold before, one entry for a variable.
    pub guards: Vec<(Shared, Mask)>,
    /// What it holds then, one entry for a variable.
    pub writes: Vec<(Shared, Value)>,
}

/// An edge.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// What it does.
    pub op: Op,
    /// Where it leads.
    pub target: NodeId,
    /// The steps of the program that it stands for; none in a graph that was made smaller.
    pub steps: Vec<Directive>,
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Whether the thread holds the atomic section here.
    pub held: bool,
    /// What the properties see of it.
    pub sight: Sight,
    /// Its edges.
    pub edges: Vec<Edge>,
}

/// The graph of one thread.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Where it may start.
    pub entries: Vec<NodeId>,
    /// By shared variable: the values that the thread stores to it.
    pub stores: Vec<Mask>,
}

/// A set of states that must not be reached.
#[derive(Clone, Debug)]
pub(super) struct Bad {
    /// For each thread what is seen of its node; `None` if it may be at any node at which it does not hold the atomic
    /// section.
    pub sights: Vec<Option<Sight>>,
    /// The values of shared variables in memory.
    pub memory: Vec<Mask>,
    /// Whether all store buffers are empty, as they are in final states.
    pub drained: bool,
    /// A step that breaks the property there; `None` if the state does.
    pub step: Option<Directive>,
}

/// A program as graphs.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// The model that it runs under.
    pub model: Model,
    /// By shared variable: the values that it may have; the numbers of values are places in this list.
    pub domains: Vec<Vec<i64>>,
    /// The values that memory may start with, independently for each variable.
    pub initial: Vec<Mask>,
    /// The threads.
    pub graphs: Vec<Graph>,
    /// What must not be reached.
    pub bad: Vec<Bad>,
}

impl System {
    /// Where the threads may start, with all that memory may start with; one after the other, since they may be very many.
    pub(super) fn starts(&self) -> impl Iterator<Item = (Vec<NodeId>, Vec<Value>)> {
        let at = self.graphs.iter().map(|graph| graph.entries.clone());
        let memory = self.initial.iter();
        let memory = memory.map(|&mask| values(mask).collect::<Vec<_>>());
        at.multi_cartesian_product()
            .cartesian_product(memory.multi_cartesian_product())
    }

    /// All values of a variable.
    pub(super) fn all(&self, var: Shared) -> Mask {
        full(self.domains[var].len())
    }

    /// By variable: all values.
    pub(super) fn any_memory(&self) -> Vec<Mask> {
        let domains = self.domains.iter();
        domains.map(|domain| full(domain.len())).collect()
    }
}

impl Bad {
    /// Whether it says something about memory.
    pub(super) fn sees_memory(&self, system: &System) -> bool {
        self.memory != system.any_memory()
    }
}

/// The set of the first `count` values.
pub(super) fn full(count: usize) -> Mask {
    match count {
        MAX_VALUES.. => Mask::MAX,
        _ => (1 << count) - 1,
    }
}

/// The set of one value.
pub(super) fn one(value: Value) -> Mask {
    1 << value
}

/// The values of a set.
pub(super) fn values(mask: Mask) -> impl Iterator<Item = Value> {
    (0..MAX_VALUES as Value).filter(move |&value| mask & one(value) != 0)
}
