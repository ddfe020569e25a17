//! A naive explorer: a set of plain states, a list for each depth, the interpreter of `replay`.

use std::collections::BTreeSet;

use crate::engine::explore::{Exploration, ExploreConfig, Limit};
use crate::memory::Model;
use crate::program::{Action, Init, LocId, Program, PropertyId, PropertyKind, ThreadId};
use crate::semantics::interpreter::{Consequence, Interpreter, PlainState};
use crate::semantics::{Move, MoveKind, Taken};

/// What the naive explorer finds.
#[derive(Default)]
struct Naive {
    states: BTreeSet<PlainState>,
    outcomes: BTreeSet<Vec<i64>>,
    /// Violations of users' properties with the number of steps.
    broken: Vec<(usize, PropertyId)>,
    overflows: bool,
    full_buffer: bool,
    arbitrary: bool,
}

/// Compares an exploration of everything with what the naive explorer finds.
#[track_caller]
pub(super) fn compare(
    program: &Program,
    model: Model,
    config: &ExploreConfig,
    exploration: &Exploration,
) {
    let has = |limit| exploration.limits.contains(&limit);
    if has(Limit::States) || has(Limit::Timeout) || has(Limit::Values) {
        return;
    }
    let naive = explore(program, model, config);
    let outcomes = exploration.outcomes.as_ref().expect("asked for");
    assert_eq!(outcomes.rows(), &naive.outcomes, "outcomes under {model}");
    assert_eq!(
        exploration.states,
        naive.states.len(),
        "states under {model}"
    );
    assert_eq!(has(Limit::Overflow), naive.overflows);
    assert_eq!(has(Limit::Buffer), naive.full_buffer);
    assert_eq!(has(Limit::Havoc), naive.arbitrary);
    let shortest = naive.broken.iter().map(|(steps, _)| *steps).min();
    assert_eq!(exploration.violation.is_some(), shortest.is_some());
    if let (Some(steps), Some(trace)) = (shortest, exploration.trace()) {
        assert_eq!(trace.steps.len(), steps, "the trace is a shortest one");
        let property = trace.property.expect("it is violated");
        assert!(naive.broken.contains(&(steps, property)));
    }
}

fn explore(program: &Program, model: Model, config: &ExploreConfig) -> Naive {
    let interpreter = Interpreter { program, model };
    let mut naive = Naive {
        arbitrary: program.vars.iter().any(|var| var.init == Init::Any),
        ..Naive::default()
    };
    let mut level = initial_states(&interpreter, config);
    for steps in 0.. {
        level.retain(|state| !naive.states.contains(state));
        for state in &level {
            naive.meet(&interpreter, steps, state);
        }
        let mut next = BTreeSet::new();
        for state in &level {
            for step in moves(program, config, state) {
                naive.arbitrary |= step
                    .path
                    .iter()
                    .any(|taken| is_havoc(program, &step, taken));
                match interpreter.run(state, &step) {
                    Consequence::State(state) if too_long(&state, config) => {
                        naive.full_buffer = true
                    }
                    Consequence::State(state) => drop(next.insert(state)),
                    Consequence::Broken(property) => {
                        naive.break_property(&interpreter, steps + 1, property);
                    }
                    Consequence::Impossible => {}
                }
            }
        }
        if level.is_empty() {
            break;
        }
        level = next;
    }
    naive
}

impl Naive {
    fn meet(&mut self, interpreter: &Interpreter<'_>, steps: usize, state: &PlainState) {
        self.states.insert(state.clone());
        if interpreter.is_final(state) {
            let values = state.memory.values();
            let values = values.map(|&value| i64::try_from(value).expect("small"));
            self.outcomes.insert(values.collect());
        }
        for property in interpreter.broken_specs(state) {
            self.break_property(interpreter, steps, property);
        }
    }

