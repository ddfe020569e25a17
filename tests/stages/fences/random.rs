//! On random programs the search finds what exploring every placement finds.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs are tried, `CUPOLA_RANDOM_SEED=S` the first seed;
//! `make random` is a long run.

use std::collections::BTreeSet;

use cupola::engine::explore::{Explore, ExploreConfig, explore};
use cupola::engine::portfolio::{Config, Portfolio};
use cupola::engine::predicate::{Bound, PastBounds, PredicateConfig};
use cupola::engine::{Context, Engine, Limits};
use cupola::fences::{Candidates, End, FenceSet, Minimality, PlaceKind, Proved};
use cupola::front::cup;
use cupola::front::cup::ast::Tree;
use cupola::memory::Model;
use cupola::program::{Program, lower};
use cupola::proof;
use cupola::verdict::VerdictKind;
use indexmap::IndexSet;
use itertools::Itertools;

use super::{Problem, RELAXED, load};
use crate::support::compared::Compared;
use crate::support::random::program;

/// The programs of a short run.
const SHORT_RUN: u64 = 150;

/// The most places of a program.
const PLACES: usize = 8;

/// The programs among which one that needs a fence is looked for.
const CHOICES: u64 = 40;

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

fn verdict(candidates: &Candidates, model: Model, fences: &FenceSet) -> VerdictKind {
    let names: IndexSet<String> = fences
        .places()
        .map(|place| candidates.name(place).to_owned())
        .collect();
    explored(&lower(&candidates.checked, &names), model)
}

fn explored(program: &Program, model: Model) -> VerdictKind {
    let seen = explore(program, model, &limits(), &Context::default());
    seen.expect("a random program has no background blocks")
        .kind()
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
            VerdictKind::Verified => drop(found.minimal.insert(fences)),
            VerdictKind::Unknown => found.decided = false,
            VerdictKind::Violated => {}
        }
    }
    found
}

/// The program of a seed. Few random programs need a fence, so that every second one is chosen from many.
fn subject(seed: u64, model: Model) -> Tree {
    let many = (0..CHOICES * (seed % 2)).map(|number| program(seed + (number << 32)));
    let chosen = many.into_iter().find(|tree| needs_a_fence(tree, model));
    chosen.unwrap_or_else(|| program(seed))
}

/// Whether a program without optional fences is safe under SC and violated under the model.
fn needs_a_fence(tree: &Tree, model: Model) -> bool {
    let (_, checked) = load(&cup::print(tree));
    let unfenced = lower(&checked, &IndexSet::new());
    explored(&unfenced, Model::Sc) == VerdictKind::Verified
        && explored(&unfenced, model) == VerdictKind::Violated
}

/// The program of a seed with as many places as there may be.
fn problem(seed: u64, model: Model) -> Option<Problem> {
    let text = cup::print(&subject(seed, model));
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

/// All engines, with short proofs.
fn all_engines() -> Portfolio {
    let config = Config {
        explore: limits(),
        predicate: PredicateConfig {
            bound: Bound::Auto(2),
            past_bounds: PastBounds::Skip,
            ..PredicateConfig::default()
        },
        ..Config::default()
    };
    let limits = Limits {
        explore_states: config.explore.max_states,
        ..Limits::default()
    };
    Portfolio::of(&config, &limits)
}

/// How many placements there were and how many were tried.
#[derive(Default)]
struct Counts {
    /// Programs with places where every placement is decided.
    decided: Compared,
    /// Programs that need a fence.
    in_need: Compared,
    placements: usize,
    tried: usize,
}

fn compare(seed: u64, problem: &Problem, counts: &mut Counts) {
    let (proof, _) = proof::harvest(&lower(&problem.candidates.checked, &IndexSet::new()));
    let none = FenceSet::default();
    let broken = verdict(&problem.candidates, Model::Sc, &none) == VerdictKind::Violated;
    let expected = brute_force(problem);
    // A proof may decide what exploration leaves open.
    let mut engine: Box<dyn Engine> = match expected.decided {
        true => Box::new(all_engines()),
        false => Box::new(Explore::new(limits())),
    };
    let answer = problem.search_with(engine.as_mut(), Some(&proof));
    let context = || {
        format!(
            "seed {seed} under {}\n{}",
            problem.model,
            problem.file.text()
        )
    };
    let is_broken = matches!(answer.end, End::BrokenUnderSc(_));
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
    counts.decided.count(expected.decided);
    let needs = found.first().is_some_and(|least| !least.is_empty());
    counts.in_need.count(needs);
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
            match problem(seed, model) {
                Some(problem) => compare(seed, &problem, &mut counts),
                None => counts.decided.count(false),
            }
        }
    }
    counts.decided.assert_percent(60);
    counts.in_need.assert_percent(8);
    assert!(
        counts.tried * 4 < counts.placements,
        "{} of {} placements were tried",
        counts.tried,
        counts.placements
    );
}
