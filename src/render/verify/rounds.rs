//! The proof that an engine found for itself, and the rounds in which it did.

use std::sync::Arc;

use serde_json::{Value, json};

use super::VerifyReport;
use crate::memory::Buffers;
use crate::proof::section;
use crate::render::{Cell, Column, NO_VALUE, Page, Table};
use crate::verdict::{Found, Round, Unknown, Verdict, VerdictKind};

impl VerifyReport<'_> {
    /// What was found, with the rounds if they are asked for; nothing where nothing was.
    pub(super) fn found(&self, page: &Page) -> String {
        let Some((found, kind)) = self.last_found() else {
            return String::new();
        };
        let mut text = String::new();
        if self.rounds {
            text += &format!("\n{}", rounds_table(&found.rounds).text(page));
        }
        let rounds = match found.rounds.len() {
            1 => "1 round".to_owned(),
            number => format!("{number} rounds"),
        };
        let head = match kind {
            VerdictKind::Verified => format!("This proof was found in {rounds}:\n"),
            VerdictKind::Unknown => {
                let open = found.rounds.last().map_or_else(String::new, |round| {
                    format!(", the last one for `{}`", round.property)
                });
                format!(
                    "Refinement ended after {rounds}{open}; these predicates were found so far, and more are missing:\n"
                )
            }
            // No predicates exclude what is real.
            VerdictKind::Violated => return text,
        };
        let lines = found.lines.iter().map(|line| (line.clone(), None));
        text + "\n" + &page.prose(&head) + &section("predicates", lines)
    }

    /// The last proof that was found, and the verdict of its attempt.
    pub(super) fn last_found(&self) -> Option<(Arc<Found>, VerdictKind)> {
        let mut last = None;
        for result in &self.report.results {
            let outcome = match &result.outcome.verdict {
                Verdict::Unknown(Unknown::NotVerifiedUnderSc(sc)) => sc,
                _ => &result.outcome,
            };
            let tried = outcome.log.iter().rev();
            let mut found = tried.filter_map(|tried| Some((tried, tried.settings.found.as_ref()?)));
            if let Some((tried, found)) = found.next() {
                last = Some((Arc::clone(found), tried.verdict.kind()));
            }
        }
        last
    }
}

fn rounds_table(rounds: &[Round]) -> Table {
    let mut table = Table::new([
        Column::numbers("round"),
        Column::words("model"),
        Column::numbers("threads"),
        Column::numbers("k"),
        Column::words("case"),
        Column::numbers("path"),
        Column::numbers("states"),
        Column::numbers("smt calls"),
        Column::words("new predicates").wrapped(),
    ]);
    for (number, round) in rounds.iter().enumerate() {
        let k = round.buffers.as_ref().map(ToString::to_string);
        let row: [Cell; 9] = [
            (number + 1).to_string().into(),
            round.model.to_string().into(),
            round.threads.to_string().into(),
            k.unwrap_or_else(|| NO_VALUE.to_owned()).into(),
            round.case.word().into(),
            round.steps.to_string().into(),
            round.states.to_string().into(),
            round.calls.to_string().into(),
            round.predicates.join("; ").into(),
        ];
        table.push(row);
    }
    table
}

/// What was found as JSON.
pub(super) fn json(found: &Found) -> Value {
    let rounds = found.rounds.iter().map(|round| {
        json!({
            "model": round.model.to_string(),
            "threads": round.threads,
            "k": round.buffers.as_ref().and_then(Buffers::sizes),
            "reduction": round.buffers.as_ref().map(Buffers::reduction),
            "case": round.case.word(),
            "steps": round.steps,
            "property": round.property,
            "states": round.states,
            "solver_calls": round.calls,
            "predicates": round.predicates,
        })
    });
    json!({
        "predicates": found.lines,
        "rounds": rounds.collect::<Value>(),
    })
}
