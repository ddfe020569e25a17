//! The proof under SC that a verification rests on, written to a file.

use std::path::Path;

use cupola::engine::Context;
use cupola::engine::portfolio::{Choice, Config, Portfolio};
use cupola::engine::predicate::{self, PredicateConfig};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program;
use cupola::proof::section;
use cupola::verdict::{Evidence, Report, Verdict, VerdictKind};
use indexmap::IndexSet;

use super::Console;
use super::certificate::Written;
use super::output::OutputArgs;
use super::pipeline::Loaded;

/// What a proof is looked for with, where exploration has decided without one.
pub struct SavedProof<'a> {
    /// The program.
    pub loaded: &'a Loaded,
    /// The models.
    pub models: &'a [Model],
    /// Its fences.
    pub placement: &'a Placement,
    /// The predicate engine.
    pub config: &'a PredicateConfig,
    /// The run.
    pub context: &'a Context,
}

impl SavedProof<'_> {
    /// Writes the proof of a report to a file; `force` lets it replace one. Where it cannot be written, that is told.
    pub fn save(
        &self,
        report: &Report,
        (path, force): (&Path, bool),
        console: &Console,
    ) -> Written {
        let lines = self.lines(report).or_else(|| self.lines(&self.proved()?));
        let Some(lines) = lines else {
            console.error(
                "no proof is written: not all models are verified by one",
                None,
            );
            return Written::NotAll;
        };
        let count = lines.len();
        let text = section("predicates", lines.into_iter().map(|line| (line, None)));
        if let Err(failure) = OutputArgs::to_file(path, force).write(&text) {
            failure.show(console);
            return Written::Failed;
        }
        console.note(&format!("{count} predicates, in `{}`", path.display()));
        Written::All
    }

    /// The predicates from which the predicate engine verified all models: those of the last one, which has those that
    /// were found before.
    fn lines(&self, report: &Report) -> Option<Vec<String>> {
        let mut lines = None;
        for result in &report.results {
            let Verdict::Verified(Evidence::Invariant(settings)) = &result.outcome.verdict else {
                return None;
            };
            if let Some(found) = &settings.found {
                lines = Some(found.lines.clone());
            }
        }
        let program = || program::lower(&self.loaded.checked, &IndexSet::new());
        Some(lines.unwrap_or_else(|| self.loaded.proof.lines(&program()).0))
    }

    /// What the predicate engine says on its own, if it verifies all models.
    fn proved(&self) -> Option<Report> {
        let config = Config {
            choice: Choice::Only(predicate::NAME.to_owned()),
            predicate: self.config.clone(),
            ..Config::default()
        };
        let mut engine = Portfolio::of(&config, &self.context.limits);
        let subject = self.loaded.subject();
        let report = engine.verify(&subject, self.models, self.placement, self.context);
        report
            .ok()
            .filter(|report| report.kind() == VerdictKind::Verified)
    }
}
