//! The stages before the check, each as a function: reduce, extrapolate, abstract.

use indexmap::IndexSet;

use super::{Input, PredicateConfig, PredicateError};
use crate::abstraction::cubes::{Search, SearchContext, Spent};
use crate::abstraction::{
    Abstraction, AbstractionConfig, AbstractionError, Transformers, abstract_program,
};
use crate::engine::{Context, Task};
use crate::extrapolate::{
    ExtrapolateConfig, ExtrapolateError, Extrapolation, carry_over, extrapolate,
};
use crate::front::cup::check::Checked;
use crate::logic::TooLarge;
use crate::memory::{BufferSizes, Buffers, Model};
use crate::program;
use crate::proof::{self, Proof};
use crate::reduce::{self, BufferVars, Flush, ReduceConfig, Reduction};
use crate::run::stop::Stop;
use crate::source::{Diagnostic, Span};
use crate::verdict::Method;

/// The predicates that the program itself names.
pub(super) fn harvested(task: &Task<'_>) -> Proof {
    proof::harvest(&program::lower(task.program, &IndexSet::new())).0
}

/// Reduces a program for a model, unless it is to stop; the sizes of buffers are without meaning under SC.
pub fn stage(
    input: &Input<'_>,
    (model, sizes): (Model, &BufferSizes),
    fences: &IndexSet<String>,
    transformers: Transformers,
    stop: &Stop,
) -> Result<Reduction, PredicateError> {
    without_fifos(input.program)?;
    let config = ReduceConfig {
        model,
        sizes: sizes.clone(),
        fences: fences.clone(),
        flush: match transformers {
            Transformers::Optimized => Flush::Background,
            Transformers::AsInPaper => Flush::Inline,
        },
    };
    let reduction = reduce::reduce_until(input.source, input.program, &config, stop)?;
    reduction.ok_or(PredicateError::Stopped)
}

/// Reduces a program for a model to one with buffers of any length.
pub fn fifo_stage(
    input: &Input<'_>,
    model: Model,
    fences: &IndexSet<String>,
) -> Result<Reduction, PredicateError> {
    without_fifos(input.program)?;
    let config = ReduceConfig {
        model,
        sizes: BufferSizes::ONE,
        fences: fences.clone(),
        flush: Flush::Background,
    };
    Ok(reduce::reduce_to_fifos(
        input.source,
        input.program,
        &config,
    )?)
}

/// Reduces a program for a model, with its buffers in slots or FIFOs.
pub fn stage_with(
    input: &Input<'_>,
    (model, buffers): (Model, &Buffers),
    fences: &IndexSet<String>,
    stop: &Stop,
) -> Result<Reduction, PredicateError> {
    match buffers {
        Buffers::Slots(sizes) => {
            let how = Transformers::Optimized;
            stage(input, (model, sizes), fences, how, stop)
        }
        Buffers::Fifos => fifo_stage(input, model, fences),
    }
}

/// That a program has no FIFOs: no test holds proofs of programs with FIFOs against concrete runs.
pub(super) fn without_fifos(program: &Checked) -> Result<(), PredicateError> {
    let found = reduce::without_fifos(program, "the predicate engine");
    found.map_err(|diagnostic| PredicateError::Source(vec![diagnostic]))
}

/// The proof for a stage: extrapolated, or as it is for the traditional method.
pub fn extrapolated(
    input: &Input<'_>,
    stage: &Reduction,
    method: Method,
    config: &ExtrapolateConfig,
) -> Result<Extrapolation, PredicateError> {
    let found = match method {
        Method::Trad => carry_over(input.proof, stage),
        Method::Pe | Method::Ce | Method::Lazy => extrapolate(input.proof, stage, config),
    };
    found.map_err(|error| match error {
        ExtrapolateError::TooLarge(error) => too_large(error, Span::default()),
        ExtrapolateError::TooMany(error) => error.into(),
    })
}

/// Abstracts a stage's program.
pub fn abstracted(
    input: &Input<'_>,
    stage: &Reduction,
    proof: (&Extrapolation, Method),
    config: &PredicateConfig,
    context: &Context,
) -> Result<Abstraction, PredicateError> {
    let built = abstracted_within(input, stage, proof, config, context, u64::MAX)?;
    Ok(built.expect("the allowance is enough"))
}

/// Abstracts a stage's program as far as an allowance for new questions goes; else what they took.
pub(super) fn abstracted_within(
    input: &Input<'_>,
    stage: &Reduction,
    (proof, method): (&Extrapolation, Method),
    config: &PredicateConfig,
    context: &Context,
    allowance: u64,
) -> Result<Result<Abstraction, Spent>, PredicateError> {
    let search = match method {
        Method::Ce => Search::Candidates(proof.cubes.clone()),
        Method::Trad | Method::Pe | Method::Lazy => config.search.clone(),
    };
    let how = AbstractionConfig {
        search,
        sizes: config.sizes,
        transformers: config.transformers,
        jobs: context.jobs,
        context: SearchContext {
            stop: context.stop.clone(),
            memo: context.memo.clone(),
            optimizations: config.optimizations,
            progress: context.progress.clone(),
        },
        buffers: forgotten(stage, config),
        allowance,
    };
    match abstract_program(&stage.program, input.source, &proof.predicates, &how) {
        Ok(abstraction) => Ok(Ok(abstraction)),
        Err(AbstractionError::Paused(spent)) => Ok(Err(spent)),
        Err(error) => Err(not_abstracted(error)),
    }
}

/// The error that there is no abstraction.
pub(super) fn not_abstracted(error: AbstractionError) -> PredicateError {
    match error {
        AbstractionError::TooLarge { span, error } => too_large(error, span),
        // A search without an allowance does not pause.
        AbstractionError::Stopped | AbstractionError::Paused(_) => PredicateError::Stopped,
    }
}

/// The buffers whose unused slots are forgotten.
pub(super) fn forgotten(stage: &Reduction, config: &PredicateConfig) -> Vec<BufferVars> {
    match config.keep_slots {
        true => Vec::new(),
        false => stage.buffers().to_vec(),
    }
}

/// The error that a number is too large.
pub(super) fn too_large(error: TooLarge, span: Span) -> PredicateError {
    let diagnostic = Diagnostic::error(error.to_string(), span, "in this statement")
        .with_note("use smaller constants");
    PredicateError::Source(vec![diagnostic])
}
