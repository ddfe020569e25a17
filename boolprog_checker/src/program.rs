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
    /// For each statement, how to come to it from its procedure.
    paths: Vec<StmtPath>,
}

/// The place of a statement: its procedure, then for each level the place in the block and, but for
/// the last, the number of the block inside that statement.
#[derive(Clone, Debug)]
struct StmtPath {
    procedure: u32,
    steps: Vec<(u32, u32)>,
    place: u32,
}

impl Program {
    /// Checks a tree: every name is declared, every label exists, calls fit and do not recurse.
    pub fn new(tree: Tree) -> Result<Self, Errors> {
        checks::check(&tree)?;
        let machine = lower(&tree, &[])?;
        let paths = paths(&tree);
        Ok(Self {
            tree,
            machine,
            paths,
        })
    }

    /// The same program, asked in addition whether a run comes to a statement with one of these labels: whether a
    /// thread can stand before it and may move.
    pub fn with_error_labels(self, labels: &[String]) -> Result<Self, Errors> {
        let machine = lower(&self.tree, labels)?;
        Ok(Self { machine, ..self })
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
        let path = &self.paths[id.index()];
        let mut block = self.tree.procedures[path.procedure as usize]
            .body
            .as_slice();
        for (place, number) in &path.steps {
            block = block[*place as usize].blocks()[*number as usize];
        }
        &block[path.place as usize]
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

fn paths(tree: &Tree) -> Vec<StmtPath> {
    let mut paths = Vec::new();
    for (procedure, number) in tree.procedures.iter().zip(0..) {
        collect_paths(&procedure.body, number, &mut Vec::new(), &mut paths);
    }
    paths
}

fn collect_paths(
    block: &[Stmt],
    procedure: u32,
    steps: &mut Vec<(u32, u32)>,
    paths: &mut Vec<StmtPath>,
) {
    for (stmt, place) in block.iter().zip(0..) {
        paths.push(StmtPath {
            procedure,
            steps: steps.clone(),
            place,
        });
        for (inner, number) in stmt.blocks().into_iter().zip(0..) {
            steps.push((place, number));
            collect_paths(inner, procedure, steps, paths);
            steps.pop();
        }
    }
}
