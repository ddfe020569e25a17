//! Which abstract buffers a program has under a model, and the numbers of the stores that they hold.
//!
//! Under PSO there is a buffer for each thread and variable, under TSO one for each thread with a slot for each variable, and
//! none under SC; variables to which a thread stores nothing are left out. A store is an [`Entry`]: its value and, for the
//! inference of fences, the label of its statement. Entries are numbered as they are met, for each thread and variable.

use std::ops::Range;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::buffer::{Buffer, MOST_ENTRIES, Slot};
use crate::memory::Model;
use crate::program::{EdgeId, Program, ThreadId, VarId};
use crate::semantics::buffers::stored_vars;

/// A store that waits in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    /// Its value.
    pub value: i64,
    /// The statement that it comes from, where labels are kept.
    pub label: Option<EdgeId>,
}

/// Where the stores of a thread to a variable wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waits {
    /// The buffer.
    pub buffer: usize,
    /// Its slot for the variable.
    pub slot: Slot,
}

/// The buffers of a program.
pub(crate) struct Layout {
    /// By buffer: the variables of its slots.
    vars: Vec<Vec<VarId>>,
    of_thread: Vec<Range<usize>>,
    of_store: IndexMap<(ThreadId, VarId), Waits, FxBuildHasher>,
    /// By buffer and slot: the entries by number.
    entries: Vec<Vec<IndexSet<Entry, FxBuildHasher>>>,
    /// Whether entries have labels.
    pub labels: bool,
}

impl Layout {
    /// The buffers of a program under a model.
    pub(crate) fn new(program: &Program, model: Model, labels: bool) -> Self {
        let mut layout = Layout {
            vars: Vec::new(),
            of_thread: Vec::new(),
            of_store: IndexMap::default(),
            entries: Vec::new(),
            labels,
        };
        for thread in program.thread_ids() {
            let first = layout.vars.len();
            let is_stored = stored_vars(program, thread);
            let stored: Vec<VarId> = program
                .var_ids()
                .filter(|var| is_stored[var.index()])
                .collect();
            match model {
                Model::Sc => {}
                Model::Tso if stored.is_empty() => {}
                Model::Tso => layout.add(thread, stored),
                Model::Pso => stored
                    .into_iter()
                    .for_each(|var| layout.add(thread, vec![var])),
            }
            layout.of_thread.push(first..layout.vars.len());
        }
        layout
    }

    /// The buffers of a thread.
    pub(crate) fn of_thread(&self, thread: ThreadId) -> Range<usize> {
        self.of_thread[thread.index()].clone()
    }

    /// Where the stores of a thread to a variable wait, if they do.
    pub(crate) fn of_store(&self, thread: ThreadId, var: VarId) -> Option<Waits> {
        self.of_store.get(&(thread, var)).copied()
    }

    /// The variable of a slot.
    pub(crate) fn var(&self, waits: Waits) -> VarId {
        self.vars[waits.buffer][waits.slot]
    }

    /// The entry with a number.
    pub(crate) fn entry(&self, waits: Waits, number: u8) -> Entry {
        let known = &self.entries[waits.buffer][waits.slot];
        *known
            .get_index(usize::from(number))
            .expect("the entry has a number")
    }

    /// The number of an entry; `None` if there are too many.
    pub(crate) fn number(&mut self, waits: Waits, entry: Entry) -> Option<u8> {
        let known = &mut self.entries[waits.buffer][waits.slot];
        let entry = Entry {
            label: entry.label.filter(|_| self.labels),
            ..entry
        };
        if known.len() == MOST_ENTRIES && !known.contains(&entry) {
            return None;
        }
        u8::try_from(known.insert_full(entry).0).ok()
    }

    /// All buffers, empty.
    pub(crate) fn empty(&self) -> Vec<Buffer> {
        let vars = self.vars.iter();
        vars.map(|vars| Buffer::empty(vars.len())).collect()
    }

    fn add(&mut self, thread: ThreadId, vars: Vec<VarId>) {
        let buffer = self.vars.len();
        for (slot, &var) in vars.iter().enumerate() {
            self.of_store.insert((thread, var), Waits { buffer, slot });
        }
        self.entries.push(vec![IndexSet::default(); vars.len()]);
        self.vars.push(vars);
    }
}
