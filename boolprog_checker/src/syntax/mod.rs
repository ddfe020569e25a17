//! The text side of boolean programs: syntax tree, parser, checks and printer.
//!
//! The dialect is the one that SLAM, SatAbs, Boppo and Boom share; `docs/boolean-programs.md` is its
//! reference. Later stages read the tree through [`ast`] and never see text.

pub mod ast;
pub(crate) mod checks;
mod chunks;
pub(crate) mod expr;
mod expr_parser;
pub(crate) mod parser;
pub(crate) mod printer;
mod scan;
