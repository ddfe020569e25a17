//! Atomic sections under TSO over the nodes of a program alone, as certificates have them.
//!
//! `sections` keeps the stores that a section leaves in the buffer in nodes of its own, which no certificate can list.
//! Here a path through a section is one update up to the last node at which its stores have reached memory, and the
//! section is given up there: from then on other threads step as well, which loses no run. A path without such
//! a node is given up at once.

use std::collections::BTreeSet;

use super::{Compound, Effect, HIDDEN, MAX_FOLLOWED, edge};
use crate::engine::backward::graph::{Edge, Graph, NodeId, System};

/// The same system, in which no thread ever holds the atomic section; at least the same runs are possible.
pub(in crate::engine::backward) fn as_updates(system: &System) -> Result<System, Compound> {
    let mut updates = system.clone();
    for graph in &mut updates.graphs {
        if graph.nodes.iter().any(|node| node.held) {
            *graph = without_sections(graph)?;
        }
    }
    Ok(updates)
}

/// Where a path is, with the last node at which it equalled an update.
type Path = (NodeId, Effect, Option<(NodeId, Effect)>);

fn without_sections(old: &Graph) -> Result<Graph, Compound> {
    let mut graph = old.clone();
    let held = |at: NodeId| old.nodes[at as usize].held;
    let mut given_up: BTreeSet<NodeId> =
        old.entries.iter().copied().filter(|&at| held(at)).collect();
    for (id, node) in old.nodes.iter().enumerate().filter(|(_, node)| !node.held) {
        let mut edges: Vec<Edge> = Vec::new();
        for first in &node.edges {
            if !held(first.target) {
                edges.push(first.clone());
                continue;
            }
            for through in through(old, first)? {
                let known = |known: &Edge| known.op == through.op && known.target == through.target;
                if !edges.iter().any(known) {
                    given_up.extend(Some(through.target).filter(|&at| held(at)));
                    edges.push(through);
                }
            }
        }
        graph.nodes[id].edges = edges;
    }
    let mut open: Vec<NodeId> = given_up.iter().copied().collect();
    while let Some(at) = open.pop() {
        let targets = old.nodes[at as usize].edges.iter().map(|edge| edge.target);
        open.extend(targets.filter(|&target| held(target) && given_up.insert(target)));
    }
    for (id, node) in graph
        .nodes
        .iter_mut()
        .enumerate()
        .filter(|(_, node)| node.held)
    {
        (node.held, node.sight) = (false, HIDDEN);
        if !given_up.contains(&(id as NodeId)) {
            node.edges.clear();
        }
    }
    Ok(graph)
}

/// The edges that stand for all paths through a section that begin with an edge.
fn through(graph: &Graph, first: &Edge) -> Result<Vec<Edge>, Compound> {
    let give_up = |last: &Option<(NodeId, Effect)>| match last {
        None => first.clone(),
        Some((at, effect)) => edge(effect.first(), *at),
    };
    let mut open: Vec<Path> = match Effect::default().then(&first.op) {
        Ok(None) => Vec::new(),
        Ok(Some(effect)) if effect.load.is_none() => vec![(first.target, effect, None)],
        Ok(Some(_)) | Err(_) => return Ok(vec![first.clone()]),
    };
    let mut followed: BTreeSet<Path> = BTreeSet::new();
    let mut found = Vec::new();
    while let Some((at, effect, last)) = open.pop() {
        if followed.len() > MAX_FOLLOWED {
            return Err(Compound::Paths);
        }
        if !followed.insert((at, effect.clone(), last.clone())) {
            continue;
        }
        let last = match effect.is_update() {
            true => Some((at, effect.clone())),
            false => last,
        };
        for edge in &graph.nodes[at as usize].edges {
            let next = match effect.then(&edge.op) {
                Ok(None) => continue,
                Ok(Some(next)) if next.load.is_none() => next,
                Ok(Some(_)) | Err(_) => {
                    found.push(give_up(&last));
                    continue;
                }
            };
            if graph.nodes[edge.target as usize].held {
                open.push((edge.target, next, last.clone()));
            } else if next.is_update() {
                found.push(super::edge(next.first(), edge.target));
            } else {
                found.push(give_up(&last));
            }
        }
    }
    Ok(found)
}
