//! The kind `invariant`: a solver discharges the proof obligations of an inductive invariant.
//!
//! Input: the reduced program, and an invariant as it is stored. Output: a verdict. `vectors` arranges the
//! pairs by locations, `obligations` derives what must hold of them, `script` writes it down with the means of [`smt`](super::smt),
//! which has it discharged.

mod obligations;
mod script;
mod vectors;

pub use vectors::PairError;

use super::CertifyError;
use super::describe;
use super::effort::Effort;
use super::rebuild::{Rebuilt, first_difference};
use super::report::{FailedObligation, Rejection, Unknown, Verdict};
use super::smt::Claims;
use super::smt::solver::{Answer, SolverError, Unrefuted};
use crate::certificate::{Pair, StoredInvariant, Subject};
use crate::source::SourceFile;
use obligations::{Claim, Group, TooMany};
use script::{Definitions, Script};
use vectors::Invariant;

/// What is said where the obligations are too many to be derived.
pub const TOO_MANY: &str = "the atomic sections have too many paths; list pairs inside them";

/// The text of `obligations.smt2` for predicates and pairs; if they are too many, an explanation in their
/// place.
pub(super) fn obligations(
    rebuilt: &Rebuilt<'_>,
    predicates: &[String],
    pairs: &[Pair],
) -> Result<String, CertifyError> {
    let proof = Proof::new(rebuilt, predicates, pairs)?;
    Ok(match &proof.groups {
        Ok(groups) => proof.script(groups).to_smtlib(),
        Err(TooMany) => format!("; {TOO_MANY}\n"),
    })
}

/// Checks an invariant of a program that was reduced anew; with the number of obligations, if they are not too
/// many.
pub(super) fn check(
    rebuilt: &Rebuilt<'_>,
    stored: &StoredInvariant,
    effort: &Effort,
) -> Result<(Verdict, Option<usize>), CertifyError> {
    let proof = Proof::new(rebuilt, &stored.predicates, &stored.pairs)?;
    let Ok(groups) = &proof.groups else {
        return Ok((Verdict::Unknown(Unknown::TooManyPaths), None));
    };
    let script = proof.script(groups);
    let verdict = match first_difference(&stored.obligations, &script.to_smtlib()) {
        Some(line) => Verdict::Rejected(Rejection::Obligations { line }),
        None => proof.discharge(script, effort)?,
    };
    Ok((verdict, Some(script.len())))
}

/// What a certificate claims, in all detail.
struct Proof<'a> {
    source: &'a SourceFile,
    subject: Subject,
    invariant: Invariant,
    definitions: Definitions,
    groups: Result<Vec<Group>, TooMany>,
}

impl<'a> Proof<'a> {
    fn new(
        rebuilt: &Rebuilt<'a>,
        predicates: &[String],
        pairs: &[Pair],
    ) -> Result<Self, CertifyError> {
        let source = rebuilt.source;
        let subject = Subject::new(&rebuilt.reduction.checked, predicates)?;
        let invariant = Invariant::new(&subject.program, pairs)?;
        let groups = obligations::derive(&subject, &invariant, source);
        let definitions = Definitions::new(&subject, source, &invariant, pairs);
        Ok(Proof {
            source,
            subject,
            invariant,
            definitions,
            groups,
        })
    }

    fn script<'s>(&'s self, groups: &'s [Group]) -> Script<'s> {
        Script {
            definitions: &self.definitions,
            groups,
        }
    }

    /// Has the obligations discharged.
    fn discharge(&self, script: Script<'_>, effort: &Effort) -> Result<Verdict, SolverError> {
        effort.progress.begin("obligations".to_owned());
        effort.progress.ask(script.len());
        match effort.refute(&script)? {
            None => Ok(Verdict::Accepted),
            Some(unrefuted) => self.judge(script, unrefuted, effort),
        }
    }

    /// The verdict for a claim that was not refuted.
    fn judge(
        &self,
        script: Script<'_>,
        unrefuted: Unrefuted,
        effort: &Effort,
    ) -> Result<Verdict, SolverError> {
        let obligation = unrefuted.claim + 1;
        match unrefuted.answer {
            Answer::Unknown(reason) => Ok(Verdict::Unknown(Unknown::Solver { obligation, reason })),
            Answer::Stopped => Ok(Verdict::Unknown(Unknown::Stopped {
                interrupted: effort.stop.is_cancelled(),
                done: unrefuted.claim,
                all: script.len(),
            })),
            Answer::Sat => {
                let weak = self.weak(script, unrefuted.claim, effort)?;
                Ok(Verdict::Rejected(Rejection::Obligation(Box::new(weak))))
            }
        }
    }

    /// Looks for the pair and the values that show why an obligation does not hold.
    fn weak(
        &self,
        script: Script<'_>,
        number: usize,
        effort: &Effort,
    ) -> Result<FailedObligation, SolverError> {
        let (group, claim) = script.claim(number).expect("it is one of the claims");
        let claims: Vec<Claim> = claim.from.map_or(vec![claim], |vector| {
            let pairs = self.invariant.pairs(vector).iter();
            let of_pair = |&pair| Claim {
                pair: Some(pair),
                ..claim
            };
            pairs.map(of_pair).collect()
        });
        let culprit = |claims: Vec<Claim>| Group {
            claims,
            ..group.clone()
        };
        let groups = [culprit(claims)];
        let found = effort.refute(&self.script(&groups))?;
        let found = found.filter(|found| found.answer == Answer::Sat);
        let guilty = found.map_or(claim, |found| groups[0].claims[found.claim]);
        let values = effort.values(&self.script(&[culprit(vec![guilty])]))?;
        let program = &self.subject.program;
        let names = program.var_ids().map(|var| program.var_display_name(var));
        let place = |vector| {
            let at = self.invariant.at(vector);
            describe::vector(self.source, program, at)
        };
        Ok(FailedObligation {
            obligation: number + 1,
            failure: group.failure.clone(),
            step: group.title.clone(),
            line: group.line,
            pair: guilty.pair.map(|pair| pair + 1),
            state: None,
            at: claim.from.map(place),
            values: values
                .map(|values| names.zip(values).collect())
                .unwrap_or_default(),
        })
    }
}
