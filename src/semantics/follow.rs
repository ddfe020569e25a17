//! Runs an execution that is given as a schedule: which thread does what next.
//!
//! Input: initial values and a list of [`Directive`]s, which name steps of the program.
//! Output: the execution, recorded step by step, if it can be run; whether it breaks a property is up to the
//! semantics. The machine runs it, and the interpreter confirms it. Called by `refine`, which asks whether
//! a path of a reduced program is real.

use crate::memory::Model;
use crate::program::{Action, EdgeId, LocId, Program, PropertyId, ThreadId, VarId};

use super::havoc::HavocRange;
use super::machine::{Applied, Machine};
use super::record::replayed;
use super::spec::{self, SpecStatus};
use super::state::State;
use super::trace::{Move, MoveKind, Taken, Trace};

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// A thread takes this step.
    Step {
        /// The step.
        edge: EdgeId,
        /// The value for `*` or a choice.
        value: Option<i64>,
    },
    /// A run of a background block begins; steps of its thread that follow are those of the block.
    Background {
        /// The thread.
        thread: ThreadId,
        /// The number of the block.
        block: usize,
    },
    /// The oldest store of a thread to a variable reaches memory.
    Flush {
        /// The thread.
        thread: ThreadId,
        /// The variable.
        var: VarId,
    },
    /// The oldest store of a thread reaches memory, whichever variable it is to; under TSO, where a thread has one
    /// FIFO.
    FlushOldest(ThreadId),
}

/// What became of a schedule.
#[derive(Clone, Debug)]
pub enum Followed {
    /// It breaks a property, perhaps before its end.
    Broken(PropertyId, Trace),
    /// It can be run to its end and breaks nothing.
    Ran(Trace),
    /// It cannot be run.
    Impossible,
}

/// Follows a schedule; at its end the specs of the program are judged.
pub fn follow(
    program: &Program,
    model: Model,
    initial: &[i64],
    schedule: &[Directive],
) -> Followed {
    let longest_buffer = schedule.len();
    let machine = Machine::new(program, model, longest_buffer, HavocRange::default());
    let mut run = Run {
        state: State::with_values(program, &machine.buffers, initial),
        machine: &machine,
        moves: Vec::new(),
        block: None,
        broken: None,
    };
    for directive in schedule {
        if run.take(directive).is_none() {
            return Followed::Impossible;
        }
        if run.broken.is_some() {
            break;
        }
    }
    run.end(initial)
}

struct Run<'a, 'p> {
    machine: &'a Machine<'p>,
    state: State,
    moves: Vec<Move>,
    /// The run of a background block that has not ended.
    block: Option<Block>,
    broken: Option<PropertyId>,
}

/// A run of a background block that is under way.
struct Block {
    thread: ThreadId,
    number: usize,
    /// Where it has come to.
    at: LocId,
    path: Vec<Taken>,
}

impl Run<'_, '_> {
    /// Takes a step; `None` if it is not possible.
    fn take(&mut self, directive: &Directive) -> Option<()> {
        match *directive {
            Directive::Flush { thread, var } => {
                let fifo = self.machine.buffers.of_store(thread, var)?;
                let entry = self.state.pop(fifo).filter(|entry| entry.var == var)?;
                self.state.set_value(var, entry.value);
                self.moves.push(Move::flush(thread, var));
            }
            Directive::FlushOldest(thread) => {
                let mut fifos = self.machine.buffers.of_thread(thread);
                let (fifo, None) = (fifos.next()?, fifos.next()) else {
                    return None;
                };
                let entry = self.state.pop(fifo)?;
                self.state.set_value(entry.var, entry.value);
                self.moves.push(Move::flush(thread, entry.var));
            }
            Directive::Background { thread, block } => {
                let blocks = &self.machine.program.threads[thread.index()].backgrounds;
                self.block = Some(Block {
                    thread,
                    number: block,
                    at: blocks.get(block)?.entry,
                    path: Vec::new(),
                });
            }
            Directive::Step { edge, value } => self.step(edge, value)?,
        }
        Some(())
    }

    /// Takes a step, if its thread is there and it is possible.
    fn step(&mut self, id: EdgeId, value: Option<i64>) -> Option<()> {
        let (machine, thread) = (self.machine, id.thread);
        let block = self.block.as_ref().filter(|block| block.thread == thread);
        let at = block.map_or_else(|| self.state.at(thread), |block| block.at);
        if at != id.at {
            return None;
        }
        let edge = machine.program.edge(id);
        let given = match edge.action {
            Action::Havoc(_) => Some(value.unwrap_or(0)),
            Action::Choose(_, range) => value.or_else(|| range.values().next()),
            Action::Skip
            | Action::Assume(_)
            | Action::Assert(..)
            | Action::Assign(..)
            | Action::Load(..)
            | Action::Store(..)
            | Action::Cas(..)
            | Action::Swap(..)
            | Action::FetchAdd(..)
            | Action::Append(..)
            | Action::Pop(_)
            | Action::Fence => None,
        };
        match machine.apply(&mut self.state, thread, edge, given) {
            Applied::Done => {}
            Applied::Failed(property) => self.broken = Some(property),
            Applied::Blocked | Applied::Cut(_) => return None,
        }
        let taken = Taken {
            at,
            edge: id.number,
            value: given,
        };
        self.arrive(thread, edge.target, taken);
        Some(())
    }

    /// A statement is done: the thread moves on, or its background block does, which is one step as a whole.
    fn arrive(&mut self, thread: ThreadId, target: LocId, taken: Taken) {
        let running = self.block.take_if(|block| block.thread == thread);
        let Some(mut block) = running else {
            if self.broken.is_none() {
                self.state.set_location(thread, target);
            }
            self.moves.push(Move::statement(thread, taken));
            return;
        };
        block.path.push(taken);
        block.at = target;
        let end = self.machine.program.threads[thread.index()].end;
        if target == end || self.broken.is_some() {
            self.moves.push(Move {
                thread,
                kind: MoveKind::Background(block.number),
                path: block.path,
            });
        } else {
            self.block = Some(block);
        }
    }

    /// Checks the specs at the end, and has the interpreter confirm the whole run.
    fn end(self, initial: &[i64]) -> Followed {
        let (program, model) = (self.machine.program, self.machine.model);
        let broken = self.broken.or_else(|| self.broken_spec());
        let trace = Trace::from_moves(model, initial.to_vec(), self.moves, broken);
        match (replayed(program, model, &trace), broken) {
            (Some(trace), Some(property)) => Followed::Broken(property, trace),
            (Some(trace), None) => Followed::Ran(trace),
            (None, _) => Followed::Impossible,
        }
    }

    fn broken_spec(&self) -> Option<PropertyId> {
        if self.machine.holder(&self.state).is_some() {
            return None;
        }
        let is_final = self.machine.is_final(&self.state);
        let mut specs = self.machine.program.specs.iter();
        specs.find_map(
            |spec| match spec::status(spec, self.state.view(), is_final) {
                SpecStatus::Broken(property) => Some(property),
                SpecStatus::Holds | SpecStatus::OutOfI64 => None,
            },
        )
    }
}
