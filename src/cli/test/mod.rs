//! `cupola test`: programs held against their `expect:` lines and golden files.

mod find;
mod init;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Args;
use cupola::engine::Context;
use cupola::regression::{Case, Check, Difference, Kept};
use cupola::render::regression::{self, Done, Ended, Summary, Tested};
use cupola::render::sarif;
use cupola::run::progress::Progress;
use cupola::run::stop::Stop;
use cupola::source::SourceFile;

use super::file::{self, Over};
use super::input;
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::progress::Bar;
use super::sarif::SarifArg;
use super::strict::StrictArg;
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, OutputArgs, ReportArgs};
use find::{Item, Program};

/// The stack of a thread that tests programs: that of the main thread on most systems.
const STACK: usize = 8 << 20;

/// Tests programs: their answers against the `expect:` lines in their comments, and the golden files that are kept of
/// them (translations, predicates, boolean programs, answers) against the present ones.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 all as expected; 10 a difference; 5 interrupted, or with --strict a warning; 2 bad input or usage."
)]
pub struct TestArgs {
    /// The programs, or folders with programs: `.cup`, `.litmus` and `.rmm`; by default the folder that one is in.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// The folder of the golden files; by default `golden` beside each program.
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,

    /// Accept the present texts: renew the golden files that differ. `expect:` lines stay.
    #[arg(long)]
    bless: bool,

    /// Write an `expect:` line into each program that has none, and golden files, from the present answers; with
    /// `--force` also in place of the lines that there are.
    #[arg(long, conflicts_with_all = ["bless", "junit", "json"])]
    init: bool,

    /// Only the comparisons whose name contains this; a name is `path: check`, such as `examples/queue.cup: tso{a}` or
    /// `examples/queue.cup: queue.tso.k2.cup`.
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,

    /// The number of programs that are tested at the same time.
    #[arg(short, long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,

    /// Only the I-th of N parts of the files, for machines side by side.
    #[arg(long, value_name = "I/N")]
    shard: Option<ShardArg>,

    /// Also write the XML of JUnit to this file.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    strict: StrictArg,

    #[command(flatten)]
    sarif: SarifArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// The value of `--shard`.
#[derive(Clone, Copy, Debug)]
struct ShardArg {
    part: usize,
    parts: usize,
}

/// Runs the command.
pub fn run(args: &TestArgs, console: &Console) -> Result<Answer, Failure> {
    let junit = args
        .junit
        .as_ref()
        .map(|path| OutputArgs::to_file(path, args.report.output.force));
    args.report.output.check()?;
    junit.iter().try_for_each(OutputArgs::check_file)?;
    args.sarif.check(args.report.output.force)?;
    let items = args.items()?;
    if args.init {
        return init::run(&items, &args.report.output, console);
    }
    let tested = args.test_all(&items, console)?;
    let left_out = items.len() - tested.len();
    let tested: Vec<Tested> = tested.into_iter().flatten().collect();
    if tested.is_empty() && left_out == 0 && args.shard.is_none() {
        return Err(Failure::with_hint(
            format!("no comparison has a name that contains `{}`", args.filter),
            "a name is `path: check`, such as `examples/queue.cup: tso{a}`",
        ));
    }
    let summary = Summary::of(&tested, left_out);
    let junit = junit.map_or(Ok(()), |junit| junit.write(&regression::junit(&tested)));
    let sarif = (args.sarif).write(&sarif::of_tests(&tested), args.report.output.force);
    let page = console.page(&args.report.output);
    let exit = match (summary.failed, summary.left_out) {
        (0, 0) => Exit::Done,
        (0, _) => Exit::Unknown,
        _ => Exit::Violated,
    };
    let warned = tested.iter().any(|tested| !tested.warnings.is_empty());
    let exit = args.strict.exit(exit, warned);
    // Where a file cannot be written after all, the report is told all the same.
    let failures = [junit, sarif].into_iter().filter_map(Result::err);
    let exit = failures.fold(exit, |exit, failure| {
        failure.show(console);
        exit.max(failure.exit())
    });
    Ok(args.report.answer(
        || regression::text(&tested, &summary, &page),
        || regression::json(&tested, &summary),
        (exit, console),
    ))
}

impl TestArgs {
    /// The items of this part.
    fn items(&self) -> Result<Vec<Item>, Failure> {
        let items = find::items(&self.paths, self.golden.as_deref())?;
        let ShardArg { part, parts } = self.shard.unwrap_or(ShardArg { part: 1, parts: 1 });
        let numbered = items.into_iter().enumerate();
        let ours = numbered.filter(|(number, _)| number % parts == part - 1);
        Ok(ours.map(|(_, item)| item).collect())
    }

