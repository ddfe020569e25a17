//! Shapes of programs on which the memory models differ.

use cupola::front::cup::ast::{Rhs, StmtKind};

use super::Random;
use super::build::{num, place, var};
use super::generate::{Flavour, Shared};

/// The accesses around which the threads are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// None in particular.
    Free,
    /// Each thread writes one variable and reads the other: TSO differs from SC.
    StoreBuffering,
    /// One thread writes two variables, the other reads them in the other order: PSO differs.
    MessagePassing,
}

impl Shape {
    pub(super) fn draw(random: &mut Random, shared: &Shared) -> Self {
        if shared.flavour == Flavour::Copies {
            return Shape::Free;
        }
        match random.below(8) {
            0..=4 if shared.scalars.len() == 2 => Shape::StoreBuffering,
            5 | 6 if shared.scalars.len() == 2 => Shape::MessagePassing,
            _ => Shape::Free,
        }
    }

    /// The accesses of the thread with this number.
    pub(super) fn accesses(self, number: usize) -> Vec<StmtKind> {
        let store = |shared| StmtKind::Assign(place(shared), Rhs::Expr(num(1)));
        let load = |local, shared| StmtKind::Assign(place(local), Rhs::Expr(var(shared)));
        match (self, number % 2) {
            (Shape::Free, _) => Vec::new(),
            (Shape::StoreBuffering, 0) => vec![store("X"), load("r", "Y")],
            (Shape::StoreBuffering, _) => vec![store("Y"), load("r", "X")],
            (Shape::MessagePassing, 0) => vec![store("X"), store("Y")],
            (Shape::MessagePassing, _) => vec![load("r", "Y"), load("s", "X")],
        }
    }
}
