//! The input language: syntax tree, parser, checks and printer.

pub mod ast;
pub mod check;
pub mod parse;
pub mod placement;
pub mod print;
pub mod source;
mod spans;
mod suggest;
pub mod symbols;

pub use check::{Checked, check};
pub use parse::{is_name, parse};
pub use print::print;
use source::{Diagnostic, SourceFile};

/// Reads and checks a program. The errors are the mistakes of its syntax or, if it has none, the
/// static rules that it breaks.
pub fn load(file: &SourceFile) -> Result<Checked, Vec<Diagnostic>> {
    let (tree, mistakes) = parse(file);
    if mistakes.is_empty() {
        check(tree)
    } else {
        Err(mistakes)
    }
}
