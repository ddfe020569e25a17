//! The reduction under SC, which is also the first step of the others.
//!
//! SC needs no buffers. What is resolved here is what the other reductions should not have to think
//! about: copies of a thread become threads of their own (`P[0]` is `P_0`) in which `tid` is a
//! number, optional fences become fences or skips, placements go; constants stay, and comments as far as [`comment`] says.
//! Under SC a `fence;` has no effect and stays as it is, so that the program still says where its fences are.
//!
//! Invariant: every statement of the source is one statement of each of its copies, with its labels
//! and span.

use indexmap::{IndexMap, IndexSet};

use super::comment::{self, Comments};
use super::constant::{Copy, instantiate, instantiate_cond, instantiate_place, instantiate_rhs};
use crate::front::cup::ast::{
    Arm, Background, Block, Cond, CondKind, Expr, ExprKind, FifoLine, Item, ItemKind, LocalLine,
    Name, Place, Spec, Stmt, StmtKind, Thread, ThreadRef, Tree, Trivia,
};
use crate::front::cup::check::Checked;
use crate::front::cup::symbols::Symbols;

/// A program without copies and optional fences.
pub(super) struct Resolved {
    /// The program.
    pub tree: Tree,
    /// The thread of the source that each thread comes from, by its printed name.
    sources: IndexMap<String, String>,
}

impl Resolved {
    /// The name of the source's thread that a thread comes from.
    pub(super) fn source(&self, thread: &Thread) -> &str {
        &self.sources[&thread.name.text]
    }
}

/// Resolves copies and optional fences.
pub(super) fn resolve(
    comments: &Comments,
    checked: &Checked,
    fences: &IndexSet<String>,
) -> Resolved {
    let mut resolved = Resolved {
        tree: Tree {
            items: Vec::new(),
            end_comments: comment::kept_lines(&checked.tree.end_comments),
        },
        sources: IndexMap::new(),
    };
    let symbols = &checked.symbols;
    let mut blank_before = false;
    for (at, item) in checked.tree.items.iter().enumerate() {
        blank_before |= item.trivia.blank_before;
        let kept = match at {
            0 => comment::kept_below_header(&item.trivia),
            _ => comment::kept(&item.trivia),
        };
        let kinds = match &item.kind {
            ItemKind::Const(_) | ItemKind::Shared(_) => vec![item.kind.clone()],
            ItemKind::Thread(thread) => {
                instances((comments, symbols), thread, fences, &mut resolved.sources)
            }
            ItemKind::Placement(_) => Vec::new(),
            ItemKind::Spec(spec) => vec![ItemKind::Spec(resolve_spec(spec, symbols))],
        };
        for kind in kinds {
            let is_thread = matches!(kind, ItemKind::Thread(_));
            let trivia = Trivia {
                blank_before: blank_before || is_thread,
                ..kept.clone()
            };
            blank_before = is_thread;
            let span = item.span;
            resolved.tree.items.push(Item { kind, trivia, span });
        }
    }
    resolved
}

/// The copies of a thread, or the thread itself.
fn instances(
    (comments, symbols): (&Comments, &Symbols),
    thread: &Thread,
    fences: &IndexSet<String>,
    sources: &mut IndexMap<String, String>,
) -> Vec<ItemKind> {
    let copies = symbols.copies(&thread.name.text);
    let numbers: Vec<Option<i64>> = match thread.copies {
        Some(_) => (0..).take(copies).map(Some).collect(),
        None => vec![None],
    };
    let instances = numbers.into_iter().map(|tid| {
        let copy = Copy { symbols, tid };
        let instance = Instance {
            comments,
            fences,
            copy,
        }
        .thread(thread);
        sources.insert(instance.name.text.clone(), thread.name.text.clone());
        ItemKind::Thread(instance)
    });
    instances.collect()
}

/// One copy of a thread, or the thread itself.
struct Instance<'a> {
    comments: &'a Comments,
    fences: &'a IndexSet<String>,
    copy: Copy<'a>,
}

