//! The report as JSON.

use serde_json::{Map, Value, json};

use crate::explore::{Outcomes, Verdict};

use super::Report;

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
            "trace": self.execution().map(|execution| execution.json()),
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
