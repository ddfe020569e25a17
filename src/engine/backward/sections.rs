//! Atomic sections under TSO as single steps.
//!
//! Between the first and the last step of a section no other thread steps and no other buffer is flushed; the thread's
//! own buffer may be. A path through a section is one of these, or the section is not supported:
//!
//! - *Nothing, or one load, and then stores.* When a store enters the buffer is seen by its own thread alone, so that
//!   it may as well enter later: the path equals its steps one after the other, with nodes in between at which no
//!   property is evaluated.
//! - *A part with an empty buffer, and then stores.* Where a fence or an atomic operation comes before any load, the
//!   buffer may be drained before the section begins, stores before the fence included: these then write memory
//!   directly. What is loaded behind the fence was in memory at that moment, or was stored by the section. So the
//!   part up to the last fence or atomic operation, with all loads of the section, is one atomic update; the stores
//!   behind are as above.
//!
//! A load before the fence, a second load without one, and a load behind a store without a fence between them are
//! unsupported: what they see depends on which stores of the thread were flushed meanwhile.

mod updates;

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::graph::{
    Edge, Graph, Mask, Node, NodeId, Op, Shared, Sight, System, Update, Value, one,
};

pub(super) use updates::as_updates;

/// The sight of a node inside a section, which no property sees.
pub(super) const HIDDEN: Sight = Sight::MAX;

/// The most combinations of node and effect that are followed inside the sections that begin at one node.
const MAX_FOLLOWED: usize = 10_000;

/// Why a section is not one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Compound {
    /// What a load sees depends on flushes inside the section.
    #[error(
        "an atomic section under TSO has a load that is neither its first access nor behind a fence"
    )]
    Load,
    /// An assertion over shared variables.
    #[error("an atomic section under TSO has an assertion about shared variables")]
    Check,
    /// There are too many paths.
    #[error("an atomic section has too many paths")]
    Paths,
}

/// The same system without nodes inside atomic sections.
pub(super) fn as_steps(system: &System) -> Result<System, Compound> {
    let mut steps = system.clone();
    for bad in &system.bad {
        for (graph, sight) in system.graphs.iter().zip(&bad.sights) {
            let mut held = graph.nodes.iter().filter(|node| node.held);
            if sight.is_some_and(|sight| held.any(|node| node.sight == sight)) {
                return Err(Compound::Check);
            }
        }
    }
    for graph in &mut steps.graphs {
        if graph.nodes.iter().any(|node| node.held) {
            *graph = Compressed::of(graph)?;
        }
    }
    Ok(steps)
}

/// What a path through a section has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Effect {
    /// Whether the buffer was empty since the start, or since the first stores.
    drained: bool,
    /// The one load of a path that does not drain the buffer.
    load: Option<(Shared, Mask)>,
    /// What memory must hold at the start.
    guards: BTreeMap<Shared, Mask>,
    /// What was written to memory.
    written: BTreeMap<Shared, Value>,
    /// The stores since the buffer was drained.
    pending: Vec<(Shared, Value)>,
}

impl Effect {
    /// The effect with one more step; `None` if the step is not possible.
    fn then(&self, op: &Op) -> Result<Option<Self>, Compound> {
        let mut next = self.clone();
        let possible = match op {
            Op::Silent => true,
            Op::Write(var, value) => {
                next.pending.push((*var, *value));
                true
            }
            Op::Read(var, values) => next.read(*var, *values)?,
            Op::Fence => {
                next.drain()?;
                true
            }
            Op::Update(update) => next.update(update)?,
        };
        Ok(possible.then_some(next))
    }

    fn drain(&mut self) -> Result<(), Compound> {
        if self.load.is_some() {
            return Err(Compound::Load);
        }
        self.drained = true;
        self.written.extend(self.pending.drain(..));
        Ok(())
    }

    fn read(&mut self, var: Shared, values: Mask) -> Result<bool, Compound> {
        let mut stored = self.pending.iter().rev();
        if let Some((_, value)) = stored.find(|(of, _)| *of == var) {
            return Ok(one(*value) & values != 0);
        }
        if self.drained {
            return Ok(self.guard(var, values));
        }
        if self.load.is_some() || !self.pending.is_empty() {
            return Err(Compound::Load);
        }
        self.load = Some((var, values));
        Ok(true)
    }

