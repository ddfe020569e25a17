//! The successors of a state.
//!
//! A step of the search is one edge of one thread, or a whole atomic section: once a thread is
//! inside one, a local search follows it until it is outside again. Paths that block inside are
//! dropped; assertions inside are checked; loops inside end because every state is visited once.
//! The expansion of a state is deterministic, so that a successor can be named by its place in it.

use rustc_hash::FxHashSet;

use super::config::Config;
use super::fired::Fired;
use super::split::Context;
use super::step::{self, Effects};
use crate::machine::{Edge, LocId, Machine};
use crate::outcome::AssertId;

/// The edge that a step took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepRef {
    pub slot: usize,
    pub from: LocId,
    pub edge: usize,
}

impl StepRef {
    pub(crate) fn edge<'m>(&self, machine: &'m Machine) -> &'m Edge {
        &machine.location(self.from).edges[self.edge]
    }
}

/// A state reached in the expansion, perhaps inside an atomic section.
pub(crate) struct Node {
    pub config: Config,
    pub step: StepRef,
    /// The node before it; `None` for the expanded state itself.
    pub parent: Option<usize>,
}

/// A failing assertion met in the expansion.
pub(crate) struct Failure {
    pub assert: AssertId,
    pub node: Node,
}

/// All that one state leads to.
#[derive(Default)]
pub(crate) struct Expansion {
    pub nodes: Vec<Node>,
    /// The nodes outside atomic sections: the successors.
    pub finals: Vec<usize>,
    pub failures: Vec<Failure>,
    effects: Effects,
}

impl Expansion {
    /// An expansion that also records what fires.
    pub(crate) fn recording() -> Self {
        let effects = Effects {
            fired: Some(Fired::default()),
            ..Effects::default()
        };
        Self {
            effects,
            ..Self::default()
        }
    }

    pub(crate) fn effects(&self) -> &Effects {
        &self.effects
    }

    pub(crate) fn into_fired(self) -> Fired {
        self.effects.fired.unwrap_or_default()
    }

    /// Drops everything but what was recorded.
    pub(crate) fn discard(&mut self) {
        self.nodes.clear();
        self.finals.clear();
        self.failures.clear();
    }
}

/// Expands a state. Where `reduce` is set and a thread stands at a reducible location and can move,
/// only that thread moves.
pub(crate) fn expand(
    context: Context<'_>,
    config: &Config,
    reduce: bool,
    expansion: &mut Expansion,
) {
    expansion.discard();
    let machine = context.machine;
    if reduce {
        for slot in config
            .live()
            .filter(|slot| machine.location(config.control[*slot]).reducible)
        {
            expand_slot(context, config, slot, expansion);
            if !expansion.finals.is_empty() {
                return;
            }
            expansion.discard();
        }
    }
    for slot in config.live() {
        expand_slot(context, config, slot, expansion);
    }
}

/// All steps of one thread, atomic sections run to their ends.
pub(super) fn expand_slot(
    context: Context<'_>,
    config: &Config,
    slot: usize,
    expansion: &mut Expansion,
) {
    let mut seen = FxHashSet::default();
    let mut next = expansion.nodes.len();
    fire(context, config, None, slot, &mut seen, expansion);
    while next < expansion.nodes.len() && context.budget.allows(expansion.nodes.len()) {
        if inside(context.machine, &expansion.nodes[next]) {
            let config = std::mem::replace(&mut expansion.nodes[next].config, Config::gone());
            fire(context, &config, Some(next), slot, &mut seen, expansion);
            expansion.nodes[next].config = config;
        }
        next += 1;
    }
}

/// Whether the thread that made the last step is inside an atomic section.
fn inside(machine: &Machine, node: &Node) -> bool {
    let target = node.step.edge(machine).target;
    target != LocId::ENDED && machine.location(target).atomic
}

fn fire(
    context: Context<'_>,
    config: &Config,
    parent: Option<usize>,
    slot: usize,
    seen: &mut FxHashSet<Config>,
    expansion: &mut Expansion,
) {
    let machine = context.machine;
    let from = config.control[slot];
    for (index, edge) in machine.location(from).edges.iter().enumerate() {
        expansion.effects.held = expansion.nodes.len() + expansion.failures.len();
        step::execute(context, config, slot, edge, &mut expansion.effects);
        let step = StepRef {
            slot,
            from,
            edge: index,
        };
        for config in expansion.effects.successors.drain(..) {
            let node = Node {
                config,
                step,
                parent,
            };
            if !inside(machine, &node) {
                expansion.finals.push(expansion.nodes.len());
            } else if !seen.insert(node.config.clone()) {
                continue;
            }
            expansion.nodes.push(node);
        }
        for (assert, config) in expansion.effects.failures.drain(..) {
            expansion.failures.push(Failure {
                assert,
                node: Node {
                    config,
                    step,
                    parent,
                },
            });
        }
    }
}
