//! The report as JSON.

use serde_json::{Map, Value, json};

use crate::explore::{Access, Outcomes, Step, Trace, statement};
use crate::program::ThreadId;

use super::{MoveKind, Report, Verdict};

impl Report<'_> {
    /// The report as one JSON object; what depends on the machine is under `measured`.
    pub fn json(&self) -> Value {
        let exploration = self.exploration;
        let seconds = exploration.time.as_secs_f64();
        json!({
            "schema": 1,
            "program": self.source.name(),
            "model": self.model.to_string(),
            "fences": self.fences.iter().collect::<Vec<_>>(),
            "verdict": exploration.verdict.json_word(),
            "reason": self.reason(),
            "limits": self.limits_json(),
            "property": exploration.property.as_ref().map(|property| property.title(self.source)),
            "states": exploration.states,
            "max_buffer": exploration.max_buffer,
            "trace": exploration.trace.as_ref().map(|trace| self.trace_json(trace)),
            "outcomes": exploration.outcomes.as_ref().map(outcomes_json),
            "measured": {
                "seconds": seconds,
                "states_per_second": exploration.states as f64 / seconds.max(1e-9),
                "memory_bytes": exploration.bytes,
            },
        })
    }

    /// Why the verdict is unknown, in one word.
    fn reason(&self) -> Option<&'static str> {
        let unknown = self.exploration.verdict == Verdict::Unknown;
        let gravest = self.exploration.limits.first();
        gravest.filter(|_| unknown).map(|limit| limit.word())
    }

    fn limits_json(&self) -> Value {
        let limits = self.exploration.limits.iter().map(|&limit| {
            let explanation = self.explain(limit);
            json!({
                "limit": limit.word(),
                "message": explanation.what,
                "try": explanation.way_out,
            })
        });
        limits.collect()
    }

    fn trace_json(&self, trace: &Trace) -> Value {
        let names = self
            .program
            .var_ids()
            .map(|var| self.program.var_display_name(var));
        let initial = names.zip(trace.initial.iter().map(|&value| value.into()));
        let property = &trace.property;
        json!({
            "initial": initial.collect::<Map<String, Value>>(),
            "steps": trace.steps.iter().map(|step| self.step_json(step)).collect::<Value>(),
            "property": {
                "name": property.name(),
                "kind": self.property_kind(property),
                "line": statement::line(self.source, property.span),
                "text": statement::text(self.source, property.span),
                "reads": self.seen_json(trace),
            },
        })
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

    fn seen_json(&self, trace: &Trace) -> Value {
        let seen = trace.seen.iter().map(|seen| {
            let name = self.program.var_display_name(seen.var);
            json!({ "variable": name, "value": seen.value })
        });
        seen.collect()
    }

    fn accesses_json(&self, thread: ThreadId, accesses: &[Access]) -> Value {
        let accesses = accesses.iter();
        let pair = |access: &Access| json!({ "variable": self.var(thread, access.var), "value": access.value });
        accesses.map(pair).collect()
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
