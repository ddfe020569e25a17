//! Checks certificates, and makes them.
//!
//! Input: a certificate as it is stored, and a solver. Output: a [`Report`]. The check re-runs the
//! reduction on the source and compares, lowers the reduced program, re-derives the proof obligations of
//! the invariant from it, and has them discharged.
//!
//! What must be trusted: the front end (`lang`), the reduction (`reduce`, tested against the exact
//! semantics), the control-flow graphs (`program`), this module, and the solver. Nothing of the
//! abstraction, the boolean program, its checker, or the logic that these use takes part.

mod describe;
mod invariant;
mod obligations;
mod path;
mod report;
mod script;
mod smtlib;
mod solver;

pub use invariant::PairError;
pub use report::{Facts, Rejection, Report, Verdict, Weak};
pub use solver::{Effort, Solver, SolverError};

use indexmap::IndexSet;

use crate::certificate::{
    Certificate, PredicateError, Stored, Subject, normalize, print_predicate,
};
use crate::lang::placement::{Placement, UnknownPlace};
use crate::lang::source::{Diagnostic, SourceFile};
use crate::lang::{self, Checked};
use crate::program;
use crate::reduce::{ReduceConfig, ReduceError, reduce};
use invariant::Invariant;
use obligations::{Claim, Group, TooMany};
use script::{ClaimId, Definitions, Script};
use solver::{Answer, Unrefuted};

/// Why a certificate makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The source is no program.
    #[error("the source of the certificate is no correct program")]
    Source(SourceFile, Vec<Diagnostic>),
    /// The source cannot be reduced as the certificate says.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// The reduced program is beyond what Cupola can handle.
    #[error("the reduced program breaks a rule of the language: {0}")]
    Reduced(String),
    /// A fence in force is unknown.
    #[error(transparent)]
    Fence(#[from] UnknownPlace),
    /// A predicate is not understood.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// A predicate to be written names a control location; its number, from 1.
    #[error("predicate {0} names a control location")]
    Location(usize),
    /// A pair is not understood.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// The solver cannot be used.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

/// Makes a certificate ready to be stored: with the text of the reduced program, and with its
/// obligations. Pairs that a more general one makes superfluous are left out.
pub fn seal(certificate: &Certificate) -> Result<(Stored, String), CertifyError> {
    let reduction = Reduction::run(&certificate.source, &certificate.config)?;
    let program = Subject::new(&reduction.checked, &[])?.program;
    let predicates = certificate.predicates.iter().enumerate();
    let predicates = predicates.map(|(index, predicate)| {
        print_predicate(&program, predicate).ok_or(CertifyError::Location(index + 1))
    });
    let stored = Stored {
        source: certificate.source.clone(),
        config: certificate.config.clone(),
        reduced: reduction.text,
        predicates: predicates.collect::<Result<_, _>>()?,
        pairs: normalize(&certificate.pairs),
    };
    let obligations = obligations(&stored)?;
    Ok((stored, obligations))
}

/// The text of `obligations.smt2` for a certificate; if they are too many, an explanation in their
/// place.
pub fn obligations(stored: &Stored) -> Result<String, CertifyError> {
    let reduction = Reduction::run(&stored.source, &stored.config)?;
    let proof = Proof::new(&reduction.checked, stored)?;
    Ok(match &proof.groups {
        Ok(groups) => proof.script(groups).to_smtlib(),
        Err(TooMany) => format!("; {TOO_MANY}\n"),
    })
}

const TOO_MANY: &str = "the atomic sections have too many paths; list pairs inside them";

/// Checks a certificate and the obligations that are stored with it, however long it takes.
pub fn check(stored: &Stored, obligations: &str, solver: &Solver) -> Result<Report, CertifyError> {
    check_with(stored, obligations, None, &Effort::from(solver.clone()))
}

/// The same with the program that it should be about, with limits, and with somebody who watches.
pub fn check_with(
    stored: &Stored,
    obligations: &str,
    program: Option<&SourceFile>,
    effort: &Effort,
) -> Result<Report, CertifyError> {
    let reduction = Reduction::run(&stored.source, &stored.config)?;
    let mut facts = Facts::new(stored, &reduction, &effort.solver);
    let other = program.and_then(|file| first_difference(stored.source.text(), file.text()));
    if let Some(line) = other {
        return Ok(facts.report(Verdict::Rejected(Rejection::Source { line })));
    }
    if let Some(line) = first_difference(&stored.reduced, &reduction.text) {
        return Ok(facts.report(Verdict::Rejected(Rejection::Reduction { line })));
    }
    let proof = Proof::new(&reduction.checked, stored)?;
    let Ok(groups) = &proof.groups else {
        return Ok(facts.report(Verdict::Unknown(TOO_MANY.to_owned())));
    };
    let script = proof.script(groups);
    facts.obligations = script.len();
    if let Some(line) = first_difference(obligations, &script.to_smtlib()) {
        return Ok(facts.report(Verdict::Rejected(Rejection::Obligations { line })));
    }
    effort.progress.begin("obligations".to_owned());
    effort.progress.ask(script.len());
    let verdict = match effort.refute(script)? {
        None => Verdict::Accepted,
        Some(unrefuted) => proof.judge(script, unrefuted, effort)?,
    };
    Ok(facts.report(verdict))
}

/// The reduction of a certificate's source.
struct Reduction {
    checked: Checked,
    text: String,
    /// The fences that the source declares for the model, whichever are in force.
    declared: IndexSet<String>,
    /// What the source says must hold.
    properties: Vec<String>,
}

impl Reduction {
    fn run(source: &SourceFile, config: &ReduceConfig) -> Result<Self, CertifyError> {
        let checked = lang::load(source)
            .map_err(|diagnostics| CertifyError::Source(source.clone(), diagnostics))?;
        let declared = Placement::Declared.in_force(&checked, config.model)?;
        let named = Placement::Named(config.fences.iter().cloned().collect());
        let config = ReduceConfig {
            fences: named.in_force(&checked, config.model)?,
            ..config.clone()
        };
        let properties = describe::properties(source, &program::lower(&checked, &config.fences));
        let tree = reduce(source, &checked, &config)?;
        let text = lang::print(&tree);
        let checked = lang::check(tree).map_err(|diagnostics| {
            let message = diagnostics.into_iter().next().map(|first| first.message);
            CertifyError::Reduced(message.unwrap_or_default())
        })?;
        Ok(Reduction {
            checked,
            text,
            declared,
            properties,
        })
    }
}

/// What a certificate claims, in all detail.
struct Proof<'a> {
    stored: &'a Stored,
    subject: Subject,
    invariant: Invariant,
    definitions: Definitions,
    groups: Result<Vec<Group>, TooMany>,
}

