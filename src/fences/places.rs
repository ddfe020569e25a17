//! The places where a fence may stand.
//!
//! Input: a checked program and a [`PlaceKind`]. Output: [`Candidates`]: the program in which every
//! candidate is an optional fence, and what is known about each. The program's own optional fences
//! are taken as they are; others are put into the tree, into the text of a thread and so into all its
//! copies together.
//!
//! A place that was put in is a step that does nothing, so a property that says where a thread is
//! *not* (`forbid P@l`) means the same as before. One that says where a thread must *be* does not:
//! such a program is refused. The label of a statement stays with it if a property names it; else it
//! goes to the place before the statement, so that jumps pass the fence.

use indexmap::{IndexMap, IndexSet};

use crate::front::cup;
use crate::front::cup::ast::{
    Block, Cond, CondKind, ExprKind, Item, ItemKind, Mark, Name, Rhs, Span, SpecKind, Stmt,
    StmtKind, Thread, Tree, Trivia,
};
use crate::front::cup::check::Checked;
use crate::front::cup::placement::optional_fences;
use crate::front::cup::symbols::{Meaning, Scope, Symbols};
use crate::program::{self, EdgeId, LocId, Program};
use crate::source::{Diagnostic, SourceFile};

/// Which places are candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// The optional fences that the program has.
    Optional,
    /// Behind every store.
    Stores,
    /// Before every load.
    Loads,
    /// Behind every store, and before every load, store and atomic operation.
    All,
    /// The fences that the program has, which may be too many.
    Existing,
}

/// A candidate place, an index into [`Candidates::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(usize);

/// A program with its candidate places.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The program: every candidate is an optional fence of it.
    pub checked: Checked,
    /// The candidates by name, each with the statements `fence?` that go together.
    pub places: IndexMap<String, Vec<Site>>,
}

/// One statement of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The thread in whose text it stands.
    pub thread: String,
    /// Where it stands; empty, between two statements, if it was put in.
    pub span: Span,
}

/// Why there are no candidates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacesError {
    /// The program has no optional fence.
    #[error("the program has no optional fence")]
    NoOptional,
    /// The program has no fence.
    #[error("the program has no fence")]
    NoFence,
    /// A `fences` line puts optional fences in force, beside the fences that are candidates.
    #[error("optional fences are in force beside the program's own")]
    InForce,
    /// A property demands that a thread is at a location.
    #[error("a property demands that a thread is at a location")]
    Location(Box<Diagnostic>),
}

impl PlaceKind {
    /// Those that may be candidates for more fences.
    pub const FOR_MORE: [PlaceKind; 4] = [
        PlaceKind::Optional,
        PlaceKind::Stores,
        PlaceKind::Loads,
        PlaceKind::All,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            PlaceKind::Optional => "optional",
            PlaceKind::Stores => "stores",
            PlaceKind::Loads => "loads",
            PlaceKind::All => "all",
            PlaceKind::Existing => "existing",
        }
    }
}

impl PlaceId {
    /// The id with this index.
    pub fn new(index: usize) -> Self {
        PlaceId(index)
    }

    /// The index into [`Candidates::places`].
    pub fn index(self) -> usize {
        self.0
    }
}

impl Candidates {
    /// The candidates of a kind; by default the program's optional fences if it has any, else the
    /// places behind stores.
    pub fn new(
        file: &SourceFile,
        checked: &Checked,
        kind: Option<PlaceKind>,
    ) -> Result<Self, PlacesError> {
        let has_optional = !optional_fences(checked).is_empty();
        match kind {
            None if has_optional => Ok(Self::of_names(checked.clone(), |_| true)),
            Some(PlaceKind::Optional) if has_optional => {
                Ok(Self::of_names(checked.clone(), |_| true))
            }
            Some(PlaceKind::Optional) => Err(PlacesError::NoOptional),
            Some(PlaceKind::Existing) => Self::existing(file, checked),
            None => Self::put_in(file, checked, PlaceKind::Stores),
            Some(kind) => Self::put_in(file, checked, kind),
        }
    }

    /// The same without places of which some statement stands in a loop: on a way of the thread back to it. (The placement
    /// constraint of the TACAS 2012 paper.) Their fences stay off.
    #[must_use]
    pub fn not_in_loops(mut self) -> Self {
        let looping = self.in_loops();
        let mut id = 0;
        self.places.retain(|_, _| {
            id += 1;
            !looping.contains(&PlaceId(id - 1))
        });
        self
    }

