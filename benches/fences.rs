//! The search for fences on programs with unbounded numbers, and what it asks of the solver
//! compared with verifying one placement. `cargo bench --bench fences`.

#![allow(missing_docs)]

use cupola::engine::portfolio::{Choice, Config, Portfolio, Subject};
use cupola::engine::predicate::{NAME, PastBounds, PredicateConfig};
use cupola::engine::{Context, Limits};
use cupola::fences::{Answer, Candidates, Search, search};
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::proof::{self, Proof};
use cupola::source::SourceFile;

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
        let checked = cupola::front::cup::load(&file).expect("the example is well-formed");
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
        let config = Config {
            predicate: PredicateConfig {
                past_bounds: PastBounds::Skip,
                ..PredicateConfig::default()
            },
            ..Config::default()
        };
        let limits = Limits {
            explore_states: 100_000,
            ..Limits::default()
        };
        let task = Search {
            source: &self.file,
            candidates: &candidates,
            proof: Some(&self.proof),
            model,
            max_sets: None,
        };
        let mut engines = Portfolio::of(&config, &limits);
        let answer = search(&task, &mut engines, &Context::default(), &mut |_| {});
        answer.expect("the engines support the example")
    }

    /// The solver calls of verifying the declared placement, SC included.
    fn calls_of_one(&self, model: Model) -> u64 {
        let subject = Subject {
            source: &self.file,
            program: &self.checked,
            proof: Some(&self.proof),
        };
        let config = Config {
            choice: Choice::Only(NAME.to_owned()),
            ..Config::default()
        };
        let mut engine = Portfolio::of(&config, &Limits::default());
        let (models, context) = ([Model::Sc, model], Context::default());
        let report = engine.verify(&subject, &models, &Placement::Declared, &context);
        let report = report.expect("the example can be verified");
        let tries = report.results.iter().flat_map(|result| &result.outcome.log);
        tries.map(|tried| tried.stats.solver_calls()).sum()
    }
}
