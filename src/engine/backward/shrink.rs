//! Smaller graphs with the same bad states within reach.
//!
//! Silent steps are taken together with what comes behind them, steps that change nothing and lead back are dropped,
//! loads that accept every value are silent, and nodes that cannot be told apart are one (bisimulation). Nodes are put
//! together only if the properties see the same of them and both hold the atomic section or neither does.
//!
//! Why this is right: a state of the system and the one with another node in its place have the same sights. A silent
//! step is possible wherever its thread may step and changes nothing but the node, so skipping it loses no bad
//! state, and a run over the smaller graph becomes one of the larger graph by putting the silent steps in. A load
//! is possible in every state, and with every value accepted it is a silent step.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};

use super::graph::{Edge, Graph, Mask, Node, NodeId, Op, System};

/// The same system with smaller graphs.
pub(super) fn shrink(system: &System) -> System {
    let mut small = without_unread(system);
    for graph in &mut small.graphs {
        let full = |var: usize| system.all(var);
        let silent = without_full_reads(graph, &full);
        let closed = without_silent_steps(&silent);
        *graph = quotient(&reachable(&closed));
        // Merged loads may accept every value now.
        let again = without_silent_steps(&without_full_reads(graph, &full));
        *graph = quotient(&reachable(&again));
    }
    small
}

/// Stores to variables that nothing reads, neither a thread nor a property, become silent: they fill buffers, which can
/// always be flushed.
fn without_unread(system: &System) -> System {
    let any = system.any_memory();
    let mut read = vec![false; system.domains.len()];
    for bad in &system.bad {
        let differs = bad.memory.iter().zip(&any).map(|(mask, any)| mask != any);
        read.iter_mut()
            .zip(differs)
            .for_each(|(read, differs)| *read |= differs);
    }
    let nodes = system.graphs.iter().flat_map(|graph| &graph.nodes);
    for edge in nodes.flat_map(|node| &node.edges) {
        match &edge.op {
            Op::Read(var, _) => read[*var] = true,
            Op::Update(update) => update.guards.iter().for_each(|(var, _)| read[*var] = true),
            Op::Silent | Op::Write(..) | Op::Fence => {}
        }
    }
    let mut small = system.clone();
    for graph in &mut small.graphs {
        let edges = graph.nodes.iter_mut().flat_map(|node| &mut node.edges);
        for edge in edges {
            if matches!(edge.op, Op::Write(var, _) if !read[var]) {
                edge.op = Op::Silent;
            }
        }
        let stores = graph.stores.iter_mut().zip(&read);
        stores
            .filter(|(_, read)| !**read)
            .for_each(|(stores, _)| *stores = 0);
    }
    small
}

/// Loads that accept every value become silent.
fn without_full_reads(graph: &Graph, full: &impl Fn(usize) -> Mask) -> Graph {
    let nodes = graph.nodes.iter().map(|node| {
        let mut reads: BTreeMap<(usize, NodeId), Mask> = BTreeMap::new();
        let mut others: IndexSet<(Op, NodeId)> = IndexSet::new();
        for edge in &node.edges {
            match &edge.op {
                Op::Read(var, values) => *reads.entry((*var, edge.target)).or_insert(0) |= values,
                op => drop(others.insert((op.clone(), edge.target))),
            }
        }
        for ((var, target), values) in reads {
            let op = match values == full(var) {
                true => Op::Silent,
                false => Op::Read(var, values),
            };
            others.insert((op, target));
        }
        with_edges(node, others)
    });
    with_nodes(graph, nodes.collect())
}

/// Silent steps between nodes that are seen alike are taken together with what comes behind them.
fn without_silent_steps(graph: &Graph) -> Graph {
    let alike = |a: &Node, b: &Node| a.sight == b.sight && a.held == b.held;
    let nodes = (0..graph.nodes.len() as NodeId).map(|start| {
        let from = &graph.nodes[start as usize];
        let mut closure: IndexSet<NodeId> = IndexSet::from([start]);
        let mut edges: IndexSet<(Op, NodeId)> = IndexSet::new();
        let mut next = 0;
        while let Some(&at) = closure.get_index(next) {
            next += 1;
            for edge in &graph.nodes[at as usize].edges {
                let target = &graph.nodes[edge.target as usize];
                if edge.op == Op::Silent && alike(from, target) {
                    closure.insert(edge.target);
                } else {
                    edges.insert((edge.op.clone(), edge.target));
                }
            }
        }
        edges.retain(|(op, target)| !(closure.contains(target) && keeps_state(op)));
        with_edges(from, edges)
    });
    with_nodes(graph, nodes.collect())
}

