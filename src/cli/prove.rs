//! `cupola prove`: verifies under SC and completes the proof with its cubes.

use clap::Args;
use cupola::pipeline;
use cupola::program;
use cupola::report::AttemptOutcome;
use indexmap::IndexSet;

use super::pipeline::PipelineArgs;
use super::{Answer, Console, Exit, Failure, OutputArgs};

/// Verifies a program under sequential consistency and prints the proof with its cubes.
#[derive(Clone, Debug, Args)]
pub struct ProveArgs {
    #[command(flatten)]
    pipeline: PipelineArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(args: &ProveArgs, console: &Console) -> Result<Answer, Failure> {
    let loaded = args.pipeline.load(console)?;
    let proved = match pipeline::prove(&loaded.task(), &args.pipeline.config()) {
        Ok(proved) => proved,
        Err(error) => return Err(loaded.failure(error)),
    };
    let (text, exit) = match &proved.proof {
        Some(proof) => {
            let program = program::lower(&loaded.checked, &IndexSet::new());
            (proof.text(&program), Exit::Done)
        }
        None => {
            console.note(&explanation(&proved.attempt.outcome));
            (String::new(), Exit::Unknown)
        }
    };
    Ok(Answer {
        text,
        output: match exit {
            // Without a proof there is nothing to write.
            Exit::Unknown => OutputArgs::default(),
            _ => args.output.clone(),
        },
        exit,
    })
}

fn explanation(outcome: &AttemptOutcome) -> String {
    match outcome {
        AttemptOutcome::Abstraction(property, trace) => format!(
            "unknown: under sc the predicates cannot exclude that `{}` is broken:\n{}",
            property.name,
            trace.text()
        ),
        AttemptOutcome::Limit(_) => {
            "unknown: a limit was reached; try `--max-states` or `--timeout`".to_owned()
        }
        AttemptOutcome::Overflow(_) | AttemptOutcome::Verified | AttemptOutcome::Violated(_) => {
            "unknown".to_owned()
        }
    }
}
