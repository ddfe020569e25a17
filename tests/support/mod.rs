//! What several test programs share.
#![allow(dead_code)] // Each test program uses its own part.

pub mod examples;
