//! herd's x86 litmus tests, decided with the exact explorer.
//!
//! A litmus test is a few short threads and a question about their final states. [`parse`] reads one,
//! [`translate`] makes it a program of the input language, [`decide`] explores that program under a
//! memory model and counts the final states, and [`report`] says it in herd's words. `cupola litmus` is
//! the caller; `docs/litmus.md` says what is read and what the words mean.
//!
//! Invariant: a test is decided whole or not at all. What is not modelled is an error of [`parse`], and
//! an exploration that met a limit is [`Decision::Unknown`].

mod decide;
pub mod expect;
mod names;
mod parse;
mod registers;
pub mod report;
pub mod syntax;
#[cfg(test)]
mod tests;
mod translate;

pub use decide::{Decision, FinalStates, Limits, Observation, decide};
pub use parse::parse;
pub use translate::translate;