impl<'a> Proof<'a> {
    fn new(reduced: &Checked, stored: &'a Stored) -> Result<Self, CertifyError> {
        let subject = Subject::new(reduced, &stored.predicates)?;
        let invariant = Invariant::new(&subject.program, &stored.pairs)?;
        let groups = obligations::derive(&subject, &invariant, &stored.source);
        let definitions = Definitions::new(&subject, &stored.source, &invariant, &stored.pairs);
        Ok(Proof {
            stored,
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

    /// The verdict for a claim that was not refuted.
    fn judge(
        &self,
        script: Script<'_>,
        unrefuted: Unrefuted,
        effort: &Effort,
    ) -> Result<Verdict, SolverError> {
        let position = script.claims().position(|id| id == unrefuted.claim);
        let number = position.map_or(0, |position| position + 1);
        match unrefuted.answer {
            Answer::Unknown(reason) => Ok(Verdict::Unknown(format!(
                "the solver does not refute obligation {number}: {reason}"
            ))),
            Answer::Stopped => {
                let why = match effort.stop.is_cancelled() {
                    true => "it was interrupted",
                    false => "the time is over (try a longer `--timeout`)",
                };
                let (done, all) = (number.saturating_sub(1), script.len());
                Ok(Verdict::Unknown(format!(
                    "{why}; {done} of {all} obligations are discharged"
                )))
            }
            Answer::Sat => {
                let weak = self.weak(script, number, unrefuted.claim, effort)?;
                Ok(Verdict::Rejected(Rejection::Obligation(Box::new(weak))))
            }
        }
    }

    /// Looks for the pair and the values that show why an obligation does not hold.
    fn weak(
        &self,
        script: Script<'_>,
        number: usize,
        id: ClaimId,
        effort: &Effort,
    ) -> Result<Weak, SolverError> {
        let group = &script.groups[id.group];
        let claim = group.claims[id.claim];
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
        let found = effort.refute(self.script(&groups))?;
        let found = found.filter(|found| found.answer == Answer::Sat);
        let guilty = found.map_or(claim, |found| groups[0].claims[found.claim.claim]);
        let values = effort.values(self.script(&[culprit(vec![guilty])]))?;
        let program = &self.subject.program;
        let names = program.var_ids().map(|var| program.var_display_name(var));
        let place = |vector| {
            let at = self.invariant.at(vector);
            describe::vector(&self.stored.source, program, at)
        };
        Ok(Weak {
            obligation: number,
            failure: group.failure.clone(),
            step: group.title.clone(),
            line: group.line,
            pair: guilty.pair.map(|pair| pair + 1),
            at: claim.from.map(place),
            values: values
                .map(|values| names.zip(values).collect())
                .unwrap_or_default(),
        })
    }
}

/// The number of the first line in which two texts differ.
fn first_difference(found: &str, wanted: &str) -> Option<usize> {
    if found == wanted {
        return None;
    }
    let (found, wanted) = (found.split('\n'), wanted.split('\n'));
    let equal = found
        .zip(wanted)
        .take_while(|(found, wanted)| found == wanted);
    Some(equal.count() + 1)
}
