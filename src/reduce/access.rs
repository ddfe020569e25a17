//! What a statement does with shared memory.

use crate::front::cup::ast::{Expr, ExprKind, Place, Rhs, Stmt, StmtKind};
use crate::front::cup::symbols::{Meaning, Scope, Symbols, element_name};

/// What a statement does with shared memory.
pub(super) enum Access<'a> {
    /// `r = X;`
    Load(&'a Place, Target<'a>),
    /// `X = e;`
    Store(Target<'a>, &'a Expr),
    /// `r = cas(X, …);`, `r = swap(X, …);` or `r = fetch_add(X, …);`
    Update(&'a Place, &'a Rhs, Target<'a>),
    /// `fence;`
    Fence,
}

/// The shared scalar that a statement accesses.
pub(super) enum Target<'a> {
    /// This one.
    Scalar(String),
    /// The one that the index picks among these.
    Choice(Vec<String>, &'a Expr),
}

/// The names of a thread's text.
#[derive(Clone, Copy)]
pub(super) struct Scopes<'a> {
    symbols: &'a Symbols,
    thread: &'a str,
}

impl<'a> Scopes<'a> {
    /// The names in the text of the source's `thread`.
    pub(super) fn new(symbols: &'a Symbols, thread: &'a str) -> Self {
        Scopes { symbols, thread }
    }

    /// What the statement does with shared memory, if anything that a memory model is about. An
    /// `assert` that names shared variables means main memory under every model.
    pub(super) fn access<'s>(&self, stmt: &'s Stmt) -> Option<Access<'s>> {
        match &stmt.kind {
            StmtKind::Fence => Some(Access::Fence),
            StmtKind::Assign(place, rhs) => self.assignment(place, rhs),
            StmtKind::OptionalFence(_)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(..)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::DoWhile(..)
            | StmtKind::Loop(_)
            | StmtKind::Atomic(_) => None,
        }
    }

    fn assignment<'s>(&self, place: &'s Place, rhs: &'s Rhs) -> Option<Access<'s>> {
        match rhs {
            Rhs::Expr(value) => match (self.target(place), &value.kind) {
                (Some(target), _) => Some(Access::Store(target, value)),
                (None, ExprKind::Place(from)) => {
                    self.target(from).map(|from| Access::Load(place, from))
                }
                (None, _) => None,
            },
            Rhs::Cas(on, ..) | Rhs::Swap(on, _) | Rhs::FetchAdd(on, _) => {
                self.target(on).map(|on| Access::Update(place, rhs, on))
            }
            Rhs::Any(_) | Rhs::Choose(..) => None,
        }
    }

    /// The shared scalar that a place means, if it is shared.
    fn target<'s>(&self, place: &'s Place) -> Option<Target<'s>> {
        match self.meaning(place)? {
            Meaning::Scalar(Scope::Shared, name) => Some(Target::Scalar(name.to_owned())),
            Meaning::Element(Scope::Shared, array, index) => {
                Some(Target::Scalar(element_name(array, index)))
            }
            Meaning::Array(Scope::Shared, array, size) => {
                let index = place.index.as_deref()?;
                Some(match self.symbols.value(index) {
                    Some(number) => Target::Scalar(format!("{array}_{number}")),
                    None => {
                        Target::Choice((0..size).map(|i| element_name(array, i)).collect(), index)
                    }
                })
            }
            Meaning::Constant(_)
            | Meaning::Scalar(Scope::Local, _)
            | Meaning::Array(Scope::Local, ..)
            | Meaning::Element(Scope::Local, ..) => None,
        }
    }

    /// The sizes and indices of the arrays that a place, or an expression, picks by variables. An
    /// index within an index is not listed: evaluating the outer one checks it.
    pub(super) fn choices_of_place<'s>(&self, place: &'s Place) -> Vec<(usize, &'s Expr)> {
        match (place.index.as_deref(), self.meaning(place)) {
            (Some(index), Some(Meaning::Array(_, _, size)))
                if self.symbols.value(index).is_none() =>
            {
                vec![(size, index)]
            }
            _ => Vec::new(),
        }
    }

    /// See [`Scopes::choices_of_place`].
    pub(super) fn choices_of_expr<'s>(&self, expr: &'s Expr) -> Vec<(usize, &'s Expr)> {
        match &expr.kind {
            ExprKind::Num(_) | ExprKind::Tid => Vec::new(),
            ExprKind::Place(place) => self.choices_of_place(place),
            ExprKind::Neg(operand) => self.choices_of_expr(operand),
            ExprKind::Binary(_, left, right) => {
                let mut choices = self.choices_of_expr(left);
                choices.extend(self.choices_of_expr(right));
                choices
            }
        }
    }

    fn meaning(&self, place: &Place) -> Option<Meaning<'a>> {
        self.symbols.meaning(Some(self.thread), &place.name.text)
    }
}

impl Target<'_> {
    /// The scalars that may be accessed.
    pub(super) fn scalars(&self) -> &[String] {
        match self {
            Target::Scalar(name) => std::slice::from_ref(name),
            Target::Choice(names, _) => names,
        }
    }
}
