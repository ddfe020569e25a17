//! The stages put together: reduce, extrapolate, abstract, check, and try again.
//!
//! Input: a checked program, its SC proof and a [`PipelineConfig`]. Output: values of `report`. The
//! command line calls one function per command; the stages call none of each other. This is the only
//! module that names all stages.
//!
//! Invariant: a verdict `Verified` comes from a boolean program in which the checker found no
//! failing assertion, of any kind, within its limits; a verdict `Violated` comes with an execution that
//! `explore::replay` has run.

mod attempt;
mod buffers;
mod certificate;
mod refute;
mod replay;
mod total;
mod verify;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use indexmap::IndexSet;

use crate::abstraction::cubes::{Means, Memo, Search};
use crate::abstraction::{
    Abstraction, AbstractionConfig, AbstractionError, Buffer, CubeSizes, Manner, abstract_program,
};
use crate::extrapolate::{
    ExtrapolateConfig, ExtrapolateError, Extrapolation, Setting, TooMany, extrapolate,
};
use crate::lang::ast::{Span, Tree};
use crate::lang::check::Checked;
use crate::lang::placement::{Placement, UnknownPlace};
use crate::lang::source::{Diagnostic, SourceFile};
use crate::logic::TooLarge;
use crate::model::Model;
use crate::program::{self, Program};
use crate::progress::Progress;
use crate::proof::Proof;
use crate::reduce::{self, Flush, Layout, ReduceConfig, ReduceError};
use crate::report::Method;
use crate::shortcuts::Shortcuts;
use crate::stop::Stop;

pub use attempt::{Proved, attempt, prove};
pub use certificate::{NoCertificate, certificate};
pub use verify::{Bound, MethodChoice, REFUTE_STATES, VerifyConfig, verify};

/// A program as the user gave it, with its proof.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The source.
    pub file: &'a SourceFile,
    /// The checked program.
    pub checked: &'a Checked,
    /// Its proof under SC.
    pub proof: &'a Proof,
}

impl Task<'_> {
    /// The predicates of the proof as text.
    pub fn predicates(&self) -> Vec<String> {
        let program = program::lower(self.checked, &IndexSet::new());
        self.proof.lines(&program).0
    }
}

/// What all stages need to know.
#[derive(Clone, Debug)]
pub struct PipelineConfig {
    /// Which optional fences are in force.
    pub placement: Placement,
    /// How cubes are looked for, but for cube extrapolation.
    pub search: Search,
    /// How large cubes may be.
    pub sizes: CubeSizes,
    /// Whether the stages work in the paper's way: flushes after each statement, transformers as printed, no reductions of
    /// the search.
    pub manner: Manner,
    /// The optional rules of extrapolation.
    pub extrapolate: ExtrapolateConfig,
    /// The number of threads that look for cubes.
    pub jobs: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// The most states that the checker may store.
    pub max_states: usize,
    /// Set from outside to give up.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Answers of the solver, shared by all runs with this configuration and its clones.
    pub memo: Memo,
    /// How work is saved.
    pub shortcuts: Shortcuts,
    /// Track what unused slots of buffers held last, instead of forgetting it.
    pub keep_slots: bool,
    /// Where it is told how far the work is.
    pub progress: Progress,
}

/// A program reduced for a model, ready to be abstracted.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The model.
    pub model: Model,
    /// The size of the buffers; without meaning under SC.
    pub k: usize,
    /// The optional fences in force.
    pub fences: IndexSet<String>,
    /// The source program, with these fences.
    pub source: Program,
    /// The reduced program.
    pub reduced: Program,
    /// Its buffers.
    pub layout: Layout,
}

