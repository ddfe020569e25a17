//! `cupola certify`: checks a certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use cupola::certificate::{self, Kind, StoreError};
use cupola::certify::{self, CertifyError, Effort, Solver, Verdict};
use cupola::memory::Model;
use cupola::render;
use cupola::run::progress::Progress;
use cupola::source::SourceFile;

use super::input::{read, seconds, stem};
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::progress::Line;
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, Part, Parts, ReportArgs};

/// Checks certificates: re-runs the reduction, and then either has a solver discharge the proof obligations
/// of an invariant, derived anew, or evaluates every step from a list of states.
///
/// Exit codes: 0 accepted; 10 rejected; 5 unknown, the solver gives no answer or the time is over;
/// 2 the certificate is malformed or the solver is missing.
#[derive(Debug, Args)]
pub struct CertifyArgs {
    /// The directories of the certificates.
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,

    /// The program that the certificates should be about. Without it, `source.cup` in the directory
    /// is taken at its word.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    /// What discharges the obligations of an invariant: `z3`, the default, is the library that Cupola is
    /// linked to; anything else is a program, such as `cvc5`, that reads an SMT-LIB file.
    #[arg(long, value_name = "z3|cvc5|PATH")]
    solver: Option<Solver>,

    /// Stop the check of a certificate after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &CertifyArgs, console: &Console) -> Result<Answer, Failure> {
    let mut parts = Parts::new(&args.report.output, args.dirs.len() > 1, console)?;
    let program = args.program.as_deref().map(read).transpose()?;
    let cancel = stop_on_interrupt(console);
    for dir in &args.dirs {
        if parts.goes_on(&dir.display(), &cancel) {
            parts.add(args.check(dir, program.as_ref(), &cancel, console));
        }
    }
    parts.answer()
}

impl CertifyArgs {
    /// Checks one certificate.
    fn check(
        &self,
        dir: &Path,
        program: Option<&SourceFile>,
        cancel: &Arc<AtomicBool>,
        console: &Console,
    ) -> Result<Part, Failure> {
        let effort = Effort {
            solver: self.solver.clone().unwrap_or(Solver::Library),
            stop: memory::stop(self.timeout, cancel),
            progress: Progress::default(),
        };
        let stored = certificate::read(dir).map_err(|error| unreadable(error, dir))?;
        let name = dir.display();
        if stored.kind() != Kind::Invariant && self.solver.is_some() {
            console.note(&format!(
                "`{name}` is no invariant, so that it needs no solver: `--solver` has no effect"
            ));
        }
        let line = Line::of_work(console, effort.progress.clone());
        let watchdog = Watchdog::over(effort.stop.clone(), effort.progress.clone(), console);
        let report = certify::check_with(&stored, program, &effort);
        drop(watchdog);
        line.end();
        let report = report.map_err(malformed)?;
        let seconds = report.time.as_secs_f64();
        console.note(&format!("`{name}` was checked in {seconds:.2} s"));
        let exit = match report.verdict {
            Verdict::Accepted => Exit::Done,
            Verdict::Rejected(_) => Exit::Violated,
            Verdict::Unknown(_) => Exit::Unknown,
        };
        let page = console.page(&self.report.output);
        let text = || render::certify::text(&report, &page);
        let json = || render::certify::json(&report);
        Ok(self.report.part((stem(dir), "txt"), text, json, exit))
    }
}

fn unreadable(error: StoreError, dir: &Path) -> Failure {
    match error {
        StoreError::Io { .. } => Failure::with_hint(error.to_string(), hint(dir)),
        StoreError::Format(_)
        | StoreError::Table(_)
        | StoreError::Basis(_)
        | StoreError::Exists(..) => Failure::message(error.to_string()),
    }
}

/// Where the certificate may be: with several models, each has a directory of its own.
fn hint(dir: &Path) -> String {
    let inner = Model::ALL.map(|model| dir.join(model.to_string()));
    let found = inner.iter().filter(|dir| certificate::read(dir).is_ok());
    let found: Vec<String> = found.map(|dir| format!("`{}`", dir.display())).collect();
    match found.is_empty() {
        true => "give the directory that `cupola verify --certificate` wrote".to_owned(),
        false => format!(
            "it holds a certificate for each model: give {}",
            found.join(" or ")
        ),
    }
}

fn malformed(error: CertifyError) -> Failure {
    match error {
        CertifyError::Source(file, diagnostics) => Failure::Source(file, diagnostics),
        CertifyError::Solver(error) => Failure::with_hint(
            error.to_string(),
            "give `z3`, the name of an installed SMT-LIB solver, or its path",
        ),
        CertifyError::Reduce(_)
        | CertifyError::Fence(_)
        | CertifyError::Predicate(_)
        | CertifyError::Location(_)
        | CertifyError::Pair(_)
        | CertifyError::List(_) => Failure::message(error.to_string()),
    }
}
