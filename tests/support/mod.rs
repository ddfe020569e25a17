//! What several test programs share.
#![allow(dead_code)] // Each test program uses its own part.

pub mod equivalence;
pub mod examples;
pub mod random;
