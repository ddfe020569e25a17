//! A state that steps change in place and take back, and its encoding as bytes.
//!
//! The search decodes a state once and tries every step on it; a log of changes undoes each of them,
//! so that no successor costs an allocation. Numbers are encoded as varints: a state of a lock is some twenty bytes.

use std::collections::VecDeque;

use crate::program::{Fifo, FifoId, LocId, Program, ThreadId, VarId};

use super::buffers::Buffers;
use super::eval::View;
use super::numbers::{Reader, unzigzag, write, zigzag};

/// A state of a program under a memory model.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    at: Vec<LocId>,
    values: Vec<i64>,
    fifos: Vec<VecDeque<Entry>>,
    /// The program's own FIFOs: the fields of the entries one after the other, those of the oldest first.
    queues: Vec<VecDeque<i64>>,
    log: Vec<Change>,
}

/// A buffered store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The variable.
    pub var: VarId,
    /// The value.
    pub value: i64,
}

/// A point in the log of changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

#[derive(Clone, Copy, Debug)]
enum Change {
    Location(ThreadId, LocId),
    Value(VarId, i64),
    Push(usize),
    Pop(usize, Entry),
    Append(FifoId),
    Take(FifoId, i64),
}

impl State {
    /// The state in which all threads are at their entries, values that are not fixed are 0 and buffers
    /// are empty.
    pub(crate) fn initial(program: &Program, buffers: &Buffers) -> Self {
        State {
            at: program.threads.iter().map(|thread| thread.entry).collect(),
            values: program
                .vars
                .iter()
                .map(|var| var.init.value().unwrap_or(0))
                .collect(),
            fifos: vec![VecDeque::new(); buffers.fifos().len()],
            queues: vec![VecDeque::new(); program.fifos.len()],
            log: Vec::new(),
        }
    }