    /// The places of which some statement stands in a loop.
    pub fn in_loops(&self) -> IndexSet<PlaceId> {
        let program = program::lower(&self.checked, &IndexSet::new());
        program
            .edge_ids()
            .filter(|id| program.statement(program.edge(*id).stmt).is_optional_fence)
            .filter(|id| is_on_cycle(&program, *id))
            .filter_map(|id| self.place_at(program.edge(id).span))
            .collect()
    }

    /// The same with these places alone; the fences of the others are off.
    #[must_use]
    pub fn only(mut self, wanted: impl Fn(&str) -> bool) -> Self {
        self.places.retain(|name, _| wanted(name));
        self
    }

    /// The ids of all places.
    pub fn ids(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..self.places.len()).map(PlaceId)
    }

    /// The name of a place.
    pub fn name(&self, place: PlaceId) -> &str {
        let (name, _) = self.places.get_index(place.0).expect("the place is known");
        name
    }

    /// The place with this name.
    pub fn place(&self, name: &str) -> Option<PlaceId> {
        self.places.get_index_of(name).map(PlaceId)
    }

    /// The statements of all places.
    pub fn sites(&self) -> impl Iterator<Item = (PlaceId, &Site)> {
        let places = self.places.values().enumerate();
        places.flat_map(|(index, sites)| sites.iter().map(move |site| (PlaceId(index), site)))
    }

    /// The place whose statement has this span.
    pub fn place_at(&self, span: Span) -> Option<PlaceId> {
        let mut places = self.places.values();
        let is_here = |sites: &Vec<Site>| sites.iter().any(|site| site.span == span);
        places.position(is_here).map(PlaceId)
    }

    /// The fences that the program has. A place is named for the label of its statement, if it has one, else for its line;
    /// places of different threads with one label go together, as optional fences with one name do.
    fn existing(file: &SourceFile, checked: &Checked) -> Result<Self, PlacesError> {
        let in_force = |item: &Item| match &item.kind {
            ItemKind::Placement(placement) => !placement.places.is_empty(),
            _ => false,
        };
        if checked.tree.items.iter().any(in_force) {
            return Err(PlacesError::InForce);
        }
        let optional = optional_fences(checked);
        let mut taken = optional.clone();
        for thread in threads(&checked.tree) {
            labels_of_fences(&thread.body, &mut taken);
        }
        let mut namer = Namer {
            file,
            taken,
            added: IndexSet::new(),
        };
        let mut tree = checked.tree.clone();
        for item in &mut tree.items {
            if let ItemKind::Thread(thread) = &mut item.kind {
                namer.name_fences(&mut thread.body, &optional);
            }
        }
        let added = namer.added;
        if added.is_empty() {
            return Err(PlacesError::NoFence);
        }
        let checked = cup::check(tree).expect("optional fences with new names break no rule");
        Ok(Self::of_names(checked, |name| added.contains(name)))
    }

    fn put_in(file: &SourceFile, checked: &Checked, kind: PlaceKind) -> Result<Self, PlacesError> {
        let mut uses = LabelUses::default();
        for item in &checked.tree.items {
            if let ItemKind::Spec(spec) = &item.kind {
                uses.visit(&spec.cond, spec.kind == SpecKind::Forbid)?;
            }
        }
        let mut writer = Writer {
            symbols: &checked.symbols,
            kind,
            uses: &uses,
            namer: Namer {
                file,
                taken: optional_fences(checked),
                added: IndexSet::new(),
            },
        };
        let mut tree = checked.tree.clone();
        for item in &mut tree.items {
            if let ItemKind::Thread(thread) = &mut item.kind {
                let name = thread.name.text.clone();
                writer.block(&name, &mut thread.body);
            }
        }
        let added = writer.namer.added;
        let checked = cup::check(tree).expect("optional fences with new names break no rule");
        Ok(Self::of_names(checked, |name| added.contains(name)))
    }

    fn of_names(checked: Checked, wanted: impl Fn(&str) -> bool) -> Self {
        let mut places: IndexMap<String, Vec<Site>> = IndexMap::new();
        for thread in threads(&checked.tree) {
            let mut sites = Vec::new();
            collect(&thread.body, &mut sites);
            for (name, span) in sites.into_iter().filter(|(name, _)| wanted(name)) {
                let thread = thread.name.text.clone();
                let site = Site { thread, span };
                places.entry(name.to_owned()).or_default().push(site);
            }
        }
        Candidates { checked, places }
    }
}

