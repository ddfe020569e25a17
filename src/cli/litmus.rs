//! `cupola litmus`: decides herd's x86 litmus tests.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use cupola::engine::{Context, Limits};
use cupola::front::cup;
use cupola::litmus::expect::{Comparison, Expectations};
use cupola::litmus::syntax::Test;
use cupola::litmus::{self, Decision};
use cupola::memory::Model;
use cupola::render::{self, SCHEMA};
use cupola::run::stop::Stop;
use serde_json::{Value, json};

use super::input::{deadline, once_from_stdin, read, seconds, stem};
use super::model::ModelsArg;
use super::several::Body;
use super::{Answer, Console, Exit, Failure, Part, Parts, ReportArgs};

/// Decides herd's x86 litmus tests by exact exploration, and prints herd's report of each.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done, or all as expected; 10 some not as expected; 5 some unknown; 2 bad input or usage."
)]
pub struct LitmusArgs {
    /// Tests, or folders with tests in files `*.litmus`; `-` is standard input.
    #[arg(value_name = "FILE.litmus", required = true)]
    files: Vec<PathBuf>,

    /// The memory models: `sc`, `tso`, `pso`, several separated by commas, or `all`.
    #[arg(long, value_name = "M[,M…]|all", required_unless_present = "to_cup")]
    model: Option<ModelsArg>,

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

/// A test that was read.
struct Entry {
    /// The name of its file.
    file: String,
    /// What its results are called.
    stem: String,
    test: Test,
}

/// Runs the command.
pub fn run(args: &LitmusArgs, console: &Console) -> Result<Answer, Failure> {
    let models = match &args.model {
        Some(models) if !args.to_cup => &models.0[..],
        _ => &[],
    };
    let mut parts = Parts::new(&args.report.output, models.len() > 1, console)?;
    let expectations = args.expectations(models)?;
    let mut entries = Vec::new();
    for path in paths(&args.files)? {
        match entry(&path) {
            Ok(entry) => entries.push(entry),
            Err(failure) => parts.add(Err(failure)),
        }
    }
    match args.to_cup {
        _ if entries.is_empty() => {}
        true => parts.add(program(&entries)),
        false => {
            for &model in models {
                let part = args.decide(model, &entries, expectations.as_ref(), console);
                parts.add(Ok(part));
            }
        }
    }
    parts.answer()
}

impl LitmusArgs {
    /// What is expected, under the one model that it is expected under.
    fn expectations(&self, models: &[Model]) -> Result<Option<Expectations>, Failure> {
        let Some(path) = &self.expect else {
            return Ok(None);
        };
        if models.len() > 1 {
            return Err(Failure::with_hint(
                "a table of expectations is for one model",
                "give `--model` one model at a time",
            ));
        }
        let file = read(path)?;
        match Expectations::parse(&file) {
            Ok(expectations) => Ok(Some(expectations)),
            Err(diagnostics) => Err(Failure::Source(file, diagnostics)),
        }
    }

    /// Decides all tests under a model.
    fn decide(
        &self,
        model: Model,
        entries: &[Entry],
        expectations: Option<&Expectations>,
        console: &Console,
    ) -> Part {
        let context = self.context();
        let decisions: Vec<Decision> = entries
            .iter()
            .map(|entry| litmus::decide(&entry.test, model, &context))
            .collect();
        let comparison = expectations.map(|expectations| {
            let names = entries.iter().map(|entry| entry.test.name.as_str());
            expectations.compare(model, names.zip(&decisions))
        });
        let page = console.page(&self.report.output);
        let text = || match &comparison {
            Some(comparison) => render::litmus::comparison_text(comparison, &page),
            None => {
                let blocks = entries.iter().zip(&decisions);
                let blocks = blocks.map(|(entry, decision)| {
                    render::litmus::text(&entry.test, decision, &context, &page)
                });
                let heading = self.heading(model);
                heading
                    .into_iter()
                    .chain(blocks)
                    .collect::<Vec<_>>()
                    .join("\n")
            }
        };
        let json = || json_report(model, entries, &decisions, comparison.as_ref());
        let exit = exit(&decisions, comparison.as_ref());
        let name = format!("litmus.{model}");
        self.report.part((name, "txt"), text, json, exit)
    }

    fn context(&self) -> Context {
        Context {
            stop: Stop {
                deadline: self.timeout.and_then(deadline),
                ..Stop::default()
            },
            limits: Limits {
                explore_states: self.max_states.get(),
                ..Limits::default()
            },
            ..Context::default()
        }
    }

    /// The line that names the model, where there are several.
    fn heading(&self, model: Model) -> Option<String> {
        let several = self.model.as_ref().is_some_and(|models| models.0.len() > 1);
        several.then(|| format!("Model {model}\n"))
    }
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
) -> Value {
    let tests = entries.iter().zip(decisions);
    let tests =
        tests.map(|(entry, decision)| render::litmus::json(&entry.file, &entry.test, decision));
    json!({
        "schema": SCHEMA,
        "model": model.to_string(),
        "tests": tests.collect::<Vec<_>>(),
        "comparison": comparison.map(render::litmus::comparison_json),
    })
}

/// The program that stands for the only test.
fn program(entries: &[Entry]) -> Result<Part, Failure> {
    match entries {
        [entry] => Ok(Part {
            name: entry.stem.clone(),
            body: Body::Text(cup::print(&litmus::translate(&entry.test)), "cup"),
            exit: Exit::Done,
        }),
        _ => Err(Failure::with_hint(
            format!("{} tests are not one program", entries.len()),
            "give `--to-cup` one test at a time",
        )),
    }
}

/// Reads a test.
fn entry(path: &Path) -> Result<Entry, Failure> {
    let file = read(path)?;
    match litmus::parse(&file) {
        Ok(test) => Ok(Entry {
            file: file.name().to_owned(),
            stem: stem(path),
            test,
        }),
        Err(diagnostics) => Err(Failure::Source(file, diagnostics)),
    }
}

/// The files that are meant: those given, and the tests in the folders given.
fn paths(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    once_from_stdin(given)?;
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
            return Err(Failure::with_hint(message, "tests are files `*.litmus`"));
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
