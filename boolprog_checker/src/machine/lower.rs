//! Turns statements into locations and edges; `copy` inlines the calls.
//!
//! Every statement of an inlined copy has its own location; `if` with `elsif` has one for each
//! further condition, because each condition is a step of its own. A call is a step that writes the
//! parameters and leaves the callee's locals arbitrary; a `return` is a step that writes the results
//! to the caller's variables. Reaching the end of a procedure with results leaves them arbitrary. A statement with
//! an error label has, beside its own steps, an assertion that always fails; the run goes on with the others.

use std::sync::Arc;

use indexmap::IndexMap;
use itertools::chain;
use rustc_hash::FxHashMap;

use super::code::Code;
use super::condition::Condition;
use super::copy::{Instance, Text, texts};
use super::scope::Scope;
use super::{
    Action, Assertion, Assignment, AtomicChange, Constrain, Edge, Enforce, FrameBit, Image, Judged,
    LocId, Location, Machine, Start, WORD, Write, atomic, threads,
};
use crate::error::{ErrorKind, Errors, ProgramError};
use crate::outcome::AssertId;
use crate::syntax::ast::{Branch, Expr, Stmt, StmtId, StmtKind, Target, ThreadStart, Tree};

/// Most locations after inlining.
pub(super) const MAX_LOCATIONS: usize = 500_000;

/// Most blocks open at a place, those of all callers together.
const MAX_DEPTH: usize = 400;

/// Lowers a checked tree.
pub(crate) fn lower(tree: &Tree, error_labels: &[String]) -> Result<Machine, Errors> {
    let stmts = tree.statements();
    let mut lowering = Lowering::new(tree, &stmts);
    lowering.judge_labels(&stmts, error_labels)?;
    let main = lowering.procedure_named("main");
    let main = lowering.root(main);
    let mut done = 0;
    while done < lowering.roots.len() {
        lowering.lower_root(done);
        done += 1;
        if let Some(kind) = lowering.refused.take() {
            return Err(ProgramError::new(kind, None).into());
        }
    }
    let mut machine = lowering.finish(main);
    atomic::mark(&mut machine, &stmts)?;
    threads::mark(&mut machine);
    Ok(machine)
}

/// The work in progress.
pub(super) struct Lowering<'a> {
    pub(super) texts: Vec<Text<'a>>,
    pub(super) names: FxHashMap<&'a str, usize>,
    pub(super) ids: FxHashMap<*const Stmt, StmtId>,
    pub(super) asserts: IndexMap<StmtId, AssertId>,
    /// The error labels and where they stand; their numbers follow those of the assertions.
    error_labels: IndexMap<(StmtId, String), AssertId>,
    pub(super) globals: Scope<'a>,
    pub(super) global_names: Vec<String>,
    pub(super) images: Vec<Image>,
    pub(super) locations: Vec<Location>,
    pub(super) enforces: Vec<Enforce>,
    /// Images by procedure.
    pub(super) roots: IndexMap<usize, Instance<'a>>,
    /// Blocks and calls that are open.
    depth: usize,
    /// Why the program cannot be lowered.
    pub(super) refused: Option<ErrorKind>,
}

