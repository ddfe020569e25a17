//! `cupola prove`: verifies under SC and completes the proof with its cubes.

use clap::Args;
use cupola::lang::source::SourceFile;
use cupola::pipeline;
use cupola::program;
use cupola::report::{AttemptOutcome, Method};
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
            let outcome = &proved.attempt.outcome;
            console.note(&explanation(outcome, proved.attempt.method, &loaded.file));
            let violated = matches!(outcome, AttemptOutcome::Violated(_));
            let exit = if violated {
                Exit::Violated
            } else {
                Exit::Unknown
            };
            (String::new(), exit)
        }
    };
    Ok(Answer {
        text,
        output: match exit {
            // Without a proof there is nothing to write.
            Exit::Unknown | Exit::Violated => OutputArgs::default(),
            _ => args.output.clone(),
        },
        exit,
    })
}

fn explanation(outcome: &AttemptOutcome, method: Method, source: &SourceFile) -> String {
    match outcome {
        AttemptOutcome::Violated(violation) => format!(
            "violated: under sc `{}` is broken by this execution:\n{}",
            violation.property,
            violation.text(source)
        ),
        AttemptOutcome::Abstraction(property, trace) => format!(
            "unknown: under sc the predicates cannot exclude that `{}` is broken:\n{}",
            property.name,
            trace.explained(method)
        ),
        AttemptOutcome::Limit(_) => {
            "unknown: a limit was reached; try `--max-states` or `--timeout`".to_owned()
        }
        AttemptOutcome::Overflow(..) | AttemptOutcome::Verified => "unknown".to_owned(),
    }
}