    fn break_property(
        &mut self,
        interpreter: &Interpreter<'_>,
        steps: usize,
        property: PropertyId,
    ) {
        if interpreter.program.property(property).kind == PropertyKind::Overflow {
            self.overflows = true;
        } else {
            self.broken.push((steps, property));
        }
    }
}

fn initial_states(interpreter: &Interpreter<'_>, config: &ExploreConfig) -> BTreeSet<PlainState> {
    let mut choices = vec![Vec::new()];
    for var in &interpreter.program.vars {
        let values: Vec<i64> = match var.init {
            Init::Value(value) => vec![value],
            Init::Range(range) => (range.ends().0..=range.ends().1).collect(),
            Init::Any => config.havoc.values().collect(),
        };
        let longer = |values_so_far: &Vec<i64>| {
            let choices = values
                .iter()
                .map(|&value| [&values_so_far[..], &[value]].concat());
            choices.collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(longer).collect();
    }
    let states = choices.iter().map(|values| interpreter.start(values));
    states.map(|state| state.expect("values fit")).collect()
}

fn too_long(state: &PlainState, config: &ExploreConfig) -> bool {
    state
        .buffers
        .values()
        .any(|buffer| buffer.len() > config.buffer)
}

/// Everything that could be a step; the interpreter says what is one.
fn moves(program: &Program, config: &ExploreConfig, state: &PlainState) -> Vec<Move> {
    let mut moves = Vec::new();
    for thread in program.thread_ids() {
        let mut push = |kind, path| moves.push(Move { thread, kind, path });
        for taken in choices(program, config, thread, state.at[thread.index()]) {
            push(MoveKind::Statement, vec![taken]);
        }
        for var in program.var_ids() {
            push(MoveKind::Flush(var), Vec::new());
        }
        let backgrounds = program.threads[thread.index()].backgrounds.iter();
        for (index, background) in backgrounds.enumerate() {
            for path in paths(program, config, thread, background.entry) {
                push(MoveKind::Background(index), path);
            }
        }
    }
    moves
}

/// The ways to leave a location.
fn choices(program: &Program, config: &ExploreConfig, thread: ThreadId, at: LocId) -> Vec<Taken> {
    let edges = program.threads[thread.index()].location(at).edges.iter();
    let choices = edges.enumerate().flat_map(|(edge, step)| {
        let values: Vec<Option<i64>> = match step.action {
            Action::Havoc(_) => config.havoc.values().map(Some).collect(),
            // Two values too many, which the interpreter must refuse.
            Action::Choose(_, range) => {
                let (low, high) = range.ends();
                (low.saturating_sub(1)..=high.saturating_add(1))
                    .map(Some)
                    .collect()
            }
            _ => vec![None],
        };
        values
            .into_iter()
            .map(move |value| Taken { at, edge, value })
    });
    choices.collect()
}

fn is_havoc(program: &Program, step: &Move, taken: &Taken) -> bool {
    let thread = &program.threads[step.thread.index()];
    let edge = &thread.location(taken.at).edges[taken.edge];
    matches!(edge.action, Action::Havoc(_))
}

/// All paths of a background block, and all their beginnings, since a statement may fail.
fn paths(
    program: &Program,
    config: &ExploreConfig,
    thread: ThreadId,
    at: LocId,
) -> Vec<Vec<Taken>> {
    let mut paths = Vec::new();
    for taken in choices(program, config, thread, at) {
        paths.push(vec![taken]);
        let target = program.threads[thread.index()].location(at).edges[taken.edge].target;
        for rest in paths_from(program, config, thread, target) {
            paths.push([&[taken][..], &rest].concat());
        }
    }
    paths
}

fn paths_from(
    program: &Program,
    config: &ExploreConfig,
    thread: ThreadId,
    at: LocId,
) -> Vec<Vec<Taken>> {
    match at == program.threads[thread.index()].end {
        true => Vec::new(),
        false => paths(program, config, thread, at),
    }
}
