//! The input language: syntax tree, parser, checks and printer.

pub mod ast;
