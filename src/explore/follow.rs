//! Runs an execution that is given as a schedule: which thread does what next.
//!
//! Input: initial values and a list of [`Directive`]s, which name statements by their place in the source.
//! Output: the execution, told step by step, if it can be run; whether it breaks a property is up to the
//! semantics. The explorer's machine runs it, and `replay` runs it again. Called by those who have a
//! path of a translated program and want to know whether it is real.

use itertools::Itertools;

use crate::lang::ast::Span;
use crate::model::Model;
use crate::program::{Action, Branch, Edge, LocId, Program, ThreadId, VarId};

use super::Star;
use super::buffers::Buffers;
use super::machine::{Applied, Machine};
use super::property::{self, Judgement, Property, PropertyKind};
use super::state::State;
use super::trace::{self, Move, MoveKind, Taken, Trace};

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// A thread takes the step that stands at a place of the source.
    Statement {
        /// The thread.
        thread: ThreadId,
        /// The place.
        span: Span,
        /// Which way it goes, if it is the evaluation of a condition.
        branch: Option<Branch>,
        /// The value for `*`.
        value: Option<i64>,
        /// Whether it is the failure of `assert(*)`, which may as well succeed.
        fails: bool,
    },
    /// A run of a background block begins; statements of its thread that follow are those of the block.
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
}

/// What became of a schedule.
#[derive(Clone, Debug)]
pub enum Followed {
    /// It breaks a property, perhaps before its end.
    Broken(Trace),
    /// It can be run to its end and breaks nothing. The property of the trace is that buffers hold
    /// no more stores than someone wishes.
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
    let machine = Machine {
        program,
        model,
        buffers: Buffers::new(program, model),
        buffer_limit: schedule.len(),
        star: Star::default(),
    };
    let mut state = State::initial(program, &machine.buffers);
    for (var, &value) in program.var_ids().zip(initial) {
        state.set_value(var, value);
    }
    let mut run = Run {
        machine: &machine,
        state,
        moves: Vec::new(),
        block: None,
        last: Span::default(),
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
    /// The place of the last statement.
    last: Span,
    broken: Option<Property>,
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
                self.moves.push(Move {
                    thread,
                    kind: MoveKind::Flush(var),
                    path: Vec::new(),
                });
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
            Directive::Statement {
                thread,
                span,
                branch,
                value,
                fails,
            } => {
                self.last = span;
                self.statement(thread, value, fails, |edge| {
                    edge.span == span && edge.branch == branch
                })?;
            }
        }
        Some(())
    }

    /// Takes the first step of a thread that is wanted and possible; of those, the ones that fail by themselves
    /// come first or last.
    fn statement(
        &mut self,
        thread: ThreadId,
        value: Option<i64>,
        fails: bool,
        wanted: impl Fn(&Edge) -> bool,
    ) -> Option<()> {
        let machine = self.machine;
        let block = self.block.as_ref().filter(|block| block.thread == thread);
        let at = block.map_or_else(|| self.state.at(thread), |block| block.at);
        let edges = &machine.program.threads[thread.index()].location(at).edges;
        let wanted = edges.iter().enumerate().filter(|(_, edge)| wanted(edge));
        for (number, edge) in wanted.sorted_by_key(|(_, edge)| edge.action.fails() != fails) {
            let taken = Taken {
                at,
                edge: number,
                value: value.filter(|_| matches!(edge.action, Action::Havoc(_))),
            };
            match machine.apply(&mut self.state, thread, edge, value.or(Some(0))) {
                Applied::Done => {}
                Applied::Failed(failure) => {
                    self.broken = Some(Property::of_statement(edge, failure));
                }
                Applied::Blocked | Applied::Cut(_) => continue,
            }
            self.arrive(thread, edge.target, taken);
            return Some(());
        }
        None
    }

    /// A statement is done: the thread moves on, or its background block does, which is one step as a whole.
    fn arrive(&mut self, thread: ThreadId, target: LocId, taken: Taken) {
        let running = self.block.take_if(|block| block.thread == thread);
        let Some(mut block) = running else {
            if self.broken.is_none() {
                self.state.set_location(thread, target);
            }
            self.moves.push(Move {
                thread,
                kind: MoveKind::Statement,
                path: vec![taken],
            });
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

    /// Judges the end, and has the whole run again by the separate interpreter.
    fn end(self, initial: &[i64]) -> Followed {
        let (program, model) = (self.machine.program, self.machine.model);
        let broken = self.broken.clone().or_else(|| self.broken_spec());
        let property = broken.clone().unwrap_or(Property {
            kind: PropertyKind::Overflow,
            span: self.last,
        });
        let told = trace::from_moves(model, initial.to_vec(), self.moves, property);
        let told = match broken {
            Some(_) => trace::retold(program, model, &told).map(Followed::Broken),
            None => trace::retold_run(program, model, &told).map(Followed::Ran),
        };
        told.unwrap_or(Followed::Impossible)
    }

    fn broken_spec(&self) -> Option<Property> {
        if self.machine.holder(&self.state).is_some() {
            return None;
        }
        let is_final = self.machine.is_final(&self.state);
        let mut specs = self.machine.program.specs.iter();
        specs.find_map(
            |spec| match property::judge(spec, self.state.view(), is_final) {
                Judgement::Broken(failure) => Some(Property::of_spec(spec, failure)),
                Judgement::Holds | Judgement::Unfit => None,
            },
        )
    }
}
