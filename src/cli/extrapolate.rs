//! `cupola extrapolate`: the predicates and cubes for a model.

use clap::Args;
use cupola::pipeline;
use cupola::report::Method;
use serde_json::json;

use super::model::{EntriesArg, ModelArg};
use super::pipeline::PipelineArgs;
use super::{Answer, Console, Exit, Failure, ReportArgs};

/// Prints the predicates and cubes for a memory model, each with the rule it comes from.
#[derive(Clone, Debug, Args)]
pub struct ExtrapolateArgs {
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
    let loaded = args.pipeline.load(console)?;
    let config = args.pipeline.config();
    let extrapolated = pipeline::stage(
        &loaded.task(),
        args.under.model,
        usize::from(args.entries.k),
        &config.placement,
    )
    .and_then(|stage| {
        let found =
            pipeline::extrapolated(&loaded.task(), &stage, Method::Pe, &config.extrapolate)?;
        Ok((stage, found))
    });
    match extrapolated {
        Ok((stage, found)) => {
            let text = || found.text(&stage.reduced);
            let json = || {
                let (predicates, cubes) = found.json(&stage.reduced);
                json!({
                    "schema": 1,
                    "program": loaded.file.name(),
                    "harvested": loaded.harvested,
                    "model": stage.model,
                    "k": args.entries.k,
                    "predicates": predicates,
                    "cubes": cubes,
                })
            };
            Ok(args.report.answer(text, json, Exit::Done))
        }
        Err(error) => Err(loaded.failure(error)),
    }
}
