//! `cupola bench`: the paper's experiments, with its figures beside ours.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Subcommand};
use cupola::bench::{self, BenchConfig, Machine, Results};
use cupola::render;
use cupola::render::plot::{Plot, plots};
use cupola::smt;
use cupola::verdict::Method;

use super::buffers::{self, BuffersArgs};
use super::file::inputs;
use super::input::seconds;
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::model::ModelsArg;
use super::pldi::{self, PldiArgs};
use super::progress::Bar;
use super::tacas::{self, TacasArgs};
use super::{Answer, Console, Exit, Failure, OutputArgs, ReportArgs};

/// Runs the experiments of the SAS 2013 paper: seven algorithms, three models, both methods.
///
/// Prints the paper's tables with our figures beside the paper's, then each program with the fewest
/// fences. The programs are part of Cupola; no file is needed.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    table: Option<OtherTable>,

    /// Only the rows whose name contains this; a name is `algorithm/model/method`, such as
    /// `peterson/tso/pe`.
    #[arg(value_name = "FILTER", default_value = "")]
    filter: String,

    /// The memory models: `sc`, `tso`, `pso`, several separated by commas, or `all`.
    #[arg(long, value_name = "M[,M…]|all", default_value = "all")]
    models: ModelsArg,

    /// The methods: `trad` (SC only), `pe`, `ce`, several separated by commas.
    #[arg(long, value_name = "X[,X…]", default_value = "trad,pe,ce")]
    methods: MethodsArg,

    /// Also run the paper's own algorithm in the same process with the same solver.
    #[arg(long)]
    baseline: bool,

    /// Give up a row of the paper's own algorithm after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "600")]
    baseline_timeout: Duration,

    /// Run so many rows of the paper's own algorithm at the same time.
    #[arg(long, value_name = "N", default_value = "1")]
    baseline_jobs: NonZeroUsize,

    /// Take the figures of the paper's own algorithm from the results in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    keep_baseline: Option<PathBuf>,

    /// Also measure how the figures grow with the number of threads and with k.
    #[arg(long)]
    growth: bool,

    /// Run nothing: tell the results in this file, which `--json` wrote.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["baseline", "keep_baseline", "growth", "filter"]
    )]
    from: Option<PathBuf>,

    /// Also write plots, as SVG files, into this folder.
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,

    /// The number of threads that ask the solver.
    #[arg(short, long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,

    /// Stop after this many seconds and tell what is there.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// The tables of other papers, and our own.
#[derive(Debug, Subcommand)]
enum OtherTable {
    Buffers(BuffersArgs),
    Tacas(TacasArgs),
    Pldi(PldiArgs),
}

/// The value of `--methods`.
#[derive(Clone, Debug)]
struct MethodsArg(Vec<Method>);

/// Runs the command.
pub fn run(args: &BenchArgs, console: &Console) -> Result<Answer, Failure> {
    match &args.table {
        Some(OtherTable::Buffers(args)) => return buffers::run(args, console),
        Some(OtherTable::Tacas(args)) => return tacas::run(args, console),
        Some(OtherTable::Pldi(args)) => return pldi::run(args, console),
        None => {}
    }
    args.report.output.check()?;
    let results = match &args.from {
        Some(path) => stored(path)?,
        None => args.measure(console)?,
    };
    if let Some(folder) = &args.plot {
        write_plots(folder, &results)?;
    }
    let json = || serde_json::to_value(&results).expect("results are plain values");
    let page = console.page(&args.report.output);
    let text = || render::bench::text(&results, &page);
    Ok(args.report.answer(text, json, (exit(&results), console)))
}

impl BenchArgs {
    fn measure(&self, console: &Console) -> Result<Results, Failure> {
        let cases = bench::cases(&self.filter, &self.models.0, &self.methods.0);
        if cases.is_empty() {
            return Err(Failure::with_hint(
                format!("no row has a name that contains `{}`", self.filter),
                "a name is `algorithm/model/method`, such as `peterson/tso/pe`",
            ));
        }
        let kept = self.keep_baseline.as_ref().map(stored).transpose()?;
        let config = BenchConfig {
            cases,
            least: true,
            growth: self.growth,
            baseline: self.baseline.then_some(self.baseline_timeout),
            baseline_jobs: self.baseline_jobs.get(),
            jobs: self.jobs.get(),
            stop: memory::stop(self.timeout, &stop_on_interrupt(console)),
            machine: machine(),
            peak_memory,
        };
        let bar = Bar::new(console);
        let mut results = bench::run(&config, &mut |begins| {
            bar.step(begins.done, begins.all, &begins.name);
        });
        bar.end();
        if let Some(kept) = kept {
            results.keep_baseline(kept);
        }
        Ok(results)
    }
}

/// Results that `--json` wrote.
fn stored(path: &PathBuf) -> Result<Results, Failure> {
    let shown = path.display();
    inputs::note(path)?;
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::message(format!("cannot read `{shown}`: {error}")))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::with_hint(
            format!("`{shown}` does not hold results: {error}"),
            "write them anew with `cupola bench --json -o FILE`",
        )
    })
}

/// Writes the plots; files of earlier runs are replaced.
fn write_plots(folder: &Path, results: &Results) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::message(format!("cannot make `{}`: {error}", folder.display()))
    })?;
    for Plot { name, svg } in plots(results) {
        OutputArgs::to_file(&folder.join(name), true).write(&svg)?;
    }
    Ok(())
}

fn exit(results: &Results) -> Exit {
    match results.complete && results.is_verified() {
        true => Exit::Done,
        false => Exit::Unknown,
    }
}

fn machine() -> Machine {
    Machine {
        cpu: cpu(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        solver: smt::version(),
        cupola: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// The processor's name, where Linux tells it.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The most memory that the process had so far, where Linux tells it.
fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024 * kilobytes)
}

impl FromStr for MethodsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let method = |name: &str| match name.trim() {
            "trad" => Ok(Method::Trad),
            "pe" => Ok(Method::Pe),
            "ce" => Ok(Method::Ce),
            other => Err(format!("`{other}` is none of trad, pe and ce")),
        };
        let methods: Result<Vec<Method>, String> = text.split(',').map(method).collect();
        methods.map(MethodsArg)
    }
}
