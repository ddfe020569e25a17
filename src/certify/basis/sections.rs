//! Atomic sections under TSO as atomic updates.
//!
//! The load-buffer semantics has no atomic sections; a path through one is split here into steps that it has. Two things
//! are used, and neither leaves out a run.
//!
//! - *A section may be given up early.* A node inside a section may be taken for one at which other threads step
//!   as well: the runs of the section are among those without it. Specs are not evaluated there, as before
//!   (`properties`), and assertions are.
//! - *An empty buffer makes an update.* Let a path have a fence or an atomic operation before any load that its own stores do not
//!   answer. Until there it does nothing that depends on memory, and no other thread steps: what is in the buffer may be
//!   flushed before the section begins. The stores before the fence are then in memory when it is over. From there on a load yields the
//!   section's own newest store or what memory held when the section began. So at every node at which no store is
//!   left in the buffer the path so far equals one update: memory held these values, and holds those then.
//!
//! A path is followed to its end, or to a step that breaks a property. Where its buffer is empty there, the path is an update. Where it is
//! not, the path is an update up to the last node with an empty buffer, and the section is given up at this node. Where there is no such
//! node, it is given up at once. So is a path with a load before a fence, and one that comes to an assertion about shared variables.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Act, Node, Step};

/// The most combinations of node and effect that are followed inside the sections that begin at one node.
const MAX_FOLLOWED: usize = 10_000;

/// What a path has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Effect {
    /// Whether the buffer was emptied.
    emptied: bool,
    /// What memory held when the section began.
    held: BTreeMap<usize, usize>,
    /// What was written to memory.
    written: BTreeMap<usize, usize>,
    /// The stores that may be in the buffer.
    pending: Vec<(usize, usize)>,
}

/// What a step makes of a path.
enum Then {
    /// The step is not possible.
    Never,
    /// The path with the step.
    Effect(Effect),
    /// Nothing that equals an update.
    Other,
}

impl Effect {
    fn then(&self, act: &Act) -> Then {
        let mut next = self.clone();
        let possible = match act {
            Act::Local => true,
            Act::Store { var, value } => {
                next.pending.push((*var, *value));
                true
            }
            Act::Fence => {
                next.empty();
                true
            }
            Act::Update { held, written } => {
                next.empty();
                let possible = held.iter().all(|&(var, value)| next.finds(var, value));
                next.written.extend(written.iter().copied());
                possible
            }
            Act::Load { var, value } => {
                let mut stored = self.pending.iter().rev();
                match stored.find(|(of, _)| of == var) {
                    Some((_, newest)) => newest == value,
                    None if self.emptied => next.finds(*var, *value),
                    None => return Then::Other,
                }
            }
            Act::Write { .. } => return Then::Other,
        };
        match possible {
            true => Then::Effect(next),
            false => Then::Never,
        }
    }

    fn empty(&mut self) {
        self.emptied = true;
        self.written.extend(self.pending.drain(..));
    }

    /// Whether memory may hold this value now, with no store to the variable in the buffer.
    fn finds(&mut self, var: usize, value: usize) -> bool {
        match self.written.get(&var) {
            Some(written) => *written == value,
            None => *self.held.entry(var).or_insert(value) == value,
        }
    }

    /// Whether the path equals an update.
    fn is_update(&self) -> bool {
        self.emptied && self.pending.is_empty()
    }

    fn update(&self) -> Act {
        Act::Update {
            held: self
                .held
                .iter()
                .map(|(&var, &value)| (var, value))
                .collect(),
            written: self
                .written
                .iter()
                .map(|(&var, &value)| (var, value))
                .collect(),
        }
    }
}

/// Where a path is, with the last node at which it equalled an update.
type Path = (usize, Effect, Option<(usize, Effect)>);

/// Makes updates of the sections of a thread; `inside` says which nodes are inside one. Only nodes at which
/// a section was given up still have steps then, of those inside.
pub(super) fn as_updates(
    nodes: &mut [Node<'_>],
    inside: &[bool],
    entries: &[usize],
) -> Result<(), String> {
    let mut given_up: BTreeSet<usize> = BTreeSet::new();
    given_up.extend(entries.iter().filter(|&&entry| inside[entry]));
    let mut changed = Vec::new();
    for (at, node) in nodes.iter().enumerate().filter(|(at, _)| !inside[*at]) {
        let mut steps: Vec<Step> = Vec::new();
        for step in &node.steps {
            match step.target {
                Some(target) if inside[target] => {
                    for step in through(nodes, inside, step, target)? {
                        given_up.extend(step.target.filter(|&target| inside[target]));
                        if !steps.contains(&step) {
                            steps.push(step);
                        }
                    }
                }
                _ => steps.push(step.clone()),
            }
        }
        changed.push((at, steps));
    }
    let mut open: Vec<usize> = given_up.iter().copied().collect();
    while let Some(at) = open.pop() {
        let targets = nodes[at].steps.iter().filter_map(|step| step.target);
        open.extend(targets.filter(|&target| inside[target] && given_up.insert(target)));
    }
    for (at, node) in nodes.iter_mut().enumerate() {
        if inside[at] && !given_up.contains(&at) {
            node.steps.clear();
            node.checks.clear();
        }
    }
    for (at, steps) in changed {
        nodes[at].steps = steps;
    }
    Ok(())
}

/// The steps that stand for all paths through a section that begin with a step; `first` is its target.
fn through(
    nodes: &[Node<'_>],
    inside: &[bool],
    step: &Step,
    first: usize,
) -> Result<Vec<Step>, String> {
    let give_up = |last: &Option<(usize, Effect)>| match last {
        None => step.clone(),
        Some((at, effect)) => Step {
            act: effect.update(),
            target: Some(*at),
        },
    };
    let mut open: Vec<Path> = match Effect::default().then(&step.act) {
        Then::Never => Vec::new(),
        Then::Other => return Ok(vec![step.clone()]),
        Then::Effect(effect) => vec![(first, effect, None)],
    };
    let mut followed: BTreeSet<Path> = BTreeSet::new();
    let mut found = Vec::new();
    while let Some((at, effect, last)) = open.pop() {
        if followed.len() > MAX_FOLLOWED {
            return Err("an atomic section has too many paths".to_owned());
        }
        if !followed.insert((at, effect.clone(), last.clone())) {
            continue;
        }
        let last = match effect.is_update() {
            true => Some((at, effect.clone())),
            false => last,
        };
        if !nodes[at].checks.is_empty() {
            found.push(give_up(&last));
            continue;
        }
        for step in &nodes[at].steps {
            match (effect.then(&step.act), step.target) {
                (Then::Never, _) => {}
                (Then::Effect(effect), Some(target)) if inside[target] => {
                    open.push((target, effect, last.clone()));
                }
                (Then::Effect(effect), target) if effect.is_update() => found.push(Step {
                    act: effect.update(),
                    target,
                }),
                (Then::Effect(_) | Then::Other, _) => found.push(give_up(&last)),
            }
        }
    }
    Ok(found)
}
