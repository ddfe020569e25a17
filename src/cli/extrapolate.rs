//! `cupola extrapolate`: the predicates and cubes for a model.

use clap::Args;
use cupola::engine::predicate;
use cupola::render::SCHEMA;
use cupola::verdict::Method;
use serde_json::json;

use super::model::{EntriesArg, ModelArg, ReductionArg};
use super::pipeline::PipelineArgs;
use super::{Answer, Console, Exit, Failure, Input, ReportArgs};

/// Prints the predicates and cubes for a memory model, each with the rule it comes from.
#[derive(Clone, Debug, Args)]
pub struct ExtrapolateArgs {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    pipeline: PipelineArgs,

    #[command(flatten)]
    under: ModelArg,

    #[command(flatten)]
    entries: EntriesArg,

    #[command(flatten)]
    reduction: ReductionArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &ExtrapolateArgs, console: &Console) -> Result<Answer, Failure> {
    args.report.output.check()?;
    let (config, context) = (args.pipeline.config(), args.pipeline.context(console));
    let loaded = args.pipeline.load(&args.input, console)?;
    loaded.tell_harvested(console);
    let fences = args
        .pipeline
        .fences_in_force(&loaded.checked, args.under.model)?;
    let buffers = args.reduction.buffers(&args.entries);
    let input = loaded.input();
    let bound = (args.under.model, &buffers);
    let stage = predicate::stage_with(&input, bound, &fences, &context.stop);
    let extrapolated = stage.and_then(|stage| {
        let found = predicate::extrapolated(&input, &stage, Method::Pe, &config.extrapolate)?;
        Ok((stage, found))
    });
    match extrapolated {
        Ok((stage, found)) => {
            let text = || found.text(&stage.program);
            let json = || {
                let (predicates, cubes) = found.json(&stage.program);
                json!({
                    "schema": SCHEMA,
                    "program": loaded.file.name(),
                    "harvested": loaded.harvested,
                    "model": stage.model(),
                    "k": buffers.sizes(),
                    "reduction": buffers.reduction(),
                    "predicates": predicates,
                    "cubes": cubes,
                })
            };
            Ok(args.report.answer(text, json, (Exit::Done, console)))
        }
        Err(error) => Err(loaded.stage_failure(error, &context.stop)),
    }
}
