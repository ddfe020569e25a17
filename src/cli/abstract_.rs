//! `cupola abstract`: the boolean program for a model.

use clap::Args;
use cupola::abstraction::Abstraction;
use cupola::engine::predicate::{self, PredicateError};
use cupola::memory::Model;
use cupola::render::SCHEMA;
use cupola::verdict::{Limit, Method};
use serde_json::json;

use super::model::{EntriesArg, ModelArg, ReductionArg};
use super::pipeline::PipelineArgs;
use super::prove;
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, Input, OutputArgs, ReportArgs, stopped};

/// Prints the boolean program that abstracts a program under a memory model.
#[derive(Clone, Debug, Args)]
pub struct AbstractArgs {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    pipeline: PipelineArgs,

    #[command(flatten)]
    under: ModelArg,

    #[command(flatten)]
    entries: EntriesArg,

    /// How it is built; by default `trad` under SC and `pe` elsewhere. `ce` needs the proof's cubes.
    #[arg(long, value_name = "trad|pe|ce", value_parser = super::verify::method)]
    method: Option<Method>,

    #[command(flatten)]
    reduction: ReductionArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &AbstractArgs, console: &Console) -> Result<Answer, Failure> {
    args.report.output.check()?;
    let (config, context) = (args.pipeline.config(), args.pipeline.context(console));
    let loaded = args.pipeline.load(&args.input, console)?;
    loaded.tell_harvested(console);
    let method = match (args.method, args.under.model) {
        (Some(Method::Lazy), _) => {
            return Err(Failure::with_hint(
                "the lazy method builds no boolean program",
                "ask for `--method pe` or `--method ce`",
            ));
        }
        (Some(method), _) => method,
        (None, Model::Sc) => Method::Trad,
        (None, Model::Tso | Model::Pso) => Method::Pe,
    };
    let fences = args
        .pipeline
        .fences_in_force(&loaded.checked, args.under.model)?;
    let buffers = args.reduction.buffers(&args.entries);
    let bound = (args.under.model, &buffers);
    context.progress.begin("reducing".to_owned());
    let watchdog = Watchdog::over(context.stop.clone(), context.progress.clone(), console);
    let input = loaded.input();
    let built = predicate::stage_with(&input, bound, &fences, &context.stop)
        .and_then(|stage| predicate::boolean_program(&input, &stage, method, &config, &context));
    drop(watchdog);
    let (built, exit, why) = match built {
        Ok(Ok(abstraction))
            if abstraction.spent.effort.unknown > 0 && context.stop.should_stop() =>
        {
            let why = "unknown: the time was over before all questions were answered";
            (None, Exit::Unknown, Some(why.to_owned()))
        }
        Ok(Ok(abstraction)) => {
            warn(&abstraction, console);
            (Some(abstraction), Exit::Done, None)
        }
        Ok(Err(proved)) => {
            let (verdict, exit, why) =
                prove::judged(&proved, &loaded, &console.page(&args.report.output));
            let why = why.unwrap_or_default();
            let needs = "cube extrapolation needs the proof's cubes, and";
            (None, exit, Some(format!("{verdict}: {needs} {why}")))
        }
        Err(PredicateError::Stopped) => {
            let why = stopped(Limit::of_stop(&context.stop));
            (None, Exit::Unknown, Some(why))
        }
        Err(error) => return Err(loaded.stage_failure(error, &context.stop)),
    };
    if let Some(why) = &why {
        console.note(why);
    }
    let text = || {
        let built = built.as_ref();
        built.map(|abstraction| abstraction.program.to_string())
    };
    let json = || {
        let built = built.as_ref();
        json!({
            "schema": SCHEMA,
            "program": loaded.file.name(),
            "harvested": loaded.harvested,
            "model": args.under.model,
            "k": buffers.sizes(),
            "reduction": buffers.reduction(),
            "method": method.name(),
            "reason": why,
            "predicates": built.map(|abstraction| abstraction.predicates.len()),
            "cubes_used": built.map(|abstraction| abstraction.cubes.len()),
            "smt_calls": built.map(|abstraction| abstraction.spent.effort.calls),
            "smt_unknown": built.map(|abstraction| abstraction.spent.effort.unknown),
            "text": text(),
        })
    };
    let mut answer = args
        .report
        .answer(|| text().unwrap_or_default(), json, (exit, console));
    if built.is_none() && !args.report.json {
        // There is nothing to write.
        answer.output = OutputArgs::default();
    }
    Ok(answer)
}

/// Says so if questions had no answer: then the boolean program allows more than it need.
fn warn(abstraction: &Abstraction, console: &Console) {
    let unknown = abstraction.spent.effort.unknown;
    if unknown > 0 {
        console.note(&format!(
            "{unknown} questions had no answer, and count as not implied: the boolean program is weaker than it could be"
        ));
    }
}
