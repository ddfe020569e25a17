//! Lowers the statements of one thread.
//!
//! Inside `atomic` every location is held but for the entry: that one is an unheld copy of the held
//! location of the first step, so that the first step takes the section. A jump back to the first
//! statement, which can only come from inside, goes to the held one. The last step leads out to an
//! unheld location and so gives the section back.

use indexmap::{IndexMap, IndexSet};

use crate::front::cup::ast::{
    self, Arm, Block, CondKind, ExprKind, Mark, Rhs, Role, Span, Stmt, StmtKind,
};
use crate::program::{
    Action, BoundsCheck, Branch, BranchKind, Cond, Edge, LocId, PropertyKind, StmtId,
};

use super::expr::{Bounds, Context};
use super::graph::Graph;
use super::properties::Declared;
use super::statements::Statements;

/// A thread's graph under construction.
pub(super) struct Body<'a> {
    context: Context<'a>,
    fences: &'a IndexSet<String>,
    /// The graph so far.
    pub graph: Graph,
    /// The properties of its statements.
    pub declared: Declared,
    /// The statements of the program.
    statements: &'a mut Statements,
    /// Open slots of the labels.
    labels: IndexMap<&'a str, LocId>,
    /// The loops around, the innermost last.
    loops: Vec<Jumps>,
    /// Whether the statements being lowered hold the atomic section.
    held: bool,
}

/// Where a step comes from.
#[derive(Clone, Copy)]
struct Site {
    span: Span,
    stmt: StmtId,
    mark: Mark,
}

impl Site {
    /// Where a property of the step stands.
    fn place(self) -> (Span, StmtId) {
        (self.span, self.stmt)
    }
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Jumps {
    after: LocId,
    again: LocId,
}

impl<'a> Body<'a> {
    pub(super) fn new(
        context: Context<'a>,
        fences: &'a IndexSet<String>,
        statements: &'a mut Statements,
    ) -> Self {
        Body {
            context,
            fences,
            graph: Graph::default(),
            declared: Declared::default(),
            statements,
            labels: IndexMap::new(),
            loops: Vec::new(),
            held: false,
        }
    }

    /// Lowers a `background` block that ends at `end`; returns its entry.
    pub(super) fn background(&mut self, block: &'a Block, end: LocId) -> LocId {
        self.held = true;
        let entry = match block.stmts.is_empty() {
            true => {
                let site = Site {
                    span: block.span,
                    stmt: self.statements.add_background(block.span),
                    mark: Mark::default(),
                };
                self.step(Action::Skip, None, end, site)
            }
            false => self.block(block, end),
        };
        self.held = false;
        entry
    }

    /// Lowers a block that control leaves to `next`; returns where it starts.
    pub(super) fn block(&mut self, block: &'a Block, next: LocId) -> LocId {
        let stmts = block.stmts.iter().rev();
        stmts.fold(next, |next, stmt| self.stmt(stmt, next))
    }

    /// Lowers the block of a statement, which is a step of its own if the block is empty.
    fn block_or_skip(&mut self, stmt: &Stmt, block: &'a Block, next: LocId) -> LocId {
        match block.stmts.is_empty() {
            true => {
                let site = self.site(stmt);
                self.step(Action::Skip, None, next, site)
            }
            false => self.block(block, next),
        }
    }

