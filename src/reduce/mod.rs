//! Turns a program under TSO or PSO into an equivalent one under SC, whose locals hold the store
//! buffers.
//!
//! Input: a checked program and its source. Output: a [`Reduction`]: a tree of the same language, which
//! passes the same checks, the programs that the source and the tree are lowered to, and the link between
//! the two: the origin of every step, the variable of the source that each variable is, and the
//! variables of the buffers. `cupola translate` prints the tree; every later stage takes the value.
//! The reductions are those of Dan, Meshman, Vechev and Yahav (SAS 2013): [`pso`] is Fig. 5, [`tso`] is
//! Fig. 12.
//!
//! The steps: [`number`] numbers the statements of the source; [`sc`] resolves copies and optional
//! fences; [`buffers`] finds out which buffers each thread needs and names their locals; [`statement`]
//! translates each statement by the model's [`rules`]; [`flush`] says where flushes stand; this module puts
//! the threads and specs together; [`vars`] and [`origin`] connect the lowered programs.
//!
//! Invariant: as long as no buffer exceeds its `k` entries, the states of the reduced program in which
//! no thread holds the atomic section are exactly the source's states under the model, with the buffers
//! in locals; and the reduced program breaks the assertion `overflow` if and only if some buffer of
//! the source can exceed its `k`. Not here: parsing and printing (`front`), the models' own semantics
//! (`semantics`).

mod access;
mod buffers;
mod build;
mod comment;
mod constant;
mod fifo;
mod fifo_vars;
mod flush;
mod names;
mod number;
mod origin;
mod properties;
mod pso;
mod rules;
mod sc;
mod sizes;
mod slots;
mod specs;
mod statement;
mod tso;
mod vars;

use indexmap::{IndexMap, IndexSet};

use crate::front::cup::ast::{FifoLine, Item, ItemKind, LocalLine, Span, Thread, Tree, Trivia};
use crate::front::cup::check::{Checked, check};
use crate::memory::{BufferSizes, Model};
use crate::program::{EdgeId, Program, PropertyId, VarId, lower};
use crate::run::stop::Stop;
use crate::source::{Diagnostic, SourceFile};
use access::Scopes;
use buffers::Layout;
use build::Build;
use comment::Comments;
use origin::Origins;
use rules::FifoLocal;
use sc::Resolved;
use specs::Waiting;
use statement::Statements;
use vars::Vars;

pub use fifo_vars::{FifoVars, Numbering, Stored};
pub use origin::Origin;
use properties::source_properties;
pub use sizes::SizesError;
pub use slots::{BufferVars, SlotVars};

/// What to reduce for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReduceConfig {
    /// The memory model of the source.
    pub model: Model,
    /// The numbers of entries of buffers, without meaning under SC.
    pub sizes: BufferSizes,
    /// The optional fences in force.
    pub fences: IndexSet<String>,
    /// Where flushes stand.
    pub flush: Flush,
}

/// How a reduced program says that buffers are flushed at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flush {
    /// By `background` blocks, one per buffer.
    #[default]
    Background,
    /// By a loop after each statement, as in the paper.
    Inline,
}

/// How a reduced program stores what is in the buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// In `k` slots per buffer, as in the paper; a store into a full buffer breaks the check for that.
    #[default]
    Slots,
    /// In FIFOs of any length.
    Fifos,
}

/// A program under SC that does what a source does under a model, and what connects the two.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// What it was reduced for.
    pub config: ReduceConfig,
    /// How it stores what is in the buffers.
    pub storage: Storage,
    /// The reduced tree with its symbols; it has no copies and no optional fences.
    pub checked: Checked,
    /// The reduced program.
    pub program: Program,
    /// The source program, with the fences in force.
    pub source: Program,
    origins: Origins,
    vars: Vars,
    properties: Vec<Option<PropertyId>>,
}

