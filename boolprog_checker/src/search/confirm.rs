//! Finds a real run along the steps of an abstract trace.
//!
//! The steps are executed with [`Splitting::All`], which is exact, on the set of all states they can
//! lead to. If the assertion still fails at the end, the states are made definite backwards: a
//! variable that was definite before a step keeps that value, and any other was not touched by the
//! step and has the value it has after it.

use rustc_hash::FxHashMap;

use super::config::Config;
use super::expand::StepRef;
use super::path::Path;
use super::split::{self, Context, Splitting};
use super::step::{self, Effects};
use crate::machine::{LocId, Machine};

/// Most states that are followed along a trace.
const MAX_STATES: usize = 1 << 14;

/// A state along the trace, before and after the step that led to it.
struct Stage {
    /// The state before the step, split as the step needed it; none at the beginning.
    before: Option<(usize, Config)>,
    config: Config,
}

/// A run that follows the steps of the path and has a value for every variable, if there is one.
pub(crate) fn confirm(context: Context<'_>, path: &Path) -> Option<Path> {
    let context = Context {
        splitting: Splitting::All,
        ..context
    };
    let start = step::initial(context).into_iter().map(|config| Stage {
        before: None,
        config,
    });
    let mut stages = vec![start.collect::<Vec<_>>()];
    let (last, init) = path.steps.split_last()?;
    for (step, _) in init {
        let next = advance(context, stages.last()?, *step, Effects::take_successors)?;
        stages.push(next);
    }
    let failing = advance(context, stages.last()?, last.0, Effects::take_failures)?;
    let end = failing.first()?;
    let mut complete = split::complete(context, end.config.clone());
    let end = Stage {
        before: end.before.clone(),
        config: complete.next()?,
    };
    Some(rebuild(context.machine, path, &stages, end))
}

/// Executes a step in all states; `None` if that leads nowhere or to too many states.
fn advance(
    context: Context<'_>,
    stage: &[Stage],
    step: StepRef,
    results: fn(&mut Effects) -> Vec<Config>,
) -> Option<Vec<Stage>> {
    let edge = step.edge(context.machine);
    let mut seen = FxHashMap::default();
    let mut next = Vec::new();
    for (index, stage) in stage.iter().enumerate() {
        for before in split::prepare(context, stage.config.clone(), step.slot, edge) {
            let mut effects = Effects::default();
            step::apply(context, before.clone(), step.slot, edge, &mut effects);
            for config in results(&mut effects) {
                if seen.insert(config.clone(), ()).is_none() {
                    next.push(Stage {
                        before: Some((index, before.clone())),
                        config,
                    });
                }
            }
            if next.len() > MAX_STATES || !context.budget.allows(next.len()) {
                return None;
            }
        }
    }
    (!next.is_empty()).then_some(next)
}

/// Follows the stages backwards from the failing state.
fn rebuild(machine: &Machine, path: &Path, stages: &[Vec<Stage>], end: Stage) -> Path {
    let mut after = end.config;
    let mut before = end.before;
    let mut steps = Vec::new();
    for ((step, _), stage) in path.steps.iter().zip(stages).rev() {
        let (index, partial) = before.expect("every step has a state before it");
        let definite = fill(machine, partial, &after);
        steps.push((*step, std::mem::replace(&mut after, definite)));
        before = stage[index].before.clone();
    }
    steps.reverse();
    Path {
        initial: after,
        steps,
        length: path.length,
    }
}

/// The state with its unknown variables taken from the state after the step; variables that are
/// gone by then are false.
fn fill(machine: &Machine, mut config: Config, after: &Config) -> Config {
    let globals = (0..machine.globals.len()).map(|bit| (bit, after.get(bit)));
    let mut values: Vec<_> = globals.collect();
    for slot in config.live() {
        let base = config.first_local(machine, slot);
        let stays = after
            .control
            .get(slot)
            .is_some_and(|loc| *loc != LocId::ENDED);
        let later = stays.then(|| after.first_local(machine, slot));
        let locals = machine.image_at(config.control[slot]).locals.len();
        values.extend((0..locals).map(|i| {
            (
                base + i,
                later.map_or(Some(false), |later| after.get(later + i)),
            )
        }));
    }
    for (bit, value) in values {
        if config.get(bit).is_none() {
            config.set(bit, value);
        }
    }
    config
}

impl Effects {
    fn take_successors(&mut self) -> Vec<Config> {
        std::mem::take(&mut self.successors)
    }

    fn take_failures(&mut self) -> Vec<Config> {
        std::mem::take(&mut self.failures)
            .into_iter()
            .map(|(_, config)| config)
            .collect()
    }
}
