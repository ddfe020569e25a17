//! herd's x86 litmus tests: read, and made a program of the input language.
//!
//! A litmus test is a few short threads and a question about their final states. [`parse`] reads one,
//! [`translate`] makes it a program. What the final states are is decided by `crate::litmus`.

mod bits;
mod code;
mod condition;
mod flags;
mod flow;
mod instruction;
pub(crate) mod names;
mod parse;
mod registers;
mod report;
mod resolve;
mod sizes;
pub mod syntax;
mod translate;

pub use condition::Condition as JumpCondition;
pub use instruction::{Address, Binary, Instruction, Operand, Operation, Part, Unary, Width};
pub use parse::parse;
pub(crate) use parse::span;
pub use report::Rejection;
pub use translate::translate;
