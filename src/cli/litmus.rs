//! `cupola litmus`: decides herd's x86 litmus tests.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use cupola::lang;
use cupola::lang::source::SourceFile;
use cupola::litmus::expect::{Comparison, Expectations};
use cupola::litmus::syntax::Test;
use cupola::litmus::{self, Decision, Limits, report};
use cupola::model::Model;
use serde_json::json;

use super::input::seconds;
use super::{Answer, Console, Exit, Failure, Input, ReportArgs};

/// Decides herd's x86 litmus tests by exact exploration, and prints herd's report of each.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done, or all as expected; 10 some not as expected; 5 some unknown; 2 bad input or usage."
)]
pub struct LitmusArgs {
    /// Tests, or folders with tests in files `*.litmus`; `-` is standard input.
    #[arg(value_name = "FILE.litmus", required = true)]
    files: Vec<PathBuf>,

    /// The memory model.
    #[arg(
        long,
        value_enum,
        value_name = "sc|tso|pso",
        hide_possible_values = true,
        required_unless_present = "to_cup"
    )]
    model: Option<Model>,

    /// Compare with this table, a line `name,Never|Sometimes|Always` per test, and print a summary.
    #[arg(long, value_name = "FILE.csv")]
    expect: Option<PathBuf>,

    /// Print the test as a program instead.
    #[arg(long, conflicts_with_all = ["expect", "json"])]
    to_cup: bool,

    /// The greatest number of states.
    #[arg(long, value_name = "N", default_value = "4000000")]
    max_states: NonZeroUsize,

    /// Stop after this many seconds for a test.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// A test that was read, decided or not.
struct Entry {
    file: String,
    test: Test,
}

/// Runs the command.
pub fn run(args: &LitmusArgs, console: &Console) -> Result<Answer, Failure> {
    let entries = read(args, console)?;
    let (text, exit) = match args.model {
        Some(model) if !args.to_cup => decide(args, model, &entries)?,
        _ => (program(&entries)?, Exit::Done),
    };
    Ok(Answer {
        text,
        output: args.report.output.clone(),
        exit,
    })
}

fn decide(args: &LitmusArgs, model: Model, entries: &[Entry]) -> Result<(String, Exit), Failure> {
    let expectations = args.expect.as_deref().map(expectations).transpose()?;
    let limits = Limits {
        max_states: args.max_states.get(),
        timeout: args.timeout,
    };
    let decisions: Vec<Decision> = entries
        .iter()
        .map(|entry| litmus::decide(&entry.test, model, &limits))
        .collect();
    let comparison = expectations.map(|expectations| {
        let names = entries.iter().map(|entry| entry.test.name.as_str());
        expectations.compare(model, names.zip(&decisions))
    });
    let text = match (args.report.json, &comparison) {
        (true, _) => json_report(model, entries, &decisions, comparison.as_ref()),
        (false, Some(comparison)) => comparison.text(),
        (false, None) => {
            let reports = entries.iter().zip(&decisions);
            let reports = reports.map(|(entry, decision)| report::text(&entry.test, decision));
            reports.collect::<Vec<_>>().join("\n")
        }
    };
    Ok((text, exit(&decisions, comparison.as_ref())))
}

fn exit(decisions: &[Decision], comparison: Option<&Comparison>) -> Exit {
    let is_unknown = |decision: &Decision| matches!(decision, Decision::Unknown(_));
    if comparison.is_some_and(Comparison::differs) {
        Exit::Violated
    } else if decisions.iter().any(is_unknown) {
        Exit::Unknown
    } else {
        Exit::Done
    }
}

fn json_report(
    model: Model,
    entries: &[Entry],
    decisions: &[Decision],
    comparison: Option<&Comparison>,
) -> String {
    let tests = entries.iter().zip(decisions);
    let tests = tests.map(|(entry, decision)| report::json(&entry.file, &entry.test, decision));
    let report = json!({
        "schema": 1,
        "model": model.to_string(),
        "tests": tests.collect::<Vec<_>>(),
        "comparison": comparison.map(Comparison::json),
    });
    format!("{report:#}\n")
}

fn program(entries: &[Entry]) -> Result<String, Failure> {
    match entries {
        [entry] => Ok(lang::print(&litmus::translate(&entry.test))),
        _ => Err(Failure::with_way_out(
            format!("{} tests are not one program", entries.len()),
            "give `--to-cup` one test at a time",
        )),
    }
}

fn expectations(path: &Path) -> Result<Expectations, Failure> {
    let file = source(path)?;
    Expectations::parse(&file).map_err(|diagnostics| Failure::Source(file, diagnostics))
}

/// Reads all tests; what is wrong in any of them is shown before the command gives up.
fn read(args: &LitmusArgs, console: &Console) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    let mut failed = None;
    for path in paths(&args.files)? {
        let file = source(&path)?;
        match litmus::parse(&file) {
            Ok(test) => entries.push(Entry {
                file: file.name().to_owned(),
                test,
            }),
            Err(diagnostics) => {
                if let Some((file, diagnostics)) = failed.replace((file, diagnostics)) {
                    console.diagnostics(&file, &diagnostics);
                }
            }
        }
    }
    match failed {
        Some((file, diagnostics)) => Err(Failure::Source(file, diagnostics)),
        None => Ok(entries),
    }
}

fn source(path: &Path) -> Result<SourceFile, Failure> {
    let input = Input {
        file: path.to_owned(),
    };
    input.read()
}

/// The files that are meant: those given, and the tests in the folders given.
fn paths(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for path in given {
        if !path.is_dir() {
            paths.push(path.clone());
            continue;
        }
        let tests = tests_in(path).map_err(|error| {
            Failure::message(format!(
                "cannot read the folder `{}`: {error}",
                path.display()
            ))
        })?;
        if tests.is_empty() {
            let message = format!("there is no test in the folder `{}`", path.display());
            return Err(Failure::with_way_out(message, "tests are files `*.litmus`"));
        }
        paths.extend(tests);
    }
    Ok(paths)
}

/// The tests in a folder and the folders in it, in order.
fn tests_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut tests = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            // A link to a folder is not followed: it may lead in a circle.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "litmus")
            {
                tests.push(path);
            }
        }
    }
    tests.sort();
    Ok(tests)
}
