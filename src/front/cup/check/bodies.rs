//! Rules about the statements of threads: at most one shared access each, and what may stand where.

use indexmap::IndexMap;

use super::evaluate::empty_range;
use super::fifos;
use super::names::Names;
use super::operands::{Operands, Site};
use super::suggestions::spare_local;
use crate::front::cup::ast::{
    Block, Cond, Expr, ExprKind, Name, Place, Rhs, Span, Stmt, StmtKind, Thread, Tree,
};
use crate::front::cup::print::{print_place, print_rhs};
use crate::front::cup::symbols::{Scope, ThreadSymbols};
use crate::source::Diagnostic;

/// Checks the statements of all threads.
pub(super) fn check(tree: &Tree, names: &Names, found: &mut Vec<Diagnostic>) {
    for thread in names.threads(tree) {
        found.extend(check_thread(thread, names));
    }
}

fn check_thread(thread: &Thread, names: &Names) -> Vec<Diagnostic> {
    let symbols = &names.symbols;
    let Some(own) = symbols.threads.get(&thread.name.text) else {
        return Vec::new();
    };
    let mut checker = Checker {
        operands: Operands {
            symbols,
            broken: &names.broken,
            thread: Some(&thread.name.text),
            labels: None,
            found: Vec::new(),
            shared_reads: Vec::new(),
        },
        thread: own,
        in_background: true,
    };
    for background in &thread.backgrounds {
        checker.block(&background.body);
    }
    checker.in_background = false;
    checker.block(&thread.body);
    checker.operands.found
}

struct Checker<'a> {
    operands: Operands<'a>,
    thread: &'a ThreadSymbols,
    in_background: bool,
}

