//! Which lines of a translation come from which lines of its source.
//!
//! Input: a [`Reduction`] and the source. Output: the printed program and a [`LineOrigin`] for each of its lines. A line with
//! steps has the origins of its steps, by id: the printed text is read and lowered once more, which gives the same graph with
//! the places of the printed text. A line without steps (a brace, a comment, a declaration) belongs to the node that it
//! stands at, whose span is that of the source.

use std::collections::BTreeSet;

use crate::front::cup;
use crate::front::cup::ast::{Block, ItemKind, Role, Span, Stmt, Thread, Tree};
use crate::program::{Action, EdgeId, Place, Program, ThreadId, VarId, lower};
use crate::reduce::{Origin, Reduction};
use crate::source::SourceFile;
use indexmap::IndexSet;

/// A printed translation and where its lines come from.
#[derive(Clone, Debug)]
pub struct LineMap {
    /// The text.
    pub text: SourceFile,
    /// The origins of its lines, from the first.
    pub lines: Vec<LineOrigin>,
}

/// Where a line of a translation comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineOrigin {
    /// What it is; `None` for what only the translation has.
    pub kind: Option<LineKind>,
    /// The lines of the source that it comes from; of a flush, those of the stores that it may be of.
    pub sources: BTreeSet<usize>,
}

/// What a line of a translation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    /// A statement of the source, or a part of what stands for one.
    Statement,
    /// A flush of a store buffer.
    Flush,
    /// A declaration, the head or the end of a block, or a property.
    Declaration,
}

impl LineKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            LineKind::Statement => "statement",
            LineKind::Flush => "flush",
            LineKind::Declaration => "declaration",
        }
    }
}

impl LineMap {
    /// The lines of a translation of `source`.
    pub fn of(reduction: &Reduction, source: &SourceFile) -> Self {
        let text = SourceFile::new(source.name(), cup::print(reduction.tree()));
        let count = text.text().lines().count();
        let mut marks = Marks {
            reduction,
            source,
            text: &text,
            lines: vec![LineOrigin::default(); count],
        };
        // What is printed can be read again: a translation without links is better than none.
        if let Ok(printed) = cup::load(&text) {
            marks.steps(&lower(&printed, &IndexSet::new()));
            marks.nodes(&printed.tree);
        }
        let lines = marks.lines;
        LineMap { text, lines }
    }
}

struct Marks<'a> {
    reduction: &'a Reduction,
    source: &'a SourceFile,
    text: &'a SourceFile,
    lines: Vec<LineOrigin>,
}

