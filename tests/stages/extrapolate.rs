//! Extrapolation gives the paper's predicates.

use crate::support::examples;
use crate::support::proofs::Proved;
use cupola::engine::predicate::{PredicateError, extrapolated};
use cupola::extrapolate::{ExtrapolateConfig, Extrapolation, Rule};
use cupola::logic::Formula;
use cupola::memory::Model;
use cupola::proof::Proof;
use cupola::reduce::Reduction;
use cupola::verdict::Method;

fn extrapolate(
    proved: &Proved,
    model: Model,
    k: usize,
    config: ExtrapolateConfig,
) -> (Reduction, Extrapolation) {
    let stage = proved.stage(model, k);
    let found =
        extrapolated(&proved.input(), &stage, Method::Pe, &config).expect("numbers are small");
    (stage, found)
}

fn texts(proved: &Proved, model: Model, k: usize, config: ExtrapolateConfig) -> Vec<String> {
    let (stage, found) = extrapolate(proved, model, k, config);
    let texts = found.predicates.iter().map(|p| p.text(&stage.program));
    texts.collect()
}

#[test]
fn counts_are_those_of_the_paper() {
    for (name, sc, tso, pso) in [
        ("dekker", 7, 18, 20),
        ("peterson", 7, 18, 20),
        ("abp", 8, 17, 15),
        ("szymanski", 20, 37, 35),
        ("queue", 7, 16, 15),
        ("bakery", 15, 32, 34),
        ("ticket", 9, 24, 22),
    ] {
        let proved = Proved::example(name);
        let count = |model| texts(&proved, model, 1, ExtrapolateConfig::default()).len();
        assert_eq!(proved.proof.predicates.len(), sc, "{name}");
        assert_eq!((count(Model::Tso), count(Model::Pso)), (tso, pso), "{name}");
    }
}

#[test]
fn the_alternating_bit_protocol_has_the_predicates_of_section_2_3() {
    let proved = Proved::example("abp");
    let found = texts(&proved, Model::Pso, 1, ExtrapolateConfig::default());
    assert_eq!(
        found,
        [
            "Msg == 0",
            "Ack == 0",
            "Sender.lSSt == 0",
            "Sender.lAck == 0",
            "Receiver.lMsg == 0",
            "Receiver.lRSt == 0",
            "Receiver.lRCnt == Sender.lSCnt",
            "Receiver.lRCnt + 1 == Sender.lSCnt",
            "Sender.Msg_cnt_t0 == 0",
            "Sender.Msg_cnt_t0 == 1",
            "Receiver.Ack_cnt_t1 == 0",
            "Receiver.Ack_cnt_t1 == 1",
            "Sender.Msg_1_t0 == 0",
            "Receiver.Ack_1_t1 == 0",
            "overflow == 0",
        ]
    );
}

const TWO_VARIABLES: &str = "shared X, Y;
    thread P { local r; X = 1; fence; Y = 1; fence; }
    thread Q { local s; s = X; X = 2; fence; }";

fn two_variables() -> Proved {
    let proof = "predicates { X <= Y; X <= Y && 0 <= X; } cubes { X <= Y && !(X <= Y && 0 <= X); }";
    Proved::new("two", TWO_VARIABLES, Some(proof))
}

#[test]
fn lifts_range_over_all_slots_of_the_threads_that_store() {
    let config = ExtrapolateConfig::default();
    let found = texts(&two_variables(), Model::Pso, 1, config);
    let lifted: Vec<&String> = found.iter().filter(|text| text.contains("<=")).collect();
    assert_eq!(
        lifted,
        [
            "X <= Y",
            "X <= Y && 0 <= X",
            "X <= P.Y_1_t0",
            "P.X_1_t0 <= Y",
            "Q.X_1_t1 <= Y",
            "P.X_1_t0 <= P.Y_1_t0",
            "Q.X_1_t1 <= P.Y_1_t0",
            "X <= P.Y_1_t0 && 0 <= X",
            "P.X_1_t0 <= Y && 0 <= P.X_1_t0",
            "Q.X_1_t1 <= Y && 0 <= Q.X_1_t1",
            "P.X_1_t0 <= P.Y_1_t0 && 0 <= P.X_1_t0",
            "Q.X_1_t1 <= P.Y_1_t0 && 0 <= Q.X_1_t1",
        ]
    );
}

#[test]
fn two_variables_never_share_a_slot() {
    let found = texts(
        &two_variables(),
        Model::Tso,
        1,
        ExtrapolateConfig::default(),
    );
    assert!(
        !found
            .iter()
            .any(|text| text.contains("P.rhs_1_t0 <= P.rhs_1_t0"))
    );
}

#[test]
fn cubes_get_one_slot_for_all_occurrences_of_a_variable() {
    let (stage, found) = extrapolate(
        &two_variables(),
        Model::Pso,
        1,
        ExtrapolateConfig::default(),
    );
    let cubes: Vec<String> = found
        .cubes
        .iter()
        .map(|cube| cube.text(&stage.program, &found.predicates))
        .collect();
    assert_eq!(cubes.len(), 6);
    assert!(cubes.contains(&"P.X_1_t0 <= Y && !(P.X_1_t0 <= Y && 0 <= P.X_1_t0)".to_owned()));
    assert!(!cubes.contains(&"P.X_1_t0 <= Y && !(X <= Y && 0 <= X)".to_owned()));
    assert_eq!(found.cube_rules[0], Rule(2));
    assert!(found.cube_rules[1..].iter().all(|rule| *rule == Rule(3)));
}

