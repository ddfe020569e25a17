//! SARIF 2.1.0, the format in which tools of static analysis tell what they found to editors and code hosts.
//!
//! Input: findings, made of the JSON objects of `verify` and `explore`, or of what `test` found. Output: one log with one
//! run. A violation is an error at the property that is broken, with the execution as a code flow; an unknown answer is
//! a warning; a difference that `test` finds is an error.
//!
//! The log is made as plain JSON and held to the schema of the standard (`make schemas`). Types made from that schema, which
//! the crate `serde-sarif` has, would say less: they know the names of fields, but not which values and lengths are allowed.

use serde_json::{Value, json};

use super::regression::{Ended, Tested};

const SCHEMA_URI: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rules, in the order of their indices: identifier, level, description.
const RULES: [(&str, &str, &str); 3] = [
    ("violated", "error", "An execution breaks a property."),
    (
        "unknown",
        "warning",
        "Neither a proof nor a violation is known.",
    ),
    (
        "difference",
        "error",
        "A program is not as expected, or not as kept in a golden file.",
    ),
];

/// Something to look at.
#[derive(Clone, Debug)]
pub struct Finding {
    rule: usize,
    message: String,
    file: String,
    line: Option<u64>,
    /// The steps of an execution: what is done, and the line.
    steps: Vec<(String, u64)>,
}

/// What a report of `verify` or `explore` finds. Lines are told if they are those of the file, and not of a program that
/// stands for it.
pub fn of_report(report: &Value, lines: bool) -> Vec<Finding> {
    let file = text(&report["program"]);
    let results = match report["results"].as_array() {
        Some(results) => results.iter().collect(),
        None => vec![report],
    };
    let found = results.into_iter();
    found
        .filter_map(|result| of_result(result, &file, lines))
        .collect()
}

fn of_result(result: &Value, file: &str, lines: bool) -> Option<Finding> {
    let rule = match result["verdict"].as_str()? {
        "violated" => 0,
        "unknown" => 1,
        _ => return None,
    };
    let fences: Vec<String> = result["fences"].as_array()?.iter().map(text).collect();
    let mut under = text(&result["model"]);
    if !fences.is_empty() {
        under += &format!(" with the fences {}", fences.join(", "));
    }
    let message = match rule {
        0 => format!("Under {under}, `{}` is broken.", text(&result["property"])),
        _ => format!(
            "Under {under} nothing is known: {}.",
            text(&result["reason"])
        ),
    };
    let trace = &result["trace"];
    let steps = trace["steps"].as_array().filter(|_| rule == 0 && lines);
    let steps = steps.into_iter().flatten().filter_map(|step| {
        let said = format!("{}: {}", text(&step["thread"]), text(&step["statement"]));
        Some((said, step["line"].as_u64()?))
    });
    Some(Finding {
        rule,
        message,
        file: file.to_owned(),
        line: trace["property"]["line"].as_u64().filter(|_| lines),
        steps: steps.collect(),
    })
}

/// What `test` finds.
pub fn of_tests(tested: &[Tested]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for Tested { file, checks, .. } in tested {
        for done in checks.iter().filter(|done| done.ended() == Ended::Failed) {
            let message = done.message().unwrap_or_default();
            findings.push(Finding {
                rule: 2,
                message: format!("{}: {message}", done.check.name),
                file: file.clone(),
                line: done.line().map(|line| line as u64),
                steps: Vec::new(),
            });
        }
    }
    findings
}

/// The log of one run of this version of Cupola.
pub fn log(version: &str, findings: &[Finding]) -> Value {
    let rules = RULES.iter().map(|(id, level, description)| {
        json!({
            "id": id,
            "shortDescription": { "text": description },
            "defaultConfiguration": { "level": level },
        })
    });
    json!({
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cupola",
                "semanticVersion": version,
                "rules": rules.collect::<Value>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(Finding::json).collect::<Value>(),
        }],
    })
}

impl Finding {
    fn json(&self) -> Value {
        let (id, level, _) = RULES[self.rule];
        let mut result = json!({
            "ruleId": id,
            "ruleIndex": self.rule,
            "level": level,
            "message": { "text": self.message },
            "locations": [location(&self.file, self.line)],
        });
        if !self.steps.is_empty() {
            let steps = self.steps.iter().map(|(said, line)| {
                let mut location = location(&self.file, Some(*line));
                location["message"] = json!({ "text": said });
                json!({ "location": location })
            });
            let locations: Value = steps.collect();
            result["codeFlows"] = json!([{ "threadFlows": [{ "locations": locations }] }]);
        }
        result
    }
}

fn location(file: &str, line: Option<u64>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(line) = line {
        place["region"] = json!({ "startLine": line });
    }
    json!({ "physicalLocation": place })
}

/// A path as a reference to a resource: what has a meaning there, or none, is written by its number.
fn uri(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let mut uri = scheme.to_owned();
    for byte in path.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
