//! The way to a stored state or to a failure, and its form for the user.
//!
//! The store keeps for each state only the one before it and its place among that state's
//! successors; the steps in between are found by expanding again.

use super::config::Config;
use super::expand::{Expansion, Node, StepRef, expand};
use super::explore::{Exploration, Found};
use super::split::Context;
use super::store::StateId;
use crate::machine::{Action, FrameBit, LocId, Machine};
use crate::outcome::{Trace, TraceStep};

/// A run: an initial state and steps, each with the state after it.
pub(crate) struct Path {
    pub initial: Config,
    pub steps: Vec<(StepRef, Config)>,
    /// The number of search steps: an atomic section is one.
    pub length: usize,
}

/// The run to a failure; its last step is the failing assertion. Nothing if the budget does not last.
pub(crate) fn path_to(
    context: Context<'_>,
    exploration: &Exploration,
    reduce: bool,
    found: Found,
) -> Option<Path> {
    let mut ids = vec![found.state];
    let mut expansion = Expansion::default();
    while let Some(parent) = exploration.store.link(ids[ids.len() - 1]).parent {
        ids.push(parent);
    }
    ids.reverse();
    let mut path = Path {
        initial: exploration.store.config(ids[0]),
        steps: Vec::new(),
        length: ids.len(),
    };
    // An expansion that is cut short has the same places as far as it goes; only this way ends there.
    context.budget.restart();
    let again = |id: StateId, expansion: &mut Expansion| {
        expand(context, &exploration.store.config(id), reduce, expansion);
    };
    for pair in ids.windows(2) {
        again(pair[0], &mut expansion);
        let place = exploration.store.link(pair[1]).place as usize;
        let last = *expansion.finals.get(place)?;
        path.append(&expansion, &expansion.nodes[last]);
    }
    again(found.state, &mut expansion);
    path.append(&expansion, &expansion.failures.get(found.place)?.node);
    Some(path)
}

impl Path {
    /// Adds the steps of an expansion that lead to a node.
    fn append(&mut self, expansion: &Expansion, last: &Node) {
        let mut chain = vec![(last.step, last.config.clone())];
        let mut parent = last.parent;
        while let Some(index) = parent {
            let node = &expansion.nodes[index];
            chain.push((node.step, node.config.clone()));
            parent = node.parent;
        }
        self.steps.extend(chain.into_iter().rev());
    }

    /// The run as the user sees it: steps without effect are left out. The caller knows whether
    /// there may be a shorter one.
    pub(crate) fn trace(&self, machine: &Machine, shortest: bool) -> Trace {
        let mut threads = Threads {
            of_slot: vec![0],
            started: 1,
        };
        let mut before = &self.initial;
        let mut steps = Vec::new();
        for (step, after) in &self.steps {
            let edge = step.edge(machine);
            if let Action::Start(_) = edge.action {
                threads.start(before);
            }
            if !matches!(edge.action, Action::NoOp) {
                steps.push(TraceStep {
                    thread: threads.of_slot[step.slot],
                    stmt: edge.stmt,
                    branch: edge.branch,
                    condition: edge.condition,
                    in_atomic: machine.location(step.from).atomic,
                    changes: changes(machine, &threads, *step, before, after),
                    label: reached_label(machine, &edge.action),
                });
            }
            before = after;
        }
        let globals = machine
            .globals
            .iter()
            .enumerate()
            .map(|(bit, name)| (name.clone(), self.initial.get(bit)));
        let locals = self
            .initial
            .live()
            .flat_map(|slot| own_locals(machine, &self.initial, slot));
        Trace {
            initial: globals.chain(locals).collect(),
            steps,
            length: self.length,
            shortest,
        }
    }
}

/// The error label that a failing step is about.
fn reached_label(machine: &Machine, action: &Action) -> Option<String> {
    match action {
        Action::Assert(assertion) => machine.asserts[assertion.id.index()].label.clone(),
        Action::NoOp | Action::Assume(_) | Action::Assign(_) | Action::Start(_) => None,
    }
}

/// Which thread uses which slot.
struct Threads {
    of_slot: Vec<usize>,
    started: usize,
}

impl Threads {
    fn start(&mut self, before: &Config) {
        let free = before.control.iter().position(|loc| *loc == LocId::ENDED);
        let slot = free.unwrap_or(before.control.len());
        self.of_slot.resize(self.of_slot.len().max(slot + 1), 0);
        self.of_slot[slot] = self.started;
        self.started += 1;
    }
}

fn own_locals(machine: &Machine, config: &Config, slot: usize) -> Vec<(String, Option<bool>)> {
    let image = machine.image_at(config.control[slot]);
    let base = config.first_local(machine, slot);
    let named = image.locals.iter().take(image.own).enumerate();
    named
        .map(|(i, name)| (name.clone(), config.get(base + i)))
        .collect()
}

/// What a step changed: globals, then locals; those of other threads have the thread in front.
fn changes(
    machine: &Machine,
    threads: &Threads,
    step: StepRef,
    before: &Config,
    after: &Config,
) -> Vec<(String, Option<bool>)> {
    let target = step.edge(machine).target;
    let dead = |bit: usize| {
        let forget = (target != LocId::ENDED).then(|| &machine.location(target).forget);
        after.get(bit).is_none() && forget.is_some_and(|forget| forget.contains(&(bit as FrameBit)))
    };
    let globals = machine.globals.iter().enumerate();
    let changed = globals.filter(|(bit, _)| before.get(*bit) != after.get(*bit) && !dead(*bit));
    let mut changes: Vec<_> = changed
        .map(|(bit, name)| (name.clone(), after.get(bit)))
        .collect();
    for slot in after.live() {
        let prefix = if slot == step.slot {
            String::new()
        } else {
            format!("t{}:", threads.of_slot[slot])
        };
        for (local, value) in changed_locals(machine, step, slot, before, after) {
            let name = &machine.image_at(after.control[slot]).locals[local];
            changes.push((format!("{prefix}{name}"), value));
        }
    }
    changes
}

fn changed_locals(
    machine: &Machine,
    step: StepRef,
    slot: usize,
    before: &Config,
    after: &Config,
) -> Vec<(usize, Option<bool>)> {
    let image = machine.image_at(after.control[slot]);
    let lived = before
        .control
        .get(slot)
        .is_some_and(|loc| *loc != LocId::ENDED);
    let new_base = after.first_local(machine, slot);
    let old_base = lived.then(|| before.first_local(machine, slot));
    let forgotten = |local: usize| match &step.edge(machine).action {
        Action::Assign(assignment) if slot == step.slot => assignment
            .forget
            .contains(&(machine.first_local() + local as u32)),
        Action::NoOp
        | Action::Assume(_)
        | Action::Assert(_)
        | Action::Assign(_)
        | Action::Start(_) => false,
    };
    let count = if lived { image.locals.len() } else { image.own };
    let value = |local: usize| after.get(new_base + local);
    let differs =
        |local: &usize| old_base.is_none_or(|base| before.get(base + local) != value(*local));
    let changed = (0..count)
        .filter(differs)
        .filter(|local| !forgotten(*local));
    changed.map(|local| (local, value(local))).collect()
}