/// Whether a thread can come back to a step that it has taken.
fn is_on_cycle(program: &Program, id: EdgeId) -> bool {
    let thread = &program.threads[id.thread.index()];
    let mut reached: IndexSet<LocId> = IndexSet::from([program.edge(id).target]);
    let mut next = 0;
    while let Some(&at) = reached.get_index(next) {
        next += 1;
        reached.extend(thread.location(at).edges.iter().map(|edge| edge.target));
    }
    reached.contains(&id.at)
}

/// Whether an optional fence was put into the tree.
pub(super) fn is_put_in(stmt: &Stmt) -> bool {
    stmt.span.start == stmt.span.end
}

fn threads(tree: &Tree) -> impl Iterator<Item = &Thread> {
    tree.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Thread(thread) => Some(thread),
        ItemKind::Const(_) | ItemKind::Shared(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => {
            None
        }
    })
}

fn collect<'a>(block: &'a Block, sites: &mut Vec<(&'a str, Span)>) {
    for stmt in &block.stmts {
        if let StmtKind::OptionalFence(name) = &stmt.kind {
            sites.push((&name.text, stmt.span));
        }
        for inner in stmt.kind.blocks() {
            collect(inner, sites);
        }
    }
}

/// Collects the labels of all fences.
fn labels_of_fences(block: &Block, labels: &mut IndexSet<String>) {
    for stmt in &block.stmts {
        if stmt.kind == StmtKind::Fence {
            labels.extend(stmt.labels.iter().map(|label| label.text.clone()));
        }
        for inner in stmt.kind.blocks() {
            labels_of_fences(inner, labels);
        }
    }
}

/// The labels that properties name, as (thread, label).
#[derive(Default)]
struct LabelUses(IndexSet<(String, String)>);

impl LabelUses {
    /// Collects the labels of a condition; `may_hold` says whether being there is what is bad.
    fn visit(&mut self, cond: &Cond, may_hold: bool) -> Result<(), PlacesError> {
        match &cond.kind {
            CondKind::True | CondKind::False | CondKind::Any | CondKind::Compare(..) => Ok(()),
            CondKind::Not(inner) => self.visit(inner, !may_hold),
            CondKind::And(left, right) | CondKind::Or(left, right) => {
                self.visit(left, may_hold)?;
                self.visit(right, may_hold)
            }
            CondKind::At(thread, label) if may_hold => {
                let names = (thread.name.text.clone(), label.text.clone());
                self.0.insert(names);
                Ok(())
            }
            CondKind::At(..) => Err(PlacesError::Location(Box::new(
                Diagnostic::error(
                    "fences cannot be put into a program in which a thread must be at a location",
                    cond.span,
                    "a fence before this location would change what the property says",
                )
                .with_note("mark the places yourself with `fence? a;`, and let fences stand at these alone"),
            ))),
        }
    }

    fn contains(&self, thread: &str, label: &Name) -> bool {
        let names = (thread.to_owned(), label.text.clone());
        self.0.contains(&names)
    }
}

/// Puts places into a tree.
struct Writer<'a> {
    symbols: &'a Symbols,
    kind: PlaceKind,
    uses: &'a LabelUses,
    namer: Namer<'a>,
}

/// Names new places.
struct Namer<'a> {
    file: &'a SourceFile,
    /// Names that stand for something else: those of the program's own optional fences, and labels of fences.
    taken: IndexSet<String>,
    added: IndexSet<String>,
}

