//! The answer as JSON.

use serde_json::{Value, json};

use super::{FencesReport, undecided};
use crate::fences::{End, FenceSet, Finding, Minimality, PlaceId, Proved, Tried};
use crate::render::SCHEMA;
use crate::verdict::Violation;

impl FencesReport<'_> {
    /// The answer as one JSON object.
    pub fn json(&self) -> Value {
        let answer = self.answer;
        let open = answer.undecided.iter().map(|(fences, reason)| {
            json!({ "fences": self.names(fences.places()), "reason": undecided(reason) })
        });
        json!({
            "schema": SCHEMA,
            "program": self.source.name(),
            "model": self.model.to_string(),
            "outcome": end(&answer.end),
            "complete": answer.is_complete(),
            "places": self.candidates.ids().map(|place| self.place_json(place)).collect::<Value>(),
            "placements": answer.proved.iter().map(|proved| self.proved_json(proved)).collect::<Value>(),
            "cheapest": self.cheapest().map(|fences| self.names(fences.places())),
            "undecided": open.collect::<Value>(),
            "search": answer.tried.iter().map(|tried| self.tried_json(tried)).collect::<Value>(),
            "warnings": self.warned().json(),
            "execution": self.excluded_by_no_fence(),
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
            "engine": proved.engine,
            "removes": self.existing.then(|| self.names(self.left_out(&proved.fences).places())),
            "cost": self.costs.map(|costs| costs.of(&proved.fences)),
        })
    }

    fn tried_json(&self, tried: &Tried) -> Value {
        let (verdict, clause, reason) = match &tried.finding {
            Finding::Proved => ("verified", None, None),
            Finding::Refuted(clause) => ("violated", Some(clause), None),
            Finding::Undecided(reason) => ("unknown", None, Some(undecided(reason))),
        };
        json!({
            "fences": self.names(tried.fences.places()),
            "verdict": verdict,
            "clause": clause.map(|clause| self.names(clause.iter().copied())),
            "reason": reason,
            "engine": tried.engine,
            "states": tried.states,
            "smt_calls": tried.solver_calls,
        })
    }

    /// The execution that no fence excludes.
    fn excluded_by_no_fence(&self) -> Option<Value> {
        match &self.answer.end {
            End::BrokenUnderSc(violation) => {
                Some(self.execution_json(&FenceSet::default(), violation))
            }
            End::Unfixable => {
                let last = self.answer.refutations.last();
                last.map(|last| self.execution_json(&last.fences, &last.violation))
            }
            End::Complete | End::Enough | End::Timeout | End::Interrupted | End::Memory => None,
        }
    }

    fn explanation_json(&self, place: PlaceId) -> Value {
        let needed = self.explanation(place);
        let execution = needed.map(|needed| self.execution_json(&needed.fences, &needed.violation));
        json!({ "place": self.candidates.name(place), "execution": execution })
    }

    fn execution_json(&self, fences: &FenceSet, violation: &Violation) -> Value {
        json!({
            "model": violation.model().to_string(),
            "fences": self.names(fences.places()),
            "property": violation.property().name_text(),
            "trace": self.execution(violation).json(),
        })
    }

    fn names(&self, places: impl Iterator<Item = PlaceId>) -> Value {
        places
            .map(|place| json!(self.candidates.name(place)))
            .collect()
    }
}

fn end(end: &End) -> &'static str {
    match end {
        End::Complete => "complete",
        End::BrokenUnderSc(_) => "broken_under_sc",
        End::Unfixable => "no_placement",
        End::Enough => "max_sets",
        End::Timeout => "timeout",
        End::Interrupted => "interrupted",
        End::Memory => "memory",
    }
}
