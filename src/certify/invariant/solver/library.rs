//! Z3 as a library.
//!
//! Reading text costs Z3 a fixed time, so it is given many claims at once, each under a boolean of
//! its own, and is then asked about these booleans one by one.

use std::fmt::Write as _;

use indexmap::IndexSet;
use z3::ast::{Bool, Int};
use z3::{Params, SatResult, Solver};

use super::values::plain;
use super::{Answer, Unrefuted};
use crate::certify::effort::Effort;
use crate::certify::invariant::script::{ClaimId, Script};
use crate::certify::invariant::smtlib;
use crate::run::stop::Stop;

/// How many claims are read at once.
const CHUNK: usize = 256;

pub(super) fn refute(effort: &Effort, script: Script<'_>) -> Option<Unrefuted> {
    let claims: Vec<ClaimId> = script.claims().collect();
    claims
        .chunks(CHUNK)
        .find_map(|chunk| refute_chunk(effort, script, chunk))
}

pub(super) fn values(script: Script<'_>) -> Option<Vec<String>> {
    let claims: Vec<ClaimId> = script.claims().take(1).collect();
    let solver = load(script, &claims)?;
    if solver.check_assumptions(&[switch(0)]) != SatResult::Sat {
        return None;
    }
    let model = solver.get_model()?;
    let variables = script.definitions.variables.iter();
    variables
        .map(|name| {
            let value = model.eval(&Int::new_const(name.as_str()), true)?;
            Some(plain(&value.to_string()))
        })
        .collect()
}

fn refute_chunk(effort: &Effort, script: Script<'_>, claims: &[ClaimId]) -> Option<Unrefuted> {
    let Some(solver) = load(script, claims) else {
        let answer = Answer::Unknown("Z3 does not understand the obligations".to_owned());
        return claims.first().map(|&claim| Unrefuted { claim, answer });
    };
    claims.iter().enumerate().find_map(|(index, &claim)| {
        let answer = match check(&solver, index, &effort.stop) {
            SatResult::Unsat => {
                effort.progress.answer();
                return None;
            }
            SatResult::Sat => Answer::Sat,
            SatResult::Unknown if effort.stop.should_stop() => Answer::Stopped,
            SatResult::Unknown => {
                let reason = solver.get_reason_unknown();
                Answer::Unknown(reason.unwrap_or_else(|| "unknown".to_owned()))
            }
        };
        Some(Unrefuted { claim, answer })
    })
}

/// Asks about a claim, for as long as there is time.
fn check(solver: &Solver, index: usize, stop: &Stop) -> SatResult {
    if stop.should_stop() {
        return SatResult::Unknown;
    }
    if let Some(remaining) = stop.remaining() {
        let milliseconds = u32::try_from(remaining.as_millis()).unwrap_or(u32::MAX);
        let mut params = Params::new();
        // To Z3 the greatest number means: no limit; and so may 0.
        params.set_u32("timeout", milliseconds.max(1));
        solver.set_params(&params);
    }
    solver.check_assumptions(&[switch(index)])
}

/// A solver that has read the claims; `None` if it did not understand them.
fn load(script: Script<'_>, claims: &[ClaimId]) -> Option<Solver> {
    let mut text = context(script, claims);
    for (index, &id) in claims.iter().enumerate() {
        let group = &script.groups[id.group];
        let formula = script.definitions.formula(group, &group.claims[id.claim]);
        let taken = smtlib::all(&group.run.conditions);
        let switch = switch_name(index);
        let _ = writeln!(text, "(declare-fun {switch} () Bool)");
        let _ = writeln!(text, "(assert (=> {switch} (and {taken} {formula})))");
    }
    let solver = Solver::new();
    // Ctrl-C is ours: while Z3 worked it would take it for itself.
    let mut params = Params::new();
    params.set_bool("ctrl_c", false);
    solver.set_params(&params);
    solver.from_string(text);
    // Z3 drops a text with a mistake in it.
    let complete = solver.get_assertions().len() == claims.len();
    complete.then_some(solver)
}

/// Everything that the claims refer to. Paths that share a beginning share its definitions.
fn context(script: Script<'_>, claims: &[ClaimId]) -> String {
    let mut invariants = IndexSet::new();
    let mut known = IndexSet::new();
    let mut definitions = String::new();
    for id in claims {
        let group = &script.groups[id.group];
        let claim = &group.claims[id.claim];
        invariants.extend([claim.from, claim.to].into_iter().flatten());
        for definition in &group.run.definitions {
            if known.insert(definition.name.as_str()) {
                definitions.push_str(&definition.text);
            }
        }
    }
    let mut text = script.definitions.declarations();
    text.extend(
        invariants
            .iter()
            .map(|&vector| script.definitions.invariant(vector)),
    );
    text.push_str(&definitions);
    text
}

fn switch(index: usize) -> Bool {
    Bool::new_const(switch_name(index))
}

fn switch_name(index: usize) -> String {
    format!("claim{index}")
}
