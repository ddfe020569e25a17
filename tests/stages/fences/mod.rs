//! The search for fences finds what the papers found and what exploring every placement finds.

mod emitted;
mod existing;
mod predicate;
mod random;
mod shapes;
mod tables;
mod unbounded;

use std::collections::BTreeSet;

use cupola::engine::explore::{Explore, ExploreConfig};
use cupola::engine::{Context, Engine};
use cupola::fences::{self, Answer, Candidates, FenceSet, PlaceKind, PlacesError, Search};
use cupola::front::cup;
use cupola::front::cup::check::Checked;
use cupola::memory::Model;
use cupola::proof::Proof;
use cupola::source::SourceFile;

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

    fn search(&self) -> Answer {
        self.search_with(&mut Explore::new(limits()), None)
    }

    fn search_with(&self, engine: &mut dyn Engine, proof: Option<&Proof>) -> Answer {
        run(&self.task(proof), engine)
    }

    fn task<'a>(&'a self, proof: Option<&'a Proof>) -> Search<'a> {
        Search {
            source: &self.file,
            candidates: &self.candidates,
            proof,
            model: self.model,
            max_sets: None,
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

/// Runs a search to its end.
fn run(search: &Search<'_>, engine: &mut dyn Engine) -> Answer {
    let answer = fences::search(search, engine, &Context::default(), &mut |_| {});
    answer.expect("the engine supports the program")
}

fn load(text: &str) -> (SourceFile, Checked) {
    let file = SourceFile::new("test.cup", text);
    match cup::load(&file) {
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
