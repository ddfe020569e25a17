//! What a search has reached, and what follows from it: the labels, assertions and ends of loops that no execution reaches.
//!
//! Input: a program and the steps of it that an execution can take, all of them ([`Reached`]). Output: [`Warning`]s. A search of
//! abstract states may take more steps than there are; what it does not reach is not reached.
//!
//! What a property is about is no reason to warn: a label that a property forbids by itself (`forbid P@error`), and
//! an assertion of `false`, are there not to be reached. Conditions that are constant do not count as conditions of loops.

use rustc_hash::FxHashMap;

use crate::front::cup::ast::{CondKind, ItemKind, SpecKind, Stmt, StmtKind};
use crate::front::cup::check::Checked;
use crate::program::{Action, Cond, EdgeId, LocId, Program, PropertyKind, Term, Thread, ThreadId};
use crate::source::Span;
use crate::verdict::{Warning, WarningKind};

/// The steps that some execution takes.
#[derive(Clone, Debug)]
pub struct Reached {
    edges: Vec<Vec<Vec<bool>>>,
    locations: Vec<Vec<bool>>,
    /// Whether there is a final state.
    pub is_final: bool,
}

impl Reached {
    /// The beginning: every thread is at its entry.
    pub fn start(program: &Program) -> Self {
        let edges = |thread: &Thread| {
            let locations = thread.locations.iter();
            locations.map(|at| vec![false; at.edges.len()]).collect()
        };
        let locations = |thread: &Thread| {
            let mut reached = vec![false; thread.locations.len()];
            reached[thread.entry.index()] = true;
            reached
        };
        Reached {
            edges: program.threads.iter().map(edges).collect(),
            locations: program.threads.iter().map(locations).collect(),
            is_final: false,
        }
    }

    /// What is reached if no condition is known but those that are constant: what control cannot reach here, no
    /// execution reaches.
    pub fn by_control(program: &Program) -> Self {
        let mut reached = Reached::start(program);
        for thread in program.thread_ids() {
            let graph = &program.threads[thread.index()];
            let mut work = vec![graph.entry];
            work.extend(graph.backgrounds.iter().map(|block| block.entry));
            let mut seen = vec![false; graph.locations.len()];
            while let Some(at) = work.pop() {
                if std::mem::replace(&mut seen[at.index()], true) {
                    continue;
                }
                for (number, edge) in graph.location(at).edges.iter().enumerate() {
                    if !matches!(edge.action, Action::Assume(Cond::Const(false))) {
                        reached.take(EdgeId { thread, at, number }, edge.target);
                        work.push(edge.target);
                    }
                }
            }
        }
        let mut ends = program.thread_ids().zip(&program.threads);
        reached.is_final = ends.all(|(id, thread)| reached.has(id, thread.end));
        reached
    }

    /// A step is taken.
    pub fn take(&mut self, edge: EdgeId, target: LocId) {
        let thread = edge.thread.index();
        self.edges[thread][edge.at.index()][edge.number] = true;
        self.locations[thread][target.index()] = true;
    }

    /// A thread comes to a location.
    pub fn come(&mut self, thread: ThreadId, at: LocId) {
        self.locations[thread.index()][at.index()] = true;
    }

    fn has(&self, thread: ThreadId, at: LocId) -> bool {
        self.locations[thread.index()][at.index()]
    }

    fn takes(&self, edge: EdgeId) -> bool {
        self.edges[edge.thread.index()][edge.at.index()][edge.number]
    }
}

/// That a program has no steps, if so.
fn empty(program: &Program) -> Option<Warning> {
    program.edge_ids().next().is_none().then(|| Warning {
        kind: WarningKind::Empty,
        threads: Vec::new(),
        name: String::new(),
        span: None,
        run: None,
    })
}

/// What the text of a program says by itself: that it is empty, and what control cannot reach.
pub fn in_text(checked: &Checked, program: &Program) -> Vec<Warning> {
    let mut found: Vec<Warning> = empty(program).into_iter().collect();
    found.extend(unreached(checked, program, &Reached::by_control(program)));
    found
}

/// The labels and assertions that no execution reaches, in the order of the source.
pub fn unreached_places(checked: &Checked, program: &Program, reached: &Reached) -> Vec<Warning> {
    let mut found = unreached(checked, program, reached);
    let is_place = |kind| matches!(kind, WarningKind::Label | WarningKind::Assertion);
    found.retain(|warning| is_place(warning.kind));
    found
}

