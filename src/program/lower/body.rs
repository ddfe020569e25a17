//! Lowers the statements of one thread.
//!
//! Inside `atomic` every location is held but for the entry: that one is an unheld copy of the held
//! location of the first step, so that the first step takes the section. A jump back to the first
//! statement, which can only come from inside, goes to the held one. The last step leads out to an
//! unheld location and so gives the section back.

use indexmap::{IndexMap, IndexSet};

use crate::lang::ast::{
    self, Arm, Block, CompareOp, CondKind, ExprKind, Rhs, Span, Stmt, StmtKind,
};
use crate::program::{Action, AssertKind, Branch, BranchKind, Cond, Edge, LocId};

use super::expr::{Bounds, Context};
use super::graph::Graph;

/// A thread's graph under construction.
pub(super) struct Body<'a> {
    context: Context<'a>,
    fences: &'a IndexSet<String>,
    /// The graph so far.
    pub graph: Graph,
    /// Open slots of the labels.
    labels: IndexMap<&'a str, LocId>,
    /// The loops around, the innermost last.
    loops: Vec<Jumps>,
    /// Whether the statements being lowered hold the atomic section.
    held: bool,
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Jumps {
    after: LocId,
    again: LocId,
}

impl<'a> Body<'a> {
    pub(super) fn new(context: Context<'a>, fences: &'a IndexSet<String>) -> Self {
        Body {
            context,
            fences,
            graph: Graph::default(),
            labels: IndexMap::new(),
            loops: Vec::new(),
            held: false,
        }
    }

    /// Lowers a `background` block that ends at `end`; returns its entry.
    pub(super) fn background(&mut self, block: &'a Block, end: LocId) -> LocId {
        self.held = true;
        let entry = self.block_or_skip(block, end, block.span);
        self.held = false;
        entry
    }

    /// Lowers a block that control leaves to `next`; returns where it starts.
    pub(super) fn block(&mut self, block: &'a Block, next: LocId) -> LocId {
        let stmts = block.stmts.iter().rev();
        stmts.fold(next, |next, stmt| self.stmt(stmt, next))
    }

