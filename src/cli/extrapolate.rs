//! `cupola extrapolate`: the predicates and cubes for a model.

use clap::Args;
use cupola::model::Model;
use cupola::pipeline;
use cupola::report::Method;
use serde_json::json;

use super::pipeline::PipelineArgs;
use super::{Answer, Console, Exit, Failure, ReportArgs};

/// Prints the predicates and cubes for a memory model, each with the rule it comes from.
#[derive(Clone, Debug, Args)]
pub struct ExtrapolateArgs {
    #[command(flatten)]
    pipeline: PipelineArgs,

    /// The memory model.
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "sc|tso|pso"
    )]
    model: Model,

    /// The number of entries of each buffer.
    #[arg(short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    k: u16,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &ExtrapolateArgs, console: &Console) -> Result<Answer, Failure> {
    let loaded = args.pipeline.load(console)?;
    let config = args.pipeline.config();
    let extrapolated = pipeline::stage(
        &loaded.task(),
        args.model,
        usize::from(args.k),
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
                    "k": args.k,
                    "predicates": predicates,
                    "cubes": cubes,
                })
            };
            Ok(args.report.answer(text, json, Exit::Done))
        }
        Err(error) => Err(loaded.failure(error)),
    }
}