impl Namer<'_> {
    /// A new name at a line.
    fn name(&mut self, side: &str, line_of: u32) -> String {
        let line = self.file.line(line_of);
        let base = format!("{side}_{line}");
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let is_new = |name: &String| !self.taken.contains(name) && !self.added.contains(name);
        let text = names.find(is_new).expect("numbers do not end");
        self.added.insert(text.clone());
        text
    }

    /// Makes every fence an optional one, with the label of its statement for a name unless an optional fence has it.
    fn name_fences(&mut self, block: &mut Block, optional: &IndexSet<String>) {
        for stmt in &mut block.stmts {
            for inner in stmt.kind.blocks_mut() {
                self.name_fences(inner, optional);
            }
            if stmt.kind != StmtKind::Fence {
                continue;
            }
            let label = stmt.labels.first().map(|label| label.text.clone());
            let text = match label.filter(|label| !optional.contains(label)) {
                Some(label) => {
                    self.added.insert(label.clone());
                    label
                }
                None => self.name("fence", stmt.span.start),
            };
            let span = stmt.span;
            stmt.kind = StmtKind::OptionalFence(Name { text, span });
        }
    }
}

/// How a statement accesses shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SharedAccess {
    Store,
    Load,
    Operation,
}

impl Writer<'_> {
    fn block(&mut self, thread: &str, block: &mut Block) {
        let stmts = std::mem::take(&mut block.stmts);
        for mut stmt in stmts {
            for inner in stmt.kind.blocks_mut() {
                self.block(thread, inner);
            }
            let access = self.access(thread, &stmt.kind);
            if access.is_some_and(|access| self.wants_before(access))
                && !block.stmts.last().is_some_and(is_fence)
            {
                let place = self.place_before(thread, &mut stmt);
                block.stmts.push(place);
            }
            let end = stmt.span.end;
            block.stmts.push(stmt);
            if access == Some(SharedAccess::Store) && self.kind != PlaceKind::Loads {
                block.stmts.push(self.place("after", end, end));
            }
        }
    }

    fn wants_before(&self, access: SharedAccess) -> bool {
        match self.kind {
            PlaceKind::Optional | PlaceKind::Stores | PlaceKind::Existing => false,
            PlaceKind::Loads => access == SharedAccess::Load,
            PlaceKind::All => true,
        }
    }

    /// A place before a statement, which takes over labels that only jumps use.
    fn place_before(&mut self, thread: &str, stmt: &mut Stmt) -> Stmt {
        let at = stmt.span.start;
        let mut place = self.place("before", at, stmt.span.end - 1);
        let named = |label: &Name| self.uses.contains(thread, label);
        if !stmt.labels.iter().any(named) {
            place.labels = std::mem::take(&mut stmt.labels);
        }
        place.trivia.blank_before = std::mem::take(&mut stmt.trivia.blank_before);
        place
    }

    /// A new place at an offset, named for the line of another one.
    fn place(&mut self, side: &str, at: u32, line_of: u32) -> Stmt {
        let span = Span { start: at, end: at };
        let text = self.namer.name(side, line_of);
        Stmt {
            labels: Vec::new(),
            kind: StmtKind::OptionalFence(Name { text, span }),
            trivia: Trivia::default(),
            span,
            start: span.start,
            mark: Mark::default(),
        }
    }

    fn access(&self, thread: &str, kind: &StmtKind) -> Option<SharedAccess> {
        let StmtKind::Assign(target, rhs) = kind else {
            return None;
        };
        if self.is_shared(thread, &target.name.text) {
            return Some(SharedAccess::Store);
        }
        match rhs {
            Rhs::Any(_) | Rhs::Choose(..) => None,
            Rhs::Expr(expr) => match &expr.kind {
                ExprKind::Place(source) if self.is_shared(thread, &source.name.text) => {
                    Some(SharedAccess::Load)
                }
                ExprKind::Place(_)
                | ExprKind::Num(_)
                | ExprKind::Tid
                | ExprKind::Neg(_)
                | ExprKind::Binary(..) => None,
            },
            Rhs::Cas(..) | Rhs::Swap(..) | Rhs::FetchAdd(..) => Some(SharedAccess::Operation),
        }
    }

    fn is_shared(&self, thread: &str, name: &str) -> bool {
        let scope = match self.symbols.meaning(Some(thread), name) {
            Some(Meaning::Scalar(scope, _))
            | Some(Meaning::Array(scope, _, _))
            | Some(Meaning::Element(scope, _, _)) => scope,
            Some(Meaning::Constant(_)) | None => return false,
        };
        scope == Scope::Shared
    }
}

/// Whether a statement already is a fence, or a place for one that was put in.
fn is_fence(stmt: &Stmt) -> bool {
    match stmt.kind {
        StmtKind::Fence => true,
        StmtKind::OptionalFence(_) => is_put_in(stmt),
        _ => false,
    }
}