impl Marks<'_> {
    /// Marks the lines of all steps with the origins of the steps.
    fn steps(&mut self, printed: &Program) {
        let reduction = self.reduction;
        for edge in reduction.program.edge_ids() {
            let Some(at) = printed_line(printed, edge, self.text) else {
                continue;
            };
            let (kind, sources) = self.origin(reduction.origin(edge));
            if let Some(kind) = kind {
                self.mark(at, kind, sources);
            }
        }
    }

    fn mark(&mut self, line: usize, kind: LineKind, sources: BTreeSet<usize>) {
        if let Some(origin) = self.lines.get_mut(line - 1) {
            origin.kind = Some(origin.kind.map_or(kind, |known| known.min(kind)));
            origin.sources.extend(sources);
        }
    }

    /// The same, if the line has no mark yet.
    fn mark_free(&mut self, line: usize, origin: &LineOrigin) {
        if let Some(free) = self.lines.get_mut(line - 1).filter(|at| at.kind.is_none()) {
            *free = origin.clone();
        }
    }

    fn origin(&self, origin: Origin) -> (Option<LineKind>, BTreeSet<usize>) {
        match origin {
            Origin::Statement(edge)
            | Origin::Further(edge)
            | Origin::Bounds(edge)
            | Origin::Overflow(edge) => (Some(LineKind::Statement), self.statement(edge)),
            Origin::Flush { thread, var } => {
                (Some(LineKind::Flush), self.stores(thread, Some(var)))
            }
            Origin::FlushOldest(thread) => (Some(LineKind::Flush), self.stores(thread, None)),
            Origin::Flushing => (None, BTreeSet::new()),
        }
    }

    /// The lines of a step of the source.
    fn statement(&self, edge: EdgeId) -> BTreeSet<usize> {
        let program = &self.reduction.source;
        let span = program.statement(program.edge(edge).stmt).span;
        self.source_lines(span)
    }

    /// The lines of the stores of a thread, or of those to a variable.
    fn stores(&self, thread: ThreadId, var: Option<VarId>) -> BTreeSet<usize> {
        let program = &self.reduction.source;
        let stores = program.edge_ids().filter(|edge| {
            let Action::Store(place, _) = &program.edge(*edge).action else {
                return false;
            };
            edge.thread == thread && var.is_none_or(|var| may_be(place, var))
        });
        stores.flat_map(|edge| self.statement(edge)).collect()
    }

    fn source_lines(&self, span: Span) -> BTreeSet<usize> {
        (self.source.line(span.start)..=self.source.line(last(span))).collect()
    }

    /// Marks the lines that have no step: those of declarations, and those around statements.
    fn nodes(&mut self, printed: &Tree) {
        let reduction = self.reduction;
        let overflow = reduction
            .overflow()
            .map(|var| &reduction.program.vars[var.index()].name);
        for (made, shown) in reduction.tree().items.iter().zip(&printed.items) {
            match (&made.kind, &shown.kind) {
                (ItemKind::Thread(made_thread), ItemKind::Thread(shown_thread)) => {
                    self.thread(made_thread, shown_thread);
                    self.ends(made.span, shown.span);
                }
                (ItemKind::Shared(vars), _)
                    if vars.first().map(|var| &var.name.text) == overflow => {}
                _ => self.same(made.span, shown.span),
            }
        }
    }

    fn thread(&mut self, made: &Thread, shown: &Thread) {
        for (line, printed) in made.locals.iter().zip(&shown.locals) {
            if line.span != made.name.span {
                self.same(line.span, printed.span);
            }
        }
        let blocks = made.backgrounds.iter().zip(&shown.backgrounds);
        for (background, printed) in blocks {
            self.block(&background.body, &printed.body);
            self.fill(printed.span, printed.trivia.leading.len());
        }
        self.block(&made.body, &shown.body);
    }

    fn block(&mut self, made: &Block, shown: &Block) {
        for (stmt, printed) in made.stmts.iter().zip(&shown.stmts) {
            self.stmt(stmt, printed);
        }
    }

    fn stmt(&mut self, made: &Stmt, shown: &Stmt) {
        let blocks = made.kind.blocks().into_iter().zip(shown.kind.blocks());
        for (made, shown) in blocks {
            self.block(made, shown);
        }
        let is_of_source = matches!(made.mark.role, Some(Role::Same(_)));
        if is_of_source && !made.kind.blocks().is_empty() {
            self.ends(made.span, shown.span);
        }
        self.fill(shown.span, comment_lines(&shown.trivia.leading));
    }

    /// Lines around steps that all come from the same lines belong to them, and so do the comments above.
    fn fill(&mut self, shown: Span, above: usize) {
        let (first, last) = (self.text.line(shown.start), self.text.line(last(shown)));
        let mut marked = (first..=last).filter_map(|line| {
            let origin = self.lines.get(line - 1)?;
            origin.kind.is_some().then_some(origin)
        });
        let Some(origin) = marked.next().cloned() else {
            return;
        };
        let all_same = marked.all(|other| *other == origin);
        let until = if all_same { last } else { first };
        for line in first.saturating_sub(above).max(1)..=until {
            self.mark_free(line, &origin);
        }
    }

    /// A node that stands in the translation as in the source.
    fn same(&mut self, made: Span, shown: Span) {
        let sources = self.source_lines(made);
        for line in self.text.line(shown.start)..=self.text.line(last(shown)) {
            let origin = LineOrigin {
                kind: Some(LineKind::Declaration),
                sources: sources.clone(),
            };
            self.mark_free(line, &origin);
        }
    }

    /// The first and the last line of a node with blocks.
    fn ends(&mut self, made: Span, shown: Span) {
        let ends = [(made.start, shown.start), (last(made), last(shown))];
        for (source, text) in ends {
            let origin = LineOrigin {
                kind: Some(LineKind::Declaration),
                sources: BTreeSet::from([self.source.line(source)]),
            };
            self.mark_free(self.text.line(text), &origin);
        }
    }
}

/// The line of the printed text on which a step stands.
fn printed_line(printed: &Program, edge: EdgeId, text: &SourceFile) -> Option<usize> {
    let thread = printed.threads.get(edge.thread.index())?;
    let location = thread.locations.get(edge.at.index())?;
    let edge = location.edges.get(edge.number)?;
    Some(text.line(printed.statement(edge.stmt).span.start))
}

fn may_be(place: &Place, var: VarId) -> bool {
    match place {
        Place::Var(only) => *only == var,
        Place::Choice(_, vars) => vars.contains(&var),
    }
}

/// The number of lines that comments take.
fn comment_lines(comments: &[String]) -> usize {
    let lines = comments
        .iter()
        .map(|comment| comment.matches('\n').count() + 1);
    lines.sum()
}

/// The last byte of a span.
fn last(span: Span) -> u32 {
    span.end.saturating_sub(1).max(span.start)
}