#[test]
fn rule_4_adds_equalities_of_slots_and_memory() {
    let config = ExtrapolateConfig {
        rule4: true,
        ..ExtrapolateConfig::default()
    };
    let found = texts(&two_variables(), Model::Pso, 2, config);
    for text in [
        "P.X_1_t0 == P.X_2_t0",
        "P.X_1_t0 == X",
        "Q.X_2_t1 == X",
        "P.Y_1_t0 == Y",
    ] {
        assert!(found.contains(&text.to_owned()), "{text} is missing");
    }
}

#[test]
fn rule_7_lifts_one_variable_where_stores_are_fenced() {
    let config = ExtrapolateConfig {
        rule7: true,
        ..ExtrapolateConfig::default()
    };
    let fenced = texts(&two_variables(), Model::Pso, 1, config);
    assert!(!fenced.contains(&"P.X_1_t0 <= P.Y_1_t0".to_owned()));
    let unfenced = TWO_VARIABLES.replace("X = 1; fence;", "X = 1;");
    let unfenced = Proved::new("two", &unfenced, Some("predicates { X <= Y; }"));
    assert!(texts(&unfenced, Model::Pso, 1, config).contains(&"P.X_1_t0 <= P.Y_1_t0".to_owned()));
}

#[test]
fn buffered_literals_can_be_dropped_from_cubes() {
    let config = ExtrapolateConfig {
        drop_buffered: true,
        ..ExtrapolateConfig::default()
    };
    let (_, found) = extrapolate(&two_variables(), Model::Pso, 1, config);
    assert_eq!(found.cubes.len(), 1);
}

/// The text of a predicate can be read as a condition of the reduced program.
#[test]
fn lifted_arrays_are_spelled_out() {
    let program = "shared A[2]; thread P { local i; A[i] = 1; fence; }";
    let proved = Proved::new("array", program, Some("predicates { A[P.i] >= 0; }"));
    let found = texts(&proved, Model::Tso, 1, ExtrapolateConfig::default());
    let lifted: Vec<&String> = found.iter().filter(|text| text.contains(">=")).collect();
    assert_eq!(
        lifted,
        [
            "A[P.i] >= 0",
            "(P.i != 0 || A[0] >= 0) && (P.i != 1 || P.rhs_1_t0 >= 0)",
            "(P.i != 0 || P.rhs_1_t0 >= 0) && (P.i != 1 || A[1] >= 0)",
        ]
    );
}

/// A program with a predicate over 20 shared variables, each stored to by two threads.
fn wide() -> Proved {
    let names: Vec<String> = (0..20).map(|number| format!("x{number}")).collect();
    let stores: String = names.iter().map(|x| format!("{x} = 1; fence; ")).collect();
    let program = format!(
        "shared {}; thread P {{ {stores} }} thread Q {{ {stores} }}",
        names.join(", ")
    );
    let proof = format!("predicates {{ {} >= 0; }}", names.join(" + "));
    Proved::new("wide", &program, Some(&proof))
}

#[test]
fn slots_that_are_few_limit_the_work() {
    let found = texts(&wide(), Model::Tso, 1, ExtrapolateConfig::default());
    // With one slot: 20 variables and 2 slots; with both: pairs of variables, in whatever order.
    let lifted = found.iter().filter(|text| text.contains(">= 0")).count();
    assert_eq!(lifted, 1 + 20 * 2 + 20 * 19 / 2);
}

#[test]
fn too_many_predicates_are_refused() {
    let proved = wide();
    let stage = proved.stage(Model::Pso, 1);
    let lifted = |config| extrapolated(&proved.input(), &stage, Method::Pe, &config);
    let refused = lifted(ExtrapolateConfig::default());
    assert!(matches!(refused, Err(PredicateError::TooMany(_))));
    let one_slot = ExtrapolateConfig {
        rule7: true,
        ..ExtrapolateConfig::default()
    };
    assert!(lifted(one_slot).is_ok());
}

/// What is printed for SC is a proof: pasted into a file it has the same predicates again.
#[test]
fn what_is_printed_for_sc_is_a_proof() {
    let mut compared = 0;
    for path in examples::proofs() {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let proved = Proved::example(&name);
        let (stage, found) = extrapolate(&proved, Model::Sc, 1, ExtrapolateConfig::default());
        let pasted = found.text(&stage.program);
        let again = Proved::new(&name, proved.file.text(), Some(&pasted)).proof;
        let formulas = |proof: &Proof| -> Vec<Formula> {
            let predicates = proof.predicates.iter();
            predicates.map(|p| p.formula.clone()).collect()
        };
        assert_eq!(formulas(&again), formulas(&proved.proof), "{pasted}");
        compared += 1;
    }
    assert!(compared >= 11, "{compared}");
}
