//! Collects the table of statements: what stands in the source for a step, a condition or a spec.

use crate::front::cup::ast::{Cond, Item, Spec, Stmt, StmtKind};
use crate::front::cup::print::{print_cond, print_spec, print_stmt_head};
use crate::program::{Statement, StmtId};
use crate::source::Span;

/// The statements so far.
#[derive(Default)]
pub(super) struct Statements(Vec<Statement>);

impl Statements {
    /// Adds a simple statement, or one with an empty block.
    pub(super) fn add(&mut self, stmt: &Stmt) -> StmtId {
        let is_optional = matches!(stmt.kind, StmtKind::OptionalFence(_));
        let text = match &stmt.kind {
            // A place that the search for fences put in between two statements has a name of its own.
            StmtKind::OptionalFence(_) if stmt.span.start == stmt.span.end => "fence?".to_owned(),
            StmtKind::Loop(_) | StmtKind::Atomic(_) => {
                format!("{} {{ }}", print_stmt_head(&stmt.kind))
            }
            kind => print_stmt_head(kind),
        };
        let span = Span {
            start: stmt.start,
            end: stmt.span.end,
        };
        self.push(span, text, is_optional)
    }

    /// Adds the condition of an `if`, `while` or `do`.
    pub(super) fn add_cond(&mut self, cond: &Cond) -> StmtId {
        self.push(cond.span, print_cond(cond), false)
    }

    /// Adds an empty `background` block.
    pub(super) fn add_background(&mut self, span: Span) -> StmtId {
        self.push(span, "background { }".to_owned(), false)
    }

    /// Adds a spec.
    pub(super) fn add_spec(&mut self, spec: &Spec, item: &Item) -> StmtId {
        self.push(item.span, print_spec(spec), false)
    }

    /// The table.
    pub(super) fn into_table(self) -> Vec<Statement> {
        self.0
    }

    fn push(&mut self, span: Span, text: String, is_optional_fence: bool) -> StmtId {
        self.0.push(Statement {
            span,
            text,
            is_optional_fence,
        });
        StmtId::new(self.0.len() - 1)
    }
}
