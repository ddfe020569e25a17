//! The static rules of the language.

use super::ast::Tree;
use super::source::Diagnostic;
use super::symbols::Symbols;

/// A program that obeys all static rules.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its tree.
    pub tree: Tree,
    /// What its names stand for.
    pub symbols: Symbols,
    /// What the user should know all the same.
    pub warnings: Vec<Diagnostic>,
}

/// Checks the static rules.
pub fn check(tree: Tree) -> Result<Checked, Vec<Diagnostic>> {
    Ok(Checked {
        tree,
        symbols: Symbols::default(),
        warnings: Vec::new(),
    })
}
