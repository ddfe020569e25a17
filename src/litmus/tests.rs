//! Tests of decisions and of the programs of tests.

use indexmap::IndexSet;

use super::expect::Expectations;
use super::syntax::Test;
use super::*;
use crate::engine::explore::{ExploreConfig, explore};
use crate::engine::{Context, Limits};
use crate::memory::Model;
use crate::source::SourceFile;
use crate::{front::cup, program};

fn context(explore_states: usize) -> Context {
    Context {
        limits: Limits {
            explore_states,
            ..Limits::default()
        },
        ..Context::default()
    }
}

fn test(text: &str) -> Test {
    parse(&SourceFile::new("test.litmus", text)).unwrap()
}

fn decided(test: &Test, model: Model) -> FinalStates {
    match decide(test, model, LOOP_BUFFER, &context(1_000_000)) {
        Decision::Decided(states) => states,
        other => panic!("{}: {other:?}", test.name),
    }
}

/// The texts of all tests in `tests/litmus`.
pub(crate) fn stored_texts() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/litmus");
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let tests = paths.filter(|path| path.extension().is_some_and(|end| end == "litmus"));
    tests
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

fn stored_tests() -> Vec<Test> {
    stored_texts().iter().map(|text| test(text)).collect()
}

#[test]
fn a_weaker_model_has_more_final_states() {
    for test in stored_tests() {
        let rows = Model::ALL.map(|model| decided(&test, model).rows);
        assert!(rows[0].is_subset(&rows[1]), "{}", test.name);
        assert!(rows[1].is_subset(&rows[2]), "{}", test.name);
    }
}

#[test]
fn stored_tests_tell_all_models_apart() {
    let words: Vec<[Observation; 3]> = stored_tests()
        .iter()
        .map(|test| Model::ALL.map(|model| decided(test, model).observation()))
        .collect();
    let (never, sometimes, always) = (
        Observation::Never,
        Observation::Sometimes,
        Observation::Always,
    );
    for pattern in [
        [never, never, never],
        [never, never, sometimes],
        [never, sometimes, sometimes],
        [sometimes, sometimes, sometimes],
        [always, sometimes, sometimes],
        [always, always, sometimes],
        [always, always, always],
    ] {
        assert!(words.contains(&pattern), "no test has {pattern:?}");
    }
}

#[test]
fn printed_programs_say_the_same() {
    for test in stored_tests() {
        let printed = cup::print(&translate(&test));
        let file = SourceFile::new("test.cup", printed.clone());
        let checked = cup::load(&file).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
        assert_eq!(cup::print(&checked.tree), printed);
        let lowered = program::lower(&checked, &IndexSet::new());
        for model in Model::ALL {
            let exploration = explore(
                &lowered,
                model,
                &ExploreConfig::default(),
                &Context::default(),
            )
            .unwrap();
            let states = decided(&test, model);
            let expected = match test.condition.quantifier {
                syntax::Quantifier::Forall => states.negative > 0,
                syntax::Quantifier::Exists | syntax::Quantifier::NotExists => states.positive > 0,
            };
            let violated = exploration.violation.is_some();
            assert_eq!(violated, expected, "{} {model}", test.name);
        }
    }
}

#[test]
fn long_threads_do_not_fill_their_buffers() {
    let stores: String = (1..=20)
        .map(|number| format!(" MOV [x],${number} ;\n"))
        .collect();
    let test = test(&format!("X86 T\n{{ }}\n P0 ;\n{stores}forall (x=20)\n"));
    assert_eq!(
        decided(&test, Model::Pso).observation(),
        Observation::Always
    );
}

#[test]
fn tables_of_expectations_are_read_leniently_but_not_carelessly() {
    let read = |text: &str| Expectations::parse(&SourceFile::new("expect.csv", text));
    assert!(read("").is_ok());
    assert!(read("test,observation\r\nSB , Never\r\n\r\n\"MP\",\"Always\"\r\n").is_ok());
    let messages = |text: &str| {
        let errors = read(text).unwrap_err();
        let message = |error: &crate::source::Diagnostic| {
            format!("{} | {}", &text[error.primary.0.range()], error.message)
        };
        errors.iter().map(message).collect::<Vec<_>>()
    };
    let form = "this line is not of the form `name,word`";
    assert_eq!(
        messages("SB,never\nMP"),
        [format!("SB,never | {form}"), format!("MP | {form}")]
    );
    assert_eq!(
        messages("SB,Never\nname,word"),
        [format!("name,word | {form}")]
    );
    assert_eq!(
        messages("SB,Never\nSB,Always\n"),
        ["SB,Always | the test SB stands here twice"]
    );
}
