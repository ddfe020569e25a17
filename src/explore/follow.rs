//! Runs an execution that is given as a schedule: which thread does what next.
//!
//! Input: initial values and a list of [`Directive`]s, which name statements by their place in the source.
//! Output: the execution, told step by step, if it can be run; whether it breaks a property is up to the
//! semantics. The explorer's machine runs it, and `replay` runs it again. Called by those who have a
//! path of a translated program and want to know whether it is real.

use itertools::Itertools;

use crate::lang::ast::Span;
use crate::model::Model;
use crate::program::{Action, Branch, Edge, Program, ThreadId, VarId};

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
    /// The place of the last statement.
    last: Span,
    broken: Option<Property>,
}

impl Run<'_, '_> {
    /// Takes a step; `None` if it is not possible.
    fn take(&mut self, directive: &Directive) -> Option<()> {
        let action = match *directive {
            Directive::Flush { thread, var } => {
                let fifo = self.machine.buffers.of_store(thread, var)?;
                let entry = self.state.pop(fifo).filter(|entry| entry.var == var)?;
                self.state.set_value(var, entry.value);
                Move {
                    thread,
                    kind: MoveKind::Flush(var),
                    path: Vec::new(),
                }
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
                })?
            }
        };
        self.moves.push(action);
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
    ) -> Option<Move> {
        let machine = self.machine;
        let at = self.state.at(thread);
        let edges = &machine.program.threads[thread.index()].location(at).edges;
        let wanted = edges.iter().enumerate().filter(|(_, edge)| wanted(edge));
        for (number, edge) in wanted.sorted_by_key(|(_, edge)| edge.action.fails() != fails) {
            let taken = Taken {
                at,
                edge: number,
                value: value.filter(|_| matches!(edge.action, Action::Havoc(_))),
            };
            match machine.apply(&mut self.state, thread, edge, value.or(Some(0))) {
                Applied::Done => self.state.set_location(thread, edge.target),
                Applied::Failed(failure) => {
                    self.broken = Some(Property::of_statement(edge, failure));
                }
                Applied::Blocked | Applied::Cut(_) => continue,
            }
            return Some(Move {
                thread,
                kind: MoveKind::Statement,
                path: vec![taken],
            });
        }
        None
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
