//! The breadth-first search.
//!
//! States are numbered as they are found; the search expands them in that order until there is none
//! left, a user's property is violated, or a limit is hit. An overflow of a reduced program's buffers
//! is remembered but does not stop the search: a violation of a user's property says more.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use itertools::Itertools;

use crate::memory::Model;
use crate::program::{EdgeId, Init, Program, PropertyId, PropertyKind, Range, VarId};

use super::blocked::Suspects;
use super::outcomes::Outcomes;
use super::path;
use super::{Blocked, Context, Exploration, ExploreConfig};
use crate::engine::store::{StateId, Store};
use crate::engine::vacuity::Reached;
use crate::semantics::machine::{Attempt, Cut, Event, Machine};
use crate::semantics::record::record;
use crate::semantics::spec::{self, SpecStatus};
use crate::semantics::state::State;
use crate::semantics::trace::{Move, Trace};
use crate::verdict::{FoundBy, Growth, Limit, Run, Violation};

/// How many steps are taken between two looks at the clock.
const STEPS_PER_LOOK: usize = 2048;

/// Explores `program`, which has no background blocks unless the model is SC.
pub(super) fn run(
    program: &Program,
    model: Model,
    config: &ExploreConfig,
    context: &Context,
) -> Exploration {
    let start = Instant::now();
    let machine = Machine::new(program, model, config.buffer, config.havoc);
    let machine = machine.with_limits(&config.buffer_of);
    let mut findings = Findings::new(&machine, config, context);
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
        findings.suspects.expanded(state, id, machine);
        next = findings.store.after(id);
    }
    ControlFlow::Continue(())
}

/// What the search has found so far.
struct Findings<'m> {
    machine: &'m Machine<'m>,
    config: &'m ExploreConfig,
    context: &'m Context,
    store: Store,
    /// The state being expanded.
    parent: Option<StateId>,
    /// Scratch space for an encoding.
    encoding: Vec<u8>,
    violation: Option<Broken>,
    overflow: Option<Broken>,
    finals: Vec<StateId>,
    limits: BTreeSet<Limit>,
    max_buffer: usize,
    /// The first state in which a store met a full FIFO.
    full: Option<StateId>,
    taken: Reached,
    suspects: Suspects,
    steps: usize,
}

/// A broken property and where it was met.
struct Broken {
    property: PropertyId,
    /// The last state.
    state: StateId,
    /// The step that breaks it; `None` if the last state does.
    step: Option<Move>,
}

impl<'m> Findings<'m> {
    fn new(machine: &'m Machine<'m>, config: &'m ExploreConfig, context: &'m Context) -> Self {
        Findings {
            machine,
            config,
            context,
            store: Store::default(),
            parent: None,
            encoding: Vec::new(),
            violation: None,
            overflow: None,
            finals: Vec::new(),
            limits: BTreeSet::new(),
            max_buffer: 0,
            full: None,
            taken: Reached::start(machine.program),
            suspects: Suspects::new(machine.program),
            steps: 0,
        }
    }

    /// Adds the initial states: one for each choice of the initial values that are not fixed.
    fn add_initial_states(&mut self, state: &mut State) -> ControlFlow<()> {
        let program = self.machine.program;
        let open: Vec<(VarId, Range)> = program
            .var_ids()
            .zip(&program.vars)
            .filter_map(|(id, var)| Some((id, self.tried(var.init)?)))
            .collect();
        let values = open.iter().map(|(_, range)| range.values());
        for choice in values.multi_cartesian_product() {
            for (&(var, _), value) in open.iter().zip(choice) {
                state.set_value(var, value);
            }
            state.settle();
            self.look_at_clock()?;
            self.add(state)?;
        }
        ControlFlow::Continue(())
    }

    /// The values that are tried for an initial value that is not fixed.
    fn tried(&mut self, init: Init) -> Option<Range> {
        match init {
            Init::Value(_) => None,
            Init::Range(range) => Some(range),
            Init::Any => {
                self.limits.insert(Limit::Havoc);
                Some(self.config.havoc.range())
            }
        }
    }

