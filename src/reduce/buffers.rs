//! The store buffers of each thread as locals.
//!
//! A thread has buffers only for the variables that it stores to by `X = e;`: `cas`, `swap` and
//! `fetch_add` write main memory. [`Layout`] names the locals while the tree is made; later stages take
//! them by id from [`super::BufferVars`].

use indexmap::{IndexMap, IndexSet};

use super::access::{Access, Scopes};
use super::fifo::Fifos;
use super::names::Names;
use super::rules::{Rules, Scalar};
use super::sc::Resolved;
use super::{Storage, pso, tso};
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
    /// FIFOs of any length.
    Fifos(Fifos),
}

impl Buffers {
    /// The model's rules.
    fn rules(&self) -> &dyn Rules {
        match self {
            Buffers::Tso(buffer) => buffer,
            Buffers::Pso(buffers) => buffers,
            Buffers::Fifos(fifos) => fifos,
        }
    }
}

impl Layout {
    /// The rules for a thread and the variable that an overflow sets, if there is one, if the thread has buffers.
    pub(super) fn of_thread(&self, thread: &str) -> Option<(&dyn Rules, Option<&str>)> {
        let buffers = self.threads.get(thread)?.as_ref()?;
        Some((buffers.rules(), self.overflow.as_deref()))
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
        (model, storage): (Model, Storage),
        entries: &IndexMap<String, usize>,
    ) -> Self {
        let mut names = Names::of_program(&checked.symbols);
        let written = written_scalars(checked, resolved);
        let is_needed = written
            .iter()
            .any(|(_, written)| !written.stored.is_empty());
        if model == Model::Sc || !is_needed {
            return Layout::default();
        }
        let contested = contested(&written);
        let overflow = match storage {
            Storage::Slots => Some(names.fresh("overflow".to_owned())),
            Storage::Fifos => None,
        };
        let mut threads = IndexMap::new();
        for (number, (thread, written)) in written.into_iter().enumerate() {
            let scalars = entries.iter().enumerate();
            let scalars = scalars.filter(|(_, (name, _))| written.stored.contains(*name));
            let scalars: Vec<Scalar> = scalars
                .map(|(id, (name, &entries))| Scalar {
                    name: name.clone(),
                    var: VarId::new(id),
                    entries,
                })
                .collect();
            let buffers = match storage {
                Storage::Slots => {
                    let mut fresh = |wanted: String| names.fresh(format!("{wanted}_t{number}"));
                    buffers(model, scalars, &mut fresh)
                }
                Storage::Fifos if scalars.is_empty() => None,
                Storage::Fifos => Some(Buffers::Fifos(match model {
                    Model::Tso => Fifos::of_records(scalars, &contested, number, &mut names),
                    Model::Sc | Model::Pso => Fifos::of_values(scalars, number, &mut names),
                })),
            };
            threads.insert(thread, buffers);
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

/// The scalars that a thread writes.
#[derive(Default)]
struct Written {
    /// By `X = e;`: these writes are buffered.
    stored: IndexSet<String>,
    /// By an atomic operation.
    updated: IndexSet<String>,
}

/// The scalars that more than one thread writes, by stores or by atomic operations.
fn contested(threads: &[(String, Written)]) -> IndexSet<String> {
    let mut writers: IndexMap<&String, usize> = IndexMap::new();
    for (_, written) in threads {
        for scalar in written.stored.union(&written.updated) {
            *writers.entry(scalar).or_default() += 1;
        }
    }
    let several = writers.into_iter().filter(|(_, writers)| *writers > 1);
    several.map(|(scalar, _)| scalar.clone()).collect()
}

/// The scalars that each thread writes, by the thread's printed name.
fn written_scalars(checked: &Checked, resolved: &Resolved) -> Vec<(String, Written)> {
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
    let written = threads.map(|thread| {
        let scopes = Scopes::new(&checked.symbols, resolved.source(thread));
        let mut written = Written::default();
        collect_writes(scopes, &thread.body, &mut written);
        (thread.name.text.clone(), written)
    });
    written.collect()
}

fn collect_writes(scopes: Scopes, block: &Block, written: &mut Written) {
    for stmt in &block.stmts {
        match scopes.access(stmt) {
            Some(Access::Store(target, _)) => {
                written.stored.extend(target.scalars().iter().cloned());
            }
            Some(Access::Update(_, _, target)) => {
                written.updated.extend(target.scalars().iter().cloned());
            }
            Some(Access::Load(..) | Access::Fence) | None => {}
        }
        for block in stmt.kind.blocks() {
            collect_writes(scopes, block, written);
        }
    }
}
