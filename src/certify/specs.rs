//! When a spec is broken, at given locations of the threads.

use crate::front::cup::ast::SpecKind;
use crate::program::{Cond, LocId, Program, Spec};

/// Whether a spec must hold at these locations, at which no thread holds the atomic section.
pub(super) fn applies(program: &Program, spec: &Spec, at: &[LocId]) -> bool {
    let mut threads = program.threads.iter().zip(at);
    spec.kind != SpecKind::Finally || threads.all(|(thread, &location)| location == thread.end)
}

/// The conditions under which a spec is broken at these locations; those that never hold are left
/// out.
pub(super) fn broken_spec(spec: &Spec, at: &[LocId]) -> Vec<(Cond, &'static str)> {
    let bounds = spec.bounds.as_ref();
    let bounds = bounds.map(|bounds| resolve(&bounds.cond, at));
    let bounds = bounds.unwrap_or(Cond::Const(true));
    let cond = resolve(&spec.cond, at);
    let broken = match spec.kind {
        SpecKind::Invariant | SpecKind::Finally => not(cond),
        SpecKind::Forbid => cond,
    };
    let failures = [
        (and(bounds.clone(), broken), "is broken"),
        (not(bounds), "has an index out of range"),
    ];
    let possible = failures
        .into_iter()
        .filter(|(cond, _)| *cond != Cond::Const(false));
    possible.collect()
}

/// A condition at these locations, without control locations.
fn resolve(cond: &Cond, at: &[LocId]) -> Cond {
    match cond {
        Cond::Const(_) | Cond::Compare(..) => cond.clone(),
        Cond::Not(inner) => not(resolve(inner, at)),
        Cond::And(left, right) => and(resolve(left, at), resolve(right, at)),
        Cond::Or(left, right) => not(and(not(resolve(left, at)), not(resolve(right, at)))),
        Cond::At(thread, locations) => Cond::Const(locations.contains(&at[thread.index()])),
    }
}

fn not(cond: Cond) -> Cond {
    match cond {
        Cond::Const(value) => Cond::Const(!value),
        Cond::Not(inner) => *inner,
        Cond::And(..) | Cond::Or(..) | Cond::Compare(..) | Cond::At(..) => {
            Cond::Not(Box::new(cond))
        }
    }
}

fn and(left: Cond, right: Cond) -> Cond {
    match (left, right) {
        (Cond::Const(false), _) | (_, Cond::Const(false)) => Cond::Const(false),
        (Cond::Const(true), cond) | (cond, Cond::Const(true)) => cond,
        (left, right) => Cond::And(Box::new(left), Box::new(right)),
    }
}
