//! Certificates are accepted where they are right, by several solvers, and rejected where they are not.

mod bases;
mod enumerate;
mod mutation;
mod properties;
mod solvers;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use cupola::certificate::Stored;
use cupola::certify::{self, CertifyError, Rejection, Report, Solver, Verdict};
use cupola::lang::placement::Placement;
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::reduce::{Flush, ReduceConfig};

use bases::{Base, base, cases};
use enumerate::Listing;
use mutation::{Part, mutate};
use support::examples;
use support::random::{self, Random};

/// Checks a certificate with obligations that fit it, as one who forges a certificate would write.
fn check(stored: &Stored, solver: &Solver) -> Result<Report, CertifyError> {
    let obligations = certify::obligations(stored)?;
    certify::check(stored, &obligations, solver)
}

#[test]
fn right_certificates_are_accepted() {
    for case in cases() {
        let base = case.base();
        let report = certify::check(&base.stored, &base.obligations, &Solver::Library)
            .unwrap_or_else(|error| panic!("{}: {error}", base.name));
        assert_eq!(report.verdict, Verdict::Accepted, "{}: {report}", base.name);
        assert!(report.facts.obligations > 0);
    }
}

#[test]
fn mutated_certificates_are_rejected_with_a_reason() {
    let bases: Vec<Base> = cases().iter().map(|case| case.base()).collect();
    assert_mutations_are_rejected(&bases);
}

/// The same for certificates that the pipeline makes: their invariants are as weak as the predicates
/// allow, so that many a change leaves them right.
#[test]
fn mutated_certificates_of_the_pipeline_are_rejected_with_a_reason() {
    let found: Vec<Base> = cases().iter().filter_map(|case| case.verified()).collect();
    assert!(found.len() >= 8, "only {} cases are verified", found.len());
    for base in &found {
        let report = certify::check(&base.stored, &base.obligations, &Solver::Library);
        let report = report.expect("a certificate");
        assert_eq!(report.verdict, Verdict::Accepted, "{}: {report}", base.name);
    }
    assert_mutations_are_rejected(&found);
}

/// All states are in an invariant of empty cubes, but at the listed locations no property follows from it.
#[test]
fn invariants_that_say_nothing_are_rejected() {
    for case in cases() {
        let mut stored = case.base().stored;
        for pair in &mut stored.pairs {
            pair.cube.clear();
        }
        stored.pairs.dedup_by(|pair, before| pair.at == before.at);
        let report = check(&stored, &Solver::Library).expect("a certificate");
        let rejected = matches!(report.verdict, Verdict::Rejected(_));
        assert!(rejected, "{}: {report}", case.base().name);
    }
}

/// 200 mutations that make a certificate wrong, of all its parts.
fn assert_mutations_are_rejected(bases: &[Base]) {
    let mut random = Random::new(1);
    let mut rejected: BTreeMap<String, usize> = BTreeMap::new();
    let mut tries = 0;
    while rejected.values().sum::<usize>() < 200 {
        tries += 1;
        assert!(
            tries < 5000,
            "mutations that make a certificate wrong are rare: {rejected:?}"
        );
        let base = &bases[random.below(bases.len())];
        let part = Part::ALL[tries % Part::ALL.len()];
        let Some((stored, what)) = mutate(base, part, &mut random) else {
            continue;
        };
        let reason = match check(&stored, &Solver::Library) {
            Ok(report) => {
                let rejected = matches!(report.verdict, Verdict::Rejected(_));
                assert!(rejected, "{}, {part:?}: {what}: {report}", base.name);
                report.verdict.reason().expect("a rejection has a reason")
            }
            Err(error) => error.to_string(),
        };
        assert!(!reason.is_empty());
        *rejected.entry(format!("{part:?}")).or_default() += 1;
    }
    for part in Part::ALL {
        let count = rejected.get(&format!("{part:?}"));
        assert!(count.is_some_and(|&count| count >= 10), "{rejected:?}");
    }
}

