//! A litmus test as it is understood: what its threads do and what it asks of the final states.
//!
//! `parse` makes it, `translate` and `decide` read it. Everything in it is modelled. Values are signed
//! numbers of the width of their location.

use std::collections::BTreeSet;
use std::fmt;

use indexmap::{IndexMap, IndexSet};

use crate::front::cup::ast::Span;

use super::instruction::{Instruction, Part, Width};
pub use super::registers::Architecture;
use super::sizes::base;

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its dialect.
    pub architecture: Architecture,
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its title, without the quotes.
    pub title: Option<String>,
    /// The initial values that it gives, in order: of whole registers, of locations in memory.
    pub initial: IndexMap<Location, i64>,
    /// The widths of the locations in memory.
    pub widths: IndexMap<String, Width>,
    /// The locations in memory whose values are shown as numbers without a sign.
    pub unsigned: IndexSet<String>,
    /// Its threads, in order.
    pub threads: Vec<Thread>,
    /// The locations of `locations […]`, in order.
    pub shown: Vec<Location>,
    /// Which final states count; all of them if there is no filter.
    pub filter: Option<Prop>,
    /// What it asks.
    pub condition: Condition,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Its number.
    pub number: u32,
    /// Where `P0` stands.
    pub span: Span,
    /// What it does.
    pub instructions: Vec<Instruction>,
    /// The labels behind the last instruction.
    pub end_labels: Vec<String>,
}

/// A register. Ordered as herd lists registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    /// Its place in the list; symbolic registers come last.
    pub rank: usize,
    /// Its name as it is printed.
    pub name: String,
}

/// What a final state gives a value to. Ordered as herd lists locations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// A register, or a part of one, of the thread with this number.
    Register(u32, Part),
    /// A location in memory.
    Memory(String),
}

/// What a test asks of its final states.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Of how many.
    pub quantifier: Quantifier,
    /// What is to hold of them.
    pub prop: Prop,
    /// Where it stands.
    pub span: Span,
}

/// Of how many final states the proposition is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Of at least one.
    Exists,
    /// Of none.
    NotExists,
    /// Of all.
    Forall,
}

/// A proposition about a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prop {
    /// `true` or `false`.
    Constant(bool),
    /// `x=1`, `0:EAX=[x]`
    Equal(Location, Side),
    /// `not p`
    Not(Box<Prop>),
    /// `p /\ q`
    And(Vec<Prop>),
    /// `p \/ q`
    Or(Vec<Prop>),
    /// `p => q`
    Implies(Box<Prop>, Box<Prop>),
}

/// The right side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// A number.
    Number(i64),
    /// The value of a location.
    Location(Location),
}

impl Test {
    /// The locations that a final state is shown with: those of the condition and of
    /// `locations […]`.
    pub fn displayed(&self) -> BTreeSet<Location> {
        let mut displayed: BTreeSet<Location> = self.shown.iter().cloned().collect();
        self.condition.prop.visit(&mut |location| {
            displayed.insert(location.clone());
        });
        displayed
    }

    /// The width of a location.
    pub fn width(&self, location: &Location) -> Width {
        match location {
            Location::Register(_, part) => part.width,
            Location::Memory(name) => {
                let known = self.widths.get(name);
                let known = known.or_else(|| self.widths.get(base(name)));
                known.copied().unwrap_or(Width::Double)
            }
        }
    }

    /// A value of a location as it is shown: without a sign if its type has none.
    pub fn shown_value(&self, location: &Location, value: i64) -> i128 {
        match location {
            Location::Memory(name) if self.unsigned.contains(base(name)) => {
                i128::from(value).rem_euclid(1 << self.width(location).bits())
            }
            _ => i128::from(value),
        }
    }

    /// The locations that decide which final states count.
    pub fn filtered(&self) -> BTreeSet<Location> {
        let mut filtered = BTreeSet::new();
        if let Some(filter) = &self.filter {
            filter.visit(&mut |location| {
                filtered.insert(location.clone());
            });
        }
        filtered
    }
}

impl Register {
    /// A register that herd would choose.
    pub fn symbolic(name: &str) -> Self {
        Register {
            rank: usize::MAX,
            name: name.to_owned(),
        }
    }

    /// Whether herd would choose it.
    pub fn is_symbolic(&self) -> bool {
        self.rank == usize::MAX
    }
}

impl Quantifier {
    /// herd's word for a test with this quantifier.
    pub fn kind(self) -> &'static str {
        match self {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::Forall => "Required",
        }
    }

    /// The quantifier as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        }
    }
}

impl Prop {
    /// Whether the proposition holds where locations have these values.
    pub fn holds(&self, value: &impl Fn(&Location) -> i64) -> bool {
        match self {
            Prop::Constant(truth) => *truth,
            Prop::Equal(left, Side::Number(number)) => value(left) == *number,
            Prop::Equal(left, Side::Location(right)) => value(left) == value(right),
            Prop::Not(prop) => !prop.holds(value),
            Prop::And(props) => props.iter().all(|prop| prop.holds(value)),
            Prop::Or(props) => props.iter().any(|prop| prop.holds(value)),
            Prop::Implies(left, right) => !left.holds(value) || right.holds(value),
        }
    }

    /// Calls `f` with every location, from left to right.
    pub fn visit(&self, f: &mut impl FnMut(&Location)) {
        match self {
            Prop::Constant(_) => {}
            Prop::Equal(left, right) => {
                f(left);
                if let Side::Location(right) = right {
                    f(right);
                }
            }
            Prop::Not(prop) => prop.visit(f),
            Prop::And(props) | Prop::Or(props) => props.iter().for_each(|prop| prop.visit(f)),
            Prop::Implies(left, right) => {
                left.visit(f);
                right.visit(f);
            }
        }
    }

    /// Whether herd puts the proposition into parentheses inside `outer`.
    fn needs_parentheses_in(&self, outer: &Prop) -> bool {
        matches!(
            (outer, self),
            (Prop::And(_), Prop::Or(_) | Prop::Implies(..))
                | (Prop::Or(_), Prop::Implies(..))
                | (Prop::Implies(..), Prop::And(_) | Prop::Or(_))
        )
    }

    fn fmt_inside(&self, outer: &Prop, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.needs_parentheses_in(outer) {
            write!(f, "({self})")
        } else {
            write!(f, "{self}")
        }
    }

    fn fmt_list(&self, props: &[Prop], operator: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, prop) in props.iter().enumerate() {
            if at > 0 {
                f.write_str(operator)?;
            }
            prop.fmt_inside(self, f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Prop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Prop::Constant(truth) => write!(f, "{truth}"),
            Prop::Equal(left, Side::Number(number)) => write!(f, "{left}={number}"),
            Prop::Equal(left, Side::Location(right)) => write!(f, "{left}={right}"),
            Prop::Not(prop) => write!(f, "not ({prop})"),
            Prop::And(props) => self.fmt_list(props, " /\\ ", f),
            Prop::Or(props) => self.fmt_list(props, " \\/ ", f),
            Prop::Implies(left, right) => {
                match **left {
                    Prop::Implies(..) => write!(f, "({left})")?,
                    _ => left.fmt_inside(self, f)?,
                }
                f.write_str(" => ")?;
                right.fmt_inside(self, f)
            }
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Register(thread, part) => write!(f, "{thread}:{}", part.name),
            Location::Memory(name) if name.ends_with(']') => f.write_str(name),
            Location::Memory(name) => write!(f, "[{name}]"),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.quantifier.word(), self.prop)
    }
}
