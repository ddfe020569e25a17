//! Programs in the style of the peers' generated files: no blocks but `if … then goto … fi`, a label on every
//! statement, keywords among them, labels that are repeated, `dfs`, `print` and `dead;`, and no semicolon behind the
//! last statement of a procedure.

use std::fmt::Write;

use boolprog_checker::ast::{Expr, Procedure, Stmt, StmtKind, Tree};

/// Words that are labels here.
const KEYWORDS: [&str; 14] = [
    "end", "fi", "od", "else", "elsif", "begin", "if", "while", "goto", "decl", "skip", "print",
    "sync", "abortif",
];

/// The text of a program.
pub fn text(tree: &Tree) -> String {
    let mut out = String::new();
    for global in &tree.globals {
        let _ = writeln!(out, "decl {};", global.name.name);
    }
    for procedure in &tree.procedures {
        Writer {
            out: &mut out,
            labels: 0,
        }
        .procedure(procedure);
    }
    out
}

struct Writer<'a> {
    out: &'a mut String,
    /// How many labels have been made.
    labels: usize,
}

impl Writer<'_> {
    fn procedure(&mut self, procedure: &Procedure) {
        let names = |decls: &[boolprog_checker::ast::Decl]| -> Vec<String> {
            decls.iter().map(|decl| decl.name.name.clone()).collect()
        };
        let result = match procedure.results {
            0 => "void".to_owned(),
            results => format!("bool<{results}>"),
        };
        let parameters = names(&procedure.parameters).join(", ");
        let _ = writeln!(
            self.out,
            "dfs {result} {}({parameters}) begin",
            procedure.name.name
        );
        for local in names(&procedure.locals) {
            let _ = writeln!(self.out, "  decl {local};");
        }
        if let Some(enforce) = &procedure.enforce {
            let _ = writeln!(self.out, "  enforce {enforce};");
        }
        self.block(&procedure.body);
        if self.out.ends_with(";\n") {
            self.out.truncate(self.out.len() - 2);
        }
        self.out.push_str(" end\n");
    }

    fn fresh(&mut self) -> String {
        self.labels += 1;
        match KEYWORDS.get(self.labels - 1) {
            Some(keyword) => (*keyword).to_owned(),
            None => format!("PC{}", self.labels),
        }
    }

    fn line(&mut self, label: Option<&str>, stmt: &str) {
        let label = label.map_or_else(|| self.fresh(), str::to_owned);
        let _ = writeln!(self.out, "  {label}: {stmt};");
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        for label in &stmt.labels {
            let _ = write!(self.out, "  {0}: {0}:", label.name);
        }
        match &stmt.kind {
            StmtKind::If {
                branches,
                otherwise,
            } => {
                let end = self.fresh();
                for branch in branches {
                    let next = self.fresh();
                    self.unless(&branch.condition, &next, None);
                    self.block(&branch.body);
                    self.line(None, &format!("goto {end}"));
                    self.line(Some(&next), "dead");
                }
                self.block(otherwise.as_deref().unwrap_or_default());
                self.line(Some(&end), "skip");
            }
            StmtKind::While { condition, body } => {
                let (head, end) = (self.fresh(), self.fresh());
                self.unless(condition, &end, Some(&head));
                self.block(body);
                self.line(None, &format!("goto {head}"));
                self.line(Some(&end), "print()");
            }
            _ => self.line(None, &stmt.to_string()),
        }
    }

    fn unless(&mut self, condition: &Expr, target: &str, label: Option<&str>) {
        self.line(label, &format!("if !({condition}) then goto {target} fi"));
    }
}
