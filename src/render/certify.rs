//! The check of a certificate, as text for readers and as JSON for programs.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::certificate::Kind;
use crate::certify::{
    Facts, FailedObligation, FailedStep, Rejection, Report, Size, TOO_MANY, Unknown, Verdict,
};
use crate::memory::Model;

use super::{Advice, Page, SCHEMA, Tone};

/// How many properties the text lists.
const LISTED: usize = 10;

/// The report as text for readers.
pub fn text(report: &Report, page: &Page) -> String {
    let facts = &report.facts;
    let model = facts.model.to_string().to_uppercase();
    let word = page.paint(tone(&report.verdict), word(&report.verdict));
    let mut text = format!("{word}: {} under {model}\n", facts.program);
    text += &fences_text(facts);
    text += &properties_text(facts);
    text += &size_text(&facts.size);
    match reason(report, page) {
        Some(reason) => {
            let _ = writeln!(text, "  reason: {reason}");
        }
        None => text += &accepted_text(&facts.size),
    }
    page.prose(&text)
}

/// The report as one JSON object; what depends on the machine is under `measured`.
pub fn json(report: &Report) -> Value {
    let facts = &report.facts;
    json!({
        "schema": SCHEMA,
        "program": facts.program,
        "kind": facts.kind().name(),
        "model": facts.model,
        "k": facts.sizes,
        "flush": facts.flush,
        "fences": facts.fences,
        "declared_fences": facts.declared,
        "properties": facts.properties,
        "verdict": word(&report.verdict),
        "reason": reason(report, &Page::unlimited()),
        "failure": failure_json(&report.verdict),
        "invariant": invariant_json(&facts.size),
        "states": states_json(&facts.size),
        "basis": basis_json(&facts.size),
        "facts": facts_json(&facts.size),
        "measured": { "seconds": report.time.as_secs_f64() },
    })
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "accepted",
        Verdict::Rejected(_) => "rejected",
        Verdict::Unknown(_) => "unknown",
    }
}

fn tone(verdict: &Verdict) -> Tone {
    match verdict {
        Verdict::Accepted => Tone::Good,
        Verdict::Rejected(_) => Tone::Bad,
        Verdict::Unknown(_) => Tone::Open,
    }
}

/// Why a certificate is not accepted.
pub fn reason(report: &Report, page: &Page) -> Option<String> {
    match &report.verdict {
        Verdict::Accepted => None,
        Verdict::Rejected(rejection) => Some(rejection_text(rejection)),
        Verdict::Unknown(unknown) => Some(unknown_text(unknown, report.facts.kind(), page)),
    }
}

fn size_text(size: &Size) -> String {
    match size {
        Size::Invariant {
            predicates, pairs, ..
        } => format!("  invariant: {pairs} pairs over {predicates} predicates\n"),
        Size::States { states, .. } => format!("  states: {states} between atomic groups\n"),
        Size::Basis {
            sets, invariant, ..
        } => format!("  basis: {sets} sets of states, with an invariant of {invariant} lines\n"),
        Size::Facts {
            predicates,
            facts,
            states,
            ..
        } => format!(
            "  invariant: {states} states over {predicates} predicates, {facts} of them facts about buffers\n"
        ),
    }
}

/// What was done and what must be trusted, where a certificate is accepted.
fn accepted_text(size: &Size) -> String {
    match size {
        Size::Invariant {
            obligations,
            solver,
            ..
        }
        | Size::Facts {
            obligations,
            solver,
            ..
        } => format!(
            "  obligations: {}, all discharged by {solver}\n  \
             trusted: the front end, the reduction and the solver\n",
            obligations.unwrap_or(0)
        ),
        Size::States { steps, .. } => format!(
            "  steps: {}, each to one of the states\n  trusted: the front end and the reduction\n",
            steps.unwrap_or(0)
        ),
        Size::Basis { predecessors, .. } => format!(
            "  predecessors: {}, each inside the basis or outside the invariant\n  \
             trusted: the front end, and that load buffers and store buffers reach the same states\n",
            predecessors.unwrap_or(0)
        ),
    }
}

fn fences_text(facts: &Facts) -> String {
    let listed = |fences: &[String]| match fences {
        [] => "none".to_owned(),
        fences => fences.join(", "),
    };
    let declared = match facts.fences == facts.declared {
        true => String::new(),
        false => format!(" (the program declares {})", listed(&facts.declared)),
    };
    let buffers = match (&facts.sizes, facts.kind()) {
        (Some(sizes), _) => format!(", k = {sizes}"),
        (None, Kind::Facts) if facts.model != Model::Sc => ", buffers of any length".to_owned(),
        (None, _) => String::new(),
    };
    format!(
        "  fences in force: {}{declared}{buffers}\n",
        listed(&facts.fences)
    )
}

fn properties_text(facts: &Facts) -> String {
    let listed = facts.properties.iter().take(LISTED);
    let listed: String = listed
        .map(|property| format!("  property: {property}\n"))
        .collect();
    match facts.properties.len() {
        0 => "  property: none but that indices are in range; that says little\n".to_owned(),
        all if all > LISTED => format!("{listed}  and {} properties more\n", all - LISTED),
        _ => listed,
    }
}

