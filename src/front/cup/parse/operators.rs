//! Expressions and conditions: from the flat list of operands and operators to typed trees.
//!
//! The grammar knows one rule for both. Precedence makes a [`Node`] of the list; [`Parser::expr`] and
//! [`Parser::cond`] then say what the place requires, so that a condition in the place of an
//! expression gets a message that says just that.

use std::rc::Rc;

use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::{MAX_OPERATORS, Parser, Piece, Rule};
use crate::front::cup::ast::{
    ArithOp, CompareOp, Cond, CondKind, Expr, ExprKind, Name, Place, Span, ThreadRef,
};
use crate::source::Diagnostic;

/// An expression or a condition.
struct Node {
    kind: NodeKind,
    span: Span,
}

enum NodeKind {
    Num(i64),
    Tid,
    Place(Place),
    Neg(Box<Node>),
    Arith(ArithOp, Box<Node>, Box<Node>),
    True,
    False,
    Star,
    At(ThreadRef, Name),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Compare(CompareOp, Box<Node>, Box<Node>),
    /// Something that was complained about.
    Broken,
}

/// A place or a control location.
pub(super) enum Reference {
    /// `x`, `a[i]`, `P.x`
    Place(Place),
    /// `P@l`
    Location(ThreadRef, Name),
    /// Something that was complained about.
    Broken,
}

/// The operators from the loosest to the tightest.
pub(super) fn precedence() -> PrattParser<Rule> {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(Op::prefix(Rule::not))
        .op(left(Rule::eq)
            | left(Rule::ne)
            | left(Rule::lt)
            | left(Rule::le)
            | left(Rule::gt)
            | left(Rule::ge))
        .op(left(Rule::add) | left(Rule::sub))
        .op(left(Rule::mul) | left(Rule::div) | left(Rule::rem))
        .op(Op::prefix(Rule::neg))
}