    fn see(&mut self, state: &State, attempt: Attempt<'_>, event: Event) -> ControlFlow<()> {
        self.look_at_clock()?;
        self.suspects.see(state, attempt, event, self.machine);
        match event {
            Event::Reached => {
                self.take(attempt);
                self.add(state)
            }
            Event::Failed(property) => self.fail(attempt, property),
            Event::Cut(cut) => {
                self.limits.insert(cut.into());
                if cut == Cut::Buffer {
                    self.full = self.full.or(self.parent);
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Notes the steps of a move.
    fn take(&mut self, attempt: Attempt<'_>) {
        let thread = attempt.thread;
        for &taken in attempt.path {
            let edge = EdgeId {
                thread,
                at: taken.at,
                number: taken.edge,
            };
            let target = self.machine.edge(thread, taken).target;
            self.taken.take(edge, target);
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
        let buffers = state.fifos().iter().map(|fifo| fifo.len());
        let own = self.machine.program.fifos.iter();
        let own = own.filter_map(|fifo| usize::try_from(state.value(fifo.length)).ok());
        let longest = buffers.chain(own).max();
        self.max_buffer = self.max_buffer.max(longest.unwrap_or(0));
        let is_final = self.machine.is_final(state);
        self.taken.is_final |= is_final;
        if is_final && self.config.outcomes {
            self.finals.push(id);
        }
        match self.machine.holder(state) {
            None => self.check_specs(state, id, is_final),
            Some(_) => ControlFlow::Continue(()),
        }
    }

    fn check_specs(&mut self, state: &State, id: StateId, is_final: bool) -> ControlFlow<()> {
        let machine = self.machine;
        for spec in &machine.program.specs {
            match spec::status(spec, state.view(), is_final) {
                SpecStatus::Holds => {}
                SpecStatus::OutOfI64 => drop(self.limits.insert(Limit::Values)),
                SpecStatus::Broken(_) if self.violation.is_some() => {}
                SpecStatus::Broken(property) => self.violate(Broken {
                    property,
                    state: id,
                    step: None,
                })?,
            }
        }
        ControlFlow::Continue(())
    }

    fn fail(&mut self, attempt: Attempt<'_>, property: PropertyId) -> ControlFlow<()> {
        self.violate(Broken {
            property,
            state: self.parent.expect("a step starts in a state"),
            step: Some(attempt.to_move()),
        })
    }

    fn violate(&mut self, broken: Broken) -> ControlFlow<()> {
        let property = self.machine.program.property(broken.property);
        if property.kind == PropertyKind::Overflow {
            self.limits.insert(Limit::Overflow);
            self.overflow.get_or_insert(broken);
            return ControlFlow::Continue(());
        }
        self.violation.get_or_insert(broken);
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
        let states = self.context.progress.states();
        states.store(self.store.len(), Ordering::Relaxed);
        let stop = &self.context.stop;
        match stop.should_stop() {
            true => self.stop_at(Limit::of_stop(stop)),
            false => ControlFlow::Continue(()),
        }
    }

    fn stop_at(&mut self, limit: Limit) -> ControlFlow<()> {
        self.limits.insert(limit);
        ControlFlow::Break(())
    }

    fn conclude(mut self, time: Duration) -> Exploration {
        let program = Arc::new(self.machine.program.clone());
        let finished = self.violation.is_none() && self.limits.is_empty();
        let blocked = self.blocked(&program, finished);
        let confirmed = |broken: &Broken| {
            let violation = Violation::confirm(
                Arc::clone(&program),
                self.trace(broken),
                FoundBy::Exploration,
            );
            Arc::new(violation.expect("a trace is an execution that breaks its property"))
        };
        let full = self.full.filter(|_| self.violation.is_none());
        let growth = full.and_then(|full| Growth::find(&program, &self.run_to(full)));
        Exploration {
            violation: self.violation.as_ref().map(confirmed),
            overflow: self.overflow.as_ref().map(confirmed),
            growth: growth.map(Arc::new),
            states: self.store.len(),
            max_buffer: self.max_buffer,
            taken: finished.then(|| self.taken.clone()),
            seen: self.taken.clone(),
            blocked,
            outcomes: self.config.outcomes.then(|| self.outcomes()),
            bytes: self.store.bytes() + self.suspects.bytes(),
            limits: self.limits,
            time,
        }
    }

    /// The threads that are blocked for ever, where nothing else is wrong.
    fn blocked(&mut self, program: &Arc<Program>, finished: bool) -> Vec<Blocked> {
        if self.violation.is_some() {
            return Vec::new();
        }
        let suspects = std::mem::replace(&mut self.suspects, Suspects::new(program));
        let found = suspects.blocked(self.machine, &self.store, finished);
        let blocked = found.into_iter().map(|(thread, at, state)| {
            let run = Run::confirm(Arc::clone(program), self.run_to(state));
            let run = Arc::new(run.expect("a trace is an execution"));
            Blocked { thread, at, run }
        });
        blocked.collect()
    }

    fn trace(&self, broken: &Broken) -> Trace {
        let (initial, mut moves) = path::moves(self.machine, &self.encodings(broken.state));
        moves.extend(broken.step.clone());
        record(self.machine, &initial, moves, Some(broken.property))
    }

    /// The execution that leads to a state.
    fn run_to(&self, state: StateId) -> Trace {
        let (initial, moves) = path::moves(self.machine, &self.encodings(state));
        record(self.machine, &initial, moves, None)
    }

    /// The states on the way to a state, each as it is stored.
    fn encodings(&self, state: StateId) -> Vec<&[u8]> {
        let mut states = vec![state];
        while let Some(parent) = self.store.parent(states[states.len() - 1]) {
            states.push(parent);
        }
        let states = states.iter().rev();
        states.map(|&id| self.store.encoding(id)).collect()
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
