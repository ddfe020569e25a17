//! Checks certificates, and makes them ready to be stored.
//!
//! Input: a certificate as it is stored, and what the check has at run time. Output: a [`Report`]. The check
//! re-runs the reduction on the source and compares; then [`invariant`] has the proof obligations of an
//! inductive invariant discharged by a solver, or [`states`] evaluates all steps of a list of states. A basis is
//! about the source itself: [`basis`] checks that it is closed under predecessors.
//!
//! What must be trusted: the front end (`front`), the reduction (`reduce`, tested against the exact
//! semantics), the control-flow graphs (`program`), this module and, for an invariant, the solver. Nothing of
//! what finds proofs takes part: no engine, no abstraction, and not the machine of `semantics`.

mod basis;
mod describe;
mod effort;
mod error;
mod invariant;
mod locations;
mod rebuild;
mod report;
mod states;

pub use effort::{Effort, Solver};
pub use error::CertifyError;
pub use invariant::{PairError, SolverError, TOO_MANY};
pub use report::{
    Facts, FailedObligation, FailedStep, Position, Rejection, Report, Size, Unknown, Verdict,
};
pub use states::ListError;

use std::time::Instant;

use crate::certificate::{
    Body, Certificate, Stored, StoredBody, StoredInvariant, Subject, normalize, print_predicate,
};
use crate::source::SourceFile;
use rebuild::{Rebuilt, first_difference};

/// Makes a certificate ready to be stored: with the text of the reduced program and, for an invariant, its
/// obligations. Pairs that a more general one makes superfluous are left out; states are sorted.
pub fn prepare(certificate: &Certificate) -> Result<Stored, CertifyError> {
    let rebuilt = Rebuilt::new(&certificate.source, &certificate.config)?;
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
    };
    let reduced = match body {
        StoredBody::Basis(_) => String::new(),
        StoredBody::Invariant(_) | StoredBody::States(_) => rebuilt.text,
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
    let mut stored = stored.clone();
    if let StoredBody::Invariant(invariant) = &mut stored.body {
        let rebuilt = Rebuilt::new(&stored.source, &stored.config)?;
        invariant.obligations =
            invariant::obligations(&rebuilt, &invariant.predicates, &invariant.pairs)?;
    }
    Ok(stored)
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
    let rebuilt = Rebuilt::new(&stored.source, &stored.config)?;
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
        StoredBody::Invariant(_) | StoredBody::States(_) => {
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
