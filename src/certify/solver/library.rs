//! Z3 as a library.
//!
//! Z3 is given the text of a group and of some of its claims, each claim under a boolean of its own,
//! and is then asked about these booleans one by one, so that it reads and learns once for all.

use z3::ast::{Bool, Int};
use z3::{SatResult, Solver};

use super::values::plain;
use super::{Answer, Unrefuted};
use crate::certify::obligations::{Claim, Group};
use crate::certify::script::{ClaimId, Definitions, Script};

/// How many claims are read at once.
const CHUNK: usize = 64;

pub(super) fn refute(script: Script<'_>) -> Option<Unrefuted> {
    let groups = script.groups.iter().enumerate();
    let mut chunks = groups.flat_map(|(index, group)| {
        let chunks = group.claims.chunks(CHUNK).enumerate();
        chunks.map(move |(chunk, claims)| (index, group, chunk * CHUNK, claims))
    });
    chunks.find_map(|(index, group, first, claims)| {
        let (claim, answer) = refute_chunk(script.definitions, group, claims)?;
        Some(Unrefuted {
            claim: ClaimId {
                group: index,
                claim: first + claim,
            },
            answer,
        })
    })
}

pub(super) fn values(script: Script<'_>) -> Option<Vec<String>> {
    let group = script.groups.first()?;
    let solver = load(script.definitions, group, &group.claims)?;
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

fn refute_chunk(
    definitions: &Definitions,
    group: &Group,
    claims: &[Claim],
) -> Option<(usize, Answer)> {
    let Some(solver) = load(definitions, group, claims) else {
        let answer = Answer::Unknown("Z3 does not understand the obligations".to_owned());
        return Some((0, answer));
    };
    (0..claims.len()).find_map(|index| {
        let answer = match solver.check_assumptions(&[switch(index)]) {
            SatResult::Unsat => return None,
            SatResult::Sat => Answer::Sat,
            SatResult::Unknown => {
                let reason = solver.get_reason_unknown();
                Answer::Unknown(reason.unwrap_or_else(|| "unknown".to_owned()))
            }
        };
        Some((index, answer))
    })
}

/// A solver that has read the claims; `None` if it did not understand them.
fn load(definitions: &Definitions, group: &Group, claims: &[Claim]) -> Option<Solver> {
    let mut text = definitions.context(group, claims);
    let context_size =
        text.matches("\n(assert ").count() + usize::from(text.starts_with("(assert "));
    for (index, claim) in claims.iter().enumerate() {
        let formula = definitions.formula(group, claim);
        text.push_str(&format!(
            "(declare-fun {0} () Bool)\n(assert (=> {0} {formula}))\n",
            switch_name(index),
        ));
    }
    let solver = Solver::new();
    solver.from_string(text);
    // Z3 drops a text with a mistake in it; then no assertion is there.
    let complete = solver.get_assertions().len() == context_size + claims.len();
    complete.then_some(solver)
}

fn switch(index: usize) -> Bool {
    Bool::new_const(switch_name(index))
}

fn switch_name(index: usize) -> String {
    format!("claim{index}")
}
