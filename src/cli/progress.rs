//! Progress on a terminal.
//!
//! A line on standard error that says what is going on, how much is done and how long the rest may
//! take. Where standard error is no terminal, or with `--quiet`, nothing is shown.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Console;

/// How often the line moves.
const TICK: Duration = Duration::from_millis(120);

/// A line about a known number of pieces of work.
pub struct Bar(ProgressBar);

impl Bar {
    /// A line that says nothing yet.
    pub fn new(console: &Console) -> Self {
        if !console.shows_progress() {
            return Bar(ProgressBar::hidden());
        }
        let style = "{spinner} [{elapsed_precise}] {wide_bar} {pos}/{len} (about {eta} left) {msg}";
        let bar = ProgressBar::new(0).with_style(template(style));
        bar.enable_steady_tick(TICK);
        Bar(bar)
    }

    /// So many of all pieces are done, and this one begins.
    pub fn step(&self, done: usize, all: usize, name: &str) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
        self.0.set_message(name.to_owned());
    }

    /// Removes the line.
    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}

fn template(text: &str) -> ProgressStyle {
    ProgressStyle::with_template(text).expect("the template is well formed")
}
