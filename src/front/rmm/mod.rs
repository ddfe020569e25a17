//! Programs of Memorax (`.rmm`): read, and made a program of the input language.
//!
//! [`parse`] reads a file, [`translate`] makes it a program that does the same under SC, TSO and PSO;
//! [`write()`] makes a program of Memorax of one of the input language, and [`print()`] its text.
//! `docs/rmm.md` says what the format means and why the translations are exact.

mod domain;
mod names;
mod parse;
mod print;
pub mod syntax;
mod translate;
mod write;

pub use parse::parse;
pub use print::print;
pub use translate::translate;
pub use write::write;
