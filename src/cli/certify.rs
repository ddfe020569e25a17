//! `cupola certify`: checks a certificate.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use cupola::certificate::{self, StoreError};
use cupola::certify::{self, CertifyError, Effort, Solver, Verdict};
use cupola::model::Model;
use cupola::progress::Progress;
use cupola::stop::Stop;

use super::input::{Input, deadline, seconds};
use super::interrupt::stop_on_interrupt;
use super::progress::Line;
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, ReportArgs};

/// Checks a certificate: re-runs the reduction, derives the proof obligations of the invariant anew and
/// has a solver discharge them.
///
/// Exit codes: 0 accepted; 10 rejected; 5 unknown, the solver gives no answer or the time is over;
/// 2 the certificate is malformed or the solver is missing.
#[derive(Debug, Args)]
pub struct CertifyArgs {
    /// The directory of the certificate.
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// The program that the certificate should be about. Without it, `source.cup` in the directory
    /// is taken at its word.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    /// Who discharges the obligations: `z3` is the library that Cupola is linked to; anything else is
    /// a program, such as `cvc5`, that reads an SMT-LIB file.
    #[arg(long, default_value = "z3", value_name = "z3|cvc5|PATH")]
    solver: Solver,

    /// Stop after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &CertifyArgs, console: &Console) -> Result<Answer, Failure> {
    let effort = Effort {
        solver: args.solver.clone(),
        stop: Stop {
            deadline: args.timeout.and_then(deadline),
            cancel: Some(stop_on_interrupt(console)),
        },
        progress: Progress::default(),
    };
    let read = certificate::read(&args.dir);
    let (stored, obligations) = read.map_err(|error| unreadable(error, &args.dir))?;
    let program = args.program.as_ref().map(|file| {
        let input = Input { file: file.clone() };
        input.read()
    });
    let program = program.transpose()?;
    let line = Line::of_work(console, effort.progress.clone());
    let watchdog = Watchdog::over(effort.stop.clone(), console);
    let report = certify::check_with(&stored, &obligations, program.as_ref(), &effort);
    drop(watchdog);
    line.end();
    let report = report.map_err(malformed)?;
    let exit = match report.verdict {
        Verdict::Accepted => Exit::Done,
        Verdict::Rejected(_) => Exit::Violated,
        Verdict::Unknown(_) => Exit::Unknown,
    };
    let (text, json) = (|| report.to_string(), || report.to_json());
    Ok(args.report.answer(text, json, exit))
}

fn unreadable(error: StoreError, dir: &Path) -> Failure {
    match error {
        StoreError::Io { .. } => Failure::with_way_out(error.to_string(), way_out(dir)),
        StoreError::Format(_) | StoreError::Exists(..) => Failure::message(error.to_string()),
    }
}

/// Where the certificate may be: with several models, each has a directory of its own.
fn way_out(dir: &Path) -> String {
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
        CertifyError::Solver(error) => Failure::with_way_out(
            error.to_string(),
            "give `z3`, the name of an installed SMT-LIB solver, or its path",
        ),
        CertifyError::Reduce(_)
        | CertifyError::Reduced(_)
        | CertifyError::Fence(_)
        | CertifyError::Predicate(_)
        | CertifyError::Location(_)
        | CertifyError::Pair(_) => Failure::message(error.to_string()),
    }
}
