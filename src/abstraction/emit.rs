//! The boolean program's text: control flow, atomic sections, location flags.
//!
//! All code is in `main`. It sets the initial values and starts the threads in one atomic section
//! and then becomes the environment: a thread that, whenever no thread holds the atomic section,
//! checks a spec or runs a background block. A step of the program is one statement, or several in an
//! atomic section; the flags of the locations that it leaves and enters change with it.

use boolprog_checker::ast::{Decl, Expr, Procedure, Stmt, StmtKind, Target, ThreadStart, Tree};
use indexmap::IndexMap;

use super::cubes::Implicants;
use super::effects::Effect;
use super::expr::Names;
use super::forget::Kept;
use super::{Answers, BlockEffects, Origin};
use crate::front::cup::ast::Span;
use crate::logic::{Cube, Flag, Literal, Predicate, PredicateId};
use crate::program::{EdgeId, LocId, Program, PropertyId, Thread, ThreadId, action_text};
use crate::source::SourceFile;

/// What the text is made from.
pub struct Input<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where its spans point.
    pub file: &'a SourceFile,
    /// The predicates, flags included.
    pub predicates: &'a [Predicate],
    /// The flags, with their predicates.
    pub flags: &'a [(Flag, PredicateId)],
    /// The effects of all edges, by thread, location and place among the edges.
    pub edges: &'a [Vec<Vec<Vec<Effect>>>],
    /// The background blocks that are one step.
    pub blocks: &'a [BlockEffects],
    /// The effects of all specs.
    pub specs: &'a [Vec<Effect>],
    /// The cubes that answer the effects' questions.
    pub answers: &'a Answers,
    /// The initial values of the predicates.
    pub initial: &'a [Option<bool>],
    /// The inconsistent cubes.
    pub inconsistent: &'a [Cube],
}

/// The tree, and what its statements' tags stand for.
pub fn emit(input: &Input<'_>, names: &Names) -> (Tree, Vec<Origin>) {
    let mut emit = Emitter {
        input,
        names,
        body: Vec::new(),
        origins: Vec::new(),
        pending: Vec::new(),
    };
    emit.start();
    emit.environment();
    for thread in input.program.thread_ids() {
        emit.thread(thread);
    }
    let mut main = Procedure::new("main", without_needless_jumps(emit.body));
    main.enforce = (!input.inconsistent.is_empty()).then(|| names.none(input.inconsistent));
    let globals = input
        .predicates
        .iter()
        .enumerate()
        .map(|(index, predicate)| {
            Decl::new(names.name(PredicateId::new(index))).comment(predicate.text(input.program))
        });
    let tree = Tree {
        globals: globals.collect(),
        procedures: vec![main],
    };
    (tree, emit.origins)
}

/// The labels of all locations.
pub fn location_labels(program: &Program) -> IndexMap<String, (ThreadId, LocId)> {
    let threads = program.thread_ids().zip(&program.threads);
    let locations = threads.flat_map(|(id, thread)| {
        let locations = (0..thread.locations.len()).map(LocId::new);
        locations.map(move |location| (label(id, location), (id, location)))
    });
    locations.collect()
}

/// The line of the source at a span: its number, from 1.
pub fn line_number(file: &SourceFile, span: Span) -> usize {
    file.line(span.start)
}

struct Emitter<'a> {
    input: &'a Input<'a>,
    names: &'a Names,
    body: Vec<Stmt>,
    origins: Vec<Origin>,
    /// Labels for the next statement.
    pending: Vec<String>,
}

const ENVIRONMENT: &str = "env";

