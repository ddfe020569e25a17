//! The kind `facts`: a solver discharges the proof obligations of an inductive invariant with quantified facts about the
//! entries of FIFOs.
//!
//! Input: the program reduced to FIFOs, and states with their steps as they are stored. Output: a verdict. `steps` follows
//! the steps of the program, `obligations` derives what must hold of each with the targets that the certificate names,
//! `script` writes it down with the means of [`smt`](super::smt), which has it discharged.
//!
//! **What is claimed.** A listed state *stands for* all states of the program with its locations in which its
//! literals hold. A vector of locations is free if no thread holds the atomic section there.
//!
//! 1. *Start*: each initial state has a target that stands for it.
//! 2. *Steps*: from each listed state, for each thread that may step (every thread if its vector is free, else the
//!    holder), for each way to the next stop, and at a free vector for each way through each background block: a state that
//!    the listed one stands for and that takes the way arrives in a state that one of the named targets stands for. With
//!    no target, no state takes the way.
//! 3. *Properties*: on every beginning of such a way no index is out of range and no assertion fails. At a free vector
//!    each `invariant` and `forbid` holds, and each `finally` where all threads have ended.
//! 4. A way that comes back to where it has been before it comes to a stop is impossible.
//!
//! **How a step is claimed.** A state of the program with a FIFO is: the number of entries n, and for each field a
//! function of the positions 0, …, n − 1; what the function is elsewhere does not matter. The views are variables of which
//! only what the language says is assumed. A fact that is assumed is used at finitely many positions, each time under
//! the condition that there are entries there, and of two that the first is older: that follows from the fact, whichever
//! positions they are. A target is claimed in parts: first that what some target says without facts holds; then, for each
//! target, FIFO and number of entries, that there are no positions of entries *after* the step at which one of its facts
//! about them is wrong. These positions are constants of their own of which nothing else is known, so that no model
//! means that there are no such positions at all. `entry` serves for the facts about one entry; `older` and
//! `younger`, for those about two, are different. The step itself says which value stands at which position after it:
//! an entry that is appended is one of those that the constants may be, and one that is taken is none of them any more.
//!
//! **Why this is enough**: by induction over the stops of a run, as for an `invariant`. That a target stands for a state is
//! that what it says without facts holds, and that no entry, or no two, break a fact. If some targets are named, take the first
//! whose plain part holds: there is one by the first claim, and by the others, which assume just that, its facts hold.

mod obligations;
mod script;
mod steps;

use super::CertifyError;
use super::describe;
use super::effort::Effort;
use super::invariant::TOO_MANY;
use super::rebuild::{Rebuilt, first_difference};
use super::report::{FailedObligation, Rejection, Unknown, Verdict};
use super::smt::Claims;
use super::smt::solver::{Answer, SolverError, Unrefuted};
use crate::certificate::{Fact, FactsTable, Predicate, StoredFacts, read_predicates};
use crate::program::Program;
use crate::source::SourceFile;
use obligations::{Claim, Goal, Group, NoObligations};
use script::{Definitions, Script};

/// A listed state that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("state {state} {reason}")]
pub struct StateError {
    /// Its number, from 1.
    pub state: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// The text of `obligations.smt2`; if they are too many, an explanation in their place.
pub(super) fn obligations(
    rebuilt: &Rebuilt<'_>,
    table: &FactsTable,
) -> Result<String, CertifyError> {
    let proof = Proof::new(rebuilt, table)?;
    let definitions = Definitions::new(&proof);
    match proof.groups()? {
        Some(groups) => Ok(proof.script(&definitions, &groups).to_smtlib()),
        None => Ok(format!("; {TOO_MANY}\n")),
    }
}

/// Checks the states of a program that was reduced anew; with the number of obligations, if they are not too many.
pub(super) fn check(
    rebuilt: &Rebuilt<'_>,
    stored: &StoredFacts,
    effort: &Effort,
) -> Result<(Verdict, Option<usize>), CertifyError> {
    let proof = Proof::new(rebuilt, &stored.table)?;
    let Some(groups) = proof.groups()? else {
        return Ok((Verdict::Unknown(Unknown::TooManyPaths), None));
    };
    let definitions = Definitions::new(&proof);
    let script = proof.script(&definitions, &groups);
    let verdict = match first_difference(&stored.obligations, &script.to_smtlib()) {
        Some(line) => Verdict::Rejected(Rejection::Obligations { line }),
        None => proof.discharge(script, effort)?,
    };
    Ok((verdict, Some(script.len())))
}

/// What a certificate claims.
struct Proof<'a> {
    source: &'a SourceFile,
    program: &'a Program,
    predicates: Vec<Predicate>,
    table: &'a FactsTable,
}

