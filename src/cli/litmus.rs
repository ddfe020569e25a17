//! `cupola litmus`: decides herd's x86 litmus tests.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use cupola::engine::explore::ExploreConfig;
use cupola::engine::{Context, Limits};
use cupola::front::{Format, cup};
use cupola::litmus::expect::{Comparison, Expectations};
use cupola::litmus::syntax::Test;
use cupola::litmus::{self, Decision};
use cupola::memory::Model;
use cupola::render::litmus::{Decided, Refused};
use cupola::render::{self, Page, SCHEMA};
use cupola::source::{Diagnostic, SourceFile};
use serde_json::{Value, json};

use super::input::{once_from_stdin, read, seconds, stem};
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::model::ModelsArg;
use super::pages::{HtmlArg, Pages, SvgArg};
use super::several::Body;
use super::{Answer, Console, Exit, Failure, Part, Parts, ReportArgs};

/// Decides herd's x86 litmus tests by exact exploration, and prints herd's report of each.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done, or all as expected; 10 some not as expected; 5 some unknown or not modelled; 2 bad input or usage."
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
    #[arg(long, conflicts_with_all = ["expect", "json", "html", "svg"])]
    to_cup: bool,

    /// Print an execution too: to a state that `exists` asks for, or one that contradicts `forall`.
    #[arg(long, conflicts_with_all = ["expect", "to_cup"])]
    witness: bool,

    /// The longest that a store buffer may get in a test with jumps; in others it holds all stores.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_BUFFER)]
    buffer: NonZeroUsize,

    /// The greatest number of states.
    #[arg(long, value_name = "N", default_value = "4000000")]
    max_states: NonZeroUsize,

    /// Stop after this many seconds for a test.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    page: HtmlArg,

    #[command(flatten)]
    drawing: SvgArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// What [`litmus::LOOP_BUFFER`] says.
const DEFAULT_BUFFER: NonZeroUsize = NonZeroUsize::new(litmus::LOOP_BUFFER).expect("it is not 0");

/// A test that was read.
struct Entry {
    source: SourceFile,
    /// What its results are called.
    stem: String,
    test: Test,
}

/// All tests that are given.
#[derive(Default)]
struct Entries {
    read: Vec<Entry>,
    /// Those that are not modelled, with the reasons.
    refused: Vec<(SourceFile, Vec<Diagnostic>)>,
}

