//! herd's x86 litmus tests: read, and made a program of the input language.
//!
//! A litmus test is a few short threads and a question about their final states. [`parse`] reads one,
//! [`translate`] makes it a program. What the final states are is decided by `crate::litmus`.

pub(crate) mod names;
mod parse;
mod registers;
pub mod syntax;
mod translate;

pub use parse::parse;
pub(crate) use parse::span;
pub use translate::translate;
