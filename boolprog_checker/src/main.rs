//! The command `boolprog-checker`: arguments to options, one check, one report, one exit code.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use boolprog_checker::{
    Limits, Mode, Options, Reductions, Report, Split, check, exit_code, parse, render_errors,
};
use clap::Parser;

/// Model-checks concurrent boolean programs.
///
/// Exit codes: 0 verified, 10 violated, 5 unknown, 2 bad input or usage, 6 internal error.
#[derive(Parser)]
#[command(name = "boolprog-checker", version)]
struct Arguments {
    /// The boolean program; `-` reads standard input.
    file: PathBuf,
    /// Also ask whether a run comes to a statement with this label; may be given several times.
    #[arg(long, value_name = "NAME")]
    error_label: Vec<String>,
    /// Search with two values only.
    #[arg(long, conflicts_with_all = ["three_valued", "split", "join"])]
    exact: bool,
    /// Search with three values only; a possible violation is not confirmed.
    #[arg(long)]
    three_valued: bool,
    /// Which unknowns the three-valued search splits.
    #[arg(long, value_enum, default_value_t = Split::None)]
    split: Split,
    /// Join states that differ in one variable; costs precision.
    #[arg(long)]
    join: bool,
    /// Keep states that a more general one covers.
    #[arg(long)]
    no_cover: bool,
    /// Keep steps without effect.
    #[arg(long)]
    no_fuse: bool,
    /// Interleave steps that no other thread can notice.
    #[arg(long)]
    no_invisible: bool,
    /// Keep the values of variables that no step will read.
    #[arg(long)]
    no_dead: bool,
    /// Report the first trace found, not a shortest one.
    #[arg(long)]
    any_trace: bool,
    /// Most states stored.
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_states)]
    max_states: usize,
    /// Most threads alive at the same time, not counting those that no loop starts.
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_threads)]
    max_threads: usize,
    /// Longest time in seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Report as JSON.
    #[arg(long)]
    json: bool,
    /// Report what the search did.
    #[arg(long)]
    stats: bool,
    /// Print the program instead of checking it.
    #[arg(long)]
    print: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

impl Arguments {
    fn options(&self) -> Options {
        let mode = match (self.exact, self.three_valued) {
            (true, _) => Mode::Exact,
            (false, true) => Mode::ThreeValued,
            (false, false) => Mode::Auto,
        };
        Options {
            mode,
            split: self.split,
            reductions: Reductions {
                cover: !self.no_cover,
                fuse: !self.no_fuse,
                invisible: !self.no_invisible,
                dead: !self.no_dead,
            },
            join: self.join,
            shortest: !self.any_trace,
            limits: Limits {
                max_states: self.max_states,
                max_threads: self.max_threads,
                timeout: self.timeout,
                cancel: None,
                progress: None,
            },
            record_fired: false,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match std::panic::catch_unwind(|| run(&arguments)) {
        Ok(code) => ExitCode::from(code),
        Err(_) => {
            complain("internal error: please report the program and the options");
            ExitCode::from(6)
        }
    }
}

fn run(arguments: &Arguments) -> u8 {
    let name = arguments.file.display().to_string();
    let text = match read(arguments) {
        Ok(text) => text,
        Err(error) => {
            complain(&format!("error: cannot read {name}: {error}"));
            return 2;
        }
    };
    let program =
        parse(&text).and_then(|program| program.with_error_labels(&arguments.error_label));
    let program = match program {
        Ok(program) => program,
        Err(errors) => {
            complain(render_errors(&errors, &name, &text).trim_end());
            return 2;
        }
    };
    if arguments.print {
        return say(&program.to_string(), 0);
    }
    let mut options = arguments.options();
    options.limits.cancel = Some(stop_on_interrupt());
    let outcome = check(&program, &options);
    let report = Report {
        name: &name,
        text: &text,
        program: &program,
        outcome: &outcome,
        stats: arguments.stats,
    };
    let told = match arguments.json {
        true => format!("{:#}\n", report.to_json()),
        false => report.to_text(),
    };
    say(&told, exit_code(outcome.verdict()))
}

/// A flag that the first Ctrl-C sets, so that the report has what is known by then; the second one ends the process.
fn stop_on_interrupt() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let interrupted = Arc::clone(&cancel);
    let handler = move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        complain("interrupted: telling what is known; once more to end at once");
    };
    // Without a handler an interrupt ends the process, which is all right.
    let _ = ctrlc::set_handler(handler);
    cancel
}

/// What a process that an interrupt ends returns: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// The text to check, without the mark that some editors write at the start of a file.
fn read(arguments: &Arguments) -> io::Result<String> {
    let mut text = read_all(arguments)?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(text)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

fn read_all(arguments: &Arguments) -> io::Result<String> {
    let mut bytes = Vec::new();
    if arguments.file.as_os_str() == "-" {
        io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(&arguments.file)?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let (good, _) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let place = place_behind(good);
        io::Error::other(format!("{place} is not valid UTF-8"))
    })
}

/// The place behind some text: `line 2, column 3`.
fn place_behind(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.matches('\n').count() + 1;
    let column = text.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}")
}

/// Writes to standard output and gives the exit code back; a reader that has gone away is not an error.
fn say(text: &str, code: u8) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("error: cannot write the report: {error}"));
            2
        }
        Ok(()) | Err(_) => code,
    }
}

/// Writes a line to standard error.
fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
