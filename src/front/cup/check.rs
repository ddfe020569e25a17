//! The static rules of the language, as `docs/language.md` lists them.
//!
//! Input: a [`Tree`], parsed or made by a reduction. Output: [`Checked`], the tree with its symbol
//! table and warnings, or a diagnostic for every rule that is broken. Called by
//! [`crate::front::cup::load`] and on trees that are made by other stages.
//!
//! `evaluate` computes the constants, `names` collects what is declared, `bodies` walks the statements of threads, `operands` checks
//! expressions and conditions wherever they stand, `specs` resolves the names of properties and
//! placements. A rule that is broken once is reported once: what follows from it is not.
//!
//! Invariant: later stages rely on every rule and check none of them again.

mod bodies;
mod constants;
mod control;
mod evaluate;
mod fifos;
mod names;
mod operands;
mod specs;
mod suggestions;

#[cfg(test)]
mod tests;

use super::ast::Tree;
use super::symbols::Symbols;
use crate::source::{Diagnostic, Severity, sort_and_limit};

/// The largest size of an array and the largest number of copies of a thread.
pub const MAX_SIZE: usize = 1024;
/// How many scalar variables a program may have, array elements and copies counted.
pub const MAX_SCALARS: usize = 65_536;
/// How many statements a program may have, copies counted.
pub const MAX_STATEMENTS: usize = 1 << 22;
/// How many broken rules are reported.
const MAX_REPORTED: usize = 100;

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
    let mut found = Vec::new();
    let mut names = names::collect(&tree, &mut found);
    let labels = control::check(&tree, &mut names, &mut found);
    bodies::check(&tree, &names, &mut found);
    specs::check(&tree, &names, &labels, &mut found);
    let broken = found.iter().any(|found| found.severity == Severity::Error);
    // Warnings wait until the errors are gone.
    found.retain(|found| !broken || found.severity == Severity::Error);
    sort_and_limit(&mut found, MAX_REPORTED);
    if broken {
        return Err(found);
    }
    Ok(Checked {
        tree,
        symbols: names.symbols,
        warnings: found,
    })
}
