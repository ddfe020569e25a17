//! The answer as JSON.

use serde_json::{Value, json};

use super::{AnswerReport, Explanation};
use crate::fences::frontier::FenceSet;
use crate::fences::places::PlaceId;
use crate::fences::search::{Finding, Minimality, Outcome, Proved, Tried};
use crate::model::Model;

impl AnswerReport<'_> {
    /// The answer as one JSON object.
    pub fn json(&self) -> Value {
        let answer = self.answer;
        let undecided = answer.undecided.iter();
        let undecided = undecided.map(
            |(fences, reason)| json!({ "fences": self.names(fences.places()), "reason": reason }),
        );
        json!({
            "schema": 1,
            "program": self.source.name(),
            "model": self.model.to_string(),
            "outcome": outcome(&answer.outcome),
            "complete": answer.is_complete(),
            "places": self.candidates.ids().map(|place| self.place_json(place)).collect::<Value>(),
            "placements": answer.proved.iter().map(|proved| self.proved_json(proved)).collect::<Value>(),
            "undecided": undecided.collect::<Value>(),
            "search": answer.tried.iter().map(|tried| self.tried_json(tried)).collect::<Value>(),
            "execution": self.execution(),
            "explanation": self.explain.map(|place| self.explanation_json(place)),
        })
    }

    fn place_json(&self, place: PlaceId) -> Value {
        let sites = self.candidates.places[place.index()].iter().map(
            |site| json!({ "thread": site.thread, "line": self.source.line(site.span.start) }),
        );
        json!({ "name": self.candidates.name(place), "sites": sites.collect::<Value>() })
    }

    fn proved_json(&self, proved: &Proved) -> Value {
        json!({
            "fences": self.names(proved.fences.places()),
            "exact": proved.minimality == Minimality::Exact,
            "prover": proved.prover,
        })
    }

    fn tried_json(&self, tried: &Tried) -> Value {
        let (verdict, clause, reason) = match &tried.finding {
            Finding::Proved => ("verified", None, None),
            Finding::Refuted(clause) => ("violated", Some(clause), None),
            Finding::Undecided(reason) => ("unknown", None, Some(reason)),
        };
        json!({
            "fences": self.names(tried.fences.places()),
            "verdict": verdict,
            "clause": clause.map(|clause| self.names(clause.iter().copied())),
            "reason": reason,
            "prover": tried.prover,
            "states": tried.states,
            "smt_calls": tried.solver_calls,
        })
    }

    /// The execution that no fence excludes.
    fn execution(&self) -> Option<Value> {
        match &self.answer.outcome {
            Outcome::BrokenUnderSc(exploration) => {
                let none = FenceSet::default();
                Some(self.with_execution(Model::Sc, &none, exploration, |it| it.json()))
            }
            Outcome::Hopeless => self.answer.refutations.last().map(|last| {
                let (fences, exploration) = (&last.fences, &last.exploration);
                self.with_execution(self.model, fences, exploration, |it| it.json())
            }),
            Outcome::Complete | Outcome::Enough | Outcome::Timeout | Outcome::Interrupted => None,
        }
    }

    fn explanation_json(&self, place: PlaceId) -> Value {
        let execution = |needed: Explanation<'_>| {
            let exploration = &needed.refutation.exploration;
            self.with_execution(self.model, &needed.fences, exploration, |it| it.json())
        };
        json!({
            "place": self.candidates.name(place),
            "execution": self.explanation(place).map(execution),
        })
    }

    fn names(&self, places: impl Iterator<Item = PlaceId>) -> Value {
        places
            .map(|place| json!(self.candidates.name(place)))
            .collect()
    }
}

fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::BrokenUnderSc(_) => "broken_under_sc",
        Outcome::Hopeless => "no_placement",
        Outcome::Enough => "max_sets",
        Outcome::Timeout => "timeout",
        Outcome::Interrupted => "interrupted",
    }
}
