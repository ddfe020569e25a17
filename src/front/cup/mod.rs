//! The input language: syntax tree, parser, checks and printer.

pub mod ast;
pub mod check;
pub(crate) mod overflow;
pub mod parse;
pub mod placement;
pub mod print;
pub mod range;
mod spans;
pub(crate) mod suggest;
pub mod symbols;

use crate::source::{Diagnostic, SourceFile};
pub use check::{Checked, check};
pub use parse::{is_name, parse};
pub use print::print;

/// Reads and checks a program. The errors are the mistakes of its syntax or, if it has none, the
/// static rules that it breaks. A printed reduced program has its overflow checks marked.
pub fn load(file: &SourceFile) -> Result<Checked, Vec<Diagnostic>> {
    let (tree, mistakes) = parse(file);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut checked = check(tree)?;
    overflow::mark_checks(&mut checked);
    Ok(checked)
}
