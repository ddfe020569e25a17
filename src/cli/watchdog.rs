//! Ends a process whose work does not end, though it was to: most likely its solver does not come back.
//!
//! Work that is to end early looks at the clock between questions, and the effort of a question is bounded.
//! But there are questions in which Z3 neither counts its effort nor listens. A user who gave a time limit
//! or pressed Ctrl-C is not to wait for these.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cupola::run::progress::Progress;
use cupola::run::stop::Stop;

use super::{Console, Exit};

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
                    let (answered, asked) = progress.questions();
                    let (why, hint) = match answered < asked {
                        true => (
                            "most likely the solver does not come back from a question".to_owned(),
                            "try other predicates, smaller cubes (`--cube-size`), or a newer libz3",
                        ),
                        false => (
                            format!("it is at: {}", progress.what()),
                            "the program is very long for this: make it shorter, or allow more time",
                        ),
                    };
                    let message = "unknown: the work does not end, though its time is over";
                    console.error(&format!("{message}: {why}"), Some(hint));
                    std::process::exit(Exit::Unknown.number().into());
                }
            }
        });
        Watchdog { done }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
