//! The command line: one file per subcommand, each thin.
//!
//! A subcommand takes its arguments and a [`Console`] and returns an [`Answer`] or a [`Failure`].
//! Only this module prints and exits: the result goes to standard output or to the file of `-o`,
//! everything else to standard error, and [`Exit`] is the one table of exit codes.

mod abstract_;
mod advice;
mod bench;
mod buffers;
mod certificate;
mod certify;
mod check;
mod choice;
mod completions;
mod console;
mod convert;
mod details;
mod explore;
mod export;
mod extrapolate;
mod fences;
mod file;
mod fmt;
mod input;
mod interrupt;
mod litmus;
mod memory;
mod model;
mod output;
mod pages;
mod peer;
mod pipeline;
mod pldi;
mod progress;
mod prove;
mod sarif;
mod save_proof;
mod several;
mod step;
mod strict;
mod tacas;
mod test;
mod translate;
mod verify;
mod version;
mod watchdog;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use cupola::render::diagnostics;
use cupola::run::stop::Stop;
use cupola::source::{Diagnostic, SourceFile};
use cupola::verdict::Limit;
use serde_json::Value;

pub use console::{ColorChoice, Console};
pub use input::{Input, Inputs, PlacementArg};
pub use output::{OutputArgs, ReportArgs};
pub use several::{Part, Parts};

/// Verifies concurrent programs under relaxed memory models, from their proofs under sequential
/// consistency.
#[derive(Debug, Parser)]
#[command(name = "cupola", version = version::text(), after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Colours of verdicts and diagnostics; `auto` means: on a terminal, unless NO_COLOR is set.
    #[arg(
        long,
        global = true,
        display_order = 1000,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "auto|always|never"
    )]
    color: ColorChoice,

    /// The width of text reports, in columns; by default that of the terminal, and no limit in files and
    /// pipes.
    #[arg(long, global = true, display_order = 1001, value_name = "N", value_parser = clap::value_parser!(u16).range(20..))]
    width: Option<u16>,

    /// The most memory that the process may take, such as 500M or 2G; where it is reached, the work ends with what is
    /// known. By default three quarters of the machine's memory.
    #[arg(long, global = true, display_order = 1002, value_name = "SIZE", value_parser = memory::size)]
    max_memory: Option<u64>,

    /// Say nothing on standard error but errors.
    #[arg(long, short, global = true, display_order = 1003)]
    quiet: bool,
}

const EXIT_CODES: &str = "Exit codes: 0 done, or verified; 10 violated; 5 unknown; 2 bad input or usage; 6 internal error. \
    Of several results the gravest counts: 2 before 10 before 5 before 0.";

#[derive(Debug, Subcommand)]
enum Command {
    Explore(explore::ExploreArgs),
    Fences(fences::FencesArgs),
    Litmus(litmus::LitmusArgs),
    Translate(translate::TranslateArgs),
    Export(export::ExportArgs),
    Certify(certify::CertifyArgs),
    Fmt(fmt::FmtArgs),
    Convert(convert::ConvertArgs),
    Prove(prove::ProveArgs),
    Extrapolate(extrapolate::ExtrapolateArgs),
    Abstract(abstract_::AbstractArgs),
    Check(check::CheckArgs),
    Verify(verify::VerifyArgs),
    Step(step::StepArgs),
    Test(test::TestArgs),
    Bench(bench::BenchArgs),
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
}

/// What a command found, as an exit code; the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done; for the verifying commands: verified.
    Done,
    /// Neither proved nor refuted; the report says why and what to try.
    Unknown,
    /// A real execution breaks a property.
    Violated,
    /// Bad input or usage.
    BadInput,
    /// A bug in Cupola.
    Internal,
}

/// What a command has to say on standard output, and how it ends.
#[derive(Debug)]
pub struct Answer {
    /// The text of the result.
    pub text: String,
    /// Where it goes.
    pub output: OutputArgs,
    /// How the command ends.
    pub exit: Exit,
}

/// Why a command has no answer.
#[derive(Debug)]
pub enum Failure {
    /// The source is wrong.
    Source(SourceFile, Vec<Diagnostic>),
    /// Something else is wrong, with a way out.
    Message(String, Option<String>),
    /// The work was to end before anything is known.
    Stopped(Limit),
}

/// Runs the command line and returns its exit code.
pub fn main() -> ExitCode {
    let matches = match Cli::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let console = Console::new(cli.color, cli.width.map(usize::from), cli.quiet);
    let console = console.with_json(wants_json(&matches));
    advice::record(&matches);
    let console = console.for_command(cli.command.name());
    memory::watch(cli.max_memory, &console);
    let answer = catch_unwind(AssertUnwindSafe(|| {
        finish(run(&cli.command, &console), &console)
    }));
    let exit = answer.unwrap_or_else(|_| {
        console.error(
            "internal error: this is a bug in Cupola",
            Some("please report the message above, the command line and the input file"),
        );
        Exit::Internal
    });
    exit.code()
}

/// Whether the command is asked for JSON.
fn wants_json(matches: &ArgMatches) -> bool {
    let command = matches.subcommand();
    let flag = command.and_then(|(_, args)| args.try_get_one::<bool>("json").ok()?);
    flag.copied().unwrap_or(false)
}

