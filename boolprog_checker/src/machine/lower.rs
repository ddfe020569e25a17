//! Inlines all calls and turns statements into locations and edges.
//!
//! Every statement of an inlined copy has its own location; `if` with `elsif` has one for each
//! further condition, because each condition is a step of its own. A call is a step that writes the
//! parameters and leaves the callee's locals arbitrary; a `return` is a step that writes the results
//! to the caller's variables. Reaching the end of a procedure with results leaves them arbitrary.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::code::Code;
use super::condition::Condition;
use super::scope::{Scope, first_local};
use super::{
    Action, Assertion, Assignment, AtomicChange, Constrain, Edge, Enforce, EnforceId, FrameBit,
    Image, ImageId, LocId, Location, Machine, Start, WORD, Write, atomic,
};
use crate::error::{ErrorKind, Errors, ProgramError};
use crate::outcome::AssertId;
use crate::syntax::ast::{
    Branch, Decl, Expr, Procedure, Stmt, StmtId, StmtKind, Target, ThreadStart, Tree,
};

/// Most locations after inlining.
const MAX_LOCATIONS: usize = 4_000_000;

/// Lowers a checked tree.
pub(crate) fn lower(tree: &Tree) -> Result<Machine, Errors> {
    let stmts = tree.statements();
    let mut lowering = Lowering::new(tree, &stmts);
    let main = lowering.procedure_named("main");
    let (_, main) = lowering.root(main);
    let mut done = 0;
    while done < lowering.roots.len() {
        lowering.lower_root(done);
        done += 1;
        if lowering.too_large {
            return Err(ProgramError::new(ErrorKind::TooLarge(MAX_LOCATIONS), None).into());
        }
    }
    let mut machine = lowering.finish(main);
    atomic::mark(&mut machine, &stmts)?;
    Ok(machine)
}

/// A procedure and the numbers of its statements.
struct Text<'a> {
    procedure: &'a Procedure,
    first: u32,
    count: u32,
    labels: HashMap<&'a str, StmtId>,
}

/// The root of an image.
struct Root<'a> {
    instance: Instance<'a>,
}

/// One inlined copy of a procedure.
#[derive(Clone)]
struct Instance<'a> {
    text: usize,
    scope: Scope<'a>,
    image: ImageId,
    enforce: Option<EnforceId>,
    /// The location of the procedure's first statement; the others follow.
    base: u32,
    leave: Leave<'a>,
}

/// What happens when a copy is left.
#[derive(Clone)]
enum Leave<'a> {
    /// The thread ends.
    Thread,
    /// The results go to these bits, the copy's variables are forgotten, the caller goes on.
    Call {
        results: Vec<Option<FrameBit>>,
        frame: Vec<FrameBit>,
        next: LocId,
        call: &'a Stmt,
    },
}

struct Lowering<'a> {
    texts: Vec<Text<'a>>,
    names: HashMap<&'a str, usize>,
    ids: HashMap<*const Stmt, StmtId>,
    asserts: IndexMap<StmtId, AssertId>,
    globals: Scope<'a>,
    global_names: Vec<String>,
    images: Vec<Image>,
    locations: Vec<Location>,
    enforces: Vec<Enforce>,
    /// Images by procedure.
    roots: IndexMap<usize, Root<'a>>,
    too_large: bool,
}

