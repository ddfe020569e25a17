//! The names that a test's locations have in the program it is translated to.
//!
//! A location in memory becomes a shared variable, a register a local variable of its thread. Names
//! stay as they are where the input language allows it; elsewhere an underscore stands for each
//! character that it does not allow, and underscores are added until the name is no keyword and
//! different from all others.

use indexmap::{IndexMap, IndexSet};

use crate::front::build::unused;
use crate::front::cup::is_name;

use super::syntax::{Location, Register, Test};

/// The names of a test's threads and locations.
pub(crate) struct Names {
    /// The shared variable of each location in memory, in order of appearance.
    pub memory: IndexMap<String, String>,
    /// The local variables of each thread.
    pub threads: IndexMap<u32, Locals>,
}

/// The local variables of a thread.
#[derive(Default)]
pub(crate) struct Locals {
    /// The variable of each register, in herd's order.
    pub registers: IndexMap<Register, String>,
    /// The variable for each thing that an instruction needs to remember.
    pub temporaries: IndexMap<Temporary, String>,
    /// The names of the labels.
    pub labels: IndexMap<String, String>,
}

/// What instructions need to remember beside registers and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Temporary {
    /// What was loaded, or overwritten.
    Old,
    /// What is to be written.
    New,
    /// The result that ZF, SF and PF are about.
    Result,
    /// CF, which is 0 or 1.
    Carry,
    /// OF, which is 0 or 1.
    Overflow,
}

impl Temporary {
    const NAMES: [(Temporary, &'static str); 5] = [
        (Temporary::Old, "old"),
        (Temporary::New, "new"),
        (Temporary::Result, "result"),
        (Temporary::Carry, "CF"),
        (Temporary::Overflow, "OF"),
    ];
}

impl Names {
    /// Names everything in a test.
    pub(crate) fn new(test: &Test) -> Self {
        let threads: IndexSet<String> = test
            .threads
            .iter()
            .map(|thread| thread_name(thread.number))
            .collect();
        let locations = memory_of(test);
        let kept: IndexSet<&String> = locations
            .iter()
            .filter(|name| is_name(name) && !threads.contains(*name))
            .collect();
        let mut taken: IndexSet<String> = threads
            .iter()
            .chain(kept.iter().copied())
            .cloned()
            .collect();
        let mut memory = IndexMap::new();
        for location in &locations {
            let name = match kept.contains(location) {
                true => location.clone(),
                false => unused(location, &mut taken),
            };
            memory.insert(location.clone(), name);
        }
        let locals = |number| (number, Locals::new(test, number, taken.clone()));
        let threads = test
            .threads
            .iter()
            .map(|thread| locals(thread.number))
            .collect();
        Names { memory, threads }
    }

    /// The variable of a location in memory.
    pub(crate) fn shared(&self, location: &str) -> &str {
        &self.memory[location]
    }

    /// The variable of a register.
    pub(crate) fn local(&self, thread: u32, register: &Register) -> &str {
        &self.threads[&thread].registers[register]
    }

    /// The name of a location in the whole program, as outcomes name it.
    pub(crate) fn full(&self, location: &Location) -> String {
        match location {
            Location::Memory(name) => self.shared(name).to_owned(),
            Location::Register(thread, part) => {
                let local = self.local(*thread, &part.register);
                format!("{}.{local}", thread_name(*thread))
            }
        }
    }
}

impl Locals {
    fn new(test: &Test, thread: u32, mut taken: IndexSet<String>) -> Self {
        let mut registers: Vec<Register> = registers_of(test, thread).into_iter().collect();
        registers.sort();
        let mut locals = Locals::default();
        for register in registers {
            let name = unused(register.name.trim_start_matches('%'), &mut taken);
            locals.registers.insert(register, name);
        }
        for (temporary, name) in Temporary::NAMES {
            let name = unused(name, &mut taken);
            locals.temporaries.insert(temporary, name);
        }
        let mut taken = IndexSet::new();
        for label in labels_of(test, thread) {
            let name = unused(label, &mut taken);
            locals.labels.insert(label.to_owned(), name);
        }
        locals
    }
}

/// The name of the thread with this number.
pub(crate) fn thread_name(number: u32) -> String {
    format!("P{number}")
}

/// The locations of a test, each once: those of the initial state, of the threads, and the rest.
fn locations_of(test: &Test) -> IndexSet<Location> {
    let mut locations: IndexSet<Location> = test.initial.keys().cloned().collect();
    for thread in &test.threads {
        for instruction in &thread.instructions {
            let memory = instruction.operation.memory();
            locations.extend(memory.map(|name| Location::Memory(name.to_owned())));
            instruction.operation.visit_parts(&mut |part| {
                locations.insert(Location::Register(thread.number, part.clone()));
            });
        }
    }
    locations.extend(test.displayed());
    locations.extend(test.filtered());
    locations
}

fn memory_of(test: &Test) -> Vec<String> {
    let memory = locations_of(test)
        .into_iter()
        .filter_map(|location| match location {
            Location::Memory(name) => Some(name),
            Location::Register(..) => None,
        });
    memory.collect()
}

fn registers_of(test: &Test, thread: u32) -> IndexSet<Register> {
    let registers = locations_of(test)
        .into_iter()
        .filter_map(|location| match location {
            Location::Register(number, part) if number == thread => Some(part.register),
            Location::Register(..) | Location::Memory(_) => None,
        });
    registers.collect()
}

fn labels_of(test: &Test, thread: u32) -> impl Iterator<Item = &str> {
    let threads = test
        .threads
        .iter()
        .filter(move |other| other.number == thread);
    threads.flat_map(|thread| {
        let labels = thread.instructions.iter();
        let labels = labels.flat_map(|instruction| &instruction.labels);
        labels.chain(&thread.end_labels).map(String::as_str)
    })
}
