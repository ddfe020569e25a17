//! The store buffers of each thread as locals.
//!
//! A thread has buffers only for the variables that it stores to by `X = e;`: `cas`, `swap` and
//! `fetch_add` write main memory. [`Layout`] names the locals while the tree is made; later stages take
//! them by id from [`super::BufferVars`].

use indexmap::{IndexMap, IndexSet};

use super::access::{Access, Scopes};
use super::names::Names;
use super::rules::{Rules, Scalar};
use super::sc::Resolved;
use super::{pso, tso};
use crate::front::cup::ast::{Block, ItemKind};
use crate::front::cup::check::Checked;
use crate::memory::Model;
use crate::program::VarId;

/// The names of the variables that a reduction adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The shared variable that a store into a full buffer sets, if there is a buffer.
    pub overflow: Option<String>,
    /// The printed name of each thread, with its buffers if it has some.
    threads: IndexMap<String, Option<Buffers>>,
}

/// The store buffers of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Buffers {
    /// One buffer for all variables.
    Tso(tso::Buffer),
    /// One buffer per variable.
    Pso(pso::Buffers),
}

impl Buffers {
    /// The model's rules.
    fn rules(&self) -> &dyn Rules {
        match self {
            Buffers::Tso(buffer) => buffer,
            Buffers::Pso(buffers) => buffers,
        }
    }
}

impl Layout {
    /// The rules for a thread and the variable that an overflow sets, if the thread has buffers.
    pub(super) fn of_thread(&self, thread: &str) -> Option<(&dyn Rules, &str)> {
        let buffers = self.threads.get(thread)?.as_ref()?;
        Some((buffers.rules(), self.overflow.as_deref()?))
    }

    /// The rules for each thread that has buffers, with the thread's printed name.
    pub(super) fn threads(&self) -> impl Iterator<Item = (&str, &dyn Rules)> {
        let threads = self.threads.iter();
        threads.filter_map(|(name, buffers)| Some((name.as_str(), buffers.as_ref()?.rules())))
    }

    /// The rules for each thread, in the order of threads.
    pub(super) fn buffers(&self) -> impl Iterator<Item = Option<&dyn Rules>> {
        let threads = self.threads.values();
        threads.map(|buffers| buffers.as_ref().map(Buffers::rules))
    }

    /// Names the variables that the reduction for a model adds; `entries` are the sizes of buffers, by
    /// scalar.
    pub(super) fn of(
        checked: &Checked,
        resolved: &Resolved,
        model: Model,
        entries: &IndexMap<String, usize>,
    ) -> Self {
        let mut names = Names::of_program(&checked.symbols);
        let stored = stored_scalars(checked, resolved);
        let is_needed = stored.iter().any(|(_, scalars)| !scalars.is_empty());
        if model == Model::Sc || !is_needed {
            return Layout::default();
        }
        let overflow = Some(names.fresh("overflow".to_owned()));
        let mut threads = IndexMap::new();
        for (number, (thread, stored)) in stored.into_iter().enumerate() {
            let scalars = entries.iter().enumerate();
            let scalars = scalars.filter(|(_, (name, _))| stored.contains(*name));
            let scalars: Vec<Scalar> = scalars
                .map(|(id, (name, &entries))| Scalar {
                    name: name.clone(),
                    var: VarId::new(id),
                    entries,
                })
                .collect();
            let mut fresh = |wanted: String| names.fresh(format!("{wanted}_t{number}"));
            threads.insert(thread, buffers(model, scalars, &mut fresh));
        }
        Layout { overflow, threads }
    }
}

/// The buffers for the given scalars; `fresh` makes a name from its part before the thread's number.
fn buffers(
    model: Model,
    scalars: Vec<Scalar>,
    fresh: &mut dyn FnMut(String) -> String,
) -> Option<Buffers> {
    match model {
        _ if scalars.is_empty() => None,
        Model::Sc => None,
        Model::Tso => Some(Buffers::Tso(tso::Buffer::new(scalars, fresh))),
        Model::Pso => Some(Buffers::Pso(pso::Buffers::new(scalars, fresh))),
    }
}

/// The scalars that each thread stores to, by the thread's printed name.
fn stored_scalars(checked: &Checked, resolved: &Resolved) -> Vec<(String, IndexSet<String>)> {
    let threads = resolved
        .tree
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Thread(thread) => Some(thread),
            ItemKind::Const(_)
            | ItemKind::Shared(_)
            | ItemKind::Placement(_)
            | ItemKind::Spec(_) => None,
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