impl Parser<'_> {
    /// Reads an `expr` piece that must be an integer expression.
    pub(super) fn expr(&mut self, piece: &Piece<'_>) -> Expr {
        let node = self.node(piece, MAX_OPERATORS);
        self.typed_expr(node)
    }

    /// Reads an `expr` piece that must be a condition.
    pub(super) fn cond(&mut self, piece: &Piece<'_>) -> Cond {
        let node = self.node(piece, MAX_OPERATORS);
        self.typed_cond(node)
    }

    /// Reads an `expr` piece that must be an integer expression or a lone `*`.
    pub(super) fn expr_or_any(&mut self, piece: &Piece<'_>) -> Result<Expr, Span> {
        let node = self.node(piece, MAX_OPERATORS);
        match node.kind {
            NodeKind::Star => Err(node.span),
            _ => Ok(self.typed_expr(node)),
        }
    }

    /// Reads a place.
    pub(super) fn place(&mut self, piece: &Piece<'_>) -> Option<Place> {
        match self.reference(piece, MAX_OPERATORS) {
            Reference::Place(place) => Some(place),
            Reference::Location(..) => {
                let note = "a variable or an array element is expected here";
                self.report(Diagnostic::error(
                    "a control location is not a variable",
                    piece.span(),
                    note,
                ));
                None
            }
            Reference::Broken => None,
        }
    }

    /// The tree of an `expr` piece, with at most `budget` operators above any operand.
    fn node(&mut self, piece: &Piece<'_>, budget: usize) -> Node {
        let span = piece.span();
        let operators = piece
            .parts()
            .filter(|part| is_operator(part.rule()))
            .count();
        if operators > budget {
            self.report(too_many_operators(span));
            return Node::broken(span);
        }
        let budget = budget - operators;
        let base = piece.base;
        let precedence = Rc::clone(&self.precedence);
        let node = precedence
            .map_primary(|pair| self.operand(&Piece { pair, base }, budget))
            .map_prefix(|operator, node| {
                prefix(
                    &Piece {
                        pair: operator,
                        base,
                    },
                    node,
                )
            })
            .map_infix(|left, operator, right| infix(&operator, left, right))
            .parse(piece.pair.clone().into_inner());
        Node { span, ..node }
    }

    fn operand(&mut self, piece: &Piece<'_>, budget: usize) -> Node {
        let kind = match piece.rule() {
            Rule::paren => self.node(&piece.needed(Rule::expr), budget).kind,
            Rule::number => match self.number(piece) {
                Some(number) => NodeKind::Num(number),
                None => NodeKind::Broken,
            },
            Rule::tid => NodeKind::Tid,
            Rule::true_ => NodeKind::True,
            Rule::false_ => NodeKind::False,
            Rule::star => NodeKind::Star,
            Rule::reference => match self.reference(piece, budget) {
                Reference::Place(place) => NodeKind::Place(place),
                Reference::Location(thread, label) => NodeKind::At(thread, label),
                Reference::Broken => NodeKind::Broken,
            },
            rule => unreachable!("the grammar has no operand {rule:?}"),
        };
        Node {
            kind,
            span: piece.span(),
        }
    }

    fn reference(&mut self, piece: &Piece<'_>, budget: usize) -> Reference {
        let name = name(&piece.needed(Rule::name));
        let index = piece.part(Rule::index);
        let member = piece.part(Rule::member);
        match (member, piece.part(Rule::location)) {
            (None, None) => Reference::Place(Place {
                thread: None,
                name,
                index: index.map(|index| self.index(&index, budget)),
                span: piece.span(),
            }),
            (Some(member), None) => Reference::Place(Place {
                thread: Some(self.thread_ref(name, index, budget)),
                name: self::name(&member.needed(Rule::name)),
                index: member
                    .part(Rule::index)
                    .map(|index| self.index(&index, budget)),
                span: piece.span(),
            }),
            (None, Some(location)) => Reference::Location(
                self.thread_ref(name, index, budget),
                self::name(&location.needed(Rule::name)),
            ),
            (Some(member), Some(_)) => {
                self.report(Diagnostic::error(
                    "a control location is a thread and a label",
                    member.span(),
                    "this does not belong here",
                ));
                Reference::Broken
            }
        }
    }

    fn index(&mut self, piece: &Piece<'_>, budget: usize) -> Box<Expr> {
        let node = self.node(&piece.needed(Rule::expr), budget);
        Box::new(self.typed_expr(node))
    }

    /// `P` or `P[0]`.
    fn thread_ref(&mut self, name: Name, index: Option<Piece<'_>>, budget: usize) -> ThreadRef {
        let Some(index) = index else {
            return ThreadRef {
                span: name.span,
                name,
                copy: None,
            };
        };
        ThreadRef {
            span: name.span.to(index.span()),
            name,
            copy: Some(self.index(&index, budget)),
        }
    }

    fn typed_expr(&mut self, node: Node) -> Expr {
        let span = node.span;
        let kind = match node.kind {
            NodeKind::Num(value) => ExprKind::Num(value),
            NodeKind::Tid => ExprKind::Tid,
            NodeKind::Place(place) => ExprKind::Place(place),
            NodeKind::Neg(inner) => ExprKind::Neg(Box::new(self.typed_expr(*inner))),
            NodeKind::Arith(op, left, right) => ExprKind::Binary(
                op,
                Box::new(self.typed_expr(*left)),
                Box::new(self.typed_expr(*right)),
            ),
            NodeKind::Broken => ExprKind::Num(0),
            NodeKind::Star => {
                self.report(star_in_expression(span));
                ExprKind::Num(0)
            }
            NodeKind::True
            | NodeKind::False
            | NodeKind::At(..)
            | NodeKind::Not(_)
            | NodeKind::And(..)
            | NodeKind::Or(..)
            | NodeKind::Compare(..) => {
                self.report(condition_for_expression(span));
                ExprKind::Num(0)
            }
        };
        Expr { kind, span }
    }

    fn typed_cond(&mut self, node: Node) -> Cond {
        let span = node.span;
        let kind = match node.kind {
            NodeKind::True | NodeKind::Broken => CondKind::True,
            NodeKind::False => CondKind::False,
            NodeKind::Star => CondKind::Any,
            NodeKind::At(thread, label) => CondKind::At(thread, label),
            NodeKind::Not(inner) => CondKind::Not(Box::new(self.typed_cond(*inner))),
            NodeKind::And(left, right) => CondKind::And(
                Box::new(self.typed_cond(*left)),
                Box::new(self.typed_cond(*right)),
            ),
            NodeKind::Or(left, right) => CondKind::Or(
                Box::new(self.typed_cond(*left)),
                Box::new(self.typed_cond(*right)),
            ),
            NodeKind::Compare(op, left, right) => self.comparison(op, *left, *right),
            NodeKind::Num(_)
            | NodeKind::Tid
            | NodeKind::Place(_)
            | NodeKind::Neg(_)
            | NodeKind::Arith(..) => {
                self.report(self.expression_for_condition(span));
                CondKind::True
            }
        };
        Cond { kind, span }
    }

    fn comparison(&mut self, op: CompareOp, left: Node, right: Node) -> CondKind {
        if let NodeKind::Compare(..) = left.kind {
            self.report(
                Diagnostic::error(
                    "comparisons do not chain",
                    left.span.to(right.span),
                    "two comparisons in a row",
                )
                .with_note("write `a < b && b < c` for `a < b < c`"),
            );
            return CondKind::True;
        }
        CondKind::Compare(op, self.typed_expr(left), self.typed_expr(right))
    }

    fn expression_for_condition(&self, span: Span) -> Diagnostic {
        let text = &self.text[span.range()];
        let diagnostic = Diagnostic::error(
            "a condition is expected here, this is an expression",
            span,
            "an integer, neither true nor false",
        );
        if text.len() <= 40 && !text.contains(['\n', '\r']) {
            diagnostic.with_note(format!("compare it, for example `{text} != 0`"))
        } else {
            diagnostic.with_note("compare it, for example with `!= 0`")
        }
    }
}

