//! `cupola bench pldi`: the tables of the PLDI 2011 paper, with its figures beside ours.

use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use cupola::bench::pldi::{self, COLUMNS_1, COLUMNS_2, Mark, Results, TABLE_1, TABLE_2};
use cupola::engine::portfolio::{Config, Portfolio};
use cupola::engine::{Context, EngineError, Limits};
use cupola::render;
use cupola::source::SourceFile;

use super::input::seconds;
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::pipeline::engine_failure;
use super::progress::Bar;
use super::{Answer, Console, Exit, Failure, ReportArgs};

/// Runs the tables of the PLDI 2011 paper: what abstract store buffers verify under PSO, and which fences they infer.
///
/// Prints our figures beside the paper's. The programs are part of Cupola.
#[derive(Debug, Args)]
pub struct PldiArgs {
    /// Only the programs whose name in the tables contains this, such as `Fast`.
    #[arg(value_name = "FILTER", default_value = "")]
    filter: String,

    /// Only this table.
    #[arg(long, value_name = "1|2", value_parser = clap::value_parser!(u8).range(1..=2))]
    table: Option<u8>,

    /// The most abstract states of a search.
    #[arg(long, value_name = "N", default_value_t = Limits::default().abstract_states)]
    max_states: usize,

    /// Stop a cell after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &PldiArgs, console: &Console) -> Result<Answer, Failure> {
    args.report.output.check()?;
    let results = args.measure(console)?;
    let json = || serde_json::to_value(&results).expect("results are plain values");
    let page = console.page(&args.report.output);
    let text = || render::pldi::text(&results, &page);
    Ok(args.report.answer(text, json, (exit(&results), console)))
}

impl PldiArgs {
    fn measure(&self, console: &Console) -> Result<Results, Failure> {
        let mut results = Results {
            schema: pldi::SCHEMA,
            verification: Vec::new(),
            inference: Vec::new(),
            complete: true,
        };
        let wanted = |table: u8, name: &str| {
            self.table.is_none_or(|only| only == table) && name.contains(&self.filter)
        };
        let first = TABLE_1.iter().filter(|program| wanted(1, program.name));
        let first: Vec<_> = first
            .flat_map(|program| (0..COLUMNS_1.len()).map(move |column| (program, column)))
            .collect();
        let second = TABLE_2.iter().filter(|program| wanted(2, program.name));
        let second: Vec<_> = second
            .flat_map(|program| (0..COLUMNS_2.len()).map(move |column| (program, column)))
            .collect();
        let all = first.len() + second.len();
        if all == 0 {
            return Err(Failure::with_hint(
                format!("no program has a name that contains `{}`", self.filter),
                "a name is one of the paper's, such as `Pet2`",
            ));
        }
        let bar = Bar::new(console);
        let cancel = stop_on_interrupt(console);
        for (number, (program, column)) in first.into_iter().enumerate() {
            bar.step(number, all, program.name);
            let row = pldi::verify(program, column, &self.context(console));
            results
                .verification
                .push(row.map_err(|error| failure(error, program.name, program.text, console))?);
        }
        for (program, column) in second {
            if cancel.load(Ordering::Relaxed) {
                results.complete = false;
                break;
            }
            bar.step(
                results.verification.len() + results.inference.len(),
                all,
                program.name,
            );
            let context = self.context(console);
            let mut engines = Portfolio::of(&Config::default(), &context.limits);
            let row = pldi::infer(program, column, &mut engines, &context);
            results
                .inference
                .push(row.map_err(|error| failure(error, program.name, program.text, console))?);
        }
        bar.end();
        Ok(results)
    }

    fn context(&self, console: &Console) -> Context {
        Context {
            stop: memory::stop(self.timeout, &stop_on_interrupt(console)),
            limits: Limits {
                abstract_states: self.max_states,
                ..Limits::default()
            },
            ..Context::default()
        }
    }
}

fn failure(error: EngineError, name: &str, text: &'static str, console: &Console) -> Failure {
    let source = SourceFile::new(name, text);
    engine_failure(
        error,
        source,
        &memory::stop(None, &stop_on_interrupt(console)),
    )
}

fn exit(results: &Results) -> Exit {
    let decided = results
        .inference
        .iter()
        .all(|row| row.mark != Mark::OutOfStates);
    match results.complete && decided {
        true => Exit::Done,
        false => Exit::Unknown,
    }
}
