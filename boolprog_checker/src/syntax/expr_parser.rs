//! Builds expressions from the flat operand and operator lists of the grammar.
//!
//! Precedences are those of the peers' grammars, tightest first: `! ~`, then `= != <>`, `&`, `^`,
//! then `|` and `-> =>` on one level, then `? :`. All of them group to the left. A chain of `&` or
//! of `|` becomes one node, so that long cubes and long disjunctions do not make deep trees.

use pest::iterators::Pair;

use super::ast::Expr;
use super::parser::{Builder, MAX_NESTING, Rule};
use crate::error::ErrorKind;

/// An expression and how deep it is.
pub(super) struct Deep {
    expr: Expr,
    depth: usize,
    /// The operator of a chain that can still grow: no parentheses around it.
    chain: Option<Operator>,
}

impl Deep {
    fn new(expr: Expr, depth: usize) -> Self {
        Self {
            expr,
            depth,
            chain: None,
        }
    }
}

/// Builds the expression; reports it where it is nested too deeply.
pub(super) fn expression(builder: &mut Builder, pair: Pair<'_, Rule>) -> Expr {
    let span = builder.span_of(&pair);
    let deep = build(builder, pair);
    if deep.depth > MAX_NESTING {
        builder.report(ErrorKind::TooDeep(MAX_NESTING), span);
    }
    deep.expr
}

/// An operand stack and an operator stack, as in the shunting-yard method, shared by all expressions
/// that are being built: one inside another uses what is above its [`Base`].
#[derive(Default)]
pub(super) struct Stacks {
    operands: Vec<Deep>,
    operators: Vec<Operator>,
}

/// How high the stacks were when an expression began.
#[derive(Clone, Copy)]
struct Base {
    operands: usize,
    operators: usize,
}

fn build(builder: &mut Builder, pair: Pair<'_, Rule>) -> Deep {
    let span = builder.span_of(&pair);
    let base = builder.stacks.base();
    let mut negations = 0;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::not => negations = part.as_str().bytes().filter(|byte| *byte != b' ').count(),
            Rule::ternary => {
                builder.stacks.reduce(base, 0);
                let middle = part
                    .into_inner()
                    .next()
                    .expect("the grammar puts an expression here");
                let middle = build(builder, middle);
                builder.stacks.operands.push(middle);
                builder.stacks.operators.push(Operator::Ternary);
            }
            Rule::operator => {
                let operator = Operator::new(part.as_str());
                builder.stacks.reduce(base, operator.level());
                builder.stacks.operators.push(operator);
            }
            _ => {
                let operand = primary(builder, part);
                let operand = negate(operand, std::mem::take(&mut negations));
                builder.stacks.operands.push(operand);
            }
        }
        if builder.stacks.is_too_deep(base) {
            builder.report(ErrorKind::TooDeep(MAX_NESTING), span);
            builder.stacks.cut(base);
            return Deep::new(Expr::Nondet, 1);
        }
    }
    builder.stacks.reduce(base, 0);
    builder
        .stacks
        .operands
        .pop()
        .expect("the grammar puts an operand here")
}

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    And,
    Xor,
    Or,
    Implies,
    Ternary,
}

impl Operator {
    fn new(text: &str) -> Self {
        match text {
            "=" => Self::Equal,
            "!=" | "<>" => Self::Unequal,
            "&" => Self::And,
            "^" => Self::Xor,
            "|" => Self::Or,
            _ => Self::Implies,
        }
    }

    /// How tightly the operator binds.
    fn level(self) -> u8 {
        match self {
            Self::Equal | Self::Unequal => 4,
            Self::And => 3,
            Self::Xor => 2,
            Self::Or | Self::Implies => 1,
            Self::Ternary => 0,
        }
    }
}

impl Stacks {
    fn base(&self) -> Base {
        Base {
            operands: self.operands.len(),
            operators: self.operators.len(),
        }
    }

    fn cut(&mut self, base: Base) {
        self.operands.truncate(base.operands);
        self.operators.truncate(base.operators);
    }

    /// Whether an operand above `base` is too deep. There are only a few: all operators group to the
    /// left, so at most one of each level waits.
    fn is_too_deep(&self, base: Base) -> bool {
        let mut waiting = self.operands[base.operands..].iter();
        waiting.any(|deep| deep.depth > MAX_NESTING)
    }