fn unknown_text(unknown: &Unknown, kind: Kind, page: &Page) -> String {
    match unknown {
        Unknown::TooManyPaths => TOO_MANY.to_owned(),
        Unknown::ManyStarts { most } => {
            format!("the program has more than {most} initial states")
        }
        Unknown::LongGroup { step, most } => {
            format!("an atomic section takes more than {most} statements\n    step: {step}")
        }
        Unknown::Solver { obligation, reason } => {
            format!("the solver does not refute obligation {obligation}: {reason}")
        }
        Unknown::Stopped {
            interrupted,
            done,
            all,
        } => {
            let why = match interrupted {
                true => "it was interrupted".to_owned(),
                false => format!("the time was up ({})", page.advise(Advice::MoreTime)),
            };
            let what = match kind {
                Kind::Invariant | Kind::Facts => "obligations are discharged",
                Kind::States => "states are checked",
                Kind::Basis => "sets are checked",
            };
            format!("{why}; {done} of {all} {what}")
        }
    }
}

fn rejection_text(rejection: &Rejection) -> String {
    match rejection {
        Rejection::Source { line } => {
            format!("`source.cup` is not the program: line {line} differs")
        }
        Rejection::Reduction { line } => {
            format!("`reduced.cup` is not the reduction of `source.cup`: line {line} differs")
        }
        Rejection::Obligations { line } => format!(
            "`obligations.smt2` are not the obligations of the certificate: line {line} differs"
        ),
        Rejection::Obligation(failed) => obligation_text(failed),
        Rejection::Step(failed) => step_text(failed),
        Rejection::Basis(reason) => reason.clone(),
    }
}

fn obligation_text(failed: &FailedObligation) -> String {
    let (number, failure) = (failed.obligation, &failed.failure);
    let mut text = format!("obligation {number} does not hold: {failure}");
    text += &place_text(&failed.step, failed.line);
    let pair = failed.pair.map(|pair| format!("pair {pair}"));
    let from = pair.or(failed.state.map(|state| format!("state {state}")));
    if let (Some(from), Some(at)) = (from, &failed.at) {
        let _ = write!(text, "\n    from: {from}, {at}");
    }
    text + &values_text(&failed.values)
}

fn step_text(failed: &FailedStep) -> String {
    let mut text = failed.failure.clone();
    text += &place_text(&failed.step, failed.line);
    if let (Some(state), Some(at)) = (failed.state, &failed.at) {
        let _ = write!(text, "\n    from: state {state}, {at}");
    }
    if let Some(reached) = &failed.reached {
        let _ = write!(text, "\n    to: {}", reached.at);
        text += &values_text(&reached.values);
    }
    text
}

fn place_text(step: &str, line: Option<usize>) -> String {
    let line = line.map(|line| format!("\n    source: line {line}"));
    format!("\n    step: {step}{}", line.unwrap_or_default())
}

fn values_text(values: &[(String, String)]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let values: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    format!("\n    with: {}", values.join(", "))
}

/// What is wrong with an obligation or a step, if that is why a certificate is rejected.
fn failure_json(verdict: &Verdict) -> Option<Value> {
    match verdict {
        Verdict::Rejected(Rejection::Obligation(failed)) => Some(obligation_json(failed)),
        Verdict::Rejected(Rejection::Step(failed)) => Some(step_json(failed)),
        Verdict::Rejected(
            Rejection::Source { .. }
            | Rejection::Reduction { .. }
            | Rejection::Obligations { .. }
            | Rejection::Basis(_),
        )
        | Verdict::Accepted
        | Verdict::Unknown(_) => None,
    }
}

fn obligation_json(failed: &FailedObligation) -> Value {
    json!({
        "failure": failed.failure,
        "step": failed.step,
        "line": failed.line,
        "obligation": failed.obligation,
        "pair": failed.pair,
        "state": failed.state,
        "at": failed.at,
        "values": values_json(&failed.values),
    })
}

fn step_json(failed: &FailedStep) -> Value {
    let reached = failed.reached.as_ref();
    json!({
        "failure": failed.failure,
        "step": failed.step,
        "line": failed.line,
        "state": failed.state,
        "at": failed.at,
        "reached": reached.map(|reached| json!({
            "at": reached.at,
            "values": values_json(&reached.values),
        })),
    })
}

fn values_json(values: &[(String, String)]) -> Map<String, Value> {
    let values = values.iter();
    let values = values.map(|(name, value)| (name.clone(), Value::from(value.as_str())));
    values.collect()
}

fn invariant_json(size: &Size) -> Option<Value> {
    match size {
        Size::Invariant {
            predicates,
            pairs,
            obligations,
            solver,
        } => Some(json!({
            "predicates": predicates,
            "pairs": pairs,
            "obligations": obligations,
            "solver": solver,
        })),
        Size::States { .. } | Size::Basis { .. } | Size::Facts { .. } => None,
    }
}

fn states_json(size: &Size) -> Option<Value> {
    match size {
        Size::States { states, steps } => Some(json!({ "count": states, "steps": steps })),
        Size::Invariant { .. } | Size::Basis { .. } | Size::Facts { .. } => None,
    }
}

fn basis_json(size: &Size) -> Option<Value> {
    match size {
        Size::Basis {
            sets,
            invariant,
            predecessors,
        } => Some(json!({ "sets": sets, "invariant": invariant, "predecessors": predecessors })),
        Size::Invariant { .. } | Size::States { .. } | Size::Facts { .. } => None,
    }
}

fn facts_json(size: &Size) -> Option<Value> {
    match size {
        Size::Facts {
            predicates,
            facts,
            states,
            obligations,
            solver,
        } => Some(json!({
            "predicates": predicates,
            "facts": facts,
            "states": states,
            "obligations": obligations,
            "solver": solver,
        })),
        Size::Invariant { .. } | Size::States { .. } | Size::Basis { .. } => None,
    }
}
