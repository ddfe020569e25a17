//! Partial concretisation: making unknown variables definite, one copy of the state for each value.
//!
//! Section 6.1 of Dan et al. (SAS 2013) names it for assume conditions. How much is split is the
//! [`Splitting`] of a search:
//!
//! * `None`: nothing.
//! * `Needed`: variables of a condition, one after the other, until the condition is definite.
//! * `All`: also, before a step, all variables that the step reads, and those connected through
//!   `enforce` with what it reads or writes. Then the image of the state under the step is exact:
//!   what is definite is computed definitely, and everything else is independent of the step. A
//!   step that leaves the text of an `enforce` counts as reading the variables of that `enforce`.
//!   Propagation can miss that the `enforce`s contradict each other, so a state is kept only if
//!   some completion satisfies them.
//! * `Eager`: every variable of every state; the search is two-valued.

use super::budget::Budget;
use super::config::{Config, StateBit, Window};
use super::propagate::{self, Conflict};
use crate::machine::condition::Condition;
use crate::machine::{Action, Edge, Machine, Start};

/// How much a search splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Splitting {
    None,
    Needed,
    All,
    Eager,
}

/// Emits the consistent states in which the condition holds, or can hold where unknowns are not
/// split.
pub(crate) fn assume(
    context: Context<'_>,
    mut config: Config,
    window: Window,
    condition: &Condition,
    mut emit: impl FnMut(Config),
) {
    let learn = |config: &mut Config| propagate::assume(context.machine, config, window, condition);
    if learn(&mut config).is_err() {
        return;
    }
    if context.splitting == Splitting::None {
        return emit(config);
    }
    let undecided = |config: &Config| match condition.eval(&config.view(window)) {
        Some(_) => None,
        None => {
            let mut places = condition.bits.iter().map(|bit| window.place(*bit));
            places.find(|bit| config.get(*bit).is_none())
        }
    };
    let settle = |config: &mut Config, bit: StateBit| {
        propagate::settle(context.machine, config, &[bit])?;
        learn(config)
    };
    Parts {
        budget: context.budget,
        work: vec![config],
        given: 0,
        undecided,
        settle,
    }
    .for_each(emit);
}

/// The completions of a state that all active `enforce`s allow.
pub(crate) fn complete(context: Context<'_>, config: Config) -> impl Iterator<Item = Config> {
    let places = config.places(context.machine);
    concretise(context, config, places)
}

/// Whether some completion of the state satisfies all active `enforce`s.
pub(crate) fn is_possible(context: Context<'_>, config: &Config) -> bool {
    let enforced = |slot| propagate::enforced(context.machine, config, slot);
    let places: Vec<_> = config.live().flat_map(enforced).collect();
    let known = places.iter().all(|bit| config.get(*bit).is_some());
    known
        || concretise(context, config.clone(), places).next().is_some()
        || context.budget.stopped().is_some()
}

/// The states to execute a step in with [`Splitting::All`], as long as the budget lasts.
pub(crate) fn prepare(
    context: Context<'_>,
    config: Config,
    slot: usize,
    edge: &Edge,
) -> impl Iterator<Item = Config> {
    let places = touched(context.machine, &config, slot, edge);
    concretise(context, config, places)
}

/// The parts of a state in which all the places are known.
fn concretise(
    context: Context<'_>,
    config: Config,
    places: Vec<StateBit>,
) -> impl Iterator<Item = Config> {
    let undecided = move |config: &Config| {
        places
            .iter()
            .copied()
            .find(|bit| config.get(*bit).is_none())
    };
    let settle = move |config: &mut Config, bit| propagate::settle(context.machine, config, &[bit]);
    Parts {
        budget: context.budget,
        work: vec![config],
        given: 0,
        undecided,
        settle,
    }
}

/// What all steps of a search need to know.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub machine: &'a Machine,
    pub budget: &'a Budget<'a>,
    pub splitting: Splitting,
}

/// The parts that a state is split into, one after the other: variables are split until `undecided`
/// names none; `settle` draws the conclusions of a split.
struct Parts<'a, U, S> {
    budget: &'a Budget<'a>,
    work: Vec<Config>,
    /// How many parts there have been.
    given: usize,
    undecided: U,
    settle: S,
}

impl<U, S> Iterator for Parts<'_, U, S>
where
    U: Fn(&Config) -> Option<StateBit>,
    S: Fn(&mut Config, StateBit) -> Result<(), Conflict>,
{
    type Item = Config;

    fn next(&mut self) -> Option<Config> {
        while let Some(config) = self.work.pop() {
            let Some(bit) = (self.undecided)(&config) else {
                self.given += 1;
                return Some(config);
            };
            for value in [false, true] {
                let mut part = config.clone();
                part.set(bit, Some(value));
                if (self.settle)(&mut part, bit).is_ok() {
                    self.work.push(part);
                }
            }
            if !self.budget.allows(self.given + self.work.len()) {
                return None;
            }
        }
        None
    }
}

/// The variables that must be definite for the step to be exact.
fn touched(machine: &Machine, config: &Config, slot: usize, edge: &Edge) -> Vec<StateBit> {
    let window = config.window(machine, slot);
    let undecided = |condition: &Condition| condition.eval(&config.view(window)).is_none();
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    match &edge.action {
        Action::NoOp => {}
        Action::Assume(condition) if undecided(condition) => reads.extend(&condition.bits),
        Action::Assert(assertion) if undecided(&assertion.holds) => {
            reads.extend(&assertion.holds.bits)
        }
        Action::Assume(_) | Action::Assert(_) => {}
        Action::Assign(assignment) => {
            reads.extend(assignment.reads());
            writes.extend(assignment.writes.iter().map(|write| write.bit));
        }
        Action::Start(start) => reads.extend(start_reads(machine, config, slot, start)),
    }
    let places = |bits: Vec<_>| {
        bits.into_iter()
            .map(|bit| window.place(bit))
            .collect::<Vec<_>>()
    };
    let mut reads = places(reads);
    if machine.enforce_at(config.control[slot]) != machine.enforce_at(edge.target) {
        reads.extend(propagate::enforced(machine, config, slot));
    }
    propagate::closure(machine, config, reads, &places(writes))
}

fn start_reads(machine: &Machine, config: &Config, slot: usize, start: &Start) -> Vec<u32> {
    let mut bits = Vec::new();
    start
        .arguments
        .iter()
        .for_each(|argument| argument.value.collect_bits(&mut bits));
    if start.copy {
        let first = machine.first_local();
        let locals = machine.image_at(config.control[slot]).locals.len() as u32;
        bits.extend(first..first + locals);
    }
    bits
}
