//! Random programs of the input language, and their shrinking.
//!
//! A program is made from a seed alone. The generator leans towards shapes in which the memory
//! models differ (stores followed by loads of other variables) and uses every kind of statement and
//! spec; loops change variables to constants only, so that state spaces stay finite.

mod build;
mod generate;
mod marked;
mod property;
mod shape;
mod shrink;
mod specs;

pub use generate::{Flavour, program, program_of};
pub use property::with_property;
pub use shrink::shrink;

/// A small deterministic source of random numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    /// The numbers that belong to a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// An element of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
