//! The whole pipeline on random programs, held against the explorer, the interpreter and `certify`.
//!
//! Each program is verified under TSO and PSO with predicates that are harvested from it, without the
//! search for a violation that `cupola verify` begins with: half of them by predicate extrapolation, the
//! others in all other ways in turn. What is verified must not be violated
//! according to the explorer, and its certificate must be accepted; what is violated must be so
//! according to the interpreter; and of what the explorer has seen to be safe at least half is verified.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs are tried, `CUPOLA_RANDOM_SEED=S` the first seed:
//! a run that was stopped goes on with the seed that it told last. `make fuzz` is a long run. A failure is
//! shrunk and printed as a program; the failures of the past are in `tests/programs/pipeline/`.

#![allow(clippy::print_stderr, reason = "a long run tells how far it is")]

mod judge;
#[path = "../support/mod.rs"]
mod support;
mod tally;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cupola::lang::ast::Tree;
use cupola::model::Model;
use itertools::Itertools;

use judge::{Judged, Way, judge};
use support::random::{program, shrink, with_property};
use tally::Tally;

/// Programs where nothing else is asked for.
const SHORT_RUN: u64 = 60;

/// Programs after which new threads go on: a thread has one context of Z3, which gets slower with all
/// that it was asked.
const BATCH: usize = 200;

const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().expect("a number"))
}

/// The program of a seed: a random one with a property that holds under SC, if one is found easily.
fn subject(seed: u64) -> Tree {
    with_property(&program(seed), seed, |tree| {
        judge::explored(&judge::text(tree), Model::Sc) == Some(cupola::explore::Verdict::Safe)
    })
}

#[test]
fn verdicts_on_random_programs_are_right() {
    let first = setting("CUPOLA_RANDOM_SEED").unwrap_or(0);
    let end = first + setting("CUPOLA_RANDOM_PROGRAMS").unwrap_or(SHORT_RUN);
    let tally = Mutex::new(Tally::new(first));
    for start in (first..end).step_by(BATCH) {
        let batch = start..end.min(start + BATCH as u64);
        run_batch(batch, &tally);
    }
    let tally = tally.into_inner().expect("no one panics");
    eprintln!("{tally}");
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
    for model in RELAXED {
        let (safe, verified) = tally.share(model);
        assert!(
            2 * verified >= safe,
            "{model}: {verified} of {safe} verified"
        );
    }
}

/// Judges the programs of some seeds, on all cores.
fn run_batch(seeds: Range<u64>, tally: &Mutex<Tally>) {
    let next = AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            let results = RELAXED.map(|model| (model, run(seed, model)));
            tally.lock().expect("no one panics").add(seed, results);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
}

#[test]
fn failures_of_the_past_stay_mended() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/pipeline");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    for entry in entries {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        for (model, way) in RELAXED.into_iter().cartesian_product(Way::ALL) {
            if let Err(failure) = judge(&text, model, way) {
                panic!("{}, {model}, {way:?}: {failure}", path.display());
            }
        }
    }
}

/// How the program of a seed is verified.
fn way(seed: u64) -> Way {
    match seed % 2 {
        0 => Way::ALL[0],
        _ => Way::ALL[1 + (seed as usize / 2) % (Way::ALL.len() - 1)],
    }
}

/// Judges the program of a seed; a failure is shrunk.
fn run(seed: u64, model: Model) -> Result<Judged, String> {
    let tree = subject(seed);
    let way = way(seed);
    judge(&judge::text(&tree), model, way).map_err(|failure| {
        let same = |tree: &Tree| {
            let valid = cupola::lang::check(tree.clone()).is_ok();
            let judged = judge(&judge::text(tree), model, way);
            valid && judged.is_err_and(|other| other.same_kind(&failure))
        };
        let smallest = judge::text(&shrink(tree, same));
        format!("seed {seed}, {model}, {way:?}: {failure}\n{smallest}")
    })
}
