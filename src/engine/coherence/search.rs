//! The search of abstract states; breadth first, unless steps are to come first that delay no store.
//!
//! Input: a [`System`], limits, and which steps are allowed. Output: [`Found`]. If no limit was met and nothing is broken, the
//! states that were seen cover every reachable state of the program: a proof. A path to a broken property may be one of the
//! abstraction alone.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use itertools::Itertools;

use super::buffer::Rules;
use super::layout::Layout;
use super::seen::{Added, Seen};
use super::state::State;
use super::steps::{Event, Step, System};
use crate::engine::Context;
use crate::engine::store::StateId;
use crate::program::{Init, Program, PropertyId};
use crate::semantics::spec::{self, SpecStatus};
use crate::verdict::{Domain, Limit};

/// How many steps are taken between two looks at the clock.
const STEPS_PER_LOOK: usize = 2048;

/// What the search found.
pub(crate) struct Found {
    /// How it ended.
    pub end: End,
    /// The number of states.
    pub states: usize,
    /// The bytes that they took up.
    pub bytes: usize,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// No property is broken.
    Safe,
    /// A property may be broken at the end of this path.
    Broken(Path),
    /// A limit was met.
    Limit(Limit),
}

/// A path of abstract states.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// The property that may be broken at its end.
    pub property: PropertyId,
    /// The first state.
    pub initial: State,
    /// The steps, each with the state behind it; that of a step that fails is the one before it.
    pub steps: Vec<(Step, State)>,
}

impl Path {
    /// The states from which the steps go out.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&State, &Step)> {
        let before =
            std::iter::once(&self.initial).chain(self.steps.iter().map(|(_, state)| state));
        before.zip(self.steps.iter().map(|(step, _)| step))
    }
}

/// Whether a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It is not.
    Closed,
    /// It is, and what it leads to comes next.
    Free,
    /// It is; what it leads to waits for its turn.
    Delayed,
}

/// Which steps are taken: given the state before a step and the step. The order in which states are met makes no difference
/// but to the path that is found.
pub(crate) type Allows<'a> = dyn FnMut(&Layout, &State, &Step) -> Way + 'a;

/// Searches all states, or up to a broken property.
pub(crate) fn search<R: Rules + Clone>(
    system: &mut System<'_, R>,
    domain: Domain,
    most: usize,
    context: &Context,
    allows: &mut Allows<'_>,
) -> Found {
    let mut findings = Findings {
        program: system.program,
        seen: Seen::new(domain),
        next: VecDeque::new(),
        limit: None,
        broken: None,
        most,
    };
    // A break says that something was found.
    let _ = run(system, &mut findings, context, allows);
    let end = match (&findings.broken, findings.limit) {
        (Some(broken), _) => End::Broken(path(system, &findings.seen, broken, allows)),
        (None, Some(limit)) => End::Limit(limit),
        (None, None) => End::Safe,
    };
    Found {
        end,
        states: findings.seen.len(),
        bytes: findings.seen.bytes(),
    }
}

/// What the search has found so far.
struct Findings<'p> {
    program: &'p Program,
    seen: Seen,
    /// The states whose steps have not been looked at.
    next: VecDeque<StateId>,
    limit: Option<Limit>,
    broken: Option<Broken>,
    most: usize,
}

/// A broken property and where it was met.
struct Broken {
    property: PropertyId,
    state: StateId,
    /// The step that breaks it; `None` if the state does.
    step: Option<Step>,
}

fn run<R: Rules + Clone>(
    system: &mut System<'_, R>,
    findings: &mut Findings<'_>,
    context: &Context,
    allows: &mut Allows<'_>,
) -> ControlFlow<()> {
    let program = system.program;
    let mut state = State::initial(program, &system.layout, vec![0; program.vars.len()]);
    for values in initial_values(program) {
        state.values = values;
        findings.add(&system.rules, &state, (None, Way::Delayed))?;
    }
    let rules = system.rules.clone();
    let mut steps = 0;
    // Whether a step is allowed may take a walk through its thread.
    let locations = program.threads.iter().map(|thread| thread.locations.len());
    let steps_per_look = STEPS_PER_LOOK / (1 + locations.sum::<usize>() / 100);
    while let Some(id) = findings.next.pop_front() {
        if !findings.seen.is_covered(id) {
            findings.seen.read(id, &mut state);
            let source = state.clone();
            system.expand(&mut state, &mut |layout, state, step, event| {
                let way = allows(layout, &source, step);
                steps += 1;
                if way == Way::Closed {
                    return ControlFlow::Continue(());
                }
                match event {
                    Event::Reached => return findings.add(&rules, state, (Some(id), way)),
                    Event::Failed(property) => {
                        return findings.fail(Broken {
                            property,
                            state: id,
                            step: Some(step.clone()),
                        });
                    }
                    Event::TooManyValues => findings.limit = Some(Limit::Values),
                }
                ControlFlow::Continue(())
            })?;
        }
        if steps >= steps_per_look {
            steps = 0;
            findings.look_at_clock(context)?;
        }
    }
    ControlFlow::Continue(())
}

