//! Tests of herd's words and of comparisons.

use super::*;
use crate::engine::{Context, Limits};
use crate::front::litmus::parse;
use crate::litmus::expect::Expectations;
use crate::litmus::{LOOP_BUFFER, decide, explore_config};
use crate::memory::Model;
use crate::source::SourceFile;
use crate::verdict::Limit;

/// A run that may see this many states.
fn context(explore_states: usize) -> Context {
    Context {
        limits: Limits {
            explore_states,
            ..Limits::default()
        },
        ..Context::default()
    }
}

/// A run that sees all states of the tests here.
fn generous() -> Context {
    context(1_000_000)
}

/// SB with this condition; under TSO it has four final states, under SC three.
fn sb(condition: &str) -> Test {
    let text = format!(
        "X86 SB\n{{ }}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n{condition}\n"
    );
    parse(&SourceFile::new("test.litmus", text)).unwrap()
}

/// What is printed for a test under a model.
fn block(test: &Test, model: Model) -> String {
    let decision = decide(test, model, LOOP_BUFFER, &generous());
    with(test, &decision, &generous(), |decided| {
        decided.text(&Page::unlimited())
    })
}

/// What `f` says of a decision.
fn with<T>(
    test: &Test,
    decision: &Decision,
    context: &Context,
    f: impl FnOnce(&Decided<'_>) -> T,
) -> T {
    f(&Decided {
        source: &SourceFile::new("sb.litmus", ""),
        test,
        decision,
        config: &explore_config(test, LOOP_BUFFER, context),
        witness: false,
    })
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
            let text = block(&test, model);
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
    let text = block(&test, Model::Tso);
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
fn a_limit_makes_a_test_unknown() {
    let few = context(3);
    let test = sb("exists (0:EAX=0 /\\ 1:EAX=0)");
    let decision = decide(&test, Model::Tso, LOOP_BUFFER, &few);
    assert!(matches!(&decision, Decision::Unknown(met) if *met == [Limit::States].into()));
    let text = with(&test, &decision, &few, |decided| {
        decided.text(&Page::unlimited())
    });
    let unknown = "Unknown: there are more than 3 states: allow more states\n";
    assert!(text.contains(unknown), "{text}");
    assert!(text.ends_with("Observation SB Unknown\n"), "{text}");
    let json = with(&test, &decision, &few, |decided| decided.json());
    assert_eq!(json["reason"], "states");
    assert!(json["observation"].is_null());
}

#[test]
fn comparisons_name_every_test_that_is_not_as_expected() {
    let file = SourceFile::new("expect.csv", "a,Never\nb,Never\nc,Always\nz,Always\n");
    let expectations = Expectations::parse(&file).unwrap();
    let test = sb("exists (0:EAX=0 /\\ 1:EAX=0)");
    let sometimes = decide(&test, Model::Tso, LOOP_BUFFER, &generous());
    let never = decide(&test, Model::Sc, LOOP_BUFFER, &generous());
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
    assert_eq!(comparison_text(&comparison, &Page::unlimited()), expected);
}
