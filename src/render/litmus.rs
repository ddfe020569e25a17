//! Decisions about litmus tests in herd's words, their comparison with what is expected, and both as JSON.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use itertools::Itertools as _;
use serde_json::{Map, Value, json};

use crate::engine::Context;
use crate::front::litmus::syntax::Test;
use crate::litmus::expect::{Comparison, Difference};
use crate::litmus::{self, Decision, FinalStates};

use super::{Page, Tone, words};

/// The block that herd prints for a test which was decided in this context.
pub fn text(test: &Test, decision: &Decision, context: &Context, page: &Page) -> String {
    let quantifier = test.condition.quantifier;
    let mut text = format!("Test {} {}\n", test.name, quantifier.kind());
    match decision {
        Decision::Decided(states) => states_text(test, states, page, &mut text),
        Decision::Unknown(met) => {
            let config = litmus::explore_config(test, context);
            let reason = |&limit| words::limit_and_advice(limit, &config, page);
            let unknown = page.paint(Tone::Open, "Unknown");
            let _ = writeln!(text, "{unknown}: {}", met.iter().map(reason).join("; "));
            let _ = writeln!(text, "Condition {}", test.condition);
            let _ = writeln!(text, "Observation {} Unknown", test.name);
        }
    }
    page.prose(&text)
}

fn states_text(test: &Test, states: &FinalStates, page: &Page, text: &mut String) {
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
        true => page.paint(Tone::Good, "Ok"),
        false => page.paint(Tone::Bad, "No"),
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

/// The summary of a comparison.
pub fn comparison_text(comparison: &Comparison, page: &Page) -> String {
    let some = |count: usize| (count > 0).then_some(count);
    let counts = [
        (Some(comparison.agree), "as expected"),
        (Some(comparison.differ.len()), "different"),
        (some(comparison.unknown.len()), "unknown"),
        (some(comparison.unexpected.len()), "without expectation"),
        (some(comparison.missing.len()), "expected but not given"),
    ];
    let mut counts = counts
        .iter()
        .filter_map(|(count, what)| Some(format!("{} {what}", (*count)?)));
    let mut text = format!("Model {}: {}\n", comparison.model, counts.join(", "));
    for difference in &comparison.differ {
        let Difference {
            test,
            expected,
            observed,
        } = difference;
        let _ = writeln!(text, "{test}: expected {expected}, observed {observed}");
    }
    let lists = [
        (&comparison.unknown, "unknown"),
        (&comparison.unexpected, "no expectation"),
        (&comparison.missing, "no such test among those given"),
    ];
    for (tests, what) in lists {
        for test in tests {
            let _ = writeln!(text, "{test}: {what}");
        }
    }
    page.prose(&text)
}

/// The comparison as a JSON object.
pub fn comparison_json(comparison: &Comparison) -> Value {
    let differ = comparison.differ.iter().map(|difference| {
        json!({
            "test": difference.test,
            "expected": difference.expected.to_string(),
            "observed": difference.observed.to_string(),
        })
    });
    json!({
        "agree": comparison.agree,
        "differ": differ.collect::<Vec<_>>(),
        "unknown": comparison.unknown,
        "unexpected": comparison.unexpected,
        "missing": comparison.missing,
    })
}
