//! The obligations as SMT-LIB 2: what `obligations.smt2` holds and what solvers are given.
//!
//! Variables are constants `v.…`, predicates are functions `pred…` of the variables that they name, and
//! the invariant at a location vector is a function `inv…` of all variables that predicates name.
//! Each group of claims is a scope; each claim in it is a `check-sat` that must answer `unsat`.

use std::fmt::Write as _;

use crate::certificate::{Literal, Pair, Subject};
use crate::program::{Cond, Term, VarId};
use crate::source::SourceFile;

use super::obligations::{Claim, Group};
use super::smtlib;
use super::vectors::{Invariant, VectorId};
use crate::certify::describe;

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

/// The place of a claim in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaimId {
    /// The place of its group.
    pub group: usize,
    /// Its place in the group.
    pub claim: usize,
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
        let uses: Vec<Vec<VarId>> = subject.predicates.iter().map(variables_of).collect();
        let mut observed: Vec<VarId> = uses.iter().flatten().copied().collect();
        observed.sort_unstable();
        observed.dedup();
        let applied: Vec<String> = (0..uses.len())
            .map(|index| predicate_at(index, &uses[index], &variables))
            .collect();
        let predicates = subject.predicates.iter().enumerate().map(|(index, cond)| {
            let parameters = parameters(&uses[index], &variables);
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
            let parameters = parameters(&observed, &variables);
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

impl Script<'_> {
    /// The number of claims.
    pub(super) fn len(&self) -> usize {
        self.groups.iter().map(|group| group.claims.len()).sum()
    }

    /// All claims in order.
    pub(super) fn claims(&self) -> impl Iterator<Item = ClaimId> + '_ {
        let groups = self.groups.iter().enumerate();
        groups.flat_map(|(group, claims)| {
            (0..claims.claims.len()).map(move |claim| ClaimId { group, claim })
        })
    }

    /// The whole script as a file.
    pub(super) fn to_smtlib(self) -> String {
        let definitions = self.definitions;
        let mut text = String::from(HEADER);
        text.push_str(&definitions.declarations());
        for (vector, definition) in definitions.vectors.iter().zip(&definitions.invariants) {
            let _ = write!(text, "; {vector}\n{definition}");
        }
        let mut number = 0;
        for group in self.groups {
            let title = comment(&group.title);
            let _ = write!(text, "; {title}\n(push 1)\n");
            let definitions = group.run.definitions.iter();
            text.extend(definitions.map(|definition| definition.text.as_str()));
            for condition in &group.run.conditions {
                let _ = writeln!(text, "(assert {condition})");
            }
            for claim in &group.claims {
                number += 1;
                self.write_claim(&mut text, number, group, claim);
            }
            text.push_str("(pop 1)\n");
        }
        text
    }

    fn write_claim(&self, text: &mut String, number: usize, group: &Group, claim: &Claim) {
        let from = claim
            .from
            .map_or("", |vector| self.definitions.vector(vector));
        let formula = self.definitions.formula(group, claim);
        let _ = write!(
            text,
            "; {number}: never: {}; {from}\n(push 1)\n(assert {formula})\n(check-sat)\n(pop 1)\n",
            comment(&group.failure),
        );
    }
}

const HEADER: &str =
    "; Proof obligations of a Cupola certificate: every check-sat must answer unsat.
(set-option :print-success false)
(set-logic QF_LIA)
";

/// Text that stays on its line.
fn comment(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn parameters(variables: &[VarId], names: &[String]) -> String {
    let parameters = variables
        .iter()
        .map(|var| format!("({} Int)", names[var.index()]));
    parameters.collect::<Vec<_>>().join(" ")
}

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

/// The variables of a condition, sorted.
fn variables_of(cond: &Cond) -> Vec<VarId> {
    let mut variables = Vec::new();
    collect_cond(cond, &mut variables);
    variables.sort_unstable();
    variables.dedup();
    variables
}

fn collect_cond(cond: &Cond, variables: &mut Vec<VarId>) {
    match cond {
        Cond::Const(_) | Cond::At(..) => {}
        Cond::Not(inner) => collect_cond(inner, variables),
        Cond::And(left, right) | Cond::Or(left, right) => {
            collect_cond(left, variables);
            collect_cond(right, variables);
        }
        Cond::Compare(_, left, right) => {
            collect_term(left, variables);
            collect_term(right, variables);
        }
    }
}

fn collect_term(term: &Term, variables: &mut Vec<VarId>) {
    match term {
        Term::Const(_) => {}
        Term::Var(var) => variables.push(*var),
        Term::Choice(index, elements) => {
            collect_term(index, variables);
            elements
                .iter()
                .for_each(|term| collect_term(term, variables));
        }
        Term::Neg(inner) => collect_term(inner, variables),
        Term::Binary(_, left, right) => {
            collect_term(left, variables);
            collect_term(right, variables);
        }
    }
}
