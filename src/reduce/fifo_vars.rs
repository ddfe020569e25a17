//! The FIFOs of a reduced program by id, for the stages that take one.

use super::rules::Rules;
use crate::program::{Fifo, Program, ThreadId, VarId};

/// A FIFO that holds buffered stores; variables are those of the reduced program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FifoVars {
    /// Whose buffer it is.
    pub thread: ThreadId,
    /// The FIFO.
    pub fifo: Fifo,
    /// What its entries say of shared variables, in declaration order; under PSO of a single one.
    pub stored: Vec<Stored>,
}

/// What an entry says of a shared variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The variable.
    pub var: VarId,
    /// The field with its value.
    pub field: usize,
    /// For a variable that other threads write too.
    pub numbering: Option<Numbering>,
}

/// Which entries hold a store that has not reached memory: those whose number is greater than `done`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbering {
    /// The field with the number of the thread's stores so far.
    pub field: usize,
    /// The local with the number of the last store that reached memory.
    pub done: VarId,
}

impl FifoVars {
    /// The FIFOs of a thread.
    pub(super) fn of_thread(program: &Program, thread: ThreadId, rules: &dyn Rules) -> Vec<Self> {
        let own = |name: &str| {
            let mut fifos = program.fifos.iter();
            fifos.find(|fifo| fifo.owner == thread && fifo.name == name)
        };
        let local = |name: &str| {
            let mut vars = program.var_ids().zip(&program.vars);
            let found = vars.find(|(_, var)| var.owner == Some(thread) && var.name == name);
            found.expect("every local is declared").0
        };
        let mut found: Vec<FifoVars> = Vec::new();
        for stored in rules.stored() {
            let part = Stored {
                // Shared variables keep their places in the table.
                var: stored.var,
                field: stored.field,
                numbering: stored.number.map(|(field, done)| Numbering {
                    field,
                    done: local(done),
                }),
            };
            let fifo = own(stored.fifo).expect("every FIFO is declared");
            match found.last_mut().filter(|last| last.fifo == *fifo) {
                Some(last) => last.stored.push(part),
                None => found.push(FifoVars {
                    thread,
                    fifo: fifo.clone(),
                    stored: vec![part],
                }),
            }
        }
        found
    }
}
