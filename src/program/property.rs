//! What must hold of a program: one table of properties, from the checked program to every report.
//!
//! A property of a thread's statement belongs to that thread alone, so each copy of a thread has its own; the
//! edges of one statement share theirs. Reports name a property by [`Property::name_text`] and nothing else.

use super::{Cond, PropertyId, StmtId};
use crate::front::cup::ast::{Span, SpecKind};

/// Something that must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What kind of property it is.
    pub kind: PropertyKind,
    /// Its name: the message of an assertion, the name of a spec, `bounds` or `overflow`; `None` if
    /// the user gave none.
    pub name: Option<String>,
    /// The assertion, the spec, or the statement with the index, labels included.
    pub span: Span,
    /// The same without labels, and its text.
    pub stmt: StmtId,
    /// Its condition, as text of the language. For [`PropertyKind::Forbid`] it must not hold.
    pub text: String,
}

/// The kinds of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// An assertion of a thread.
    Assertion,
    /// What holds in every state between atomic groups.
    Invariant,
    /// What holds in no such state.
    Forbid,
    /// What holds in the final states.
    Finally,
    /// That array indices are in range.
    Bounds,
    /// The overflow check of a reduced program: that its buffers are large enough.
    Overflow,
}

/// What must hold of the array indices of a statement or a spec, and the property that this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundsCheck {
    /// What must hold.
    pub cond: Cond,
    /// The property, of kind [`PropertyKind::Bounds`].
    pub property: PropertyId,
}

impl Property {
    /// Its name in reports: the one that it has, or what was stated.
    pub fn name_text(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        match self.kind {
            PropertyKind::Assertion | PropertyKind::Overflow => format!("assert({})", self.text),
            PropertyKind::Invariant => format!("invariant {}", self.text),
            PropertyKind::Forbid => format!("forbid {}", self.text),
            PropertyKind::Finally => format!("finally {}", self.text),
            PropertyKind::Bounds => "bounds".to_owned(),
        }
    }
}

impl PropertyKind {
    /// What it is, in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            PropertyKind::Assertion | PropertyKind::Overflow => "assertion",
            PropertyKind::Invariant => "invariant",
            PropertyKind::Forbid => "forbid",
            PropertyKind::Finally => "finally",
            PropertyKind::Bounds => "array index",
        }
    }

    /// Whether the program states it, in an assertion or a spec.
    pub fn is_stated(self) -> bool {
        match self {
            PropertyKind::Assertion
            | PropertyKind::Invariant
            | PropertyKind::Forbid
            | PropertyKind::Finally => true,
            PropertyKind::Bounds | PropertyKind::Overflow => false,
        }
    }
}

impl From<SpecKind> for PropertyKind {
    fn from(kind: SpecKind) -> Self {
        match kind {
            SpecKind::Invariant => PropertyKind::Invariant,
            SpecKind::Forbid => PropertyKind::Forbid,
            SpecKind::Finally => PropertyKind::Finally,
        }
    }
}
