//! The breadth-first search.
//!
//! States are numbered as they are found; the search expands them in that order until there is none
//! left, a user's property is violated, or a limit is hit. An overflow of a reduced program's buffers
//! is remembered but does not stop the search: a violation of a user's property says more.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use itertools::Itertools;

use crate::model::Model;
use crate::program::{Program, VarId};

use super::buffers::Buffers;
use super::machine::{Attempt, Event, Failure, Machine};
use super::outcomes::Outcomes;
use super::property::{Judgement, Property, PropertyKind, judge};
use super::state::State;
use super::store::{StateId, Store};
use super::trace::{self, Ending, Trace};
use super::{Exploration, ExploreConfig, Limit, Verdict};

/// How many steps are taken between two looks at the clock.
const STEPS_PER_LOOK: usize = 2048;

/// Explores `program`, which has no background blocks unless the model is SC.
pub(super) fn run(program: &Program, model: Model, config: &ExploreConfig) -> Exploration {
    let start = Instant::now();
    let machine = Machine {
        program,
        model,
        buffers: Buffers::new(program, model),
        buffer_limit: config.buffer,
        star: config.star,
    };
    let mut findings = Findings::new(&machine, config, start);
    let mut state = State::initial(program, &machine.buffers);
    // A break says that the search was stopped, which the findings know.
    let _ = search(&machine, &mut findings, &mut state);
    findings.conclude(start.elapsed())
}

fn search(
    machine: &Machine<'_>,
    findings: &mut Findings<'_>,
    state: &mut State,
) -> ControlFlow<()> {
    findings.add_initial_states(state)?;
    let mut path = Vec::new();
    let mut next = findings.store.first();
    while let Some(id) = next {
        state.decode(&machine.buffers, findings.store.encoding(id));
        findings.parent = Some(id);
        machine.expand(state, &mut path, &mut |state, attempt, event| {
            findings.see(state, attempt, event)
        })?;
        next = findings.store.after(id);
    }
    ControlFlow::Continue(())
}

/// What the search has found so far.
struct Findings<'m> {
    machine: &'m Machine<'m>,
    config: &'m ExploreConfig,
    store: Store,
    /// The state being expanded.
    parent: Option<StateId>,
    /// Scratch space for an encoding.
    encoding: Vec<u8>,
    violation: Option<Violation<'m>>,
    overflow: Option<Violation<'m>>,
    finals: Vec<StateId>,
    limits: BTreeSet<Limit>,
    max_buffer: usize,
    start: Instant,
    steps: usize,
}

/// A broken property and where it was met.
struct Violation<'m> {
    property: Property,
    /// The last state.
    state: StateId,
    ending: Ending<'m>,
}

impl<'m> Findings<'m> {
    fn new(machine: &'m Machine<'m>, config: &'m ExploreConfig, start: Instant) -> Self {
        Findings {
            machine,
            config,
            store: Store::default(),
            parent: None,
            encoding: Vec::new(),
            violation: None,
            overflow: None,
            finals: Vec::new(),
            limits: BTreeSet::new(),
            max_buffer: 0,
            start,
            steps: 0,
        }
    }

    /// Adds the initial states: one for each choice of the arbitrary initial values.
    fn add_initial_states(&mut self, state: &mut State) -> ControlFlow<()> {
        let vars = self.machine.program.vars.iter().enumerate();
        let arbitrary: Vec<VarId> = vars
            .filter(|(_, var)| var.init.is_none())
            .map(|(index, _)| VarId::new(index))
            .collect();
        if !arbitrary.is_empty() {
            self.limits.insert(Limit::Star);
        }
        let values = arbitrary.iter().map(|_| self.config.star.values());
        for choice in values.multi_cartesian_product() {
            for (&var, value) in arbitrary.iter().zip(choice) {
                state.set_value(var, value);
            }
            state.settle();
            self.look_at_clock()?;
            self.add(state)?;
        }
        ControlFlow::Continue(())
    }

    fn see(&mut self, state: &State, attempt: Attempt<'_>, event: Event) -> ControlFlow<()> {
        self.look_at_clock()?;
        match event {
            Event::Reached => self.add(state),
            Event::Failed(failure) => self.fail(attempt, failure),
            Event::Cut(limit) => {
                self.limits.insert(limit);
                ControlFlow::Continue(())
            }
        }
    }

