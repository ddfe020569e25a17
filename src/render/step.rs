//! An execution that is taken by hand: the present state and the steps that there are.

use std::fmt::Write;

use serde_json::{Value, json};

use super::table::{Column, Table};
use super::{Execution, Page, SCHEMA, Tone};
use crate::memory::Model;
use crate::program::{Program, ThreadId, VarId};
use crate::semantics::{Choices, Trace, Walk};
use crate::source::SourceFile;

/// A walk together with what it is of.
pub struct StepReport<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The program.
    pub program: &'a Program,
    /// The memory model.
    pub model: Model,
    /// The walk.
    pub walk: &'a Walk<'a>,
}

impl StepReport<'_> {
    /// Where the walk is, the state, and the steps to choose from.
    pub fn text(&self, page: &Page) -> String {
        let trace = self.walk.trace();
        let execution = self.execution(&trace);
        let mut text = match trace.steps.last() {
            Some(step) => {
                let (line, statement) = execution.statement(step);
                let line = line.map_or_else(String::new, |line| format!(" line {line}:"));
                let thread = execution.thread(step.action.thread);
                format!("step {}: {thread}{line} {statement}\n", self.walk.len())
            }
            None => "start\n".to_owned(),
        };
        let _ = writeln!(text, "memory: {}", self.values(None));
        for thread in self.program.thread_ids() {
            text += &self.thread_text(&execution, thread);
        }
        let mut text = page.prose(&text);
        let ending = execution.ending();
        if !ending.is_empty() {
            text += &page.prose(&page.paint(Tone::Bad, ending.trim_end()));
            text.push('\n');
        }
        text + &self.choices_text(&execution, &self.walk.choices(), page)
    }

    fn thread_text(&self, execution: &Execution<'_>, thread: ThreadId) -> String {
        let state = self.walk.state();
        let graph = &self.program.threads[thread.index()];
        let edges = &graph.location(state.at[thread.index()]).edges;
        let at = match edges.first() {
            Some(edge) => {
                let span = self.program.statement(edge.stmt).span;
                format!("line {}", self.source.line(span.start))
            }
            None => "ended".to_owned(),
        };
        let mut text = format!("{}: {at}", execution.thread(thread));
        let locals = self.values(Some(thread));
        if !locals.is_empty() {
            let _ = write!(text, "; {locals}");
        }
        let own = state.buffers.iter().filter(|fifo| fifo.thread == thread);
        let fifos = own.map(|fifo| {
            let entries = fifo.entries.iter();
            let entries = entries.map(|&entry| execution.access(thread, entry));
            entries.collect::<Vec<String>>().join(", ")
        });
        let fifos = fifos.collect::<Vec<String>>().join(" | ");
        if !fifos.is_empty() {
            let _ = write!(text, "; buffer: {fifos}");
        }
        text + "\n"
    }

    fn values(&self, owner: Option<ThreadId>) -> String {
        let state = self.walk.state();
        let own = |var: &VarId| self.program.vars[var.index()].owner == owner;
        let values = self.program.var_ids().filter(own).map(|var| {
            let name = &self.program.vars[var.index()].display_name;
            format!("{name} = {}", state.values[var.index()])
        });
        values.collect::<Vec<String>>().join(", ")
    }

    fn choices_text(&self, execution: &Execution<'_>, choices: &Choices, page: &Page) -> String {
        let mut text = String::new();
        if choices.steps.is_empty() {
            text += "there is no further step\n";
        } else {
            let mut table = Table::new([
                Column::numbers("choice"),
                Column::words("thread"),
                Column::numbers("line").optional(),
                Column::words("step").wrapped(),
                Column::words("writes").optional().wrapped(),
                Column::words("breaks").optional().wrapped(),
            ]);
            for (number, choice) in (1..).zip(&choices.steps) {
                let thread = choice.step.action.thread;
                let (line, statement) = execution.statement(&choice.step);
                let writes = choice.step.writes.iter().filter(|_| line.is_some());
                let writes = writes.map(|&write| execution.access(thread, write));
                let breaks = choice
                    .breaks
                    .map(|property| self.program.property(property));
                table.push([
                    number.to_string(),
                    execution.thread(thread).to_owned(),
                    line.map_or_else(String::new, |line| line.to_string()),
                    statement,
                    writes.collect::<Vec<String>>().join(", "),
                    breaks.map_or_else(String::new, |property| property.name_text()),
                ]);
            }
            text += &table.text(page);
        }
        if choices.full {
            text += &page.prose("a store is left out: its buffer is full\n");
        }
        if choices.beyond {
            text += &page.prose("a step is left out: a value does not fit 64 bits\n");
        }
        text
    }

    /// The walk as one JSON object.
    pub fn json(&self) -> Value {
        let trace = self.walk.trace();
        json!({
            "schema": SCHEMA,
            "program": self.source.name(),
            "model": self.model.to_string(),
            "verdict": trace.property.map(|_| "violated"),
            "trace": self.execution(&trace).json(),
        })
    }

    fn execution<'a>(&'a self, trace: &'a Trace) -> Execution<'a> {
        Execution {
            source: self.source,
            program: self.program,
            trace,
        }
    }
}
