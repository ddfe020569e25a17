//! The exact semantics of programs with real store buffers (`docs/language.md`), apart from any search.
//!
//! Input: a lowered program and a memory model. Two implementations of the same semantics stand side by side:
//!
//! - the *machine*, made for speed: [`state`] is a state that steps change in place and take back, [`buffers`] says
//!   which store buffers there are, [`eval`] evaluates terms, [`machine`] says which steps a state has and what each
//!   does, [`spec`] what a state says of a spec;
//! - the *interpreter*, made to be read: it confirms an execution and shares nothing with the machine but the
//!   program's graphs.
//!
//! [`trace`] is an execution as plain data. [`record`] runs moves on the machine and records a trace;
//! [`walk`] takes steps one by one, back and forth; [`follow`], [`flush_early`] and [`as_relaxed_trace`] make executions from others. [`repetition`] finds
//! steps of an execution that can be repeated for ever.
//!
//! Invariants: a trace that leaves this module has been confirmed by [`interpreter::replay`], or was recorded from
//! steps that the machine took; a state that the machine reaches has unbounded integers as far as they fit 64
//! bits, and a step beyond that is cut and said to be. Imports between the files go one way: trace, havoc, eval, numbers,
//! buffers, state, machine, spec, interpreter, repetition, effects, record, walk and the transformations. Not here: which steps are taken
//! (`engine::explore`, `refine`).

pub(crate) mod as_relaxed_trace;
pub(crate) mod buffers;
mod effects;
pub(crate) mod eval;
pub(crate) mod flush_early;
pub(crate) mod follow;
pub(crate) mod havoc;
pub mod interpreter;
pub(crate) mod machine;
pub(crate) mod numbers;
pub(crate) mod record;
pub mod repetition;
pub(crate) mod spec;
pub(crate) mod state;
pub(crate) mod trace;
pub mod walk;

pub use as_relaxed_trace::as_relaxed_trace;
pub use flush_early::flush_early;
pub use follow::{Directive, Followed, follow};
pub use havoc::HavocRange;
pub use trace::{Access, BufferContents, Move, MoveKind, Step, Taken, Trace};
pub use walk::{Choice, Choices, Snapshot, Walk, snapshots};
