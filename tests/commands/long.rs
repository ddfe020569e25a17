//! Programs that are very long: no command runs out of stack.

use super::warnings::{cupola, text};

#[test]
fn long_atomic_sections_are_exported() {
    let stores = "x = 1; ".repeat(40_000);
    let program = format!("shared x; thread P {{ atomic {{ {stores} }} }} invariant x <= 1;");
    // Horn clauses have one step for the section, whatever its length.
    for (target, least) in [("promela", 40_000), ("chc", 100)] {
        let output = cupola(&format!("export - --to {target}"), &program);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{target}: {said}");
        let exported = text(&output.stdout);
        assert!(exported.len() > least, "{target}: {}", exported.len());
    }
}

#[test]
fn long_chains_of_cases_are_exported() {
    let cases: String = (0..4_000)
        .map(|value| format!(" else if (r == {value}) {{ x = 1; }}"))
        .collect();
    let program = format!(
        "shared x; thread P {{ local r; if (r == -1) {{ x = 1; }}{cases} }} invariant x <= 1;"
    );
    for target in ["promela", "chc"] {
        let output = cupola(&format!("export - --to {target}"), &program);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{target}: {said}");
    }
}
