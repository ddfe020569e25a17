//! The language as a whole: what is printed reads back, comments survive, mistakes are explained, and
//! no text makes the tool fall over.

use proptest::test_runner::{Config, RngSeed};

mod broken;
mod comments;
mod highlight;
mod mutations;
mod robustness;
mod round_trip;
mod samples;
mod trees;

/// This many random cases, the same in every run unless `PROPTEST_RNG_SEED` says where to begin.
fn cases(cases: u32) -> Config {
    let given = Config::default();
    Config {
        cases,
        failure_persistence: None,
        rng_seed: match given.rng_seed {
            RngSeed::Random => RngSeed::Fixed(1),
            fixed => fixed,
        },
        ..given
    }
}
