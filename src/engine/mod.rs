//! The engines: each answers whether a program is safe under a memory model.
//!
//! Input: a [`Task`] and the [`Context`] of the run. Output: an [`Outcome`] in the words of `verdict`, or an
//! [`EngineError`]. [`explore`] searches real states, [`backward`] decides programs with finite
//! data, [`coherence`] explores them with abstract store buffers, [`predicate`] proves with predicate abstraction; [`portfolio`] asks them one after the other. To add an engine: a module here that implements [`Engine`], and a line in
//! [`portfolio::engines`].
//!
//! Invariants: a verdict `Verified` holds for executions of any length and buffers of any size; an engine imports no
//! other engine.

pub mod backward;
pub mod coherence;
pub mod explore;
pub mod portfolio;
pub mod predicate;
mod store;
pub mod vacuity;

use indexmap::IndexSet;

use crate::abstraction::cubes::Memo;
use crate::front::cup::check::Checked;
use crate::memory::Model;
use crate::proof::Proof;
use crate::reduce::HasBackground;
use crate::run::progress::Progress;
use crate::run::stop::Stop;
use crate::source::{Diagnostic, SourceFile};
use crate::verdict::{Attempt, Outcome, Settings, Unsupported, Warning};

/// Decides programs.
pub trait Engine {
    /// Its name in reports and on the command line.
    fn name(&self) -> &'static str;

    /// Whether it may do better than what was tried before.
    fn is_worth_trying(&self, _earlier: &[Attempt]) -> bool {
        true
    }

    /// Decides a program under a model. The tasks of one engine are about one program: what it found out about it may
    /// be kept from one task to the next.
    fn run(&mut self, task: &Task<'_>, context: &Context) -> Result<Outcome, EngineError>;

    /// What it can say beside a verdict to which it came with these settings, if that takes more work.
    fn warnings(
        &mut self,
        _task: &Task<'_>,
        _settings: &Settings,
        _context: &Context,
    ) -> Vec<Warning> {
        Vec::new()
    }
}

/// A question: is this program safe under this model with these fences?
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The source.
    pub source: &'a SourceFile,
    /// The checked program.
    pub program: &'a Checked,
    /// The memory model.
    pub model: Model,
    /// The optional fences in force.
    pub fences: &'a IndexSet<String>,
    /// Its proof under SC, if there is one.
    pub proof: Option<&'a Proof>,
    /// What other engines have tried before.
    pub earlier: &'a [Attempt],
}

/// What a run has at run time. Clones share their parts.
#[derive(Clone, Debug)]
pub struct Context {
    /// What ends the work early.
    pub stop: Stop,
    /// The limits of searches.
    pub limits: Limits,
    /// Where it is recorded how far the work is.
    pub progress: Progress,
    /// Answers of the solver.
    pub memo: Memo,
    /// The number of threads that ask the solver.
    pub jobs: usize,
}

/// The limits of searches: counts, so that the same input gives the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most states of an exploration; 0 for none.
    pub explore_states: usize,
    /// The most states that the checker of an abstraction may store.
    pub abstract_states: usize,
}

/// Why an engine gives no outcome.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
    /// It does not support the program under the model; another engine may.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The program cannot be handled, for the reasons given at places of its source.
    #[error("the program cannot be verified")]
    Source(Vec<Diagnostic>),
    /// It was to stop, and knows nothing yet.
    #[error("the work was to stop")]
    Stopped,
}

impl From<HasBackground> for EngineError {
    fn from(error: HasBackground) -> Self {
        EngineError::Source(vec![error.to_diagnostic()])
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            explore_states: 2_000_000,
            abstract_states: 2_000_000,
        }
    }
}

impl Default for Context {
    fn default() -> Self {
        Context {
            stop: Stop::default(),
            limits: Limits::default(),
            progress: Progress::default(),
            memo: Memo::default(),
            jobs: 1,
        }
    }
}