impl Command {
    /// What it is called on the command line.
    fn name(&self) -> &'static str {
        match self {
            Command::Explore(_) => "explore",
            Command::Fences(_) => "fences",
            Command::Litmus(_) => "litmus",
            Command::Translate(_) => "translate",
            Command::Export(_) => "export",
            Command::Certify(_) => "certify",
            Command::Fmt(_) => "fmt",
            Command::Convert(_) => "convert",
            Command::Prove(_) => "prove",
            Command::Extrapolate(_) => "extrapolate",
            Command::Abstract(_) => "abstract",
            Command::Check(_) => "check",
            Command::Verify(_) => "verify",
            Command::Step(_) => "step",
            Command::Test(_) => "test",
            Command::Bench(_) => "bench",
            Command::Completions(_) => "completions",
            Command::Man(_) => "man",
        }
    }
}

fn run(command: &Command, console: &Console) -> Result<Answer, Failure> {
    match command {
        Command::Explore(args) => explore::run(args, console),
        Command::Fences(args) => fences::run(args, console),
        Command::Litmus(args) => litmus::run(args, console),
        Command::Translate(args) => translate::run(args, console),
        Command::Export(args) => export::run(args, console),
        Command::Certify(args) => certify::run(args, console),
        Command::Fmt(args) => fmt::run(args, console),
        Command::Convert(args) => convert::run(args, console),
        Command::Prove(args) => prove::run(args, console),
        Command::Extrapolate(args) => extrapolate::run(args, console),
        Command::Abstract(args) => abstract_::run(args, console),
        Command::Check(args) => check::run(args, console),
        Command::Verify(args) => verify::run(args, console),
        Command::Step(args) => step::run(args, console),
        Command::Test(args) => test::run(args, console),
        Command::Bench(args) => bench::run(args, console),
        Command::Completions(args) => completions::completions(args),
        Command::Man(args) => completions::man(args),
    }
}

/// Delivers an answer or explains a failure.
fn finish(answer: Result<Answer, Failure>, console: &Console) -> Exit {
    let delivered = answer.and_then(|answer| deliver(&answer, console));
    match delivered {
        Ok(exit) => exit,
        Err(failure) => {
            failure.show(console);
            if console.json() {
                // Where standard output is closed nobody reads it.
                let told = console.signed(failure.json());
                let _ = OutputArgs::default().write(&format!("{told:#}\n"));
            }
            failure.exit()
        }
    }
}

/// Writes an answer. Where its file cannot be written after all, it is not lost: standard output has it.
fn deliver(answer: &Answer, console: &Console) -> Result<Exit, Failure> {
    let Err(failure) = answer.output.write(&answer.text) else {
        return Ok(answer.exit);
    };
    if answer.output.output.is_none() {
        return Err(failure);
    }
    failure.show(console);
    console.note("the result goes to standard output");
    OutputArgs::default().write(&answer.text)?;
    Ok(answer.exit.max(failure.exit()))
}

/// Prints what clap has to say: help on standard output, errors on standard error. A closed pipe is
/// no reason to complain.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    let closed = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    match error.use_stderr() || printed.is_err_and(|error| !closed(&error)) {
        true => Exit::BadInput.code(),
        false => Exit::Done.code(),
    }
}

/// What to say of work that was to end before anything is known.
fn stopped(limit: Limit) -> String {
    format!("unknown: {}", why_stopped(limit))
}

/// Why work was to end.
fn why_stopped(limit: Limit) -> &'static str {
    match limit {
        Limit::Memory => "out of memory",
        Limit::Interrupted => "the work was interrupted",
        _ => "out of time",
    }
}

impl Exit {
    fn code(self) -> ExitCode {
        ExitCode::from(self.number())
    }

    fn number(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Violated => 10,
            Exit::Unknown => 5,
            Exit::BadInput => 2,
            Exit::Internal => 6,
        }
    }
}

impl Failure {
    /// Explains it.
    fn show(&self, console: &Console) {
        match self {
            Failure::Source(file, diagnostics) => console.diagnostics(file, diagnostics),
            Failure::Message(message, hint) => console.error(message, hint.as_deref()),
            Failure::Stopped(limit) => console.note(&stopped(*limit)),
        }
    }

    /// How a command ends that has no other answer.
    fn exit(&self) -> Exit {
        match self {
            Failure::Source(..) | Failure::Message(..) => Exit::BadInput,
            Failure::Stopped(_) => Exit::Unknown,
        }
    }

    /// The same for programs.
    fn json(&self) -> Value {
        match self {
            Failure::Source(file, diagnostics) => diagnostics::rejected(file, diagnostics),
            Failure::Message(message, hint) => diagnostics::failed(message, hint.as_deref()),
            Failure::Stopped(limit) => diagnostics::failed(&stopped(*limit), None),
        }
    }

    /// That work was to end before anything is known.
    pub fn stopped(stop: &Stop) -> Self {
        Failure::Stopped(Limit::of_stop(stop))
    }

    /// A failure that is not about a place of the source.
    pub fn message(message: impl Into<String>) -> Self {
        Failure::Message(message.into(), None)
    }

    /// The same with a way out.
    pub fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure::Message(message.into(), Some(hint.into()))
    }
}
