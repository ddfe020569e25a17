//! Which store buffers a program has under a memory model.
//!
//! Under TSO a thread has one FIFO, under PSO one for each variable; those that no store of the thread can
//! reach are left out, and under SC there are none.

use std::ops::Range;

use crate::memory::Model;
use crate::program::{Action, Place, Program, ThreadId, VarId};

/// The FIFOs of a program, those of a thread side by side.
pub(crate) struct Buffers {
    fifos: Vec<Fifo>,
    of_thread: Vec<Range<usize>>,
    /// By thread and variable, up to the last one that the thread stores to: the FIFO that holds the
    /// thread's stores to the variable.
    of_store: Vec<Vec<Option<usize>>>,
}

/// One FIFO.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fifo {
    /// The thread whose stores it holds.
    pub thread: ThreadId,
    /// The one variable whose stores it holds, under PSO.
    pub var: Option<VarId>,
}

impl Buffers {
    /// The buffers of `program` under `model`.
    pub(crate) fn new(program: &Program, model: Model) -> Self {
        let mut buffers = Buffers {
            fifos: Vec::new(),
            of_thread: Vec::new(),
            of_store: Vec::new(),
        };
        for thread in program.thread_ids() {
            let stored = stored_vars(program, thread);
            buffers.add_thread(model, thread, &stored);
        }
        buffers
    }

    /// All FIFOs.
    pub(crate) fn fifos(&self) -> &[Fifo] {
        &self.fifos
    }

    /// The FIFOs of a thread.
    pub(crate) fn of_thread(&self, thread: ThreadId) -> Range<usize> {
        self.of_thread[thread.index()].clone()
    }

    /// The FIFO that holds the thread's stores to `var`, if there is one.
    pub(crate) fn of_store(&self, thread: ThreadId, var: VarId) -> Option<usize> {
        let of_thread = &self.of_store[thread.index()];
        of_thread.get(var.index()).copied().flatten()
    }

    fn add_thread(&mut self, model: Model, thread: ThreadId, stored: &[bool]) {
        let first = self.fifos.len();
        let known = stored.iter().rposition(|&stored| stored);
        let mut of_store = vec![None; known.map_or(0, |last| last + 1)];
        for var in (0..of_store.len()).filter(|&var| stored[var]) {
            let shared_fifo = match model {
                Model::Sc => continue,
                Model::Tso => self.fifos.len() > first,
                Model::Pso => false,
            };
            if !shared_fifo {
                let var = (model == Model::Pso).then(|| VarId::new(var));
                self.fifos.push(Fifo { thread, var });
            }
            of_store[var] = Some(self.fifos.len() - 1);
        }
        self.of_thread.push(first..self.fifos.len());
        self.of_store.push(of_store);
    }
}

/// By variable: whether the thread stores to it.
pub(crate) fn stored_vars(program: &Program, thread: ThreadId) -> Vec<bool> {
    let mut stored = vec![false; program.vars.len()];
    let locations = program.threads[thread.index()].locations.iter();
    for edge in locations.flat_map(|location| &location.edges) {
        match &edge.action {
            Action::Store(Place::Var(var), _) => stored[var.index()] = true,
            Action::Store(Place::Choice(_, elements), _) => {
                elements.iter().for_each(|var| stored[var.index()] = true);
            }
            Action::Skip
            | Action::Assume(_)
            | Action::Assert(..)
            | Action::Assign(..)
            | Action::Havoc(_)
            | Action::Choose(..)
            | Action::Load(..)
            | Action::Cas(..)
            | Action::Swap(..)
            | Action::FetchAdd(..)
            | Action::Append(..)
            | Action::Pop(_)
            | Action::Fence => {}
        }
    }
    stored
}
