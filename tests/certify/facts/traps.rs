//! Wrong arguments about FIFOs, each in the smallest program in which a careless check would believe it.

use cupola::certificate::{Body, FactsTable, Literal, StoredBody};
use cupola::certify::{self, Solver, Verdict};
use cupola::memory::Model;

use super::SAMPLES;
use super::runs::refutation;
use super::sample::{Made, Sample};
use crate::why;

/// Why a certificate is rejected.
fn rejected(made: &Made, table: &FactsTable) -> String {
    let mut certificate = made.certificate.clone();
    certificate.body = Body::Facts(table.clone());
    let stored = certify::prepare(&certificate).expect("it can be stored");
    let report = certify::check(&stored, &Solver::Library).expect("a report");
    assert!(
        matches!(report.verdict, Verdict::Rejected(_)),
        "{}: {report:?}",
        made.name
    );
    why(&report).expect("a reason")
}

/// What is said of the certificate of a sample.
fn verdict(made: &Made) -> Verdict {
    let stored = certify::prepare(&made.certificate).expect("it can be stored");
    let report = certify::check(&stored, &Solver::Library);
    report.expect("a report").verdict
}

/// A program under SC whose FIFOs the predicates are about.
fn sc(name: &'static str, text: &'static str, predicates: &'static [&'static str]) -> Sample {
    Sample {
        name,
        text,
        model: Model::Sc,
        predicates,
        split: 0,
        runs: 150,
        longest: 9,
    }
}

/// The certificate in which a predicate holds in every state.
fn claiming(made: &Made, predicate: usize) -> FactsTable {
    let mut table = made.table.clone();
    for state in &mut table.states {
        state.cube.retain(|literal| literal.predicate != predicate);
        state.cube.push(Literal {
            predicate,
            holds: true,
        });
    }
    table
}

/// What is seen in runs is accepted; with a claim too much it is not, and a run shows that this is right.
fn overclaims(sample: Sample, predicate: usize) -> String {
    let made = sample.make();
    assert_eq!(verdict(&made), Verdict::Accepted, "{}", made.name);
    let table = claiming(&made, predicate);
    let shown = refutation(&table, &made.predicates, &made.runs);
    assert!(shown.is_some(), "{}: no run contradicts it", made.name);
    rejected(&made, &table)
}

/// A check that takes two different entries for facts about one finds none in a FIFO with one entry.
#[test]
fn facts_about_one_entry_matter_with_one_entry() {
    let text = "thread P { local r; fifo b; append(b, 1); r = b_len; }";
    let sample = sc(
        "one_entry",
        text,
        &[
            "every e in P.b: e == 0",
            "every e before f in P.b: e < f",
            "P.b_len <= 1",
            "P.b_len == 1",
        ],
    );
    let reason = overclaims(sample, 0);
    assert!(
        reason.contains("`every e in P.b: e == 0` may be wrong"),
        "{reason}"
    );
}

/// The oldest entry is not older than itself: with one entry `e < f` says nothing.
#[test]
fn order_is_not_reflexive() {
    let text = "thread P { fifo b; append(b, 1); }
        forbid P.b_len == 1 && P.b_oldest == P.b_newest;";
    let sample = sc(
        "reflexive",
        text,
        &[
            "every e before f in P.b: e < f",
            "P.b_len <= 1",
            "P.b_len == 0",
        ],
    );
    let made = sample.make();
    let reason = rejected(&made, &made.table);
    assert!(reason.contains("forbid at line 2 is broken"), "{reason}");
    // With two entries it does say something.
    let text = "thread P { fifo b; append(b, 1); append(b, 2); }
        forbid P.b_len == 2 && P.b_oldest == P.b_newest;";
    let sample = sc(
        "strict",
        text,
        &[
            "every e before f in P.b: e < f",
            "every e in P.b: e < 2",
            "P.b_len <= 1",
            "P.b_len == 0",
        ],
    );
    let made = sample.make();
    assert_eq!(verdict(&made), Verdict::Accepted, "{}", made.name);
}

/// A fact names a variable that another thread changes.
#[test]
fn facts_about_changed_variables_are_proved_anew() {
    let one = sc(
        "changed",
        "shared Y = 1;
         thread Q { Y = 0; }
         thread P { fifo b; append(b, 1); }",
        &[
            "every e in P.b: e <= Y",
            "Y == 1",
            "P.b_len == 0",
            "every e in P.b: e == 1",
        ],
    );
    let two = sc(
        "changed_order",
        "shared Y = 1;
         thread Q { Y = 0; }
         thread P { fifo b; append(b, 1); append(b, 1); }",
        &[
            "every e before f in P.b: e + f <= 2 * Y",
            "Y == 1",
            "P.b_len == 0",
            "P.b_len == 1",
            "every e in P.b: e == 1",
        ],
    );
    for sample in [one, two] {
        let reason = overclaims(sample, 0);
        let is_foreign = reason.contains("Q, line 2") && reason.contains("may be wrong");
        assert!(is_foreign, "{reason}");
    }
}