/// Whether a step changes no memory and no buffer.
fn keeps_state(op: &Op) -> bool {
    match op {
        Op::Silent | Op::Read(..) | Op::Fence => true,
        Op::Write(..) => false,
        Op::Update(update) => update.writes.is_empty(),
    }
}

/// The nodes that can be reached.
fn reachable(graph: &Graph) -> Graph {
    let mut found: IndexSet<NodeId> = graph.entries.iter().copied().collect();
    let mut next = 0;
    while let Some(&at) = found.get_index(next) {
        next += 1;
        let edges = graph.nodes[at as usize].edges.iter();
        found.extend(edges.map(|edge| edge.target));
    }
    let number = |id: NodeId| found.get_index_of(&id).expect("it was found") as NodeId;
    let nodes = found.iter().map(|&id| {
        let node = &graph.nodes[id as usize];
        let edges = node.edges.iter();
        with_edges(
            node,
            edges.map(|edge| (edge.op.clone(), number(edge.target))),
        )
    });
    Graph {
        nodes: nodes.collect(),
        entries: graph.entries.iter().map(|&id| number(id)).collect(),
        stores: graph.stores.clone(),
    }
}

/// The edges of a node as far as classes of nodes can be told apart: loads of one variable to one class are one.
type Signature = (u32, BTreeMap<(Op, u32), Mask>);

/// Nodes with the same sights and the same steps to nodes that are alike become one.
fn quotient(graph: &Graph) -> Graph {
    let first = graph.nodes.iter().map(|node| (node.sight, node.held));
    let mut classes = numbered(first);
    loop {
        let signatures = graph.nodes.iter().enumerate();
        let signatures = signatures.map(|(id, node)| -> Signature {
            let mut steps = BTreeMap::new();
            for edge in &node.edges {
                let (op, mask) = split(&edge.op);
                *steps
                    .entry((op, classes.0[edge.target as usize]))
                    .or_insert(0) |= mask;
            }
            (classes.0[id], steps)
        });
        let finer = numbered(signatures);
        let done = finer.1 == classes.1;
        classes = finer;
        if done {
            break;
        }
    }
    merged(graph, &classes.0, classes.1)
}

/// The loaded values apart from the rest of a step.
fn split(op: &Op) -> (Op, Mask) {
    match op {
        Op::Read(var, values) => (Op::Read(*var, 0), *values),
        other => (other.clone(), 1),
    }
}

/// The number of each key, and how many there are.
fn numbered<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> (Vec<u32>, usize) {
    let mut known: IndexMap<K, ()> = IndexMap::new();
    let numbers = keys
        .map(|key| known.insert_full(key, ()).0 as u32)
        .collect();
    (numbers, known.len())
}

fn merged(graph: &Graph, class: &[u32], count: usize) -> Graph {
    let mut nodes: Vec<Option<Node>> = vec![None; count];
    for (node, &number) in graph.nodes.iter().zip(class) {
        if nodes[number as usize].is_some() {
            continue;
        }
        let mut steps: BTreeMap<(Op, NodeId), Mask> = BTreeMap::new();
        for edge in &node.edges {
            let (op, mask) = split(&edge.op);
            *steps.entry((op, class[edge.target as usize])).or_insert(0) |= mask;
        }
        let edges = steps.into_iter().map(|((op, target), mask)| match op {
            Op::Read(var, _) => (Op::Read(var, mask), target),
            op => (op, target),
        });
        nodes[number as usize] = Some(with_edges(node, edges));
    }
    let entries = graph.entries.iter().map(|&id| class[id as usize]);
    let entries: IndexSet<NodeId> = entries.collect();
    Graph {
        nodes: nodes.into_iter().flatten().collect(),
        entries: entries.into_iter().collect(),
        stores: graph.stores.clone(),
    }
}

fn with_edges(node: &Node, edges: impl IntoIterator<Item = (Op, NodeId)>) -> Node {
    let edges = edges.into_iter().map(|(op, target)| Edge {
        op,
        target,
        steps: Vec::new(),
    });
    Node {
        held: node.held,
        sight: node.sight,
        edges: edges.collect(),
    }
}

fn with_nodes(graph: &Graph, nodes: Vec<Node>) -> Graph {
    Graph {
        nodes,
        entries: graph.entries.clone(),
        stores: graph.stores.clone(),
    }
}
