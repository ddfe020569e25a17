//! The report as JSON, as `docs/verification.md` describes it.

use serde_json::{Value, json};

use super::{AbstractTrace, Attempt, AttemptOutcome, ModelResult, Report, StopReason};
use crate::model::Model;

/// The number of the schema: it changes when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// The figures of the deciding try that a result repeats.
const FIGURES: [&str; 11] = [
    "predicates",
    "cubes",
    "smt_calls",
    "smt_unknown",
    "smt_seconds",
    "build_seconds",
    "cubes_used",
    "largest_cube",
    "states",
    "memory_bytes",
    "check_seconds",
];

impl Report {
    /// The report as JSON.
    pub fn json(&self) -> Value {
        let results: Vec<Value> = self
            .results
            .iter()
            .map(|result| self.result(result))
            .collect();
        json!({
            "schema": SCHEMA,
            "program": self.program,
            "harvested": self.harvested,
            "results": results,
        })
    }

    fn result(&self, result: &ModelResult) -> Value {
        let last = result.attempts.last().filter(|_| !result.sc_failed);
        let figures = last.map(|tried| tried.json(result.model));
        let figure = |name: &str| {
            figures
                .as_ref()
                .map_or(Value::Null, |all| all[name].clone())
        };
        let trace = result.outcome().and_then(AttemptOutcome::trace);
        let mut object = json!({
            "model": result.model.to_string(),
            "k": figure("k"),
            "method": figure("method"),
            "fences": result.fences,
            "verdict": if result.is_verified() { "verified" } else { "unknown" },
            "reason": reason(result),
            "property": property(result),
            "predicates_sc": self.predicates_sc,
        });
        for name in FIGURES {
            object[name] = figure(name);
        }
        object["trace"] = trace.map_or(Value::Null, AbstractTrace::json);
        let tries = result.attempts.iter().filter(|_| !result.sc_failed);
        object["tries"] = tries.map(|tried| tried.json(result.model)).collect();
        object
    }
}

impl Attempt {
    fn json(&self, model: Model) -> Value {
        json!({
            "k": if model == Model::Sc { Value::Null } else { json!(self.k) },
            "method": self.method.name(),
            "split": self.split,
            "cube_sizes": [self.sizes.updates, self.sizes.conditions],
            "outcome": match &self.outcome {
                AttemptOutcome::Verified => "verified",
                other => reason_of(other).unwrap_or("abstraction"),
            },
            "predicates": self.predicates,
            "cubes": self.cubes,
            "smt_calls": self.effort.calls,
            "smt_unknown": self.effort.unknown,
            "smt_seconds": self.effort.time.as_secs_f64(),
            "build_seconds": self.build_time.as_secs_f64(),
            "cubes_used": self.cubes_used,
            "largest_cube": self.largest_cube,
            "states": self.states,
            "memory_bytes": self.memory_bytes,
            "check_seconds": self.check_time.as_secs_f64(),
        })
    }
}

impl AttemptOutcome {
    /// The path that stands against the program, if there is one.
    pub fn trace(&self) -> Option<&AbstractTrace> {
        match self {
            AttemptOutcome::Abstraction(_, trace) | AttemptOutcome::Overflow(trace) => Some(trace),
            AttemptOutcome::Verified | AttemptOutcome::Limit(_) => None,
        }
    }
}

impl AbstractTrace {
    fn json(&self) -> Value {
        let values = |pairs: &[(String, Option<bool>)]| {
            let object = pairs
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)));
            Value::Object(object.collect())
        };
        let steps = self.steps.iter().map(|step| {
            json!({
                "thread": if step.thread.is_empty() { Value::Null } else { json!(step.thread) },
                "line": step.line,
                "statement": step.text,
                "changes": values(&step.changes),
            })
        });
        json!({
            "abstract": true,
            "initial": values(&self.initial),
            "steps": steps.collect::<Vec<_>>(),
        })
    }
}

fn reason(result: &ModelResult) -> Option<&'static str> {
    if result.sc_failed {
        return Some("sc");
    }
    result.outcome().and_then(reason_of)
}

fn reason_of(outcome: &AttemptOutcome) -> Option<&'static str> {
    match outcome {
        AttemptOutcome::Verified => None,
        AttemptOutcome::Abstraction(..) => Some("abstraction"),
        AttemptOutcome::Overflow(_) => Some("overflow"),
        AttemptOutcome::Limit(StopReason::States) => Some("states"),
        AttemptOutcome::Limit(StopReason::Timeout) => Some("timeout"),
    }
}

fn property(result: &ModelResult) -> Option<&str> {
    match result.outcome()? {
        AttemptOutcome::Abstraction(property, _) => Some(&property.name),
        AttemptOutcome::Overflow(_) => Some("overflow"),
        AttemptOutcome::Verified | AttemptOutcome::Limit(_) => None,
    }
}
