//! Programs with their proofs, ready for the pipeline.

use cupola::lang;
use cupola::lang::check::Checked;
use cupola::lang::placement::Placement;
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::pipeline::{Bound, MethodChoice, PipelineConfig, Task, VerifyConfig, verify};
use cupola::program;
use cupola::proof::{self, Proof};
use cupola::report::Report;
use indexmap::IndexSet;

use super::examples;

/// The seven algorithms of the SAS 2013 paper.
pub const ALGORITHMS: [&str; 7] = [
    "dekker",
    "peterson",
    "abp",
    "szymanski",
    "queue",
    "bakery",
    "ticket",
];

/// A program with its proof.
pub struct Proved {
    /// The source.
    pub file: SourceFile,
    /// The checked program.
    pub checked: Checked,
    /// Its proof.
    pub proof: Proof,
    /// The most states that the checker may store.
    pub max_states: usize,
    /// The states of the search for a violation before the proof.
    pub refute_states: usize,
}

impl Proved {
    /// A program and the text of its proof; without one, predicates are harvested.
    pub fn new(name: &str, program: &str, proof: Option<&str>) -> Self {
        let file = SourceFile::new(name, program);
        let checked = lang::load(&file).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let proof = match proof {
            Some(text) => {
                let file = SourceFile::new("proof", text);
                let parsed = proof::parse(&file, &checked);
                parsed
                    .unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
                    .0
            }
            None => proof::harvest(&program::lower(&checked, &IndexSet::new())).0,
        };
        Proved {
            file,
            checked,
            proof,
            max_states: 300_000,
            refute_states: 0,
        }
    }

    /// A program of `examples/` with its proof, if it has one.
    pub fn example(name: &str) -> Self {
        let read = |extension: &str| {
            let path = examples::directory().join(format!("{name}.{extension}"));
            std::fs::read_to_string(path)
        };
        let program = read("cup").expect("the example can be read");
        Proved::new(name, &program, read("proof").ok().as_deref())
    }

    /// The task for the pipeline.
    pub fn task(&self) -> Task<'_> {
        Task {
            file: &self.file,
            checked: &self.checked,
            proof: &self.proof,
        }
    }

    /// Verifies the program with its own fences or others.
    pub fn verify(
        &self,
        models: &[Model],
        (bound, method): (Bound, MethodChoice),
        placement: Placement,
    ) -> Report {
        let config = VerifyConfig {
            models: models.to_vec(),
            bound,
            method,
            refute_states: self.refute_states,
            pipeline: PipelineConfig {
                placement,
                max_states: self.max_states,
                ..PipelineConfig::default()
            },
        };
        verify(&self.task(), false, &config).expect("the program can be verified or not")
    }
}
