//! `cupola bench buffers`: slots beside buffers of any length, and what facts about their entries are worth.

use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use cupola::bench::buffers::{self, Results};
use cupola::engine::Context;
use cupola::render;

use super::input::seconds;
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::progress::Bar;
use super::{Answer, Console, Exit, Failure, ReportArgs};

/// Compares slots with buffers of any length, and facts about their entries with fewer or none.
///
/// First the programs of the SAS 2013 paper with their fewest fences, then programs that store without end and without a
/// fence, with `--tail` `ordered`, `set` and `forget`. The programs are part of Cupola.
#[derive(Debug, Args)]
pub struct BuffersArgs {
    /// Only the programs whose name contains this, such as `ticket`.
    #[arg(value_name = "FILTER", default_value = "")]
    filter: String,

    /// Stop after this many seconds and tell what is there.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &BuffersArgs, console: &Console) -> Result<Answer, Failure> {
    args.report.output.check()?;
    let results = args.measure(console)?;
    let json = || serde_json::to_value(&results).expect("results are plain values");
    let page = console.page(&args.report.output);
    let text = || render::buffers::text(&results, &page);
    let exit = match results.complete {
        true => Exit::Done,
        false => Exit::Unknown,
    };
    Ok(args.report.answer(text, json, (exit, console)))
}

impl BuffersArgs {
    fn measure(&self, console: &Console) -> Result<Results, Failure> {
        let cases = buffers::cases(&self.filter);
        if cases.is_empty() {
            return Err(Failure::with_hint(
                format!("no program has a name that contains `{}`", self.filter),
                "a name is that of an example, such as `ticket`",
            ));
        }
        let mut results = Results {
            schema: buffers::SCHEMA,
            ways: Vec::new(),
            tails: Vec::new(),
            complete: true,
        };
        let cancel = stop_on_interrupt(console);
        let stop = memory::stop(self.timeout, &cancel);
        let bar = Bar::new(console);
        for (number, case) in cases.iter().enumerate() {
            bar.step(number, cases.len(), &case.name());
            // What the solver said about other rows is not to help.
            let context = Context {
                stop: stop.clone(),
                ..Context::default()
            };
            let row = case.run(&context, &mut results);
            if stop.should_stop() || cancel.load(Ordering::Relaxed) {
                results.complete = false;
                break;
            }
            row.expect("the programs can be reduced");
        }
        bar.end();
        Ok(results)
    }
}
