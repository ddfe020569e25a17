//! Ends a process whose work does not end, though it was to: most likely its solver does not come back.
//!
//! Work that is to end early looks at the clock between questions, and the effort of a question is bounded.
//! But there are questions in which Z3 neither counts its effort nor listens. A user who gave a time limit
//! or pressed Ctrl-C is not to wait for these.

use std::io::{Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cupola::render::diagnostics;
use cupola::run::progress::Progress;
use cupola::run::stop::Stop;

use super::{Console, Exit, file};

/// How long work may go on after it was to end.
const GRACE_PERIOD: Duration = Duration::from_secs(10);

/// How often the watchdog looks at the clock.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Watches over work for as long as this lives.
pub struct Watchdog {
    done: Arc<AtomicBool>,
}

impl Watchdog {
    /// Ends the process, with the exit code of an unknown verdict, where work has not ended long after it
    /// was to stop.
    pub fn over(stop: Stop, progress: Progress, console: &Console) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let (watched, console) = (Arc::clone(&done), *console);
        thread::spawn(move || {
            let mut due: Option<Instant> = None;
            while !watched.load(Ordering::Relaxed) {
                thread::sleep(POLL_INTERVAL);
                if !stop.should_stop() {
                    continue;
                }
                let since = *due.get_or_insert_with(Instant::now);
                if since.elapsed() >= GRACE_PERIOD && !watched.load(Ordering::Relaxed) {
                    let (message, hint) = explained(&progress);
                    give_up(&console, &message, hint);
                }
            }
        });
        Watchdog { done }
    }
}

/// Where the work is that does not end, and what to try.
fn explained(progress: &Progress) -> (String, &'static str) {
    let message = "unknown: the work does not end, though its time is over";
    let long = "the program is very long for this: make it shorter, or allow more time";
    let (answered, asked) = progress.questions();
    if answered < asked {
        let why = "most likely the solver does not come back from a question";
        let hint = "try other predicates, smaller cubes, or a newer libz3";
        return (format!("{message}: {why}"), hint);
    }
    match progress.what().as_str() {
        "" => (message.to_owned(), long),
        what => (format!("{message}: it is at: {what}"), long),
    }
}

/// Ends the process as one that has no answer, unless it is writing a result: then it has one.
pub fn give_up(console: &Console, message: &str, hint: &str) {
    let Some(_idle) = file::idle() else {
        return;
    };
    console.error(message, Some(hint));
    if console.json() {
        let told = console.signed(diagnostics::failed(message, Some(hint)));
        // Where standard output is closed nobody reads it.
        let _ = writeln!(stdout().lock(), "{told:#}");
    }
    std::process::exit(Exit::Unknown.number().into());
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
