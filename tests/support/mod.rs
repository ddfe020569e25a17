//! What several test programs share.
#![allow(dead_code, unused_imports)] // Each test program uses its own part.

pub mod equivalence;
pub mod examples;
pub mod proofs;
pub mod random;
pub mod walk;
