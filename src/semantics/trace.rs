//! Executions as plain data.
//!
//! A [`Move`] is what is needed to take a step again; a [`Step`] adds what the step read and wrote. Not here: taking
//! steps (`machine`), recording them (`record`), confirming them (`interpreter`).

use crate::memory::Model;
use crate::program::{LocId, PropertyId, ThreadId, VarId};

/// An execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The memory model that it is an execution of.
    pub model: Model,
    /// The values of all variables at the start.
    pub initial: Vec<i64>,
    /// The steps. If the property is a spec it is broken behind the last one, else by it.
    pub steps: Vec<Step>,
    /// The property that it breaks; `None` if it breaks none.
    pub property: Option<PropertyId>,
    /// If the property is a spec: the values of its variables where it is broken.
    pub seen: Vec<Access>,
}

/// A step with what it read and wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub action: Move,
    /// What was read, in order.
    pub reads: Vec<Access>,
    /// What was written, in order: for a store that is buffered, what was put into the buffer.
    pub writes: Vec<Access>,
    /// The buffers that are not empty behind the step.
    pub buffers: Vec<BufferContents>,
}

/// What a step does, as far as it is needed to do it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Whose step it is.
    pub thread: ThreadId,
    /// What kind of step it is.
    pub kind: MoveKind,
    /// The statements that it runs: one, or those of a background block; none for a flush.
    pub path: Vec<Taken>,
}

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// A statement of the thread.
    Statement,
    /// A flush of the oldest buffered store to this variable.
    Flush(VarId),
    /// A run of the thread's background block with this number.
    Background(usize),
}

/// An edge that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The location that it leaves.
    pub at: LocId,
    /// Its number there.
    pub edge: usize,
    /// The value taken for `*` or by a choice.
    pub value: Option<i64>,
}

/// A variable and a value that was read from it or written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The variable.
    pub var: VarId,
    /// The value.
    pub value: i64,
}

/// What one FIFO holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferContents {
    /// Whose stores they are.
    pub thread: ThreadId,
    /// The stores, the oldest first.
    pub entries: Vec<Access>,
}

impl Trace {
    /// An execution as far as it is known without running it: its moves, without what they read and write.
    pub(crate) fn from_moves(
        model: Model,
        initial: Vec<i64>,
        moves: Vec<Move>,
        property: Option<PropertyId>,
    ) -> Self {
        Trace {
            model,
            initial,
            steps: moves.into_iter().map(Step::from).collect(),
            property,
            seen: Vec::new(),
        }
    }

    /// The moves of its steps.
    pub fn moves(&self) -> impl Iterator<Item = &Move> {
        self.steps.iter().map(|step| &step.action)
    }
}

impl From<Move> for Step {
    fn from(action: Move) -> Self {
        Step {
            action,
            reads: Vec::new(),
            writes: Vec::new(),
            buffers: Vec::new(),
        }
    }
}

impl Move {
    /// The flush of the oldest buffered store of a thread to a variable.
    pub(crate) fn flush(thread: ThreadId, var: VarId) -> Self {
        Move {
            thread,
            kind: MoveKind::Flush(var),
            path: Vec::new(),
        }
    }

    /// A statement of a thread.
    pub(crate) fn statement(thread: ThreadId, taken: Taken) -> Self {
        Move {
            thread,
            kind: MoveKind::Statement,
            path: vec![taken],
        }
    }
}
