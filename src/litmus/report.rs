//! Decisions in herd's words, and as JSON.

use std::fmt::Write as _;

use itertools::Itertools as _;
use serde_json::{Map, Value, json};

use crate::explore::Limit;

use super::decide::{Decision, FinalStates};
use super::syntax::Test;

/// The block that herd prints for a test.
pub fn text(test: &Test, decision: &Decision) -> String {
    let quantifier = test.condition.quantifier;
    let mut text = format!("Test {} {}\n", test.name, quantifier.kind());
    match decision {
        Decision::Decided(states) => states_text(test, states, &mut text),
        Decision::Unknown(limits) => {
            let reasons = limits.iter().map(|&limit| reason(limit)).join("; ");
            let _ = writeln!(text, "Unknown: {reasons}");
            let _ = writeln!(text, "Condition {}", test.condition);
            let _ = writeln!(text, "Observation {} Unknown", test.name);
        }
    }
    text
}

fn states_text(test: &Test, states: &FinalStates, text: &mut String) {
    let quantifier = test.condition.quantifier;
    let _ = writeln!(text, "States {}", states.rows.len());
    for row in &states.rows {
        let values = states.locations.iter().zip(row);
        let line = values
            .map(|(location, value)| format!("{location}={value};"))
            .join(" ");
        let _ = writeln!(text, "{line}");
    }
    let answer = match states.satisfy(quantifier) {
        true => "Ok",
        false => "No",
    };
    let (positive, negative) = states.witnesses(quantifier);
    let _ = writeln!(text, "{answer}\nWitnesses");
    let _ = writeln!(text, "Positive: {positive} Negative: {negative}");
    let _ = writeln!(text, "Condition {}", test.condition);
    let _ = writeln!(
        text,
        "Observation {} {} {} {}",
        test.name,
        states.observation(),
        states.positive,
        states.negative
    );
}

/// A test and what is known of it, as a JSON object.
pub fn json(file: &str, test: &Test, decision: &Decision) -> Value {
    let mut object = json!({
        "file": file,
        "test": test.name,
        "kind": test.condition.quantifier.kind(),
        "condition": test.condition.to_string(),
        "observation": null,
        "holds": null,
        "positive": null,
        "negative": null,
        "states": null,
        "reason": null,
    });
    match decision {
        Decision::Decided(states) => {
            object["observation"] = json!(states.observation().to_string());
            object["holds"] = json!(states.satisfy(test.condition.quantifier));
            object["positive"] = json!(states.positive);
            object["negative"] = json!(states.negative);
            object["states"] = states
                .rows
                .iter()
                .map(|row| state_json(states, row))
                .collect();
        }
        Decision::Unknown(limits) => {
            object["reason"] = json!(limits.iter().map(|limit| limit.word()).join(","));
        }
    }
    object
}

fn state_json(states: &FinalStates, row: &[i64]) -> Value {
    let pairs = states.locations.iter().zip(row);
    let object: Map<String, Value> = pairs
        .map(|(location, value)| (location.to_string(), json!(value)))
        .collect();
    Value::Object(object)
}

/// Why a test was not decided, and what to try.
fn reason(limit: Limit) -> &'static str {
    match limit {
        Limit::Interrupted => "it was interrupted",
        Limit::Timeout => "the time was up; give it more with `--timeout`",
        Limit::States => "there are more states than allowed; allow more with `--max-states`",
        Limit::Buffer => "a store buffer was full",
        Limit::Values => "a value did not fit 64 bits",
        Limit::Star => "not all values were tried",
        Limit::Overflow => "a buffer variable was full",
    }
}
