//! The obligations as SMT-LIB 2: what `obligations.smt2` holds and what solvers are given.
//!
//! Variables are constants `v.…`, predicates are functions `pred…` of the variables that they name, and
//! the invariant at a location vector is a function `inv…` of all variables that predicates name.
//! Each group of claims is a scope; each claim in it is a `check-sat` that must answer `unsat`.

use std::fmt::Write as _;
use std::ops::Range;

use indexmap::IndexSet;

use crate::certificate::{Literal, Pair, Subject};
use crate::program::VarId;
use crate::source::SourceFile;

use super::obligations::{Claim, Group};
use super::vectors::{Invariant, VectorId};
use crate::certify::describe;
use crate::certify::smt::path::known_once;
use crate::certify::smt::{Claims, smtlib};

/// What the claims of a certificate refer to.
#[derive(Clone, Debug)]
pub(super) struct Definitions {
    /// The names of all variables in the state that a claim is about.
    pub variables: Vec<String>,
    predicates: Vec<String>,
    observed: Vec<VarId>,
    invariants: Vec<String>,
    cubes: Vec<String>,
    vectors: Vec<String>,
}

/// Claims with what they refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script<'a> {
    /// What they refer to.
    pub definitions: &'a Definitions,
    /// The claims.
    pub groups: &'a [Group],
}

impl Definitions {
    /// Puts predicates and invariant into SMT-LIB.
    pub(super) fn new(
        subject: &Subject,
        source: &SourceFile,
        invariant: &Invariant,
        pairs: &[Pair],
    ) -> Self {
        let program = &subject.program;
        let variables = smtlib::names(program);
        let uses: Vec<Vec<VarId>> = subject
            .predicates
            .iter()
            .map(smtlib::variables_of)
            .collect();
        let mut observed: Vec<VarId> = uses.iter().flatten().copied().collect();
        observed.sort_unstable();
        observed.dedup();
        let applied: Vec<String> = (0..uses.len())
            .map(|index| predicate_at(index, &uses[index], &variables))
            .collect();
        let predicates = subject.predicates.iter().enumerate().map(|(index, cond)| {
            let parameters = smtlib::parameters(&uses[index], &variables);
            let body = smtlib::cond(cond, &variables);
            format!(
                "(define-fun pred{} ({parameters}) Bool {body})\n",
                index + 1
            )
        });
        let cubes: Vec<String> = pairs.iter().map(|pair| cube(pair, &applied)).collect();
        let invariants = invariant.vectors().map(|vector| {
            let here = invariant
                .pairs(vector)
                .iter()
                .map(|&pair| cubes[pair].clone());
            let body = smtlib::any(&here.collect::<Vec<_>>());
            let parameters = smtlib::parameters(&observed, &variables);
            let number = vector.index() + 1;
            format!("(define-fun inv{number} ({parameters}) Bool {body})\n")
        });
        let vectors = invariant.vectors().map(|vector| {
            let pairs = invariant.pairs(vector);
            let first = pairs.first().map_or(0, |pair| pair + 1);
            let place = describe::vector(source, program, invariant.at(vector));
            match pairs.len() {
                1 => format!("pair {first}, {place}"),
                count => format!("{count} pairs from {first}, {place}"),
            }
        });
        Definitions {
            predicates: predicates.collect(),
            invariants: invariants.collect(),
            vectors: vectors.collect(),
            variables,
            observed,
            cubes,
        }
    }

    /// Which pairs a vector has, and where they are.
    pub(super) fn vector(&self, vector: VectorId) -> &str {
        &self.vectors[vector.index()]
    }

    /// The definition of the invariant at a vector.
    pub(super) fn invariant(&self, vector: VectorId) -> &str {
        &self.invariants[vector.index()]
    }

    /// The condition that a claim says has no model, apart from its group's run.
    pub(super) fn formula(&self, group: &Group, claim: &Claim) -> String {
        let mut parts = Vec::new();
        if let Some(from) = claim.from {
            parts.push(self.invariant_at(from, &self.variables));
        }
        if let Some(pair) = claim.pair {
            parts.push(self.cubes[pair].clone());
        }
        if let Some(to) = claim.to {
            parts.push(format!("(not {})", self.invariant_at(to, &group.after)));
        }
        smtlib::all(&parts)
    }

