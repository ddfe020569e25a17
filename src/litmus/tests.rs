//! Tests of decisions and of the programs of tests.

use indexmap::IndexSet;

use super::expect::Expectations;
use super::syntax::Test;
use super::*;
use crate::explore::{ExploreConfig, Limit, Verdict, explore};
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::{lang, program};

const GENEROUS: Limits = Limits {
    max_states: 1_000_000,
    timeout: None,
};

fn test(text: &str) -> Test {
    parse(&SourceFile::new("test.litmus", text)).unwrap()
}

fn decided(test: &Test, model: Model) -> FinalStates {
    match decide(test, model, &GENEROUS) {
        Decision::Decided(states) => states,
        Decision::Unknown(limits) => panic!("{}: {limits:?}", test.name),
    }
}

/// The texts of all tests in `tests/litmus`.
pub(super) fn stored_texts() -> Vec<String> {
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

/// SB with this condition; under TSO it has four final states, under SC three.
fn sb(condition: &str) -> Test {
    test(&format!(
        "X86 SB\n{{ }}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n{condition}\n"
    ))
}

#[test]
fn words_mean_what_they_mean_to_herd() {
    let cases = [
        (
            "exists (0:EAX=0 /\\ 1:EAX=0)",
            "No",
            (0, 3),
            "Never 0 3",
            "Ok",
            (1, 3),
            "Sometimes 1 3",
        ),
        (
            "~exists (0:EAX=0 /\\ 1:EAX=0)",
            "Ok",
            (3, 0),
            "Never 0 3",
            "No",
            (3, 1),
            "Sometimes 1 3",
        ),
        (
            "forall (0:EAX=1 \\/ 1:EAX=1)",
            "Ok",
            (3, 0),
            "Always 3 0",
            "No",
            (3, 1),
            "Sometimes 3 1",
        ),
        (
            "exists (0:EAX=2 \\/ 1:EAX=2)",
            "No",
            (0, 3),
            "Never 0 3",
            "No",
            (0, 4),
            "Never 0 4",
        ),
        (
            "~exists (0:EAX=0 \\/ 0:EAX=1)",
            "No",
            (0, 2),
            "Always 2 0",
            "No",
            (0, 2),
            "Always 2 0",
        ),
        (
            "forall (x=0)",
            "No",
            (0, 1),
            "Never 0 1",
            "No",
            (0, 1),
            "Never 0 1",
        ),
        (
            "exists (x=1 /\\ y=1)",
            "Ok",
            (1, 0),
            "Always 1 0",
            "Ok",
            (1, 0),
            "Always 1 0",
        ),
    ];
    for (condition, sc, sc_witnesses, sc_observation, tso, tso_witnesses, tso_observation) in cases
    {
        let test = sb(condition);
        let answers = [
            (Model::Sc, sc, sc_witnesses, sc_observation),
            (Model::Tso, tso, tso_witnesses, tso_observation),
        ];
        for (model, answer, (positive, negative), observation) in answers {
            let text = report::text(&test, &decide(&test, model, &GENEROUS));
            let expected = format!(
                "{answer}\nWitnesses\nPositive: {positive} Negative: {negative}\nCondition {}\nObservation SB {observation}\n",
                test.condition
            );
            assert!(text.ends_with(&expected), "{condition} {model}: {text}");
        }
    }
}

#[test]
fn states_are_shown_with_the_locations_that_matter() {
    let test = sb("locations [x; 1:EAX;]\nexists (0:EAX=0)");
    let text = report::text(&test, &decide(&test, Model::Tso, &GENEROUS));
    let lines: Vec<&str> = text.lines().take(4).collect();
    let expected = [
        "Test SB Allowed",
        "States 4",
        "0:EAX=0; 1:EAX=0; [x]=1;",
        "0:EAX=0; 1:EAX=1; [x]=1;",
    ];
    assert_eq!(lines, expected);
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
        let printed = lang::print(&translate(&test));
        let file = SourceFile::new("test.cup", printed.clone());
        let checked = lang::load(&file).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
        assert_eq!(lang::print(&checked.tree), printed);
        let lowered = program::lower(&checked, &IndexSet::new());
        for model in Model::ALL {
            let exploration = explore(&lowered, model, &ExploreConfig::default()).unwrap();
            let states = decided(&test, model);
            let expected = match test.condition.quantifier {
                syntax::Quantifier::Forall => states.negative > 0,
                syntax::Quantifier::Exists | syntax::Quantifier::NotExists => states.positive > 0,
            };
            let violated = exploration.verdict == Verdict::Violated;
            assert_eq!(violated, expected, "{} {model}", test.name);
        }
    }
}

#[test]
fn a_limit_makes_a_test_unknown() {
    let limits = Limits {
        max_states: 3,
        timeout: None,
    };
    let test = sb("exists (0:EAX=0 /\\ 1:EAX=0)");
    let decision = decide(&test, Model::Tso, &limits);
    assert_eq!(decision, Decision::Unknown([Limit::States].into()));
    let text = report::text(&test, &decision);
    assert!(text.ends_with("Observation SB Unknown\n"), "{text}");
    let json = report::json("sb.litmus", &test, &decision);
    assert_eq!(json["reason"], "states");
    assert!(json["observation"].is_null());
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
        let message = |error: &crate::lang::source::Diagnostic| {
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

#[test]
fn comparisons_name_every_test_that_is_not_as_expected() {
    let file = SourceFile::new("expect.csv", "a,Never\nb,Never\nc,Always\nz,Always\n");
    let expectations = Expectations::parse(&file).unwrap();
    let test = sb("exists (0:EAX=0 /\\ 1:EAX=0)");
    let sometimes = decide(&test, Model::Tso, &GENEROUS);
    let never = decide(&test, Model::Sc, &GENEROUS);
    let unknown = Decision::Unknown([Limit::States].into());
    let decisions = [
        ("a", &never),
        ("b", &sometimes),
        ("c", &unknown),
        ("d", &never),
    ];
    let comparison = expectations.compare(Model::Tso, decisions.into_iter());
    assert!(comparison.differs());
    let expected = "Model tso: 1 as expected, 1 different, 1 unknown, 1 without expectation, 1 expected but not given
b: expected Never, observed Sometimes
c: unknown
d: no expectation
z: no such test among those given
";
    assert_eq!(comparison.text(), expected);
}