/// Why a program cannot be reduced.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReduceError {
    /// It has a `background` block or a FIFO.
    #[error(transparent)]
    Background(#[from] HasBackground),
    /// The sizes of buffers mean nothing for it.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// The reduced program exceeds a limit of the language.
    #[error("the reduced program breaks a rule of the language: {}", first_message(.0))]
    TooLarge(Vec<Diagnostic>),
}

/// What has a meaning under SC only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnlyUnderSc {
    /// A `background` block.
    Background,
    /// A FIFO.
    Fifo,
}

impl std::fmt::Display for OnlyUnderSc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            OnlyUnderSc::Background => "`background` blocks",
            OnlyUnderSc::Fifo => "FIFOs",
        })
    }
}

/// A program has a `background` block or a FIFO, which has a meaning under SC only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a program with {what} has SC semantics only, not {}", .model.to_string().to_uppercase())]
pub struct HasBackground {
    /// What it has.
    pub what: OnlyUnderSc,
    /// The model asked for.
    pub model: Model,
    /// The first such block.
    pub span: Span,
}

fn first_message(diagnostics: &[Diagnostic]) -> &str {
    let first = diagnostics.first();
    first.map_or("it is too large", |first| first.message.as_str())
}

/// Whether sizes of buffers mean something for a program under a model.
pub fn sizes_fit(sizes: &BufferSizes, checked: &Checked, model: Model) -> Result<(), SizesError> {
    sizes::entries(sizes, &checked.symbols, model).map(|_| ())
}

/// Whether a program has a meaning under a model.
pub fn fits(checked: &Checked, model: Model) -> Result<(), HasBackground> {
    let (background, fifo) = (first_background(&checked.tree), first_fifo(&checked.tree));
    let found = background.map(|span| (OnlyUnderSc::Background, span));
    let found = found.or(fifo.map(|span| (OnlyUnderSc::Fifo, span)));
    match (model, found) {
        (Model::Tso | Model::Pso, Some((what, span))) => Err(HasBackground { what, model, span }),
        (Model::Sc, _) | (_, None) => Ok(()),
    }
}

/// That a program has no FIFOs, for `who` cannot handle them.
pub fn without_fifos(checked: &Checked, who: &str) -> Result<(), Diagnostic> {
    first_fifo(&checked.tree).map_or(Ok(()), |span| {
        let message = format!("{who} cannot handle programs with FIFOs");
        let error = Diagnostic::error(message, span, "the first FIFO");
        Err(error.with_note("they can be explored"))
    })
}

/// Reduces a program to one under SC that does what the source does under the model of `config`.
pub fn reduce(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
) -> Result<Reduction, ReduceError> {
    let reduction = reduce_until(file, checked, config, &Stop::default())?;
    Ok(reduction.expect(NOTHING_STOPS))
}

/// The same, unless it is to stop before it has ended.
pub fn reduce_until(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
    stop: &Stop,
) -> Result<Option<Reduction>, ReduceError> {
    reduce_to(file, checked, config, Storage::Slots, stop)
}

/// The same with buffers in FIFOs of any length, to which sizes mean nothing.
pub fn reduce_to_fifos(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
) -> Result<Reduction, ReduceError> {
    let config = ReduceConfig {
        sizes: BufferSizes::ONE,
        ..config.clone()
    };
    let reduction = reduce_to(file, checked, &config, Storage::Fifos, &Stop::default())?;
    Ok(reduction.expect(NOTHING_STOPS))
}

const NOTHING_STOPS: &str = "nothing stops it";

