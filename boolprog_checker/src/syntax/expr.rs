//! Expressions of boolean programs and short ways to build them.

use super::ast::{Ident, Span};

/// An expression. `*` and `schoose` are nondeterministic: each occurrence chooses on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `T` or `F`
    Const(bool),
    /// `*`: either value.
    Nondet,
    /// A variable's value.
    Var(Ident),
    /// `'x`: the value of `x` after the step; only in `constrain`.
    Next(Ident),
    /// `!e`
    Not(Box<Expr>),
    /// `e & f & …`; true when empty.
    And(Vec<Expr>),
    /// `e | f | …`; false when empty.
    Or(Vec<Expr>),
    /// `e ^ f`
    Xor(Box<Expr>, Box<Expr>),
    /// `e = f`
    Eq(Box<Expr>, Box<Expr>),
    /// `e != f`
    Ne(Box<Expr>, Box<Expr>),
    /// `e -> f`
    Implies(Box<Expr>, Box<Expr>),
    /// `e ? f : g`
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `schoose [pos, neg]`: true if `pos` holds, false if only `neg` holds, else either value
    /// (`choose` in section 4.1 of Dan et al., SAS 2013).
    Schoose(Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The variable `name`.
    pub fn var(name: impl Into<Ident>) -> Self {
        Self::Var(name.into())
    }

    /// The next value of the variable `name`.
    pub fn next(name: impl Into<Ident>) -> Self {
        Self::Next(name.into())
    }

    /// The variable `name` if `positive`, else its negation.
    pub fn literal(name: impl Into<Ident>, positive: bool) -> Self {
        let var = Self::var(name);
        if positive { var } else { var.negated() }
    }

    /// The conjunction of literals, each a variable and its sign.
    pub fn cube<N: Into<Ident>>(literals: impl IntoIterator<Item = (N, bool)>) -> Self {
        Self::all(
            literals
                .into_iter()
                .map(|(name, positive)| Self::literal(name, positive)),
        )
    }

    /// The conjunction; a single conjunct stands alone, none is `T`.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts: Vec<_> = parts.into_iter().collect();
        Self::flat(parts, true, Self::And)
    }

    /// The disjunction; a single disjunct stands alone, none is `F`.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts: Vec<_> = parts.into_iter().collect();
        Self::flat(parts, false, Self::Or)
    }

    fn flat(mut parts: Vec<Self>, empty: bool, join: fn(Vec<Self>) -> Self) -> Self {
        match parts.len() {
            0 => Self::Const(empty),
            1 => parts.remove(0),
            _ => join(parts),
        }
    }

    /// The negation, with `!` in front.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// `schoose [positive, negative]`
    pub fn schoose(positive: Self, negative: Self) -> Self {
        Self::Schoose(Box::new(positive), Box::new(negative))
    }

    /// The disjuncts of the expression: those of an `Or`, else the expression itself.
    pub fn disjuncts(&self) -> &[Self] {
        match self {
            Self::Or(parts) => parts,
            Self::Const(_)
            | Self::Nondet
            | Self::Var(_)
            | Self::Next(_)
            | Self::Not(_)
            | Self::And(_)
            | Self::Xor(..)
            | Self::Eq(..)
            | Self::Ne(..)
            | Self::Implies(..)
            | Self::Ite(..)
            | Self::Schoose(..) => std::slice::from_ref(self),
        }
    }

    /// Where the first name of the expression stands, if it was parsed.
    pub(crate) fn first_span(&self) -> Option<Span> {
        if let Self::Var(name) | Self::Next(name) = self {
            return name.span;
        }
        let mut first = None;
        self.for_each_part(|part| first = first.or_else(|| part.first_span()));
        first
    }

    /// Shows the expressions directly inside this one, from left to right.
    pub(crate) fn for_each_part<'a>(&'a self, mut visit: impl FnMut(&'a Self)) {
        match self {
            Self::Const(_) | Self::Nondet | Self::Var(_) | Self::Next(_) => {}
            Self::Not(e) => visit(e),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(visit),
            Self::Xor(e, f)
            | Self::Eq(e, f)
            | Self::Ne(e, f)
            | Self::Implies(e, f)
            | Self::Schoose(e, f) => {
                visit(e);
                visit(f);
            }
            Self::Ite(e, f, g) => {
                visit(e);
                visit(f);
                visit(g);
            }
        }
    }
}