impl Node {
    fn broken(span: Span) -> Node {
        Node {
            kind: NodeKind::Broken,
            span,
        }
    }
}

/// The name in a `name` piece.
pub(super) fn name(piece: &Piece<'_>) -> Name {
    Name {
        text: piece.text().to_owned(),
        span: piece.span(),
    }
}

fn is_operator(rule: Rule) -> bool {
    rule == Rule::neg || rule == Rule::not || infix_kind(rule).is_some()
}

/// What an infix operator makes.
enum Infix {
    Arith(ArithOp),
    Compare(CompareOp),
    And,
    Or,
}

fn infix_kind(rule: Rule) -> Option<Infix> {
    Some(match rule {
        Rule::add => Infix::Arith(ArithOp::Add),
        Rule::sub => Infix::Arith(ArithOp::Sub),
        Rule::mul => Infix::Arith(ArithOp::Mul),
        Rule::div => Infix::Arith(ArithOp::Div),
        Rule::rem => Infix::Arith(ArithOp::Mod),
        Rule::eq => Infix::Compare(CompareOp::Eq),
        Rule::ne => Infix::Compare(CompareOp::Ne),
        Rule::lt => Infix::Compare(CompareOp::Lt),
        Rule::le => Infix::Compare(CompareOp::Le),
        Rule::gt => Infix::Compare(CompareOp::Gt),
        Rule::ge => Infix::Compare(CompareOp::Ge),
        Rule::and => Infix::And,
        Rule::or => Infix::Or,
        _ => return None,
    })
}

fn prefix(operator: &Piece<'_>, node: Node) -> Node {
    let span = operator.span().to(node.span);
    let inner = Box::new(node);
    let kind = match operator.rule() {
        Rule::not => NodeKind::Not(inner),
        Rule::neg => NodeKind::Neg(inner),
        rule => unreachable!("the grammar has no prefix operator {rule:?}"),
    };
    Node { kind, span }
}

fn infix(operator: &Pair<'_, Rule>, left: Node, right: Node) -> Node {
    let span = left.span.to(right.span);
    let (left, right) = (Box::new(left), Box::new(right));
    let kind = match infix_kind(operator.as_rule()) {
        Some(Infix::Arith(op)) => NodeKind::Arith(op, left, right),
        Some(Infix::Compare(op)) => NodeKind::Compare(op, left, right),
        Some(Infix::And) => NodeKind::And(left, right),
        Some(Infix::Or) => NodeKind::Or(left, right),
        None => unreachable!("the grammar has no such infix operator"),
    };
    Node { kind, span }
}

fn condition_for_expression(span: Span) -> Diagnostic {
    Diagnostic::error(
        "an expression is expected here, this is a condition",
        span,
        "true or false, not an integer",
    )
    .with_note("use `if` to choose between integers")
}

fn star_in_expression(span: Span) -> Diagnostic {
    Diagnostic::error(
        "`*` is no operand",
        span,
        "an arbitrary integer has no place in an expression",
    )
    .with_note("set a local to it first, `r = *;`, then use the local here")
}

fn too_many_operators(span: Span) -> Diagnostic {
    Diagnostic::error(
        format!("more than {MAX_OPERATORS} operators stand above one another"),
        span,
        "this is too long",
    )
    .with_note("compute parts of it into locals first, or split the condition")
}
