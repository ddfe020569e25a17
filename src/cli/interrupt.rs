//! Ctrl-C: the first one ends the work with what is known, the second one the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::Console;

/// What a process that an interrupt ends returns: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// The flag that the first interrupt sets; the same for all work of the process.
pub fn stop_on_interrupt(console: &Console) -> Arc<AtomicBool> {
    static CANCEL: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    Arc::clone(CANCEL.get_or_init(|| handled(*console)))
}

/// A flag that the handler of interrupts sets.
fn handled(console: Console) -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let interrupted = Arc::clone(&cancel);
    let handler = move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        console.note("interrupted: telling what is known; once more to end at once");
    };
    // Without a handler an interrupt ends the process, which is all right.
    let _ = ctrlc::set_handler(handler);
    cancel
}
