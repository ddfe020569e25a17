//! Checks what the grammar cannot: names, labels, counts and recursion.
//!
//! All errors of a program are collected. What passes here can be lowered; only the shape of atomic
//! sections and the size after inlining are checked there.

use itertools::Itertools;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Decl, Expr, Ident, Procedure, Stmt, StmtKind, Target, ThreadStart, Tree};
use super::parser::MAX_NESTING;
use crate::error::{ErrorKind, Errors, NameKind, ProgramError};

/// Reports everything that is wrong with the names of a tree.
pub(crate) fn check(tree: &Tree) -> Result<(), Errors> {
    let procedures: FxHashMap<_, _> = tree
        .procedures
        .iter()
        .map(|procedure| (procedure.name.name.as_str(), procedure))
        .collect();
    let mut checker = Checker {
        tree,
        procedures,
        errors: Vec::new(),
    };
    checker.unique(
        tree.globals.iter().map(|decl| &decl.name),
        NameKind::Variable,
    );
    checker.unique(
        tree.procedures.iter().map(|procedure| &procedure.name),
        NameKind::Procedure,
    );
    if !checker.procedures.contains_key("main") {
        checker
            .errors
            .push(ProgramError::new(ErrorKind::NoMain, None));
    }
    for procedure in &tree.procedures {
        checker.procedure(procedure);
    }
    checker.recursion();
    Errors::check(checker.errors)
}

struct Checker<'a> {
    tree: &'a Tree,
    procedures: FxHashMap<&'a str, &'a Procedure>,
    errors: Vec<ProgramError>,
}

