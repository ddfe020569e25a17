//! The search for fences finds what the papers found and what exploring every placement finds.

#[path = "../support/mod.rs"]
mod support;

mod command;
mod emitted;
mod random;
mod shapes;
mod tables;
mod unbounded;

use std::collections::BTreeSet;

use cupola::explore::ExploreConfig;
use cupola::fences::{
    self, Answer, Candidates, ExploreProver, FenceSet, PlaceKind, PlacesError, SearchConfig,
};
use cupola::lang;
use cupola::lang::check::Checked;
use cupola::lang::source::SourceFile;
use cupola::model::Model;

const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

/// A program with its candidates and a model.
struct Problem {
    file: SourceFile,
    candidates: Candidates,
    model: Model,
}

impl Problem {
    fn new(text: &str, kind: Option<PlaceKind>, model: Model) -> Result<Self, PlacesError> {
        let (file, checked) = load(text);
        let candidates = Candidates::new(&file, &checked, kind)?;
        Ok(Problem {
            file,
            candidates,
            model,
        })
    }

    fn explorer(&self) -> ExploreProver<'_> {
        let explorer = ExploreProver::new(&self.candidates, self.model, limits(), None);
        explorer.expect("the program has no background blocks")
    }

    fn search(&self) -> Answer {
        self.search_with(&mut self.explorer())
    }

    fn search_with(&self, prover: &mut dyn fences::Prover) -> Answer {
        fences::search(&self.candidates, prover, &self.config(), &mut |_| {})
    }

    fn config(&self) -> SearchConfig {
        SearchConfig {
            model: self.model,
            max_sets: None,
            deadline: None,
            cancel: None,
        }
    }

    fn names(&self, fences: &FenceSet) -> Vec<String> {
        let names = fences
            .places()
            .map(|place| self.candidates.name(place).to_owned());
        names.collect()
    }

    /// The proved placements by name.
    fn proved(&self, answer: &Answer) -> BTreeSet<Vec<String>> {
        let proved = answer.proved.iter();
        proved.map(|proved| self.names(&proved.fences)).collect()
    }
}

fn load(text: &str) -> (SourceFile, Checked) {
    let file = SourceFile::new("test.cup", text);
    match lang::load(&file) {
        Ok(checked) => (file, checked),
        Err(errors) => panic!("{errors:?}\n{text}"),
    }
}

fn limits() -> ExploreConfig {
    ExploreConfig {
        buffer: 6,
        max_states: 1_000_000,
        ..ExploreConfig::default()
    }
}

fn owned(sets: &[&[&str]]) -> BTreeSet<Vec<String>> {
    let sets = sets
        .iter()
        .map(|set| set.iter().map(|&name| name.to_owned()).collect());
    sets.collect()
}
