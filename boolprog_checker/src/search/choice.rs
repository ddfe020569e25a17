//! The values that an assignment gives.
//!
//! `schoose [p, n]` is false where `p` is false and `n` is true, so Kleene's logic says nothing where `p` is
//! unknown. But the `enforce`s may exclude that `p` holds in such a state: a program that is an abstraction has
//! a `p` and an `n` that contradict each other, if not by their form then by what their variables
//! mean. So each disjunct of `p` is tried out.

use super::config::{Config, Window};
use super::propagate;
use crate::machine::code::{Code, Tri};
use crate::machine::condition::Literal;
use crate::machine::{FrameBit, Machine};

/// The value of an expression that is assigned, in a settled state.
pub(super) fn value(machine: &Machine, config: &Config, window: Window, code: &Code) -> Tri {
    let view = config.view(window);
    let known = code.eval(&view);
    match code {
        Code::Schoose(positive, negative)
            if known.is_none()
                && negative.eval(&view) == Some(true)
                && is_excluded(machine, config, window, positive) =>
        {
            Some(false)
        }
        _ => known,
    }
}

/// Whether no disjunct of an argument can hold.
fn is_excluded(machine: &Machine, config: &Config, window: Window, argument: &Code) -> bool {
    let mut disjuncts = argument.disjuncts().iter();
    disjuncts.all(|disjunct| {
        cube(disjunct).is_some_and(|cube| contradicts(machine, config, window, &cube))
    })
}

/// Whether a cube contradicts what is known, or what the `enforce`s conclude from both.
fn contradicts(machine: &Machine, config: &Config, window: Window, cube: &[Literal]) -> bool {
    let mut assumed = config.clone();
    let mut changed = Vec::new();
    for literal in cube {
        let bit = window.place(literal.bit);
        match assumed.get(bit) {
            Some(value) if value != literal.positive => return true,
            Some(_) => {}
            None => {
                assumed.set(bit, Some(literal.positive));
                changed.push(bit);
            }
        }
    }
    propagate::settle(machine, &mut assumed, &changed).is_err()
}

/// The literals of a conjunction, if it consists of them.
fn cube(code: &Code) -> Option<Vec<Literal>> {
    match code {
        Code::And(parts) => parts.iter().map(literal).collect(),
        other => literal(other).map(|literal| vec![literal]),
    }
}

fn literal(code: &Code) -> Option<Literal> {
    let of = |bit: FrameBit, positive| Some(Literal { bit, positive });
    match code {
        Code::Var(bit) => of(*bit, true),
        Code::Not(inner) => match **inner {
            Code::Var(bit) => of(bit, false),
            _ => None,
        },
        _ => None,
    }
}