/// The names that the statements of one procedure can use.
struct Scope<'a> {
    procedure: &'a Procedure,
    variables: FxHashSet<&'a str>,
    labels: FxHashSet<&'a str>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, ident: &Ident, kind: impl FnOnce(String) -> ErrorKind) {
        self.errors
            .push(ProgramError::new(kind(ident.name.clone()), ident.span));
    }

    fn unique(&mut self, names: impl Iterator<Item = &'a Ident>, kind: NameKind) {
        let mut seen = FxHashSet::default();
        for name in names {
            if !seen.insert(name.name.as_str()) {
                self.report(name, |name| ErrorKind::Duplicate(kind, name));
            }
        }
    }

    fn procedure(&mut self, procedure: &'a Procedure) {
        let own = || {
            procedure
                .parameters
                .iter()
                .chain(&procedure.locals)
                .map(|decl| &decl.name)
        };
        self.unique(own(), NameKind::Variable);
        let globals = self.tree.globals.iter().map(|decl: &Decl| &decl.name);
        let variables = globals
            .chain(own())
            .map(|name| name.name.as_str())
            .collect();
        let mut labels = Vec::new();
        collect_labels(&procedure.body, &mut labels);
        self.unique(labels.iter().copied(), NameKind::Label);
        let labels = labels
            .into_iter()
            .map(|label| label.name.as_str())
            .collect();
        let scope = Scope {
            procedure,
            variables,
            labels,
        };
        if let Some(enforce) = &procedure.enforce {
            self.expr(&scope, enforce, false);
        }
        self.block(&scope, &procedure.body);
    }

    fn block(&mut self, scope: &Scope<'a>, block: &'a [Stmt]) {
        for stmt in block {
            self.stmt(scope, stmt);
            for inner in stmt.blocks() {
                self.block(scope, inner);
            }
        }
    }

    fn stmt(&mut self, scope: &Scope<'a>, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Skip | StmtKind::AtomicBegin | StmtKind::AtomicEnd | StmtKind::EndThread => {}
            StmtKind::Assign {
                targets,
                values,
                constrain,
            } => {
                self.targets(scope, targets);
                self.count(stmt, "value", values.len(), targets.len());
                self.exprs(scope, values);
                constrain
                    .iter()
                    .for_each(|condition| self.expr(scope, condition, true));
            }
            StmtKind::Call {
                targets,
                procedure,
                arguments,
            } => {
                self.targets(scope, targets);
                self.exprs(scope, arguments);
                self.call(stmt, targets, procedure, arguments.len());
            }
            StmtKind::Assume(condition)
            | StmtKind::Assert(condition)
            | StmtKind::While { condition, .. } => {
                self.expr(scope, condition, false);
            }
            StmtKind::If { branches, .. } => {
                branches
                    .iter()
                    .for_each(|branch| self.expr(scope, &branch.condition, false));
            }
            StmtKind::Goto(labels) => labels.iter().for_each(|label| self.label(scope, label)),
            StmtKind::Print(values) => self.exprs(scope, values),
            StmtKind::Return(values) => {
                self.exprs(scope, values);
                self.count(
                    stmt,
                    "value",
                    values.len(),
                    scope.procedure.results as usize,
                );
            }
            StmtKind::Dead(names) => names.iter().for_each(|name| self.variable(scope, name)),
            StmtKind::StartThread(ThreadStart::Goto(label)) => self.label(scope, label),
            StmtKind::StartThread(ThreadStart::Procedure(name)) => {
                if !self.procedures.contains_key(name.name.as_str()) {
                    self.report(name, |name| ErrorKind::Unknown(NameKind::Procedure, name));
                }
            }
        }
    }

    fn count(&mut self, stmt: &Stmt, what: &'static str, given: usize, wanted: usize) {
        if given != wanted {
            let kind = ErrorKind::Count {
                what,
                given,
                wanted,
            };
            self.errors.push(ProgramError::new(kind, stmt.origin.span));
        }
    }

    fn call(&mut self, stmt: &Stmt, targets: &[Target], name: &Ident, arguments: usize) {
        let Some(callee) = self.procedures.get(name.name.as_str()).copied() else {
            return self.report(name, |name| ErrorKind::Unknown(NameKind::Procedure, name));
        };
        self.count(stmt, "argument", arguments, callee.parameters.len());
        if stmt.is_async() && !targets.is_empty() {
            self.errors
                .push(ProgramError::new(ErrorKind::AsyncResults, stmt.origin.span));
        } else if !targets.is_empty() {
            self.count(stmt, "target", targets.len(), callee.results as usize);
        }
    }

    fn targets(&mut self, scope: &Scope<'a>, targets: &'a [Target]) {
        let mut seen = FxHashSet::default();
        for target in targets {
            let Target::Var(name) = target else { continue };
            self.variable(scope, name);
            if !seen.insert(name.name.as_str()) {
                self.report(name, ErrorKind::AssignedTwice);
            }
        }
    }

    fn exprs(&mut self, scope: &Scope<'a>, exprs: &'a [Expr]) {
        exprs.iter().for_each(|expr| self.expr(scope, expr, false));
    }

    fn expr(&mut self, scope: &Scope<'a>, expr: &'a Expr, next_allowed: bool) {
        if is_deeper(expr, MAX_NESTING) {
            return self
                .errors
                .push(ProgramError::new(ErrorKind::TooDeep(MAX_NESTING), None));
        }
        self.names(scope, expr, next_allowed);
    }

    fn names(&mut self, scope: &Scope<'a>, expr: &'a Expr, next_allowed: bool) {
        match expr {
            Expr::Var(name) => self.variable(scope, name),
            Expr::Next(name) if next_allowed => self.variable(scope, name),
            Expr::Next(name) => self.report(name, ErrorKind::NextValue),
            Expr::Const(_)
            | Expr::Nondet
            | Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Xor(..)
            | Expr::Eq(..)
            | Expr::Ne(..)
            | Expr::Implies(..)
            | Expr::Ite(..)
            | Expr::Schoose(..) => {}
        }
        expr.for_each_part(|part| self.names(scope, part, next_allowed));
    }

    fn variable(&mut self, scope: &Scope<'a>, name: &Ident) {
        if !scope.variables.contains(name.name.as_str()) {
            self.report(name, |name| ErrorKind::Unknown(NameKind::Variable, name));
        }
    }

    fn label(&mut self, scope: &Scope<'a>, label: &Ident) {
        if !scope.labels.contains(label.name.as_str()) {
            self.report(label, |name| ErrorKind::Unknown(NameKind::Label, name));
        }
    }

    /// Follows calls from every procedure; threads that are started do not count as calls.
    fn recursion(&mut self) {
        let mut done = FxHashSet::default();
        for procedure in &self.tree.procedures {
            self.follow(procedure, &mut Vec::new(), &mut done);
        }
    }

    fn follow(
        &mut self,
        procedure: &'a Procedure,
        path: &mut Vec<&'a str>,
        done: &mut FxHashSet<&'a str>,
    ) {
        let name = procedure.name.name.as_str();
        if done.contains(name) {
            return;
        }
        if path.len() == MAX_NESTING {
            self.report(&procedure.name, |_| ErrorKind::TooDeep(MAX_NESTING));
        } else {
            path.push(name);
            let mut calls = Vec::new();
            collect_calls(&procedure.body, &mut calls);
            calls
                .into_iter()
                .for_each(|call| self.follow_call(call, path, done));
            path.pop();
        }
        done.insert(name);
    }

    fn follow_call(
        &mut self,
        call: &'a Ident,
        path: &mut Vec<&'a str>,
        done: &mut FxHashSet<&'a str>,
    ) {
        let name = call.name.as_str();
        if let Some(start) = path.iter().position(|outer| *outer == name) {
            let circle = path[start..].iter().copied().chain([name]).join(" calls ");
            self.report(call, |_| ErrorKind::Recursion(circle));
        } else if let Some(callee) = self.procedures.get(name).copied() {
            self.follow(callee, path, done);
        }
    }
}

/// Whether an expression is nested more than `levels` deep.
fn is_deeper(expr: &Expr, levels: usize) -> bool {
    let mut deeper = levels == 0;
    if !deeper {
        expr.for_each_part(|part| deeper = deeper || is_deeper(part, levels - 1));
    }
    deeper
}

fn collect_labels<'a>(block: &'a [Stmt], labels: &mut Vec<&'a Ident>) {
    for stmt in block {
        labels.extend(&stmt.labels);
        stmt.blocks()
            .into_iter()
            .for_each(|inner| collect_labels(inner, labels));
    }
}

fn collect_calls<'a>(block: &'a [Stmt], calls: &mut Vec<&'a Ident>) {
    for stmt in block {
        if let StmtKind::Call { procedure, .. } = &stmt.kind
            && !stmt.is_async()
        {
            calls.push(procedure);
        }
        stmt.blocks()
            .into_iter()
            .for_each(|inner| collect_calls(inner, calls));
    }
}
