//! Rules about control: labels, jumps, loops, atomic and background blocks, optional fences.

use indexmap::IndexMap;

use super::MAX_STATEMENTS;
use super::names::Names;
use super::suggestions::unknown;
use crate::front::cup::ast::{Block, Name, Span, Stmt, StmtKind, Thread, Tree};
use crate::source::Diagnostic;

/// The labels and optional fences of a thread.
#[derive(Default)]
struct Control {
    /// The labels with the places where they stand.
    labels: IndexMap<String, Label>,
    /// The optional fences with the places where they stand.
    fences: IndexMap<String, Span>,
    /// The number of statements.
    statements: usize,
}

/// The labels of every thread.
pub(super) type Labels = IndexMap<String, IndexMap<String, Label>>;

/// Where a label stands.
#[derive(Clone, Copy)]
pub(super) struct Label {
    pub span: Span,
    /// The number of the atomic block around it.
    atomic: Option<usize>,
    /// Whether a thread at the label has taken the atomic section, and so is never observed there.
    pub held: bool,
}

/// Checks the control rules and enters labels and optional fences into the symbol table.
pub(super) fn check(tree: &Tree, names: &mut Names, found: &mut Vec<Diagnostic>) -> Labels {
    let mut all = Labels::new();
    let mut statements: usize = 0;
    for thread in names.threads(tree).collect::<Vec<_>>() {
        let control = check_thread(thread, found);
        let name = &thread.name.text;
        let before = statements;
        let copies = names.symbols.copies(name);
        statements = statements.saturating_add(control.statements.saturating_mul(copies));
        if before <= MAX_STATEMENTS && statements > MAX_STATEMENTS {
            found.push(too_many_statements(thread));
        }
        if let Some(symbols) = names.symbols.threads.get_mut(name) {
            let spans = control.labels.iter();
            symbols.labels = spans
                .map(|(name, label)| (name.clone(), label.span))
                .collect();
            symbols.optional_fences = control.fences;
        }
        all.insert(name.clone(), control.labels);
    }
    all
}

fn check_thread(thread: &Thread, found: &mut Vec<Diagnostic>) -> Control {
    let mut walk = Walk {
        control: Control::default(),
        frames: Vec::new(),
        atomics: 0,
        gotos: Vec::new(),
        found,
    };
    for background in &thread.backgrounds {
        walk.background(&background.body);
    }
    walk.block(&thread.body, false);
    walk.gotos();
    walk.control
}

/// A block that `break`, `continue` and `goto` take notice of.
#[derive(Clone, Copy)]
enum Frame {
    Loop,
    Atomic(usize, Span),
}

struct Walk<'a> {
    control: Control,
    /// The loops and atomic blocks around the current statement, the innermost last.
    frames: Vec<Frame>,
    /// The number of atomic blocks so far.
    atomics: usize,
    /// The jumps, each with the atomic block around it.
    gotos: Vec<(Name, Option<(usize, Span)>)>,
    found: &'a mut Vec<Diagnostic>,
}

