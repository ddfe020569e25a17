//! `--max-memory`: work ends with what is known before the machine has no memory left.
//!
//! A thread looks at the memory that the process takes up, as the system counts it, a hundred times a second; where the
//! limit is reached it asks all work to end, as Ctrl-C does. So this limit, like `--timeout`, is no count, and where a
//! search ends because of it depends on the machine. Work that goes on all the same, since a step of it takes long or it
//! does not ask, ends with the process where it takes up a quarter more.

use std::fs::read_to_string;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread;
use std::time::Duration;

use cupola::render::Advice;
use cupola::run::stop::Stop;

use super::input::deadline;
use super::{Console, advice, watchdog};

/// How often the memory is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// What work may take up beyond the limit until it ends, at least.
const LEAST_SLACK: u64 = 128_000_000;

/// The flag that says that the limit was reached; the same for all work of the process.
static FULL: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The flag that asks all work of the process to end.
static CANCEL: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether the limit was reached.
pub fn is_full() -> bool {
    FULL.load(Ordering::Relaxed)
}

/// What ends work that may take long: its time, an interrupt, which sets `cancel`, or the limit on memory.
pub fn stop(timeout: Option<Duration>, cancel: &Arc<AtomicBool>) -> Stop {
    CANCEL.get_or_init(|| Arc::clone(cancel));
    if is_full() {
        cancel.store(true, Ordering::Relaxed);
    }
    Stop {
        deadline: timeout.and_then(deadline),
        cancel: Some(Arc::clone(cancel)),
        full: Some(Arc::clone(&FULL)),
    }
}

/// Watches over the memory of the process until it ends, with the limit that the user gave. Where the system does not say
/// how much there is, nothing is watched without one.
pub fn watch(told: Option<u64>, console: &Console) {
    let machine = available();
    let Some(limit) = told.or_else(|| machine.map(|bytes| bytes / 4 * 3)) else {
        return;
    };
    let (most, console) = (most(limit, machine), *console);
    thread::spawn(move || {
        let mut before = resident();
        while let (Some(last), Some(now)) = (before, resident()) {
            // What comes before the next look counts, if it is as much as before this one.
            if now + now.saturating_sub(last) >= limit {
                FULL.store(true, Ordering::Relaxed);
                if let Some(cancel) = CANCEL.get() {
                    cancel.store(true, Ordering::Relaxed);
                }
            }
            if now >= most {
                let hint = advice::text(Advice::MoreMemory);
                let message = "unknown: out of memory, and the work does not end by itself";
                watchdog::give_up(&console, message, &hint);
            }
            before = Some(now);
            thread::sleep(POLL_INTERVAL);
        }
    });
}

/// Where work is not waited for any longer: beyond the limit, and before the machine has no memory left.
fn most(limit: u64, machine: Option<u64>) -> u64 {
    let beyond = limit.saturating_add(LEAST_SLACK.max(limit / 4));
    let bound = machine.map_or(u64::MAX, |bytes| bytes / 16 * 15);
    beyond.min(bound).max(limit)
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
