//! `cupola prove`: verifies under SC and completes the proof with its cubes.

use clap::Args;
use cupola::engine::EngineError;
use cupola::engine::predicate::{self, Proved};
use cupola::memory::Model;
use cupola::program;
use cupola::render::verify::VerifyReport;
use cupola::render::{Advice, Page, SCHEMA};
use cupola::verdict::{Limit, Method, Report, Unknown, Verdict};
use indexmap::IndexSet;
use serde_json::json;

use super::pipeline::{Loaded, PipelineArgs};
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, Input, OutputArgs, ReportArgs, why_stopped};

/// Verifies a program under sequential consistency and prints the proof with its cubes.
///
/// Where the predicates of the proof do not suffice, or there are none, more are found by refinement.
#[derive(Clone, Debug, Args)]
pub struct ProveArgs {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    pipeline: PipelineArgs,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &ProveArgs, console: &Console) -> Result<Answer, Failure> {
    args.report.output.check()?;
    let (config, context) = (args.pipeline.config(), args.pipeline.context(console));
    let loaded = args.pipeline.load(&args.input, console)?;
    loaded.tell_harvested(console);
    let watchdog = Watchdog::over(context.stop.clone(), context.progress.clone(), console);
    let fences = IndexSet::new();
    let subject = loaded.subject();
    let task = subject.task(Model::Sc, &fences);
    let proved = predicate::prove_or_find(&task, &config, &context);
    drop(watchdog);
    let proved = match proved {
        Ok(proved) => Some(proved),
        Err(EngineError::Stopped) => None,
        Err(error) => return Err(loaded.failure(error.into(), &context.stop)),
    };
    let program = program::lower(&loaded.checked, &IndexSet::new());
    let (verdict, exit, why) = match &proved {
        Some(proved) => judged(proved, &loaded, &console.page(&args.report.output)),
        None => {
            let why = why_stopped(Limit::of_stop(&context.stop));
            ("unknown", Exit::Unknown, Some(why.to_owned()))
        }
    };
    let proof = proved.as_ref().and_then(|proved| proved.proof.as_ref());
    if let Some(why) = &why {
        console.note(&format!("{verdict}: {why}"));
    }
    let text = || proof.map_or(String::new(), |proof| proof.text(&program));
    let json = || {
        let (predicates, cubes) = proof.unwrap_or(&loaded.proof).lines(&program);
        json!({
            "schema": SCHEMA,
            "program": loaded.file.name(),
            "harvested": loaded.harvested,
            "verdict": verdict,
            "reason": why,
            "predicates": predicates,
            "cubes": cubes,
        })
    };
    let mut answer = args.report.answer(text, json, (exit, console));
    if proof.is_none() && !args.report.json {
        // There is nothing to write.
        answer.output = OutputArgs::default();
    }
    Ok(answer)
}

/// What is to be said of a proof: a word, how the command ends, and why there is none.
pub fn judged(
    proved: &Proved,
    loaded: &Loaded,
    page: &Page,
) -> (&'static str, Exit, Option<String>) {
    if proved.proof.is_some() {
        return ("verified", Exit::Done, None);
    }
    let why = Some(explanation(proved, loaded, page));
    match &proved.attempt.verdict {
        Verdict::Violated(_) => ("violated", Exit::Violated, why),
        Verdict::Verified(_) | Verdict::Unknown(_) => ("unknown", Exit::Unknown, why),
    }
}

/// The limit that was reached, and what to try.
fn limit_text(unknown: &Unknown, page: &Page) -> String {
    let advice = match unknown {
        Unknown::Stopped(Limit::States) => Advice::MoreAbstractStates,
        Unknown::Stopped(limit) => Advice::on(*limit),
        _ => Advice::MoreAbstractStates,
    };
    format!("a limit was reached: {}", page.advise(advice))
}

fn explanation(proved: &Proved, loaded: &Loaded, page: &Page) -> String {
    let attempt = &proved.attempt;
    let report = Report {
        properties: proved.stage.source.properties.clone(),
        results: Vec::new(),
    };
    let harvested = loaded.harvested();
    let shown = VerifyReport {
        source: &loaded.file,
        harvested: harvested.as_deref(),
        predicates: loaded.proof.predicates.len(),
        report: &report,
        rounds: false,
        legend: false,
    };
    match &attempt.verdict {
        Verdict::Violated(violation) => format!(
            "under sc `{}` is broken by this execution:\n{}",
            violation.property().name_text(),
            shown.violation_text(violation, page)
        ),
        Verdict::Unknown(unknown) => match unknown.path() {
            Some(path) => format!(
                "under sc the predicates cannot exclude that `{}` is broken:\n{}",
                proved.stage.program.property(path.property).name_text(),
                shown.explained(path, attempt.settings.method.unwrap_or(Method::Trad), page)
            ),
            None => limit_text(unknown, page),
        },
        Verdict::Verified(_) => "the proof was not found".to_owned(),
    }
}
