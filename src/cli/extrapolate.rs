//! `cupola extrapolate`: the predicates and cubes for a model.

use clap::Args;
use cupola::abstraction::Transformers;
use cupola::engine::predicate;
use cupola::render::SCHEMA;
use cupola::verdict::Method;
use serde_json::json;

use super::model::{EntriesArg, ModelArg};
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
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &ExtrapolateArgs, console: &Console) -> Result<Answer, Failure> {
    args.report.output.check()?;
    let loaded = args.pipeline.load(&args.input, console)?;
    let config = args.pipeline.config();
    let fences = args
        .pipeline
        .fences_in_force(&loaded.checked, args.under.model)?;
    let bound = (args.under.model, &args.entries.k);
    let input = loaded.input();
    let stage = predicate::stage(&input, bound, &fences, Transformers::Optimized);
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
                    "k": args.entries.k,
                    "predicates": predicates,
                    "cubes": cubes,
                })
            };
            Ok(args.report.answer(text, json, (Exit::Done, console)))
        }
        Err(error) => Err(loaded.stage_failure(error)),
    }
}
