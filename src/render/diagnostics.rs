//! What is wrong with an input, for programs.

use serde_json::{Value, json};

use super::SCHEMA;
use crate::source::{Diagnostic, Severity, SourceFile, Span};

/// The answer of a command that rejects a program.
pub fn rejected(file: &SourceFile, diagnostics: &[Diagnostic]) -> Value {
    let all = diagnostics.iter().map(|diagnostic| {
        let others = diagnostic.secondary.iter();
        let others = others.map(|(span, label)| place(file, *span, label));
        let (span, label) = &diagnostic.primary;
        json!({
            "severity": severity(diagnostic.severity),
            "message": diagnostic.message,
            "place": place(file, *span, label),
            "other_places": others.collect::<Value>(),
            "notes": diagnostic.notes,
        })
    });
    json!({ "schema": SCHEMA, "program": file.name(), "diagnostics": all.collect::<Value>() })
}

/// The answer of a command that cannot work, for a reason that has no place in a program.
pub fn failed(message: &str, hint: Option<&str>) -> Value {
    let notes: Vec<&str> = hint.into_iter().collect();
    json!({
        "schema": SCHEMA,
        "program": null,
        "diagnostics": [{
            "severity": severity(Severity::Error),
            "message": message,
            "place": null,
            "other_places": [],
            "notes": notes,
        }],
    })
}

fn place(file: &SourceFile, span: Span, label: &str) -> Value {
    let (line, column) = file.position(span.start);
    let (end_line, end_column) = file.position(span.end);
    json!({
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "label": label,
    })
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
