//! An SMT-LIB solver as a process.
//!
//! It is started with the name of a file and must print `sat`, `unsat` or `unknown` on a line for each
//! `check-sat`. Whatever else it prints counts as not knowing, and so does an end with an exit code other than 0.
//! It is stopped at the first answer other than `unsat`, and when the time is over: a thread of its own
//! waits for its lines.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::values;
use super::{Answer, SolverError, Unrefuted};
use crate::certify::effort::Effort;
use crate::certify::smt::Claims;
use crate::run::stop::Stop;

/// How much of a solver's complaint is shown.
const COMPLAINT: u64 = 2000;

/// How often the clock is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How many lines a solver may be ahead.
const AHEAD: usize = 64;

pub(super) fn refute(
    path: &Path,
    effort: &Effort,
    claims: &impl Claims,
) -> Result<Option<Unrefuted>, SolverError> {
    let run = |text: &str| -> io::Result<Option<Unrefuted>> {
        let mut solver = Running::start(path, &effort.stop, text)?;
        let mut last = None;
        for claim in 0..claims.len() {
            if let Some(answer) = solver.answer()? {
                return Ok(Some(Unrefuted { claim, answer }));
            }
            effort.progress.answer();
            last = Some(claim);
        }
        let more = solver.more()?;
        Ok(last
            .zip(more)
            .map(|(claim, answer)| Unrefuted { claim, answer }))
    };
    run(&claims.to_smtlib()).map_err(|error| failed(path, error))
}

pub(super) fn values(
    path: &Path,
    stop: &Stop,
    claims: &impl Claims,
) -> Result<Option<Vec<String>>, SolverError> {
    let names = claims.variables();
    let ask = format!("(check-sat)\n(get-value ({}))\n", names.join(" "));
    let text = claims.to_smtlib().replacen("(check-sat)\n", &ask, 1);
    let text = format!("(set-option :produce-models true)\n{text}");
    let run = || -> io::Result<Option<Vec<String>>> {
        let mut solver = Running::start(path, stop, &text)?;
        match solver.answer()? {
            Some(Answer::Sat) => Ok(values::parse(&solver.rest()?, names)),
            Some(Answer::Unknown(_) | Answer::Stopped) | None => Ok(None),
        }
    };
    run().map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: io::Error) -> SolverError {
    SolverError {
        path: path.to_owned(),
        error,
    }
}

/// A solver at work; it ends with this value, and so does its input file.
struct Running {
    child: Child,
    lines: Receiver<io::Result<Vec<u8>>>,
    complaints: File,
    stop: Stop,
    _input: tempfile::NamedTempFile,
}

impl Running {
    fn start(path: &Path, stop: &Stop, text: &str) -> io::Result<Self> {
        let mut input = tempfile::Builder::new().suffix(".smt2").tempfile()?;
        input.write_all(text.as_bytes())?;
        input.flush()?;
        let complaints = tempfile::tempfile()?;
        let mut child = Command::new(path)
            .args(options(path))
            .arg(input.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(complaints.try_clone()?)
            .process_group(0)
            .spawn()?;
        let answers = child.stdout.take().expect("standard output is piped");
        Ok(Running {
            child,
            lines: lines(answers),
            complaints,
            stop: stop.clone(),
            _input: input,
        })
    }

    /// The next answer, `None` if it is `unsat`.
    fn answer(&mut self) -> io::Result<Option<Answer>> {
        let line = match self.line()? {
            Line::Text(line) => line,
            Line::End => {
                return Ok(Some(match self.end()? {
                    Some(status) => self.complaint("it ends without an answer,", status)?,
                    None => Answer::Stopped,
                }));
            }
            Line::Stopped => return Ok(Some(Answer::Stopped)),
        };
        let line = String::from_utf8_lossy(&line);
        Ok(match line.trim() {
            "unsat" => None,
            "sat" => Some(Answer::Sat),
            "unknown" => Some(Answer::Unknown("it answers `unknown`".to_owned())),
            other => Some(Answer::Unknown(format!("it answers `{other}`"))),
        })
    }

    /// What is wrong with a solver that has given all answers, if it does not end there, and well.
    fn more(&mut self) -> io::Result<Option<Answer>> {
        Ok(match self.line()? {
            Line::End => match self.end()? {
                Some(status) if status.success() => None,
                Some(status) => Some(self.complaint("it gives all answers but ends", status)?),
                None => Some(Answer::Stopped),
            },
            Line::Stopped => Some(Answer::Stopped),
            Line::Text(line) => {
                let line = String::from_utf8_lossy(&line);
                let line = line.trim();
                Some(Answer::Unknown(format!(
                    "it says more than it was asked: `{line}`"
                )))
            }
        })
    }

    /// Waits for the next line.
    fn line(&self) -> io::Result<Line> {
        loop {
            let received = self.lines.recv_timeout(POLL_INTERVAL);
            if self.stop.should_stop() {
                return Ok(Line::Stopped);
            }
            match received {
                Ok(line) => return line.map(Line::Text),
                Err(RecvTimeoutError::Disconnected) => return Ok(Line::End),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Waits for the solver to end; `None` if there is no time left for that.
    fn end(&mut self) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if self.stop.should_stop() {
                return Ok(None);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Why the solver is not believed: how it ended, and what it said about that.
    fn complaint(&mut self, what: &str, status: ExitStatus) -> io::Result<Answer> {
        let mut complaint = Vec::new();
        self.complaints.rewind()?;
        let mut start = (&self.complaints).take(COMPLAINT);
        start.read_to_end(&mut complaint)?;
        let complaint = String::from_utf8_lossy(&complaint);
        Ok(Answer::Unknown(match complaint.trim() {
            "" => format!("{what} with {status}"),
            complaint => format!("{what} with {status}: {complaint}"),
        }))
    }

    /// Everything that is still to come.
    fn rest(&self) -> io::Result<String> {
        let mut rest = Vec::new();
        while let Line::Text(line) = self.line()? {
            rest.extend(line);
        }
        Ok(String::from_utf8_lossy(&rest).into_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to stop.
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        // A solver may be a script that has started others: everything in its group is stopped.
        if let Some(group) = Pid::from_raw(self.child.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// What a solver prints next.
enum Line {
    Text(Vec<u8>),
    /// Nothing more.
    End,
    /// It is not waited for any more.
    Stopped,
}

/// The lines of a solver. The process does not wait for the thread that reads them: it ends with them, and no
/// later than when a line comes that is not wanted any more.
fn lines(answers: ChildStdout) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(AHEAD);
    let mut answers = BufReader::new(answers);
    thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            let read = answers.read_until(b'\n', &mut line);
            let line = match read {
                Ok(0) => break,
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// What well-known solvers need to be told before they read a file with many questions.
fn options(path: &Path) -> &'static [&'static str] {
    match path.file_name().and_then(OsStr::to_str) {
        Some("cvc4" | "cvc5" | "yices-smt2") => &["--incremental"],
        _ => &[],
    }
}
