//! `cupola prove`: verifies under SC and completes the proof with its cubes.

use clap::Args;
use cupola::pipeline::{self, Proved};
use cupola::program;
use cupola::report::{AttemptOutcome, Method};
use indexmap::IndexSet;
use serde_json::json;

use super::pipeline::{Loaded, PipelineArgs};
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, OutputArgs, ReportArgs};

/// Verifies a program under sequential consistency and prints the proof with its cubes.
#[derive(Clone, Debug, Args)]
pub struct ProveArgs {
    #[command(flatten)]
    pipeline: PipelineArgs,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &ProveArgs, console: &Console) -> Result<Answer, Failure> {
    let loaded = args.pipeline.load(console)?;
    let config = args.pipeline.config();
    let watchdog = Watchdog::over(config.stop(), console);
    let proved = pipeline::prove(&loaded.task(), &config);
    drop(watchdog);
    let proved = match proved {
        Ok(proved) => proved,
        Err(error) => return Err(loaded.failure(error)),
    };
    let program = program::lower(&loaded.checked, &IndexSet::new());
    let (verdict, exit, why) = judged(&proved, &loaded);
    if let Some(why) = &why {
        console.note(&format!("{verdict}: {why}"));
    }
    let text = || {
        proved
            .proof
            .as_ref()
            .map_or(String::new(), |proof| proof.text(&program))
    };
    let json = || {
        let (predicates, cubes) = proved
            .proof
            .as_ref()
            .unwrap_or(&loaded.proof)
            .lines(&program);
        json!({
            "schema": 1,
            "program": loaded.file.name(),
            "harvested": loaded.harvested,
            "verdict": verdict,
            "reason": why,
            "predicates": predicates,
            "cubes": cubes,
        })
    };
    let mut answer = args.report.answer(text, json, exit);
    if proved.proof.is_none() && !args.report.json {
        // There is nothing to write.
        answer.output = OutputArgs::default();
    }
    Ok(answer)
}

/// What is to be said of a proof: a word, how the command ends, and why there is none.
pub fn judged(proved: &Proved, loaded: &Loaded) -> (&'static str, Exit, Option<String>) {
    let attempt = &proved.attempt;
    match (&proved.proof, &attempt.outcome) {
        (Some(_), _) => ("verified", Exit::Done, None),
        (None, outcome) => {
            let why = explanation(outcome, attempt.method, loaded);
            match outcome {
                AttemptOutcome::Violated(_) => ("violated", Exit::Violated, Some(why)),
                _ => ("unknown", Exit::Unknown, Some(why)),
            }
        }
    }
}

fn explanation(outcome: &AttemptOutcome, method: Method, loaded: &Loaded) -> String {
    match outcome {
        AttemptOutcome::Violated(violation) => format!(
            "under sc `{}` is broken by this execution:\n{}",
            violation.property,
            violation.text(&loaded.file)
        ),
        AttemptOutcome::Abstraction(property, trace)
        | AttemptOutcome::Overflow(property, trace) => format!(
            "under sc the predicates cannot exclude that `{}` is broken:\n{}",
            property.name,
            trace.explained(method, loaded.harvested().as_deref())
        ),
        AttemptOutcome::Limit(_) => {
            "a limit was reached; try `--max-states` or `--timeout`".to_owned()
        }
        AttemptOutcome::Verified => "the proof was not found".to_owned(),
    }
}
