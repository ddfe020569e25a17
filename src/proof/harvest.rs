//! Predicates from the program itself, where no proof is given.
//!
//! The comparisons in specs, assertions and guards, and `x == c` for every constant that is assigned
//! to a variable, and the ends of ranges that values are chosen from, in this order: there may be more than can be used. What is asked of a local that holds a shared variable's value is asked of
//! that variable too, and the other way round: predicates follow loads and stores of plain
//! variables.

use indexmap::IndexSet;

use super::Proof;
use crate::front::cup::ast::CompareOp;
use crate::logic::{Formula, Predicate, Symbol, rename_cond};
use crate::program::{Action, Cond, Init, Place, Program, Range, Term, VarId};

/// More predicates than this are not harvested.
const MOST: usize = 60;

/// The predicates that a program suggests; no cubes. Also says whether there were more.
pub fn harvest(program: &Program) -> (Proof, bool) {
    let mut found = Harvest::default();
    let locations = program.threads.iter().flat_map(|thread| &thread.locations);
    let edges = || locations.clone().flat_map(|location| &location.edges);
    for spec in &program.specs {
        found.add_cond(&spec.cond);
    }
    for edge in edges() {
        if let Action::Assert(cond, _) = &edge.action {
            found.add_cond(cond);
        }
    }
    for edge in edges() {
        found.add_action(&edge.action);
    }
    for (id, var) in program.var_ids().zip(&program.vars) {
        if let Init::Range(range) = var.init {
            found.add_range(id, range);
        }
    }
    found.follow_copies();
    (found.proof, found.cut)
}

/// The variables that a place may be.
fn vars(place: &Place) -> Vec<VarId> {
    match place {
        Place::Var(var) => vec![*var],
        Place::Choice(_, vars) => vars.clone(),
    }
}

#[derive(Default)]
struct Harvest {
    proof: Proof,
    copies: Vec<(VarId, VarId)>,
    /// Whether a predicate was left out because there are too many.
    cut: bool,
}

impl Harvest {
    fn add_action(&mut self, action: &Action) {
        match action {
            Action::Assume(cond) | Action::Assert(cond, _) => self.add_cond(cond),
            Action::Assign(to, value) | Action::Store(to, value) | Action::Swap(_, to, value) => {
                self.add_value(to, value);
            }
            Action::Load(to, from) => self.add_copy(to, from),
            Action::Cas(result, on, expected, new) => {
                self.add_value(result, &Term::Const(0));
                self.add_value(on, expected);
                self.add_value(on, new);
            }
            Action::FetchAdd(result, on, _) => self.add_copy(result, on),
            Action::Choose(to, range) => {
                vars(to).iter().for_each(|&var| self.add_range(var, *range));
            }
            Action::Append(fifo, values) => {
                for (&newest, value) in fifo.newest.iter().zip(values) {
                    self.add_value(&Place::Var(newest), value);
                }
            }
            Action::Skip | Action::Fence | Action::Havoc(_) | Action::Pop(_) => {}
        }
    }

    fn add_cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Const(_) | Cond::At(..) => {}
            Cond::Not(a) => self.add_cond(a),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.add_cond(a);
                self.add_cond(b);
            }
            Cond::Compare(..) => self.add(positive(cond)),
        }
    }

    fn add_value(&mut self, to: &Place, value: &Term) {
        match (to, value) {
            (Place::Var(var), Term::Const(_)) => {
                self.add(Cond::Compare(CompareOp::Eq, Term::Var(*var), value.clone()));
            }
            (Place::Var(to), Term::Var(from)) => self.copies.push((*to, *from)),
            (Place::Var(_), Term::Choice(..) | Term::Neg(_) | Term::Binary(..)) => {}
            (Place::Choice(_, vars), _) => {
                let vars = vars.clone();
                vars.into_iter()
                    .for_each(|var| self.add_value(&Place::Var(var), value));
            }
        }
    }

    fn add_copy(&mut self, to: &Place, from: &Place) {
        for to in vars(to) {
            self.copies
                .extend(vars(from).into_iter().map(|from| (to, from)));
        }
    }

    /// Adds that a variable is in a range.
    fn add_range(&mut self, var: VarId, range: Range) {
        let (low, high) = range.ends();
        for (op, end) in [(CompareOp::Ge, low), (CompareOp::Le, high)] {
            self.add(Cond::Compare(op, Term::Var(var), Term::Const(end)));
        }
    }

    /// Adds a predicate unless it, or its negation, is there.
    fn add(&mut self, cond: Cond) {
        let Ok(predicate) = Predicate::new(cond) else {
            return;
        };
        let negated = predicate.formula.negated();
        let known = self.proof.predicates.iter().any(|p| p.formula == negated);
        if !known && self.proof.add(predicate) && self.proof.predicates.len() > MOST {
            self.proof.predicates.pop();
            self.cut = true;
        }
    }

    /// Adds, for each predicate about a single variable, the same about its copies.
    fn follow_copies(&mut self) {
        let mut next = 0;
        while next < self.proof.predicates.len() {
            let predicate = self.proof.predicates[next].clone();
            if let (Some(var), Some(cond)) = (only_var(&predicate.formula), predicate.cond()) {
                for other in self.copies_of(var) {
                    self.add(rename_cond(cond, &|_| other));
                }
            }
            next += 1;
        }
    }

    fn copies_of(&self, var: VarId) -> Vec<VarId> {
        let mut copies = IndexSet::new();
        for &(to, from) in &self.copies {
            if to == var {
                copies.insert(from);
            } else if from == var {
                copies.insert(to);
            }
        }
        copies.into_iter().collect()
    }
}

/// The comparison or its negation: the one without `!=`, `>` and `>=`.
fn positive(cond: &Cond) -> Cond {
    match cond {
        Cond::Compare(CompareOp::Ne, a, b) => Cond::Compare(CompareOp::Eq, a.clone(), b.clone()),
        Cond::Compare(CompareOp::Gt, a, b) => Cond::Compare(CompareOp::Le, a.clone(), b.clone()),
        Cond::Compare(CompareOp::Ge, a, b) => Cond::Compare(CompareOp::Lt, a.clone(), b.clone()),
        other => other.clone(),
    }
}

fn only_var(formula: &Formula) -> Option<VarId> {
    let symbols = formula.symbols();
    match symbols.first() {
        Some(Symbol::Var(var)) if symbols.len() == 1 => Some(*var),
        Some(_) | None => None,
    }
}
