//! Traces that are wrong are rejected.
//!
//! Executions that break a property, of examples and of random programs, of the programs as written and of
//! their reductions, are changed in every way that one change can: a move is dropped, doubled, swapped or
//! altered, or the start, the property or the model. The interpreter must accept a changed trace if and only if
//! `steps`, which knows the semantics apart from it, says that it is still an execution that breaks its property.

use std::collections::BTreeMap;

use cupola::engine::Context;
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::front::cup;
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program::{LocId, Program, PropertyId, ThreadId, lower};
use cupola::reduce::{Flush, ReduceConfig, reduce};
use cupola::semantics::interpreter::replay;
use cupola::semantics::{Move, MoveKind, Step, Taken, Trace};
use cupola::source::SourceFile;

use crate::support::examples;
use crate::support::random::{program, with_property};
use crate::support::steps::is_execution;

/// Random programs that are tried.
const PROGRAMS: u64 = 150;

/// States that are searched for an execution to change.
const STATES: usize = 3_000;

/// A background block in which an assertion fails, with more statements behind it.
const FAILING_BLOCK: &str = "shared x; thread P { local n, v;
    background { assume(n == 0); v = *; x = v; assert(x != 1, \"one\"); n = 1; } skip; }";

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Dropped,
    Doubled,
    Swapped,
    Thread,
    Kind,
    Flushed,
    Value,
    Edge,
    Location,
    Path,
    Initial,
    Property,
    Model,
}

impl Change {
    const ALL: [Change; 13] = [
        Change::Dropped,
        Change::Doubled,
        Change::Swapped,
        Change::Thread,
        Change::Kind,
        Change::Flushed,
        Change::Value,
        Change::Edge,
        Change::Location,
        Change::Path,
        Change::Initial,
        Change::Property,
        Change::Model,
    ];
}

/// How many changed traces there were.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    tried: usize,
    rejected: usize,
}

#[derive(Debug, Default)]
struct Counts {
    traces: BTreeMap<Model, usize>,
    with_background: usize,
    changes: BTreeMap<Change, Count>,
}

#[test]
fn changed_traces_of_examples_are_rejected() {
    let mut counts = Counts::default();
    for example in examples::all() {
        let file = SourceFile::new(example.name.clone(), example.text.clone());
        let checked = cup::load(&file).expect("examples are correct");
        counts.add_program(&file, &checked);
    }
    let file = SourceFile::new("background.cup", FAILING_BLOCK);
    counts.add_program(&file, &cup::load(&file).expect("it is correct"));
    counts.assert_least(40, 10_000);
}

#[test]
fn changed_traces_of_random_programs_are_rejected() {
    let mut counts = Counts::default();
    for seed in 0..PROGRAMS {
        let tree = with_property(&program(seed), seed, |_| true);
        let file = SourceFile::new("random.cup", cup::print(&tree));
        let checked = cup::load(&file).expect("random programs are correct");
        counts.add_program(&file, &checked);
    }
    counts.assert_least(250, 30_000);
}

impl Counts {
    /// Changes what breaks a program under each model, and what breaks its reductions.
    fn add_program(&mut self, file: &SourceFile, checked: &Checked) {
        for model in Model::ALL {
            let fences = Placement::None.in_force(checked, model).expect("none");
            let source = lower(checked, &fences);
            if let Some(trace) = violation(&source, model) {
                self.add(&source, &trace);
            }
            let config = ReduceConfig {
                model,
                sizes: crate::support::entries(2),
                fences,
                flush: Flush::Background,
            };
            let reduced = reduce(file, checked, &config).ok();
            let reduced = reduced.map(|reduction| reduction.program);
            if let Some(reduced) = reduced.filter(Program::has_background)
                && let Some(trace) = violation(&reduced, Model::Sc)
            {
                self.with_background += 1;
                self.add(&reduced, &trace);
            }
        }
    }