    fn site(&mut self, stmt: &Stmt) -> Site {
        Site {
            span: stmt.span,
            stmt: self.statements.add(stmt),
            mark: stmt.mark,
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
        let role = stmt.mark.role;
        match &stmt.kind {
            StmtKind::If(arms, otherwise) => self.if_chain(arms, otherwise.as_ref(), next, role),
            StmtKind::While(cond, block) => self.while_loop(cond, block, next, role),
            StmtKind::DoWhile(block, cond) => self.do_while(block, cond, next, role),
            StmtKind::Loop(block) => self.endless_loop(stmt, block, next),
            StmtKind::Atomic(block) => self.atomic(stmt, block, next),
            StmtKind::Assign(..)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Fence
            | StmtKind::OptionalFence(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => {
                let site = self.site(stmt);
                self.simple(&stmt.kind, next, site)
            }
        }
    }

    /// Lowers a statement that is one step.
    fn simple(&mut self, kind: &'a StmtKind, next: LocId, site: Site) -> LocId {
        match kind {
            StmtKind::Assign(place, rhs) => {
                let mut bounds = None;
                let action = self.assignment(place, rhs, &mut bounds);
                self.step(action, bounds, next, site)
            }
            StmtKind::Append(fifo, values) => {
                let mut bounds = None;
                let values = values.iter();
                let values = values.map(|value| self.context.term(value, &mut bounds));
                let values = values.collect();
                let action = Action::Append(self.context.fifo(&fifo.text), values);
                self.step(action, bounds, next, site)
            }
            StmtKind::Pop(fifo) => {
                let action = Action::Pop(self.context.fifo(&fifo.text));
                self.step(action, None, next, site)
            }
            StmtKind::Fence => self.step(Action::Fence, None, next, site),
            StmtKind::OptionalFence(name) if self.fences.contains(&name.text) => {
                self.step(Action::Fence, None, next, site)
            }
            StmtKind::OptionalFence(_) | StmtKind::Skip => {
                self.step(Action::Skip, None, next, site)
            }
            StmtKind::Break => self.step(Action::Skip, None, self.jumps().after, site),
            StmtKind::Continue => self.step(Action::Skip, None, self.jumps().again, site),
            StmtKind::Goto(label) => {
                let target = self.label(&label.text);
                self.step(Action::Skip, None, target, site)
            }
            StmtKind::Assume(cond) => self.assume(cond, next, site),
            StmtKind::Assert(cond, message) => self.assert(cond, message.as_deref(), next, site),
            StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::DoWhile(..)
            | StmtKind::Loop(_)
            | StmtKind::Atomic(_) => unreachable!("a statement with a block is no single step"),
        }
    }

    fn assignment(&self, target: &ast::Place, rhs: &Rhs, bounds: &mut Bounds) -> Action {
        let context = &self.context;
        let stores = context.is_shared(target);
        let target = context.place(target, bounds);
        match rhs {
            Rhs::Any(_) => Action::Havoc(target),
            Rhs::Choose(low, high) => Action::Choose(target, context.range(low, high)),
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

    fn assume(&mut self, cond: &ast::Cond, next: LocId, site: Site) -> LocId {
        if cond.kind == CondKind::Any {
            return self.step(Action::Skip, None, next, site);
        }
        let (cond, bounds) = self.context.cond(cond);
        self.step(Action::Assume(cond), bounds, next, site)
    }

    fn assert(
        &mut self,
        cond: &ast::Cond,
        message: Option<&str>,
        next: LocId,
        site: Site,
    ) -> LocId {
        if cond.kind == CondKind::Any {
            let property = self
                .declared
                .add(PropertyKind::Assertion, message, site.place());
            let fails = Action::Assert(Cond::Const(false), property);
            let edges = [Action::Skip, fails].map(|action| edge(action, None, next, site));
            return self.graph.add(self.held, edges.into());
        }
        let kind = match site.mark.overflow {
            true => PropertyKind::Overflow,
            false => PropertyKind::Assertion,
        };
        let property = self.declared.add(kind, message, site.place());
        let (cond, bounds) = self.context.cond(cond);
        self.step(Action::Assert(cond, property), bounds, next, site)
    }

    fn if_chain(
        &mut self,
        arms: &'a [Arm],
        otherwise: Option<&'a Block>,
        next: LocId,
        role: Option<Role>,
    ) -> LocId {
        let last = otherwise.map_or(next, |block| self.block(block, next));
        arms.iter()
            .enumerate()
            .rev()
            .fold(last, |otherwise, (number, arm)| {
                let then = self.block(&arm.block, next);
                let role = role.map(|role| role.of_arm(number));
                let edges = self.branch(BranchKind::If, role, &arm.cond, then, otherwise);
                self.graph.add(self.held, edges)
            })
    }

    fn while_loop(
        &mut self,
        cond: &'a ast::Cond,
        block: &'a Block,
        next: LocId,
        role: Option<Role>,
    ) -> LocId {
        let head = self.graph.add(self.held, Vec::new());
        let body = self.loop_body(block, head, next);
        let edges = self.branch(BranchKind::While, role, cond, body, next);
        self.graph.set_edges(head, edges);
        head
    }

    fn do_while(
        &mut self,
        block: &'a Block,
        cond: &'a ast::Cond,
        next: LocId,
        role: Option<Role>,
    ) -> LocId {
        let test = self.graph.add(self.held, Vec::new());
        let body = self.loop_body(block, test, next);
        let edges = self.branch(BranchKind::DoWhile, role, cond, body, next);
        self.graph.set_edges(test, edges);
        body
    }

    /// An empty `loop` skips forever.
    fn endless_loop(&mut self, stmt: &Stmt, block: &'a Block, next: LocId) -> LocId {
        let again = self.graph.open();
        self.loops.push(Jumps { after: next, again });
        let head = self.block_or_skip(stmt, block, again);
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

    fn atomic(&mut self, stmt: &Stmt, block: &'a Block, next: LocId) -> LocId {
        self.held = true;
        let first = self.block_or_skip(stmt, block, next);
        self.held = false;
        self.graph.unheld_copy(first)
    }

    /// The two edges of a condition.
    fn branch(
        &mut self,
        of: BranchKind,
        role: Option<Role>,
        cond: &ast::Cond,
        yes: LocId,
        no: LocId,
    ) -> Vec<Edge> {
        let (actions, bounds) = match &cond.kind {
            CondKind::Any => ([Action::Skip, Action::Skip], None),
            _ => {
                let (cond, bounds) = self.context.cond(cond);
                let negated = Cond::Not(Box::new(cond.clone()));
                ([Action::Assume(cond), Action::Assume(negated)], bounds)
            }
        };
        let stmt = self.statements.add_cond(cond);
        let bounds = self.declared.add_bounds(bounds, (cond.span, stmt));
        let [holds, fails] = actions;
        let way = |action, taken, target| Edge {
            bounds: bounds.clone(),
            action,
            target,
            span: cond.span,
            stmt,
            branch: Some(Branch { of, taken }),
            role,
        };
        vec![way(holds, true, yes), way(fails, false, no)]
    }

    fn step(&mut self, action: Action, bounds: Bounds, target: LocId, site: Site) -> LocId {
        let bounds = self.declared.add_bounds(bounds, site.place());
        let edges = vec![edge(action, bounds, target, site)];
        self.graph.add(self.held, edges)
    }

    fn jumps(&self) -> Jumps {
        *self.loops.last().expect("the checks keep jumps in loops")
    }

    fn label(&mut self, name: &'a str) -> LocId {
        let graph = &mut self.graph;
        *self.labels.entry(name).or_insert_with(|| graph.open())
    }
}

fn edge(action: Action, bounds: Option<BoundsCheck>, target: LocId, site: Site) -> Edge {
    Edge {
        bounds,
        action,
        target,
        span: site.span,
        stmt: site.stmt,
        branch: None,
        role: site.mark.role,
    }
}