    /// Variables and predicates.
    pub(super) fn declarations(&self) -> String {
        let variables = self.variables.iter();
        let mut text: String = variables
            .map(|name| format!("(declare-fun {name} () Int)\n"))
            .collect();
        text.extend(self.predicates.iter().map(String::as_str));
        text
    }

    fn invariant_at(&self, vector: VectorId, names: &[String]) -> String {
        let observed = self.observed.iter();
        let arguments: Vec<&str> = observed.map(|var| names[var.index()].as_str()).collect();
        smtlib::apply(&format!("inv{}", vector.index() + 1), &arguments)
    }
}

impl Claims for Script<'_> {
    fn len(&self) -> usize {
        self.groups.iter().map(|group| group.claims.len()).sum()
    }

    fn to_smtlib(&self) -> String {
        let definitions = self.definitions;
        let mut text = String::from(HEADER);
        text.push_str(&definitions.declarations());
        for (vector, definition) in definitions.vectors.iter().zip(&definitions.invariants) {
            let _ = write!(text, "; {vector}\n{definition}");
        }
        let mut number = 0;
        for group in self.groups {
            let title = smtlib::comment(&group.title);
            let _ = write!(text, "; {title}\n(push 1)\n");
            text.push_str(&group.run.assertions());
            for claim in &group.claims {
                number += 1;
                self.write_claim(&mut text, number, group, claim);
            }
            text.push_str("(pop 1)\n");
        }
        text
    }

    fn context(&self, claims: Range<usize>) -> String {
        let claims = self.claims(claims);
        let named = claims.clone();
        let named = named.flat_map(|(_, claim)| [claim.from, claim.to].into_iter().flatten());
        let invariants: IndexSet<VectorId> = named.collect();
        let invariants = invariants.iter();
        let mut text = self.definitions.declarations();
        text.extend(invariants.map(|&vector| self.definitions.invariant(vector)));
        text + &known_once(claims.map(|(group, _)| &group.run))
    }

    fn conditions(&self, claims: Range<usize>) -> Vec<String> {
        let condition = |(group, claim): (&Group, &Claim)| {
            let taken = smtlib::all(&group.run.conditions);
            let formula = self.definitions.formula(group, claim);
            format!("(and {taken} {formula})")
        };
        self.claims(claims).map(condition).collect()
    }

    fn variables(&self) -> &[String] {
        &self.definitions.variables
    }
}

impl<'a> Script<'a> {
    /// Some claims with their groups.
    fn claims(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (&'a Group, &'a Claim)> + Clone + use<'a> {
        let groups = self.groups.iter();
        let all = groups.flat_map(|group| group.claims.iter().map(move |claim| (group, claim)));
        all.skip(range.start).take(range.len())
    }

    /// A claim with its group.
    pub(super) fn claim(&self, number: usize) -> Option<(&'a Group, Claim)> {
        let mut claims = self.claims(number..number + 1);
        claims.next().map(|(group, claim)| (group, *claim))
    }

    fn write_claim(&self, text: &mut String, number: usize, group: &Group, claim: &Claim) {
        let from = claim
            .from
            .map_or("", |vector| self.definitions.vector(vector));
        let formula = self.definitions.formula(group, claim);
        let _ = write!(
            text,
            "; {number}: never: {}; {from}\n(push 1)\n(assert {formula})\n(check-sat)\n(pop 1)\n",
            smtlib::comment(&group.failure),
        );
    }
}

const HEADER: &str =
    "; Proof obligations of a Cupola certificate: every check-sat must answer unsat.
(set-option :print-success false)
(set-logic QF_LIA)
";

fn predicate_at(index: usize, uses: &[VarId], names: &[String]) -> String {
    let arguments: Vec<&str> = uses.iter().map(|var| names[var.index()].as_str()).collect();
    smtlib::apply(&format!("pred{}", index + 1), &arguments)
}

fn cube(pair: &Pair, predicates: &[String]) -> String {
    let literal = |literal: &Literal| {
        let predicate = &predicates[literal.predicate];
        match literal.holds {
            true => predicate.clone(),
            false => format!("(not {predicate})"),
        }
    };
    smtlib::all(&pair.cube.iter().map(literal).collect::<Vec<_>>())
}