    /// Tests all items, several at a time; in the order of the items, without those that an interrupt left out.
    /// Where the filter leaves nothing of an item, there is no result.
    fn test_all(&self, items: &[Item], console: &Console) -> Result<Vec<Option<Tested>>, Failure> {
        let cancel = stop_on_interrupt(console);
        let stop = memory::stop(None, &cancel);
        let watchdog = Watchdog::over(stop.clone(), Progress::default(), console);
        let (bar, next, done) = (Bar::new(console), AtomicUsize::new(0), AtomicUsize::new(0));
        let results = Mutex::new(Vec::new());
        let work = || {
            while let Some((number, item)) = take(&next, items) {
                if stop.should_stop() {
                    return;
                }
                let name = item.path().display().to_string();
                bar.step(done.load(Ordering::Relaxed), items.len(), &name);
                let tested = self.test(item, &stop);
                done.fetch_add(1, Ordering::Relaxed);
                if !stop.should_stop() {
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.push((number, tested));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(items.len()) {
                let thread = thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, work).expect("a thread starts");
            }
        });
        bar.end();
        drop(watchdog);
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(number, _)| *number);
        results.into_iter().map(|(_, tested)| tested).collect()
    }

    /// Tests one item.
    fn test(&self, item: &Item, stop: &Stop) -> Result<Option<Tested>, Failure> {
        let file = item.path().display().to_string();
        let wanted = |check: &str| format!("{file}: {check}").contains(&self.filter);
        let mut warnings = Vec::new();
        let mut checks = match item {
            Item::Program(program) => {
                let context = Context {
                    stop: stop.clone(),
                    ..Context::default()
                };
                let compared = case(program)?.compared(&context, &wanted);
                warnings = regression::warned(&compared);
                let checks = compared.checks.into_iter();
                checks.map(|check| done(program, check)).collect()
            }
            Item::LeftOver(_, reason) => {
                let check = Check::missing("golden file", reason.clone(), None);
                let check = Some(check).filter(|check| wanted(&check.name));
                let alone = |check| Done {
                    check,
                    golden: Some(file.clone()),
                    blessed: false,
                };
                check.map(alone).into_iter().collect::<Vec<Done>>()
            }
        };
        if self.bless && !stop.should_stop() {
            checks.iter_mut().try_for_each(bless)?;
        }
        let some = !checks.is_empty();
        Ok(some.then_some(Tested {
            file,
            checks,
            warnings,
        }))
    }
}

/// The next item, if there is one.
fn take<'a>(next: &AtomicUsize, items: &'a [Item]) -> Option<(usize, &'a Item)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    items.get(number).map(|item| (number, item))
}

/// Reads a program with its proof and its golden files. Files are called by their names alone: where they are must
/// not matter.
fn case(program: &Program) -> Result<Case, Failure> {
    let proof = program.path.with_extension("proof");
    let kept = program.kept.iter().map(|(name, kind)| {
        Ok(Kept {
            name: name.clone(),
            kind: kind.clone(),
            text: input::read(&program.golden.join(name))?.text().to_owned(),
        })
    });
    Ok(Case {
        source: read(&program.path)?,
        format: program.format,
        proof: proof.exists().then(|| read(&proof)).transpose()?,
        kept: kept.collect::<Result<_, Failure>>()?,
    })
}

fn read(path: &Path) -> Result<SourceFile, Failure> {
    let file = input::read(path)?;
    Ok(SourceFile::new(file.file_name(), file.text()))
}

/// A comparison with the path of the golden file that it is about.
fn done(program: &Program, check: Check) -> Done {
    let mut names = program.kept.iter().map(|(name, _)| name);
    let golden = names
        .any(|name| *name == check.name)
        .then(|| program.golden.join(&check.name).display().to_string());
    Done {
        check,
        golden,
        blessed: false,
    }
}

/// Renews a golden file that differs.
fn bless(done: &mut Done) -> Result<(), Failure> {
    if done.ended() != Ended::Failed {
        return Ok(());
    }
    if let (Some(Difference::Text { present, .. }), Some(golden)) =
        (&done.check.difference, &done.golden)
    {
        renew(Path::new(golden), present)?;
        done.blessed = true;
    }
    Ok(())
}

/// Writes a file that may be one that was read.
fn renew(path: &Path, text: &str) -> Result<(), Failure> {
    let over = Over {
        existing: true,
        inputs: true,
    };
    file::write(path, text, over)
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || format!("`{text}` is not of the form I/N, with I from 1 to N");
        let (part, parts) = text.split_once('/').ok_or_else(malformed)?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| malformed());
        let (part, parts) = (number(part)?, number(parts)?);
        match (1..=parts).contains(&part) {
            true => Ok(ShardArg { part, parts }),
            false => Err(malformed()),
        }
    }
}
