//! Expressions, conditions and the names of memory locations.

use pest::iterators::Pair;

use crate::front::build::{compare, number_expr, place, place_expr};
use crate::front::cup::ast::{ArithOp, CompareOp, Cond, CondKind, Expr, ExprKind};

use super::super::syntax::{Memory, MemoryKind};
use super::recovery::{RESERVED, WRITE_THE_NUMBER};
use super::{Reader, Rule, parts, span_of};

/// How many operands may stand in a row.
const MAX_OPERANDS: usize = 500;

impl Reader<'_> {
    pub(super) fn memory(&mut self, memory: Pair<'_, Rule>) -> Memory {
        let span = self.place(&memory);
        let mut kind = None;
        for part in memory.into_inner() {
            kind = match part.as_rule() {
                Rule::name => Some(MemoryKind::Global(self.name(&part))),
                Rule::owner => kind.map(|kind| self.owner(kind, part)),
                _ => {
                    let pointer = parts(part, Rule::expr).next();
                    let pointer = pointer.expect("a pointer is an expression");
                    Some(MemoryKind::Pointer(self.expr(pointer)))
                }
            };
        }
        let kind = kind.expect("a memory location has a name or an address");
        Memory { kind, span }
    }

    fn owner(&mut self, kind: MemoryKind, owner: Pair<'_, Rule>) -> MemoryKind {
        let MemoryKind::Global(name) = kind else {
            return kind;
        };
        let number = parts(owner, Rule::number).next();
        match number {
            None => MemoryKind::Own(name),
            // A number that is too large belongs to no process; that is reported later.
            Some(number) => MemoryKind::Other(name, number.as_str().parse().unwrap_or(usize::MAX)),
        }
    }

    pub(super) fn condition(&mut self, condition: Pair<'_, Rule>) -> Cond {
        self.joined(condition, CondKind::Or, |reader, conjunction| {
            reader.joined(conjunction, CondKind::And, Reader::negation)
        })
    }

    fn joined(
        &mut self,
        list: Pair<'_, Rule>,
        join: fn(Box<Cond>, Box<Cond>) -> CondKind,
        mut read: impl FnMut(&mut Self, Pair<'_, Rule>) -> Cond,
    ) -> Cond {
        let span = self.place(&list);
        self.limit(&list);
        let operands = list
            .into_inner()
            .filter(|part| !matches!(part.as_rule(), Rule::or | Rule::and));
        let conds: Vec<Cond> = operands.map(|part| read(self, part)).collect();
        let joined = conds.into_iter().reduce(|left, right| Cond {
            kind: join(Box::new(left), Box::new(right)),
            span,
        });
        joined.expect("a list has at least one part")
    }

    fn negation(&mut self, negation: Pair<'_, Rule>) -> Cond {
        let span = self.place(&negation);
        let mut is_negated = false;
        let mut cond = None;
        for part in negation.into_inner() {
            let kind = match part.as_rule() {
                Rule::kw_not => {
                    is_negated = true;
                    continue;
                }
                Rule::true_ => CondKind::True,
                Rule::false_ => CondKind::False,
                Rule::condition => self.condition(part).kind,
                Rule::comparison => self.comparison(part).kind,
                _ => continue,
            };
            cond = Some(Cond { kind, span });
        }
        let cond = cond.expect("a negation is one of something");
        match is_negated {
            true => Cond {
                kind: CondKind::Not(Box::new(cond)),
                span,
            },
            false => cond,
        }
    }

    fn comparison(&mut self, comparison: Pair<'_, Rule>) -> Cond {
        let span = self.place(&comparison);
        let mut op = CompareOp::Eq;
        let mut sides = Vec::new();
        for part in comparison.into_inner() {
            match part.as_rule() {
                Rule::expr => sides.push(self.expr(part)),
                Rule::ne => op = CompareOp::Ne,
                Rule::lt => op = CompareOp::Lt,
                Rule::le => op = CompareOp::Le,
                Rule::gt => op = CompareOp::Gt,
                Rule::ge => op = CompareOp::Ge,
                _ => {}
            }
        }
        let right = sides.pop().expect("a comparison has two sides");
        let left = sides.pop().expect("a comparison has two sides");
        compare(op, left, right, span)
    }

    pub(super) fn expr(&mut self, expr: Pair<'_, Rule>) -> Expr {
        let span = self.place(&expr);
        self.limit(&expr);
        let mut op = ArithOp::Add;
        let mut sum: Option<Expr> = None;
        for part in expr.into_inner() {
            match part.as_rule() {
                Rule::plus => op = ArithOp::Add,
                Rule::minus => op = ArithOp::Sub,
                _ => {
                    let unit = self.unit(part);
                    sum = Some(match sum {
                        None => unit,
                        Some(left) => Expr {
                            kind: ExprKind::Binary(op, Box::new(left), Box::new(unit)),
                            span,
                        },
                    });
                }
            }
        }
        sum.expect("an expression has at least one part")
    }

    fn unit(&mut self, unit: Pair<'_, Rule>) -> Expr {
        let span = self.place(&unit);
        self.limit(&unit);
        let mut signs = 0;
        let mut read = number_expr(0, span);
        for part in unit.into_inner() {
            match part.as_rule() {
                Rule::minus => signs += 1,
                Rule::register => read = place_expr(place(part.as_str(), self.place(&part))),
                Rule::number => {
                    let value = self.value(part.as_str(), span_of(&part));
                    read = number_expr(value, self.place(&part));
                }
                Rule::expr => read = self.expr(part),
                Rule::other_unit => self.error(
                    format!("`{}` is not modelled", part.as_str()),
                    span_of(&part),
                    RESERVED,
                    WRITE_THE_NUMBER,
                ),
                _ => {}
            }
        }
        // Pairs of signs mean nothing.
        match signs % 2 {
            0 => read,
            _ => Expr {
                kind: ExprKind::Neg(Box::new(read)),
                span,
            },
        }
    }

    /// Complains about a list that is too long.
    fn limit(&mut self, list: &Pair<'_, Rule>) {
        if list.clone().into_inner().count() > 2 * MAX_OPERANDS {
            let note = format!("at most {MAX_OPERANDS} operands in a row are read");
            self.error("this is too long", span_of(list), "too long", &note);
        }
    }
}
