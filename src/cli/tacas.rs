//! `cupola bench tacas`: the table of the TACAS 2012 paper, with its figures beside ours.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cupola::bench::tacas::{self, Figures, PROGRAMS, Program, Results, Row, TacasError};
use cupola::engine::Context;
use cupola::engine::predicate::{PastBounds, PredicateConfig};
use cupola::front::{self, Format, Loaded};
use cupola::memory::Model;
use cupola::render;
use cupola::source::SourceFile;

use super::fences::RelaxedArg;
use super::input::{seconds, stem};
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::peer::Memorax;
use super::pipeline::engine_failure;
use super::progress::Bar;
use super::verify::EngineArgs;
use super::{Answer, Console, Exit, Failure, Input, ReportArgs};

/// Runs the programs of the TACAS 2012 paper's table: all minimal sets of fences behind stores.
///
/// Prints our figures beside the paper's. The programs are part of Cupola; files that are named are run in
/// their place.
#[derive(Debug, Args)]
pub struct TacasArgs {
    /// Programs to run in place of the paper's: files like `examples/rmm/*.rmm`.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The memory models: `tso`, `pso`, or both: `tso,pso` or `all`.
    #[arg(long, value_name = "tso|pso|all", default_value = "all")]
    model: RelaxedArg,

    #[command(flatten)]
    engines: EngineArgs,

    /// Also run this tool, which is on the PATH, on the same files, under TSO.
    #[arg(
        long,
        value_name = "memorax",
        requires = "files",
        hide_possible_values = true
    )]
    peer: Option<Peer>,

    /// Stop a run of the other tool after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "60", requires = "peer")]
    peer_timeout: Duration,

    /// Stop a search after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// The value of `--peer`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Peer {
    Memorax,
}

/// A program to run.
struct Case {
    name: String,
    loaded: Loaded,
    paper: Option<&'static Program>,
    file: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &TacasArgs, console: &Console) -> Result<Answer, Failure> {
    args.model.check()?;
    args.engines.check()?;
    args.report.output.check()?;
    let peer = args
        .peer
        .map(|Peer::Memorax| Memorax::find(args.peer_timeout));
    let peer = peer.transpose()?;
    let cases = args.cases(console)?;
    let results = args.measure(&cases, peer.as_ref(), console)?;
    let json = || serde_json::to_value(&results).expect("results are plain values");
    let page = console.page(&args.report.output);
    let text = || render::tacas::text(&results, &page);
    Ok(args.report.answer(text, json, (exit(&results), console)))
}

impl TacasArgs {
    fn cases(&self, console: &Console) -> Result<Vec<Case>, Failure> {
        if self.files.is_empty() {
            return Ok(PROGRAMS.iter().map(Case::of_table).collect());
        }
        self.files
            .iter()
            .map(|file| {
                let input = Input::of(file);
                let text = super::input::read(file)?;
                Ok(Case {
                    name: stem(file),
                    loaded: input.load_quietly(console)?,
                    paper: Program::with_text(text.text()),
                    file: Some(file.clone()),
                })
            })
            .collect()
    }

    fn measure(
        &self,
        cases: &[Case],
        peer: Option<&Memorax>,
        console: &Console,
    ) -> Result<Results, Failure> {
        let bar = Bar::new(console);
        let cancel = stop_on_interrupt(console);
        let mut results = Results {
            schema: tacas::SCHEMA,
            rows: Vec::new(),
            complete: true,
        };
        let all = cases.len() * self.model.0.len();
        for (number, (case, &model)) in cases
            .iter()
            .flat_map(|case| self.model.0.iter().map(move |model| (case, model)))
            .enumerate()
        {
            if cancel.load(std::sync::atomic::Ordering::Relaxed) {
                results.complete = false;
                break;
            }
            bar.step(number, all, &format!("{}/{model}", case.name));
            let ours = self.figures(case, model, console)?;
            let file = case.file.as_deref().filter(|_| model == Model::Tso);
            let peer = peer.zip(file).map(|(peer, file)| peer.measure(file));
            results.rows.push(Row {
                number: case.paper.map(|program| program.number),
                program: case.name.clone(),
                model,
                paper: case.paper.and_then(|program| program.paper(model)),
                ours,
                peer,
            });
        }
        bar.end();
        Ok(results)
    }

    fn figures(&self, case: &Case, model: Model, console: &Console) -> Result<Figures, Failure> {
        let context = self.engines.context(Context {
            stop: memory::stop(self.timeout, &stop_on_interrupt(console)),
            ..Context::default()
        });
        let predicate = PredicateConfig {
            past_bounds: PastBounds::Skip,
            ..PredicateConfig::default()
        };
        let mut engines = self.engines.portfolio(predicate, None, &context);
        let source = &case.loaded.source;
        tacas::measure(&case.loaded, model, &mut engines, &context).map_err(|error| match error {
            TacasError::Places(error) => super::fences::no_candidates(error, source.clone()),
            TacasError::Engine(error) => engine_failure(error, source.clone(), &context.stop),
        })
    }
}

impl Case {
    fn of_table(program: &'static Program) -> Self {
        let file = SourceFile::new(format!("{}.rmm", program.name), program.text);
        Case {
            name: program.name.to_owned(),
            loaded: front::load(file, Format::Rmm).expect("the program obeys the rules"),
            paper: Some(program),
            file: None,
        }
    }
}

fn exit(results: &Results) -> Exit {
    let known = |row: &Row| row.ours.verdict != tacas::Outcome::Unknown;
    match results.complete && results.rows.iter().all(known) {
        true => Exit::Done,
        false => Exit::Unknown,
    }
}
