//! The speed of the exact explorer, in states per second, and the memory that a state takes.
//!
//! Peterson's lock without fences never stops storing, so the buffer limit decides how many states there
//! are; the explorer sees all of them, past violations. `cargo bench --bench explore`.

#![allow(missing_docs)]

use cupola::engine::Context;
use cupola::engine::explore::{Exploration, ExploreConfig, explore};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program::{Program, lower};
use cupola::source::SourceFile;
use divan::Bencher;
use divan::counter::ItemsCount;

/// The workloads: a model and a buffer limit.
const WORKLOADS: [(Model, usize); 3] = [(Model::Tso, 8), (Model::Pso, 4), (Model::Pso, 8)];

#[allow(clippy::print_stdout)]
fn main() {
    for (model, buffer) in WORKLOADS {
        let exploration = run(&peterson(model), model, buffer);
        let per_state = exploration.bytes / exploration.states;
        println!(
            "peterson, {model}, buffer {buffer}: {} states, {per_state} bytes per state",
            exploration.states
        );
    }
    divan::main();
}

#[divan::bench(args = WORKLOADS.map(Workload::from), sample_count = 5)]
fn peterson_without_fences(bencher: Bencher<'_, '_>, workload: &Workload) {
    let Workload(model, buffer) = *workload;
    let program = peterson(model);
    let states = run(&program, model, buffer).states;
    bencher
        .counter(ItemsCount::new(states))
        .bench(|| run(&program, model, buffer));
}

#[derive(Clone, Copy)]
struct Workload(Model, usize);

impl From<(Model, usize)> for Workload {
    fn from((model, buffer): (Model, usize)) -> Self {
        Workload(model, buffer)
    }
}

impl std::fmt::Display for Workload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} buffer {}", self.0, self.1)
    }
}

fn peterson(model: Model) -> Program {
    let text = include_str!("../examples/peterson.cup");
    let checked = cupola::front::cup::load(&SourceFile::new("peterson.cup", text));
    let checked = checked.expect("the example is well-formed");
    let fences = Placement::None.in_force(&checked, model);
    lower(&checked, &fences.expect("no fence is named"))
}

fn run(program: &Program, model: Model, buffer: usize) -> Exploration {
    let config = ExploreConfig {
        buffer,
        outcomes: true,
        ..ExploreConfig::default()
    };
    let explored = explore(program, model, &config, &Context::default());
    explored.expect("the program has no background blocks")
}