    fn block_or_skip(&mut self, block: &'a Block, next: LocId, span: Span) -> LocId {
        match block.stmts.is_empty() {
            true => self.step(Action::Skip, None, next, span),
            false => self.block(block, next),
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt, next: LocId) -> LocId {
        let entry = self.unlabelled(stmt, next);
        let labels = stmt.labels.iter().map(|label| label.text.clone());
        self.graph.label(entry, labels);
        for label in &stmt.labels {
            let slot = self.label(&label.text);
            self.graph.close(slot, entry);
        }
        entry
    }

    fn unlabelled(&mut self, stmt: &'a Stmt, next: LocId) -> LocId {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(place, rhs) => {
                let mut bounds = None;
                let action = self.assignment(place, rhs, &mut bounds);
                self.step(action, bounds, next, span)
            }
            StmtKind::Fence => self.step(Action::Fence, None, next, span),
            StmtKind::OptionalFence(name) => {
                let in_force = self.fences.contains(&name.text);
                let action = if in_force {
                    Action::Fence
                } else {
                    Action::Skip
                };
                self.step(action, None, next, span)
            }
            StmtKind::Skip => self.step(Action::Skip, None, next, span),
            StmtKind::Break => self.step(Action::Skip, None, self.jumps().after, span),
            StmtKind::Continue => self.step(Action::Skip, None, self.jumps().again, span),
            StmtKind::Goto(label) => {
                let target = self.label(&label.text);
                self.step(Action::Skip, None, target, span)
            }
            StmtKind::Assume(cond) => self.assume(cond, next, span),
            StmtKind::Assert(cond, message) => self.assert(cond, message.as_deref(), next, span),
            StmtKind::If(arms, otherwise) => self.if_chain(arms, otherwise.as_ref(), next),
            StmtKind::While(cond, block) => self.while_loop(cond, block, next),
            StmtKind::DoWhile(block, cond) => self.do_while(block, cond, next),
            StmtKind::Loop(block) => self.endless_loop(block, next, span),
            StmtKind::Atomic(block) => self.atomic(block, next, span),
        }
    }

    fn assignment(&self, target: &ast::Place, rhs: &Rhs, bounds: &mut Bounds) -> Action {
        let context = &self.context;
        let stores = context.is_shared(target);
        let target = context.place(target, bounds);
        match rhs {
            Rhs::Any(_) => Action::Havoc(target),
            Rhs::Expr(expr) if stores => Action::Store(target, context.term(expr, bounds)),
            Rhs::Expr(expr) => match &expr.kind {
                ExprKind::Place(source) if context.is_shared(source) => {
                    Action::Load(target, context.place(source, bounds))
                }
                ExprKind::Num(_)
                | ExprKind::Tid
                | ExprKind::Place(_)
                | ExprKind::Neg(_)
                | ExprKind::Binary(..) => Action::Assign(target, context.term(expr, bounds)),
            },
            Rhs::Cas(source, expected, new) => {
                let source = context.place(source, bounds);
                let expected = context.term(expected, bounds);
                Action::Cas(target, source, expected, context.term(new, bounds))
            }
            Rhs::Swap(source, new) => {
                let source = context.place(source, bounds);
                Action::Swap(target, source, context.term(new, bounds))
            }
            Rhs::FetchAdd(source, difference) => {
                let source = context.place(source, bounds);
                Action::FetchAdd(target, source, context.term(difference, bounds))
            }
        }
    }

    fn assume(&mut self, cond: &ast::Cond, next: LocId, span: Span) -> LocId {
        if cond.kind == CondKind::Any {
            return self.step(Action::Skip, None, next, span);
        }
        let (cond, bounds) = self.context.cond(cond);
        self.step(Action::Assume(cond), bounds, next, span)
    }

    fn assert(
        &mut self,
        cond: &ast::Cond,
        message: Option<&str>,
        next: LocId,
        span: Span,
    ) -> LocId {
        if cond.kind == CondKind::Any {
            let kind = AssertKind::User(message.map(str::to_owned));
            let fails = Action::Assert(Cond::Const(false), kind);
            let edges = [Action::Skip, fails].map(|action| edge(action, None, next, span));
            return self.graph.add(self.held, edges.into());
        }
        let kind = match self.is_overflow_check(cond, message) && self.graph.stops(next) {
            true => AssertKind::Overflow,
            false => AssertKind::User(message.map(str::to_owned)),
        };
        let (cond, bounds) = self.context.cond(cond);
        self.step(Action::Assert(cond, kind), bounds, next, span)
    }

    fn if_chain(&mut self, arms: &'a [Arm], otherwise: Option<&'a Block>, next: LocId) -> LocId {
        let last = otherwise.map_or(next, |block| self.block(block, next));
        arms.iter().rev().fold(last, |otherwise, arm| {
            let then = self.block(&arm.block, next);
            let edges = self.branch(BranchKind::If, &arm.cond, then, otherwise);
            self.graph.add(self.held, edges)
        })
    }

    fn while_loop(&mut self, cond: &'a ast::Cond, block: &'a Block, next: LocId) -> LocId {
        let head = self.graph.add(self.held, Vec::new());
        let body = self.loop_body(block, head, next);
        let edges = self.branch(BranchKind::While, cond, body, next);
        self.graph.set_edges(head, edges);
        head
    }

    fn do_while(&mut self, block: &'a Block, cond: &'a ast::Cond, next: LocId) -> LocId {
        let test = self.graph.add(self.held, Vec::new());
        let body = self.loop_body(block, test, next);
        let edges = self.branch(BranchKind::DoWhile, cond, body, next);
        self.graph.set_edges(test, edges);
        body
    }

    /// An empty `loop` skips forever.
    fn endless_loop(&mut self, block: &'a Block, next: LocId, span: Span) -> LocId {
        let again = self.graph.open();
        self.loops.push(Jumps { after: next, again });
        let head = self.block_or_skip(block, again, span);
        self.loops.pop();
        self.graph.close(again, head);
        head
    }

    fn loop_body(&mut self, block: &'a Block, again: LocId, after: LocId) -> LocId {
        self.loops.push(Jumps { after, again });
        let body = self.block(block, again);
        self.loops.pop();
        body
    }

    fn atomic(&mut self, block: &'a Block, next: LocId, span: Span) -> LocId {
        self.held = true;
        let first = self.block_or_skip(block, next, span);
        self.held = false;
        self.graph.unheld_copy(first)
    }

    /// The two edges of a condition.
    fn branch(&self, of: BranchKind, cond: &ast::Cond, yes: LocId, no: LocId) -> Vec<Edge> {
        let (actions, bounds) = match &cond.kind {
            CondKind::Any => ([Action::Skip, Action::Skip], None),
            _ => {
                let (cond, bounds) = self.context.cond(cond);
                let negated = Cond::Not(Box::new(cond.clone()));
                ([Action::Assume(cond), Action::Assume(negated)], bounds)
            }
        };
        let [holds, fails] = actions;
        let way = |action, taken, target| Edge {
            branch: Some(Branch { of, taken }),
            ..edge(action, bounds.clone(), target, cond.span)
        };
        vec![way(holds, true, yes), way(fails, false, no)]
    }

    fn step(&mut self, action: Action, bounds: Bounds, target: LocId, span: Span) -> LocId {
        let edges = vec![edge(action, bounds, target, span)];
        self.graph.add(self.held, edges)
    }

    fn jumps(&self) -> Jumps {
        *self.loops.last().expect("the checks keep jumps in loops")
    }

    fn label(&mut self, name: &'a str) -> LocId {
        let graph = &mut self.graph;
        *self.labels.entry(name).or_insert_with(|| graph.open())
    }

    /// Whether this is the check that a reduction puts where a buffer overflows, if the run stops behind it.
    fn is_overflow_check(&self, cond: &ast::Cond, message: Option<&str>) -> bool {
        let CondKind::Compare(CompareOp::Eq, left, right) = &cond.kind else {
            return false;
        };
        let ExprKind::Place(place) = &left.kind else {
            return false;
        };
        let name = place.name.text.trim_end_matches('_');
        let is_check = message == Some("overflow") && name == "overflow";
        is_check && right.kind == ExprKind::Num(0) && self.context.is_shared(place)
    }
}

fn edge(action: Action, bounds: Bounds, target: LocId, span: Span) -> Edge {
    Edge {
        bounds,
        action,
        target,
        span,
        branch: None,
    }
}
