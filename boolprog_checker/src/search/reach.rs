//! The states that the three-valued search reaches, for callers that use them elsewhere.
//!
//! Input: a program and options. Output: [`AbstractState`]s, either all of them as they come, or a set
//! that is *inductive*: it stands for the initial states, and whatever a step makes of a state that one
//! of its members stands for, another one stands for. A covered state adds nothing to such a set.

use rustc_hash::FxHashSet;

use super::budget::Budget;
use super::config::Config;
use super::expand::{Expansion, expand};
use super::explore::{Cover, Exploration, Strategy, explore};
use super::judge::splitting;
use super::split::Context;
use crate::machine::Machine;
use crate::machine::fuse::fuse_some;
use crate::options::Options;
use crate::outcome::{AbstractState, Limit, ThreadPosition};
use crate::program::Program;
use crate::syntax::ast::{StmtId, StmtKind};

/// All states of the three-valued search without reductions.
pub(crate) fn reachable(program: &Program, options: &Options) -> Result<Vec<AbstractState>, Limit> {
    let machine = program.machine();
    let budget = Budget::new(&options.limits);
    let exploration = run(context(machine, &budget, options), Cover::Never)?;
    let states = configs(&exploration, |_| true);
    Ok(states.map(|config| describe(machine, &config)).collect())
}

/// An inductive set of states: those outside atomic sections, and those inside whose thread is about
/// to execute a statement that `inside` names. Only `goto`s are fused, and covered states are left out.
pub(crate) fn inductive(
    program: &Program,
    options: &Options,
    inside: impl Fn(StmtId) -> bool,
) -> Result<Vec<AbstractState>, Limit> {
    let is_goto = |stmt| matches!(program.stmt(stmt).kind, StmtKind::Goto(_));
    let machine = &fuse_some(program.machine(), is_goto);
    let budget = Budget::new(&options.limits);
    let context = context(machine, &budget, options);
    let exploration = run(context, Cover::Any)?;
    let store = &exploration.store;
    let kept = || {
        configs(&exploration, |index| {
            store.id(index).is_some_and(|id| !store.is_covered(id))
        })
    };
    let mut states: Vec<AbstractState> = kept().map(|config| describe(machine, &config)).collect();
    if stops_inside(machine, &inside) {
        let wanted = |config: &Config, slot: usize| {
            let next = machine.location(config.control[slot]).stmt;
            next.is_some_and(&inside)
        };
        let found = held(context, kept(), wanted)?;
        states.extend(found.iter().map(|config| describe(machine, config)));
    }
    Ok(states)
}

fn context<'a>(machine: &'a Machine, budget: &'a Budget<'a>, options: &Options) -> Context<'a> {
    Context {
        machine,
        budget,
        splitting: splitting(options.split),
    }
}

fn run(context: Context<'_>, cover: Cover) -> Result<Exploration, Limit> {
    let strategy = Strategy {
        cover,
        reduce: false,
        join: false,
        record_fired: false,
    };
    let exploration = explore(context, strategy, &[]);
    match exploration.limit {
        Some(limit) => Err(limit),
        None => Ok(exploration),
    }
}

fn configs(
    exploration: &Exploration,
    wanted: impl Fn(usize) -> bool,
) -> impl Iterator<Item = Config> {
    let store = &exploration.store;
    let indices = (0..store.len()).filter(move |index| wanted(*index));
    indices
        .filter_map(|index| store.id(index))
        .map(|id| store.config(id))
}

/// Whether an atomic section has a statement that `inside` names.
fn stops_inside(machine: &Machine, inside: impl Fn(StmtId) -> bool) -> bool {
    let mut sections = machine.locations.iter().filter(|location| location.atomic);
    sections.any(|location| location.stmt.is_some_and(&inside))
}

/// The wanted states inside the atomic sections that these states lead into.
fn held(
    context: Context<'_>,
    states: impl Iterator<Item = Config>,
    wanted: impl Fn(&Config, usize) -> bool,
) -> Result<Vec<Config>, Limit> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut expansion = Expansion::default();
    for config in states {
        expand(context, &config, false, &mut expansion);
        let finals: FxHashSet<usize> = expansion.finals.drain(..).collect();
        let inner = expansion.nodes.drain(..).enumerate();
        let inner = inner.filter(|(place, _)| !finals.contains(place));
        for (_, node) in inner.filter(|(_, node)| wanted(&node.config, node.step.slot)) {
            if seen.insert(node.config.clone()) {
                found.push(node.config);
            }
        }
        if !context.budget.allows(seen.len())
            && let Some(limit) = context.budget.stopped()
        {
            return Err(limit);
        }
    }
    Ok(found)
}

pub(super) fn describe(machine: &Machine, config: &Config) -> AbstractState {
    let thread = |slot: usize| {
        let base = config.first_local(machine, slot);
        let names = machine
            .image_at(config.control[slot])
            .locals
            .iter()
            .enumerate();
        ThreadPosition {
            slot,
            next: machine.location(config.control[slot]).stmt,
            locals: names
                .map(|(i, name)| (name.clone(), config.get(base + i)))
                .collect(),
        }
    };
    let globals = (0..machine.globals.len())
        .map(|bit| config.get(bit))
        .collect();
    AbstractState {
        threads: config.live().map(thread).collect(),
        globals,
        holder: config
            .live()
            .find(|slot| machine.location(config.control[*slot]).atomic),
    }
}
