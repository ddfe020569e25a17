//! An execution as a drawing for a paper: a lane for each thread and one for memory, time going down.

use super::Execution;
use super::plot::svg::{Anchor, Mark, Svg};
use super::wrap::width_of;
use crate::program::ThreadId;
use crate::semantics::{MoveKind, Step, snapshots};

/// The width of a letter and the heights of a line of text, in pixels.
const LETTER: f64 = 7.3;
const ROW: f64 = 20.0;
const SMALL_ROW: f64 = 15.0;
const TOP: f64 = 34.0;
const LEFT: f64 = 40.0;
const GAP: f64 = 26.0;
const INK: &str = "#222222";
const FLUSH: &str = "#d55e00";

/// What stands in the lane of a step's thread.
struct Entry {
    thread: ThreadId,
    text: String,
    below: Option<String>,
    is_flush: bool,
    memory: Option<String>,
}

impl Execution<'_> {
    /// The execution as an SVG file.
    pub fn svg(&self) -> String {
        let entries = self.entries();
        let threads: Vec<ThreadId> = self.program.thread_ids().collect();
        let lane = |thread: ThreadId| {
            let own = entries.iter().filter(|entry| entry.thread == thread);
            let texts = own.flat_map(|entry| [Some(&entry.text), entry.below.as_ref()]);
            let widths = texts.flatten().map(|text| width_of(text));
            let heading = width_of(self.thread(thread));
            widths.chain([heading, 8]).max().unwrap_or(8) as f64 * LETTER
        };
        let mut lanes = Vec::new();
        let mut x = LEFT;
        for &thread in &threads {
            lanes.push(x);
            x += lane(thread) + GAP;
        }
        let memory = x + GAP;
        let texts = entries.iter().filter_map(|entry| entry.memory.as_ref());
        let wide = texts.map(|text| width_of(text)).max().unwrap_or(0).max(6);
        let ending = self.ending();
        let width =
            (memory + wide as f64 * LETTER + 20.0).max(width_of(&ending) as f64 * LETTER + 20.0);
        let height = |entry: &Entry| ROW + entry.below.as_ref().map_or(0.0, |_| SMALL_ROW);
        let bottom = TOP + entries.iter().map(height).sum::<f64>() + 8.0;
        let mut drawing = Svg::new(width, bottom + if ending.is_empty() { 8.0 } else { 30.0 });
        for (thread, &x) in threads.iter().zip(&lanes) {
            drawing.heading((x, 20.0), self.thread(*thread));
            drawing.rule((x - 8.0, 28.0), (x - 8.0, bottom));
        }
        drawing.heading((memory, 20.0), "memory");
        drawing.rule((memory - 8.0, 28.0), (memory - 8.0, bottom));
        let mut y = TOP;
        for (number, entry) in (1..).zip(&entries) {
            let (base, x) = (y + 14.0, lanes[entry.thread.index()]);
            drawing.text((LEFT - 16.0, base), Anchor::End, &number.to_string());
            let colour = if entry.is_flush { FLUSH } else { INK };
            drawing.code((x, base), &entry.text, colour);
            if let Some(below) = &entry.below {
                drawing.code((x, base + SMALL_ROW - 1.0), below, "#666666");
            }
            if let Some(text) = &entry.memory {
                let from = (x + width_of(&entry.text) as f64 * LETTER + 6.0, base - 4.0);
                drawing.line(from, (memory - 13.0, base - 4.0), FLUSH, 1.0);
                drawing.mark((memory - 12.0, base - 4.0), Mark::Disc, FLUSH);
                drawing.code((memory, base), text, INK);
            }
            y += height(entry);
        }
        if !ending.is_empty() {
            drawing.text((LEFT - 16.0, bottom + 16.0), Anchor::Start, ending.trim());
        }
        drawing.finish()
    }

    fn entries(&self) -> Vec<Entry> {
        let states = snapshots(self.program, self.trace);
        let steps = self.trace.steps.iter().zip(states.windows(2));
        let entry = |(step, states): (&Step, &[_])| {
            let thread = step.action.thread;
            let buffers = self.buffers_text(step, thread);
            let changed = self.changed_memory(&states[0], &states[1]);
            Entry {
                thread,
                text: self.statement(step).1,
                below: (!buffers.is_empty()).then(|| format!("[{buffers}]")),
                is_flush: matches!(step.action.kind, MoveKind::Flush(_)),
                memory: (!changed.is_empty()).then(|| changed.join(", ")),
            }
        };
        steps.map(entry).collect()
    }
}
