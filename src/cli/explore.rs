//! `cupola explore`: exact exploration with real store buffers.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use cupola::engine::Context;
use cupola::engine::explore::{self, Exploration, ExploreConfig, ExploreError};
use cupola::front::Loaded;
use cupola::memory::Model;
use cupola::program;
use cupola::render::sarif::{self, Finding};
use cupola::render::{ExploreReport, Page};
use cupola::semantics::HavocRange;
use cupola::verdict::VerdictKind;

use super::input::{seconds, stem, tell_missing_property};
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::model::{FencesArg, ModelsArgs};
use super::pages::{HtmlArg, Pages, SvgArg};
use super::progress::Line;
use super::sarif::SarifArg;
use super::strict::StrictArg;
use super::{Answer, Console, Exit, Failure, Input, Inputs, Part, Parts, ReportArgs, advice};

/// Explores all states of programs under memory models, with real store buffers.
#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    under: ModelsArgs,

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

    /// Show the executions that lead to threads that are blocked for ever.
    #[arg(long)]
    deadlocks: bool,

    #[command(flatten)]
    strict: StrictArg,

    /// Stop an exploration after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    page: HtmlArg,

    #[command(flatten)]
    drawing: SvgArg,

    #[command(flatten)]
    sarif: SarifArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// The value of `--star`.
#[derive(Clone, Copy, Debug)]
pub struct StarArg(pub HavocRange);

/// Runs the command.
pub fn run(args: &ExploreArgs, console: &Console) -> Result<Answer, Failure> {
    let (inputs, models) = (args.inputs.each()?, &args.under.model.0);
    let several = inputs.len() * models.len() > 1;
    let mut parts = Parts::new(&args.report.output, several, console)?;
    let shown = (&args.page, Some(&args.drawing));
    let mut pages = Pages::new("Exploration", shown, args.report.output.force)?;
    args.sarif.check(args.report.output.force)?;
    let mut findings = Vec::new();
    let cancel = stop_on_interrupt(console);
    for input in inputs {
        let loaded = match input.load(console) {
            Ok(loaded) => loaded,
            Err(failure) => {
                parts.add(Err(failure));
                continue;
            }
        };
        if !args.outcomes {
            tell_missing_property(&loaded.checked, console);
        }
        for &model in models {
            let what = format!("{} under {model}", loaded.source.name());
            if parts.goes_on(&what, &cancel) {
                if several {
                    console.note(&what);
                }
                let outputs = (&mut findings, &mut pages);
                parts.add(args.explore((&input, &loaded), model, outputs, &cancel, console));
            }
        }
    }
    parts.beside(args.sarif.write(&findings, args.report.output.force));
    parts.beside(pages.write(console));
    parts.answer()
}

impl ExploreArgs {
    /// Explores a program under a model, and adds what is found, if that is asked for.
    fn explore(
        &self,
        (input, loaded): (&Input, &Loaded),
        model: Model,
        (findings, pages): (&mut Vec<Finding>, &mut Pages<'_>),
        cancel: &Arc<AtomicBool>,
        console: &Console,
    ) -> Result<Part, Failure> {
        let in_force = self.fences.placement().in_force(&loaded.checked, model);
        let fences = in_force.map_err(|error| Failure::message(error.to_string()))?;
        let program = program::lower(&loaded.checked, &fences);
        let (config, context) = (self.config(), self.context(cancel));
        let states = context.progress.states();
        let line = Line::of_states(console, states, self.max_states.get());
        let exploration = explore::explore(&program, model, &config, &context).map_err(refused);
        line.end();
        let exploration = exploration?;
        console.note(&figures(&exploration));
        let warnings = exploration.warnings(&loaded.checked, &program);
        let report = ExploreReport {
            source: &loaded.source,
            program: &program,
            model,
            fences: &fences,
            config: &config,
            exploration: &exploration,
            warnings: &warnings,
            deadlocks: self.deadlocks,
        };
        if self.sarif.is_wanted() {
            findings.extend(sarif::of_report(&report.json(), input.has_own_lines()?));
        }
        let name = format!("{}.{model}", stem(&input.file));
        let page = console.page(&self.report.output);
        pages.show(|| [report.section(&Page::unlimited().with_advice(advice::text))]);
        pages.draw(report.execution());
        let (text, json) = (|| report.text(&page), || report.json());
        let exit = self
            .strict
            .exit(exit(exploration.kind()), !warnings.is_empty());
        Ok(self.report.part((name, "txt"), text, json, exit))
    }

    fn config(&self) -> ExploreConfig {
        ExploreConfig {
            buffer: self.buffer.get(),
            max_states: self.max_states.get(),
            havoc: self.star.0,
            outcomes: self.outcomes,
            ..ExploreConfig::default()
        }
    }

    fn context(&self, cancel: &Arc<AtomicBool>) -> Context {
        Context {
            stop: memory::stop(self.timeout, cancel),
            ..Context::default()
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
        let star = HavocRange::new(end(ends.0)?, end(ends.1)?);
        star.map(StarArg)
            .ok_or_else(|| "the range is empty: write the lower end first".to_owned())
    }
}

fn refused(error: ExploreError) -> Failure {
    match error {
        ExploreError::Background(_) | ExploreError::Fifo(_) => Failure::with_hint(
            error.to_string(),
            "explore it with `--model sc`: its buffers are variables of the program",
        ),
    }
}

fn exit(kind: VerdictKind) -> Exit {
    match kind {
        VerdictKind::Verified => Exit::Done,
        VerdictKind::Violated => Exit::Violated,
        VerdictKind::Unknown => Exit::Unknown,
    }
}

fn states_text(states: usize) -> String {
    match states {
        1 => "1 state".to_owned(),
        states => format!("{states} states"),
    }
}

/// What was measured, for standard error.
fn figures(exploration: &Exploration) -> String {
    let seconds = exploration.time.as_secs_f64();
    let rate = exploration.states as f64 / seconds.max(1e-9);
    let bytes = exploration.bytes as f64;
    format!(
        "{} in {seconds:.2} s: {rate:.0} states/s, {:.1} MB, {:.0} bytes per state",
        states_text(exploration.states),
        bytes / 1e6,
        bytes / exploration.states.max(1) as f64,
    )
}
