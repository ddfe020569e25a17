//! Tests of the explorer. Whatever a test explores, the naive explorer of `naive` explores too, and the two
//! must agree on the states, the outcomes, the verdict and the length of the shortest violation.

mod choices;
mod limits;
mod litmus;
mod naive;
mod sections;
mod statements;

use std::collections::BTreeSet;

use indexmap::IndexSet;

use super::{Context, Exploration, ExploreConfig, Limit, VerdictKind, explore};
use crate::front::cup;
use crate::front::cup::placement::optional_fences;
use crate::memory::Model;
use crate::program::{Program, lower};
use crate::source::SourceFile;

/// The program with this text, no optional fence in force.
fn program(text: &str) -> Program {
    program_with(text, &[])
}

/// The program with this text and these optional fences in force.
fn program_with(text: &str, fences: &[&str]) -> Program {
    let checked = cup::load(&SourceFile::new("test.cup", text));
    let checked = checked.unwrap_or_else(|errors| panic!("the program is well-formed: {errors:?}"));
    let fences: IndexSet<String> = fences.iter().map(|&name| name.to_owned()).collect();
    lower(&checked, &fences)
}

/// Explores everything, and compares with the naive explorer.
fn run(text: &str, model: Model) -> Exploration {
    run_program(&program(text), model, &ExploreConfig::default())
}

fn run_program(program: &Program, model: Model, config: &ExploreConfig) -> Exploration {
    let config = ExploreConfig {
        outcomes: true,
        ..config.clone()
    };
    let exploration =
        explore(program, model, &config, &Context::default()).expect("the model fits the program");
    naive::compare(program, model, &config, &exploration);
    exploration
}

/// The final values of the variables, each outcome as the values separated by commas.
fn outcomes(exploration: &Exploration, names: &[&str]) -> Vec<String> {
    let outcomes = exploration.outcomes.as_ref().expect("asked for");
    let restricted = outcomes.restricted_to(names);
    let rows: BTreeSet<Vec<i64>> = restricted
        .iter()
        .map(|outcome| names.iter().map(|&name| outcome[name]).collect())
        .collect();
    let row = |row: &Vec<i64>| {
        let values: Vec<String> = row.iter().map(i64::to_string).collect();
        values.join(",")
    };
    rows.iter().map(row).collect()
}

/// Checks the outcomes, separated by blanks, under SC, TSO and PSO.
#[track_caller]
fn check_outcomes(text: &str, names: &[&str], expected: [&str; 3]) {
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        let found = outcomes(&run(text, model), names).join(" ");
        assert_eq!(found, expected, "final {names:?} under {model}");
    }
}

/// Checks the verdicts under SC, TSO and PSO: `safe`, or the name of the violated property.
#[track_caller]
fn check_verdicts(text: &str, expected: [&str; 3]) {
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        assert_eq!(named_verdict(text, model), expected, "under {model}");
    }
}

/// The verdict of exploring everything; for a violation the name of the property.
fn named_verdict(text: &str, model: Model) -> String {
    let program = program(text);
    let exploration = run_program(&program, model, &ExploreConfig::default());
    match exploration.property() {
        Some(_) => broken(&program, &exploration).to_owned(),
        None => verdict(&exploration),
    }
}

/// The name of the violated property.
fn broken<'p>(program: &'p Program, exploration: &Exploration) -> &'p str {
    let property = exploration.property().expect("a property is violated");
    let name = &program.property(property).name;
    name.as_deref().unwrap_or("unnamed")
}

/// The verdict as a word: `safe`, `violated`, or the limits that were hit.
fn verdict(exploration: &Exploration) -> String {
    match exploration.kind() {
        VerdictKind::Verified => "safe".to_owned(),
        VerdictKind::Violated => "violated".to_owned(),
        VerdictKind::Unknown => {
            let limits: Vec<&str> = exploration
                .limits
                .iter()
                .map(|limit| limit.word())
                .collect();
            format!("unknown: {}", limits.join(" "))
        }
    }
}

/// The examples with few states, and the beginnings of the others, without and with all fences.
#[test]
fn agrees_with_the_naive_explorer_on_the_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let config = ExploreConfig {
        buffer: 2,
        max_states: 1_500,
        ..ExploreConfig::default()
    };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "cup") {
            let text = std::fs::read_to_string(&path).expect("text");
            let checked = cup::load(&SourceFile::new("example", text)).expect("well-formed");
            for fences in [IndexSet::new(), optional_fences(&checked)] {
                let program = lower(&checked, &fences);
                for model in Model::ALL {
                    let exploration = run_program(&program, model, &config);
                    compared += usize::from(!exploration.limits.contains(&Limit::States));
                }
            }
        }
    }
    assert!(compared >= 60, "only {compared} explorations were compared");
}
