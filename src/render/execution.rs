//! One execution, as a table for readers and as JSON for programs.
//!
//! Input: a [`Trace`] with the program and the source that it is of. Used by every report that shows an
//! execution. A row is a step: its thread, its line, its statement, what it reads and writes; then one column
//! for each thread with what its buffers hold after the step.

use serde_json::{Map, Value, json};

use crate::memory::Model;
use crate::program::{
    Action, Branch, BranchKind, Edge, Program, Property, PropertyKind, StmtId, ThreadId, VarId,
};
use crate::semantics::{Access, MoveKind, Snapshot, Step, Trace};
use crate::source::SourceFile;

use super::Page;
use super::table::{Column, Table};

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

impl Execution<'_> {
    /// The execution as text: a table of its steps, and what it breaks.
    pub fn text(&self, page: &Page) -> String {
        let mut text = page.prose(&self.start_text());
        if !self.trace.steps.is_empty() {
            let mut table = Table::new(self.columns());
            for (index, step) in self.trace.steps.iter().enumerate() {
                table.push(self.row(index + 1, step));
            }
            text.push_str(&table.text(page));
        }
        text + &page.prose(&self.ending())
    }

    /// The execution as one JSON object.
    pub fn json(&self) -> Value {
        let names = self.program.var_ids();
        let names = names.map(|var| self.program.var_display_name(var));
        let initial = names.zip(self.trace.initial.iter().map(|&value| value.into()));
        json!({
            "initial": initial.collect::<Map<String, Value>>(),
            "steps": self.trace.steps.iter().map(|step| self.step_json(step)).collect::<Value>(),
            "property": self.broken().map(|property| self.property_json(property)),
        })
    }

    fn property_json(&self, property: &Property) -> Value {
        let (line, text) = self.place(property.stmt);
        json!({
            "name": property.name,
            "kind": property.kind.words(),
            "line": line,
            "text": text,
            "reads": self.seen_json(),
        })
    }

    /// The property that is broken, if one is.
    fn broken(&self) -> Option<&Property> {
        let property = self.trace.property;
        property.map(|property| self.program.property(property))
    }

    fn columns(&self) -> Vec<Column> {
        let steps = [
            Column::numbers("step"),
            Column::words("thread"),
            Column::numbers("line").optional(),
            Column::words("statement").optional().wrapped(),
            Column::words("reads").optional().wrapped(),
            Column::words("writes").optional().wrapped(),
        ];
        let buffers = self.buffered();
        let buffers = buffers.map(|thread| {
            let heading = format!("{} buffer", self.thread(thread));
            Column::words(heading).wrapped()
        });
        steps.into_iter().chain(buffers).collect()
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

    /// `x = 1` for each shared variable whose value in memory is another one behind a step.
    pub(super) fn changed_memory(&self, before: &Snapshot, after: &Snapshot) -> Vec<String> {
        let values = before.values.iter().zip(&after.values);
        let vars = self.program.var_ids().zip(values);
        let changed = vars.filter(|(var, (before, after))| {
            self.program.vars[var.index()].owner.is_none() && before != after
        });
        changed
            .map(|(var, (_, after))| format!("{} = {after}", self.program.var_display_name(var)))
            .collect()
    }

    /// Whether the model has buffers.
    pub(super) fn has_buffers(&self) -> bool {
        self.trace.model != Model::Sc
    }

    /// The threads whose buffers are shown: all, where the model has buffers.
    fn buffered(&self) -> impl Iterator<Item = ThreadId> {
        let has_buffers = self.has_buffers();
        let threads = self.program.thread_ids();
        threads.filter(move |_| has_buffers)
    }

    /// `x = 1, y = 2`, the oldest store first; the FIFOs of one thread apart from each other by `|`.
    pub(super) fn buffers_text(&self, step: &Step, thread: ThreadId) -> String {
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
        let chosen = vars.filter(|(var, _)| self.program.vars[var.index()].init.value().is_none());
        let chosen: Vec<String> = chosen
            .map(|(var, value)| format!("{} = {value}", self.program.var_display_name(var)))
            .collect();
        match chosen.is_empty() {
            true => String::new(),
            false => format!("starting with {}\n", chosen.join(", ")),
        }
    }

    /// The property that is broken, and with which values; nothing where none is.
    pub(super) fn ending(&self) -> String {
        let Some(property) = self.broken() else {
            return String::new();
        };
        let (at, stands) = self.place(property.stmt);
        let how = match property.kind {
            PropertyKind::Bounds => "an index is out of range",
            PropertyKind::Overflow => "the buffer overflows",
            PropertyKind::Assertion
            | PropertyKind::Invariant
            | PropertyKind::Forbid
            | PropertyKind::Finally => "broken",
        };
        let seen = self.trace.seen.iter().map(|seen| {
            let name = self.program.var_display_name(seen.var);
            format!("{name} = {}", seen.value)
        });
        let seen = seen.collect::<Vec<String>>().join(", ");
        let with = if seen.is_empty() { "" } else { ", with " };
        format!("{how}: {stands} (line {at}){with}{seen}\n")
    }

    /// One step as a JSON object.
    pub fn step_json(&self, step: &Step) -> Value {
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
    pub(super) fn statement(&self, step: &Step) -> (Option<usize>, String) {
        match (step.action.kind, self.edge(step)) {
            (MoveKind::Statement, Some(edge)) => {
                let (line, text) = self.place(edge.stmt);
                (Some(line), self.with_choice(edge, text))
            }
            (MoveKind::Background(block), _) => {
                let thread = &self.program.threads[step.action.thread.index()];
                let start = thread.backgrounds[block].span.start;
                (Some(self.source.line(start)), "background".to_owned())
            }
            (MoveKind::Flush(_), _) => {
                let flushed = step.writes.iter();
                let flushed = flushed.map(|write| self.access(step.action.thread, *write));
                (None, format!("flushes {}", flushed.collect::<String>()))
            }
            (MoveKind::Statement, None) => (None, String::new()),
        }
    }

    /// The line and the text of a statement.
    fn place(&self, stmt: StmtId) -> (usize, &str) {
        let statement = self.program.statement(stmt);
        (self.source.line(statement.span.start), &statement.text)
    }

    /// The text of a statement with what was decided: the truth of a condition, whether an
    /// optional fence is in force.
    fn with_choice(&self, edge: &Edge, text: &str) -> String {
        let is_optional = self.program.statement(edge.stmt).is_optional_fence;
        match (edge.branch, &edge.action) {
            (Some(Branch { of, taken }), _) => {
                let keyword = match of {
                    BranchKind::If => "if",
                    BranchKind::While | BranchKind::DoWhile => "while",
                };
                format!("{keyword} ({text}) is {taken}")
            }
            (None, Action::Fence) if is_optional => format!("{text} is on"),
            (None, _) if is_optional => format!("{text} is off"),
            (None, _) => text.to_owned(),
        }
    }

    fn edge(&self, step: &Step) -> Option<&Edge> {
        let taken = step.action.path.first()?;
        let thread = &self.program.threads[step.action.thread.index()];
        thread.location(taken.at).edges.get(taken.edge)
    }

    /// `x = 1`, as the thread itself would say it.
    pub(super) fn access(&self, thread: ThreadId, access: Access) -> String {
        format!("{} = {}", self.var(thread, access.var), access.value)
    }

    fn var(&self, thread: ThreadId, var: VarId) -> String {
        let declared = &self.program.vars[var.index()];
        match declared.owner {
            Some(owner) if owner == thread => declared.display_name.clone(),
            Some(_) | None => self.program.var_display_name(var),
        }
    }

    pub(super) fn thread(&self, thread: ThreadId) -> &str {
        &self.program.threads[thread.index()].display_name
    }
}