impl Instance<'_> {
    fn thread(&self, thread: &Thread) -> Thread {
        let name = match self.copy.tid {
            Some(tid) => format!("{}_{tid}", thread.name.text),
            None => thread.name.text.clone(),
        };
        Thread {
            name: Name {
                text: name,
                span: thread.name.span,
            },
            copies: None,
            locals: thread.locals.iter().map(local_line).collect(),
            fifos: thread.fifos.iter().map(fifo_line).collect(),
            backgrounds: thread
                .backgrounds
                .iter()
                .map(|b| self.background(b))
                .collect(),
            body: self.block(&thread.body),
        }
    }

    fn background(&self, background: &Background) -> Background {
        Background {
            body: self.block(&background.body),
            trivia: comment::kept(&background.trivia),
            span: background.span,
        }
    }

    fn block(&self, block: &Block) -> Block {
        Block {
            stmts: block.stmts.iter().map(|stmt| self.stmt(stmt)).collect(),
            open_comments: comment::kept_lines(&block.open_comments),
            end_comments: comment::kept_lines(&block.end_comments),
            span: block.span,
        }
    }

    fn stmt(&self, stmt: &Stmt) -> Stmt {
        let mut trivia = comment::kept(&stmt.trivia);
        if matches!(stmt.kind, StmtKind::OptionalFence(_)) {
            trivia.leading.push(self.comments.of(stmt));
        }
        Stmt {
            labels: stmt.labels.clone(),
            kind: self.kind(&stmt.kind),
            trivia,
            span: stmt.span,
            start: stmt.start,
            mark: stmt.mark,
        }
    }

    fn kind(&self, kind: &StmtKind) -> StmtKind {
        let cond = |cond: &Cond| instantiate_cond(cond, self.copy);
        match kind {
            StmtKind::Assign(place, rhs) => StmtKind::Assign(
                instantiate_place(place, self.copy),
                instantiate_rhs(rhs, self.copy),
            ),
            StmtKind::Append(fifo, values) => {
                let values = values.iter().map(|value| instantiate(value, self.copy));
                StmtKind::Append(fifo.clone(), values.collect())
            }
            StmtKind::OptionalFence(name) if self.fences.contains(&name.text) => StmtKind::Fence,
            StmtKind::OptionalFence(_) => StmtKind::Skip,
            StmtKind::Fence
            | StmtKind::Pop(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_) => kind.clone(),
            StmtKind::Assume(c) => StmtKind::Assume(cond(c)),
            StmtKind::Assert(c, message) => StmtKind::Assert(cond(c), message.clone()),
            StmtKind::If(arms, otherwise) => {
                let arms = arms.iter().map(|arm| Arm {
                    cond: cond(&arm.cond),
                    block: self.block(&arm.block),
                });
                let otherwise = otherwise.as_ref().map(|block| self.block(block));
                StmtKind::If(arms.collect(), otherwise)
            }
            StmtKind::While(c, body) => StmtKind::While(cond(c), self.block(body)),
            StmtKind::DoWhile(body, c) => StmtKind::DoWhile(self.block(body), cond(c)),
            StmtKind::Loop(body) => StmtKind::Loop(self.block(body)),
            StmtKind::Atomic(body) => StmtKind::Atomic(self.block(body)),
        }
    }
}

fn local_line(line: &LocalLine) -> LocalLine {
    LocalLine {
        trivia: comment::kept(&line.trivia),
        ..line.clone()
    }
}

fn fifo_line(line: &FifoLine) -> FifoLine {
    FifoLine {
        trivia: comment::kept(&line.trivia),
        ..line.clone()
    }
}

/// A spec in which copies have their printed names.
fn resolve_spec(spec: &Spec, symbols: &Symbols) -> Spec {
    Spec {
        cond: resolve_cond(&spec.cond, symbols),
        ..spec.clone()
    }
}

fn resolve_cond(cond: &Cond, symbols: &Symbols) -> Cond {
    let sub = |cond: &Cond| Box::new(resolve_cond(cond, symbols));
    let kind = match &cond.kind {
        CondKind::True | CondKind::False | CondKind::Any => cond.kind.clone(),
        CondKind::Not(operand) => CondKind::Not(sub(operand)),
        CondKind::And(left, right) => CondKind::And(sub(left), sub(right)),
        CondKind::Or(left, right) => CondKind::Or(sub(left), sub(right)),
        CondKind::Compare(op, left, right) => CondKind::Compare(
            *op,
            resolve_expr(left, symbols),
            resolve_expr(right, symbols),
        ),
        CondKind::At(thread, label) => CondKind::At(resolve_thread(thread, symbols), label.clone()),
    };
    Cond {
        kind,
        span: cond.span,
    }
}

fn resolve_expr(expr: &Expr, symbols: &Symbols) -> Expr {
    let sub = |expr: &Expr| Box::new(resolve_expr(expr, symbols));
    let kind = match &expr.kind {
        ExprKind::Num(_) | ExprKind::Tid => expr.kind.clone(),
        ExprKind::Place(place) => ExprKind::Place(Place {
            thread: place.thread.as_ref().map(|t| resolve_thread(t, symbols)),
            index: place.index.as_ref().map(|index| sub(index)),
            ..place.clone()
        }),
        ExprKind::Neg(operand) => ExprKind::Neg(sub(operand)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, sub(left), sub(right)),
    };
    Expr {
        kind,
        span: expr.span,
    }
}

fn resolve_thread(thread: &ThreadRef, symbols: &Symbols) -> ThreadRef {
    ThreadRef {
        name: Name {
            text: symbols.printed_thread(thread),
            span: thread.name.span,
        },
        copy: None,
        span: thread.span,
    }
}