    /// The topmost operator above `base`, if it binds at least as tightly as `limit`.
    fn waiting(&mut self, base: Base, limit: u8) -> Option<Operator> {
        let above = self.operators.len() > base.operators;
        self.operators
            .pop_if(|operator| above && operator.level() >= limit)
    }

    /// Applies the waiting operators that bind at least as tightly as `limit`.
    fn reduce(&mut self, base: Base, limit: u8) {
        while let Some(operator) = self.waiting(base, limit) {
            let right = self
                .operands
                .pop()
                .expect("an operator has a right operand");
            let left = self.operands.pop().expect("an operator has a left operand");
            let joined = if operator == Operator::Ternary {
                let condition = self.operands.pop().expect("`?` has a condition");
                choice(condition, left, right)
            } else {
                join(operator, left, right)
            };
            self.operands.push(joined);
        }
    }
}

fn choice(condition: Deep, yes: Deep, no: Deep) -> Deep {
    let depth = 1 + condition.depth.max(yes.depth).max(no.depth);
    Deep::new(
        Expr::Ite(
            Box::new(condition.expr),
            Box::new(yes.expr),
            Box::new(no.expr),
        ),
        depth,
    )
}

fn join(operator: Operator, left: Deep, right: Deep) -> Deep {
    let depth = 1 + left.depth.max(right.depth);
    let node: fn(Box<Expr>, Box<Expr>) -> Expr = match operator {
        Operator::And => return extend(operator, left, right, Expr::And),
        Operator::Or => return extend(operator, left, right, Expr::Or),
        Operator::Xor => Expr::Xor,
        Operator::Equal => Expr::Eq,
        Operator::Unequal => Expr::Ne,
        Operator::Implies | Operator::Ternary => Expr::Implies,
    };
    Deep::new(node(Box::new(left.expr), Box::new(right.expr)), depth)
}

/// Adds an operand to a chain of `&` or `|`, or begins one.
fn extend(operator: Operator, left: Deep, right: Deep, node: fn(Vec<Expr>) -> Expr) -> Deep {
    let grows = left.chain == Some(operator);
    let depth = left
        .depth
        .max(right.depth + 1)
        .max(if grows { 0 } else { left.depth + 1 });
    let mut parts = match left.expr {
        Expr::And(parts) | Expr::Or(parts) if grows => parts,
        other => begin(other),
    };
    parts.push(right.expr);
    Deep {
        expr: node(parts),
        depth,
        chain: Some(operator),
    }
}

/// The first operand of a chain, with room for the next ones.
fn begin(first: Expr) -> Vec<Expr> {
    let mut parts = Vec::with_capacity(4);
    parts.push(first);
    parts
}

fn negate(operand: Deep, times: usize) -> Deep {
    // Beyond the limit the expression is refused anyway and must not grow deeper.
    let kept = times.min(MAX_NESTING + 1);
    let expr = (0..kept).fold(operand.expr, |expr, _| expr.negated());
    Deep {
        expr,
        depth: operand.depth + kept,
        chain: None,
    }
}

fn primary(builder: &mut Builder, pair: Pair<'_, Rule>) -> Deep {
    match pair.as_rule() {
        Rule::expr => Deep {
            chain: None,
            ..build(builder, pair)
        },
        Rule::schoose => schoose(builder, pair),
        Rule::next => {
            let name = pair
                .into_inner()
                .next()
                .expect("the grammar puts a name here");
            Deep::new(Expr::Next(builder.name(&name)), 1)
        }
        Rule::nondet => Deep::new(Expr::Nondet, 1),
        _ => Deep::new(value(builder, &pair), 1),
    }
}

fn schoose(builder: &mut Builder, pair: Pair<'_, Rule>) -> Deep {
    let mut arguments = pair
        .into_inner()
        .filter(|part| part.as_rule() == Rule::expr);
    let mut argument = || {
        build(
            builder,
            arguments.next().expect("`schoose` has two arguments"),
        )
    };
    let (positive, negative) = (argument(), argument());
    let depth = 1 + positive.depth.max(negative.depth);
    Deep::new(Expr::schoose(positive.expr, negative.expr), depth)
}

/// A constant or a variable.
fn value(builder: &mut Builder, pair: &Pair<'_, Rule>) -> Expr {
    match pair.as_str() {
        "T" | "1" => Expr::Const(true),
        "F" | "0" => Expr::Const(false),
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            builder.report(
                ErrorKind::NotBoolean(text.to_owned()),
                builder.span_of(pair),
            );
            Expr::Nondet
        }
        _ => Expr::Var(builder.name(pair)),
    }
}