/// The certificates of the small examples, each model and placement of their headers: all states are
/// listed, so one is right if and only if the program is safe.
#[test]
fn certificates_of_examples_are_accepted_if_they_are_safe() {
    let (mut accepted, mut rejected) = (0, 0);
    for example in examples::all() {
        if !example.name.starts_with("litmus_") {
            continue;
        }
        let source = SourceFile::new(format!("{}.cup", example.name), example.text.clone());
        for expectation in &example.header.expectations {
            let config = ReduceConfig {
                model: expectation.model,
                k: 2,
                fences: expectation.fences.iter().cloned().collect(),
                flush: Flush::Background,
            };
            let base = base(&example.name, &source, &config, Listing::Free);
            let Some(base) = base.filter(|base| base.stored.pairs.len() <= 1500) else {
                continue;
            };
            assert_eq!(base.reached.broken, !expectation.safe, "{}", example.name);
            let report = check(&base.stored, &Solver::Library).expect("a certificate");
            match expectation.safe {
                true => assert_eq!(report.verdict, Verdict::Accepted, "{report}"),
                false => assert!(matches!(report.verdict, Verdict::Rejected(_)), "{report}"),
            }
            *(if expectation.safe {
                &mut accepted
            } else {
                &mut rejected
            }) += 1;
        }
    }
    assert!(
        accepted >= 10 && rejected >= 5,
        "{accepted} accepted, {rejected} rejected"
    );
}

/// Random programs: a certificate that lists all states is right if and only if the program is safe.
/// `CUPOLA_RANDOM_PROGRAMS=N` sets how many are tried.
#[test]
fn certificates_of_random_programs_are_accepted_if_they_are_safe() {
    let setting = std::env::var("CUPOLA_RANDOM_PROGRAMS").ok();
    let count = setting.map_or(40, |text| text.parse().expect("a number"));
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..count {
        let text = cupola::lang::print(&random::program(seed));
        let source = SourceFile::new("random.cup", text);
        let checked = cupola::lang::load(&source).expect("a program");
        for (model, flush) in [
            (Model::Sc, Flush::Background),
            (Model::Tso, Flush::Background),
            (Model::Pso, Flush::Inline),
        ] {
            let placement = Placement::Declared.in_force(&checked, model);
            let config = ReduceConfig {
                model,
                k: 1 + seed as usize % 2,
                fences: placement.expect("its own placement"),
                flush,
            };
            let base = base("random", &source, &config, Listing::All);
            let Some(base) = base.filter(|base| base.stored.pairs.len() <= 600) else {
                continue;
            };
            let report = check(&base.stored, &Solver::Library).expect("a certificate");
            let agrees = match report.verdict {
                Verdict::Accepted => !base.reached.broken,
                Verdict::Rejected(Rejection::Obligation(_)) => base.reached.broken,
                Verdict::Rejected(_) | Verdict::Unknown(_) => false,
            };
            assert!(agrees, "seed {seed}: {report}\n{}", base.stored.reduced);
            *(if base.reached.broken {
                &mut rejected
            } else {
                &mut accepted
            }) += 1;
        }
    }
    assert!(
        accepted >= 10 && rejected >= 10,
        "{accepted} accepted, {rejected} rejected"
    );
}

/// The reduction of a program is part of what is certified.
#[test]
fn changed_files_are_rejected() {
    let base = cases().remove(1).base();
    let mut stored = base.stored.clone();
    stored.reduced.push_str("// a word\n");
    let report = certify::check(&stored, &base.obligations, &Solver::Library).expect("a report");
    let reason = report.verdict.reason().expect("a reason");
    assert!(
        reason.contains("`reduced.cup` is not the reduction"),
        "{reason}"
    );

    let obligations = base.obligations.replacen("(check-sat)", "", 1);
    let report = certify::check(&base.stored, &obligations, &Solver::Library).expect("a report");
    let reason = report.verdict.reason().expect("a reason");
    assert!(reason.contains("`obligations.smt2` are not"), "{reason}");
}

/// A loop in an atomic section cannot be run through as one step.
#[test]
fn loops_in_sections_need_pairs() {
    let case = cases().into_iter().find(|case| case.name == "section_sc");
    let mut case = case.expect("the case");
    assert_eq!(case.model, Model::Sc);
    case.listing = Listing::Free;
    let report = check(&case.base().stored, &Solver::Library).expect("a report");
    let reason = report.verdict.reason().expect("a reason");
    assert!(matches!(report.verdict, Verdict::Rejected(_)), "{report}");
    assert!(
        reason.contains("a loop in an atomic section is entered that has no pairs")
            && reason.contains("source: line 10"),
        "{reason}"
    );
}
