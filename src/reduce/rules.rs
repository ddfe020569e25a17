//! What each model makes of the statements of a thread that has store buffers.
//!
//! [`Rules`] is what the figures of the paper define per model: [`super::pso`] and [`super::tso`] implement it,
//! [`super::statement`], [`super::flush`] and [`super::specs`] apply it. Not here: which buffers there are
//! ([`super::buffers`]).

use super::build::Build;
use super::slots::BufferVars;
use crate::front::cup::ast::{CompareOp, Cond, CondKind, Expr, Place, Stmt};
use crate::program::{ThreadId, VarId};

/// A shared scalar that a thread stores to.
pub(super) struct Scalar {
    /// Its printed name.
    pub name: String,
    /// Its id in the source.
    pub var: VarId,
    /// The number of entries of a buffer for it.
    pub entries: usize,
}

/// The translation rules of a model for one thread (Figs. 5 and 12 of the paper), per scalar.
pub(super) trait Rules {
    /// Whether stores to the scalar go through a buffer.
    fn holds(&self, scalar: &str) -> bool;

    /// A store of `value`. The buffer is full if the condition of the first part holds, never without one; else
    /// the statements of the second append to it.
    fn store(&self, build: Build, scalar: &str, value: &Expr) -> (Option<Cond>, Vec<Stmt>);

    /// A load of a buffered scalar into a local.
    fn load(&self, build: Build, scalar: &str, into: &Place) -> Stmt;

    /// What an atomic operation on the scalar waits for.
    fn update_waits_for(&self, build: Build, scalar: &str) -> Option<Cond>;

    /// The flushes, each of one entry; the first statement waits until there is one.
    fn flushes(&self, build: Build) -> Vec<Flushing>;

    /// The variables that count entries, one per buffer.
    fn counters(&self) -> Vec<String>;

    /// The locals, one line per buffer, with what they are.
    fn locals(&self) -> Vec<(String, Vec<&str>)>;

    /// The FIFOs; buffers with slots have none.
    fn fifos(&self) -> Vec<FifoLocal> {
        Vec::new()
    }

    /// Which part of which FIFO holds the stores to each scalar.
    fn stored(&self) -> Vec<StoredIn<'_>> {
        Vec::new()
    }

    /// The buffers of a thread by the ids of its locals, which `added` gives in the order of
    /// [`Rules::locals`].
    fn vars(&self, thread: ThreadId, added: &mut dyn Iterator<Item = VarId>) -> Vec<BufferVars>;

    /// That all buffers are empty.
    fn all_empty(&self, build: Build) -> Cond {
        let empty = |count: String| build.test(&count, CompareOp::Eq, 0);
        build
            .all(self.counters().into_iter().map(empty))
            .unwrap_or_else(|| build.cond(CondKind::True))
    }
}

/// A FIFO that a thread gets.
pub(super) struct FifoLocal {
    /// Its name.
    pub name: String,
    /// The fields of its records.
    pub fields: Vec<String>,
    /// What it is.
    pub comment: String,
}

/// Where the stores to a scalar are.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredIn<'a> {
    /// The FIFO.
    pub fifo: &'a str,
    /// The scalar.
    pub var: VarId,
    /// Its field.
    pub field: usize,
    /// The field with the number of its last store, and the local with the number of the last one flushed.
    pub number: Option<(usize, &'a str)>,
}

/// The flush of one entry of one buffer.
pub(super) struct Flushing {
    /// What is flushed, as a comment says it.
    pub what: String,
    /// The statements, the first of which waits until there is an entry.
    pub stmts: Vec<Stmt>,
}
