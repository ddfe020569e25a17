//! Z3 as a library.
//!
//! Reading text costs Z3 a fixed time, so it is given many claims at once, each under a boolean of
//! its own, and is then asked about these booleans one by one.

use std::fmt::Write as _;
use std::ops::Range;

use z3::ast::{Bool, Int};
use z3::{Params, SatResult, Solver};

use super::values::plain;
use super::{Answer, Unrefuted};
use crate::certify::effort::Effort;
use crate::certify::smt::Claims;
use crate::run::stop::Stop;

/// How many claims are read at once.
const CHUNK: usize = 256;

pub(super) fn refute(effort: &Effort, claims: &impl Claims) -> Option<Unrefuted> {
    let starts = (0..claims.len()).step_by(CHUNK);
    let mut chunks = starts.map(|start| start..claims.len().min(start + CHUNK));
    chunks.find_map(|chunk| refute_chunk(effort, claims, chunk))
}

pub(super) fn values(claims: &impl Claims) -> Option<Vec<String>> {
    let solver = load(claims, 0..1)?;
    if solver.check_assumptions(&[switch(0)]) != SatResult::Sat {
        return None;
    }
    let model = solver.get_model()?;
    let variables = claims.variables().iter();
    variables
        .map(|name| {
            let value = model.eval(&Int::new_const(name.as_str()), true)?;
            Some(plain(&value.to_string()))
        })
        .collect()
}

fn refute_chunk(effort: &Effort, claims: &impl Claims, chunk: Range<usize>) -> Option<Unrefuted> {
    let Some(solver) = load(claims, chunk.clone()) else {
        return Some(Unrefuted {
            claim: chunk.start,
            answer: Answer::Unknown("Z3 does not understand the obligations".to_owned()),
        });
    };
    chunk.enumerate().find_map(|(index, claim)| {
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

/// A solver that has read some claims; `None` if it did not understand them.
fn load(claims: &impl Claims, chunk: Range<usize>) -> Option<Solver> {
    let mut text = claims.context(chunk.clone());
    let conditions = claims.conditions(chunk);
    for (index, condition) in conditions.iter().enumerate() {
        let switch = switch_name(index);
        let _ = writeln!(text, "(declare-fun {switch} () Bool)");
        let _ = writeln!(text, "(assert (=> {switch} {condition}))");
    }
    let solver = Solver::new();
    // Ctrl-C is ours: while Z3 worked it would take it for itself.
    let mut params = Params::new();
    params.set_bool("ctrl_c", false);
    solver.set_params(&params);
    solver.from_string(text);
    // Z3 drops a text with a mistake in it.
    let complete = solver.get_assertions().len() == conditions.len();
    complete.then_some(solver)
}

fn switch(index: usize) -> Bool {
    Bool::new_const(switch_name(index))
}

fn switch_name(index: usize) -> String {
    format!("claim{index}")
}