fn reduce_to(
    file: &SourceFile,
    checked: &Checked,
    config: &ReduceConfig,
    storage: Storage,
    stop: &Stop,
) -> Result<Option<Reduction>, ReduceError> {
    fits(checked, config.model)?;
    let checked = &number::numbered(checked);
    let comments = Comments::new(file, &checked.tree);
    let resolved = sc::resolve(&comments, checked, &config.fences);
    let entries = sizes::entries(&config.sizes, &checked.symbols, config.model)?;
    let layout = Layout::of(checked, &resolved, (config.model, storage), &entries);
    if stop.should_stop() {
        return Ok(None);
    }
    let mut tree = match config.model {
        Model::Sc => resolved.tree,
        Model::Tso | Model::Pso => relax(&comments, checked, &resolved, (&layout, config.flush)),
    };
    add_header(&mut tree, comment::header(file, config, storage));
    if stop.should_stop() {
        return Ok(None);
    }
    let source = lower(checked, &config.fences);
    let reduced = check(tree).map_err(ReduceError::TooLarge)?;
    if stop.should_stop() {
        return Ok(None);
    }
    let program = lower(&reduced, &IndexSet::new());
    if stop.should_stop() {
        return Ok(None);
    }
    let origins = match config.model {
        Model::Sc => Origins::same(&program),
        Model::Tso | Model::Pso => Origins::from_roles(&source, &program),
    };
    Ok(Some(Reduction {
        config: config.clone(),
        storage,
        checked: reduced,
        properties: source_properties(&source, &program, &origins),
        origins,
        vars: Vars::new(&source, &program, &layout),
        program,
        source,
    }))
}

impl Reduction {
    /// The reduced tree.
    pub fn tree(&self) -> &Tree {
        &self.checked.tree
    }

    /// The memory model of the source.
    pub fn model(&self) -> Model {
        self.config.model
    }

    /// What a step of the reduced program is in the source.
    pub fn origin(&self, edge: EdgeId) -> Origin {
        self.origins.of(edge)
    }

    /// The property of the source that a property of the reduced program is; `None` for an overflow check that the source
    /// does not have.
    pub fn source_property(&self, property: PropertyId) -> Option<PropertyId> {
        self.properties[property.index()]
    }

    /// The variable of the source that a variable of the reduced program is.
    pub fn source_var(&self, var: VarId) -> Option<VarId> {
        self.vars.to_source[var.index()]
    }

    /// The variable of the reduced program that a variable of the source is.
    pub fn reduced_var(&self, var: VarId) -> VarId {
        self.vars.to_reduced[var.index()]
    }

    /// The buffers, thread by thread and, under PSO, by variable in declaration order.
    pub fn buffers(&self) -> &[BufferVars] {
        &self.vars.buffers
    }

    /// The FIFOs of the buffers, thread by thread and, under PSO, by variable in declaration order.
    pub fn fifos(&self) -> &[FifoVars] {
        &self.vars.fifos
    }

    /// The variable of the reduced program that a store into a full buffer sets, if there is a buffer.
    pub fn overflow(&self) -> Option<VarId> {
        self.vars.overflow
    }

    /// Whether the reduced program does what the source does, however long buffers get: there are none with slots.
    pub fn is_exact(&self) -> bool {
        self.vars.buffers.is_empty()
    }
}

impl Flush {
    /// All of them.
    pub const ALL: [Flush; 2] = [Flush::Background, Flush::Inline];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Flush::Background => "background",
            Flush::Inline => "inline",
        }
    }
}

impl HasBackground {
    /// The error at its place of the source.
    pub fn to_diagnostic(self) -> Diagnostic {
        let (label, note) = match self.what {
            OnlyUnderSc::Background => (
                "the first such block",
                "ask for SC, or go back to the program without such blocks",
            ),
            OnlyUnderSc::Fifo => (
                "the first FIFO",
                "ask for SC, or go back to the program without FIFOs",
            ),
        };
        Diagnostic::error(self.to_string(), self.span, label).with_note(note)
    }
}

impl ReduceError {
    /// The error at its places of the source; sizes of buffers stand nowhere there.
    pub fn into_diagnostics(self) -> Result<Vec<Diagnostic>, SizesError> {
        match self {
            ReduceError::Background(error) => Ok(vec![error.to_diagnostic()]),
            ReduceError::TooLarge(diagnostics) => Ok(diagnostics),
            ReduceError::Sizes(error) => Err(error),
        }
    }
}