    fn update(&mut self, update: &Update) -> Result<bool, Compound> {
        self.drain()?;
        for (var, values) in &update.guards {
            if !self.guard(*var, *values) {
                return Ok(false);
            }
        }
        self.written.extend(update.writes.iter().copied());
        Ok(true)
    }

    /// Restricts a variable in memory.
    fn guard(&mut self, var: Shared, values: Mask) -> bool {
        if let Some(value) = self.written.get(&var) {
            return one(*value) & values != 0;
        }
        let guard = self.guards.entry(var).or_insert(Mask::MAX);
        *guard &= values;
        *guard != 0
    }

    /// Whether the path equals an update.
    fn is_update(&self) -> bool {
        self.drained && self.pending.is_empty()
    }

    /// The step before the stores that remain in the buffer.
    fn first(&self) -> Op {
        match (self.drained, self.load) {
            (false, None) => Op::Silent,
            (false, Some((var, values))) => Op::Read(var, values),
            (true, _) if self.guards.is_empty() && self.written.is_empty() => Op::Fence,
            (true, _) => Op::Update(Update {
                guards: self
                    .guards
                    .iter()
                    .map(|(&var, &mask)| (var, mask))
                    .collect(),
                writes: self
                    .written
                    .iter()
                    .map(|(&var, &value)| (var, value))
                    .collect(),
            }),
        }
    }
}

/// A graph under construction; nodes keep their numbers, and new ones come behind.
struct Compressed<'a> {
    old: &'a Graph,
    nodes: Vec<Node>,
    /// The nodes before these stores, which lead to a node.
    before: IndexMap<(Vec<(Shared, Value)>, NodeId), NodeId>,
}

impl<'a> Compressed<'a> {
    fn of(old: &'a Graph) -> Result<Graph, Compound> {
        let nodes = old.nodes.iter().map(|node| Node {
            held: false,
            sight: node.sight,
            edges: Vec::new(),
        });
        let mut compressed = Compressed {
            old,
            nodes: nodes.collect(),
            before: IndexMap::new(),
        };
        for (id, node) in old.nodes.iter().enumerate() {
            match node.held {
                true => compressed.nodes[id].sight = HIDDEN,
                false => compressed.nodes[id].edges = compressed.edges(node)?,
            }
        }
        Ok(Graph {
            nodes: compressed.nodes,
            entries: old.entries.clone(),
            stores: old.stores.clone(),
        })
    }

    fn edges(&mut self, node: &Node) -> Result<Vec<Edge>, Compound> {
        let mut edges = Vec::new();
        let mut followed: BTreeSet<(NodeId, Effect)> = BTreeSet::new();
        let mut open = Vec::new();
        for edge in &node.edges {
            if !self.old.nodes[edge.target as usize].held {
                edges.push(edge.clone());
            } else if let Some(effect) = Effect::default().then(&edge.op)? {
                open.push((edge.target, effect));
            }
        }
        while let Some((at, effect)) = open.pop() {
            let here = &self.old.nodes[at as usize];
            if !here.held {
                edges.push(self.edge(&effect, at));
                continue;
            }
            if followed.len() > MAX_FOLLOWED {
                return Err(Compound::Paths);
            }
            if followed.insert((at, effect.clone())) {
                for edge in &here.edges {
                    let next = effect.then(&edge.op)?;
                    open.extend(next.map(|next| (edge.target, next)));
                }
            }
        }
        Ok(edges)
    }

    /// The edge of a path with this effect.
    fn edge(&mut self, effect: &Effect, target: NodeId) -> Edge {
        let stores = effect.pending.as_slice();
        match (effect.first(), stores) {
            (Op::Silent, [(var, value), rest @ ..]) => {
                let target = self.before(rest, target);
                edge(Op::Write(*var, *value), target)
            }
            (first, stores) => {
                let target = self.before(stores, target);
                edge(first, target)
            }
        }
    }

    /// The node at which these stores are still to be made.
    fn before(&mut self, stores: &[(Shared, Value)], target: NodeId) -> NodeId {
        let [(var, value), rest @ ..] = stores else {
            return target;
        };
        if let Some(&known) = self.before.get(&(stores.to_vec(), target)) {
            return known;
        }
        let next = self.before(rest, target);
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            held: false,
            sight: HIDDEN,
            edges: vec![edge(Op::Write(*var, *value), next)],
        });
        self.before.insert((stores.to_vec(), target), id);
        id
    }
}

fn edge(op: Op, target: NodeId) -> Edge {
    Edge {
        op,
        target,
        steps: Vec::new(),
    }
}
