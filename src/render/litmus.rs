//! Decisions about litmus tests in herd's words, their comparison with what is expected, and both as JSON.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use itertools::Itertools as _;
use serde_json::{Map, Value, json};

use crate::engine::explore::ExploreConfig;
use crate::front::litmus::syntax::Test;
use crate::litmus::expect::{Comparison, Difference};
use crate::litmus::{Decision, FinalStates};
use crate::source::{Diagnostic, SourceFile};

use super::execution::Execution;
use super::{Page, Tone, words};

/// A test that was decided, or one under a model that cannot decide it.
#[derive(Clone, Copy)]
pub struct Decided<'a> {
    /// The file.
    pub source: &'a SourceFile,
    /// The test.
    pub test: &'a Test,
    /// What is known of it.
    pub decision: &'a Decision,
    /// How far it was explored.
    pub config: &'a ExploreConfig,
    /// Whether to show the witness.
    pub witness: bool,
}

impl Decided<'_> {
    /// The block that herd prints for the test.
    pub fn text(&self, page: &Page) -> String {
        let test = self.test;
        let mut text = format!("Test {} {}\n", test.name, test.condition.quantifier.kind());
        match self.decision {
            Decision::Decided(states) => self.states_text(states, page, &mut text),
            Decision::Unknown(met) => {
                let reason = |&limit| words::limit_and_advice(limit, self.config, page);
                self.unknown_text(&met.iter().map(reason).join("; "), page, &mut text);
            }
            Decision::NotModelled(what) => {
                self.unknown_text(&format!("{what} is not modelled"), page, &mut text);
            }
        }
        let witness = self.execution().map(|execution| execution.text(page));
        let witness = witness.map(|table| format!("Witness\n{table}"));
        page.prose(&text) + &witness.unwrap_or_default()
    }

    fn unknown_text(&self, reason: &str, page: &Page, text: &mut String) {
        let unknown = page.paint(Tone::Open, "Unknown");
        let _ = writeln!(text, "{unknown}: {reason}");
        self.condition_text(text);
        let _ = writeln!(text, "Observation {} Unknown", self.test.name);
    }

    fn condition_text(&self, text: &mut String) {
        if let Some(filter) = &self.test.filter {
            let _ = writeln!(text, "Filter ({filter})");
        }
        let _ = writeln!(text, "Condition {}", self.test.condition);
    }

    fn states_text(&self, states: &FinalStates, page: &Page, text: &mut String) {
        let test = self.test;
        let quantifier = test.condition.quantifier;
        let _ = writeln!(text, "States {}", states.rows.len());
        for row in &states.rows {
            let values = states.locations.iter().zip(row);
            let line = values
                .map(|(location, &value)| {
                    format!("{location}={};", test.shown_value(location, value))
                })
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
        self.condition_text(text);
        let _ = writeln!(
            text,
            "Observation {} {} {} {}",
            test.name,
            states.observation(),
            states.positive,
            states.negative
        );
    }

    /// The execution to show, if there is one.
    fn execution(&self) -> Option<Execution<'_>> {
        let Decision::Decided(states) = self.decision else {
            return None;
        };
        let witness = states.witness.as_ref().filter(|_| self.witness)?;
        Some(Execution {
            source: self.source,
            program: &witness.program,
            trace: witness.violation.trace(),
        })
    }

    /// The test and what is known of it, as a JSON object.
    pub fn json(&self) -> Value {
        let test = self.test;
        let mut object = json!({
            "file": self.source.name(),
            "test": test.name,
            "kind": test.condition.quantifier.kind(),
            "condition": test.condition.to_string(),
            "filter": test.filter.as_ref().map(ToString::to_string),
            "observation": null,
            "holds": null,
            "positive": null,
            "negative": null,
            "states": null,
            "reason": null,
            "witness": self.execution().map(|execution| execution.json()),
        });
        match self.decision {
            Decision::Decided(states) => {
                object["observation"] = json!(states.observation().to_string());
                object["holds"] = json!(states.satisfy(test.condition.quantifier));
                object["positive"] = json!(states.positive);
                object["negative"] = json!(states.negative);
                object["states"] = states
                    .rows
                    .iter()
                    .map(|row| self.state_json(states, row))
                    .collect();
            }
            Decision::Unknown(limits) => {
                object["reason"] = json!(limits.iter().map(|limit| limit.word()).join(","));
            }
            Decision::NotModelled(what) => object["reason"] = json!(what),
        }
        object
    }

    fn state_json(&self, states: &FinalStates, row: &[i64]) -> Value {
        let pairs = states.locations.iter().zip(row);
        let object: Map<String, Value> = pairs
            .map(|(location, &value)| {
                let shown = self.test.shown_value(location, value);
                let shown = i64::try_from(shown).map_or_else(
                    |_| json!(u64::try_from(shown).expect("values have 64 bits")),
                    |shown| json!(shown),
                );
                (location.to_string(), shown)
            })
            .collect();
        Value::Object(object)
    }
}

/// A test that is not modelled, and why.
#[derive(Clone, Copy)]
pub struct Refused<'a> {
    /// The file.
    pub source: &'a SourceFile,
    /// The reasons.
    pub diagnostics: &'a [Diagnostic],
}

/// The tests that are not modelled, with their reasons.
pub fn refused_text(refused: &[Refused<'_>], page: &Page) -> String {
    let mut text = format!("Not modelled {}\n", refused.len());
    for test in refused {
        for diagnostic in test.diagnostics {
            let line = test.source.line(diagnostic.primary.0.start);
            let name = test.source.name();
            let _ = writeln!(text, "{name}:{line}: {}", diagnostic.message);
        }
    }
    // What would help, or would have to be decided first: once each.
    let diagnostics = refused.iter().flat_map(|test| test.diagnostics);
    for note in diagnostics
        .flat_map(|diagnostic| &diagnostic.notes)
        .unique()
    {
        let _ = writeln!(text, "= {note}");
    }
    page.prose(&text)
}

impl Refused<'_> {
    /// The test and the reasons, as a JSON object.
    pub fn json(&self) -> Value {
        let reasons = self.diagnostics.iter().map(|diagnostic| {
            json!({
                "line": self.source.line(diagnostic.primary.0.start),
                "message": diagnostic.message,
                "notes": diagnostic.notes,
            })
        });
        json!({ "file": self.source.name(), "reasons": reasons.collect::<Value>() })
    }
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