impl<'a> Proof<'a> {
    fn new(rebuilt: &'a Rebuilt<'a>, table: &'a FactsTable) -> Result<Self, CertifyError> {
        let reduction = &rebuilt.reduction;
        let program = &reduction.program;
        Ok(Proof {
            source: rebuilt.source,
            program,
            predicates: read_predicates(&reduction.checked, program, &table.predicates)?,
            table,
        })
    }

    /// The predicate with this place, if it is a fact.
    fn fact(&self, predicate: usize) -> Option<&Fact> {
        match &self.predicates[predicate] {
            Predicate::Plain(_) => None,
            Predicate::Fact(fact) => Some(fact),
        }
    }

    /// The obligations; `None` if they are too many.
    fn groups(&self) -> Result<Option<Vec<Group>>, StateError> {
        match obligations::derive(self) {
            Ok(groups) => Ok(Some(groups)),
            Err(NoObligations::TooMany) => Ok(None),
            Err(NoObligations::Misfit(error)) => Err(error),
        }
    }

    fn script<'s>(&'s self, definitions: &'s Definitions, groups: &'s [Group]) -> Script<'s> {
        Script {
            proof: self,
            definitions,
            groups,
        }
    }

    /// Has the obligations discharged.
    fn discharge(&self, script: Script<'_>, effort: &Effort) -> Result<Verdict, SolverError> {
        effort.progress.begin("obligations".to_owned());
        effort.progress.ask(script.len());
        let Some(Unrefuted { claim, answer }) = effort.refute(&script)? else {
            return Ok(Verdict::Accepted);
        };
        Ok(match answer {
            Answer::Unknown(reason) => Verdict::Unknown(Unknown::Solver {
                obligation: claim + 1,
                reason,
            }),
            Answer::Stopped => Verdict::Unknown(Unknown::Stopped {
                interrupted: effort.stop.is_cancelled(),
                done: claim,
                all: script.len(),
            }),
            Answer::Sat => {
                let weak = self.weak(script, claim, effort)?;
                Verdict::Rejected(Rejection::Obligation(Box::new(weak)))
            }
        })
    }

    /// Looks for the literal and the values that show why an obligation does not hold.
    fn weak(
        &self,
        script: Script<'_>,
        number: usize,
        effort: &Effort,
    ) -> Result<FailedObligation, SolverError> {
        let (group, claim) = script.claim(number).expect("it is one of the claims");
        let with = |claims: Vec<Claim>| {
            [Group {
                claims,
                ..group.clone()
            }]
        };
        let parts = with(self.parts(claim));
        let found = effort.refute(&self.script(script.definitions, &parts))?;
        let found = found.filter(|found| found.answer == Answer::Sat);
        let guilty = found.map_or(claim, |found| &parts[0].claims[found.claim]);
        let alone = with(vec![guilty.clone()]);
        let values = effort.values(&self.script(script.definitions, &alone))?;
        let names = self
            .program
            .var_ids()
            .map(|var| self.program.var_display_name(var));
        let place = |from: usize| {
            let at = &self.table.states[from].at;
            describe::vector(self.source, self.program, at)
        };
        Ok(FailedObligation {
            obligation: number + 1,
            failure: script.failure(group, &guilty.goal),
            step: group.title.clone(),
            line: group.line,
            pair: None,
            state: claim.from.map(|from| from + 1),
            at: claim.from.map(place),
            values: values
                .map(|values| names.zip(values).collect())
                .unwrap_or_default(),
        })
    }

    /// A claim, literal by literal.
    fn parts(&self, claim: &Claim) -> Vec<Claim> {
        let part = |goal| Claim {
            goal,
            ..claim.clone()
        };
        match &claim.goal {
            Goal::Outside(targets) if targets.len() == 1 => {
                let target = targets[0];
                let cube = self.table.states[target].cube.iter().enumerate();
                let plain = cube.filter(|(_, literal)| self.fact(literal.predicate).is_none());
                let parts = plain.map(|(place, _)| part(Goal::Literal { target, place }));
                parts.collect()
            }
            Goal::Facts {
                earlier,
                target,
                fifo,
                facts,
            } => {
                let parts = facts.iter().map(|&fact| {
                    part(Goal::Facts {
                        earlier: earlier.clone(),
                        target: *target,
                        fifo: *fifo,
                        facts: vec![fact],
                    })
                });
                parts.collect()
            }
            Goal::Never | Goal::Outside(_) | Goal::Literal { .. } => vec![claim.clone()],
        }
    }
}
