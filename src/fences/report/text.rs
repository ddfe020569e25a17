//! The answer as text.

use std::fmt::Write;

use itertools::Itertools;

use super::{AnswerReport, set};
use crate::fences::frontier::FenceSet;
use crate::fences::places::PlaceId;
use crate::fences::search::{Minimality, Outcome, Proved};
use crate::model::Model;

impl AnswerReport<'_> {
    /// The answer as text for readers.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} under {}: {}\n",
            self.source.name(),
            self.model,
            self.head()
        );
        match &self.answer.outcome {
            Outcome::BrokenUnderSc(exploration) => {
                let none = FenceSet::default();
                let told = self.with_execution(Model::Sc, &none, exploration, |it| it.text());
                text = text + "\n" + &told;
            }
            Outcome::Hopeless => text += &self.hopeless(),
            Outcome::Complete | Outcome::Enough | Outcome::Timeout | Outcome::Interrupted => {
                text += &self.placements_text();
            }
        }
        if let Some(place) = self.explain {
            text = text + "\n" + &self.explanation_text(place);
        }
        text
    }

    fn head(&self) -> String {
        let proved = &self.answer.proved;
        match &self.answer.outcome {
            Outcome::BrokenUnderSc(_) => {
                return "broken already under sc, no fence helps".to_owned();
            }
            Outcome::Hopeless => return "no placement of these fences helps".to_owned(),
            Outcome::Complete | Outcome::Enough | Outcome::Timeout | Outcome::Interrupted => {}
        }
        match proved.as_slice() {
            [] => "no placement is proved sufficient".to_owned(),
            [only] if only.fences.is_empty() => "no fence is needed".to_owned(),
            [_] => "1 minimal placement".to_owned(),
            several => format!("{} minimal placements", several.len()),
        }
    }

    fn placements_text(&self) -> String {
        let mut text = String::new();
        for proved in &self.answer.proved {
            text += &format!(
                "  {}: {}\n",
                self.set(&proved.fences),
                self.minimality(proved)
            );
        }
        if !self.answer.undecided.is_empty() {
            text += "not decided:\n";
        }
        for (fences, reason) in &self.answer.undecided {
            text += &format!("  {}: {reason}\n", self.set(fences));
        }
        text += &self.places_text();
        text += &self.effort();
        text + self.rest()
    }

    fn minimality(&self, proved: &Proved) -> String {
        let fences = &proved.fences;
        let refuted = |fewer: &FenceSet| self.answer.refutation_of(fewer).is_some();
        let mut fewer = fences.places().map(|place| fences.without(place));
        match proved.minimality {
            Minimality::Exact if fences.is_empty() => "safe as it is".to_owned(),
            Minimality::Exact => "exactly minimal, no fence can be left out".to_owned(),
            Minimality::AmongProved => {
                let open = fewer.find(|fewer| !refuted(fewer));
                let open = open.map(|open| self.set(&open)).unwrap_or_default();
                format!("minimal among those proved; whether {open} is enough is not known")
            }
        }
    }

    /// Where the places of the placements stand.
    fn places_text(&self) -> String {
        let named = self
            .answer
            .proved
            .iter()
            .flat_map(|proved| proved.fences.places());
        let mut text = String::new();
        for place in named.sorted().dedup() {
            let (name, sites) = (self.candidates.name(place), self.sites(place));
            text += &format!("  {name}: {}\n", sites.join(", "));
        }
        match text.is_empty() {
            true => text,
            false => format!("places:\n{text}"),
        }
    }

    /// `line 9 (P0)` for each statement of a place.
    fn sites(&self, place: PlaceId) -> Vec<String> {
        let sites = self.candidates.places[place.index()].iter();
        let line = |offset| self.source.line(offset);
        sites
            .map(|site| format!("line {} ({})", line(site.span.start), site.thread))
            .collect()
    }

    fn effort(&self) -> String {
        let counts = self.counts();
        let mut text = format!("tried {}", self.answer.tried.len());
        if let Some(placements) = self.placements() {
            let _ = write!(text, " of {placements}");
        }
        let _ = write!(
            text,
            " placements: {} refuted, {} proved",
            counts.refuted, counts.proved
        );
        if counts.undecided > 0 {
            let _ = write!(text, ", {} undecided", counts.undecided);
        }
        if counts.solver_calls > 0 {
            let _ = write!(text, "; {} solver calls", counts.solver_calls);
        }
        text + "\n"
    }

    /// What the answer leaves out.
    fn rest(&self) -> &'static str {
        match &self.answer.outcome {
            Outcome::Complete if self.answer.proved.is_empty() => {
                "Raise --max-states or --buffer, give a proof with --proof, or mark other places.\n"
            }
            Outcome::Enough => "There may be more: --max-sets was reached.\n",
            Outcome::Timeout => "There may be more: the time was up. Raise --timeout.\n",
            Outcome::Interrupted => "There may be more: the search was interrupted.\n",
            Outcome::Complete | Outcome::BrokenUnderSc(_) | Outcome::Hopeless => "",
        }
    }

    /// The execution that no placement excludes.
    fn hopeless(&self) -> String {
        let last = self.answer.refutations.last();
        let last = last.expect("a hopeless search ends with an execution");
        let told = self.with_execution(self.model, &last.fences, &last.exploration, |it| it.text());
        format!(
            "  In the execution below no thread passes a candidate place while a store waits in its \
             buffer.\n  Look for fences elsewhere: --places all.\n\n{told}"
        )
    }

    fn explanation_text(&self, place: PlaceId) -> String {
        let name = self.candidates.name(place);
        match self.explanation(place) {
            Some(needed) => {
                let others = match needed.fences.is_empty() {
                    true => "with no other fence".to_owned(),
                    false => format!("with {}", self.set(&needed.fences)),
                };
                let exploration = &needed.refutation.exploration;
                let told =
                    self.with_execution(self.model, &needed.fences, exploration, |it| it.text());
                format!("Without `{name}`, {others}:\n{told}")
            }
            None => format!("No execution is known that needs `{name}`.\n"),
        }
    }

    fn set(&self, fences: &FenceSet) -> String {
        set(self.candidates, fences.places())
    }
}
