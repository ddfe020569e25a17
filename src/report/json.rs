//! The report as JSON, as `docs/verification.md` describes it.

use serde_json::{Value, json};

use super::{
    AbstractTrace, Attempt, AttemptOutcome, FoundBy, Lack, ModelResult, Reality, Report,
    StopReason, Violation,
};
use crate::lang::source::SourceFile;
use crate::model::Model;

/// The number of the schema: it changes when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// The figures of the deciding try that a result repeats.
const FIGURES: [&str; 12] = [
    "predicates",
    "cubes",
    "smt_calls",
    "z3_calls",
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
            "harvested": self.harvested.is_some(),
            "results": results,
        })
    }

    fn result(&self, result: &ModelResult) -> Value {
        let last = result.attempts.last().filter(|_| !result.sc_failed);
        let found = result.refutation.as_ref().map(|found| found.found_by);
        let figures = match found {
            Some(found) => Some(found.json()),
            None => last.map(|tried| tried.json(result.model)),
        };
        let figure = |name: &str| {
            figures
                .as_ref()
                .map_or(Value::Null, |all| all[name].clone())
        };
        let violation = result.violation();
        let trace = match violation {
            Some(violation) => Some(violation.json(&self.source)),
            None => result
                .telling_outcome()
                .and_then(AttemptOutcome::trace)
                .map(|trace| trace.json(&self.source)),
        };
        let mut object = json!({
            "model": result.model.to_string(),
            "k": figure("k"),
            "method": figure("method"),
            "fences": result.fences,
            "verdict": result.verdict().word(),
            "found_by": violation.map(|violation| violation.found_by.word()),
            "reason": reason(result),
            "property": property(result),
            "predicates_sc": self.predicates_sc,
        });
        for name in FIGURES {
            object[name] = figure(name);
        }
        object["trace"] = trace.unwrap_or(Value::Null);
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
                AttemptOutcome::Violated(_) => "violated",
                other => reason_of(other).unwrap_or("abstraction"),
            },
            "predicates": self.predicates,
            "cubes": self.cubes,
            "smt_calls": self.effort.calls,
            "z3_calls": self.effort.z3_calls,
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
            AttemptOutcome::Abstraction(_, trace) | AttemptOutcome::Overflow(_, trace) => {
                Some(trace)
            }
            AttemptOutcome::Verified | AttemptOutcome::Violated(_) | AttemptOutcome::Limit(_) => {
                None
            }
        }
    }
}

impl FoundBy {
    /// The figures of a violation that was found without a proof.
    fn json(self) -> Value {
        match self {
            FoundBy::Refutation {
                states,
                memory_bytes,
                time,
            } => json!({
                "states": states,
                "memory_bytes": memory_bytes,
                "check_seconds": time.as_secs_f64(),
            }),
            FoundBy::Sc | FoundBy::Replay => json!({}),
        }
    }
}

impl AbstractTrace {
    fn json(&self, source: &SourceFile) -> Value {
        let (impossible, missing) = match &self.reality {
            Reality::Real(execution) => return execution.json(source),
            Reality::Impossible(step, Lack::Predicates(lines)) => (Some(step + 1), &lines[..]),
            Reality::Impossible(step, Lack::Cubes | Lack::Unknown) => (Some(step + 1), &[][..]),
            Reality::Undecided => (None, &[][..]),
        };
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
            "impossible_step": impossible,
            "missing": missing,
        })
    }
}

fn reason(result: &ModelResult) -> Option<&'static str> {
    if result.violation().is_some() {
        return None;
    }
    if result.sc_failed {
        return Some("sc");
    }
    result.outcome().and_then(reason_of)
}

fn reason_of(outcome: &AttemptOutcome) -> Option<&'static str> {
    match outcome {
        AttemptOutcome::Verified | AttemptOutcome::Violated(_) => None,
        AttemptOutcome::Abstraction(..) => Some("abstraction"),
        AttemptOutcome::Overflow(..) => Some("overflow"),
        AttemptOutcome::Limit(StopReason::States) => Some("states"),
        AttemptOutcome::Limit(StopReason::Timeout) => Some("timeout"),
        AttemptOutcome::Limit(StopReason::Interrupted) => Some("interrupted"),
    }
}

fn property(result: &ModelResult) -> Option<&str> {
    if let Some(Violation { property, .. }) = result.violation() {
        return Some(property);
    }
    match result.telling_outcome()? {
        AttemptOutcome::Abstraction(property, _) => Some(&property.name),
        AttemptOutcome::Overflow(..) => Some("overflow"),
        AttemptOutcome::Verified | AttemptOutcome::Violated(_) | AttemptOutcome::Limit(_) => None,
    }
}
