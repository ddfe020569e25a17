//! The certificate of a finished exploration: the states between atomic groups.
//!
//! Input: a task whose every state was seen, and the most stores that a FIFO held. Output: a [`Certificate`] that
//! lists the states of the *reduced* program in which no thread holds the atomic section, without the entries
//! of buffers past their counts. There are as many of them as the source has such states: what an
//! entry that is not in use last held makes no difference.
//!
//! The enumeration is breadth first and stores these states alone; those inside a group are kept until the
//! group is done. Nothing here is trusted: `certify` does not know how the list was made.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use itertools::Itertools;
use rustc_hash::FxHashSet;

use crate::certificate::{self, Body, Certificate, MAX_STATES};
use crate::engine::store::{StateId, Store};
use crate::engine::{Context, Task};
use crate::memory::{BufferSizes, MalformedSizes, Model};
use crate::program::{Init, LocId, PropertyId, Range, VarId};
use crate::reduce::{Flush, ReduceConfig, ReduceError, Reduction, reduce};
use crate::semantics::HavocRange;
use crate::semantics::machine::{Event, Machine};
use crate::semantics::state::State;
use crate::verdict::Limit;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum NoCertificate {
    /// The program cannot be reduced.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// Buffers are longer than those of a reduced program.
    #[error("a buffer is too long for a reduced program: {0}")]
    Buffers(#[from] MalformedSizes),
    /// The program has FIFOs, of whose entries a list of states says nothing.
    #[error("it has FIFOs, of whose entries a list of states says nothing")]
    Fifo,
    /// There are more states than are listed.
    #[error("it has more than {0} states between its atomic groups")]
    TooManyStates(usize),
    /// The enumeration met a limit.
    #[error("the enumeration of states met the limit `{}`", .0.word())]
    Limit(Limit),
    /// An execution of the reduced program breaks a property: not all states were seen, or buffers are longer.
    #[error("the reduced program breaks `{0}`")]
    Broken(String),
}

/// The certificate of a task of which every state was seen, with at most `max_buffer` stores in a FIFO.
pub fn certificate(
    task: &Task<'_>,
    max_buffer: usize,
    context: &Context,
) -> Result<Certificate, NoCertificate> {
    let config = ReduceConfig {
        model: task.model,
        sizes: BufferSizes::uniform(max_buffer.max(1))?,
        fences: task.fences.clone(),
        flush: Flush::default(),
    };
    let reduction = reduce(task.source, task.program, &config)?;
    if !reduction.program.fifos.is_empty() {
        return Err(NoCertificate::Fifo);
    }
    context
        .progress
        .begin(format!("{}, listing states", task.model));
    Ok(Certificate {
        source: task.source.clone(),
        config,
        body: Body::States(states(&reduction, MAX_STATES, context)?),
    })
}

/// The states of a reduced program between atomic groups, without entries that are not in use; at most so many.
fn states(
    reduction: &Reduction,
    most: usize,
    context: &Context,
) -> Result<Vec<certificate::State>, NoCertificate> {
    let program = &reduction.program;
    let machine = Machine::new(program, Model::Sc, 0, HavocRange::default());
    let mut listing = Listing {
        reduction,
        machine: &machine,
        most,
        context,
        store: Store::default(),
        inside: FxHashSet::default(),
        open: Vec::new(),
        steps: 0,
        scratch: State::initial(program, &machine.buffers),
        encoding: Vec::new(),
    };
    match listing.run() {
        ControlFlow::Continue(()) => Ok(listing.listed()),
        ControlFlow::Break(reason) => Err(reason),
    }
}

/// How many steps are taken between two looks at the clock.
const STEPS_PER_LOOK: usize = 2048;

/// A list under construction.
struct Listing<'a> {
    reduction: &'a Reduction,
    machine: &'a Machine<'a>,
    most: usize,
    context: &'a Context,
    /// The states between atomic groups.
    store: Store,
    /// The states inside the groups that are followed from one of them.
    inside: FxHashSet<Vec<u8>>,
    /// Those among them whose steps are still to be taken.
    open: Vec<Vec<u8>>,
    steps: usize,
    scratch: State,
    encoding: Vec<u8>,
}

type Flow = ControlFlow<NoCertificate>;