/// The reduction under TSO or PSO of a program without copies and optional fences.
fn relax(
    comments: &Comments,
    checked: &Checked,
    resolved: &Resolved,
    (layout, flush): (&Layout, Flush),
) -> Tree {
    let named = specs::named_labels(&resolved.tree);
    let mut waiting: Waiting = IndexMap::new();
    let mut items = Vec::new();
    for item in &resolved.tree.items {
        let kind = match &item.kind {
            ItemKind::Thread(thread) => {
                let source = resolved.source(thread);
                let statements = Statements {
                    comments,
                    scopes: Scopes::new(&checked.symbols, source),
                    buffers: layout.of_thread(&thread.name.text),
                };
                let labels = checked.symbols.threads[source].labels.keys();
                let named = named.get(&thread.name.text).cloned().unwrap_or_default();
                let mut body = flush::Body::new(statements, flush, labels, named);
                let thread = relax_thread(thread, &mut body, layout, flush);
                waiting.insert(thread.name.text.clone(), body.into_waiting());
                ItemKind::Thread(thread)
            }
            ItemKind::Const(_)
            | ItemKind::Shared(_)
            | ItemKind::Placement(_)
            | ItemKind::Spec(_) => item.kind.clone(),
        };
        items.push(Item {
            kind,
            trivia: item.trivia.clone(),
            span: item.span,
        });
    }
    specs::relax(&mut items, layout, &waiting);
    if let Some(overflow) = &layout.overflow {
        declare_overflow(&mut items, overflow);
    }
    Tree {
        items,
        end_comments: resolved.tree.end_comments.clone(),
    }
}

/// A thread with the locals of its buffers, its flushes and its translated body.
fn relax_thread(thread: &Thread, body: &mut flush::Body, layout: &Layout, flush: Flush) -> Thread {
    let build = Build::at(thread.name.span);
    let mut locals = thread.locals.clone();
    let mut fifos = thread.fifos.clone();
    let mut backgrounds = Vec::new();
    if let Some((rules, _)) = layout.of_thread(&thread.name.text) {
        let lines = rules.locals().into_iter();
        locals.extend(lines.map(|(comment, names)| buffer_line(build, &comment, &names)));
        fifos.extend(rules.fifos().iter().map(|fifo| fifo_line(build, fifo)));
        if flush == Flush::Background {
            backgrounds = flush::backgrounds(build.span(), rules);
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
        fifos,
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

/// `fifo X_t0; // the buffer for X`
fn fifo_line(build: Build, fifo: &FifoLocal) -> FifoLine {
    FifoLine {
        name: build.name(&fifo.name),
        fields: fifo.fields.iter().map(|field| build.name(field)).collect(),
        trivia: Trivia {
            trailing: vec![format!("// {}", fifo.comment)],
            ..Trivia::default()
        },
        span: build.span(),
    }
}

/// Declares the variable that an overflow sets, behind the program's own shared variables.
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

/// Puts a header above the comments of the first item.
fn add_header(tree: &mut Tree, mut header: Vec<String>) {
    let own = match tree.items.first_mut() {
        Some(first) => &mut first.trivia.leading,
        None => &mut tree.end_comments,
    };
    if !own.is_empty() {
        header.push(String::new());
    }
    own.splice(0..0, header);
}

/// The first `background` block of a program.
fn first_background(tree: &Tree) -> Option<Span> {
    let mut blocks = threads(tree).flat_map(|thread| &thread.backgrounds);
    blocks.next().map(|block| block.span)
}

/// The first FIFO of a program.
pub fn first_fifo(tree: &Tree) -> Option<Span> {
    let mut fifos = threads(tree).flat_map(|thread| &thread.fifos);
    fifos.next().map(|fifo| fifo.span)
}

fn threads(tree: &Tree) -> impl Iterator<Item = &Thread> {
    tree.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Thread(thread) => Some(thread),
        ItemKind::Const(_) | ItemKind::Shared(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => {
            None
        }
    })
}
