//! The store buffers of each thread as locals, and what each model makes of them.
//!
//! A thread has buffers only for the variables that it stores to by `X = e;`: `cas`, `swap` and
//! `fetch_add` write main memory. [`Layout`] names the locals; later stages that speak about buffer
//! contents take the names from here. [`Rules`] is what the figures of the paper define per model;
//! [`super::statement`] applies them.

use indexmap::{IndexMap, IndexSet};

use super::ReduceConfig;
use super::access::{Access, Scopes};
use super::build::Build;
use super::names::Names;
use super::sc::Resolved;
use super::{pso, tso};
use crate::lang::ast::{Block, Cond, Expr, ItemKind, Place, Stmt};
use crate::lang::check::Checked;
use crate::lang::symbols::{Symbols, element_name};
use crate::model::Model;

/// The names of the variables that a reduction adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The shared variable that a store into a full buffer sets, if there is a buffer.
    pub overflow: Option<String>,
    /// The buffers of each thread that has some, by the thread's printed name.
    pub threads: IndexMap<String, Buffers>,
}

/// The store buffers of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// One buffer for all variables.
    Tso(tso::Buffer),
    /// One buffer per variable.
    Pso(pso::Buffers),
}

/// The translation rules of a model for one thread (Figs. 5 and 12 of the paper), per scalar.
pub(super) trait Rules {
    /// Whether stores to the scalar go through a buffer.
    fn holds(&self, scalar: &str) -> bool;

    /// A store of `value`. The buffer is full if the condition of the first part holds; else the
    /// statements of the second append to it.
    fn store(&self, build: Build, scalar: &str, value: &Expr) -> (Cond, Vec<Stmt>);

    /// A load of a buffered scalar into a local.
    fn load(&self, build: Build, scalar: &str, into: &Place) -> Stmt;

    /// What an atomic operation on the scalar waits for.
    fn update_waits_for(&self, build: Build, scalar: &str) -> Option<Cond>;

    /// The flushes, each of one entry; the first statement waits until there is one.
    fn flushes(&self, build: Build) -> Vec<Flushing>;

    /// The variables that count entries, one per buffer.
    fn counters(&self) -> Vec<&str>;

    /// The locals, one line per buffer, with what they are.
    fn locals(&self) -> Vec<(String, Vec<&str>)>;
}

/// The flush of one entry of one buffer.
pub(super) struct Flushing {
    /// What is flushed, as a comment says it.
    pub what: String,
    /// The statements, the first of which waits until there is an entry.
    pub stmts: Vec<Stmt>,
}

impl Buffers {
    /// The locals that count entries, one per buffer.
    pub fn counters(&self) -> Vec<&str> {
        self.rules().counters()
    }

    /// The model's rules.
    pub(super) fn rules(&self) -> &dyn Rules {
        match self {
            Buffers::Tso(buffer) => buffer,
            Buffers::Pso(buffers) => buffers,
        }
    }
}

impl Layout {
    /// The rules for a thread and the variable that tells of an overflow, if the thread has buffers.
    pub(super) fn of_thread(&self, thread: &str) -> Option<(&dyn Rules, &str)> {
        let buffers = self.threads.get(thread)?;
        Some((buffers.rules(), self.overflow.as_deref()?))
    }

    /// Names the variables that the reduction adds.
    pub(super) fn of(checked: &Checked, resolved: &Resolved, config: &ReduceConfig) -> Self {
        let mut names = Names::of_program(&checked.symbols);
        let numbers = scalar_numbers(&checked.symbols);
        let stored = stored_scalars(checked, resolved);
        let is_needed = stored.iter().any(|(_, scalars)| !scalars.is_empty());
        if config.model == Model::Sc || !is_needed {
            return Layout::default();
        }
        let overflow = Some(names.fresh("overflow".to_owned()));
        let mut threads = IndexMap::new();
        for (number, (thread, stored)) in stored.into_iter().enumerate() {
            let scalars = numbers.iter().filter(|(name, _)| stored.contains(*name));
            let scalars: IndexMap<String, i64> = scalars
                .map(|(name, &number)| (name.clone(), number))
                .collect();
            let mut fresh = |wanted: String| names.fresh(format!("{wanted}_t{number}"));
            if let Some(buffers) = buffers(config, scalars, &mut fresh) {
                threads.insert(thread, buffers);
            }
        }
        Layout { overflow, threads }
    }
}

/// The buffers for the given scalars; `fresh` makes a name from its part before the thread's number.
fn buffers(
    config: &ReduceConfig,
    scalars: IndexMap<String, i64>,
    fresh: &mut dyn FnMut(String) -> String,
) -> Option<Buffers> {
    match config.model {
        _ if scalars.is_empty() => None,
        Model::Sc => None,
        Model::Tso => Some(Buffers::Tso(tso::Buffer::new(scalars, config.k, fresh))),
        Model::Pso => {
            let scalars = scalars.into_keys();
            Some(Buffers::Pso(pso::Buffers::new(scalars, config.k, fresh)))
        }
    }
}

/// The shared scalars with their numbers: in declaration order from 0, each element counting one.
fn scalar_numbers(symbols: &Symbols) -> IndexMap<String, i64> {
    let names = symbols
        .shared
        .iter()
        .flat_map(|(name, variable)| match variable.size {
            Some(size) => (0..size).map(|index| element_name(name, index)).collect(),
            None => vec![name.clone()],
        });
    names.zip(0..).collect()
}

/// The scalars that each thread stores to, by the thread's printed name.
fn stored_scalars(checked: &Checked, resolved: &Resolved) -> Vec<(String, IndexSet<String>)> {
    let threads = resolved
        .tree
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Thread(thread) => Some(thread),
            ItemKind::Shared(_) | ItemKind::Placement(_) | ItemKind::Spec(_) => None,
        });
    let stored = threads.map(|thread| {
        let scopes = Scopes::new(&checked.symbols, resolved.source(thread));
        let mut scalars = IndexSet::new();
        collect_stores(scopes, &thread.body, &mut scalars);
        (thread.name.text.clone(), scalars)
    });
    stored.collect()
}

fn collect_stores(scopes: Scopes, block: &Block, scalars: &mut IndexSet<String>) {
    for stmt in &block.stmts {
        if let Some(Access::Store(target, _)) = scopes.access(stmt) {
            scalars.extend(target.scalars().iter().cloned());
        }
        for block in stmt.kind.blocks() {
            collect_stores(scopes, block, scalars);
        }
    }
}