/// What no execution reaches, in the order of the source.
pub fn unreached(checked: &Checked, program: &Program, reached: &Reached) -> Vec<Warning> {
    let view = View::new(program, reached);
    let mut found = Vec::new();
    let mut first = 0;
    for item in &checked.tree.items {
        match &item.kind {
            ItemKind::Thread(thread) => {
                let copies = checked.symbols.threads[&thread.name.text].copies;
                let threads = (first..first + copies.unwrap_or(1)).map(ThreadId::new);
                let threads: Vec<ThreadId> = threads.collect();
                first += threads.len();
                for stmt in &thread.body.stmts {
                    view.statement(stmt, &threads, &mut found);
                }
            }
            ItemKind::Spec(spec) if spec.kind == SpecKind::Finally && !reached.is_final => {
                let property = view.finally(item.span);
                found.extend(property);
            }
            ItemKind::Spec(_) | ItemKind::Const(_) | ItemKind::Shared(_) => {}
            ItemKind::Placement(_) => {}
        }
    }
    found
}

/// A program and what is reached in it.
struct View<'a> {
    program: &'a Program,
    reached: &'a Reached,
    /// The locations with a label.
    labels: FxHashMap<(ThreadId, &'a str), Vec<LocId>>,
    /// The steps at a place of the source.
    edges: FxHashMap<Span, Vec<EdgeId>>,
}

impl<'a> View<'a> {
    fn new(program: &'a Program, reached: &'a Reached) -> Self {
        let mut labels: FxHashMap<_, Vec<LocId>> = FxHashMap::default();
        for (thread, graph) in program.thread_ids().zip(&program.threads) {
            for (at, location) in graph.locations.iter().enumerate() {
                for label in &location.labels {
                    let key = (thread, label.as_str());
                    labels.entry(key).or_default().push(LocId::new(at));
                }
            }
        }
        let mut edges: FxHashMap<_, Vec<EdgeId>> = FxHashMap::default();
        for id in program.edge_ids() {
            edges.entry(program.edge(id).span).or_default().push(id);
        }
        View {
            program,
            reached,
            labels,
            edges,
        }
    }

    /// What of a statement is not reached in some of the threads with this text.
    fn statement(&self, stmt: &Stmt, threads: &[ThreadId], found: &mut Vec<Warning>) {
        let add = |kind, name: String, span, missing: Vec<ThreadId>, found: &mut Vec<Warning>| {
            if !missing.is_empty() {
                found.push(Warning {
                    kind,
                    threads: missing.iter().map(|id| self.name(*id)).collect(),
                    name,
                    span: Some(span),
                    run: None,
                });
            }
        };
        for label in &stmt.labels {
            let missing = |id: &ThreadId| !self.has_label(*id, &label.text);
            let missing = threads.iter().copied().filter(missing).collect();
            let name = label.text.clone();
            add(WarningKind::Label, name, label.span, missing, found);
        }
        match &stmt.kind {
            StmtKind::Assert(cond, _) if cond.kind != CondKind::False && !stmt.mark.overflow => {
                let missing = |id: &ThreadId| !self.asserts(*id, stmt.span);
                let missing = threads.iter().copied().filter(missing).collect();
                let span = Span {
                    start: stmt.start,
                    ..stmt.span
                };
                let name = self.text(stmt.span);
                add(WarningKind::Assertion, name, span, missing, found);
            }
            StmtKind::While(cond, block) | StmtKind::DoWhile(block, cond)
                if !block.stmts.iter().any(jumps) =>
            {
                let missing = |id: &ThreadId| self.never_leaves(*id, cond.span);
                let missing = threads.iter().copied().filter(missing).collect();
                let name = self.text(cond.span);
                add(WarningKind::Loop, name, cond.span, missing, found);
            }
            _ => {}
        }
        for block in stmt.kind.blocks() {
            for inner in &block.stmts {
                self.statement(inner, threads, found);
            }
        }
    }

    /// Whether a label is reached, or is there not to be.
    fn has_label(&self, thread: ThreadId, label: &str) -> bool {
        let locations = self.labels.get(&(thread, label));
        let locations: &[LocId] = locations.map_or(&[], Vec::as_slice);
        let reached = locations.iter().any(|at| self.reached.has(thread, *at));
        reached || self.is_forbidden(thread, locations)
    }