    /// Changes a trace in every way.
    fn add(&mut self, program: &Program, trace: &Trace) {
        let model = trace.model;
        assert_eq!(replay(program, model, trace), Ok(()));
        assert!(is_execution(program, model, trace));
        *self.traces.entry(model).or_default() += 1;
        for change in Change::ALL {
            for changed in changed(program, trace, change) {
                let accepted = replay(program, model, &changed).is_ok();
                let right = is_execution(program, model, &changed);
                assert_eq!(
                    accepted, right,
                    "{change:?} under {model}: {changed:#?}\n{program}"
                );
                let count = self.changes.entry(change).or_default();
                count.tried += 1;
                count.rejected += usize::from(!accepted);
            }
        }
    }

    /// Asserts that there was enough to change: traces under every model and with background blocks, changes
    /// of every kind; that nine in ten changed traces are wrong; and that some are right.
    #[track_caller]
    fn assert_least(&self, traces: usize, changes: usize) {
        let of_model = |model: &Model| self.traces.get(model).copied().unwrap_or(0);
        let counted: usize = Model::ALL.iter().map(of_model).sum();
        assert!(counted >= traces, "{counted} traces: {self:#?}");
        let each = traces / 8;
        assert!(Model::ALL.iter().all(|model| of_model(model) >= each));
        assert!(self.with_background >= each, "{self:#?}");
        let mut total = Count::default();
        for change in Change::ALL {
            let Count { tried, rejected } = self.changes[&change];
            assert!(tried >= traces, "{change:?}: {self:#?}");
            assert!(100 * rejected >= 75 * tried, "{change:?}: {self:#?}");
            total.tried += tried;
            total.rejected += rejected;
        }
        assert!(total.tried >= changes, "{total:?}");
        assert!(10 * total.rejected >= 9 * total.tried, "{total:?}");
        assert!(total.rejected < total.tried, "{total:?}");
    }
}

/// An execution that breaks a property, if a short search finds one.
fn violation(program: &Program, model: Model) -> Option<Trace> {
    let config = ExploreConfig {
        max_states: STATES,
        ..ExploreConfig::default()
    };
    let found = explore(program, model, &config, &Context::default()).ok()?;
    Some(found.violation?.trace().clone())
}

/// All traces that one change makes of a trace.
fn changed(program: &Program, trace: &Trace, change: Change) -> Vec<Trace> {
    match change {
        Change::Dropped => at_each_step(trace, |steps, at| drop(steps.remove(at))),
        Change::Doubled => at_each_step(trace, |steps, at| steps.insert(at, steps[at].clone())),
        Change::Swapped => swapped(trace),
        Change::Initial => initials(trace),
        Change::Property => properties(program, trace),
        Change::Model => {
            let others = Model::ALL.into_iter().filter(|&model| model != trace.model);
            others
                .map(|model| Trace {
                    model,
                    ..trace.clone()
                })
                .collect()
        }
        Change::Thread
        | Change::Kind
        | Change::Flushed
        | Change::Value
        | Change::Edge
        | Change::Location
        | Change::Path => with_other_moves(program, trace, change),
    }
}

fn at_each_step(trace: &Trace, edit: impl Fn(&mut Vec<Step>, usize)) -> Vec<Trace> {
    let edited = (0..trace.steps.len()).map(|at| {
        let mut changed = trace.clone();
        edit(&mut changed.steps, at);
        changed
    });
    edited.collect()
}

fn swapped(trace: &Trace) -> Vec<Trace> {
    let mut traces = at_each_step(trace, |steps, at| {
        if at + 1 < steps.len() {
            steps.swap(at, at + 1);
        }
    });
    traces.pop();
    traces
}

/// The trace from other values, and from too few and too many.
fn initials(trace: &Trace) -> Vec<Trace> {
    let mut starts = vec![
        trace.initial[..trace.initial.len().saturating_sub(1)].to_vec(),
        [&trace.initial[..], &[0]].concat(),
    ];
    for var in 0..trace.initial.len() {
        for difference in [-1, 1] {
            let mut initial = trace.initial.clone();
            initial[var] += difference;
            starts.push(initial);
        }
    }
    let traces = starts.into_iter().map(|initial| Trace {
        initial,
        ..trace.clone()
    });
    traces.collect()
}

