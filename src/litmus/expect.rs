//! What is expected of tests: a table, and the comparison with it.
//!
//! The table is CSV with a line `name,word` per test, where the word is `Never`, `Sometimes` or
//! `Always`. A first line `test,observation` (or `name,…`), empty lines, blanks around the fields and
//! quotes around them are allowed. A table is for one model, which its users name in the file's name.

use indexmap::{IndexMap, IndexSet};

use crate::memory::Model;
use crate::source::{Diagnostic, SourceFile};

use super::decide::{Decision, Observation};
use crate::front::litmus::span;

/// What is expected of each test, by name.
#[derive(Clone, Debug, Default)]
pub struct Expectations(IndexMap<String, Observation>);

/// How the decisions compare with what is expected.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The model.
    pub model: Model,
    /// How many tests were decided as expected.
    pub agree: usize,
    /// Tests that were decided otherwise.
    pub differ: Vec<Difference>,
    /// Tests that were not decided.
    pub unknown: Vec<String>,
    /// Tests of which nothing is expected.
    pub unexpected: Vec<String>,
    /// Expectations without a test.
    pub missing: Vec<String>,
}

/// A test that was not decided as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub test: String,
    /// What was expected.
    pub expected: Observation,
    /// What was found.
    pub observed: Observation,
}

impl Expectations {
    /// Reads a table.
    pub fn parse(file: &SourceFile) -> Result<Self, Vec<Diagnostic>> {
        let mut expectations = IndexMap::new();
        let mut diagnostics = Vec::new();
        let mut start = 0;
        for (index, line) in file.text().split('\n').enumerate() {
            let place = span(start..start + line.trim_end().len());
            start += line.len() + 1;
            if line.trim().is_empty() || index == 0 && is_header(line) {
                continue;
            }
            let Some((name, observation)) = entry(line) else {
                let message = "this line is not of the form `name,word`";
                diagnostics.push(
                    Diagnostic::error(message, place, "not an expectation")
                        .with_note("the word is `Never`, `Sometimes` or `Always`"),
                );
                continue;
            };
            if expectations.insert(name.clone(), observation).is_some() {
                let message = format!("the test {name} stands here twice");
                diagnostics.push(
                    Diagnostic::error(message, place, "the second line")
                        .with_note("keep one of the lines"),
                );
            }
        }
        match diagnostics.is_empty() {
            true => Ok(Expectations(expectations)),
            false => Err(diagnostics),
        }
    }

    /// Compares decisions, by the name of the test, with what is expected.
    pub fn compare<'d>(
        &self,
        model: Model,
        decisions: impl Iterator<Item = (&'d str, &'d Decision)>,
    ) -> Comparison {
        let mut comparison = Comparison {
            model,
            agree: 0,
            differ: Vec::new(),
            unknown: Vec::new(),
            unexpected: Vec::new(),
            missing: Vec::new(),
        };
        let mut given = IndexSet::new();
        for (test, decision) in decisions {
            given.insert(test);
            comparison.add(test, self.0.get(test).copied(), decision);
        }
        let missing = self.0.keys().filter(|name| !given.contains(name.as_str()));
        comparison.missing = missing.cloned().collect();
        comparison
    }
}

impl Comparison {
    /// Whether some test is not as expected; one of which nothing is expected is not, either.
    pub fn differs(&self) -> bool {
        !self.differ.is_empty() || !self.unexpected.is_empty()
    }

    fn add(&mut self, test: &str, expected: Option<Observation>, decision: &Decision) {
        let Some(expected) = expected else {
            self.unexpected.push(test.to_owned());
            return;
        };
        let Decision::Decided(states) = decision else {
            self.unknown.push(test.to_owned());
            return;
        };
        let observed = states.observation();
        if observed == expected {
            self.agree += 1;
        } else {
            self.differ.push(Difference {
                test: test.to_owned(),
                expected,
                observed,
            });
        }
    }
}

fn entry(line: &str) -> Option<(String, Observation)> {
    let (name, word) = line.split_once(',')?;
    let name = field(name);
    let observation = match field(word) {
        "Never" => Observation::Never,
        "Sometimes" => Observation::Sometimes,
        "Always" => Observation::Always,
        _ => return None,
    };
    (!name.is_empty()).then(|| (name.to_owned(), observation))
}

fn is_header(line: &str) -> bool {
    let names = ["name", "test"];
    line.split_once(',')
        .is_some_and(|(first, _)| names.contains(&field(first)))
        && entry(line).is_none()
}

fn field(text: &str) -> &str {
    let text = text.trim();
    let quoted = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    quoted.unwrap_or(text)
}
