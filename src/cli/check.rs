//! `cupola check`: model-checks a boolean program.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use boolprog_checker::{Limits, Mode, Options, ProgramError, Report, Split, Verdict};
use clap::Args;
use cupola::front::cup::ast::Span;
use cupola::source::Diagnostic;

use super::input::{once_from_stdin, read, seconds, stem};
use super::interrupt::stop_on_interrupt;
use super::{Answer, Console, Exit, Failure, Part, Parts, ReportArgs};

/// Model-checks boolean programs; the binary `boolprog-checker` has more options.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The boolean programs, `.bp` files; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Also ask whether a run comes to a statement with this label; may be given several times.
    #[arg(long, value_name = "NAME")]
    error_label: Vec<String>,

    /// Search with three values only, as `verify` does: a possible violation is not confirmed.
    #[arg(long)]
    three_valued: bool,

    /// Which unknowns the three-valued search splits.
    #[arg(long, value_enum, default_value_t = Split::None)]
    split: Split,

    /// Search with two values only.
    #[arg(long, conflicts_with = "three_valued")]
    exact: bool,

    /// The most threads that may be alive at the same time, not counting those that no loop starts.
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_threads)]
    max_threads: usize,

    /// The most states that may be stored.
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_states)]
    max_states: usize,

    /// Give up a program after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Also say what the search did.
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &CheckArgs, console: &Console) -> Result<Answer, Failure> {
    once_from_stdin(&args.files)?;
    let mut parts = Parts::new(&args.report.output, args.files.len() > 1, console)?;
    let cancel = stop_on_interrupt(console);
    for path in &args.files {
        if parts.goes_on(&path.display(), &cancel) {
            parts.add(args.check(path, &cancel, console));
        }
    }
    parts.answer()
}

impl CheckArgs {
    /// Checks one program.
    fn check(
        &self,
        path: &Path,
        cancel: &Arc<AtomicBool>,
        console: &Console,
    ) -> Result<Part, Failure> {
        let file = read(path)?;
        let program = boolprog_checker::parse(file.text());
        let program = program.and_then(|program| program.with_error_labels(&self.error_label));
        let program = match program {
            Ok(program) => program,
            Err(errors) => {
                let mut diagnostics: Vec<_> = errors.iter().map(diagnostic).collect();
                if let Some(last) = diagnostics.last_mut() {
                    last.notes.extend(errors.left_out());
                }
                return Err(Failure::Source(file, diagnostics));
            }
        };
        let mut options = self.options();
        options.limits.cancel = Some(Arc::clone(cancel));
        let outcome = boolprog_checker::check(&program, &options);
        let report = Report {
            name: file.name(),
            text: file.text(),
            program: &program,
            outcome: &outcome,
            stats: self.stats,
        };
        let exit = match outcome.verdict() {
            Verdict::Verified => Exit::Done,
            Verdict::Unknown => Exit::Unknown,
            Verdict::Violated => Exit::Violated,
        };
        let page = console.page(&self.report.output);
        let (text, json) = (|| page.prose(&report.to_text()), || report.to_json());
        Ok(self.report.part((stem(path), "txt"), text, json, exit))
    }

    fn options(&self) -> Options {
        Options {
            mode: match (self.exact, self.three_valued) {
                (true, _) => Mode::Exact,
                (false, true) => Mode::ThreeValued,
                (false, false) => Mode::Auto,
            },
            split: self.split,
            limits: Limits {
                max_states: self.max_states,
                max_threads: self.max_threads,
                timeout: self.timeout,
                ..Limits::default()
            },
            ..Options::default()
        }
    }
}

fn diagnostic(error: &ProgramError) -> Diagnostic {
    let span = error.span.map_or(Span::default(), |span| Span {
        start: span.start,
        end: span.end,
    });
    let diagnostic = Diagnostic::error(error.kind.to_string(), span, "here");
    match error.kind.hint() {
        Some(hint) => diagnostic.with_note(hint),
        None => diagnostic,
    }
}