/// Why there is no answer at all.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PipelineError {
    /// The program is not fit for what is asked of it.
    #[error("the program cannot be verified")]
    Source(Vec<Diagnostic>),
    /// The placement names a fence that the program does not have.
    #[error(transparent)]
    Placement(#[from] UnknownPlace),
    /// The proof stands for too many predicates under the model.
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

impl From<ReduceError> for PipelineError {
    fn from(error: ReduceError) -> Self {
        PipelineError::Source(vec![error.to_diagnostic()])
    }
}

impl Default for PipelineConfig {
    fn default() -> Self {
        PipelineConfig {
            placement: Placement::Declared,
            search: Search::Fast,
            sizes: CubeSizes {
                updates: 2,
                conditions: 3,
            },
            manner: Manner::Sparing,
            extrapolate: ExtrapolateConfig::default(),
            jobs: 1,
            deadline: None,
            max_states: 2_000_000,
            cancel: None,
            memo: Memo::default(),
            shortcuts: Shortcuts::ALL,
            keep_slots: false,
            progress: Progress::default(),
        }
    }
}

impl PipelineConfig {
    /// What ends the work early.
    pub fn stop(&self) -> Stop {
        Stop {
            deadline: self.deadline,
            cancel: self.cancel.clone(),
        }
    }
}

/// Reduces a program for a model.
pub fn stage(
    task: &Task<'_>,
    model: Model,
    k: usize,
    placement: &Placement,
) -> Result<Stage, PipelineError> {
    stage_in(Manner::Sparing, task, (model, k), placement)
}

/// The same, in a manner.
fn stage_in(
    manner: Manner,
    task: &Task<'_>,
    (model, k): (Model, usize),
    placement: &Placement,
) -> Result<Stage, PipelineError> {
    let fences = placement.in_force(task.checked, model)?;
    let config = ReduceConfig {
        model,
        k,
        fences: fences.clone(),
        flush: match manner {
            Manner::Sparing => Flush::Background,
            Manner::Printed => Flush::Inline,
        },
    };
    let tree = reduce::reduce(task.file, task.checked, &config)?;
    Ok(Stage {
        model,
        k,
        source: program::lower(task.checked, &fences),
        reduced: lower_reduced(tree)?,
        layout: match model {
            Model::Sc => Layout::default(),
            Model::Tso | Model::Pso => reduce::layout(task.file, task.checked, &config),
        },
        fences,
    })
}

/// The proof for a stage: extrapolated, or as it is for the traditional method.
pub fn extrapolated(
    task: &Task<'_>,
    stage: &Stage,
    method: Method,
    config: &ExtrapolateConfig,
) -> Result<Extrapolation, PipelineError> {
    let setting = Setting {
        model: stage.model,
        source: &stage.source,
        reduced: &stage.reduced,
        layout: &stage.layout,
    };
    let without_buffers = Layout::default();
    let setting = match method {
        Method::Trad => Setting {
            layout: &without_buffers,
            ..setting
        },
        Method::Pe | Method::Ce | Method::Lazy => setting,
    };
    extrapolate(task.proof, &setting, config).map_err(|error| match error {
        ExtrapolateError::TooLarge(error) => too_large(error, Span::default()),
        ExtrapolateError::TooMany(error) => error.into(),
    })
}

/// Abstracts a stage's program.
pub fn abstracted(
    task: &Task<'_>,
    stage: &Stage,
    proof: &Extrapolation,
    method: Method,
    config: &PipelineConfig,
) -> Result<Abstraction, PipelineError> {
    let search = match method {
        Method::Ce => Search::Candidates(proof.cubes.clone()),
        Method::Trad | Method::Pe | Method::Lazy => config.search.clone(),
    };
    let how = AbstractionConfig {
        search,
        sizes: config.sizes,
        manner: config.manner,
        jobs: config.jobs,
        means: Means {
            stop: config.stop(),
            memo: config.memo.clone(),
            shortcuts: config.shortcuts,
            progress: config.progress.clone(),
        },
        buffers: forgotten(stage, config),
    };
    abstract_program(&stage.reduced, task.file, &proof.predicates, &how)
        .map_err(|AbstractionError { span, error }| too_large(error, span))
}

/// The buffers whose unused slots are forgotten.
fn forgotten(stage: &Stage, config: &PipelineConfig) -> Vec<Buffer> {
    if config.keep_slots {
        Vec::new()
    } else {
        buffers::of(&stage.reduced, &stage.layout)
    }
}

/// The boolean program for a model and a bound. Cube extrapolation computes missing cubes first; if it
/// cannot, because the program is not verified under SC, that is what there is to tell.
pub fn boolean_program(
    task: &Task<'_>,
    (model, k): (Model, usize),
    method: Method,
    config: &PipelineConfig,
) -> Result<Result<Abstraction, Box<Proved>>, PipelineError> {
    let completed = match (method, &task.proof.cubes) {
        (Method::Ce, None) => match prove(task, config)? {
            Proved {
                proof: Some(proof), ..
            } => Some(proof),
            proved => return Ok(Err(Box::new(proved))),
        },
        _ => None,
    };
    let task = Task {
        proof: completed.as_ref().unwrap_or(task.proof),
        ..*task
    };
    let stage = stage(&task, model, k, &config.placement)?;
    let proof = extrapolated(&task, &stage, method, &config.extrapolate)?;
    abstracted(&task, &stage, &proof, method, config).map(Ok)
}

/// The program of a reduced tree, which obeys all rules but may exceed the limits of size.
fn lower_reduced(tree: Tree) -> Result<Program, PipelineError> {
    let checked = crate::lang::check(tree).map_err(PipelineError::Source)?;
    Ok(program::lower(&checked, &IndexSet::new()))
}

fn too_large(error: TooLarge, span: Span) -> PipelineError {
    let diagnostic = Diagnostic::error(error.to_string(), span, "in this statement")
        .with_note("use smaller constants");
    PipelineError::Source(vec![diagnostic])
}