impl<'a> Lowering<'a> {
    fn new(tree: &'a Tree, stmts: &[&'a Stmt]) -> Self {
        let ids: HashMap<_, _> = stmts
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
            globals: Scope::of_globals(names.clone()),
            global_names: names.map(str::to_owned).collect(),
            ids,
            images: Vec::new(),
            locations: Vec::new(),
            enforces: Vec::new(),
            roots: IndexMap::new(),
            too_large: false,
        }
    }

    fn finish(self, main: LocId) -> Machine {
        Machine {
            globals: self.global_names,
            images: self.images,
            locations: self.locations,
            enforces: self.enforces,
            asserts: self.asserts.into_keys().collect(),
            main,
        }
    }

    fn procedure_named(&self, name: &str) -> usize {
        self.names[name]
    }

    /// The image of a procedure that threads begin in, and where they begin.
    fn root(&mut self, text: usize) -> (ImageId, LocId) {
        if !self.roots.contains_key(&text) {
            let image = ImageId(self.images.len() as u32);
            self.images.push(Image::default());
            let (instance, frame) = self.instance(text, image, Leave::Thread);
            self.images[image.0 as usize].own = frame.len();
            self.roots.insert(text, Root { instance });
        }
        let instance = &self.roots[&text].instance;
        (instance.image, self.entry(instance))
    }

    fn lower_root(&mut self, index: usize) {
        let instance = self.roots[index].instance.clone();
        self.body(&instance);
    }

    /// Where a thread that enters the copy begins.
    fn entry(&self, instance: &Instance<'a>) -> LocId {
        match (self.texts[instance.text].count, &instance.leave) {
            (0, Leave::Thread) => LocId::ENDED,
            _ => LocId(instance.base),
        }
    }

    /// Makes a copy of a procedure: its variables, its `enforce`, its locations without edges.
    /// Gives back the bits of its variables too.
    fn instance(
        &mut self,
        text: usize,
        image: ImageId,
        leave: Leave<'a>,
    ) -> (Instance<'a>, Vec<FrameBit>) {
        let procedure = self.texts[text].procedure;
        let mut scope = self.globals.clone();
        let decls = procedure.parameters.iter().chain(&procedure.locals);
        let inlined = matches!(leave, Leave::Call { .. });
        let frame: Vec<_> = decls
            .map(|decl| self.local(decl, procedure, image, inlined, &mut scope))
            .collect();
        let enforce = procedure
            .enforce
            .as_ref()
            .map(|expr| self.enforce(expr, &scope));
        let base = self.locations.len() as u32;
        let (first, count) = (self.texts[text].first, self.texts[text].count);
        for id in first..first + count {
            self.location(image, enforce, Some(StmtId(id)));
        }
        if inlined {
            self.location(image, enforce, None);
        }
        (
            Instance {
                text,
                scope,
                image,
                enforce,
                base,
                leave,
            },
            frame,
        )
    }

    fn local(
        &mut self,
        decl: &'a Decl,
        procedure: &Procedure,
        image: ImageId,
        inlined: bool,
        scope: &mut Scope<'a>,
    ) -> FrameBit {
        let locals = &mut self.images[image.0 as usize].locals;
        let bit = first_local(self.global_names.len()) + locals.len() as u32;
        let name = &decl.name.name;
        locals.push(if inlined {
            format!("{}.{name}", procedure.name)
        } else {
            name.clone()
        });
        scope.declare(name, bit);
        bit
    }

    fn enforce(&mut self, expr: &Expr, scope: &Scope<'a>) -> EnforceId {
        let condition = Condition::new(scope.code(expr));
        let first_local = first_local(self.global_names.len());
        let size = condition.bits.last().map_or(0, |last| *last as usize + 1);
        let mut clauses_of = vec![Vec::new(); size];
        for (clause, index) in condition.clauses.iter().zip(0..) {
            clause
                .iter()
                .for_each(|literal| clauses_of[literal.bit as usize].push(index));
        }
        let global = condition.bits.iter().all(|bit| *bit < first_local);
        self.enforces.push(Enforce {
            condition,
            global,
            clauses_of,
        });
        EnforceId(self.enforces.len() as u32 - 1)
    }

    fn location(
        &mut self,
        image: ImageId,
        enforce: Option<EnforceId>,
        stmt: Option<StmtId>,
    ) -> LocId {
        self.too_large |= self.locations.len() >= MAX_LOCATIONS;
        let edges = Vec::new();
        self.locations.push(Location {
            image,
            enforce,
            stmt,
            atomic: false,
            reducible: false,
            edges,
        });
        LocId(self.locations.len() as u32 - 1)
    }

    /// The statements of a copy, and what happens at its end.
    fn body(&mut self, instance: &Instance<'a>) {
        let text = &self.texts[instance.text];
        let (procedure, count) = (text.procedure, text.count);
        match &instance.leave {
            Leave::Thread => self.block(instance, &procedure.body, LocId::ENDED),
            Leave::Call { call, .. } => {
                let end = LocId(instance.base + count);
                self.block(instance, &procedure.body, end);
                let values = vec![Code::Nondet; procedure.results as usize];
                let leave = self.leave(instance, values);
                self.edge(end, self.id(call), leave);
            }
        }
    }

    fn block(&mut self, instance: &Instance<'a>, block: &'a [Stmt], follow: LocId) {
        for (i, stmt) in block.iter().enumerate() {
            let next = block
                .get(i + 1)
                .map_or(follow, |next| self.at(instance, next));
            if self.too_large {
                return;
            }
            self.stmt(instance, stmt, next);
        }
    }

    fn id(&self, stmt: &Stmt) -> StmtId {
        self.ids[&std::ptr::from_ref(stmt)]
    }

    /// The location of a statement in a copy.
    fn at(&self, instance: &Instance<'a>, stmt: &Stmt) -> LocId {
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

    fn edge(&mut self, from: LocId, stmt: StmtId, step: Step) {
        let Step {
            action,
            target,
            branch,
            atomic,
        } = step;
        self.locations[from.index()].edges.push(Edge {
            action,
            target,
            stmt,
            branch,
            atomic,
        });
    }

    fn stmt(&mut self, instance: &Instance<'a>, stmt: &'a Stmt, next: LocId) {
        let (at, id) = (self.at(instance, stmt), self.id(stmt));
        match &stmt.kind {
            StmtKind::Skip => self.edge(at, id, Step::to(next)),
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
                self.edge(at, id, Step::new(Action::Assume(condition), next));
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
                    Step::new(Action::Assign(Box::new(assignment)), next),
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
                self.fork(instance, id, at, condition, [enter, next]);
                self.block(instance, body, at);
            }
            StmtKind::StartThread(ThreadStart::Goto(label)) => {
                let entry = self.label(instance, &label.name);
                let start = Start {
                    entry,
                    copy: true,
                    arguments: Vec::new(),
                };
                self.edge(at, id, Step::new(Action::Start(Box::new(start)), next));
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

    fn assertion(&self, instance: &Instance<'a>, id: StmtId, condition: &Expr) -> Action {
        let code = instance.scope.code(condition);
        let fails = Condition::new(Code::Not(Box::new(code.clone())));
        Action::Assert(Box::new(Assertion {
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
        let Some((branch, rest)) = branches.split_first() else {
            return self.edge(at, id, Step::to(next));
        };
        let yes = self.first(instance, &branch.body, next);
        let no = match (rest.is_empty(), otherwise) {
            (true, Some(block)) => self.first(instance, block, next),
            (true, None) => next,
            (false, _) => self.location(instance.image, instance.enforce, Some(id)),
        };
        self.fork(instance, id, at, &branch.condition, [yes, no]);
        self.block(instance, &branch.body, next);
        if !rest.is_empty() {
            self.branches(instance, id, no, rest, otherwise, next);
        } else if let Some(block) = otherwise {
            self.block(instance, block, next);
        }
    }

    /// Two steps: to the first target where the condition holds, to the second where it does not.
    fn fork(
        &mut self,
        instance: &Instance<'a>,
        id: StmtId,
        at: LocId,
        condition: &Expr,
        targets: [LocId; 2],
    ) {
        let code = instance.scope.code(condition);
        let negation = Code::Not(Box::new(code.clone()));
        for (code, target, branch) in [(code, targets[0], true), (negation, targets[1], false)] {
            let action = Action::Assume(Condition::new(code));
            self.edge(
                at,
                id,
                Step {
                    branch: Some(branch),
                    ..Step::new(action, target)
                },
            );
        }
    }

    fn start(
        &mut self,
        instance: &Instance<'a>,
        name: &str,
        arguments: &[Expr],
        next: LocId,
    ) -> Step {
        let (image, entry) = self.root(self.procedure_named(name));
        if entry == LocId::ENDED {
            return Step::to(next);
        }
        debug_assert!(self.images[image.0 as usize].own >= arguments.len());
        let first = first_local(self.global_names.len());
        let value = |(place, argument): (usize, &Expr)| Write {
            bit: first + place as u32,
            value: instance.scope.code(argument),
            place,
        };
        let arguments = arguments.iter().enumerate().map(value).collect();
        Step::new(
            Action::Start(Box::new(Start {
                entry,
                copy: false,
                arguments,
            })),
            next,
        )
    }

    fn call(
        &mut self,
        instance: &Instance<'a>,
        stmt: &'a Stmt,
        targets: &[Target],
        name: &str,
        arguments: &[Expr],
        next: LocId,
    ) {
        let text = self.procedure_named(name);
        let results = targets
            .iter()
            .map(|target| instance.scope.target(target))
            .collect();
        let leave = Leave::Call {
            results,
            frame: Vec::new(),
            next,
            call: stmt,
        };
        let (mut callee, frame) = self.instance(text, instance.image, leave);
        let values = arguments
            .iter()
            .map(|argument| instance.scope.code(argument));
        let values = values.chain(std::iter::repeat(Code::Nondet));
        let writes = frame.iter().zip(values).enumerate();
        let writes = writes
            .map(|(place, (bit, value))| Write {
                bit: *bit,
                value,
                place,
            })
            .collect();
        let enter = Assignment {
            writes,
            ..Assignment::default()
        };
        let step = Step::new(effect(enter), LocId(callee.base));
        self.edge(self.at(instance, stmt), self.id(stmt), step);
        if let Leave::Call {
            frame: forgotten, ..
        } = &mut callee.leave
        {
            *forgotten = frame;
        }
        self.body(&callee);
    }

    /// The step that leaves a copy with these results.
    fn leave(&self, instance: &Instance<'a>, values: Vec<Code>) -> Step {
        match &instance.leave {
            Leave::Thread => Step::to(LocId::ENDED),
            Leave::Call {
                results,
                frame,
                next,
                ..
            } => {
                let pairs = results.iter().zip(values).enumerate();
                let write = |(place, (bit, value)): (usize, (&Option<FrameBit>, Code))| {
                    bit.map(|bit| Write { bit, value, place })
                };
                let writes = pairs.filter_map(write).collect();
                let assignment = Assignment {
                    writes,
                    constrain: None,
                    forget: frame.clone(),
                };
                Step::new(effect(assignment), *next)
            }
        }
    }
}

/// Where the next values of an assignment stand: behind all words a frame can have.
pub(crate) const NEXT_VALUES: FrameBit = 1 << 30;

const _: () = assert!(NEXT_VALUES.is_multiple_of(WORD));

/// An edge without its statement.
struct Step {
    action: Action,
    target: LocId,
    branch: Option<bool>,
    atomic: AtomicChange,
}

impl Step {
    fn new(action: Action, target: LocId) -> Self {
        Self {
            action,
            target,
            branch: None,
            atomic: AtomicChange::None,
        }
    }

    fn to(target: LocId) -> Self {
        Self::new(Action::NoOp, target)
    }
}

/// The assignment, or nothing if it has no effect.
fn effect(assignment: Assignment) -> Action {
    if assignment.writes.is_empty() && assignment.forget.is_empty() {
        return Action::NoOp;
    }
    Action::Assign(Box::new(assignment))
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

fn texts<'a>(tree: &'a Tree, ids: &HashMap<*const Stmt, StmtId>) -> Vec<Text<'a>> {
    let mut first = 0;
    let mut texts = Vec::new();
    for procedure in &tree.procedures {
        let mut text = Text {
            procedure,
            first,
            count: 0,
            labels: HashMap::new(),
        };
        number(&procedure.body, ids, &mut text);
        first += text.count;
        texts.push(text);
    }
    texts
}

fn number<'a>(block: &'a [Stmt], ids: &HashMap<*const Stmt, StmtId>, text: &mut Text<'a>) {
    for stmt in block {
        text.count += 1;
        let id = ids[&std::ptr::from_ref(stmt)];
        text.labels
            .extend(stmt.labels.iter().map(|label| (label.name.as_str(), id)));
        stmt.blocks()
            .into_iter()
            .for_each(|inner| number(inner, ids, text));
    }
}
