//! The report as text.

use std::fmt::Write;

use crate::explore::{Access, Outcomes, PropertyKind, Step, Trace, Verdict, statement};

use super::Report;
use super::table::{Align, columns};

impl Report<'_> {
    /// The report as text for readers, with a line's end.
    pub fn text(&self) -> String {
        let mut text = self.headline();
        let matters = self.exploration.verdict == Verdict::Unknown || self.config.outcomes;
        for &limit in self.exploration.limits.iter().filter(|_| matters) {
            let explanation = self.explain(limit);
            line(
                &mut text,
                &format!("  {}: {}", explanation.what, explanation.way_out),
            );
        }
        if let Some(trace) = &self.exploration.trace {
            text.push('\n');
            text.push_str(&self.trace_text(trace));
        }
        if let Some(outcomes) = &self.exploration.outcomes {
            text.push('\n');
            text.push_str(&self.outcomes_text(outcomes));
        }
        text
    }

    fn headline(&self) -> String {
        let exploration = self.exploration;
        let (program, model) = (self.source.name(), self.model);
        let mut text = format!(
            "{program} under {model}: {}",
            exploration.verdict.text_word()
        );
        if let Some(property) = &exploration.property {
            let title = property.title(self.source);
            let _ = write!(text, ", {} `{title}`", self.property_kind(property));
        }
        if exploration.verdict == Verdict::Unknown {
            text.push_str(", not everything was seen");
        }
        let states = counted(exploration.states, "state");
        let _ = write!(text, " ({states}");
        if exploration.max_buffer > 0 {
            let _ = write!(
                text,
                ", at most {} buffered",
                counted(exploration.max_buffer, "store")
            );
        }
        text.push_str(")\n");
        text
    }

    fn trace_text(&self, trace: &Trace) -> String {
        let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
        for (index, step) in trace.steps.iter().enumerate() {
            rows.push(self.row(index + 1, step));
        }
        let mut text = self.start_text(trace);
        if !trace.steps.is_empty() {
            text.push_str(&columns(&ALIGN, &rows));
        }
        line(&mut text, &self.ending(trace));
        text
    }

    /// The property that is broken, and with which values.
    fn ending(&self, trace: &Trace) -> String {
        let property = &trace.property;
        let stands = statement::text(self.source, property.span);
        let at = statement::line(self.source, property.span);
        let how = match property.kind {
            PropertyKind::Bounds => "an index is out of range",
            PropertyKind::Overflow => "the buffer overflows",
            PropertyKind::Assertion(_) | PropertyKind::Spec(..) => "broken",
        };
        let seen = trace.seen.iter().map(|seen| {
            let name = self.program.var_display_name(seen.var);
            format!("{name} = {}", seen.value)
        });
        let seen = seen.collect::<Vec<String>>().join(", ");
        let with = if seen.is_empty() { "" } else { ", with " };
        format!("{how}: {stands} (line {at}){with}{seen}")
    }

    /// The arbitrary initial values that the execution starts with.
    fn start_text(&self, trace: &Trace) -> String {
        let vars = self.program.var_ids().zip(&trace.initial);
        let chosen = vars.filter(|(var, _)| self.program.vars[var.index()].init.is_none());
        let chosen: Vec<String> = chosen
            .map(|(var, value)| format!("{} = {value}", self.program.var_display_name(var)))
            .collect();
        match chosen.is_empty() {
            true => String::new(),
            false => format!("starting with {}\n", chosen.join(", ")),
        }
    }

    fn row(&self, number: usize, step: &Step) -> Vec<String> {
        let thread = step.action.thread;
        let (line, statement) = self.statement(step);
        let accesses = |accesses: &[Access]| {
            let accesses = accesses.iter().map(|&access| self.access(thread, access));
            accesses.collect::<Vec<String>>().join(", ")
        };
        // What a flush writes is its statement.
        let writes = if line.is_some() {
            accesses(&step.writes)
        } else {
            String::new()
        };
        vec![
            number.to_string(),
            self.thread(thread).to_owned(),
            line.map_or_else(String::new, |line| line.to_string()),
            statement,
            accesses(&step.reads),
            writes,
            self.buffers_text(step),
        ]
    }

    /// `P0: x = 1, y = 2 | P1: z = 1`, the oldest store first.
    fn buffers_text(&self, step: &Step) -> String {
        let buffers = step.buffers.iter().map(|buffer| {
            let entries = buffer
                .entries
                .iter()
                .map(|&entry| self.access(buffer.thread, entry));
            let entries = entries.collect::<Vec<String>>().join(", ");
            format!("{}: {entries}", self.thread(buffer.thread))
        });
        buffers.collect::<Vec<String>>().join(" | ")
    }

    fn outcomes_text(&self, outcomes: &Outcomes) -> String {
        let count = outcomes.rows().len();
        let more = if self.exploration.saw_everything() {
            ""
        } else {
            ", perhaps more"
        };
        let mut text = format!("{}{more}\n", counted(count, "final state"));
        if count > 0 && !outcomes.display_names().is_empty() {
            let mut rows = vec![outcomes.display_names().to_vec()];
            let values = outcomes.rows().iter();
            rows.extend(values.map(|row| row.iter().map(i64::to_string).collect()));
            text.push_str(&columns(&vec![Align::Right; rows[0].len()], &rows));
        }
        text
    }
}

const HEADINGS: [&str; 7] = [
    "step",
    "thread",
    "line",
    "statement",
    "reads",
    "writes",
    "buffers",
];

const ALIGN: [Align; 7] = [
    Align::Right,
    Align::Left,
    Align::Right,
    Align::Left,
    Align::Left,
    Align::Left,
    Align::Left,
];

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
