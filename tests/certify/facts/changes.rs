//! Changes to certificates that break an obligation, shown by a concrete step, are rejected.

use std::collections::BTreeMap;

use cupola::certificate::{FactsTable, Literal, read_predicates};
use cupola::certify::{self, Solver, Verdict};
use cupola::program::LocId;
use indexmap::IndexSet;

use super::SAMPLES;
use super::runs::refutation;
use super::sample::Made;
use crate::support::random::Random;

/// How many changes are tried for each sample, and how many wrong ones there must be in all.
const TRIES: usize = 150;
const WRONG: usize = 200;

#[test]
fn changes_that_break_an_obligation_are_rejected() {
    let mut wrong: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in SAMPLES {
        let made = sample.make();
        let mut random = Random::new(11);
        let mut tried = IndexSet::new();
        for _ in 0..TRIES {
            let mut table = made.table.clone();
            let what = change(&mut table, &mut random);
            if tried.insert(table.print()) && is_refuted(&made, &table) {
                *wrong.entry(what).or_default() += 1;
                assert!(
                    !is_accepted(&made, &table),
                    "{}: {what}\n{}",
                    made.name,
                    table.print()
                );
            }
        }
    }
    let all: usize = wrong.values().sum();
    assert!(all >= WRONG, "{all} wrong certificates: {wrong:?}");
    assert_eq!(wrong.len(), KINDS, "{wrong:?}");
}

/// Whether a run shows that the states are not what they should be.
fn is_refuted(made: &Made, table: &FactsTable) -> bool {
    let program = &made.reduction.program;
    let predicates = read_predicates(&made.reduction.checked, program, &table.predicates);
    predicates.is_ok_and(|predicates| refutation(table, &predicates, &made.runs).is_some())
}

/// What makes no sense is not accepted either.
fn is_accepted(made: &Made, table: &FactsTable) -> bool {
    let mut certificate = made.certificate.clone();
    certificate.body = cupola::certificate::Body::Facts(table.clone());
    let report =
        certify::prepare(&certificate).and_then(|stored| certify::check(&stored, &Solver::Library));
    match report.map(|report| report.verdict) {
        Ok(Verdict::Accepted) => true,
        Ok(Verdict::Rejected(_)) | Err(_) => false,
        Ok(Verdict::Unknown(unknown)) => panic!("Z3 answers: {unknown:?}"),
    }
}

/// The number of kinds of changes.
const KINDS: usize = 8;

fn change(table: &mut FactsTable, random: &mut Random) -> &'static str {
    let predicates = table.predicates.len();
    let count = table.states.len();
    let index = random.below(count);
    match random.below(KINDS) {
        0 => {
            let text = &table.predicates[random.below(predicates)].clone();
            let found = EDITS
                .iter()
                .flat_map(|&(old, new)| text.match_indices(old).map(move |(at, _)| (at, old, new)));
            let found: Vec<_> = found.collect();
            if !found.is_empty() {
                let (at, old, new) = random.pick(&found);
                let edited = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
                let place = table.predicates.iter().position(|other| other == text);
                table.predicates[place.expect("it is there")] = edited;
            }
            "predicate edited"
        }
        1 => {
            let state = &mut table.states[index];
            if !state.steps.is_empty() {
                state.steps.remove(random.below(state.steps.len()));
            }
            "step dropped"
        }
        2 => {
            let state = &mut table.states[index];
            if !state.steps.is_empty() {
                let place = random.below(state.steps.len());
                let targets = &mut state.steps[place].to;
                targets.remove(random.below(targets.len()));
            }
            "target dropped"
        }
        3 => {
            let other = random.below(count);
            let state = &mut table.states[index];
            if !state.steps.is_empty() {
                let place = random.below(state.steps.len());
                state.steps[place].to = vec![other];
            }
            "target changed"
        }
        4 => {
            let cube = &mut table.states[index].cube;
            if !cube.is_empty() {
                let place = random.below(cube.len());
                cube[place].holds ^= true;
            }
            "literal negated"
        }
        5 => {
            let cube = &mut table.states[index].cube;
            let named = |other: &usize| cube.iter().any(|one| one.predicate == *other);
            let others: Vec<usize> = (0..predicates).filter(|other| !named(other)).collect();
            if !others.is_empty() {
                let predicate = random.pick(&others);
                cube.push(Literal {
                    predicate,
                    holds: random.one_in(2) || table.predicates[predicate].starts_with("every"),
                });
            }
            "literal added"
        }
        6 => {
            let state = &mut table.states[index];
            let cases: Vec<usize> = (0..state.steps.len())
                .filter(|&step| !state.steps[step].way.left.is_empty())
                .collect();
            if !cases.is_empty() {
                state.steps.remove(random.pick(&cases));
            }
            "case of a pop dropped"
        }
        _ => {
            let state = &mut table.states[index];
            let thread = random.below(state.at.len());
            state.at[thread] = LocId::new(random.below(4));
            "state moved"
        }
    }
}

const EDITS: [(&str, &str); 10] = [
    (" == ", " != "),
    (" == ", " < "),
    (" <= ", " < "),
    (" <= ", " == "),
    (" < ", " >= "),
    (" 0", " 1"),
    (" 1", " 0"),
    ("e <= f", "f <= e"),
    ("e before f", "f before e"),
    ("e.flag", "e.data + 1"),
];
