//! Expressions, conditions and places of a thread, with constants for what is constant.

use indexmap::IndexMap;

use crate::front::build::{name_at, number_expr, place, place_expr};
use crate::front::cup::ast::{ArithOp, Cond, CondKind, Expr, ExprKind, Place};
use crate::front::cup::symbols::{Meaning, Scope, Symbols, element_name};
use crate::source::{Diagnostic, Span};

use super::super::syntax::{Memory, MemoryKind};

/// The largest factor that is written as a sum.
const MAX_FACTOR: i64 = 16;

/// What the names of one thread stand for.
#[derive(Clone, Copy)]
pub(super) struct Values<'c> {
    pub symbols: &'c Symbols,
    pub thread: &'c str,
    /// The number of the copy.
    pub copy: Option<usize>,
    /// The memory location of each shared scalar.
    pub shared: &'c IndexMap<String, String>,
}

/// What a place is.
pub(super) enum Target {
    /// A register, `$` and all.
    Register(String),
    /// A memory location.
    Memory(Memory),
    /// The memory location that an index picks.
    Picked(Vec<Memory>, Expr),
}

impl Values<'_> {
    /// The value of an expression that is constant in this thread.
    pub(super) fn constant(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Tid => i64::try_from(self.copy?).ok(),
            ExprKind::Neg(inner) => self.constant(inner)?.checked_neg(),
            ExprKind::Binary(op, left, right) => {
                op.checked(self.constant(left)?, self.constant(right)?)
            }
            ExprKind::Num(_) | ExprKind::Place(_) => self.symbols.value(expr),
        }
    }

    /// What a place stands for.
    pub(super) fn target(&self, place: &Place) -> Result<Target, Diagnostic> {
        let meaning = self.symbols.meaning(Some(self.thread), &place.name.text);
        let scalar = |scope, name: String| match scope {
            Scope::Local => Target::Register(format!("${name}")),
            Scope::Shared => Target::Memory(self.memory(&name, place.span)),
        };
        match meaning {
            Some(Meaning::Scalar(scope, name)) => Ok(scalar(scope, name.to_owned())),
            Some(Meaning::Element(scope, array, index)) => {
                Ok(scalar(scope, element_name(array, index)))
            }
            Some(Meaning::Array(scope, array, size)) => {
                let index = place.index.as_ref().ok_or_else(|| unknown(place.span))?;
                match (self.constant(index).map(usize::try_from), scope) {
                    (Some(Ok(index)), _) => Ok(scalar(scope, element_name(array, index))),
                    (_, Scope::Shared) => {
                        let elements = 0..size;
                        let element = |at| self.memory(&element_name(array, at), place.span);
                        Ok(Target::Picked(
                            elements.map(element).collect(),
                            self.expr(index)?,
                        ))
                    }
                    (_, Scope::Local) => Err(Diagnostic::error(
                        "a register that an index picks has no counterpart",
                        place.span,
                        "the index is a variable",
                    )
                    .with_note("use a constant index, or `if` with one branch for each element")),
                }
            }
            Some(Meaning::Constant(_)) | None => Err(unknown(place.span)),
        }
    }

    fn memory(&self, scalar: &str, span: Span) -> Memory {
        let name = self.shared.get(scalar).map_or(scalar, String::as_str);
        Memory {
            kind: MemoryKind::Global(name_at(name, span)),
            span,
        }
    }

    /// An expression over registers.
    pub(super) fn expr(&self, expr: &Expr) -> Result<Expr, Diagnostic> {
        let span = expr.span;
        if let Some(value) = self.constant(expr) {
            return Ok(number_expr(value, span));
        }
        let kind = match &expr.kind {
            ExprKind::Place(inner) => match self.target(inner)? {
                Target::Register(name) => return Ok(place_expr(place(&name, span))),
                Target::Memory(_) | Target::Picked(..) => return Err(unknown(span)),
            },
            ExprKind::Neg(inner) => ExprKind::Neg(Box::new(self.expr(inner)?)),
            ExprKind::Binary(ArithOp::Mul, left, right) => {
                let (factor, operand) = match (self.constant(left), self.constant(right)) {
                    (Some(factor), _) => (factor, right),
                    (_, Some(factor)) => (factor, left),
                    _ => return Err(only_sums(span)),
                };
                return multiple(factor, &self.expr(operand)?, span);
            }
            ExprKind::Binary(op, left, right) if !op.divides() => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                ExprKind::Binary(*op, Box::new(left), Box::new(right))
            }
            ExprKind::Num(_) | ExprKind::Tid | ExprKind::Binary(..) => return Err(only_sums(span)),
        };
        Ok(Expr { kind, span })
    }

    /// A condition over registers.
    pub(super) fn cond(&self, cond: &Cond) -> Result<Cond, Diagnostic> {
        let pair = |left, right| Ok((Box::new(self.cond(left)?), Box::new(self.cond(right)?)));
        let kind = match &cond.kind {
            CondKind::Not(inner) => CondKind::Not(Box::new(self.cond(inner)?)),
            CondKind::And(left, right) => {
                let (left, right) = pair(left, right)?;
                CondKind::And(left, right)
            }
            CondKind::Or(left, right) => {
                let (left, right) = pair(left, right)?;
                CondKind::Or(left, right)
            }
            CondKind::Compare(op, left, right) => {
                CondKind::Compare(*op, self.expr(left)?, self.expr(right)?)
            }
            CondKind::True | CondKind::False => cond.kind.clone(),
            CondKind::Any | CondKind::At(..) => return Err(unknown(cond.span)),
        };
        Ok(Cond {
            kind,
            span: cond.span,
        })
    }
}

/// A multiple as a sum.
fn multiple(factor: i64, operand: &Expr, span: Span) -> Result<Expr, Diagnostic> {
    if factor.abs() > MAX_FACTOR {
        return Err(only_sums(span));
    }
    let node = |kind| Expr { kind, span };
    let sum = (1..factor.abs()).fold(operand.clone(), |sum, _| {
        let sides = (Box::new(sum), Box::new(operand.clone()));
        node(ExprKind::Binary(ArithOp::Add, sides.0, sides.1))
    });
    Ok(match factor.signum() {
        0 => number_expr(0, span),
        1 => sum,
        _ => node(ExprKind::Neg(Box::new(sum))),
    })
}

fn only_sums(span: Span) -> Diagnostic {
    Diagnostic::error("this expression has no counterpart", span, "here").with_note(format!(
        "Memorax has `+` and `-`; factors up to {MAX_FACTOR} are written as sums"
    ))
}

fn unknown(span: Span) -> Diagnostic {
    Diagnostic::error("this has no counterpart", span, "here")
        .with_note("expressions and conditions of Memorax are over registers and numbers")
}
