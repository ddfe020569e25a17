//! The predicate engine on random programs, held against the explorer, the interpreter and `certify`.
//!
//! Each program is verified under TSO and PSO with predicates that are found for it, without the
//! search for a violation that `cupola verify` begins with: half of them in the usual way, the
//! others in all other ways in turn, without refinement. What is verified must not be violated
//! according to the explorer, and its certificate must be accepted; what is violated must be so
//! according to the interpreter; and of what the explorer has seen to be safe the usual way verifies nearly all.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs are tried, `CUPOLA_RANDOM_SEED=S` the first seed:
//! a run that was stopped goes on with the seed that it told last. `make fuzz` is a long run. A failure is
//! shrunk and printed as a program; the failures of the past are in `tests/programs/pipeline/`.

#![allow(clippy::print_stderr, reason = "a long run tells how far it is")]

mod judge;
mod tally;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cupola::front::cup::ast::Tree;
use cupola::memory::Model;
use cupola::verdict::VerdictKind;
use itertools::Itertools;

use crate::support::random::{program, shrink, with_property};
use judge::{Judged, Way, judge};
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
        judge::explored(&judge::text(tree), Model::Sc) == Some(VerdictKind::Verified)
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
    // Of few programs a single one is more than a percent.
    let least = if end - first < 1000 { 95 } else { 99 };
    for model in RELAXED {
        tally.confirmed(model).assert_percent(80);
        let (safe, verified) = tally.share(model);
        assert!(
            100 * verified >= least * safe,
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

/// Programs with choices, ranges, constants, quotients and remainders, and whether they are safe: a rule that took
/// a range for a value, or rounded towards zero, would get one of each pair wrong.
const DIVIDED: [(&str, bool); 16] = [
    (
        "shared x; thread P { local r; r = choose(1, 3); x = r; } invariant 0 <= x && x <= 3;",
        true,
    ),
    (
        "shared x; thread P { local r; r = choose(1, 3); x = r; } invariant x != 2;",
        false,
    ),
    (
        "shared x = 0..3; thread P { local r; r = x; assert(0 <= r && r <= 3); }",
        true,
    ),
    (
        "shared x = 0..3; thread P { local r; r = x; assert(r != 3); } invariant x == x / 1;",
        false,
    ),
    (
        "shared x = 0..3, y; thread P { local r; r = x; if (r == 0) { y = 1; } }
         invariant y == 0;",
        false,
    ),
    (
        "shared x; thread P { local r; r = *; r = r % 4; x = r; } invariant 0 <= x && x < 4;",
        true,
    ),
    (
        "shared x; thread P { local r; r = *; r = r % 4; x = r; } invariant x != 3;",
        false,
    ),
    (
        "thread P { local r = -7..-1; r = r / 2; assert(r <= -1); }",
        true,
    ),
    (
        "thread P { local r = -7..-1; r = r / 2; assert(r >= -3); }",
        false,
    ),
    (
        "shared x; thread P { local r = -7..-1; r = r % 3; x = r; } invariant x >= 0;",
        true,
    ),
    (
        "shared x; thread P { local r = -7..-1; r = r % 3; x = r; } invariant x != 2;",
        false,
    ),
    (
        "const N = 3; shared x; thread P { local r; loop { r = (r + 1) % N; x = r; fence; } }
         thread Q { local s; s = x; assert(0 <= s && s < N); }",
        true,
    ),
    (
        "shared x; thread P { local r; loop { r = choose(0, 1); x = r; fence; } }
         thread Q { local s; s = x; assert(0 <= s && s <= 1); }",
        true,
    ),
    (
        "shared x; thread P { local r; loop { r = choose(0, 1); x = r; fence; } }
         thread Q { local s; s = x; assert(s != 1); }",
        false,
    ),
    (
        "const N = 2; shared x; thread P[N] { local a[N], i; i = choose(0, N - 1);
             a[i] = choose(N, N + tid); i = a[i]; x = i; }
         invariant x <= N + 1;",
        true,
    ),
    (
        "shared x, y; thread P { local r; atomic { r = choose(4, 5); x = r; r = r / 2; y = r; } }
         thread Q { local s; s = y; assert(s == 0 || s == 2); }",
        true,
    ),
];

#[test]
fn choices_and_divisions_are_judged_right() {
    for (text, safe) in DIVIDED {
        let expected = if safe {
            VerdictKind::Verified
        } else {
            VerdictKind::Violated
        };
        for (model, way) in RELAXED.into_iter().cartesian_product(Way::ALL) {
            let judged = judge(text, model, way);
            let judged = judged.unwrap_or_else(|error| panic!("{model}, {way:?}: {error}\n{text}"));
            let decided = judged.verdict != VerdictKind::Unknown;
            assert!(
                judged.verdict == expected || !decided && !way.is_usual(),
                "{model}, {way:?}: {:?}\n{text}",
                judged.verdict
            );
        }
    }
}

/// How the program of a seed is verified; `CUPOLA_RANDOM_WAY=usual` has them all verified in the usual way.
fn way(seed: u64) -> Way {
    let usual = std::env::var("CUPOLA_RANDOM_WAY").is_ok_and(|way| way == "usual");
    match usual || seed.is_multiple_of(2) {
        true => Way::ALL[0],
        false => Way::ALL[1 + (seed as usize / 2) % (Way::ALL.len() - 1)],
    }
}

/// Judges the program of a seed; a failure is shrunk.
fn run(seed: u64, model: Model) -> Result<Judged, String> {
    let tree = subject(seed);
    let way = way(seed);
    judge(&judge::text(&tree), model, way).map_err(|failure| {
        let same = |tree: &Tree| {
            let valid = cupola::front::cup::check(tree.clone()).is_ok();
            let judged = judge(&judge::text(tree), model, way);
            valid && judged.is_err_and(|other| other.same_kind(&failure))
        };
        let smallest = judge::text(&shrink(tree, same));
        format!("seed {seed}, {model}, {way:?}: {failure}\n{smallest}")
    })
}
