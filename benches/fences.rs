//! The search for fences on programs with unbounded numbers, and what it asks of the solver
//! compared with verifying one placement. `cargo bench --bench fences`.

#![allow(missing_docs)]

use cupola::explore::ExploreConfig;
use cupola::fences::{
    Answer, AutoProver, Candidates, ExploreProver, PipelineProver, SearchConfig, search,
};
use cupola::lang::check::Checked;
use cupola::lang::placement::Placement;
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::pipeline::{Bound, MethodChoice, PipelineConfig, Task, VerifyConfig, verify};
use cupola::proof::{self, Proof};

/// The programs with their proofs.
const PROGRAMS: [(&str, &str, &str); 3] = [
    (
        "bakery",
        include_str!("../examples/bakery.cup"),
        include_str!("../examples/bakery.proof"),
    ),
    (
        "ticket",
        include_str!("../examples/ticket.cup"),
        include_str!("../examples/ticket.proof"),
    ),
    (
        "queue",
        include_str!("../examples/queue.cup"),
        include_str!("../examples/queue.proof"),
    ),
];

#[allow(clippy::print_stdout)]
fn main() {
    for program in PROGRAMS.map(Program::new) {
        for model in [Model::Tso, Model::Pso] {
            let answer = program.search(model);
            let calls: u64 = answer.tried.iter().map(|tried| tried.solver_calls).sum();
            println!(
                "{}, {model}: {} placements, {} tried, {calls} solver calls; one placement: {}",
                program.file.name(),
                answer.proved.len(),
                answer.tried.len(),
                program.calls_of_one(model),
            );
        }
    }
    divan::main();
}

#[divan::bench(args = ["bakery", "ticket", "queue"], sample_count = 3)]
fn all_placements_under_pso(name: &str) -> usize {
    let mut programs = PROGRAMS.into_iter();
    let program = programs.find(|(program, ..)| *program == name);
    let program = Program::new(program.expect("the program is listed"));
    program.search(Model::Pso).proved.len()
}

struct Program {
    file: SourceFile,
    checked: Checked,
    proof: Proof,
}

impl Program {
    fn new((name, program, proof): (&str, &str, &str)) -> Self {
        let file = SourceFile::new(name, program);
        let checked = cupola::lang::load(&file).expect("the example is well-formed");
        let proof = proof::parse(&SourceFile::new(name, proof), &checked);
        let (proof, _) = proof.expect("the proof is well-formed");
        Program {
            file,
            checked,
            proof,
        }
    }

    fn search(&self, model: Model) -> Answer {
        let candidates = Candidates::new(&self.file, &self.checked, None);
        let candidates = candidates.expect("the example has places");
        let limits = ExploreConfig {
            max_states: 100_000,
            ..ExploreConfig::default()
        };
        let explorer = ExploreProver::new(&candidates, model, limits, None);
        let explorer = explorer.expect("the example has no background blocks");
        let config = config(vec![model], Placement::Declared);
        let pipeline = PipelineProver::new(&self.file, &candidates, &self.proof, model, config);
        let mut prover = AutoProver::new(explorer, pipeline);
        let config = SearchConfig {
            model,
            max_sets: None,
            deadline: None,
            cancel: None,
        };
        search(&candidates, &mut prover, &config, &mut |_| {})
    }

    /// The solver calls of verifying the declared placement, SC included.
    fn calls_of_one(&self, model: Model) -> u64 {
        let task = Task {
            file: &self.file,
            checked: &self.checked,
            proof: &self.proof,
        };
        let config = config(vec![Model::Sc, model], Placement::Declared);
        let report = verify(&task, false, &config).expect("the example can be verified");
        let tries = report.results.iter().flat_map(|result| &result.attempts);
        tries.map(|tried| tried.effort.calls).sum()
    }
}

fn config(models: Vec<Model>, placement: Placement) -> VerifyConfig {
    VerifyConfig {
        models,
        bound: Bound::Auto(4),
        method: MethodChoice::Auto,
        refute_states: 0,
        pipeline: PipelineConfig {
            placement,
            ..PipelineConfig::default()
        },
    }
}