impl<'a> Lowering<'a> {
    fn new(tree: &'a Tree, stmts: &[&'a Stmt]) -> Self {
        let ids: FxHashMap<_, _> = stmts
            .iter()
            .zip(0..)
            .map(|(stmt, id)| (std::ptr::from_ref(*stmt), StmtId(id)))
            .collect();
        let is_assert = |(_, stmt): &(u32, &&Stmt)| matches!(stmt.kind, StmtKind::Assert(_));
        let asserts = (0..)
            .zip(stmts.iter())
            .filter(is_assert)
            .map(|(id, _)| StmtId(id));
        let names = tree.globals.iter().map(|decl| decl.name.name.as_str());
        Self {
            texts: texts(tree, &ids),
            names: tree
                .procedures
                .iter()
                .zip(0..)
                .map(|(p, i)| (p.name.name.as_str(), i))
                .collect(),
            asserts: asserts.zip((0..).map(AssertId)).collect(),
            error_labels: IndexMap::new(),
            globals: Scope::of_globals(names.clone()),
            global_names: names.map(str::to_owned).collect(),
            ids,
            images: Vec::new(),
            locations: Vec::new(),
            enforces: Vec::new(),
            roots: IndexMap::new(),
            depth: 0,
            refused: None,
        }
    }

    /// Numbers the statements with these labels.
    fn judge_labels(&mut self, stmts: &[&'a Stmt], wanted: &[String]) -> Result<(), ProgramError> {
        for name in wanted {
            let labelled = |stmt: &&&Stmt| stmt.labels.iter().any(|label| label.name == *name);
            let mut found = stmts.iter().filter(labelled).peekable();
            if found.peek().is_none() {
                return Err(ProgramError::new(
                    ErrorKind::NoErrorLabel(name.clone()),
                    None,
                ));
            }
            for stmt in found {
                let number = AssertId((self.asserts.len() + self.error_labels.len()) as u32);
                let key = (self.id(stmt), name.clone());
                self.error_labels.entry(key).or_insert(number);
            }
        }
        Ok(())
    }

    /// A local of a thread's first procedure is known by its name alone, unless that hides a global.
    fn tell_hiding_locals(&mut self) {
        for instance in self.roots.values() {
            let procedure = &self.texts[instance.text].procedure.name;
            let image = &mut self.images[instance.image.0 as usize];
            for name in &mut image.locals[..image.own] {
                if self.global_names.contains(name) {
                    *name = format!("{procedure}.{name}");
                }
            }
        }
    }

    fn finish(mut self, main: LocId) -> Machine {
        self.tell_hiding_locals();
        let asserts = self
            .asserts
            .into_keys()
            .map(|stmt| Judged { stmt, label: None });
        let labels = self.error_labels.into_keys().map(|(stmt, label)| Judged {
            stmt,
            label: Some(label),
        });
        Machine {
            globals: self.global_names,
            images: self.images,
            locations: self.locations,
            enforces: self.enforces,
            asserts: chain(asserts, labels).collect(),
            fixed_threads: 1,
            main,
        }
    }

    pub(super) fn procedure_named(&self, name: &str) -> usize {
        self.names[name]
    }

    pub(super) fn block(&mut self, instance: &Instance<'a>, block: &'a [Stmt], follow: LocId) {
        if self.depth == MAX_DEPTH {
            self.refused = Some(ErrorKind::TooDeep(MAX_DEPTH));
        }
        self.depth += 1;
        for (i, stmt) in block.iter().enumerate() {
            if self.refused.is_some() {
                break;
            }
            let next = block
                .get(i + 1)
                .map_or(follow, |next| self.at(instance, next));
            self.stmt(instance, stmt, next);
        }
        self.depth -= 1;
    }

    pub(super) fn id(&self, stmt: &Stmt) -> StmtId {
        self.ids[&std::ptr::from_ref(stmt)]
    }

    /// The location of a statement in a copy.
    pub(super) fn at(&self, instance: &Instance<'a>, stmt: &Stmt) -> LocId {
        LocId(instance.base + self.id(stmt).0 - self.texts[instance.text].first)
    }

    /// Where a block begins.
    fn first(&self, instance: &Instance<'a>, block: &'a [Stmt], follow: LocId) -> LocId {
        block.first().map_or(follow, |stmt| self.at(instance, stmt))
    }

    fn label(&self, instance: &Instance<'a>, label: &str) -> LocId {
        let text = &self.texts[instance.text];
        LocId(instance.base + text.labels[label].0 - text.first)
    }

    pub(super) fn edge(&mut self, from: LocId, stmt: StmtId, step: Step) {
        let Step {
            action,
            target,
            branch,
            condition,
            atomic,
        } = step;
        self.locations[from.index()].edges.push(Edge {
            action,
            target,
            stmt,
            branch,
            condition,
            atomic,
        });
    }

    fn stmt(&mut self, instance: &Instance<'a>, stmt: &'a Stmt, next: LocId) {
        let (at, id) = (self.at(instance, stmt), self.id(stmt));
        self.reach_labels(stmt, at, id);
        match &stmt.kind {
            StmtKind::Skip | StmtKind::Print(_) => self.edge(at, id, Step::to(next)),
            StmtKind::AtomicBegin => self.edge(
                at,
                id,
                Step {
                    atomic: AtomicChange::Begin,
                    ..Step::to(next)
                },
            ),
            StmtKind::AtomicEnd => self.edge(
                at,
                id,
                Step {
                    atomic: AtomicChange::End,
                    ..Step::to(next)
                },
            ),
            StmtKind::EndThread => self.edge(at, id, Step::to(LocId::ENDED)),
            StmtKind::Assume(condition) => {
                let condition = Condition::new(instance.scope.code(condition));
                self.edge(at, id, Step::new(Action::Assume(Arc::new(condition)), next));
            }
            StmtKind::Assert(condition) => {
                let action = self.assertion(instance, id, condition);
                self.edge(at, id, Step::new(action, next));
            }
            StmtKind::Assign {
                targets,
                values,
                constrain,
            } => {
                let assignment = self.assignment(instance, targets, values, constrain.as_ref());
                self.edge(
                    at,
                    id,
                    Step::new(Action::Assign(Arc::new(assignment)), next),
                );
            }
            StmtKind::Dead(names) => {
                let bits = names.iter().map(|name| instance.scope.bit(name));
                self.edge(at, id, Step::new(havoc(bits), next));
            }
            StmtKind::Goto(labels) => {
                for label in labels {
                    let target = self.label(instance, &label.name);
                    self.edge(at, id, Step::to(target));
                }
            }
            StmtKind::Return(values) => {
                let values = values
                    .iter()
                    .map(|value| instance.scope.code(value))
                    .collect();
                let leave = self.leave(instance, values);
                self.edge(at, id, leave);
            }
            StmtKind::If {
                branches,
                otherwise,
            } => {
                self.branches(instance, id, at, branches, otherwise.as_deref(), next);
            }
            StmtKind::While { condition, body } => {
                let enter = self.first(instance, body, at);
                self.fork(instance, id, at, (0, condition), [enter, next]);
                self.block(instance, body, at);
            }
            StmtKind::StartThread(ThreadStart::Goto(label)) => {
                let entry = self.label(instance, &label.name);
                let start = Start {
                    entry,
                    copy: true,
                    repeated: false,
                    arguments: Vec::new(),
                };
                self.edge(at, id, Step::new(Action::Start(Arc::new(start)), next));
            }
            StmtKind::StartThread(ThreadStart::Procedure(name)) => {
                let step = self.start(instance, &name.name, &[], next);
                self.edge(at, id, step);
            }
            StmtKind::Call {
                procedure,
                arguments,
                ..
            } if stmt.is_async() => {
                let step = self.start(instance, &procedure.name, arguments, next);
                self.edge(at, id, step);
            }
            StmtKind::Call {
                targets,
                procedure,
                arguments,
            } => {
                self.call(instance, stmt, targets, &procedure.name, arguments, next);
            }
        }
    }

    /// A failing step for each error label of the statement. It leads nowhere else.
    fn reach_labels(&mut self, stmt: &Stmt, at: LocId, id: StmtId) {
        for label in &stmt.labels {
            let Some(number) = self.error_labels.get(&(id, label.name.clone())) else {
                continue;
            };
            let assertion = Assertion {
                id: *number,
                holds: Condition::new(Code::Const(false)),
                fails: Condition::new(Code::Const(true)),
            };
            self.edge(at, id, Step::new(Action::Assert(Arc::new(assertion)), at));
        }
    }

    fn assertion(&self, instance: &Instance<'a>, id: StmtId, condition: &Expr) -> Action {
        let code = instance.scope.code(condition);
        let fails = Condition::new(Code::Not(Box::new(code.clone())));
        Action::Assert(Arc::new(Assertion {
            id: self.asserts[&id],
            holds: Condition::new(code),
            fails,
        }))
    }

    fn assignment(
        &self,
        instance: &Instance<'a>,
        targets: &[Target],
        values: &[Expr],
        constrain: Option<&Expr>,
    ) -> Assignment {
        let mut writes = Vec::new();
        for (place, (target, value)) in targets.iter().zip(values).enumerate() {
            if let Some(bit) = instance.scope.target(target) {
                writes.push(Write {
                    bit,
                    value: instance.scope.code(value),
                    place,
                });
            }
        }
        let constrain = constrain.map(|condition| self.constrain(instance, &writes, condition));
        Assignment {
            writes,
            constrain,
            forget: Vec::new(),
        }
    }

    fn constrain(&self, instance: &Instance<'a>, writes: &[Write], condition: &Expr) -> Constrain {
        // The image is still growing, so the next values get a place that locals never reach.
        let first = NEXT_VALUES;
        let next = writes.iter().map(|write| write.bit).zip(first..).collect();
        Constrain {
            condition: Condition::new(instance.scope.code_with(condition, &next)),
            first,
        }
    }

    fn branches(
        &mut self,
        instance: &Instance<'a>,
        id: StmtId,
        at: LocId,
        branches: &'a [Branch],
        otherwise: Option<&'a [Stmt]>,
        next: LocId,
    ) {
        if branches.is_empty() {
            return self.edge(at, id, Step::to(next));
        }
        let mut from = at;
        for (number, branch) in branches.iter().enumerate() {
            let yes = self.first(instance, &branch.body, next);
            let no = match otherwise {
                _ if number + 1 < branches.len() => {
                    self.location(instance.image, instance.enforce, Some(id))
                }
                Some(block) => self.first(instance, block, next),
                None => next,
            };
            self.fork(instance, id, from, (number, &branch.condition), [yes, no]);
            self.block(instance, &branch.body, next);
            from = no;
        }
        if let Some(block) = otherwise {
            self.block(instance, block, next);
        }
    }

    /// Two steps: to the first target where the statement's condition with this number holds, to the
    /// second where it does not.
    fn fork(
        &mut self,
        instance: &Instance<'a>,
        id: StmtId,
        at: LocId,
        (number, condition): (usize, &Expr),
        targets: [LocId; 2],
    ) {
        let code = instance.scope.code(condition);
        let negation = Code::Not(Box::new(code.clone()));
        for (code, target, branch) in [(code, targets[0], true), (negation, targets[1], false)] {
            let action = Action::Assume(Arc::new(Condition::new(code)));
            self.edge(
                at,
                id,
                Step {
                    branch: Some(branch),
                    condition: number,
                    ..Step::new(action, target)
                },
            );
        }
    }
}

