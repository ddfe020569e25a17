//! A program of Memorax as it is written.
//!
//! Expressions and conditions are those of the input language, with registers, `$` and all, for variables.

use crate::front::cup::ast::{Cond, Expr, Name};
use crate::source::Span;

/// A whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The forbidden states.
    pub forbidden: Vec<Row>,
    /// The global memory locations, in order; pointers count them from 0.
    pub data: Vec<Variable>,
    /// The processes, those with several copies once.
    pub processes: Vec<Process>,
}

/// A forbidden state: a label for each process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The label of each process; `None` for `*`, which is any.
    pub labels: Vec<Option<Name>>,
    /// Where it stands.
    pub span: Span,
}

/// A memory location or register that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; that of a register with its `$`.
    pub name: Name,
    /// Its initial value; `None` for `*`, any of its domain.
    pub initial: Option<i64>,
    /// The values that it may have.
    pub domain: Domain,
}

/// The values that a memory location or register may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// All integers.
    Integers,
    /// From the first to the second, both included.
    Range(i64, i64),
}

/// A process, or several with the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// How many there are.
    pub copies: usize,
    /// The memory locations that are named by their owner.
    pub data: Vec<Variable>,
    /// The registers.
    pub registers: Vec<Variable>,
    /// The text.
    pub body: Vec<Statement>,
    /// The word `process`.
    pub span: Span,
}

/// A statement with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its label.
    pub label: Option<Name>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands behind its label.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `nop`
    Nop,
    /// `fence`
    Fence,
    /// `llfence`: loads before it are done before loads behind it.
    LoadFence,
    /// `$r := e`
    Set(Name, Expr),
    /// `assume: c`
    Assume(Cond),
    /// `read: x = e`
    ReadEqual(Memory, Expr),
    /// `read: $r := x`
    ReadTo(Name, Memory),
    /// `write: x := e`
    Write(Memory, Expr),
    /// `locked write: x := e`
    LockedWrite(Memory, Expr),
    /// `cas(x, e, f)`
    Cas(Memory, Expr, Expr),
    /// `locked { … or … }`
    Locked(Vec<Vec<Statement>>),
    /// `either { … or … }`
    Either(Vec<Vec<Statement>>),
    /// `{ … }`
    Block(Vec<Statement>),
    /// `if c then s else t`
    If(Cond, Box<Statement>, Option<Box<Statement>>),
    /// `while c do s`
    While(Cond, Box<Statement>),
    /// `goto l`
    Goto(Name),
}

/// A location in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// How it is named.
    pub kind: MemoryKind,
    /// Where it stands.
    pub span: Span,
}

/// How a location in memory is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// `x`
    Global(Name),
    /// `x[my]`: the process's own.
    Own(Name),
    /// `x[1]`: that of a process, by its number among the others.
    Other(Name, usize),
    /// `[e]`: a global one, by its number.
    Pointer(Expr),
}

impl Domain {
    /// The least and the greatest value, if there are such.
    pub fn ends(self) -> (Option<i64>, Option<i64>) {
        match self {
            Domain::Integers => (None, None),
            Domain::Range(low, high) => (Some(low), Some(high)),
        }
    }

    /// Whether a value belongs to it.
    pub fn contains(self, value: i64) -> bool {
        match self {
            Domain::Integers => true,
            Domain::Range(low, high) => (low..=high).contains(&value),
        }
    }
}
