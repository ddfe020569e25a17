//! On random programs the search finds what exploring every placement finds.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs are tried, `CUPOLA_RANDOM_SEED=S` the first seed;
//! `make random` is a long run.

use std::collections::BTreeSet;

use cupola::explore::{ExploreConfig, Verdict, explore};
use cupola::fences::{
    AutoProver, Candidates, ExploreProver, FenceSet, Minimality, Outcome, PipelineProver,
    PlaceKind, Proved, Prover,
};
use cupola::lang;
use cupola::model::Model;
use cupola::pipeline::{Bound, MethodChoice, PipelineConfig, VerifyConfig};
use cupola::program::lower;
use cupola::proof::{self, Proof};
use indexmap::IndexSet;
use itertools::Itertools;

use super::support::random::program;
use super::{Problem, RELAXED};

/// The programs of a short run.
const SHORT_RUN: u64 = 150;

/// The most places of a program.
const PLACES: usize = 8;

fn limits() -> ExploreConfig {
    ExploreConfig {
        buffer: 4,
        max_states: 20_000,
        ..ExploreConfig::default()
    }
}

fn setting(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok();
    value.map(|text| text.parse().expect(name))
}

/// What exploring every placement says.
struct BruteForce {
    minimal: BTreeSet<FenceSet>,
    decided: bool,
}

fn verdict(candidates: &Candidates, model: Model, fences: &FenceSet) -> Verdict {
    let names: IndexSet<String> = fences
        .places()
        .map(|place| candidates.name(place).to_owned())
        .collect();
    let program = lower(&candidates.checked, &names);
    let seen = explore(&program, model, &limits());
    seen.expect("a random program has no background blocks")
        .verdict
}

fn brute_force(problem: &Problem) -> BruteForce {
    let mut found = BruteForce {
        minimal: BTreeSet::new(),
        decided: true,
    };
    // The power set comes by size, so that a placement is met after all that are below it.
    for fences in problem.candidates.ids().powerset() {
        let fences: FenceSet = fences.into_iter().collect();
        if found.minimal.iter().any(|known| known.is_subset(&fences)) {
            continue;
        }
        match verdict(&problem.candidates, problem.model, &fences) {
            Verdict::Safe => drop(found.minimal.insert(fences)),
            Verdict::Unknown => found.decided = false,
            Verdict::Violated => {}
        }
    }
    found
}

/// The program of a seed with as many places as there may be.
fn problem(seed: u64, model: Model) -> Option<Problem> {
    let text = lang::print(&program(seed));
    let kinds = [
        PlaceKind::All,
        PlaceKind::Stores,
        PlaceKind::Loads,
        PlaceKind::Optional,
    ];
    let problems = kinds
        .iter()
        .filter_map(|&kind| Problem::new(&text, Some(kind), model).ok());
    let fits = |problem: &Problem| (1..=PLACES).contains(&problem.candidates.places.len());
    problems.into_iter().find(fits)
}

fn auto_prover<'a>(problem: &'a Problem, proof: &'a Proof) -> AutoProver<'a> {
    let config = VerifyConfig {
        models: Vec::new(),
        bound: Bound::Auto(2),
        method: MethodChoice::Auto,
        refute_states: 0,
        pipeline: PipelineConfig::default(),
    };
    let (file, candidates, model) = (&problem.file, &problem.candidates, problem.model);
    let pipeline = PipelineProver::new(file, candidates, proof, model, config);
    AutoProver::new(explorer(problem), pipeline)
}

fn explorer(problem: &Problem) -> ExploreProver<'_> {
    let explorer = ExploreProver::new(&problem.candidates, problem.model, limits(), None);
    explorer.expect("a random program has no background blocks")
}

/// How many placements there were and how many were tried.
#[derive(Default)]
struct Counts {
    programs: usize,
    in_need: usize,
    placements: usize,
    tried: usize,
}

fn compare(seed: u64, problem: &Problem, counts: &mut Counts) {
    let (proof, _) = proof::harvest(&lower(&problem.candidates.checked, &IndexSet::new()));
    let none = FenceSet::default();
    let broken = verdict(&problem.candidates, Model::Sc, &none) == Verdict::Violated;
    let expected = brute_force(problem);
    // The pipeline may prove what exploration leaves open.
    let mut prover: Box<dyn Prover + '_> = match expected.decided {
        true => Box::new(auto_prover(problem, &proof)),
        false => Box::new(explorer(problem)),
    };
    let answer = problem.search_with(prover.as_mut());
    let context = || {
        format!(
            "seed {seed} under {}\n{}",
            problem.model,
            problem.file.text()
        )
    };
    let is_broken = matches!(answer.outcome, Outcome::BrokenUnderSc(_));
    assert_eq!(is_broken, broken, "{}", context());
    let found = answer.proved.iter().map(|proved| proved.fences.clone());
    let found: BTreeSet<FenceSet> = found.collect();
    assert_eq!(found, expected.minimal, "{}", context());
    let exact = |proved: &Proved| proved.minimality == Minimality::Exact;
    assert!(
        !expected.decided || answer.proved.iter().all(exact),
        "{}",
        context()
    );
    let placements = 1 << problem.candidates.places.len();
    assert!(answer.tried.len() <= placements, "{}", context());
    counts.programs += 1;
    counts.in_need += usize::from(found.first().is_some_and(|least| !least.is_empty()));
    counts.placements += placements;
    counts.tried += answer.tried.len();
}

#[test]
fn the_search_finds_what_exploring_every_placement_finds() {
    let first = setting("CUPOLA_RANDOM_SEED").unwrap_or(0);
    let programs = setting("CUPOLA_RANDOM_PROGRAMS").unwrap_or(SHORT_RUN);
    let mut counts = Counts::default();
    for seed in first..first + programs {
        for model in RELAXED {
            if let Some(problem) = problem(seed, model) {
                compare(seed, &problem, &mut counts);
            }
        }
    }
    assert!(counts.programs > 0 && counts.in_need > 0);
    assert!(
        counts.tried * 4 < counts.placements,
        "{} of {} placements were tried",
        counts.tried,
        counts.placements
    );
}
