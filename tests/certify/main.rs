//! Certificates are accepted where they are right, by several solvers, and rejected where they are not.

mod bases;
mod basis;
mod basis_changes;
mod basis_loops;
mod basis_runs;
mod basis_sections;
mod certificates;
mod enumerate;
mod facts;
mod mutation;
mod properties;
mod solvers;
mod states;
#[path = "../support/mod.rs"]
mod support;
mod tacas;

use std::collections::BTreeMap;

use cupola::certificate::{Stored, StoredBody};
use cupola::certify::{self, CertifyError, Rejection, Report, Size, Solver, Verdict};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::reduce::{Flush, ReduceConfig};
use cupola::render::{self, Page};
use cupola::source::SourceFile;

use bases::{Base, base, cases};
use enumerate::Listing;
use mutation::{Part, mutate};
use support::random::{self, Random};
use support::{entries, examples};

/// Checks a certificate with obligations that fit it, as a forger would write them.
fn check(stored: &Stored, solver: &Solver) -> Result<Report, CertifyError> {
    certify::check(&certify::with_obligations(stored)?, solver)
}

/// How many pairs or states a certificate lists.
fn length(stored: &Stored) -> usize {
    match &stored.body {
        StoredBody::Invariant(invariant) => invariant.pairs.len(),
        StoredBody::States(table) => table.states.len(),
        StoredBody::Basis(table) => table.sets.len(),
        StoredBody::Facts(facts) => facts.table.states.len(),
    }
}

/// Why a certificate is not accepted.
fn why(report: &Report) -> Option<String> {
    render::certify::reason(report, &Page::unlimited())
}

#[test]
fn right_certificates_are_accepted() {
    for case in cases() {
        let base = case.base();
        let report = certify::check(&base.stored, &Solver::Library)
            .unwrap_or_else(|error| panic!("{}: {error}", base.name));
        assert_eq!(
            report.verdict,
            Verdict::Accepted,
            "{}: {report:?}",
            base.name
        );
        let Size::Invariant { obligations, .. } = report.facts.size else {
            panic!("{}: not an invariant", base.name);
        };
        assert!(obligations.is_some_and(|count| count > 0));
    }
}

#[test]
fn mutated_certificates_are_rejected_with_a_reason() {
    let bases: Vec<Base> = cases().iter().map(|case| case.base()).collect();
    assert_mutations_are_rejected(&bases);
}

/// The same for certificates that the predicate engine makes: their invariants are as weak as the predicates
/// allow, so that many a change leaves them right.
#[test]
fn mutated_certificates_of_the_predicate_engine_are_rejected_with_a_reason() {
    let found: Vec<Base> = cases().iter().filter_map(|case| case.verified()).collect();
    assert!(found.len() >= 8, "only {} cases are verified", found.len());
    for base in &found {
        let report = certify::check(&base.stored, &Solver::Library);
        let report = report.expect("a certificate");
        assert_eq!(
            report.verdict,
            Verdict::Accepted,
            "{}: {report:?}",
            base.name
        );
    }
    assert_mutations_are_rejected(&found);
}

/// All states are in an invariant of empty cubes, but at the listed locations no property follows from it.
#[test]
fn invariants_that_say_nothing_are_rejected() {
    for case in cases() {
        let mut stored = case.base().stored;
        let invariant = mutation::invariant(&mut stored).expect("an invariant");
        for pair in &mut invariant.pairs {
            pair.cube.clear();
        }
        let pairs = &mut invariant.pairs;
        pairs.dedup_by(|pair, before| pair.at == before.at);
        let report = check(&stored, &Solver::Library).expect("a certificate");
        let rejected = matches!(report.verdict, Verdict::Rejected(_));
        assert!(rejected, "{}: {report:?}", case.base().name);
    }
}

/// 200 mutations that make certificates of one kind wrong, of all their parts.
fn assert_mutations_are_rejected(bases: &[Base]) {
    let parts = Part::of(bases[0].stored.kind());
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
        let part = parts[tries % parts.len()];
        let Some((stored, what)) = mutate(base, part, &mut random) else {
            continue;
        };
        let reason = match check(&stored, &Solver::Library) {
            Ok(report) => {
                let rejected = matches!(report.verdict, Verdict::Rejected(_));
                assert!(rejected, "{}, {part:?}: {what}: {report:?}", base.name);
                why(&report).expect("a rejection has a reason")
            }
            Err(error) => error.to_string(),
        };
        assert!(!reason.is_empty());
        *rejected.entry(format!("{part:?}")).or_default() += 1;
    }
    for part in parts {
        let count = rejected.get(&format!("{part:?}"));
        assert!(count.is_some_and(|&count| count >= 10), "{rejected:?}");
    }
}

/// The certificates of the small examples, each model and placement of their headers: all states are
/// listed, so one is right if and only if the program is safe.
#[test]
fn certificates_of_examples_are_accepted_if_they_are_safe() {
    assert_examples_are_judged(Listing::FreePairs, 1500);
}

