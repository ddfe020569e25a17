//! Procedures as lists of instructions.

use std::collections::BTreeMap;

use boolprog_checker::ast::{Expr, Ident, Procedure, Stmt, StmtKind};

/// The number of each statement.
pub(super) type Ids = BTreeMap<*const Stmt, usize>;

/// One instruction; jumps are places in the same procedure.
#[derive(Clone, Debug)]
pub(super) enum Instruction<'a> {
    Do(&'a Stmt),
    Branch(&'a Expr, usize, usize),
    Jump(Vec<usize>),
}

pub(super) struct Code<'a> {
    pub(super) procedure: &'a Procedure,
    /// The instructions with the numbers of their statements.
    pub(super) instructions: Vec<(usize, Instruction<'a>)>,
    pub(super) labels: BTreeMap<&'a str, usize>,
}

impl<'a> Code<'a> {
    pub(super) fn new(procedure: &'a Procedure, ids: &Ids) -> Self {
        let mut code = Self {
            procedure,
            instructions: Vec::new(),
            labels: BTreeMap::new(),
        };
        code.flatten(&procedure.body, ids);
        code.resolve();
        code
    }

    /// Makes a jump of every `goto`, now that all labels are known.
    fn resolve(&mut self) {
        for (_, instruction) in &mut self.instructions {
            if let Instruction::Do(stmt) = instruction
                && let StmtKind::Goto(labels) = &stmt.kind
            {
                let target = |label: &Ident| self.labels[label.name.as_str()];
                *instruction = Instruction::Jump(labels.iter().map(target).collect());
            }
        }
    }

    fn flatten(&mut self, block: &'a [Stmt], ids: &Ids) {
        for stmt in block {
            let id = ids[&std::ptr::from_ref(stmt)];
            for label in &stmt.labels {
                self.labels.insert(&label.name, self.instructions.len());
            }
            match &stmt.kind {
                StmtKind::If {
                    branches,
                    otherwise,
                } => {
                    let mut ends = Vec::new();
                    for branch in branches {
                        let fork = self.instructions.len();
                        self.instructions.push((id, Instruction::Jump(Vec::new())));
                        self.flatten(&branch.body, ids);
                        ends.push(self.instructions.len());
                        self.instructions.push((id, Instruction::Jump(Vec::new())));
                        let after = self.instructions.len();
                        self.instructions[fork].1 =
                            Instruction::Branch(&branch.condition, fork + 1, after);
                    }
                    self.flatten(otherwise.as_deref().unwrap_or_default(), ids);
                    for end in ends {
                        self.instructions[end].1 = Instruction::Jump(vec![self.instructions.len()]);
                    }
                }
                StmtKind::While { condition, body } => {
                    let head = self.instructions.len();
                    self.instructions.push((id, Instruction::Jump(Vec::new())));
                    self.flatten(body, ids);
                    self.instructions.push((id, Instruction::Jump(vec![head])));
                    let after = self.instructions.len();
                    self.instructions[head].1 = Instruction::Branch(condition, head + 1, after);
                }
                _ => self.instructions.push((id, Instruction::Do(stmt))),
            }
        }
    }
}