impl Emitter<'_> {
    fn start(&mut self) {
        self.push(Stmt::new(StmtKind::AtomicBegin));
        let values = self.input.initial.iter().map(|value| match value {
            Some(value) => Expr::Const(*value),
            None => Expr::Nondet,
        });
        let targets = (0..self.input.predicates.len()).map(PredicateId::new);
        let targets: Vec<Target> = targets.map(|id| Target::var(self.names.name(id))).collect();
        if !targets.is_empty() {
            self.push(Stmt::assign(targets, values.collect()).comment("initial values"));
        }
        for (id, thread) in self
            .input
            .program
            .thread_ids()
            .zip(&self.input.program.threads)
        {
            let start = ThreadStart::Goto(label(id, thread.entry).into());
            self.push(Stmt::new(StmtKind::StartThread(start)).comment(&thread.display_name));
        }
        self.push(Stmt::new(StmtKind::AtomicEnd));
    }

    /// The thread that checks specs and runs background blocks.
    fn environment(&mut self) {
        let program = self.input.program;
        let backgrounds = program.thread_ids().zip(&program.threads);
        let backgrounds: Vec<(ThreadId, LocId)> = backgrounds
            .flat_map(|(id, thread)| thread.backgrounds.iter().map(move |b| (id, b.entry)))
            .collect();
        let count = self.input.specs.len() + backgrounds.len();
        self.pending.push(ENVIRONMENT.to_owned());
        if count == 0 {
            return self.push(Stmt::new(StmtKind::EndThread));
        }
        let choice = |number: usize| format!("{ENVIRONMENT}_{number}");
        self.push(Stmt::goto((0..count).map(choice)));
        for (number, effects) in self.input.specs.iter().enumerate() {
            self.pending.push(choice(number));
            let span = program.property(program.specs[number].property).span;
            let line = line_number(self.input.file, span);
            let statements = self.statements(effects, &[], (&[], span));
            self.append(statements, &format!("line {line}"));
            self.push(Stmt::goto([ENVIRONMENT]));
        }
        for (number, (thread, entry)) in backgrounds.into_iter().enumerate() {
            let name = choice(self.input.specs.len() + number);
            let blocks = self.input.blocks.iter();
            let mut own = blocks.filter(|block| (block.thread, block.entry) == (thread, entry));
            self.pending.push(name.clone());
            if let Some(block) = own.next() {
                self.block(block, &name);
                continue;
            }
            self.push(Stmt::new(StmtKind::AtomicBegin));
            self.push(Stmt::goto([label(thread, entry)]));
            self.code(thread, entry, Some(ENVIRONMENT));
        }
    }

    /// A background block as one step: a choice between the ways through it.
    fn block(&mut self, block: &BlockEffects, name: &str) {
        let program = self.input.program;
        let way = |number: usize| format!("{name}_{number}");
        if block.cases.is_empty() {
            return self.push(Stmt::goto([ENVIRONMENT]));
        }
        self.push(Stmt::goto((0..block.cases.len()).map(way)));
        for (number, (case, effects)) in block.cases.iter().enumerate() {
            self.pending.push(way(number));
            let last = *case.edges.last().expect("a block has steps");
            let span = program.edge(last).span;
            let statements = self.statements(effects, &[], (&case.edges, span));
            let owner = &program.threads[block.thread.index()].display_name;
            let texts = case.edges.iter().map(|edge| {
                let action = &program.edge(*edge).action;
                action_text(program, action)
            });
            let comment = format!("{owner}: {}", texts.collect::<Vec<_>>().join(" "));
            self.push(Stmt::new(StmtKind::AtomicBegin));
            self.append(statements, &comment);
            self.push(Stmt::new(StmtKind::AtomicEnd));
            self.push(Stmt::goto([ENVIRONMENT]));
        }
    }

    fn thread(&mut self, id: ThreadId) {
        let entry = self.input.program.threads[id.index()].entry;
        self.code(id, entry, None);
    }

    /// The code of all locations that are reachable from `entry`. A background block goes to `after`
    /// instead of the thread's end, and leaves the flags alone.
    fn code(&mut self, id: ThreadId, entry: LocId, after: Option<&str>) {
        let thread = &self.input.program.threads[id.index()];
        for location in reachable(thread, entry) {
            let edges = &thread.locations[location.index()].edges;
            if location == thread.end && after.is_some() {
                continue;
            }
            self.pending.push(label(id, location));
            if edges.is_empty() {
                self.stop(location == thread.end);
                continue;
            }
            let choice = |number: usize| format!("{}_{number}", label(id, location));
            if edges.len() > 1 {
                self.push(Stmt::goto((0..edges.len()).map(choice)));
            }
            for number in 0..edges.len() {
                if edges.len() > 1 {
                    self.pending.push(choice(number));
                }
                let edge = EdgeId {
                    thread: id,
                    at: location,
                    number,
                };
                self.edge(edge, after);
            }
        }
    }

    /// A location without edges: a thread's end, or a step that can never be taken.
    fn stop(&mut self, ended: bool) {
        if !ended {
            self.push(Stmt::new(StmtKind::Assume(Expr::Const(false))));
        }
        self.push(Stmt::new(StmtKind::EndThread));
    }

    fn edge(&mut self, step: EdgeId, after: Option<&str>) {
        let EdgeId {
            thread: id,
            at: location,
            number,
        } = step;
        let program = self.input.program;
        let thread = &program.threads[id.index()];
        let edge = program.edge(step);
        let held = |location: LocId| thread.locations[location.index()].held;
        let flags = match after {
            Some(_) => Vec::new(),
            None => self.flag_changes(id, location, edge.target),
        };
        let effects = &self.input.edges[id.index()][location.index()][number];
        let statements = self.statements(effects, &flags, (&[step], edge.span));
        let enters = !held(location) && (held(edge.target) || statements.len() > 1);
        let leaves = (held(location) || enters) && !held(edge.target);
        if enters {
            self.push(Stmt::new(StmtKind::AtomicBegin));
        }
        let line = line_number(self.input.file, edge.span);
        let comment = format!("line {line}: {}", action_text(program, &edge.action));
        self.append(statements, &comment);
        if leaves {
            self.push(Stmt::new(StmtKind::AtomicEnd));
        }
        let target = match after {
            Some(after) if edge.target == thread.end => after.to_owned(),
            _ => label(id, edge.target),
        };
        self.push(Stmt::goto([target]));
    }

    fn flag_changes(&self, id: ThreadId, from: LocId, to: LocId) -> Vec<Literal> {
        let own = self
            .input
            .flags
            .iter()
            .filter(|(flag, _)| flag.thread == id);
        own.filter_map(|(flag, predicate)| {
            let (before, after) = (flag.locations.contains(&from), flag.locations.contains(&to));
            (before != after).then_some(Literal {
                predicate: *predicate,
                positive: after,
            })
        })
        .collect()
    }

    /// The statements of one step; at least one.
    fn statements(
        &mut self,
        effects: &[Effect],
        flags: &[Literal],
        (steps, span): (&[EdgeId], Span),
    ) -> Vec<Stmt> {
        let mut statements = Vec::new();
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        for effect in effects {
            let (kind, property) = match effect {
                Effect::Assume(question) => {
                    let cubes = &self.input.answers[question].cubes;
                    if cubes.is_empty() {
                        continue;
                    }
                    (StmtKind::Assume(self.names.none(cubes)), None)
                }
                Effect::Assert(questions, property) => {
                    let cubes = questions.iter().map(|q| &self.input.answers[q].cubes);
                    let holds = Expr::all(cubes.map(|cubes| self.names.some(cubes)));
                    (StmtKind::Assert(holds), Some(*property))
                }
                Effect::Update(changes) => {
                    for change in changes {
                        let cubes = |question| -> &Implicants { &self.input.answers[question] };
                        let yes = &cubes(&change.becomes_true).cubes;
                        let no = &cubes(&change.becomes_false).cubes;
                        targets.push(Target::var(self.names.name(change.predicate)));
                        values.push(self.names.choice(yes, no));
                    }
                    continue;
                }
                Effect::Forget(kept) => {
                    for kept in kept {
                        let [yes, no] = self.kept(kept);
                        targets.push(Target::var(self.names.name(kept.predicate)));
                        values.push(self.names.choice(&yes, &no));
                    }
                    continue;
                }
            };
            let tag = self.origin(steps, property, span);
            statements.push(Stmt::new(kind).tag(tag));
        }
        targets.extend(
            flags
                .iter()
                .map(|flag| Target::var(self.names.name(flag.predicate))),
        );
        values.extend(flags.iter().map(|flag| Expr::Const(flag.positive)));
        if !targets.is_empty() {
            let tag = self.origin(steps, None, span);
            statements.push(Stmt::assign(targets, values).tag(tag));
        }
        if statements.is_empty() {
            let tag = self.origin(steps, None, span);
            self.origins[tag as usize].idle = true;
            statements.push(Stmt::new(StmtKind::Skip).tag(tag));
        }
        statements
    }

    /// What makes a predicate true that keeps its value at times, and what makes it false.
    fn kept(&self, kept: &Kept) -> [Vec<Cube>; 2] {
        let kept_while = &self.input.answers[&kept.kept_while].cubes;
        [true, false].map(|positive| {
            let own = Literal {
                predicate: kept.predicate,
                positive,
            };
            let with_own = |cube: &Cube| Cube::new(cube.literals().iter().copied().chain([own]));
            kept_while.iter().filter_map(with_own).collect()
        })
    }

    fn origin(&mut self, steps: &[EdgeId], property: Option<PropertyId>, span: Span) -> u32 {
        let (edge, before) = match steps {
            [] => (None, &[][..]),
            [before @ .., last] => (Some(*last), before),
        };
        self.origins.push(Origin {
            edge,
            before: before.to_vec(),
            property,
            span,
            idle: false,
        });
        u32::try_from(self.origins.len() - 1).expect("programs have fewer than 2^32 statements")
    }

    fn append(&mut self, statements: Vec<Stmt>, comment: &str) {
        for (position, statement) in statements.into_iter().enumerate() {
            self.push(if position == 0 {
                statement.comment(comment)
            } else {
                statement
            });
        }
    }

    fn push(&mut self, statement: Stmt) {
        let labels = std::mem::take(&mut self.pending);
        self.body
            .push(labels.into_iter().fold(statement, Stmt::label));
    }
}