    /// Adds a state that was reached, and judges it if it is new.
    fn add(&mut self, state: &State) -> ControlFlow<()> {
        state.encode(&self.machine.buffers, &mut self.encoding);
        let full = self.store.is_full(self.encoding.len());
        if full || self.store.len() >= self.config.max_states {
            return match self.store.contains(&self.encoding) {
                true => ControlFlow::Continue(()),
                false => self.stop_at(Limit::States),
            };
        }
        let Some(id) = self.store.insert(&self.encoding, self.parent) else {
            return ControlFlow::Continue(());
        };
        let longest = state.fifos().iter().map(|fifo| fifo.len()).max();
        self.max_buffer = self.max_buffer.max(longest.unwrap_or(0));
        let is_final = self.machine.is_final(state);
        if is_final && self.config.outcomes {
            self.finals.push(id);
        }
        match self.machine.holder(state) {
            None => self.judge(state, id, is_final),
            Some(_) => ControlFlow::Continue(()),
        }
    }

    fn judge(&mut self, state: &State, id: StateId, is_final: bool) -> ControlFlow<()> {
        let machine = self.machine;
        for spec in &machine.program.specs {
            match judge(spec, state.view(), is_final) {
                Judgement::Holds => {}
                Judgement::Unfit => drop(self.limits.insert(Limit::Values)),
                Judgement::Broken(_) if self.violation.is_some() => {}
                Judgement::Broken(failure) => self.violate(Violation {
                    property: Property::of_spec(spec, failure),
                    state: id,
                    ending: Ending::State(spec),
                })?,
            }
        }
        ControlFlow::Continue(())
    }

    fn fail(&mut self, attempt: Attempt<'_>, failure: Failure) -> ControlFlow<()> {
        let last = attempt.path.last().expect("a statement fails");
        let edge = self.machine.edge(attempt.thread, *last);
        self.violate(Violation {
            property: Property::of_statement(edge, failure),
            state: self.parent.expect("a step starts in a state"),
            ending: Ending::Step(attempt.to_move()),
        })
    }

    fn violate(&mut self, violation: Violation<'m>) -> ControlFlow<()> {
        if violation.property.kind == PropertyKind::Overflow {
            self.limits.insert(Limit::Overflow);
            self.overflow.get_or_insert(violation);
            return ControlFlow::Continue(());
        }
        self.violation.get_or_insert(violation);
        match self.config.outcomes {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn look_at_clock(&mut self) -> ControlFlow<()> {
        self.steps += 1;
        let looks = self.steps.is_multiple_of(STEPS_PER_LOOK);
        if !looks {
            return ControlFlow::Continue(());
        }
        if let Some(progress) = &self.config.progress {
            progress.store(self.store.len(), Ordering::Relaxed);
        }
        let up = |limit| self.start.elapsed() >= limit;
        let cancelled = |cancel: &Arc<AtomicBool>| cancel.load(Ordering::Relaxed);
        if self.config.cancel.as_ref().is_some_and(cancelled) {
            self.stop_at(Limit::Interrupted)
        } else if self.config.timeout.is_some_and(up) {
            self.stop_at(Limit::Timeout)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn stop_at(&mut self, limit: Limit) -> ControlFlow<()> {
        self.limits.insert(limit);
        ControlFlow::Break(())
    }

    fn conclude(self, time: Duration) -> Exploration {
        let verdict = match (&self.violation, self.limits.is_empty()) {
            (Some(_), _) => Verdict::Violated,
            (None, true) => Verdict::Safe,
            (None, false) => Verdict::Unknown,
        };
        let property = self
            .violation
            .as_ref()
            .map(|violation| violation.property.clone());
        let shown = self.violation.as_ref().or(self.overflow.as_ref());
        Exploration {
            verdict,
            property,
            trace: shown.map(|violation| self.trace(violation)),
            states: self.store.len(),
            max_buffer: self.max_buffer,
            outcomes: self.config.outcomes.then(|| self.outcomes()),
            bytes: self.store.bytes(),
            limits: self.limits,
            time,
        }
    }

    fn trace(&self, violation: &Violation<'_>) -> Trace {
        let mut states = vec![violation.state];
        while let Some(parent) = self.store.parent(states[states.len() - 1]) {
            states.push(parent);
        }
        states.reverse();
        let encodings: Vec<&[u8]> = states.iter().map(|&id| self.store.encoding(id)).collect();
        let property = violation.property.clone();
        trace::tell(self.machine, &encodings, &violation.ending, property)
    }

    fn outcomes(&self) -> Outcomes {
        let mut state = State::initial(self.machine.program, &self.machine.buffers);
        let mut outcomes = Outcomes::new(self.machine.program);
        for &id in &self.finals {
            state.decode(&self.machine.buffers, self.store.encoding(id));
            outcomes.insert(state.values().to_vec());
        }
        outcomes
    }
}
