//! Checks certificates, and makes them ready to be stored.
//!
//! Input: a certificate as it is stored, and what the check has at run time. Output: a [`Report`]. The check
//! re-runs the reduction on the source and compares; then [`invariant`] has the proof obligations of an
//! inductive invariant discharged by a solver, [`facts`] those of one with facts about FIFOs, or [`states`] evaluates
//! all steps of a list of states. A basis is about the source itself: [`basis`] checks that it is closed under
//! predecessors.
//!
//! What must be trusted: the front end (`front`), the reduction (`reduce`, tested against the exact
//! semantics), the control-flow graphs (`program`), this module and, for an invariant with or without facts, the solver. Nothing of
//! what finds proofs takes part: no engine, no abstraction, and not the machine of `semantics`.

mod basis;
mod describe;
mod effort;
mod error;
mod facts;
mod invariant;
mod locations;
mod rebuild;
mod report;
mod smt;
mod specs;
mod states;

pub use effort::{Effort, Solver};
pub use error::CertifyError;
pub use facts::StateError;
pub use invariant::{PairError, TOO_MANY};
pub use report::{
    Facts, FailedObligation, FailedStep, Position, Rejection, Report, Size, Unknown, Verdict,
};
pub use smt::solver::SolverError;
pub use states::ListError;

use std::time::Instant;

use crate::certificate::{
    Body, Certificate, Kind, Stored, StoredBody, StoredFacts, StoredInvariant, Subject, normalize,
    print_predicate,
};
use crate::source::SourceFile;
use rebuild::{Rebuilt, first_difference};

/// Makes a certificate ready to be stored: with the text of the reduced program and, for an invariant, its
/// obligations. Pairs that a more general one makes superfluous are left out; states are sorted.
pub fn prepare(certificate: &Certificate) -> Result<Stored, CertifyError> {
    let kind = certificate.body.kind();
    let rebuilt = Rebuilt::new(&certificate.source, &certificate.config, kind)?;
    let body = match &certificate.body {
        Body::Invariant { predicates, pairs } => {
            let program = Subject::new(&rebuilt.reduction.checked, &[])?.program;
            let texts = predicates.iter().enumerate().map(|(index, predicate)| {
                print_predicate(&program, predicate).ok_or(CertifyError::Location(index + 1))
            });
            let predicates = texts.collect::<Result<Vec<_>, _>>()?;
            let pairs = normalize(pairs);
            StoredBody::Invariant(StoredInvariant {
                obligations: invariant::obligations(&rebuilt, &predicates, &pairs)?,
                predicates,
                pairs,
            })
        }
        Body::States(states) => StoredBody::States(states::table(&rebuilt, states)?),
        Body::Basis(table) => StoredBody::Basis(table.clone()),
        Body::Facts(table) => StoredBody::Facts(StoredFacts {
            obligations: facts::obligations(&rebuilt, table)?,
            table: table.clone(),
        }),
    };
    let reduced = match kind {
        Kind::Basis => String::new(),
        Kind::Invariant | Kind::States | Kind::Facts => rebuilt.text,
    };
    Ok(Stored {
        source: certificate.source.clone(),
        config: certificate.config.clone(),
        reduced,
        body,
    })
}

/// The certificate with the obligations that its invariant has; one of another kind as it is.
pub fn with_obligations(stored: &Stored) -> Result<Stored, CertifyError> {
    let rebuilt = || Rebuilt::new(&stored.source, &stored.config, stored.kind());
    let mut new = stored.clone();
    match &mut new.body {
        StoredBody::Invariant(invariant) => {
            invariant.obligations =
                invariant::obligations(&rebuilt()?, &invariant.predicates, &invariant.pairs)?;
        }
        StoredBody::Facts(facts) => {
            facts.obligations = facts::obligations(&rebuilt()?, &facts.table)?;
        }
        StoredBody::States(_) | StoredBody::Basis(_) => {}
    }
    Ok(new)
}

/// Checks a certificate, however long it takes.
pub fn check(stored: &Stored, solver: &Solver) -> Result<Report, CertifyError> {
    check_with(stored, None, &Effort::from(solver.clone()))
}

/// The same with the program that it should be about, with limits, and with a record of progress.
pub fn check_with(
    stored: &Stored,
    program: Option<&SourceFile>,
    effort: &Effort,
) -> Result<Report, CertifyError> {
    let start = Instant::now();
    let rebuilt = Rebuilt::new(&stored.source, &stored.config, stored.kind())?;
    let (verdict, claims) = match other_text(stored, program, &rebuilt) {
        Some(rejection) => (Verdict::Rejected(rejection), None),
        None => check_body(stored, &rebuilt, effort)?,
    };
    Ok(Report {
        facts: Facts::new(stored, &rebuilt, &effort.solver, claims),
        verdict,
        time: start.elapsed(),
    })
}

/// What is wrong if the certificate is about another program, or another reduction.
fn other_text(
    stored: &Stored,
    program: Option<&SourceFile>,
    rebuilt: &Rebuilt<'_>,
) -> Option<Rejection> {
    let source = program.and_then(|file| first_difference(stored.source.text(), file.text()));
    let reduced = || match stored.body {
        StoredBody::Basis(_) => None,
        StoredBody::Invariant(_) | StoredBody::States(_) | StoredBody::Facts(_) => {
            first_difference(&stored.reduced, &rebuilt.text)
        }
    };
    match source {
        Some(line) => Some(Rejection::Source { line }),
        None => reduced().map(|line| Rejection::Reduction { line }),
    }
}

/// The verdict, and the number of obligations or of steps where it is known.
fn check_body(
    stored: &Stored,
    rebuilt: &Rebuilt<'_>,
    effort: &Effort,
) -> Result<(Verdict, Option<usize>), CertifyError> {
    match &stored.body {
        StoredBody::Invariant(invariant) => invariant::check(rebuilt, invariant, effort),
        StoredBody::Facts(facts) => facts::check(rebuilt, facts, effort),
        StoredBody::States(table) => Ok(states::check(rebuilt, table, effort)?),
        StoredBody::Basis(table) => {
            let model = stored.config.model;
            Ok(basis::check(
                (rebuilt.source, model),
                &rebuilt.reduction.source,
                table,
                effort,
            ))
        }
    }
}
