//! The report of an exploration, as text for readers and as JSON for programs.
//!
//! Input: what was explored and how, and the [`Exploration`]. The text speaks in source terms: threads and
//! variables by the names that the user gave them, statements as they stand in the source.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use indexmap::IndexSet;
use serde_json::{Map, Value, json};

use crate::engine::explore::{Exploration, ExploreConfig, Outcomes};
use crate::memory::Model;
use crate::program::{Program, PropertyId};
use crate::source::SourceFile;
use crate::verdict::{VerdictKind, Warning};

use super::table::{Column, Table};
use super::warnings::Warnings;
use super::words::{self, counted};
use super::{Advice, Execution, Page, SCHEMA};

/// An exploration together with what it was of.
#[derive(Clone, Copy)]
pub struct ExploreReport<'a> {
    /// The source of the program.
    pub source: &'a SourceFile,
    /// The program.
    pub program: &'a Program,
    /// The memory model.
    pub model: Model,
    /// The optional fences in force.
    pub fences: &'a IndexSet<String>,
    /// The limits.
    pub config: &'a ExploreConfig,
    /// What was found.
    pub exploration: &'a Exploration,
    /// What to know beside the verdict.
    pub warnings: &'a [Warning],
    /// Whether the executions are shown that lead to blocked threads.
    pub deadlocks: bool,
}

impl<'a> ExploreReport<'a> {
    /// The report as text for readers, with a line's end.
    pub fn text(&self, page: &Page) -> String {
        let mut text = page.prose(&(self.headline(page) + &self.limits_text(page)));
        text += &self.warned().text(page);
        if self.deadlocks {
            text += &self.deadlocks_text(page);
        }
        if let Some(execution) = self.execution() {
            text.push('\n');
            text.push_str(&execution.text(page));
        }
        if let Some(outcomes) = &self.exploration.outcomes {
            text.push('\n');
            text.push_str(&self.outcomes_text(outcomes, page));
        }
        text
    }

    /// The report as one JSON object; what depends on the machine is under `measured`.
    pub fn json(&self) -> Value {
        let exploration = self.exploration;
        let seconds = exploration.time.as_secs_f64();
        json!({
            "schema": SCHEMA,
            "program": self.source.name(),
            "model": self.model.to_string(),
            "fences": self.fences.iter().collect::<Vec<_>>(),
            "verdict": exploration.kind().word(),
            "reason": self.reason(),
            "limits": self.limits_json(),
            "property": exploration.property().map(|property| self.title(property)),
            "states": exploration.states,
            "max_buffer": exploration.max_buffer,
            "warnings": self.warned().json(),
            "trace": self.execution().map(|execution| execution.json()),
            "outcomes": exploration.outcomes.as_ref().map(outcomes_json),
            "measured": {
                "seconds": seconds,
                "states_per_second": exploration.states as f64 / seconds.max(1e-9),
                "memory_bytes": exploration.bytes,
            },
        })
    }

    fn warned(&self) -> Warnings<'a> {
        Warnings {
            source: self.source,
            all: self.warnings,
        }
    }

    /// The executions that lead to blocked threads, or that there are none.
    fn deadlocks_text(&self, page: &Page) -> String {
        let executions = self.warned().executions(page);
        match (executions.is_empty(), self.exploration.kind()) {
            (false, _) | (true, VerdictKind::Violated) => executions,
            (true, VerdictKind::Verified) => page.prose("no thread can be blocked for ever\n"),
            (true, VerdictKind::Unknown) => {
                page.prose("no thread is known that can be blocked for ever\n")
            }
        }
    }

    /// The execution that was found, if one was.
    fn execution(&self) -> Option<Execution<'a>> {
        self.exploration.trace().map(|trace| Execution {
            source: self.source,
            program: self.program,
            trace,
        })
    }

    /// The name of a property, or else the line where it stands.
    fn title(&self, property: PropertyId) -> String {
        let property = self.program.property(property);
        match &property.name {
            Some(name) => name.clone(),
            None => {
                let start = self.program.statement(property.stmt).span.start;
                format!("line {}", self.source.line(start))
            }
        }
    }

    fn headline(&self, page: &Page) -> String {
        let exploration = self.exploration;
        let (program, model) = (self.source.name(), self.model);
        let word = match exploration.kind() {
            VerdictKind::Verified => "safe",
            kind => kind.word(),
        };
        let word = page.paint(exploration.kind().into(), word);
        let mut text = format!("{program} under {model}: {word}");
        if let Some(property) = exploration.property() {
            let kind = self.program.property(property).kind.words();
            let _ = write!(text, ", {kind} `{}`", self.title(property));
        }
        if exploration.kind() == VerdictKind::Unknown {
            text.push_str(", not everything was seen");
        }
        let _ = write!(text, " ({}", counted(exploration.states, "state"));
        if exploration.max_buffer > 0 {
            let stores = counted(exploration.max_buffer, "store");
            let _ = write!(text, ", at most {stores} buffered");
        }
        text.push_str(")\n");
        text
    }

    /// The limits that were met, where they matter.
    fn limits_text(&self, page: &Page) -> String {
        let matters = self.exploration.kind() == VerdictKind::Unknown || self.config.outcomes;
        let limits = self.exploration.limits.iter().filter(|_| matters);
        let lines = limits.map(|&limit| {
            let said = words::limit_and_advice(limit, self.config, page);
            format!("  {said}\n")
        });
        lines.collect()
    }

    fn outcomes_text(&self, outcomes: &Outcomes, page: &Page) -> String {
        let count = outcomes.rows().len();
        let more = if self.exploration.saw_everything() {
            ""
        } else {
            ", perhaps more"
        };
        let mut text = format!("{}{more}\n", counted(count, "final state"));
        let names = outcomes.display_names();
        if count > 0 && !names.is_empty() {
            let mut table = Table::new(names.iter().map(Column::numbers));
            for row in outcomes.rows() {
                table.push(row.iter().map(i64::to_string));
            }
            text.push_str(&table.text(page));
        }
        text
    }

    /// Why the verdict is unknown, in one word.
    fn reason(&self) -> Option<&'static str> {
        let unknown = self.exploration.kind() == VerdictKind::Unknown;
        let gravest = self.exploration.limits.first();
        gravest.filter(|_| unknown).map(|limit| limit.word())
    }

    fn limits_json(&self) -> Value {
        let limits = self.exploration.limits.iter().map(|&limit| {
            json!({
                "limit": limit.word(),
                "message": words::limit(limit, self.config),
                "advice": Advice::on(limit).word(),
            })
        });
        limits.collect()
    }
}

fn outcomes_json(outcomes: &Outcomes) -> Value {
    let names = outcomes.display_names();
    let row = |values: &Vec<i64>| -> Map<String, Value> {
        let values = values.iter().map(|&value| value.into());
        names.iter().cloned().zip(values).collect()
    };
    outcomes
        .rows()
        .iter()
        .map(|values| Value::Object(row(values)))
        .collect()
}