/// Where the next values of an assignment stand: behind all words a frame can have.
pub(crate) const NEXT_VALUES: FrameBit = 1 << 30;

const _: () = assert!(NEXT_VALUES.is_multiple_of(WORD));

/// An edge without its statement.
pub(super) struct Step {
    action: Action,
    target: LocId,
    branch: Option<bool>,
    condition: usize,
    atomic: AtomicChange,
}

impl Step {
    pub(super) fn new(action: Action, target: LocId) -> Self {
        Self {
            action,
            target,
            branch: None,
            condition: 0,
            atomic: AtomicChange::None,
        }
    }

    pub(super) fn to(target: LocId) -> Self {
        Self::new(Action::NoOp, target)
    }
}

/// The assignment, or nothing if it has no effect.
pub(super) fn effect(assignment: Assignment) -> Action {
    if assignment.writes.is_empty() && assignment.forget.is_empty() {
        return Action::NoOp;
    }
    Action::Assign(Arc::new(assignment))
}

fn havoc(bits: impl Iterator<Item = FrameBit>) -> Action {
    let write = |(place, bit)| Write {
        bit,
        value: Code::Nondet,
        place,
    };
    effect(Assignment {
        writes: bits.enumerate().map(write).collect(),
        ..Assignment::default()
    })
}