/// The trace for every other property, one that does not exist among them, and for none.
fn properties(program: &Program, trace: &Trace) -> Vec<Trace> {
    let all = (0..=program.properties.len())
        .map(PropertyId::new)
        .map(Some);
    let others = all
        .chain([None])
        .filter(|&property| property != trace.property);
    let traces = others.map(|property| Trace {
        property,
        ..trace.clone()
    });
    traces.collect()
}

fn with_other_moves(program: &Program, trace: &Trace, change: Change) -> Vec<Trace> {
    let mut traces = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        for action in other_moves(program, &step.action, change) {
            let mut changed = trace.clone();
            changed.steps[at].action = action;
            traces.push(changed);
        }
    }
    traces
}

/// The moves that one change makes of a move.
fn other_moves(program: &Program, step: &Move, change: Change) -> Vec<Move> {
    let moves: Vec<Move> = match change {
        Change::Thread => {
            let threads = (0..=program.threads.len()).map(ThreadId::new);
            threads
                .map(|thread| Move {
                    thread,
                    ..step.clone()
                })
                .collect()
        }
        Change::Kind => {
            let flushes = program.var_ids().map(MoveKind::Flush);
            let kinds = [
                MoveKind::Statement,
                MoveKind::Background(0),
                MoveKind::Background(1),
            ];
            let kinds = kinds.into_iter().chain(flushes.take(1));
            kinds
                .map(|kind| Move {
                    kind,
                    ..step.clone()
                })
                .collect()
        }
        Change::Flushed => match step.kind {
            MoveKind::Flush(_) => {
                let flushes = program.var_ids().map(MoveKind::Flush);
                flushes
                    .map(|kind| Move {
                        kind,
                        ..step.clone()
                    })
                    .collect()
            }
            MoveKind::Statement | MoveKind::Background(_) => Vec::new(),
        },
        Change::Value => with_other_taken(step, |taken| {
            let values = match taken.value {
                Some(value) => vec![Some(value - 1), Some(value + 1), Some(100), None],
                None => vec![Some(0)],
            };
            let values = values.into_iter();
            values.map(|value| Taken { value, ..taken }).collect()
        }),
        Change::Edge => with_other_taken(step, |taken| {
            let edges = 0..3;
            edges.map(|edge| Taken { edge, ..taken }).collect()
        }),
        Change::Location => with_other_taken(step, |taken| {
            let near = taken.at.index().saturating_sub(1)..taken.at.index() + 2;
            near.map(|at| Taken {
                at: LocId::new(at),
                ..taken
            })
            .collect()
        }),
        Change::Path => paths(step),
        Change::Dropped
        | Change::Doubled
        | Change::Swapped
        | Change::Initial
        | Change::Property
        | Change::Model => Vec::new(),
    };
    moves.into_iter().filter(|other| other != step).collect()
}

/// The move with others for each of the edges that it takes.
fn with_other_taken(step: &Move, others: impl Fn(Taken) -> Vec<Taken>) -> Vec<Move> {
    let mut moves = Vec::new();
    for (at, &taken) in step.path.iter().enumerate() {
        for other in others(taken) {
            let mut changed = step.clone();
            changed.path[at] = other;
            moves.push(changed);
        }
    }
    moves
}

/// The move with a shorter and with a longer path.
fn paths(step: &Move) -> Vec<Move> {
    let any = Taken {
        at: LocId::new(0),
        edge: 0,
        value: None,
    };
    let more = step.path.last().copied().unwrap_or(any);
    let shorter = step.path[..step.path.len().saturating_sub(1)].to_vec();
    let longer = [&step.path[..], &[more]].concat();
    let paths = [shorter, longer].into_iter();
    paths
        .map(|path| Move {
            path,
            ..step.clone()
        })
        .collect()
}
