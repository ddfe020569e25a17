//! The seven algorithms of the paper's tables, with their proofs.
//!
//! They are part of the binary, so that an installed `cupola bench` needs no files. The texts are
//! those of `examples/`.

use crate::verdict::CubeSizes;

/// A program, its proof, and how the paper abstracted it.
#[derive(Debug)]
pub struct Algorithm {
    /// Its name, that of its files.
    pub name: &'static str,
    /// The program.
    pub program: &'static str,
    /// Its proof under SC.
    pub proof: &'static str,
    /// The largest cubes that the paper's algorithm looks for ([`super::baseline`]).
    pub paper_sizes: CubeSizes,
}

macro_rules! algorithm {
    ($name:literal, $updates:literal, $conditions:literal) => {
        Algorithm {
            name: $name,
            program: include_str!(concat!("../../examples/", $name, ".cup")),
            proof: include_str!(concat!("../../examples/", $name, ".proof")),
            paper_sizes: CubeSizes {
                updates: $updates,
                conditions: $conditions,
            },
        }
    };
}

/// The algorithms, in the order of the paper's tables.
pub static ALGORITHMS: [Algorithm; 7] = [
    algorithm!("dekker", 1, 1),
    algorithm!("peterson", 1, 1),
    algorithm!("abp", 1, 2),
    algorithm!("szymanski", 1, 1),
    algorithm!("queue", 4, 4),
    algorithm!("bakery", 4, 4),
    algorithm!("ticket", 4, 4),
];
