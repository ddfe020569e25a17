//! Random walks under SC: samples of the states that a program reaches.
//!
//! The walks depend on the program alone: their numbers come from a fixed seed, so that the same program has the same
//! samples in every run.

use std::ops::ControlFlow;

use indexmap::IndexSet;

use crate::memory::Model;
use crate::program::{Init, Program, Range};
use crate::semantics::HavocRange;
use crate::semantics::machine::{Attempt, Event, Machine};
use crate::semantics::state::State;

/// How many walks there are.
const WALKS: u64 = 60;

/// How many steps a walk has.
const STEPS: usize = 300;

/// The values tried for arbitrary ones.
const ARBITRARY: (i64, i64) = (-1, 2);

/// The values of all variables in the states that random walks meet, each once.
pub(super) fn samples(program: &Program) -> IndexSet<Vec<i64>> {
    let (low, high) = ARBITRARY;
    let havoc = HavocRange::new(low, high).expect("there are values");
    let machine = Machine::new(program, Model::Sc, 1, havoc);
    let mut samples = IndexSet::new();
    for seed in 0..WALKS {
        let mut random = Random(seed);
        let mut state = start(&machine, &mut random);
        for _ in 0..STEPS {
            samples.insert(state.values().to_vec());
            let mut next = successors(&machine, &mut state);
            if next.is_empty() {
                break;
            }
            state = next.swap_remove(random.below(next.len()));
            state.settle();
        }
    }
    samples
}

fn start(machine: &Machine<'_>, random: &mut Random) -> State {
    let program = machine.program;
    let mut value = |init: Init| match init {
        Init::Value(value) => value,
        Init::Range(range) => random.within(range),
        Init::Any => random.within(machine.havoc.range()),
    };
    let values: Vec<i64> = program.vars.iter().map(|var| value(var.init)).collect();
    State::with_values(program, &machine.buffers, &values)
}

fn successors(machine: &Machine<'_>, state: &mut State) -> Vec<State> {
    let mut found = Vec::new();
    let mut visit = |state: &State, _: Attempt<'_>, event| {
        if event == Event::Reached {
            found.push(state.clone());
        }
        ControlFlow::Continue(())
    };
    let flow = machine.expand(state, &mut Vec::new(), &mut visit);
    debug_assert!(flow.is_continue(), "nothing ends the visit");
    found
}

/// Numbers that a seed determines (the generator is known as splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }

    fn within(&mut self, range: Range) -> i64 {
        let (low, high) = range.ends();
        let width = high.wrapping_sub(low).unsigned_abs().saturating_add(1);
        low.wrapping_add_unsigned(self.next() % width)
    }
}
