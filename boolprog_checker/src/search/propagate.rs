//! Unit propagation: what conditions and `enforce` clauses teach about unknown variables.
//!
//! Every state of a search is *settled*: no clause of an active `enforce` has a single unknown
//! literal left or is false. An `enforce` is active while some thread stands in its procedure's
//! text; its clauses are read in that thread's frame. Propagation is confluent, so the order in
//! which clauses are looked at does not matter.

use super::config::{Config, StateBit, Window};
use crate::machine::condition::{ClauseState, Condition, clause_state};
use crate::machine::{Enforce, Machine};

/// The state cannot be: a clause is false.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict;

/// Learns from a condition, and from all active `enforce`s, until nothing new comes.
pub(crate) fn assume(
    machine: &Machine,
    config: &mut Config,
    window: Window,
    condition: &Condition,
) -> Result<(), Conflict> {
    while learn(machine, config, window, condition)? {}
    refute(config, window, condition)
}

/// One round of learning from a condition and what `enforce`s say to it; whether anything was learned.
pub(crate) fn learn(
    machine: &Machine,
    config: &mut Config,
    window: Window,
    condition: &Condition,
) -> Result<bool, Conflict> {
    let learned = units(config, window, condition)?;
    if !learned.is_empty() {
        settle(machine, config, &learned)?;
    }
    Ok(!learned.is_empty())
}

/// Whether a clause of the condition is false already, so that assuming it comes to nothing.
pub(crate) fn is_refuted(config: &Config, window: Window, condition: &Condition) -> bool {
    let view = config.view(window);
    let mut clauses = condition.clauses.iter();
    clauses.any(|clause| matches!(clause_state(clause, &view), ClauseState::Conflict))
}

/// One round over the clauses of a condition; gives back what was learned.
fn units(
    config: &mut Config,
    window: Window,
    condition: &Condition,
) -> Result<Vec<StateBit>, Conflict> {
    let mut learned = Vec::new();
    for clause in &condition.clauses {
        match clause_state(clause, &config.view(window)) {
            ClauseState::Open => {}
            ClauseState::Conflict => return Err(Conflict),
            ClauseState::Unit(literal) => {
                let bit = window.place(literal.bit);
                config.set(bit, Some(literal.positive));
                learned.push(bit);
            }
        }
    }
    Ok(learned)
}

/// Evaluates what the clauses leave out.
fn refute(config: &Config, window: Window, condition: &Condition) -> Result<(), Conflict> {
    let false_now = !condition.complete && condition.eval(&config.view(window)) == Some(false);
    if false_now { Err(Conflict) } else { Ok(()) }
}

/// Settles a state in which the variables at `changed` have new values.
pub(crate) fn settle(
    machine: &Machine,
    config: &mut Config,
    changed: &[StateBit],
) -> Result<(), Conflict> {
    if machine.enforces.is_empty() {
        return Ok(());
    }
    let active = active(machine, config);
    let mut work = changed.to_vec();
    while let Some(bit) = work.pop() {
        for (enforce, window) in active.iter() {
            touch(config, enforce, *window, bit, &mut work)?;
        }
    }
    active
        .iter()
        .try_for_each(|(enforce, window)| refute(config, *window, &enforce.condition))
}

/// Settles a state in which the `enforce` of a slot has just become active.
pub(crate) fn settle_slot(
    machine: &Machine,
    config: &mut Config,
    slot: usize,
) -> Result<(), Conflict> {
    match machine.enforce_at(config.control[slot]) {
        Some(id) => {
            let window = config.window(machine, slot);
            assume(machine, config, window, &machine.enforce(id).condition)
        }
        None => Ok(()),
    }
}

/// The active `enforce`s. Nearly always there is at most one, so the first needs no allocation.
#[derive(Default)]
struct Active<'m> {
    first: Option<(&'m Enforce, Window)>,
    rest: Vec<(&'m Enforce, Window)>,
}

impl<'m> Active<'m> {
    fn iter(&self) -> impl Iterator<Item = &(&'m Enforce, Window)> {
        self.first.iter().chain(&self.rest)
    }
}

/// The active `enforce`s; one that reads globals only is listed once.
fn active<'m>(machine: &'m Machine, config: &Config) -> Active<'m> {
    let mut active = Active::default();
    for slot in config.live() {
        let Some(id) = machine.enforce_at(config.control[slot]) else {
            continue;
        };
        let enforce = machine.enforce(id);
        let listed = |(other, _): &(&Enforce, Window)| std::ptr::eq(*other, enforce);
        if enforce.global && active.iter().any(listed) {
            continue;
        }
        let here = (enforce, config.window(machine, slot));
        match active.first {
            None => active.first = Some(here),
            Some(_) => active.rest.push(here),
        }
    }
    active
}

/// Looks at the clauses of an `enforce` that read the place `bit`.
fn touch(
    config: &mut Config,
    enforce: &Enforce,
    window: Window,
    bit: StateBit,
    work: &mut Vec<StateBit>,
) -> Result<(), Conflict> {
    let Some(frame_bit) = window.frame_bit(bit) else {
        return Ok(());
    };
    let Some(clauses) = enforce.clauses_of.get(&frame_bit) else {
        return Ok(());
    };
    for clause in clauses {
        match clause_state(
            &enforce.condition.clauses[*clause as usize],
            &config.view(window),
        ) {
            ClauseState::Open => {}
            ClauseState::Conflict => return Err(Conflict),
            ClauseState::Unit(literal) => {
                let bit = window.place(literal.bit);
                config.set(bit, Some(literal.positive));
                work.push(bit);
            }
        }
    }
    Ok(())
}

/// `reads`, and all variables that active `enforce`s connect with `reads` or `writes`.
pub(crate) fn closure(
    machine: &Machine,
    config: &Config,
    mut reads: Vec<StateBit>,
    writes: &[StateBit],
) -> Vec<StateBit> {
    let active = active(machine, config);
    let groups = active.iter().flat_map(|(enforce, window)| {
        let places = |group: &Vec<_>| group.iter().map(|bit| window.place(*bit)).collect();
        enforce.condition.groups.iter().map(places)
    });
    let mut groups: Vec<Vec<StateBit>> = groups.collect();
    loop {
        let before = groups.len();
        groups.retain(|group| {
            let connected = group
                .iter()
                .any(|bit| reads.contains(bit) || writes.contains(bit));
            if connected {
                reads.extend(group);
            }
            !connected
        });
        if groups.len() == before {
            break;
        }
    }
    reads.sort_unstable();
    reads.dedup();
    reads
}

/// The variables of the `enforce` that holds at a slot's location.
pub(crate) fn enforced(machine: &Machine, config: &Config, slot: usize) -> Vec<StateBit> {
    let id = machine.enforce_at(config.control[slot]);
    let window = config.window(machine, slot);
    let bits = id.map_or(&[][..], |id| machine.enforce(id).condition.bits.as_slice());
    bits.iter().map(|bit| window.place(*bit)).collect()
}
