//! The properties that an execution can break.

use crate::lang::ast::{Span, SpecKind};
use crate::lang::source::SourceFile;
use crate::program::{Action, AssertKind, Edge, Spec};

use super::eval::View;
use super::machine::Failure;
use super::statement;

/// A property and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What it is.
    pub kind: PropertyKind,
    /// The assertion, the spec, or the statement with the index.
    pub span: Span,
}

/// The kinds of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// An assertion with its message.
    Assertion(Option<String>),
    /// A spec with its name.
    Spec(SpecKind, Option<String>),
    /// That array indices are in range.
    Bounds,
    /// That the buffers of a reduced program are large enough.
    Overflow,
}

impl Property {
    /// Its name, if it has one: the message of an assertion, the name of a spec, `bounds`.
    pub fn name(&self) -> Option<&str> {
        match &self.kind {
            PropertyKind::Assertion(name) | PropertyKind::Spec(_, name) => name.as_deref(),
            PropertyKind::Bounds => Some("bounds"),
            PropertyKind::Overflow => Some("overflow"),
        }
    }

    /// Its name, or else the line where it stands.
    pub fn title(&self, source: &SourceFile) -> String {
        match self.name() {
            Some(name) => name.to_owned(),
            None => format!("line {}", statement::line(source, self.span)),
        }
    }

    /// The property that a failing statement breaks.
    pub(super) fn of_statement(edge: &Edge, failure: Failure) -> Self {
        let kind = match (failure, &edge.action) {
            (Failure::Condition, Action::Assert(_, AssertKind::Overflow)) => PropertyKind::Overflow,
            (Failure::Condition, Action::Assert(_, AssertKind::User(message))) => {
                PropertyKind::Assertion(message.clone())
            }
            (Failure::Bounds | Failure::Condition, _) => PropertyKind::Bounds,
        };
        Property {
            kind,
            span: edge.span,
        }
    }

    /// The property that a broken spec stands for.
    pub(super) fn of_spec(spec: &Spec, failure: Failure) -> Self {
        let kind = match failure {
            Failure::Bounds => PropertyKind::Bounds,
            Failure::Condition => PropertyKind::Spec(spec.kind, spec.name.clone()),
        };
        Property {
            kind,
            span: spec.span,
        }
    }
}

/// What a state says of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It holds, or need not hold here.
    Holds,
    /// It is broken.
    Broken(Failure),
    /// A value does not fit 64 bits, so it cannot be evaluated.
    Unfit,
}

/// Judges a spec in a state in which no thread holds the atomic section.
pub(super) fn judge(spec: &Spec, view: View<'_>, is_final: bool) -> Judgement {
    let wanted = match spec.kind {
        SpecKind::Invariant => true,
        SpecKind::Forbid => false,
        SpecKind::Finally if is_final => true,
        SpecKind::Finally => return Judgement::Holds,
    };
    let in_range = spec
        .bounds
        .as_ref()
        .map_or(Some(true), |bounds| view.cond(bounds));
    match in_range {
        Some(true) => {}
        Some(false) => return Judgement::Broken(Failure::Bounds),
        None => return Judgement::Unfit,
    }
    match view.cond(&spec.cond) {
        Some(holds) if holds == wanted => Judgement::Holds,
        Some(_) => Judgement::Broken(Failure::Condition),
        None => Judgement::Unfit,
    }
}
