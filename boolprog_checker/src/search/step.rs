//! Executes one edge of one thread.
//!
//! In three-valued logic an assignment evaluates its values in Kleene's logic (see `choice` for
//! `schoose`, section 4.1 of Dan et al., SAS 2013); conditions are learned from. The same code serves the exact
//! search, where every variable is known and whatever becomes unknown is split at once.

use super::choice;
use super::config::{Config, StateBit, Window};
use super::fired::Fired;
use super::propagate::{self, Conflict};
use super::split::{self, Context, Splitting};
use crate::machine::code::Tri;
use crate::machine::{Action, Assertion, Assignment, Constrain, Edge, LocId, Start};
use crate::outcome::{AssertId, Limit};

/// What came out of executing edges.
#[derive(Default)]
pub(crate) struct Effects {
    /// The states after the edge.
    pub successors: Vec<Config>,
    /// The states in which an assertion fails.
    pub failures: Vec<(AssertId, Config)>,
    /// Whether a thread could not be started because of the limit.
    pub thread_limit: bool,
    /// What fired, if it is recorded.
    pub fired: Option<Fired>,
    /// How many states the caller holds besides these.
    pub held: usize,
}

/// Most states that are held while a state is expanded, at some 300 bytes each. [`Splitting::Eager`] has to hold a
/// state for every value of what a step leaves unknown; for it there is only the limit on states.
const MAX_HELD: usize = 1 << 20;

impl Effects {
    fn succeed(&mut self, context: Context<'_>, state: Config) {
        if self.has_room(context) {
            self.successors.push(state);
        }
    }

    fn fail(&mut self, context: Context<'_>, assert: AssertId, state: Config) {
        if self.has_room(context) {
            self.failures.push((assert, state));
        }
    }

    /// Whether one more state can be held; if not, the search stops. Nothing is added to what there is when
    /// it stops, so this is the beginning of what there would be without limits.
    fn has_room(&self, context: Context<'_>) -> bool {
        let held = self.held + self.successors.len() + self.failures.len();
        if held >= MAX_HELD && context.splitting != Splitting::Eager {
            context.budget.stop(Limit::States);
        }
        context.budget.stopped().is_none()
    }
}

/// Executes the edge of the thread in `slot` from the state, split as the search splits.
pub(crate) fn execute(
    context: Context<'_>,
    config: &Config,
    slot: usize,
    edge: &Edge,
    effects: &mut Effects,
) {
    let window = config.window(context.machine, slot);
    if let Some(fired) = &mut effects.fired {
        fired.record(context.machine, config, window, edge);
    }
    if let Action::Assume(condition) = &edge.action
        && propagate::is_refuted(config, window, condition)
    {
        return;
    }
    if context.splitting != Splitting::All {
        return apply(context, config.clone(), slot, edge, effects);
    }
    for config in split::prepare(context, config.clone(), slot, edge) {
        apply(context, config, slot, edge, effects);
    }
}

/// Executes the edge from a state that has been split already.
pub(crate) fn apply(
    context: Context<'_>,
    config: Config,
    slot: usize,
    edge: &Edge,
    effects: &mut Effects,
) {
    let window = config.window(context.machine, slot);
    let mut out = Arrivals {
        context,
        slot,
        target: edge.target,
    };
    match &edge.action {
        Action::NoOp => out.unchanged(config, effects),
        Action::Assume(condition) => {
            split::assume(context, config, window, condition, |config| {
                out.unchanged(config, effects)
            });
        }
        Action::Assert(assertion) => check(context, config, window, assertion, effects, &mut out),
        Action::Assign(assignment) => {
            assign(context, config, window, assignment, |written| {
                out.written(written, effects)
            });
        }
        Action::Start(start) => {
            if let Some(config) = start_thread(context, config, slot, start, effects) {
                out.unchanged(config, effects);
            }
        }
    }
}

/// Where the states after an action go.
struct Arrivals<'a> {
    context: Context<'a>,
    slot: usize,
    target: LocId,
}

