//! Abstract states, and their encoding as bytes.
//!
//! Locations, locals and memory are as they are; buffers are abstract. The encoding has all but the sets first, then the
//! sets, so that in the domain `pd` the states that may cover one another begin alike.

use super::buffer::{Buffer, Mask};
use super::layout::Layout;
use crate::program::{LocId, Program, ThreadId, VarId};
use crate::semantics::eval::View;
use crate::semantics::numbers::{Reader, unzigzag, write, zigzag};

/// An abstract state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Where each thread is.
    pub at: Vec<LocId>,
    /// The values of all variables, shared ones as in main memory.
    pub values: Vec<i64>,
    /// The store buffers.
    pub buffers: Vec<Buffer>,
}

impl State {
    /// The state in which all threads are at their entries, variables have these values and buffers are empty.
    pub(crate) fn initial(program: &Program, layout: &Layout, values: Vec<i64>) -> Self {
        State {
            at: program.threads.iter().map(|thread| thread.entry).collect(),
            values,
            buffers: layout.empty(),
        }
    }

    /// What conditions are evaluated in.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            values: &self.values,
            at: &self.at,
        }
    }

    /// Where a thread is.
    pub(crate) fn at(&self, thread: ThreadId) -> LocId {
        self.at[thread.index()]
    }

    /// The value of a variable, in main memory if it is shared.
    pub(crate) fn value(&self, var: VarId) -> i64 {
        self.values[var.index()]
    }

    /// The thread that holds the atomic section.
    pub(crate) fn holder(&self, program: &Program) -> Option<ThreadId> {
        let is_held = |thread: &ThreadId| {
            let graph = &program.threads[thread.index()];
            graph.location(self.at(*thread)).held
        };
        program.thread_ids().find(is_held)
    }

    /// Whether all threads have ended and all buffers are empty.
    pub(crate) fn is_final(&self, program: &Program) -> bool {
        let mut ends = program.threads.iter().zip(&self.at);
        ends.all(|(thread, at)| thread.end == *at) && self.buffers.iter().all(Buffer::is_empty)
    }

    /// Writes the state to `bytes`, and returns the length of what comes before the sets; equal states, and only they, have
    /// equal encodings.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) -> usize {
        bytes.clear();
        for location in &self.at {
            write(bytes, location.index() as u64);
        }
        for &value in &self.values {
            write(bytes, zigzag(value));
        }
        for buffer in &self.buffers {
            write(bytes, buffer.head.len() as u64);
            for &(slot, entry) in &buffer.head {
                write(bytes, slot as u64);
                bytes.push(entry);
            }
            for (last, set) in buffer.last.iter().zip(&buffer.sets) {
                let last = last.map_or(0, |entry| u64::from(entry) + 1);
                write(bytes, last << 1 | u64::from(*set != 0));
            }
        }
        let key = bytes.len();
        for set in self.sets() {
            write(bytes, set);
        }
        key
    }

    /// The state that `bytes` encodes, with room like that of `like`.
    pub(crate) fn decode(&mut self, bytes: &[u8]) {
        let mut reader = Reader::new(bytes);
        for location in &mut self.at {
            *location = LocId::new(reader.read() as usize);
        }
        for value in &mut self.values {
            *value = unzigzag(reader.read());
        }
        for buffer in &mut self.buffers {
            buffer.head.clear();
            for _ in 0..reader.read() {
                let slot = reader.read() as usize;
                buffer.head.push((slot, reader.byte()));
            }
            for last in &mut buffer.last {
                *last = ((reader.read() >> 1) as u8).checked_sub(1);
            }
        }
        for buffer in &mut self.buffers {
            buffer.sets.iter_mut().for_each(|set| *set = reader.read());
        }
    }

    /// All sets.
    pub(crate) fn sets(&self) -> impl Iterator<Item = Mask> {
        let buffers = self.buffers.iter();
        buffers.flat_map(|buffer| buffer.sets.iter().copied())
    }
}
