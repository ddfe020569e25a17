//! Tells one execution, as a table for readers and as JSON for programs.
//!
//! Input: a [`Trace`] with the program and the source that it is of. Used by the report of an
//! exploration and by that of a proof. A row is a step: its thread, its line, its statement, what it reads
//! and writes; then one column for each thread with what its buffers hold behind the step.

use serde_json::{Map, Value, json};

use crate::explore::{Access, MoveKind, Property, PropertyKind, Step, Trace, statement};
use crate::lang::ast::SpecKind;
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::program::{Action, Branch, BranchKind, Edge, Program, ThreadId, VarId};

use super::table::{Align, columns_and};

/// An execution together with what it is of.
#[derive(Clone, Copy)]
pub struct Execution<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The program.
    pub program: &'a Program,
    /// The execution.
    pub trace: &'a Trace,
}

/// The columns before those of the buffers.
const HEADINGS: [(&str, Align); 6] = [
    ("step", Align::Right),
    ("thread", Align::Left),
    ("line", Align::Right),
    ("statement", Align::Left),
    ("reads", Align::Left),
    ("writes", Align::Left),
];

impl Execution<'_> {
    /// The execution as text: a table of its steps, and what it breaks.
    pub fn text(&self) -> String {
        let mut text = self.start_text();
        if !self.trace.steps.is_empty() {
            let steps = self.trace.steps.iter().enumerate();
            let mut rows = vec![self.headings()];
            rows.extend(steps.map(|(index, step)| self.row(index + 1, step)));
            let kept = self.buffered().count();
            let buffers = self.buffered().map(|_| Align::Left);
            let align = HEADINGS.iter().map(|&(_, align)| align).chain(buffers);
            text.push_str(&columns_and(&align.collect::<Vec<Align>>(), kept, &rows));
        }
        text.push_str(&self.ending());
        text.push('\n');
        text
    }

    /// The execution as one JSON object.
    pub fn json(&self) -> Value {
        let names = self.program.var_ids();
        let names = names.map(|var| self.program.var_display_name(var));
        let initial = names.zip(self.trace.initial.iter().map(|&value| value.into()));
        let property = &self.trace.property;
        json!({
            "initial": initial.collect::<Map<String, Value>>(),
            "steps": self.trace.steps.iter().map(|step| self.step_json(step)).collect::<Value>(),
            "property": {
                "name": property.name(),
                "kind": property.kind_text(),
                "line": statement::line(self.source, property.span),
                "text": statement::text(self.source, property.span),
                "reads": self.seen_json(),
            },
        })
    }

    fn headings(&self) -> Vec<String> {
        let headings = HEADINGS.iter().map(|&(heading, _)| heading.to_owned());
        let buffers = self.buffered();
        let buffers = buffers.map(|thread| format!("{} buffer", self.thread(thread)));
        headings.chain(buffers).collect()
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
        let cells = [
            number.to_string(),
            self.thread(thread).to_owned(),
            line.map_or_else(String::new, |line| line.to_string()),
            statement,
            accesses(&step.reads),
            writes,
        ];
        let buffers = self.buffered();
        let buffers = buffers.map(|thread| self.buffers_text(step, thread));
        cells.into_iter().chain(buffers).collect()
    }

    /// The threads whose buffers are shown: all, where the model has buffers.
    fn buffered(&self) -> impl Iterator<Item = ThreadId> {
        let has_buffers = self.trace.model != Model::Sc;
        let threads = self.program.thread_ids();
        threads.filter(move |_| has_buffers)
    }

    /// `x = 1, y = 2`, the oldest store first; the FIFOs of one thread apart from each other by `|`.
    fn buffers_text(&self, step: &Step, thread: ThreadId) -> String {
        let buffers = step.buffers.iter().filter(|buffer| buffer.thread == thread);
        let fifos = buffers.map(|buffer| {
            let entries = buffer.entries.iter();
            let entries = entries.map(|&entry| self.access(thread, entry));
            entries.collect::<Vec<String>>().join(", ")
        });
        fifos.collect::<Vec<String>>().join(" | ")
    }

    /// The arbitrary initial values that the execution starts with.
    fn start_text(&self) -> String {
        let vars = self.program.var_ids().zip(&self.trace.initial);
        let chosen = vars.filter(|(var, _)| self.program.vars[var.index()].init.is_none());
        let chosen: Vec<String> = chosen
            .map(|(var, value)| format!("{} = {value}", self.program.var_display_name(var)))
            .collect();
        match chosen.is_empty() {
            true => String::new(),
            false => format!("starting with {}\n", chosen.join(", ")),
        }
    }

    /// The property that is broken, and with which values.
    fn ending(&self) -> String {
        let property = &self.trace.property;
        let stands = statement::text(self.source, property.span);
        let at = statement::line(self.source, property.span);
        let how = match property.kind {
            PropertyKind::Bounds => "an index is out of range",
            PropertyKind::Overflow => "the buffer overflows",
            PropertyKind::Assertion(_) | PropertyKind::Spec(..) => "broken",
        };
        let seen = self.trace.seen.iter().map(|seen| {
            let name = self.program.var_display_name(seen.var);
            format!("{name} = {}", seen.value)
        });
        let seen = seen.collect::<Vec<String>>().join(", ");
        let with = if seen.is_empty() { "" } else { ", with " };
        format!("{how}: {stands} (line {at}){with}{seen}")
    }

    fn step_json(&self, step: &Step) -> Value {
        let thread = step.action.thread;
        let (line, statement) = self.statement(step);
        let kind = match step.action.kind {
            MoveKind::Statement => "statement",
            MoveKind::Flush(_) => "flush",
            MoveKind::Background(_) => "background",
        };
        let buffers = step.buffers.iter().map(|buffer| {
            json!({
                "thread": self.thread(buffer.thread),
                "entries": self.accesses_json(buffer.thread, &buffer.entries),
            })
        });
        json!({
            "thread": self.thread(thread),
            "kind": kind,
            "line": line,
            "statement": statement,
            "reads": self.accesses_json(thread, &step.reads),
            "writes": self.accesses_json(thread, &step.writes),
            "buffers": buffers.collect::<Value>(),
        })
    }

    fn seen_json(&self) -> Value {
        let seen = self.trace.seen.iter().map(|seen| {
            let name = self.program.var_display_name(seen.var);
            json!({ "variable": name, "value": seen.value })
        });
        seen.collect()
    }

    fn accesses_json(&self, thread: ThreadId, accesses: &[Access]) -> Value {
        let pair = |access: &Access| json!({ "variable": self.var(thread, access.var), "value": access.value });
        accesses.iter().map(pair).collect()
    }

    /// What stands in the source for a step: its line, if it has one, and its text on one line.
    fn statement(&self, step: &Step) -> (Option<usize>, String) {
        let line = |span| statement::line(self.source, span);
        match (step.action.kind, step.span) {
            (MoveKind::Statement, Some(span)) => {
                let text = match span.start == span.end {
                    // A place where a fence may stand, put in between two statements.
                    true => "fence?".to_owned(),
                    false => statement::text(self.source, span),
                };
                (Some(line(span)), self.with_choice(step, text))
            }
            (MoveKind::Background(_), Some(span)) => (Some(line(span)), "background".to_owned()),
            (MoveKind::Flush(_), _) => {
                let flushed = step.writes.iter();
                let flushed = flushed.map(|write| self.access(step.action.thread, *write));
                (None, format!("flushes {}", flushed.collect::<String>()))
            }
            (MoveKind::Statement | MoveKind::Background(_), None) => (None, String::new()),
        }
    }

    /// The text of a statement with what was decided: the truth of a condition, whether an
    /// optional fence is in force.
    fn with_choice(&self, step: &Step, text: String) -> String {
        let Some(edge) = self.edge(step) else {
            return text;
        };
        match (edge.branch, &edge.action) {
            (Some(Branch { of, taken }), _) => {
                let keyword = match of {
                    BranchKind::If => "if",
                    BranchKind::While | BranchKind::DoWhile => "while",
                };
                format!("{keyword} ({text}) is {taken}")
            }
            (None, Action::Skip) if text.starts_with("fence") => format!("{text} is off"),
            (None, Action::Fence) if text.contains('?') => format!("{text} is on"),
            (None, _) => text,
        }
    }

    fn edge(&self, step: &Step) -> Option<&Edge> {
        let taken = step.action.path.first()?;
        let thread = &self.program.threads[step.action.thread.index()];
        thread.location(taken.at).edges.get(taken.edge)
    }

    /// `x = 1`, as the thread itself would say it.
    fn access(&self, thread: ThreadId, access: Access) -> String {
        format!("{} = {}", self.var(thread, access.var), access.value)
    }

    fn var(&self, thread: ThreadId, var: VarId) -> String {
        let declared = &self.program.vars[var.index()];
        match declared.owner {
            Some(owner) if owner == thread => declared.display_name.clone(),
            Some(_) | None => self.program.var_display_name(var),
        }
    }

    fn thread(&self, thread: ThreadId) -> &str {
        &self.program.threads[thread.index()].display_name
    }
}

impl Property {
    /// What it is, in a word or two.
    pub(super) fn kind_text(&self) -> &'static str {
        match &self.kind {
            PropertyKind::Assertion(_) | PropertyKind::Overflow => "assertion",
            PropertyKind::Spec(SpecKind::Invariant, _) => "invariant",
            PropertyKind::Spec(SpecKind::Forbid, _) => "forbid",
            PropertyKind::Spec(SpecKind::Finally, _) => "finally",
            PropertyKind::Bounds => "array index",
        }
    }
}
