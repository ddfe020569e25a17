//! What the words of the table mean: those of its engines, methods and marks that it has.

use indexmap::IndexSet;

use super::{VerifyReport, method_text};
use crate::render::{NO_VALUE, Page};
use crate::verdict::Attempt;

/// The words of the columns `engine` and `method`, and what is added to them.
const WORDS: [(&str, &str); 13] = [
    ("explore", "all states, with real store buffers"),
    (
        "backward",
        "exact search from the violations back, for finite data",
    ),
    ("coherence", "finite data, with abstract store buffers"),
    (
        "predicate",
        "a proof by predicate abstraction, with buffers of k entries",
    ),
    ("trad", "the predicates of the proof as they are"),
    ("pe", "predicate extrapolation"),
    ("ce", "cube extrapolation"),
    ("lazy", "abstract states one by one, without cubes"),
    ("set", "of an abstract buffer which stores it holds"),
    (
        "fd",
        "of an abstract buffer also the last store, and the k oldest ones in order",
    ),
    ("pd", "as fd, with some that may be missing"),
    ("split", "unknown values are split"),
    (
        "sizes",
        "the sizes of larger cubes, for updates and for conditions",
    ),
];

impl VerifyReport<'_> {
    /// The meaning of the words that the table has, on lines of their own; nothing for a table without attempts.
    pub(super) fn legend(&self, page: &Page) -> String {
        let told = self.meanings().into_iter();
        let lines: Vec<String> = told
            .map(|(word, meaning)| format!("  {word}: {meaning}"))
            .collect();
        match lines.is_empty() {
            true => String::new(),
            false => page.prose(&format!("\n{}\n", lines.join("\n"))),
        }
    }

    /// The words that the table has, each with its meaning; none for a table without attempts.
    pub(in crate::render) fn meanings(&self) -> Vec<(&'static str, &'static str)> {
        let mut present: IndexSet<String> = IndexSet::new();
        for result in &self.report.results {
            let log = &result.outcome.log;
            for tried in log {
                let first = log.iter().find(|other| other.engine == tried.engine);
                present.extend(words(tried, first));
            }
        }
        let told = WORDS.iter().filter(|(word, _)| present.contains(*word));
        let mut told: Vec<(&str, &str)> = told
            .map(|&(word, meaning)| match word {
                "split" => ("+split", meaning),
                "sizes" => ("+U,C", meaning),
                word => (word, meaning),
            })
            .collect();
        if !told.is_empty() {
            told.push((NO_VALUE, "the engine does not have this"));
        }
        told
    }
}

/// The words in the row of an attempt.
fn words(tried: &Attempt, first: Option<&Attempt>) -> Vec<String> {
    let method = method_text(tried, first);
    let parts = method.split('+').map(|part| match part.contains(',') {
        true => "sizes".to_owned(),
        false => part.to_owned(),
    });
    let mut words = vec![tried.engine.to_owned()];
    words.extend(parts);
    words
}
