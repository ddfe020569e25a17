//! herd's x86 litmus tests, decided with the exact explorer.
//!
//! A litmus test is a few short threads and a question about their final states. [`parse`] reads one,
//! [`translate`] makes it a program of the input language, [`decide`] explores that program under a
//! memory model and counts the final states; [`expect`] compares with what is expected. `render::litmus` has
//! herd's words for it; `docs/litmus.md` says what is read and what the words mean.
//!
//! Invariant: a test is decided whole or not at all. What is not modelled is a [`Rejection`] of [`parse`], and
//! an exploration that met a limit is [`Decision::Unknown`].

mod decide;
pub mod expect;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::front::litmus::{Rejection, parse, syntax, translate};
pub use decide::{
    Decision, FinalStates, LOOP_BUFFER, Observation, Witness, decide, explore_config,
};