/// How certificates of the small examples are judged that list at most so many pairs or states.
fn assert_examples_are_judged(listing: Listing, most: usize) {
    let mut judged = Judged::default();
    for example in examples::all() {
        if !example.name.starts_with("litmus_") {
            continue;
        }
        let source = SourceFile::new(format!("{}.cup", example.name), example.text.clone());
        for expectation in &example.header.expectations {
            let config = ReduceConfig {
                model: expectation.model,
                sizes: entries(2),
                fences: expectation.fences.iter().cloned().collect(),
                flush: Flush::Background,
            };
            let base = base(&example.name, &source, &config, listing);
            let Some(base) = base.filter(|base| length(&base.stored) <= most) else {
                continue;
            };
            assert_eq!(base.reached.broken, !expectation.safe, "{}", example.name);
            judged.add(&base);
        }
    }
    assert!(judged.accepted >= 10 && judged.rejected >= 5, "{judged:?}");
}

/// Random programs: a certificate that lists all states is right if and only if the program is safe.
/// `CUPOLA_RANDOM_PROGRAMS=N` sets how many are tried.
#[test]
fn certificates_of_random_programs_are_accepted_if_they_are_safe() {
    assert_random_programs_are_judged(Listing::AllPairs, 40, 600);
}

/// How certificates of so many random programs are judged that list at most so many pairs or states.
fn assert_random_programs_are_judged(listing: Listing, programs: u64, most: usize) {
    let setting = std::env::var("CUPOLA_RANDOM_PROGRAMS").ok();
    let programs = setting.map_or(programs, |text| text.parse().expect("a number"));
    let mut judged = Judged::default();
    for seed in 0..programs {
        let text = cupola::front::cup::print(&random::program(seed));
        let source = SourceFile::new(format!("random {seed}"), text);
        let checked = cupola::front::cup::load(&source).expect("a program");
        for (model, flush) in [
            (Model::Sc, Flush::Background),
            (Model::Tso, Flush::Background),
            (Model::Pso, Flush::Inline),
        ] {
            let placement = Placement::Declared.in_force(&checked, model);
            let config = ReduceConfig {
                model,
                sizes: entries(1 + seed as usize % 2),
                fences: placement.expect("its own placement"),
                flush,
            };
            let base = base(source.name(), &source, &config, listing);
            if let Some(base) = base.filter(|base| length(&base.stored) <= most) {
                judged.add(&base);
            }
        }
    }
    assert!(judged.accepted >= 10 && judged.rejected >= 10, "{judged:?}");
}

/// How many certificates were accepted and rejected.
#[derive(Debug, Default)]
struct Judged {
    accepted: usize,
    rejected: usize,
}

impl Judged {
    /// Checks a certificate that lists all states, which is right if and only if the program is safe.
    fn add(&mut self, base: &Base) {
        let report = check(&base.stored, &Solver::Library).expect("a certificate");
        let is_rejected = match report.verdict {
            Verdict::Accepted => false,
            Verdict::Rejected(Rejection::Obligation(_) | Rejection::Step(_)) => true,
            Verdict::Rejected(_) | Verdict::Unknown(_) => panic!("{}: {report:?}", base.name),
        };
        let (name, reduced) = (&base.name, &base.stored.reduced);
        assert_eq!(
            is_rejected, base.reached.broken,
            "{name}: {report:?}\n{reduced}"
        );
        match is_rejected {
            true => self.rejected += 1,
            false => self.accepted += 1,
        }
    }
}

/// The reduction of a program is part of what is certified.
#[test]
fn changed_files_are_rejected() {
    for listing in [Listing::FreePairs, Listing::States] {
        let mut stored = cases().remove(1).listing(listing).base().stored;
        stored.reduced.push_str("// a word\n");
        let report = certify::check(&stored, &Solver::Library).expect("a report");
        let reason = why(&report).expect("a reason");
        assert!(
            reason.contains("`reduced.cup` is not the reduction"),
            "{reason}"
        );
    }
    let mut stored = cases().remove(1).base().stored;
    let invariant = mutation::invariant(&mut stored).expect("an invariant");
    invariant.obligations = invariant.obligations.replacen("(check-sat)", "", 1);
    let report = certify::check(&stored, &Solver::Library).expect("a report");
    let reason = why(&report).expect("a reason");
    assert!(reason.contains("`obligations.smt2` are not"), "{reason}");
}

/// A loop in an atomic section cannot be run through as one step.
#[test]
fn loops_in_sections_need_pairs() {
    let case = cases().into_iter().find(|case| case.name == "section_sc");
    let case = case.expect("the case").listing(Listing::FreePairs);
    assert_eq!(case.model, Model::Sc);
    let report = check(&case.base().stored, &Solver::Library).expect("a report");
    let reason = why(&report).expect("a reason");
    assert!(matches!(report.verdict, Verdict::Rejected(_)), "{report:?}");
    assert!(
        reason.contains("a loop in an atomic section is entered that has no pairs")
            && reason.contains("source: line 10"),
        "{reason}"
    );
}
