//! Records what made something definite in a search.
//!
//! An argument of `schoose` is a disjunction of cubes, and a cube fires where it makes the choice
//! definite. A condition that is assumed is a conjunction of clauses, each the negation of a cube: one
//! fires where it refutes the condition or makes an unknown variable definite. That an assertion
//! fails is such a condition, too; its clauses fire where they refute it.

use rustc_hash::FxHashSet;

use super::choice;
use super::config::{Config, Window};
use super::propagate::{self, Conflict};
use crate::machine::code::Code;
use crate::machine::condition::{Clause, ClauseState, Condition, clause_state};
use crate::machine::{Action, Assertion, Assignment, Edge, Machine, Write};
use crate::outcome::{FiredClause, FiredDisjunct};
use crate::syntax::ast::StmtId;

/// What has fired so far.
#[derive(Default)]
pub(crate) struct Fired {
    disjuncts: FxHashSet<FiredDisjunct>,
    clauses: FxHashSet<(StmtId, Clause)>,
}

impl Fired {
    /// Records what fires when a thread takes an edge.
    pub(super) fn record(
        &mut self,
        machine: &Machine,
        config: &Config,
        window: Window,
        edge: &Edge,
    ) {
        match &edge.action {
            Action::Assign(assignment) => {
                self.assignment(machine, assignment, edge.stmt, config, window);
            }
            Action::Assume(condition) => {
                self.assumption(machine, condition, edge.stmt, config, window);
            }
            Action::Assert(assertion) => {
                self.assertion(machine, assertion, edge.stmt, config, window);
            }
            Action::NoOp | Action::Start(_) => {}
        }
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.disjuncts.extend(other.disjuncts);
        self.clauses.extend(other.clauses);
    }

    /// The disjuncts, sorted.
    pub(super) fn disjuncts(&self) -> Vec<FiredDisjunct> {
        let mut disjuncts: Vec<_> = self.disjuncts.iter().copied().collect();
        disjuncts.sort_unstable();
        disjuncts
    }

    /// The clauses over global variables, sorted.
    pub(super) fn clauses(&self, machine: &Machine) -> Vec<FiredClause> {
        let mut clauses: Vec<_> = self.clauses.iter().collect();
        clauses.sort_unstable();
        let named = |(stmt, clause): &(StmtId, Clause)| {
            let literal = |literal: &crate::machine::condition::Literal| {
                let name = machine.globals.get(literal.bit as usize)?;
                Some((name.clone(), literal.positive))
            };
            Some(FiredClause {
                stmt: *stmt,
                literals: clause.iter().map(literal).collect::<Option<_>>()?,
            })
        };
        clauses.into_iter().filter_map(named).collect()
    }

    /// The disjuncts that make the choices of an assignment definite.
    fn assignment(
        &mut self,
        machine: &Machine,
        assignment: &Assignment,
        stmt: StmtId,
        config: &Config,
        window: Window,
    ) {
        let view = config.view(window);
        for Write { value, place, .. } in &assignment.writes {
            let Code::Schoose(positive, negative) = value else {
                continue;
            };
            let Some(chosen) = choice::value(machine, config, window, value) else {
                continue;
            };
            let argument = if chosen { positive } else { negative };
            for (disjunct, code) in argument.disjuncts().iter().enumerate() {
                if code.eval(&view) == Some(true) {
                    self.disjuncts.insert(FiredDisjunct {
                        stmt,
                        value: *place,
                        positive: chosen,
                        disjunct,
                    });
                }
            }
        }
    }

    fn assumption(
        &mut self,
        machine: &Machine,
        condition: &Condition,
        stmt: StmtId,
        config: &Config,
        window: Window,
    ) {
        let (clauses, _) = used(machine, condition, config, window);
        self.clauses
            .extend(clauses.into_iter().map(|clause| (stmt, clause.clone())));
    }

    fn assertion(
        &mut self,
        machine: &Machine,
        assertion: &Assertion,
        stmt: StmtId,
        config: &Config,
        window: Window,
    ) {
        let (clauses, refuted) = used(machine, &assertion.fails, config, window);
        if refuted.is_err() {
            self.clauses
                .extend(clauses.into_iter().map(|clause| (stmt, clause.clone())));
        }
    }
}

/// The clauses that refute a condition or teach something, round by round, and whether it is refuted in
/// the end. All that do so in the same state count, so that their order does not matter.
fn used<'c>(
    machine: &Machine,
    condition: &'c Condition,
    config: &Config,
    window: Window,
) -> (Vec<&'c Clause>, Result<(), Conflict>) {
    let mut config = config.clone();
    let mut clauses = Vec::new();
    loop {
        let view = config.view(window);
        let says = |clause: &&Clause| !matches!(clause_state(clause, &view), ClauseState::Open);
        clauses.extend(condition.clauses.iter().filter(says));
        match propagate::learn(machine, &mut config, window, condition) {
            Ok(true) => {}
            Ok(false) => return (clauses, Ok(())),
            Err(conflict) => return (clauses, Err(conflict)),
        }
    }
}
