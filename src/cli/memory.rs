//! `--max-memory`: work ends with what is known before the machine has no memory left.
//!
//! A thread looks at the memory that the process takes up, as the system counts it, a hundred times a second; where the
//! limit is reached it asks all work to end, as Ctrl-C does. So this limit, like `--timeout`, is no count, and where a
//! search ends because of it depends on the machine.

use std::fs::read_to_string;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use cupola::run::stop::Stop;

use super::input::deadline;

/// How often the memory is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The limit that the user gave.
static LIMIT: OnceLock<u64> = OnceLock::new();

/// The flag that says that the limit was reached; the same for all work of the process.
static FULL: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Sets the limit.
pub fn limit(limit: Option<u64>) {
    if let Some(limit) = limit {
        LIMIT.get_or_init(|| limit);
    }
}

/// Whether the limit was reached.
pub fn is_full() -> bool {
    FULL.get().is_some_and(|full| full.load(Ordering::Relaxed))
}

/// What ends work that may take long: its time, an interrupt, which sets `cancel`, or the limit on memory.
pub fn stop(timeout: Option<Duration>, cancel: &Arc<AtomicBool>) -> Stop {
    let full = FULL.get_or_init(|| watch(Arc::clone(cancel)));
    Stop {
        deadline: timeout.and_then(deadline),
        cancel: Some(Arc::clone(cancel)),
        full: Some(Arc::clone(full)),
    }
}

/// Watches over the memory of the process until it ends. Where the system does not say how much there is, nothing is
/// watched.
fn watch(cancel: Arc<AtomicBool>) -> Arc<AtomicBool> {
    let full = Arc::new(AtomicBool::new(false));
    let told = LIMIT.get().copied();
    let Some(limit) = told.or_else(|| available().map(|bytes| bytes / 4 * 3)) else {
        return full;
    };
    let flag = Arc::clone(&full);
    thread::spawn(move || {
        let mut before = resident();
        while let (Some(last), Some(now)) = (before, resident()) {
            // What comes before the next look counts, if it is as much as before this one.
            if now + now.saturating_sub(last) >= limit {
                flag.store(true, Ordering::Relaxed);
                cancel.store(true, Ordering::Relaxed);
                return;
            }
            before = Some(now);
            thread::sleep(POLL_INTERVAL);
        }
    });
    full
}

/// The bytes of memory that the process takes up.
fn resident() -> Option<u64> {
    kilobytes("/proc/self/status", "VmRSS:")
}

/// The bytes of memory that the process may have: those of the machine, or of its container.
fn available() -> Option<u64> {
    let machine = kilobytes("/proc/meminfo", "MemTotal:")?;
    let container = read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    Some(container.map_or(machine, |bytes: u64| bytes.min(machine)))
}

/// The bytes that a line of a file of the system gives in kilobytes.
fn kilobytes(file: &str, key: &str) -> Option<u64> {
    let text = read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number * 1024)
}

/// The value of `--max-memory`: a number of bytes, or one with the letter K, M or G: thousands, millions or billions, as in
/// reports.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size: write a number with K, M or G, such as 500M");
    let (number, unit) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 1_000),
        Some((at, 'M' | 'm')) => (&text[..at], 1_000_000),
        Some((at, 'G' | 'g')) => (&text[..at], 1_000_000_000),
        _ => (text, 1_u64),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number
        .checked_mul(unit)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(wrong)
}
