//! Speed of the search, transitions a second, and its growth with variables and threads; speed of
//! the parser.
//!
//! `cargo bench -p boolprog_checker`; the column of items is transitions a second.

#[path = "workload/large.rs"]
mod large;
mod workload;

use boolprog_checker::{check, parse};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

/// States of each search.
const STATES: usize = 200_000;

fn main() {
    divan::main();
}

fn search(bencher: Bencher<'_, '_>, variables: usize, threads: usize) {
    let program = workload::program(variables, threads);
    let options = workload::options(STATES);
    let transitions = check(&program, &options).stats.transitions;
    bencher
        .counter(ItemsCount::new(transitions))
        .bench(|| check(&program, &options));
}

#[divan::bench(args = [10, 20, 40, 80, 160], sample_count = 5)]
fn variables(bencher: Bencher<'_, '_>, variables: usize) {
    search(bencher, variables, 2);
}

#[divan::bench(args = [1, 2, 3, 4, 6], sample_count = 5)]
fn threads(bencher: Bencher<'_, '_>, threads: usize) {
    search(bencher, 40, threads);
}

#[divan::bench(sample_count = 5)]
fn five_megabytes_of_text(bencher: Bencher<'_, '_>) {
    let text = large::text(5 << 20);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| parse(&text));
}
