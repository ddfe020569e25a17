//! The answer as text.

use std::fmt::Write;

use itertools::Itertools;

use super::{Explanation, FencesReport, set, undecided};
use crate::fences::{End, FenceSet, Minimality, PlaceId, Proved};
use crate::render::{Advice, Page, Tone, words};
use crate::verdict::Violation;

impl FencesReport<'_> {
    /// The answer as text for readers.
    pub fn text(&self, page: &Page) -> String {
        let (program, model) = (self.source.name(), self.model);
        let (tone, head) = self.head();
        let head = page.paint(tone, &head);
        let mut text = page.prose(&format!("{program} under {model}: {head}\n"));
        match &self.answer.end {
            End::BrokenUnderSc(violation) => {
                text = text + "\n" + &self.violation_text(violation, page);
            }
            End::Unfixable => text += &self.unfixable(page),
            End::Complete | End::Enough | End::Timeout | End::Interrupted | End::Memory => {
                text += &page.prose(&self.placements_text(page));
                text += &self.warned().text(page);
            }
        }
        if let Some(place) = self.explain {
            text = text + "\n" + &self.explanation_text(place, page);
        }
        text
    }

    /// The answer in a few words.
    pub(in crate::render) fn head(&self) -> (Tone, String) {
        let proved = &self.answer.proved;
        match &self.answer.end {
            End::BrokenUnderSc(_) => {
                let head = "broken already under sc, no fence helps";
                return (Tone::Bad, head.to_owned());
            }
            End::Unfixable => {
                let head = "no placement of these fences helps";
                return (Tone::Bad, head.to_owned());
            }
            End::Complete | End::Enough | End::Timeout | End::Interrupted | End::Memory => {}
        }
        match proved.as_slice() {
            [] => (Tone::Open, "no placement is proved sufficient".to_owned()),
            [only] if only.fences.is_empty() => (Tone::Good, "no fence is needed".to_owned()),
            [only] if self.existing && self.left_out(&only.fences).is_empty() => {
                (Tone::Good, "every fence is needed".to_owned())
            }
            [_] => (Tone::Good, "1 minimal placement".to_owned()),
            several => (Tone::Good, format!("{} minimal placements", several.len())),
        }
    }

    pub(in crate::render) fn placements_text(&self, page: &Page) -> String {
        let mut text = String::new();
        for proved in &self.answer.proved {
            text += &format!(
                "  {}: {}{}{}\n",
                self.set(&proved.fences),
                self.minimality(proved),
                self.removal(&proved.fences),
                self.cost(&proved.fences),
            );
        }
        if let Some(cheapest) = self.cheapest() {
            text += &format!("cheapest: {}{}\n", self.set(cheapest), self.cost(cheapest));
        }
        if !self.answer.undecided.is_empty() {
            text += "not decided:\n";
        }
        for (fences, reason) in &self.answer.undecided {
            text += &format!("  {}: {}\n", self.set(fences), undecided(reason));
        }
        text += &self.places_text();
        text += &self.effort();
        text + &self.rest(page)
    }

    /// Which of the program's fences a placement does without.
    fn removal(&self, fences: &FenceSet) -> String {
        let gone = self.left_out(fences);
        match (self.existing, gone.is_empty()) {
            (false, _) => String::new(),
            (true, true) => "; none can go".to_owned(),
            (true, false) => format!("; {} can go", self.set(&gone)),
        }
    }

    /// What a placement costs.
    fn cost(&self, fences: &FenceSet) -> String {
        let cost = self
            .costs
            .map(|costs| format!(", cost {}", costs.of(fences)));
        cost.unwrap_or_default()
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

    /// What the answer leaves out, and what to try.
    fn rest(&self, page: &Page) -> String {
        let advice = |advice| words::sentence(&page.advise(advice)) + "\n";
        let more = "There may be more:";
        match &self.answer.end {
            End::Complete if self.answer.proved.is_empty() => advice(Advice::EasierPlacements),
            End::Enough => {
                let advice = advice(Advice::MorePlacements);
                format!("{more} as many were found as were asked for. {advice}")
            }
            End::Timeout => {
                let advice = advice(Advice::MoreTime);
                format!("{more} the time was up. {advice}")
            }
            End::Memory => {
                let advice = advice(Advice::MoreMemory);
                format!("{more} the memory was full. {advice}")
            }
            End::Interrupted => format!("{more} the search was interrupted.\n"),
            End::Complete | End::BrokenUnderSc(_) | End::Unfixable => String::new(),
        }
    }

    /// The execution that no placement excludes.
    fn unfixable(&self, page: &Page) -> String {
        let last = self.answer.refutations.last();
        let last = last.expect("a search without a way out ends with an execution");
        let shown = self.violation_text(&last.violation, page);
        let advice = words::sentence(&page.advise(Advice::OtherPlaces));
        let why = "In the execution below no thread passes a candidate place while a store waits in its \
                   buffer.";
        page.prose(&format!("  {why}\n  {advice}\n")) + "\n" + &shown
    }

    fn explanation_text(&self, place: PlaceId, page: &Page) -> String {
        let name = self.candidates.name(place);
        match self.explanation(place) {
            Some(needed) => {
                let shown = self.violation_text(&needed.violation, page);
                page.prose(&format!("{}:\n", self.needed_text(&needed))) + &shown
            }
            None => page.prose(&format!("No execution is known that needs `{name}`.\n")),
        }
    }

    /// Without which fence, and with which others, an execution is one.
    pub(in crate::render) fn needed_text(&self, needed: &Explanation) -> String {
        let others = match needed.fences.is_empty() {
            true => "with no other fence".to_owned(),
            false => format!("with {}", self.set(&needed.fences)),
        };
        let place = self.explain.map(|place| self.candidates.name(place));
        format!("Without `{}`, {others}", place.unwrap_or_default())
    }

    /// An execution that breaks a property.
    fn violation_text(&self, violation: &Violation, page: &Page) -> String {
        let (program, model) = (self.source.name(), violation.model());
        let property = violation.property();
        let word = page.paint(Tone::Bad, "violated");
        let (kind, name) = (property.kind.words(), property.name_text());
        let head = format!("{program} under {model}: {word}, {kind} `{name}`\n\n");
        page.prose(&head) + &self.execution(violation).text(page)
    }

    pub(in crate::render) fn set(&self, fences: &FenceSet) -> String {
        set(self.candidates, fences.places())
    }
}