impl Walk<'_> {
    /// Walks a block; `at_entry` says whether its first step is the first of an atomic block.
    fn block(&mut self, block: &Block, at_entry: bool) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.stmt(stmt, at_entry && at == 0);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, at_entry: bool) {
        self.control.statements += 1;
        for label in &stmt.labels {
            self.label(label, at_entry);
        }
        match &stmt.kind {
            StmtKind::OptionalFence(name) => self.fence(name),
            StmtKind::Break => self.leave(stmt.span, "break"),
            StmtKind::Continue => self.leave(stmt.span, "continue"),
            StmtKind::Goto(label) => self.gotos.push((label.clone(), self.atomic())),
            StmtKind::If(arms, otherwise) => {
                let blocks = arms.iter().map(|arm| &arm.block).chain(otherwise);
                blocks.for_each(|block| self.block(block, false));
            }
            StmtKind::While(_, block) => self.framed(Frame::Loop, block, false),
            StmtKind::DoWhile(block, _) | StmtKind::Loop(block) => {
                self.framed(Frame::Loop, block, at_entry);
            }
            StmtKind::Atomic(block) => self.atomic_block(block, stmt.span),
            StmtKind::Assign(..)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Fence
            | StmtKind::Skip
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => {}
        }
    }

    fn framed(&mut self, frame: Frame, block: &Block, at_entry: bool) {
        self.frames.push(frame);
        self.block(block, at_entry);
        self.frames.pop();
    }

    fn atomic_block(&mut self, block: &Block, span: Span) {
        if let Some((_, outer)) = self.atomic() {
            self.found.push(
                Diagnostic::error(
                    "`atomic` does not nest",
                    word(span, "atomic"),
                    "inside another",
                )
                .with_secondary(word(outer, "atomic"), "the atomic block around it")
                .with_note("remove the inner `atomic`: the outer one covers its statements"),
            );
        }
        self.atomics += 1;
        self.framed(Frame::Atomic(self.atomics, span), block, true);
    }

    /// The innermost atomic block around the current statement.
    fn atomic(&self) -> Option<(usize, Span)> {
        self.frames.iter().rev().find_map(|frame| match *frame {
            Frame::Loop => None,
            Frame::Atomic(number, span) => Some((number, span)),
        })
    }

    fn label(&mut self, name: &Name, at_entry: bool) {
        let atomic = self.atomic().map(|(number, _)| number);
        let label = Label {
            span: name.span,
            atomic,
            held: atomic.is_some() && !at_entry,
        };
        if let Some(first) = self.control.labels.get(&name.text) {
            self.found.push(twice("label", name, first.span));
        } else {
            self.control.labels.insert(name.text.clone(), label);
        }
    }

    fn fence(&mut self, name: &Name) {
        if let Some(&first) = self.control.fences.get(&name.text) {
            self.found.push(
                twice("optional fence", name, first).with_note(
                    "places of different threads may share a name, those of one may not",
                ),
            );
        } else {
            self.control.fences.insert(name.text.clone(), name.span);
        }
    }

    /// Checks a `break` or `continue`.
    fn leave(&mut self, span: Span, what: &str) {
        match self.frames.last() {
            Some(Frame::Loop) => {}
            Some(&Frame::Atomic(_, atomic)) if self.in_loop() => {
                self.found.push(crosses(what, span, atomic));
            }
            Some(Frame::Atomic(..)) | None => self.found.push(
                Diagnostic::error(
                    format!("`{what}` stands outside any loop"),
                    span,
                    "there is no loop to leave or repeat",
                )
                .with_note(
                    "it belongs into a `loop`, `while` or `do` block; `goto` jumps elsewhere",
                ),
            ),
        }
    }

    fn in_loop(&self) -> bool {
        self.frames.iter().any(|frame| matches!(frame, Frame::Loop))
    }

    /// Checks the jumps, once all labels are known.
    fn gotos(&mut self) {
        for (name, from) in std::mem::take(&mut self.gotos) {
            let Some(label) = self.control.labels.get(&name.text) else {
                let labels = self.control.labels.keys().map(String::as_str);
                self.found.push(unknown("label", &name, labels));
                continue;
            };
            if label.atomic == from.map(|(number, _)| number) {
                continue;
            }
            let diagnostic = match from {
                Some((_, atomic)) => crosses("goto", name.span, atomic)
                    .with_secondary(label.span, "the label stands outside"),
                None => Diagnostic::error(
                    "`goto` does not enter an `atomic` block",
                    name.span,
                    "this jump would",
                )
                .with_secondary(label.span, "the label stands inside an atomic block")
                .with_note("put the label before the `atomic` block"),
            };
            self.found.push(diagnostic);
        }
    }

    /// Checks what stands in a background block.
    fn background(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.control.statements += 1;
            if let Some(label) = stmt.labels.first() {
                self.found.push(
                    Diagnostic::error(
                        "a statement of a `background` block has no label",
                        label.span,
                        "this label names no location",
                    )
                    .with_note("the block runs as one step and leaves its thread where it is"),
                );
            }
            match &stmt.kind {
                StmtKind::If(arms, otherwise) => {
                    let blocks = arms.iter().map(|arm| &arm.block).chain(otherwise);
                    blocks.for_each(|block| self.background(block));
                }
                StmtKind::Assign(..)
                | StmtKind::Append(..)
                | StmtKind::Pop(_)
                | StmtKind::Skip
                | StmtKind::Assume(_)
                | StmtKind::Assert(..) => {}
                StmtKind::Fence
                | StmtKind::OptionalFence(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Goto(_)
                | StmtKind::While(..)
                | StmtKind::DoWhile(..)
                | StmtKind::Loop(_)
                | StmtKind::Atomic(_) => self.found.push(not_in_background(stmt.span)),
            }
        }
    }
}

fn too_many_statements(thread: &Thread) -> Diagnostic {
    Diagnostic::error(
        format!("the program has more than {MAX_STATEMENTS} statements"),
        thread.name.span,
        "the statements of all copies are counted",
    )
    .with_note("make copies fewer or threads shorter")
}

fn not_in_background(span: Span) -> Diagnostic {
    Diagnostic::error(
        "a `background` block cannot hold this statement",
        span,
        "not allowed here",
    )
    .with_note("it holds assignments, `assume`, `assert`, `if` and `skip`, and runs as one step")
}

fn twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(
        format!("the {what} `{}` stands twice in its thread", name.text),
        name.span,
        "again here",
    )
    .with_secondary(first, "first here")
    .with_note("rename one of the two")
}

fn crosses(what: &str, span: Span, atomic: Span) -> Diagnostic {
    Diagnostic::error(
        format!("`{what}` does not leave an `atomic` block"),
        span,
        "this jump would",
    )
    .with_secondary(word(atomic, "atomic"), "the atomic block")
    .with_note("set a local inside the block, and test it behind the block")
}

/// The span of the word that a statement begins with.
fn word(span: Span, word: &str) -> Span {
    let length = u32::try_from(word.len()).unwrap_or(0);
    Span {
        start: span.start,
        end: span.end.min(span.start + length),
    }
}
