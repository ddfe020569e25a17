//! `cupola abstract`: the boolean program for a model.

use clap::Args;
use cupola::abstraction::Abstraction;
use cupola::model::Model;
use cupola::pipeline;
use cupola::report::Method;
use serde_json::json;

use super::pipeline::PipelineArgs;
use super::prove;
use super::{Answer, Console, Exit, Failure, OutputArgs, ReportArgs};

/// Prints the boolean program that abstracts a program under a memory model.
#[derive(Clone, Debug, Args)]
pub struct AbstractArgs {
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

    /// How it is built; by default `trad` under SC and `pe` elsewhere. `ce` needs the proof's cubes.
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "trad|pe|ce"
    )]
    method: Option<Method>,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &AbstractArgs, console: &Console) -> Result<Answer, Failure> {
    let loaded = args.pipeline.load(console)?;
    let config = args.pipeline.config();
    let method = match (args.method, args.model) {
        (Some(Method::Lazy), _) => {
            return Err(Failure::with_way_out(
                "the lazy method builds no boolean program",
                "ask for `--method pe` or `--method ce`",
            ));
        }
        (Some(method), _) => method,
        (None, Model::Sc) => Method::Trad,
        (None, Model::Tso | Model::Pso) => Method::Pe,
    };
    let built = pipeline::boolean_program(
        &loaded.task(),
        (args.model, usize::from(args.k)),
        method,
        &config,
    );
    match built {
        Ok(Ok(abstraction)) => {
            warn(&abstraction, console);
            let text = || abstraction.program.to_string();
            let json = || {
                json!({
                    "schema": 1,
                    "program": loaded.file.name(),
                    "harvested": loaded.harvested,
                    "model": args.model,
                    "k": args.k,
                    "method": method.name(),
                    "predicates": abstraction.predicates.len(),
                    "cubes_used": abstraction.cubes.len(),
                    "smt_calls": abstraction.effort.calls,
                    "smt_unknown": abstraction.effort.unknown,
                    "text": text(),
                })
            };
            Ok(args.report.answer(text, json, Exit::Done))
        }
        Ok(Err(proved)) => {
            let (verdict, exit, why) = prove::judged(&proved, &loaded);
            console.note(&format!(
                "{verdict}: cube extrapolation needs the proof's cubes, and {}",
                why.unwrap_or_default()
            ));
            Ok(Answer {
                text: String::new(),
                output: OutputArgs::default(),
                exit,
            })
        }
        Err(error) => Err(loaded.failure(error)),
    }
}

/// Says so if questions had no answer: then the boolean program allows more than it need.
fn warn(abstraction: &Abstraction, console: &Console) {
    let unknown = abstraction.effort.unknown;
    if unknown > 0 {
        console.note(&format!(
            "{unknown} questions had no answer, and count as not implied: the boolean program is weaker than it could be"
        ));
    }
}