/// An entry that is appended to others must satisfy the facts too, and its order to each of them.
#[test]
fn appended_entries_count() {
    let text = "thread P { fifo b; append(b, 2); append(b, 3); append(b, 1); }";
    let predicates = &[
        "every e in P.b: e >= 2",
        "every e before f in P.b: e <= f",
        "P.b_len <= 2",
        "P.b_len <= 1",
        "P.b_len <= 0",
        "every e in P.b: e <= 3",
        "every e in P.b: e <= 2",
    ];
    let reason = overclaims(sc("appended", text, predicates), 0);
    assert!(
        reason.contains("`every e in P.b: e >= 2` may be wrong"),
        "{reason}"
    );
    let reason = overclaims(sc("appended_order", text, predicates), 1);
    assert!(
        reason.contains("`every e before f in P.b: e <= f` may be wrong"),
        "{reason}"
    );
}

/// A `pop` has two cases, and each needs a target.
#[test]
fn both_cases_of_a_pop_are_needed() {
    for sample in &SAMPLES[..3] {
        let made = sample.make();
        for left in [true, false] {
            let mut table = made.table.clone();
            for state in &mut table.states {
                state.steps.retain(|step| step.way.left != [left]);
            }
            assert_ne!(table, made.table);
            let reason = rejected(&made, &table);
            assert!(
                reason.contains("the step is possible") && reason.contains("background block 1"),
                "{reason}"
            );
        }
    }
}

/// Behind the last `pop` the views show nothing: what the newest entry was is not seen any more.
#[test]
fn views_show_nothing_behind_the_last_pop() {
    let text = "thread P { fifo b; append(b, 1); pop(b); }";
    let predicates = &[
        "P.b_newest == 1",
        "P.b_oldest == 1",
        "P.b_len == 0",
        "P.b_len == 1",
    ];
    let made = sc("views", text, predicates).make();
    assert_eq!(verdict(&made), Verdict::Accepted);
    for predicate in [0, 1] {
        let mut table = made.table.clone();
        let ended = table
            .states
            .iter_mut()
            .filter(|state| state.steps.is_empty());
        for literal in ended.flat_map(|state| &mut state.cube) {
            literal.holds |= literal.predicate == predicate;
        }
        let reason = rejected(&made, &table);
        assert!(reason.contains(predicates[predicate]), "{reason}");
    }
}

/// A flush must not write a field that the record inherits: with several writers a check of the wrong reduction would
/// accept what TSO does not keep. The program is violated under TSO.
#[test]
fn inherited_fields_of_contested_variables() {
    let text = "shared X, Y, Z;
thread P { local d; X = 1; Y = 1; d = Z; }
thread Q { local a, b, c, s; Z = 1; fence; a = X; assume(a == 1); X = 2; fence; b = Y; assume(b == 0); c = Y; assume(c == 1); s = X; }
finally !(Q.s == 2 && P.d == 0);";
    let sample = Sample {
        name: "two_writers",
        text,
        model: Model::Tso,
        predicates: &[
            "P.buffer_t0_len == 0",
            "Q.buffer_t1_len == 0",
            "X == 2",
            "P.d == 0",
            "Q.s == 2",
            "P.done_X_t0 == 0",
            "every e in P.buffer_t0: e.no_X == 1",
            "every e in P.buffer_t0: e.X == 1",
        ],
        split: 6,
        runs: 150,
        longest: 9,
    };
    let made = sample.make();
    // Where memory has `X == 2` behind the flush of P's second record, the certificate says that it is 1 again.
    let x_is_2 = 2;
    let mut table = made.table.clone();
    for state in &mut table.states {
        for literal in state
            .cube
            .iter_mut()
            .filter(|literal| literal.predicate == x_is_2)
        {
            literal.holds = false;
        }
    }
    let shown = refutation(&table, &made.predicates, &made.runs);
    assert!(shown.is_some(), "the runs have X == 2");
    rejected(&made, &table);
    // And as it is: the property does not hold.
    let reason = rejected(&made, &made.table);
    assert!(reason.contains("does not hold"), "{reason}");
}

/// Facts are never negated, and the stored obligations are those of the certificate.
#[test]
fn other_claims_are_refused() {
    let made = SAMPLES[0].make();
    let mut table = made.table.clone();
    let last = table.predicates.len() - 1;
    let mut literals = table.states.iter_mut().flat_map(|state| &mut state.cube);
    let fact = literals
        .find(|literal| literal.predicate == last)
        .expect("a fact");
    fact.holds = false;
    let mut certificate = made.certificate.clone();
    certificate.body = Body::Facts(table);
    let error = certify::prepare(&certificate).expect_err("a negated fact");
    assert!(error.to_string().contains("negated"), "{error}");
    let mut stored = certify::prepare(&made.certificate).expect("it can be stored");
    if let StoredBody::Facts(facts) = &mut stored.body {
        facts.obligations = facts.obligations.replacen("(check-sat)", "", 1);
    }
    let report = certify::check(&stored, &Solver::Library).expect("a report");
    let reason = why(&report).expect("a reason");
    assert!(reason.contains("`obligations.smt2` are not"), "{reason}");
}
