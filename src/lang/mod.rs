//! The input language: syntax tree, parser, checks and printer.

pub mod ast;
pub mod check;
pub mod placement;
pub mod source;
pub mod symbols;
