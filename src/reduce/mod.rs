//! Turns a program under TSO or PSO into an equivalent one under SC, whose locals hold the store
//! buffers.
//!
//! Input: a checked program and its source. Output: a tree of the same language, which passes the same
//! checks; it is printed by `cupola translate` and read by every later stage. The reductions are those of
//! Dan, Meshman, Vechev and Yahav (SAS 2013): [`pso`] is Fig. 5, [`tso`] is Fig. 12.
//!
//! The steps: [`sc`] resolves copies and optional fences; [`buffers`] finds out which buffers each
//! thread needs and names their locals; [`statement`] translates each statement by the model's rules;
//! [`flush`] says where flushes stand; this module puts the threads and specs together.
//!
//! Invariant: as long as no buffer exceeds `k` entries, the states of the reduced program in which
//! nobody holds the atomic section are exactly the source's states under the model, buffers told
//! by locals; and the reduced program breaks the assertion `overflow` if and only if some buffer of
//! the source can exceed `k`. Not here: parsing and printing (`lang`), the models' own semantics
//! (`explore`).

mod access;
mod buffers;
mod build;
mod comment;
mod constant;
mod flush;
mod names;
pub mod pso;
mod sc;
mod specs;
mod statement;
pub mod tso;

use indexmap::{IndexMap, IndexSet};

use crate::lang::ast::{Item, ItemKind, LocalLine, Span, Thread, Tree, Trivia};
use crate::lang::check::Checked;
use crate::lang::source::{Diagnostic, SourceFile};
use crate::model::Model;
use access::Scopes;
use build::Build;
use sc::Resolved;
use specs::Waiting;
use statement::Statements;

pub use buffers::{Buffers, Layout};
pub use flush::Flush;

/// What to reduce for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReduceConfig {
    /// The memory model of the source.
    pub model: Model,
    /// The number of entries of each buffer, at least 1.
    pub k: usize,
    /// The optional fences in force.
    pub fences: IndexSet<String>,
    /// Where flushes stand.
    pub flush: Flush,
}

/// Why a program cannot be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReduceError {
    /// It has a `background` block, which has a meaning under SC only.
    #[error("a program with `background` blocks has SC semantics only, not {}", .model.to_string().to_uppercase())]
    Background {
        /// The model asked for.
        model: Model,
        /// The first such block.
        span: Span,
    },
}

/// Whether a program has a meaning under a model.
pub fn fits(checked: &Checked, model: Model) -> Result<(), ReduceError> {
    match (model, first_background(&checked.tree)) {
        (Model::Tso | Model::Pso, Some(span)) => Err(ReduceError::Background { model, span }),
        (Model::Sc, _) | (_, None) => Ok(()),
    }
}

/// The program under SC that does what the source does under the model of `config`.
pub fn reduce(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
) -> Result<Tree, ReduceError> {
    fits(checked, config.model)?;
    let resolved = sc::resolve(file, checked, &config.fences);
    let mut tree = match config.model {
        Model::Sc => resolved.tree,
        Model::Tso | Model::Pso => relax(file, checked, &resolved, config),
    };
    add_header(&mut tree, comment::header(file, config));
    Ok(tree)
}

/// The names of the variables that [`reduce`] adds.
pub fn layout(file: &SourceFile, checked: &Checked, config: &ReduceConfig) -> Layout {
    let resolved = sc::resolve(file, checked, &config.fences);
    Layout::of(checked, &resolved, config)
}

impl ReduceError {
    /// The error at its place of the source.
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            ReduceError::Background { span, .. } => {
                Diagnostic::error(self.to_string(), *span, "the first such block").with_note(
                    "ask for `--model sc`, or go back to the program without such blocks",
                )
            }
        }
    }
}

/// The reduction under TSO or PSO of a program without copies and optional fences.
fn relax(file: &SourceFile, checked: &Checked, resolved: &Resolved, config: &ReduceConfig) -> Tree {
    let layout = Layout::of(checked, resolved, config);
    let named = specs::named_labels(&resolved.tree);
    let mut waiting: Waiting = IndexMap::new();
    let mut items = Vec::new();
    for item in &resolved.tree.items {
        let kind = match &item.kind {
            ItemKind::Thread(thread) => {
                let source = resolved.source(thread);
                let statements = Statements {
                    file,
                    scopes: Scopes::new(&checked.symbols, source),
                    buffers: layout.of_thread(&thread.name.text),
                };
                let labels = checked.symbols.threads[source].labels.keys();
                let named = named.get(&thread.name.text).cloned().unwrap_or_default();
                let mut body = flush::Body::new(statements, config.flush, labels, named);
                let thread = relax_thread(thread, &mut body, &layout, config.flush);
                waiting.insert(thread.name.text.clone(), body.into_waiting());
                ItemKind::Thread(thread)
            }
            ItemKind::Shared(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => item.kind.clone(),
        };
        items.push(Item {
            kind,
            trivia: item.trivia.clone(),
            span: item.span,
        });
    }
    specs::relax(&mut items, &layout, &waiting);
    if let Some(overflow) = &layout.overflow {
        declare_overflow(&mut items, overflow);
    }
    Tree {
        items,
        end_comments: Vec::new(),
    }
}

/// A thread with the locals of its buffers, its flushes and its translated body.
fn relax_thread(thread: &Thread, body: &mut flush::Body, layout: &Layout, flush: Flush) -> Thread {
    let build = Build::at(thread.name.span);
    let mut locals = thread.locals.clone();
    let mut backgrounds = Vec::new();
    if let Some((rules, _)) = layout.of_thread(&thread.name.text) {
        let lines = rules.locals().into_iter();
        locals.extend(lines.map(|(comment, names)| buffer_line(build, &comment, &names)));
        if flush == Flush::Background {
            backgrounds = flush::backgrounds(build, rules);
        }
    }
    let mut body = body.translate(&thread.body);
    if let (false, Some(first)) = (backgrounds.is_empty(), body.stmts.first_mut()) {
        first.trivia.blank_before = true;
    }
    Thread {
        name: thread.name.clone(),
        copies: None,
        locals,
        backgrounds,
        body,
    }
}

/// `local X_1_t0, X_cnt_t0; // the buffer for X`
fn buffer_line(build: Build, comment: &str, names: &[&str]) -> LocalLine {
    LocalLine {
        vars: names.iter().map(|name| build.declare(name)).collect(),
        trivia: Trivia {
            trailing: vec![format!("// {comment}")],
            ..Trivia::default()
        },
        span: build.span(),
    }
}

/// Declares the variable that tells of an overflow, behind the program's own shared variables.
fn declare_overflow(items: &mut Vec<Item>, overflow: &str) {
    let is_shared = |item: &Item| matches!(item.kind, ItemKind::Shared(_));
    let last = items.iter().rposition(is_shared).unwrap_or(0);
    let span = items[last].span;
    let item = Item {
        kind: ItemKind::Shared(vec![Build::at(span).declare(overflow)]),
        trivia: Trivia {
            trailing: vec!["// set by a store into a full buffer".to_owned()],
            ..Trivia::default()
        },
        span,
    };
    items.insert(last + 1, item);
}

fn add_header(tree: &mut Tree, header: Vec<String>) {
    match tree.items.first_mut() {
        Some(item) => item.trivia.leading = header,
        None => tree.end_comments = header,
    }
}

/// The first `background` block of a program.
fn first_background(tree: &Tree) -> Option<Span> {
    let threads = tree.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Thread(thread) => Some(thread),
        ItemKind::Shared(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => None,
    });
    let mut blocks = threads.flat_map(|thread| &thread.backgrounds);
    blocks.next().map(|block| block.span)
}
