//! Makes the nodes of reduced trees.
//!
//! Every node that stands for a source statement carries that statement's span, so that a trace of the
//! reduced program can be shown on the source's lines, and every statement its [`Role`].

use crate::front::cup::ast::{
    ArithOp, Arm, Block, CompareOp, Cond, CondKind, Expr, ExprKind, Mark, Name, Place, Rhs, Role,
    Span, Stmt, StmtKind, ThreadRef, Trivia, VarDecl,
};
use crate::front::cup::overflow::MESSAGE as OVERFLOW_MESSAGE;

/// Makes nodes that all carry one span, and statements that all have one role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Build {
    span: Span,
    role: Option<Role>,
}

impl Build {
    /// Nodes that stand for the source at `span`.
    pub(super) fn at(span: Span) -> Self {
        Build { span, role: None }
    }

    /// The same with this role for statements.
    pub(super) fn with_role(self, role: Role) -> Self {
        Build {
            role: Some(role),
            ..self
        }
    }

    pub(super) fn span(&self) -> Span {
        self.span
    }

    pub(super) fn name(&self, text: &str) -> Name {
        Name {
            text: text.to_owned(),
            span: self.span,
        }
    }

    pub(super) fn place(&self, name: &str) -> Place {
        Place {
            thread: None,
            name: self.name(name),
            index: None,
            span: self.span,
        }
    }

    /// `thread.name`, as specs write it.
    pub(super) fn local_of(&self, thread: &str, name: &str) -> Expr {
        let place = Place {
            thread: Some(self.thread_ref(thread)),
            ..self.place(name)
        };
        self.expr(ExprKind::Place(place))
    }

    fn thread_ref(&self, thread: &str) -> ThreadRef {
        ThreadRef {
            name: self.name(thread),
            copy: None,
            span: self.span,
        }
    }

    pub(super) fn expr(&self, kind: ExprKind) -> Expr {
        Expr {
            kind,
            span: self.span,
        }
    }

    pub(super) fn var(&self, name: &str) -> Expr {
        self.expr(ExprKind::Place(self.place(name)))
    }

    /// A constant; a negative one is written with a minus sign.
    pub(super) fn num(&self, value: i64) -> Expr {
        match value.checked_neg() {
            Some(positive) if value < 0 => {
                let number = self.expr(ExprKind::Num(positive));
                self.expr(ExprKind::Neg(Box::new(number)))
            }
            _ => self.expr(ExprKind::Num(value)),
        }
    }

    /// `name + 1` or `name - 1`.
    pub(super) fn one_off(&self, op: ArithOp, name: &str) -> Expr {
        let sides = (Box::new(self.var(name)), Box::new(self.num(1)));
        self.expr(ExprKind::Binary(op, sides.0, sides.1))
    }

    pub(super) fn cond(&self, kind: CondKind) -> Cond {
        Cond {
            kind,
            span: self.span,
        }
    }

    pub(super) fn compare(&self, left: Expr, op: CompareOp, right: Expr) -> Cond {
        self.cond(CondKind::Compare(op, left, right))
    }

    /// `name op value`.
    pub(super) fn test(&self, name: &str, op: CompareOp, value: i64) -> Cond {
        self.compare(self.var(name), op, self.num(value))
    }

    /// Whether a buffer of `k` entries is full.
    pub(super) fn is_full(&self, count: &str, k: usize) -> Cond {
        let k = i64::try_from(k).expect("k is small");
        self.test(count, CompareOp::Eq, k)
    }

    pub(super) fn and(&self, left: Cond, right: Cond) -> Cond {
        self.cond(CondKind::And(Box::new(left), Box::new(right)))
    }

    pub(super) fn or(&self, left: Cond, right: Cond) -> Cond {
        self.cond(CondKind::Or(Box::new(left), Box::new(right)))
    }

    /// `thread@label`.
    pub(super) fn location(&self, thread: &str, label: &str) -> Cond {
        self.cond(CondKind::At(self.thread_ref(thread), self.name(label)))
    }

    /// The conjunction, or nothing if there are no conditions.
    pub(super) fn all(&self, conds: impl IntoIterator<Item = Cond>) -> Option<Cond> {
        let conds = conds.into_iter().collect();
        join(conds, &|left, right| self.and(left, right))
    }

    /// The disjunction, or nothing if there are no conditions.
    pub(super) fn any(&self, conds: impl IntoIterator<Item = Cond>) -> Option<Cond> {
        let conds = conds.into_iter().collect();
        join(conds, &|left, right| self.or(left, right))
    }

    pub(super) fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt {
            labels: Vec::new(),
            kind,
            trivia: Trivia::default(),
            span: self.span,
            start: self.span.start,
            mark: Mark {
                role: self.role,
                overflow: false,
            },
        }
    }

    pub(super) fn block(&self, stmts: Vec<Stmt>) -> Block {
        Block {
            stmts,
            open_comments: Vec::new(),
            end_comments: Vec::new(),
            span: self.span,
        }
    }

    pub(super) fn assign(&self, name: &str, value: Expr) -> Stmt {
        self.stmt(StmtKind::Assign(self.place(name), Rhs::Expr(value)))
    }

    pub(super) fn assume(&self, cond: Cond) -> Stmt {
        self.stmt(StmtKind::Assume(cond))
    }

    pub(super) fn assert(&self, cond: Cond, message: &str) -> Stmt {
        self.stmt(StmtKind::Assert(cond, Some(message.to_owned())))
    }

    /// `assert(overflow == 0, "overflow");`
    pub(super) fn overflow_check(&self, overflow: &str) -> Stmt {
        let not_full = self.test(overflow, CompareOp::Eq, 0);
        let mut check = self.assert(not_full, OVERFLOW_MESSAGE);
        check.mark.overflow = true;
        check
    }

    /// `if (cond) { stmts }` without an `else`.
    pub(super) fn when(&self, cond: Cond, stmts: Vec<Stmt>) -> Stmt {
        self.chain(vec![(cond, stmts)], None)
    }

    /// `if … else if … else …`.
    pub(super) fn chain(&self, arms: Vec<(Cond, Vec<Stmt>)>, otherwise: Option<Vec<Stmt>>) -> Stmt {
        let arms = arms.into_iter().map(|(cond, stmts)| Arm {
            cond,
            block: self.block(stmts),
        });
        let otherwise = otherwise.map(|stmts| self.block(stmts));
        self.stmt(StmtKind::If(arms.collect(), otherwise))
    }

    /// A declaration of a scalar that starts at 0.
    pub(super) fn declare(&self, name: &str) -> VarDecl {
        VarDecl {
            name: self.name(name),
            size: None,
            init: None,
            span: self.span,
        }
    }
}

/// How many conditions are joined in one row.
const ROW: usize = 64;

/// Joins conditions in a row, or a long row half by half, so that no tree gets deep.
fn join(mut conds: Vec<Cond>, with: &impl Fn(Cond, Cond) -> Cond) -> Option<Cond> {
    if conds.len() <= ROW {
        return conds.into_iter().reduce(with);
    }
    let second = conds.split_off(conds.len() / 2);
    Some(with(join(conds, with)?, join(second, with)?))
}
