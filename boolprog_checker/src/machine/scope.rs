//! Names to frame bits, and syntax to [`Code`].

use rustc_hash::FxHashMap;

use super::code::Code;
use super::{FrameBit, WORD, words};
use crate::syntax::ast::{Expr, Ident, Target};

/// What the names in one inlined copy of a procedure stand for.
#[derive(Clone, Debug)]
pub(crate) struct Scope<'a> {
    variables: FxHashMap<&'a str, FrameBit>,
}

/// Where the locals of a frame begin.
pub(crate) fn first_local(globals: usize) -> FrameBit {
    words(globals) as u32 * WORD
}

impl<'a> Scope<'a> {
    /// The scope of the globals alone.
    pub(crate) fn of_globals(names: impl Iterator<Item = &'a str>) -> Self {
        Self {
            variables: names.zip(0..).collect(),
        }
    }

    /// The same scope with one more variable, which may hide another.
    pub(crate) fn declare(&mut self, name: &'a str, bit: FrameBit) {
        self.variables.insert(name, bit);
    }

    /// The bit of a variable.
    pub(crate) fn bit(&self, name: &Ident) -> FrameBit {
        self.variables[name.name.as_str()]
    }

    /// The bit of the target, if it is not the sink.
    pub(crate) fn target(&self, target: &Target) -> Option<FrameBit> {
        match target {
            Target::Var(name) => Some(self.bit(name)),
            Target::Sink => None,
        }
    }

    /// The expression over frame bits.
    pub(crate) fn code(&self, expr: &Expr) -> Code {
        self.code_with(expr, &FxHashMap::default())
    }

    /// The same where the next values of some variables have bits of their own; the next value of
    /// any other variable is its old value.
    pub(crate) fn code_with(&self, expr: &Expr, next: &FxHashMap<FrameBit, FrameBit>) -> Code {
        let sub = |e: &Expr| Box::new(self.code_with(e, next));
        let list = |parts: &[Expr]| {
            parts
                .iter()
                .map(|part| self.code_with(part, next))
                .collect()
        };
        match expr {
            Expr::Const(value) => Code::Const(*value),
            Expr::Nondet => Code::Nondet,
            Expr::Var(name) => Code::Var(self.bit(name)),
            Expr::Next(name) => {
                let bit = self.bit(name);
                Code::Var(next.get(&bit).copied().unwrap_or(bit))
            }
            Expr::Not(e) => Code::Not(sub(e)),
            Expr::And(parts) => Code::And(list(parts)),
            Expr::Or(parts) => Code::Or(list(parts)),
            Expr::Xor(e, f) | Expr::Ne(e, f) => Code::Xor(sub(e), sub(f)),
            Expr::Eq(e, f) => Code::Not(Box::new(Code::Xor(sub(e), sub(f)))),
            Expr::Implies(e, f) => Code::Or(vec![Code::Not(sub(e)), self.code_with(f, next)]),
            Expr::Ite(c, e, f) => Code::Ite(sub(c), sub(e), sub(f)),
            Expr::Schoose(e, f) => Code::Schoose(sub(e), sub(f)),
        }
    }
}
