//! What a state of the machine says of a spec.

use crate::front::cup::ast::SpecKind;
use crate::program::{PropertyId, Spec};

use super::eval::View;

/// What a state says of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpecStatus {
    /// It holds, or need not hold here.
    Holds,
    /// It is broken: its condition, or that its indices are in range.
    Broken(PropertyId),
    /// A value does not fit 64 bits, so it cannot be evaluated.
    OutOfI64,
}

/// The status of a spec in a state in which no thread holds the atomic section.
pub(crate) fn status(spec: &Spec, view: View<'_>, is_final: bool) -> SpecStatus {
    let wanted = match spec.kind {
        SpecKind::Invariant => true,
        SpecKind::Forbid => false,
        SpecKind::Finally if is_final => true,
        SpecKind::Finally => return SpecStatus::Holds,
    };
    if let Some(bounds) = &spec.bounds {
        match view.cond(&bounds.cond) {
            Some(true) => {}
            Some(false) => return SpecStatus::Broken(bounds.property),
            None => return SpecStatus::OutOfI64,
        }
    }
    match view.cond(&spec.cond) {
        Some(holds) if holds == wanted => SpecStatus::Holds,
        Some(_) => SpecStatus::Broken(spec.property),
        None => SpecStatus::OutOfI64,
    }
}
