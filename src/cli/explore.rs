//! `cupola explore`: exact exploration with real store buffers.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use clap::Args;
use cupola::explore::report::Report;
use cupola::explore::{self, Exploration, ExploreConfig, ExploreError, Star, Verdict};
use cupola::{lang, program};

use super::input::seconds;
use super::interrupt::stop_on_interrupt;
use super::model::{FencesArg, ModelArg};
use super::progress::Line;
use super::{Answer, Console, Exit, Failure, Input, ReportArgs};

/// Explores all states of a program under a memory model, with real store buffers.
#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    under: ModelArg,

    #[command(flatten)]
    fences: FencesArg,

    /// The longest that a store buffer may get: under TSO each thread's, under PSO each thread's for
    /// each variable.
    #[arg(long, value_name = "N", default_value = "8")]
    buffer: NonZeroUsize,

    /// The greatest number of states.
    #[arg(long, value_name = "N", default_value = "4000000")]
    max_states: NonZeroUsize,

    /// The values that are tried for `*`, both ends included. A program with `*` can be found
    /// violated but never safe, since no range covers all values.
    #[arg(
        long,
        value_name = "LO..HI",
        default_value = "-1..1",
        allow_hyphen_values = true
    )]
    star: StarArg,

    /// See everything, past violations too, and list the final states: all threads ended, all
    /// buffers empty.
    #[arg(long)]
    outcomes: bool,

    /// Stop after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// The value of `--star`.
#[derive(Clone, Copy, Debug)]
struct StarArg(Star);

/// Runs the command.
pub fn run(args: &ExploreArgs, console: &Console) -> Result<Answer, Failure> {
    let source = args.input.read()?;
    let checked = match lang::load(&source) {
        Ok(checked) => checked,
        Err(diagnostics) => return Err(Failure::Source(source, diagnostics)),
    };
    console.diagnostics(&source, &checked.warnings);
    let model = args.under.model;
    let in_force = args.fences.placement().in_force(&checked, model);
    let fences = in_force.map_err(|error| Failure::message(error.to_string()))?;
    let program = program::lower(&checked, &fences);
    let states = Arc::new(AtomicUsize::new(0));
    let config = ExploreConfig {
        cancel: Some(stop_on_interrupt(console)),
        progress: Some(Arc::clone(&states)),
        ..args.config()
    };
    let line = Line::of_states(console, states, args.max_states.get());
    let exploration = explore::explore(&program, model, &config).map_err(refused);
    line.end();
    let exploration = exploration?;
    console.note(&figures(&exploration));
    let report = Report {
        source: &source,
        program: &program,
        model,
        fences: &fences,
        config: &config,
        exploration: &exploration,
    };
    let exit = exit(exploration.verdict);
    Ok(args.report.answer(|| report.text(), || report.json(), exit))
}

impl ExploreArgs {
    fn config(&self) -> ExploreConfig {
        ExploreConfig {
            buffer: self.buffer.get(),
            max_states: self.max_states.get(),
            star: self.star.0,
            outcomes: self.outcomes,
            timeout: self.timeout,
            cancel: None,
            progress: None,
        }
    }
}

impl FromStr for StarArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ends = text
            .split_once("..")
            .ok_or("write the range as LO..HI, such as -1..1")?;
        let end = |text: &str| {
            let number = text.trim().parse::<i64>();
            number.map_err(|_| format!("`{text}` is not a 64-bit number"))
        };
        let star = Star::new(end(ends.0)?, end(ends.1)?);
        star.map(StarArg)
            .ok_or_else(|| "the range is empty: write the lower end first".to_owned())
    }
}

pub(super) fn refused(error: ExploreError) -> Failure {
    match error {
        ExploreError::Background(_) => Failure::with_way_out(
            error.to_string(),
            "explore it with `--model sc`: its buffers are variables of the program",
        ),
    }
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Safe => Exit::Done,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown => Exit::Unknown,
    }
}

/// What was measured, for standard error.
fn figures(exploration: &Exploration) -> String {
    let seconds = exploration.time.as_secs_f64();
    let rate = exploration.states as f64 / seconds.max(1e-9);
    let bytes = exploration.bytes as f64;
    format!(
        "{} states in {seconds:.2} s: {rate:.0} states/s, {:.1} MB, {:.0} bytes per state",
        exploration.states,
        bytes / 1e6,
        bytes / exploration.states.max(1) as f64,
    )
}
