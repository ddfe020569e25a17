//! The properties that a boolean program's assertions stand for.

use crate::lang::ast::{Span, SpecKind};
use crate::logic;
use crate::program::{AssertKind, Cond, Program, Spec};

/// Something that must hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Property {
    /// What kind of property it is.
    pub kind: PropertyKind,
    /// Its name in reports.
    pub name: String,
    /// Where it stands in the source.
    pub span: Span,
}

/// The kinds of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// A user's assertion or spec.
    User,
    /// Array indices are in range.
    Bounds,
    /// No store meets a full buffer.
    Overflow,
}

impl Property {
    /// The property of an assertion.
    pub fn assertion(program: &Program, cond: &Cond, kind: &AssertKind, span: Span) -> Self {
        let (kind, name) = match kind {
            AssertKind::Overflow => (PropertyKind::Overflow, "overflow".to_owned()),
            AssertKind::User(Some(message)) => (PropertyKind::User, message.clone()),
            AssertKind::User(None) => {
                let name = format!("assert({})", logic::cond_text(program, cond));
                (PropertyKind::User, name)
            }
        };
        Property { kind, name, span }
    }

    /// The property that indices are in range.
    pub fn bounds(span: Span) -> Self {
        Property {
            kind: PropertyKind::Bounds,
            name: "bounds".to_owned(),
            span,
        }
    }

    /// The property of a spec.
    pub fn spec(program: &Program, spec: &Spec) -> Self {
        let keyword = match spec.kind {
            SpecKind::Invariant => "invariant",
            SpecKind::Forbid => "forbid",
            SpecKind::Finally => "finally",
        };
        let unnamed = || format!("{keyword} {}", logic::cond_text(program, &spec.cond));
        Property {
            kind: PropertyKind::User,
            name: spec.name.clone().unwrap_or_else(unnamed),
            span: spec.span,
        }
    }
}
