//! A checked boolean program, ready for any number of searches.

use std::fmt::{self, Display, Formatter};

use crate::error::Errors;
use crate::machine::Machine;
use crate::machine::lower::lower;
use crate::syntax::ast::{Stmt, StmtId, Tree};
use crate::syntax::checks;

/// A boolean program whose names, labels and calls have been checked.
///
/// Made from text by [`crate::parse`] or from a tree by [`Program::new`]. It displays as text that
/// parses back to the same program.
#[derive(Clone, Debug)]
pub struct Program {
    tree: Tree,
    machine: Machine,
}

impl Program {
    /// Checks a tree: every name is declared, every label exists, calls fit and do not recurse.
    pub fn new(tree: Tree) -> Result<Self, Errors> {
        checks::check(&tree)?;
        let machine = lower(&tree)?;
        Ok(Self { tree, machine })
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The statement with this number.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        self.tree.statements()[id.index()]
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.tree == other.tree
    }
}

impl Eq for Program {}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.tree.fmt(f)
    }
}
