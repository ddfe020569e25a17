//! A litmus test as it is understood: what its threads do and what it asks of the final states.
//!
//! `parse` makes it, `translate` and `decide` read it. Everything in it is modelled; operands are in
//! the order of neither dialect but named, and registers go by one name whatever their width.

use std::collections::BTreeSet;
use std::fmt;

use indexmap::IndexMap;

use crate::front::cup::ast::Span;

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its title, without the quotes.
    pub title: Option<String>,
    /// The initial values that it gives, in order.
    pub initial: IndexMap<Location, i64>,
    /// Its threads, in order.
    pub threads: Vec<Thread>,
    /// The locations of `locations […]`, in order.
    pub shown: Vec<Location>,
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
}

/// An instruction where it stands.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// What it does.
    pub kind: InstructionKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionKind {
    /// `MOV EAX,[x]`: from memory to the register.
    Load(Register, String),
    /// `MOV [x],EAX`, `MOV [x],$1`: to memory.
    Store(String, Value),
    /// `MOV EAX,EBX`, `MOV EAX,$1`: between registers.
    Move(Register, Value),
    /// `MFENCE`
    Fence,
    /// `XCHG EAX,[x]`, in either order: atomic, as if it had a LOCK prefix.
    Exchange(Register, String),
    /// `XCHG EAX,EBX`
    ExchangeRegisters(Register, Register),
}

/// What an instruction writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// What the register holds.
    Register(Register),
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
    /// A register of the thread with this number.
    Register(u32, Register),
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
}

impl InstructionKind {
    /// Calls `f` with every register of the instruction.
    pub fn registers(&self, f: &mut impl FnMut(&Register)) {
        match self {
            InstructionKind::Load(register, _) | InstructionKind::Exchange(register, _) => {
                f(register);
            }
            InstructionKind::Store(_, value) => value.registers(f),
            InstructionKind::Move(register, value) => {
                f(register);
                value.registers(f);
            }
            InstructionKind::ExchangeRegisters(left, right) => {
                f(left);
                f(right);
            }
            InstructionKind::Fence => {}
        }
    }

    /// The location in memory that the instruction accesses.
    pub fn memory(&self) -> Option<&str> {
        match self {
            InstructionKind::Load(_, memory)
            | InstructionKind::Store(memory, _)
            | InstructionKind::Exchange(_, memory) => Some(memory),
            InstructionKind::Move(..)
            | InstructionKind::Fence
            | InstructionKind::ExchangeRegisters(..) => None,
        }
    }
}

impl Value {
    fn registers(&self, f: &mut impl FnMut(&Register)) {
        match self {
            Value::Number(_) => {}
            Value::Register(register) => f(register),
        }
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
            Location::Register(thread, register) => write!(f, "{thread}:{}", register.name),
            Location::Memory(name) => write!(f, "[{name}]"),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.quantifier.word(), self.prop)
    }
}