impl Checker<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(target, rhs) => self.assign(target, rhs, stmt),
            StmtKind::Append(fifo, values) => self.append(fifo, values),
            StmtKind::Pop(fifo) => _ = fifos::named(self.thread, fifo, &mut self.operands.found),
            StmtKind::Assume(cond) => self.cond(cond, &stmt.kind),
            StmtKind::Assert(cond, _) => self.operands.cond(cond, Site::Assert, true),
            StmtKind::If(arms, otherwise) => {
                for arm in arms {
                    self.cond(&arm.cond, &stmt.kind);
                    self.block(&arm.block);
                }
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::While(cond, block) => {
                self.cond(cond, &stmt.kind);
                self.block(block);
            }
            StmtKind::DoWhile(block, cond) => {
                self.block(block);
                self.cond(cond, &stmt.kind);
            }
            StmtKind::Loop(block) | StmtKind::Atomic(block) => self.block(block),
            StmtKind::Fence
            | StmtKind::OptionalFence(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_) => {}
        }
    }

    /// Checks the condition of a statement.
    fn cond(&mut self, cond: &Cond, stmt: &StmtKind) {
        self.operands.cond(cond, Site::Statement, true);
        self.report_reads(stmt, Rule::Condition);
    }

    /// Checks the values of an entry, which may be read from memory.
    fn append(&mut self, fifo: &Name, values: &[Expr]) {
        if let Some(known) = fifos::named(self.thread, fifo, &mut self.operands.found) {
            let problem = fifos::values(fifo, known, values.len());
            self.operands.found.extend(problem);
        }
        for value in values {
            self.operands.expr(value, Site::Assert);
        }
    }

    fn assign(&mut self, target: &Place, rhs: &Rhs, stmt: &Stmt) {
        let part_of_fifo = fifos::assigned(self.thread, target);
        self.operands.found.extend(part_of_fifo);
        let scope = self.operands.accessed_place(target);
        match rhs {
            Rhs::Any(span) => {
                if scope == Some(Scope::Shared) {
                    self.havoc(target, *span, &stmt.kind);
                }
            }
            Rhs::Choose(low, high) => {
                self.choice(low, high);
                if scope == Some(Scope::Shared) {
                    self.havoc(target, low.span.to(high.span), &stmt.kind);
                }
            }
            Rhs::Expr(expr) => self.value(expr, scope),
            Rhs::Cas(place, first, second) => {
                self.atomic_operation("cas", scope, place, stmt);
                self.operands.expr(first, Site::Statement);
                self.operands.expr(second, Site::Statement);
            }
            Rhs::Swap(place, argument) => {
                self.atomic_operation("swap", scope, place, stmt);
                self.operands.expr(argument, Site::Statement);
            }
            Rhs::FetchAdd(place, argument) => {
                self.atomic_operation("fetch_add", scope, place, stmt);
                self.operands.expr(argument, Site::Statement);
            }
        }
        let rule = match (rhs, scope) {
            (Rhs::Expr(_), Some(Scope::Local) | None) => Rule::Load,
            (Rhs::Expr(_), Some(Scope::Shared)) => Rule::Second(target.span),
            (Rhs::Any(_) | Rhs::Choose(..), _) => Rule::Index,
            (Rhs::Cas(place, ..) | Rhs::Swap(place, _) | Rhs::FetchAdd(place, _), _) => {
                Rule::Second(place.span)
            }
        };
        self.report_reads(&stmt.kind, rule);
    }

    /// Checks the right-hand side of a plain assignment. A shared place alone is a load if it goes
    /// into a local.
    fn value(&mut self, expr: &Expr, target: Option<Scope>) {
        match &expr.kind {
            ExprKind::Place(place)
                if target != Some(Scope::Shared) && self.operands.constant(place).is_none() =>
            {
                self.operands.accessed_place(place);
            }
            ExprKind::Place(_)
            | ExprKind::Num(_)
            | ExprKind::Tid
            | ExprKind::Neg(_)
            | ExprKind::Binary(..) => {
                self.operands.expr(expr, Site::Statement);
            }
        }
    }

    /// Checks the ends of a choice: constants, the greatest not below the least.
    fn choice(&mut self, low: &Expr, high: &Expr) {
        let reads = self.operands.shared_reads.len();
        let folds = [low, high].map(|end| self.operands.expr(end, Site::Statement));
        self.operands.shared_reads.truncate(reads);
        for (end, fold) in [low, high].into_iter().zip(&folds) {
            if fold.is_variable() {
                self.operands.found.push(variable_end(end.span));
            }
        }
        let pairs = folds[0].pairs(&folds[1]);
        if let Some(&(least, greatest)) = pairs.iter().find(|(low, high)| low > high) {
            let (low, high) = ((low.span, least), (high.span, greatest));
            self.operands.found.push(empty_range(low, high));
        }
    }

    /// Complains about a shared target of an arbitrary or chosen value.
    fn havoc(&mut self, target: &Place, any: Span, stmt: &StmtKind) {
        let target = print_place(target);
        let spare = self.spare(stmt, &IndexMap::new());
        let (what, value) = match stmt {
            StmtKind::Assign(_, rhs @ Rhs::Choose(..)) => ("a chosen", print_rhs(rhs)),
            _ => ("an arbitrary", "*".to_owned()),
        };
        let diagnostic = Diagnostic::error(
            format!("only a local can be set to {what} value"),
            any,
            format!("`{target}` is shared"),
        );
        let verb = if value == "*" { "havoc" } else { "set" };
        self.operands.found.push(diagnostic.with_note(format!(
            "{verb} a local first: {}`{1} = {value}; {target} = {1};`",
            spare.declaration, spare.name,
        )));
    }

    /// Checks the places of `cas`, `swap` and `fetch_add`.
    fn atomic_operation(&mut self, name: &str, result: Option<Scope>, place: &Place, stmt: &Stmt) {
        if self.in_background {
            self.operands.found.push(
                Diagnostic::error(
                    format!("a `background` block has no `{name}`"),
                    stmt.span,
                    "not allowed here",
                )
                .with_note("the block runs as one step: plain assignments do the same"),
            );
        }
        if let (Some(Scope::Shared), StmtKind::Assign(target, rhs)) = (result, &stmt.kind) {
            let target_text = print_place(target);
            let spare = self.spare(&stmt.kind, &IndexMap::new());
            let diagnostic = Diagnostic::error(
                format!("the result of `{name}` goes into a local"),
                target.span,
                "this is shared",
            );
            self.operands.found.push(diagnostic.with_note(format!(
                "take a local first: {}`{1} = {2}; {target_text} = {1};`",
                spare.declaration,
                spare.name,
                print_rhs(rhs),
            )));
        }
        if self.operands.accessed_place(place) == Some(Scope::Local) {
            self.operands.found.push(
                Diagnostic::error(
                    format!("`{name}` works on a shared variable"),
                    place.span,
                    "this is a local",
                )
                .with_note("no other thread sees a local: plain assignments do the same"),
            );
        }
    }

    /// Reports the shared places that were read where only locals may be.
    fn report_reads(&mut self, stmt: &StmtKind, rule: Rule) {
        let mut loads: IndexMap<String, String> = IndexMap::new();
        for place in std::mem::take(&mut self.operands.shared_reads) {
            let name = print_place(&place);
            if loads.contains_key(&name) {
                continue;
            }
            let spare = self.spare(stmt, &loads);
            loads.insert(name.clone(), spare.name.clone());
            let label = format!("`{name}` is shared");
            let mut diagnostic = match rule {
                Rule::Condition => Diagnostic::error("conditions use locals", place.span, label),
                Rule::Load => {
                    Diagnostic::error("a load is a statement of its own", place.span, label)
                }
                Rule::Index => Diagnostic::error("an index uses locals", place.span, label),
                Rule::Second(first) => Diagnostic::error(
                    "a statement has at most one shared access",
                    place.span,
                    format!("`{name}` is shared too"),
                )
                .with_secondary(first, "one shared access"),
            }
            .with_note(format!(
                "load `{name}` into a local first: {}`{} = {name};`",
                spare.declaration, spare.name
            ));
            if let StmtKind::While(..) = stmt {
                diagnostic = diagnostic.with_note(format!(
                    "a loop `do {{ {} = {name}; }} while (…);` loads it before each test",
                    spare.name
                ));
            }
            self.operands.found.push(diagnostic);
        }
    }

    /// A local to use before `stmt`, other than those that hold the `loads` before it.
    fn spare(&self, stmt: &StmtKind, loads: &IndexMap<String, String>) -> SpareText {
        let symbols = self.operands.symbols;
        let thread = self.operands.thread;
        let in_use = |name: &str| loads.values().any(|used| used == name);
        let is_taken = |name: &str| {
            symbols.meaning(thread, name).is_some()
                || symbols.threads.contains_key(name)
                || in_use(name)
        };
        let spare = spare_local(self.thread, stmt, in_use, is_taken);
        SpareText {
            declaration: spare.declaration(),
            name: spare.name().to_owned(),
        }
    }
}

fn variable_end(span: Span) -> Diagnostic {
    Diagnostic::error(
        "the ends of a choice are constants",
        span,
        "this depends on variables",
    )
    .with_note("choose from a larger range, and `assume` what the value must satisfy")
}

/// The rule that a shared place breaks by being read.
#[derive(Clone, Copy)]
enum Rule {
    /// Conditions use locals.
    Condition,
    /// A shared place is read alone, into a local.
    Load,
    /// Indices use locals.
    Index,
    /// The statement has a shared access already, here.
    Second(Span),
}

/// A local to load into, as notes name it.
struct SpareText {
    declaration: String,
    name: String,
}
