//! What several test programs share.
#![allow(dead_code, unused_imports)] // Each test program uses its own part.

pub mod compared;
pub mod equivalence;
pub mod examples;
pub mod memorax;
pub mod proofs;
pub mod random;
pub mod rounds;
pub mod steps;
pub mod walk;

use cupola::memory::BufferSizes;

/// The same number of entries for all buffers.
pub fn entries(k: usize) -> BufferSizes {
    BufferSizes::uniform(k).expect("a buffer may have so many entries")
}