fn label(thread: ThreadId, location: LocId) -> String {
    format!("t{}_{}", thread.index(), location.index())
}

/// The locations that are reachable from an entry, in depth-first order.
fn reachable(thread: &Thread, entry: LocId) -> Vec<LocId> {
    let mut order = Vec::new();
    let mut seen = vec![false; thread.locations.len()];
    let mut work = vec![entry];
    while let Some(location) = work.pop() {
        if std::mem::replace(&mut seen[location.index()], true) {
            continue;
        }
        order.push(location);
        let edges = &thread.locations[location.index()].edges;
        work.extend(edges.iter().rev().map(|edge| edge.target));
    }
    order
}

/// Drops jumps to the next statement.
fn without_needless_jumps(body: Vec<Stmt>) -> Vec<Stmt> {
    let needless = |pair: &[Stmt]| match &pair[0].kind {
        StmtKind::Goto(targets) => {
            pair[0].labels.is_empty() && targets.len() == 1 && pair[1].labels.contains(&targets[0])
        }
        _ => false,
    };
    let dropped: Vec<bool> = body.windows(2).map(needless).collect();
    let dropped = dropped.into_iter().chain(std::iter::once(false));
    let kept = body.into_iter().zip(dropped);
    kept.filter(|(_, dropped)| !dropped)
        .map(|(stmt, _)| stmt)
        .collect()
}