impl Arrivals<'_> {
    fn unchanged(&mut self, config: Config, effects: &mut Effects) {
        self.written(
            Written {
                config,
                changed: Vec::new(),
            },
            effects,
        );
    }

    fn written(&mut self, written: Written, effects: &mut Effects) {
        if let Ok(config) = arrive(self.context, written, self.slot, self.target) {
            finish(self.context, config, |state| {
                effects.succeed(self.context, state);
            });
        }
    }
}

/// A state with new values that no `enforce` has been asked about yet.
struct Written {
    config: Config,
    changed: Vec<StateBit>,
}

/// Reports the failures of an assertion and goes on where it holds.
fn check(
    context: Context<'_>,
    config: Config,
    window: Window,
    assertion: &Assertion,
    effects: &mut Effects,
    out: &mut Arrivals<'_>,
) {
    if assertion.holds.eval(&config.view(window)) == Some(true) {
        return out.unchanged(config, effects);
    }
    split::assume(
        context,
        config.clone(),
        window,
        &assertion.fails,
        |failing| {
            effects.fail(context, assertion.id, failing);
        },
    );
    split::assume(context, config, window, &assertion.holds, |config| {
        out.unchanged(config, effects)
    });
}

fn assign(
    context: Context<'_>,
    mut config: Config,
    window: Window,
    assignment: &Assignment,
    mut emit: impl FnMut(Written),
) {
    let values: Vec<Tri> = assignment
        .writes
        .iter()
        .map(|write| choice::value(context.machine, &config, window, &write.value))
        .collect();
    match &assignment.constrain {
        Some(constrain) => constrained(
            context,
            config,
            window,
            constrain,
            &values,
            |mut config, values| {
                let changed = write_values(context, &mut config, window, assignment, &values);
                emit(Written { config, changed });
            },
        ),
        None => {
            let changed = write_values(context, &mut config, window, assignment, &values);
            emit(Written { config, changed });
        }
    }
}

/// Emits the states and next values that satisfy the condition of `constrain`.
fn constrained(
    context: Context<'_>,
    mut config: Config,
    window: Window,
    constrain: &Constrain,
    values: &[Tri],
    mut emit: impl FnMut(Config, Vec<Tri>),
) {
    let words = config.known.len();
    let places: Vec<_> = (constrain.first..)
        .take(values.len())
        .map(|bit| window.place(bit))
        .collect();
    config.extend(values.len());
    places
        .iter()
        .zip(values)
        .for_each(|(place, value)| config.set(*place, *value));
    split::assume(
        context,
        config,
        window,
        &constrain.condition,
        |mut config| {
            let values = places.iter().map(|place| config.get(*place)).collect();
            config.truncate(words);
            emit(config, values);
        },
    );
}

/// Writes the values; gives back the places whose values may have changed.
fn write_values(
    context: Context<'_>,
    config: &mut Config,
    window: Window,
    assignment: &Assignment,
    values: &[Tri],
) -> Vec<StateBit> {
    for bit in &assignment.forget {
        config.set(window.place(*bit), dormant(context));
    }
    for (write, value) in assignment.writes.iter().zip(values) {
        config.set(window.place(write.bit), *value);
    }
    assignment
        .writes
        .iter()
        .map(|write| window.place(write.bit))
        .collect()
}

/// The value of a variable that no step reads before it is written.
fn dormant(context: Context<'_>) -> Tri {
    matches!(context.splitting, Splitting::Eager | Splitting::All).then_some(false)
}

/// Starts a thread; nothing comes of it where the limit or an `enforce` forbids it.
fn start_thread(
    context: Context<'_>,
    mut config: Config,
    slot: usize,
    start: &Start,
    effects: &mut Effects,
) -> Option<Config> {
    let most = context
        .budget
        .max_threads()
        .saturating_add(context.machine.fixed_threads - 1);
    if start.repeated && config.live().count() >= most {
        effects.thread_limit = true;
        return None;
    }
    let view = config.view(config.window(context.machine, slot));
    let values: Vec<Tri> = start
        .arguments
        .iter()
        .map(|argument| argument.value.eval(&view))
        .collect();
    let new = begin(context, &mut config, start.entry);
    if start.copy {
        copy_locals(context, &mut config, slot, new);
    }
    let window = config.window(context.machine, new);
    for (argument, value) in start.arguments.iter().zip(values) {
        config.set(window.place(argument.bit), value);
    }
    propagate::settle_slot(context.machine, &mut config, new)
        .ok()
        .map(|()| config)
}