    /// The state in which all threads are at their entries, variables have these values and buffers are
    /// empty.
    pub(crate) fn with_values(program: &Program, buffers: &Buffers, values: &[i64]) -> Self {
        let mut state = State::initial(program, buffers);
        for (var, &value) in program.var_ids().zip(values) {
            state.set_value(var, value);
        }
        state.settle();
        state
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

    /// The values of all variables.
    pub(crate) fn values(&self) -> &[i64] {
        &self.values
    }

    /// The entries of a FIFO, the oldest first.
    pub(crate) fn fifo(&self, fifo: usize) -> &VecDeque<Entry> {
        &self.fifos[fifo]
    }

    /// The entries of every FIFO.
    pub(crate) fn fifos(&self) -> &[VecDeque<Entry>] {
        &self.fifos
    }

    /// Moves a thread.
    pub(crate) fn set_location(&mut self, thread: ThreadId, location: LocId) {
        let old = std::mem::replace(&mut self.at[thread.index()], location);
        self.log.push(Change::Location(thread, old));
    }

    /// Sets a variable.
    pub(crate) fn set_value(&mut self, var: VarId, value: i64) {
        let old = std::mem::replace(&mut self.values[var.index()], value);
        self.log.push(Change::Value(var, old));
    }

    /// Appends a store to a FIFO.
    pub(crate) fn push(&mut self, fifo: usize, entry: Entry) {
        self.fifos[fifo].push_back(entry);
        self.log.push(Change::Push(fifo));
    }

    /// Takes the oldest store out of a FIFO.
    pub(crate) fn pop(&mut self, fifo: usize) -> Option<Entry> {
        let entry = self.fifos[fifo].pop_front()?;
        self.log.push(Change::Pop(fifo, entry));
        Some(entry)
    }

    /// Appends an entry to a FIFO of the program, and shows it in the FIFO's variables.
    pub(crate) fn append(&mut self, fifo: &Fifo, entry: &[i64]) {
        let length = self.value(fifo.length);
        self.set_value(fifo.length, length + 1);
        for (field, &value) in entry.iter().enumerate() {
            self.queues[fifo.id.index()].push_back(value);
            self.log.push(Change::Append(fifo.id));
            self.set_value(fifo.newest[field], value);
            if length == 0 {
                self.set_value(fifo.oldest[field], value);
            }
        }
    }

    /// Takes the oldest entry out of a FIFO of the program that is not empty.
    pub(crate) fn take(&mut self, fifo: &Fifo) {
        let length = self.value(fifo.length);
        for _ in 0..fifo.width() {
            let value = self.queues[fifo.id.index()].pop_front();
            let value = value.expect("an entry has all its fields");
            self.log.push(Change::Take(fifo.id, value));
        }
        self.set_value(fifo.length, length - 1);
        for field in 0..fifo.width() {
            let next = self.queues[fifo.id.index()].get(field).copied();
            self.set_value(fifo.oldest[field], next.unwrap_or(0));
            if next.is_none() {
                self.set_value(fifo.newest[field], 0);
            }
        }
    }

    /// The point to come back to.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Takes back all changes since `mark`.
    pub(crate) fn undo(&mut self, mark: Mark) {
        while self.log.len() > mark.0
            && let Some(change) = self.log.pop()
        {
            match change {
                Change::Location(thread, location) => self.at[thread.index()] = location,
                Change::Value(var, value) => self.values[var.index()] = value,
                Change::Push(fifo) => drop(self.fifos[fifo].pop_back()),
                Change::Pop(fifo, entry) => self.fifos[fifo].push_front(entry),
                Change::Append(fifo) => drop(self.queues[fifo.index()].pop_back()),
                Change::Take(fifo, value) => self.queues[fifo.index()].push_front(value),
            }
        }
    }

    /// Makes all changes permanent.
    pub(crate) fn settle(&mut self) {
        self.log.clear();
    }

    /// Writes the state to `bytes`; equal states, and only they, have equal encodings.
    pub(crate) fn encode(&self, buffers: &Buffers, bytes: &mut Vec<u8>) {
        bytes.clear();
        for location in &self.at {
            write(bytes, location.index() as u64);
        }
        for &value in &self.values {
            write(bytes, zigzag(value));
        }
        for (entries, fifo) in self.fifos.iter().zip(buffers.fifos()) {
            write(bytes, entries.len() as u64);
            for entry in entries {
                if fifo.var.is_none() {
                    write(bytes, entry.var.index() as u64);
                }
                write(bytes, zigzag(entry.value));
            }
        }
        for queue in &self.queues {
            write(bytes, queue.len() as u64);
            queue.iter().for_each(|&value| write(bytes, zigzag(value)));
        }
    }

    /// Becomes the state that `bytes` encodes, with an empty log.
    pub(crate) fn decode(&mut self, buffers: &Buffers, bytes: &[u8]) {
        let mut reader = Reader::new(bytes);
        self.log.clear();
        for location in &mut self.at {
            *location = LocId::new(reader.read() as usize);
        }
        for value in &mut self.values {
            *value = unzigzag(reader.read());
        }
        for (entries, fifo) in self.fifos.iter_mut().zip(buffers.fifos()) {
            entries.clear();
            for _ in 0..reader.read() {
                let var = fifo
                    .var
                    .unwrap_or_else(|| VarId::new(reader.read() as usize));
                let value = unzigzag(reader.read());
                entries.push_back(Entry { var, value });
            }
        }
        for queue in &mut self.queues {
            queue.clear();
            let length = reader.read();
            queue.extend((0..length).map(|_| unzigzag(reader.read())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_taken_back_in_reverse() {
        let mut state = State {
            at: vec![LocId::new(0)],
            values: vec![7],
            fifos: vec![VecDeque::new()],
            queues: Vec::new(),
            log: Vec::new(),
        };
        let entry = |value| Entry {
            var: VarId::new(0),
            value,
        };
        state.push(0, entry(1));
        state.push(0, entry(2));
        let before = format!("{:?}", (&state.at, &state.values, &state.fifos));
        let mark = state.mark();
        state.set_value(VarId::new(0), 1);
        state.set_value(VarId::new(0), 2);
        assert_eq!(state.pop(0), Some(entry(1)));
        state.push(0, entry(3));
        state.set_location(ThreadId::new(0), LocId::new(4));
        state.undo(mark);
        assert_eq!(
            format!("{:?}", (&state.at, &state.values, &state.fifos)),
            before
        );
    }
}