/// Runs the command.
pub fn run(args: &LitmusArgs, console: &Console) -> Result<Answer, Failure> {
    let models = match &args.model {
        Some(models) if !args.to_cup => &models.0[..],
        _ => &[],
    };
    let mut parts = Parts::new(&args.report.output, models.len() > 1, console)?;
    let shown = (&args.page, Some(&args.drawing));
    let mut pages = Pages::new("Litmus tests", shown, args.report.output.force)?;
    let expectations = args.expectations(models)?;
    let mut entries = Entries::default();
    for path in paths(&args.files)? {
        if let Err(failure) = entries.add(&path) {
            parts.add(Err(failure));
        }
    }
    match args.to_cup {
        true => entries.programs(&mut parts),
        false if entries.is_empty() => {}
        false => {
            for &model in models {
                let about = (&entries, expectations.as_ref());
                let part = args.decide(model, about, &mut pages, console);
                parts.add(Ok(part));
            }
        }
    }
    parts.beside(pages.write(console));
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
        (entries, expectations): (&Entries, Option<&Expectations>),
        pages: &mut Pages<'_>,
        console: &Console,
    ) -> Part {
        let (buffer, context) = (self.buffer.get(), self.context(console));
        let decisions: Vec<(Decision, ExploreConfig)> = entries
            .read
            .iter()
            .map(|entry| {
                let decision = litmus::decide(&entry.test, model, buffer, &context);
                let config = litmus::explore_config(&entry.test, buffer, &context);
                (decision, config)
            })
            .collect();
        let tests = entries.read.iter().zip(&decisions);
        let tests: Vec<Decided<'_>> = tests
            .map(|(entry, (decision, config))| Decided {
                source: &entry.source,
                test: &entry.test,
                decision,
                config,
                witness: self.witness,
            })
            .collect();
        let comparison = expectations.map(|expectations| {
            let pairs = tests.iter();
            let pairs = pairs.map(|each| (each.test.name.as_str(), each.decision));
            expectations.compare(model, pairs)
        });
        let unlimited = Page::unlimited();
        pages.show(|| tests.iter().map(|test| test.section(model, &unlimited)));
        pages.draw(tests.iter().find_map(Decided::execution));
        let page = console.page(&self.report.output);
        let text = || self.text(model, &tests, comparison.as_ref(), entries, &page);
        let json = || json_report(model, &tests, comparison.as_ref(), entries);
        let exit = exit(&tests, comparison.as_ref(), entries);
        let name = format!("litmus.{model}");
        self.report.part((name, "txt"), text, json, exit)
    }

    fn text(
        &self,
        model: Model,
        tests: &[Decided<'_>],
        comparison: Option<&Comparison>,
        entries: &Entries,
        page: &Page,
    ) -> String {
        let refused = entries.refusals();
        let listed = (!refused.is_empty()).then(|| render::litmus::refused_text(&refused, page));
        match comparison {
            Some(comparison) => {
                let summary = render::litmus::comparison_text(comparison, page);
                summary + &listed.unwrap_or_default()
            }
            None => {
                let blocks = tests.iter().map(|test| test.text(page));
                let blocks = self.heading(model).into_iter().chain(blocks);
                blocks.chain(listed).collect::<Vec<_>>().join("\n")
            }
        }
    }

    fn context(&self, console: &Console) -> Context {
        Context {
            stop: memory::stop(self.timeout, &stop_on_interrupt(console)),
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

impl Entries {
    /// Reads a test.
    fn add(&mut self, path: &Path) -> Result<(), Failure> {
        let source = read(path)?;
        if let Some(Format::Cup | Format::Rmm) = Format::of(path) {
            return Err(Failure::with_hint(
                format!("`{}` is a program, not a litmus test", path.display()),
                "give it to `cupola verify` or `cupola explore`",
            ));
        }
        match litmus::parse(&source) {
            Ok(test) => self.read.push(Entry {
                source,
                stem: stem(path),
                test,
            }),
            Err(rejection) if rejection.not_modelled => {
                self.refused.push((source, rejection.diagnostics));
            }
            Err(rejection) => return Err(Failure::Source(source, rejection.diagnostics)),
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.read.is_empty() && self.refused.is_empty()
    }

    fn refusals(&self) -> Vec<Refused<'_>> {
        let refused = self.refused.iter();
        let refused = refused.map(|(source, diagnostics)| Refused {
            source,
            diagnostics,
        });
        refused.collect()
    }

    /// The program that stands for the only test.
    fn programs(self, parts: &mut Parts<'_>) {
        let count = self.read.len() + self.refused.len();
        if count > 1 {
            parts.add(Err(Failure::with_hint(
                format!("{count} tests are not one program"),
                "give `--to-cup` one test at a time",
            )));
            return;
        }
        for (source, diagnostics) in self.refused {
            parts.add(Err(Failure::Source(source, diagnostics)));
        }
        for entry in self.read {
            parts.add(Ok(Part {
                name: entry.stem,
                body: Body::Text(cup::print(&litmus::translate(&entry.test)), "cup"),
                exit: Exit::Done,
            }));
        }
    }
}

fn exit(tests: &[Decided<'_>], comparison: Option<&Comparison>, entries: &Entries) -> Exit {
    let is_open = |test: &Decided<'_>| !matches!(test.decision, Decision::Decided(_));
    if comparison.is_some_and(Comparison::differs) {
        Exit::Violated
    } else if tests.iter().any(is_open) || !entries.refused.is_empty() {
        Exit::Unknown
    } else {
        Exit::Done
    }
}

fn json_report(
    model: Model,
    tests: &[Decided<'_>],
    comparison: Option<&Comparison>,
    entries: &Entries,
) -> Value {
    json!({
        "schema": SCHEMA,
        "model": model.to_string(),
        "tests": tests.iter().map(Decided::json).collect::<Value>(),
        "not_modelled": entries.refusals().iter().map(Refused::json).collect::<Value>(),
        "comparison": comparison.map(render::litmus::comparison_json),
    })
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
