//! The names that a test's locations have in the program it is translated to.
//!
//! A location in memory becomes a shared variable, a register a local variable of its thread. Names
//! stay as they are where the input language allows it; elsewhere an underscore stands for each
//! character that it does not allow, and underscores are added until the name is no keyword and
//! different from all others.

use indexmap::{IndexMap, IndexSet};

use crate::front::build::unused;
use crate::front::cup::is_name;

use super::syntax::{InstructionKind, Location, Register, Test};

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
    /// The variable for what two registers exchange, if they do.
    pub exchange: Option<String>,
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
            Location::Register(thread, register) => {
                format!("{}.{}", thread_name(*thread), self.local(*thread, register))
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
        if exchanges_registers(test, thread) {
            locals.exchange = Some(unused("old", &mut taken));
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
            let memory = instruction.kind.memory();
            locations.extend(memory.map(|name| Location::Memory(name.to_owned())));
            instruction.kind.registers(&mut |register| {
                locations.insert(Location::Register(thread.number, register.clone()));
            });
        }
    }
    locations.extend(test.displayed());
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
            Location::Register(number, register) if number == thread => Some(register),
            Location::Register(..) | Location::Memory(_) => None,
        });
    registers.collect()
}

fn exchanges_registers(test: &Test, thread: u32) -> bool {
    let threads = test.threads.iter().filter(|other| other.number == thread);
    let mut instructions = threads.flat_map(|thread| &thread.instructions);
    instructions
        .any(|instruction| matches!(instruction.kind, InstructionKind::ExchangeRegisters(..)))
}