    /// Whether a property is broken wherever a thread is at one of these locations.
    fn is_forbidden(&self, thread: ThreadId, at: &[LocId]) -> bool {
        let mut specs = self.program.specs.iter();
        specs.any(|spec| match spec.kind {
            SpecKind::Invariant => truth(&spec.cond, thread, at) == Some(false),
            SpecKind::Forbid => truth(&spec.cond, thread, at) == Some(true),
            SpecKind::Finally => false,
        })
    }

    /// Whether a thread comes to the assertion at this place.
    fn asserts(&self, thread: ThreadId, span: Span) -> bool {
        let mut edges = self.edges(thread, span);
        edges.any(|id| {
            let asserts = matches!(self.program.edge(id).action, Action::Assert(..));
            asserts && self.reached.has(thread, id.at)
        })
    }

    /// Whether a thread comes to the condition of a loop, which is not constant, and never leaves the loop.
    fn never_leaves(&self, thread: ThreadId, cond: Span) -> bool {
        let leaves = |id: &EdgeId| {
            let edge = self.program.edge(*id);
            let ends = edge.branch.is_some_and(|branch| !branch.taken);
            let constant = matches!(&edge.action, Action::Assume(cond) if is_constant(cond));
            ends && !constant
        };
        let exits: Vec<EdgeId> = self.edges(thread, cond).filter(leaves).collect();
        let comes = exits.iter().any(|id| self.reached.has(thread, id.at));
        comes && !exits.iter().any(|id| self.reached.takes(*id))
    }

    /// The steps of a thread at a place of the source.
    fn edges(&self, thread: ThreadId, span: Span) -> impl Iterator<Item = EdgeId> {
        let edges = self.edges.get(&span).into_iter().flatten().copied();
        edges.filter(move |id| id.thread == thread)
    }

    fn finally(&self, span: Span) -> Option<Warning> {
        let mut properties = self.program.properties.iter();
        let property = properties
            .find(|property| property.kind == PropertyKind::Finally && property.span == span)?;
        Some(Warning {
            kind: WarningKind::Finally,
            threads: Vec::new(),
            name: property.name_text(),
            span: Some(self.program.statement(property.stmt).span),
            run: None,
        })
    }

    fn name(&self, thread: ThreadId) -> String {
        self.program.threads[thread.index()].display_name.clone()
    }

    /// The text of the statement, or of the condition, at a place; nothing where control never comes.
    fn text(&self, span: Span) -> String {
        let first = self.edges.get(&span).and_then(|edges| edges.first());
        first.map_or_else(String::new, |id| {
            let edge = self.program.edge(*id);
            self.program.statement(edge.stmt).text.clone()
        })
    }
}

/// Whether a statement may leave a loop around it.
fn jumps(stmt: &Stmt) -> bool {
    let own = matches!(stmt.kind, StmtKind::Break | StmtKind::Goto(_));
    let mut blocks = stmt.kind.blocks().into_iter();
    own || blocks.any(|block| block.stmts.iter().any(jumps))
}

/// Whether a condition reads nothing: who writes `while (true)` wants a loop for ever.
fn is_constant(cond: &Cond) -> bool {
    match cond {
        Cond::Const(_) => true,
        Cond::Not(inner) => is_constant(inner),
        Cond::And(left, right) | Cond::Or(left, right) => is_constant(left) && is_constant(right),
        Cond::Compare(_, left, right) => is_number(left) && is_number(right),
        Cond::At(..) => false,
    }
}

fn is_number(term: &Term) -> bool {
    match term {
        Term::Const(_) => true,
        Term::Var(_) | Term::Choice(..) => false,
        Term::Neg(inner) => is_number(inner),
        Term::Binary(_, left, right) => is_number(left) && is_number(right),
    }
}

/// The truth of a condition where nothing is known but that a thread is at one of these locations, whichever.
fn truth(cond: &Cond, thread: ThreadId, at: &[LocId]) -> Option<bool> {
    match cond {
        Cond::Const(value) => Some(*value),
        Cond::Not(inner) => truth(inner, thread, at).map(|value| !value),
        Cond::And(left, right) => match (truth(left, thread, at), truth(right, thread, at)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            (None, _) | (_, None) => None,
        },
        Cond::Or(left, right) => match (truth(left, thread, at), truth(right, thread, at)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            (None, _) | (_, None) => None,
        },
        Cond::Compare(..) => None,
        Cond::At(other, locations) if *other == thread => {
            let is = |at: &LocId| locations.contains(at);
            match (!at.is_empty() && at.iter().all(is), at.iter().any(is)) {
                (true, _) => Some(true),
                (false, false) => Some(false),
                (false, true) => None,
            }
        }
        Cond::At(..) => None,
    }
}
