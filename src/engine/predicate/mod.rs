//! The predicate engine: reduce, extrapolate, abstract, check, and try again.
//!
//! Input: a program, its SC proof (or predicates taken from the program) and a [`PredicateConfig`]. Output: an outcome
//! of `verdict`. [`stage`] is the program reduced for a model, [`attempt`] one abstraction and its check, [`verification`]
//! the bounds and the ways to try with the predicates that there are, [`rounds`] the refinement of a proof, [`engine`] SC first and
//! then both of these, [`explain`] what a path is worth that an abstraction could not exclude, [`prove`] the completion of an SC proof, [`certificate`] the invariant of what is verified. The commands of single stages call
//! the functions of [`stage`] and [`prove`].
//!
//! Invariant: a verdict `Verified` comes from an abstraction in which no assertion of any kind can fail, the overflow
//! checks among them, found within the limits.

mod attempt;
mod bounds;
mod certificate;
mod engine;
mod explain;
mod facts;
mod find;
mod minimize;
mod no_certificate;
mod path;
mod prove;
mod rounds;
mod stage;
mod strengthen;
mod totalize;
mod turns;
mod unreached;
mod verification;

use crate::abstraction::Transformers;
use crate::abstraction::cubes::Search;
use crate::extrapolate::{ExtrapolateConfig, TooMany};
use crate::front::cup::check::Checked;
use crate::memory::BufferSizes;
use crate::optimizations::Optimizations;
use crate::proof::Proof;
use crate::reduce::{ReduceError, SizesError};
use crate::source::{Diagnostic, SourceFile};
use crate::verdict::{CubeSizes, Method, Unsupported};

use super::EngineError;

pub use attempt::attempt;
pub use certificate::{certificate, proof_of};
pub use engine::Predicate;
pub use find::prove_or_find;
pub use no_certificate::NoCertificate;
pub use prove::{Proved, boolean_program, prove};
pub use stage::{abstracted, extrapolated, fifo_stage, stage, stage_with};

/// The name of the engine.
pub const NAME: &str = "predicate";

/// A program with the proof that its abstractions start from.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The source.
    pub source: &'a SourceFile,
    /// The checked program.
    pub program: &'a Checked,
    /// Its proof under SC.
    pub proof: &'a Proof,
}

/// How the engine works.
#[derive(Clone, Debug)]
pub struct PredicateConfig {
    /// The sizes of the buffers.
    pub bound: Bound,
    /// Whether buffers are slots or FIFOs.
    pub reduction: ReductionChoice,
    /// Which methods are tried.
    pub method: MethodChoice,
    /// How cubes are looked for, but for cube extrapolation.
    pub search: Search,
    /// How large cubes may be.
    pub sizes: CubeSizes,
    /// Whether the stages work in the paper's way: flushes after each statement, transformers as printed, no reductions
    /// of the search.
    pub transformers: Transformers,
    /// The optional rules of extrapolation.
    pub extrapolate: ExtrapolateConfig,
    /// How work is saved.
    pub optimizations: Optimizations,
    /// Track what unused slots of buffers held last, instead of forgetting it.
    pub keep_slots: bool,
    /// What to do where an execution is known that exceeds every bound.
    pub past_bounds: PastBounds,
    /// The most rounds of refinement; 0 for none.
    pub refine: usize,
}

/// The sizes of the buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The same size for all, from 1 up to a limit, as far as overflows ask for.
    Auto(usize),
    /// Just these.
    Fixed(BufferSizes),
}

/// How buffers are stored in proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReductionChoice {
    /// In slots, and in FIFOs where the largest bound does not suffice.
    Auto,
    /// In slots.
    #[default]
    Slots,
    /// In FIFOs of any length.
    Fifos,
}

/// Which methods are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodChoice {
    /// Cube extrapolation where the proof has cubes, predicate extrapolation, retries.
    Auto,
    /// This one, once.
    Only(Method),
}

/// What to do where an execution is known that exceeds every bound, so that no proof can be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PastBounds {
    /// Prove with the largest bound what holds until a buffer exceeds it.
    #[default]
    ProveUntilOverflow,
    /// Nothing.
    Skip,
}

/// Why a stage gives nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PredicateError {
    /// The program is not fit for what is asked of it.
    #[error("the program cannot be verified")]
    Source(Vec<Diagnostic>),
    /// The sizes of the buffers mean nothing for the program.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// The proof stands for too many predicates under the model.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// It was to stop.
    #[error("the work was to stop")]
    Stopped,
}

impl From<ReduceError> for PredicateError {
    fn from(error: ReduceError) -> Self {
        match error.into_diagnostics() {
            Ok(diagnostics) => PredicateError::Source(diagnostics),
            Err(error) => PredicateError::Sizes(error),
        }
    }
}

impl From<PredicateError> for EngineError {
    fn from(error: PredicateError) -> Self {
        let reason = match error {
            PredicateError::Source(diagnostics) => return EngineError::Source(diagnostics),
            PredicateError::Stopped => return EngineError::Stopped,
            PredicateError::Sizes(error) => error.to_string(),
            PredicateError::TooMany(error) => error.to_string(),
        };
        let engine = NAME;
        EngineError::Unsupported(Unsupported { engine, reason })
    }
}

impl Default for PredicateConfig {
    fn default() -> Self {
        PredicateConfig {
            bound: Bound::Auto(4),
            reduction: ReductionChoice::default(),
            method: MethodChoice::Auto,
            search: Search::Fast,
            sizes: CubeSizes::default(),
            transformers: Transformers::Optimized,
            extrapolate: ExtrapolateConfig::default(),
            optimizations: Optimizations::ALL,
            keep_slots: false,
            past_bounds: PastBounds::default(),
            refine: 60,
        }
    }
}