/// Adds a thread; its procedure's own locals are unknown, those of inlined calls are dormant.
fn begin(context: Context<'_>, config: &mut Config, entry: LocId) -> usize {
    let slot = config.start_thread(context.machine, entry);
    let image = context.machine.image_at(entry);
    let base = config.first_local(context.machine, slot);
    for local in image.own..image.locals.len() {
        config.set(base + local, dormant(context));
    }
    slot
}

fn copy_locals(context: Context<'_>, config: &mut Config, from: usize, to: usize) {
    let words = context.machine.image_at(config.control[from]).words();
    let (from, to) = (
        config.base(context.machine, from),
        config.base(context.machine, to),
    );
    config.known.copy_within(from..from + words, to);
    config.value.copy_within(from..from + words, to);
}

/// Moves the thread to the target. Only then are the new values settled: what holds in the text
/// that the thread has left says nothing about the values it left with.
fn arrive(
    context: Context<'_>,
    written: Written,
    slot: usize,
    target: LocId,
) -> Result<Config, Conflict> {
    let machine = context.machine;
    let Written {
        mut config,
        mut changed,
    } = written;
    let before = machine.enforce_at(config.control[slot]);
    if target == LocId::ENDED {
        config.end_thread(machine, slot);
        changed.retain(|bit| *bit < machine.globals.len());
    } else {
        config.control[slot] = target;
    }
    propagate::settle(machine, &mut config, &changed)?;
    if target != LocId::ENDED && machine.enforce_at(target) != before {
        propagate::settle_slot(machine, &mut config, slot)?;
    }
    if target != LocId::ENDED && matches!(context.splitting, Splitting::None | Splitting::Needed) {
        let forget = &machine.location(target).forget;
        forget
            .iter()
            .for_each(|bit| config.set(*bit as usize, None));
    }
    Ok(config)
}

/// Emits what a search keeps of a settled state.
fn finish(context: Context<'_>, config: Config, mut emit: impl FnMut(Config)) {
    match context.splitting {
        Splitting::Eager => split::complete(context, config).for_each(emit),
        Splitting::All if !split::is_possible(context, &config) => {}
        Splitting::None | Splitting::Needed | Splitting::All => emit(config),
    }
}

/// The states in which the program begins.
pub(crate) fn initial(context: Context<'_>) -> Vec<Config> {
    let mut states = Vec::new();
    for_each_initial(context, |state| states.push(state));
    states
}

/// Emits the states in which the program begins, one after the other: the exact search has one for
/// each combination of the uninitialised variables, and the budget may end before they do.
pub(crate) fn for_each_initial(context: Context<'_>, emit: impl FnMut(Config)) {
    let machine = context.machine;
    let mut config = Config::empty(machine);
    if machine.main != LocId::ENDED {
        begin(context, &mut config, machine.main);
        if propagate::settle_slot(machine, &mut config, 0).is_err() {
            return;
        }
    }
    finish(context, config, emit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Limits;
    use crate::parse;
    use crate::search::budget::Budget;

    /// The limit that is hit when there are `MAX_HELD` states and one more comes, and whether it is held.
    fn one_too_many(splitting: Splitting) -> (Option<Limit>, bool) {
        let program = parse("void main() begin skip; end").expect("it is a program");
        let limits = Limits::default();
        let context = Context {
            machine: program.machine(),
            budget: &Budget::new(&limits),
            splitting,
        };
        let mut effects = Effects {
            held: MAX_HELD,
            ..Effects::default()
        };
        effects.succeed(context, Config::gone());
        (context.budget.stopped(), effects.successors.len() == 1)
    }

    #[test]
    fn only_the_exact_search_holds_any_number_of_states() {
        for splitting in [Splitting::None, Splitting::Needed, Splitting::All] {
            assert_eq!(one_too_many(splitting), (Some(Limit::States), false));
        }
        assert_eq!(one_too_many(Splitting::Eager), (None, true));
    }
}
