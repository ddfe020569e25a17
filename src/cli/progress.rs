//! Progress on a terminal.
//!
//! A line on standard error that says what is going on, how much is done, how fast, and where it can be
//! known how long the rest may take. Where standard error is no terminal, or with `--quiet`,
//! nothing is shown.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cupola::run::progress::Progress;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::Console;

/// How often the line moves.
const TICK: Duration = Duration::from_millis(120);

/// A line about pieces of work, one after the other.
pub struct Bar(ProgressBar);

/// A line about work that counts for itself.
pub struct Line(ProgressBar);

impl Bar {
    /// A line about a known number of pieces, with an estimate.
    pub fn new(console: &Console) -> Self {
        let style = "{spinner} [{elapsed_precise}] {wide_bar} {pos}/{len} (about {eta} left) {msg}";
        Bar(bar(console, template(style)))
    }

    /// A line about placements, whose number is not known before.
    pub fn of_placements(console: &Console) -> Self {
        let style = "{spinner} [{elapsed_precise}] {pos} placements, {per_sec}: {wide_msg}";
        Bar(bar(console, template(style)))
    }

    /// So many of all pieces are done, and this one begins.
    pub fn step(&self, done: usize, all: usize, name: &str) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
        self.0.set_message(name.to_owned());
    }

    /// So many placements are decided, this one last.
    pub fn placement(&self, tries: u64, last: &str) {
        self.0.set_position(tries);
        self.0.set_message(last.to_owned());
    }

    /// Removes the line.
    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}

impl Line {
    /// A line about a growing number of states, of which there may be so many.
    pub fn of_states(console: &Console, states: Arc<AtomicUsize>, most: usize) -> Self {
        let tell = move |state: &ProgressState, text: &mut dyn Write| {
            let states = states.load(Ordering::Relaxed);
            let rate = states as f64 / state.elapsed().as_secs_f64().max(1e-3);
            let share = 100.0 * states as f64 / most.max(1) as f64;
            let _ = write!(
                text,
                "{states} states, {rate:.0} states/s, {share:.0} % of --max-states"
            );
        };
        Line(bar(console, telling(tell)))
    }

    /// A line about what the pipeline does.
    pub fn of_work(console: &Console, progress: Progress) -> Self {
        let tell = move |state: &ProgressState, text: &mut dyn Write| {
            let _ = write!(text, "{}", work(&progress, state.elapsed()));
        };
        Line(bar(console, telling(tell)))
    }

    /// Removes the line.
    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// What is going on: questions while the abstraction is built, then states.
fn work(progress: &Progress, elapsed: Duration) -> String {
    let what = progress.what();
    let states = progress.state_count();
    match progress.questions() {
        (answered, all) if answered < all => {
            let rate = answered as f64 / elapsed.as_secs_f64().max(1e-3);
            format!("{what}: {answered} of {all} questions answered, {rate:.0} questions/s")
        }
        _ if states > 0 => format!("{what}: {states} states"),
        _ => what,
    }
}

/// A line with a text that is made anew each time.
fn telling(
    tell: impl Fn(&ProgressState, &mut dyn Write) + Clone + Send + Sync + 'static,
) -> ProgressStyle {
    template("{spinner} [{elapsed_precise}] {told}").with_key("told", tell)
}

fn bar(console: &Console, style: ProgressStyle) -> ProgressBar {
    if !console.shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

fn template(text: &str) -> ProgressStyle {
    ProgressStyle::with_template(text).expect("the template is well formed")
}
