//! The certificate of a proof with buffers of any length: abstract states with facts about the entries of FIFOs.
//!
//! Whatever the method that verified the program, the lazy search lists the states once more, with the target of
//! each step; it is at least as precise as a boolean program.

use super::attempt::Try;
use super::no_certificate::{NoCertificate, cube};
use super::totalize::totalize;
use crate::abstraction::lazy::{self, LazyLimits};
use crate::certificate::{Body, FactsState, FactsStep, FactsTable, fact_text, plain_text};
use crate::logic::{Meaning, Predicate};
use crate::optimizations::Optimization;
use crate::program::Program;

use super::stage::{extrapolated, not_abstracted};

/// The body of the certificate of what an attempt verified.
pub(super) fn body(this: &Try<'_>) -> Result<Body, NoCertificate> {
    let program = &this.stage.program;
    let rules = &this.config.extrapolate;
    let proof = extrapolated(this.input, this.stage, this.tuning.method, rules)?;
    let limits = LazyLimits {
        max_states: this
            .tuning
            .slice
            .states
            .min(this.context.limits.abstract_states),
        max_calls: this.tuning.slice.calls,
        stop: this.context.stop.clone(),
        differences: this.config.optimizations.has(Optimization::Differences),
    };
    let listed = lazy::list(program, &proof.predicates, this.unknowns(), limits)
        .map_err(not_abstracted)?
        .ok_or(NoCertificate::Facts)?;
    let texts = proof.predicates.iter().map(|p| text(program, p));
    let states = listed.states.into_iter().map(|(at, values, steps)| {
        let steps = steps.into_iter();
        FactsState {
            at,
            cube: cube(&values),
            steps: steps
                .map(|step| FactsStep::new(program, &step.edges, step.left, step.to))
                .collect(),
        }
    });
    Ok(Body::Facts(FactsTable {
        predicates: texts.collect::<Option<_>>().ok_or(NoCertificate::Facts)?,
        start: vec![listed.start],
        states: states.collect(),
    }))
}

fn text(program: &Program, predicate: &Predicate) -> Option<String> {
    match &predicate.meaning {
        Meaning::Cond(cond) => plain_text(program, &totalize(cond)),
        Meaning::Fact(fact) => fact_text(program, &fact.fifo, &fact.bound(), &totalize(&fact.cond)),
    }
}