/// All values that the program may start with, one after the other, since they may be very many; those that are arbitrary are
/// none of a program with finite data.
pub(crate) fn initial_values(program: &Program) -> impl Iterator<Item = Vec<i64>> {
    let values = program.vars.iter().map(|var| match var.init {
        Init::Value(value) => value..=value,
        Init::Range(range) => {
            let (low, high) = range.ends();
            low..=high
        }
        Init::Any => 0..=0,
    });
    values.multi_cartesian_product()
}

impl Findings<'_> {
    /// Adds a state that was reached, and judges it if it is new.
    fn add(
        &mut self,
        rules: &impl Rules,
        state: &State,
        (parent, way): (Option<StateId>, Way),
    ) -> ControlFlow<()> {
        let id = match self.seen.add(rules, state, parent, self.most) {
            Added::New(id) => id,
            Added::Known => return ControlFlow::Continue(()),
            Added::Full => {
                self.limit = Some(Limit::States);
                return ControlFlow::Break(());
            }
        };
        match way {
            Way::Free => self.next.push_front(id),
            Way::Delayed | Way::Closed => self.next.push_back(id),
        }
        if state.holder(self.program).is_some() {
            return ControlFlow::Continue(());
        }
        let is_final = state.is_final(self.program);
        for spec in &self.program.specs {
            match spec::status(spec, state.view(), is_final) {
                SpecStatus::Holds => {}
                SpecStatus::OutOfI64 => self.limit = Some(Limit::Values),
                SpecStatus::Broken(property) => self.fail(Broken {
                    property,
                    state: id,
                    step: None,
                })?,
            }
        }
        ControlFlow::Continue(())
    }

    fn fail(&mut self, broken: Broken) -> ControlFlow<()> {
        self.broken = Some(broken);
        ControlFlow::Break(())
    }

    fn look_at_clock(&mut self, context: &Context) -> ControlFlow<()> {
        let states = context.progress.states();
        states.store(self.seen.len(), Ordering::Relaxed);
        if context.stop.should_stop() {
            self.limit = Some(Limit::of_stop(&context.stop));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The path to a broken property.
fn path<R: Rules + Clone>(
    system: &mut System<'_, R>,
    seen: &Seen,
    broken: &Broken,
    allows: &mut Allows<'_>,
) -> Path {
    let program = system.program;
    let empty = State::initial(program, &system.layout, vec![0; program.vars.len()]);
    let states = seen.way(broken.state).into_iter().map(|id| {
        let mut state = empty.clone();
        seen.read(id, &mut state);
        state
    });
    let states: Vec<State> = states.collect();
    let mut steps: Vec<(Step, State)> = Vec::new();
    for (from, to) in states.iter().tuple_windows() {
        steps.push((step_between(system, (from, to), allows), to.clone()));
    }
    if let (Some(step), Some(last)) = (&broken.step, states.last()) {
        steps.push((step.clone(), last.clone()));
    }
    Path {
        property: broken.property,
        initial: states.into_iter().next().expect("a way begins somewhere"),
        steps,
    }
}

/// An allowed step from a state to one that was found from it.
fn step_between<R: Rules + Clone>(
    system: &mut System<'_, R>,
    (from, to): (&State, &State),
    allows: &mut Allows<'_>,
) -> Step {
    let mut found = None;
    let mut state = from.clone();
    let _ = system.expand(&mut state, &mut |layout, next, step, event| {
        let is_it = event == Event::Reached && next == to;
        if is_it && allows(layout, from, step) != Way::Closed {
            found = Some(step.clone());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    found.expect("a state is reached from its parent by a step")
}
