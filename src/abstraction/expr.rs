//! Cubes as expressions of boolean programs.

use boolprog_checker::ast::Expr;

use crate::logic::{Cube, Literal, PredicateId};

/// The names of the boolean variables, by predicate.
#[derive(Debug)]
pub struct Names(Vec<String>);

impl Names {
    /// These names, in the order of the predicates.
    pub fn new(names: Vec<String>) -> Self {
        Names(names)
    }

    /// The name of a predicate's variable.
    pub fn name(&self, predicate: PredicateId) -> &str {
        &self.0[predicate.index()]
    }

    /// A literal.
    pub fn literal(&self, literal: Literal) -> Expr {
        Expr::literal(self.name(literal.predicate), literal.positive)
    }

    /// Some cube holds.
    pub fn some(&self, cubes: &[Cube]) -> Expr {
        Expr::any(cubes.iter().map(|cube| {
            let literals = cube.literals().iter();
            Expr::all(literals.map(|literal| self.literal(*literal)))
        }))
    }

    /// No cube holds: a conjunction of clauses.
    pub fn none(&self, cubes: &[Cube]) -> Expr {
        Expr::all(cubes.iter().map(|cube| {
            let literals = cube.literals().iter();
            Expr::any(literals.map(|literal| self.literal(literal.negated())))
        }))
    }

    /// The new value of a predicate that some cubes make true and others false.
    pub fn choice(&self, becomes_true: &[Cube], becomes_false: &[Cube]) -> Expr {
        match (becomes_true, becomes_false) {
            ([], []) => Expr::Nondet,
            ([cube], _) if cube.size() == 0 => Expr::Const(true),
            (_, [cube]) if cube.size() == 0 => Expr::Const(false),
            ([yes], [no]) if is_copy(yes, no) => self.literal(yes.literals()[0]),
            _ => Expr::schoose(self.some(becomes_true), self.some(becomes_false)),
        }
    }

    /// The cube that an expression made by [`Names::some`] is.
    pub fn cube(&self, expr: &Expr) -> Option<Cube> {
        let parts = match expr {
            Expr::And(parts) => parts.as_slice(),
            single => std::slice::from_ref(single),
        };
        let literals: Option<Vec<Literal>> = parts.iter().map(|part| self.read(part)).collect();
        Cube::new(literals?)
    }

    fn read(&self, expr: &Expr) -> Option<Literal> {
        match expr {
            Expr::Var(name) => {
                let index = self.0.iter().position(|known| *known == name.name)?;
                Some(Literal {
                    predicate: PredicateId::new(index),
                    positive: true,
                })
            }
            Expr::Not(inner) => self.read(inner).map(Literal::negated),
            _ => None,
        }
    }
}

/// Whether the predicate takes the value of one literal.
fn is_copy(yes: &Cube, no: &Cube) -> bool {
    match (yes.literals(), no.literals()) {
        ([yes], [no]) => *yes == no.negated(),
        _ => false,
    }
}