impl Listing<'_> {
    fn run(&mut self) -> Flow {
        self.add_initial_states()?;
        let mut next = self.store.first();
        while let Some(id) = next {
            self.follow_groups(id)?;
            next = self.store.after(id);
        }
        ControlFlow::Continue(())
    }

    /// Adds the initial states: one for each choice of the initial values that are not fixed.
    fn add_initial_states(&mut self) -> Flow {
        let program = self.machine.program;
        let mut open: Vec<(VarId, Range)> = Vec::new();
        for (id, var) in program.var_ids().zip(&program.vars) {
            match var.init {
                Init::Value(_) => {}
                Init::Range(range) => open.push((id, range)),
                Init::Any => return ControlFlow::Break(NoCertificate::Limit(Limit::Havoc)),
            }
        }
        let mut state = State::initial(program, &self.machine.buffers);
        let values = open.iter().map(|(_, range)| range.values());
        for choice in values.multi_cartesian_product() {
            for (&(var, _), value) in open.iter().zip(choice) {
                state.set_value(var, value);
            }
            state.settle();
            self.add(&state)?;
        }
        ControlFlow::Continue(())
    }

    /// Adds what the steps of a state lead to, each of them a whole atomic group.
    fn follow_groups(&mut self, id: StateId) -> Flow {
        let machine = self.machine;
        self.inside.clear();
        self.open.push(self.store.encoding(id).to_vec());
        let mut state = State::initial(machine.program, &machine.buffers);
        let mut path = Vec::new();
        while let Some(encoding) = self.open.pop() {
            state.decode(&machine.buffers, &encoding);
            let mut reason = None;
            let flow = machine.expand(&mut state, &mut path, &mut |state, _, event| match self
                .see(state, event)
            {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(why) => {
                    reason = Some(why);
                    ControlFlow::Break(())
                }
            });
            if let (ControlFlow::Break(()), Some(reason)) = (flow, reason) {
                return ControlFlow::Break(reason);
            }
        }
        ControlFlow::Continue(())
    }

    fn see(&mut self, state: &State, event: Event) -> Flow {
        self.look_at_clock()?;
        match event {
            Event::Reached => self.add(state),
            Event::Failed(property) => ControlFlow::Break(self.broken(property)),
            Event::Cut(cut) => ControlFlow::Break(NoCertificate::Limit(cut.into())),
        }
    }

    fn add(&mut self, state: &State) -> Flow {
        self.encode(state);
        match self.machine.holder(state) {
            Some(_) if self.inside.contains(&self.encoding) => {}
            Some(_) if self.inside.len() >= self.most => return self.too_many(),
            Some(_) => {
                self.inside.insert(self.encoding.clone());
                self.open.push(self.encoding.clone());
            }
            None if self.store.contains(&self.encoding) => {}
            None if self.store.len() >= self.most => return self.too_many(),
            None => drop(self.store.insert(&self.encoding, None)),
        }
        ControlFlow::Continue(())
    }

    /// Encodes a state in which entries that are not in use hold 0.
    fn encode(&mut self, state: &State) {
        let buffers = &self.machine.buffers;
        state.encode(buffers, &mut self.encoding);
        self.scratch.decode(buffers, &self.encoding);
        for var in unused(self.reduction, state) {
            self.scratch.set_value(var, 0);
        }
        self.scratch.encode(buffers, &mut self.encoding);
    }

    fn too_many(&self) -> Flow {
        ControlFlow::Break(NoCertificate::TooManyStates(self.most))
    }

    fn broken(&self, property: PropertyId) -> NoCertificate {
        NoCertificate::Broken(self.machine.program.property(property).name_text())
    }

    fn look_at_clock(&mut self) -> Flow {
        self.steps += 1;
        if !self.steps.is_multiple_of(STEPS_PER_LOOK) {
            return ControlFlow::Continue(());
        }
        let states = self.context.progress.states();
        states.store(self.store.len(), Ordering::Relaxed);
        let stop = &self.context.stop;
        match stop.should_stop() {
            true => ControlFlow::Break(NoCertificate::Limit(Limit::of_stop(stop))),
            false => ControlFlow::Continue(()),
        }
    }

    /// The states that were stored, without entries that are not in use.
    fn listed(&mut self) -> Vec<certificate::State> {
        let program = self.machine.program;
        let mut listed = Vec::with_capacity(self.store.len());
        let mut next = self.store.first();
        while let Some(id) = next {
            let state = &mut self.scratch;
            state.decode(&self.machine.buffers, self.store.encoding(id));
            let mut values: Vec<Option<i64>> = state.values().iter().copied().map(Some).collect();
            for var in unused(self.reduction, state) {
                values[var.index()] = None;
            }
            let at: Vec<LocId> = program
                .thread_ids()
                .map(|thread| state.at(thread))
                .collect();
            listed.push(certificate::State { at, values });
            next = self.store.after(id);
        }
        listed
    }
}

/// The variables of buffers' entries past their counts.
fn unused<'a>(reduction: &'a Reduction, state: &'a State) -> impl Iterator<Item = VarId> + 'a {
    reduction.buffers().iter().flat_map(|buffer| {
        let count = usize::try_from(state.value(buffer.count)).unwrap_or(0);
        let unused = buffer.slots.get(count..).unwrap_or_default();
        unused.iter().flat_map(|slot| slot.all())
    })
}
