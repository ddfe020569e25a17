//! What the statements of a program say themselves: the predicates to begin with where many threads are to be solved.
//!
//! In this order: the comparisons of guards, assertions and specs, and the same with a shared variable in place of a local
//! that is only ever loaded (`m <= n` behind `m = N;` gives `N <= n`); what a statement that computes makes true (`N = n + 1;`
//! gives `N == n + 1`); that a variable that others are computed from never gets below its first value, if random
//! walks saw none that did; and, for numbers that are ordered or change by arithmetic, that a local that is only ever
//! loaded is what it was loaded from.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};

use super::{atoms, pool, walks};
use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::logic::{Formula, Predicate};
use crate::program::{Action, Cond, Init, Place, Program, Term, VarId};

/// The predicates that the statements of a program say.
pub fn definitions(program: &Program) -> Vec<Predicate> {
    let mut found = Definitions {
        copies: copies(program),
        predicates: IndexMap::new(),
    };
    let actions = || program.edge_ids().map(|edge| &program.edge(edge).action);
    for action in actions() {
        if let Action::Assume(cond) | Action::Assert(cond, _) = action {
            found.add_guard(cond);
        }
    }
    for spec in &program.specs {
        found.add_guard(&spec.cond);
    }
    let computed: Vec<(VarId, Term)> = actions().filter_map(computed).collect();
    for (to, value) in &computed {
        found.add_compare(CompareOp::Eq, *to, value.clone());
    }
    let sources: IndexSet<VarId> = computed.iter().flat_map(|(_, term)| vars(term)).collect();
    let samples = walks::samples(program);
    for var in sources {
        let Init::Value(first) = program.vars[var.index()].init else {
            continue;
        };
        if samples.iter().all(|values| values[var.index()] >= first) {
            found.add_compare(CompareOp::Ge, var, Term::Const(first));
        }
    }
    let ordered = pool::ordered(program);
    for (local, loaded) in found.copies.clone() {
        for from in loaded {
            if ordered.contains(&local) {
                found.add_compare(CompareOp::Eq, local, Term::Var(from));
            }
        }
    }
    found.predicates.into_values().collect()
}

/// What a statement that computes makes true of a variable that it does not read.
fn computed(action: &Action) -> Option<(VarId, Term)> {
    match action {
        Action::Assign(Place::Var(to), value) | Action::Store(Place::Var(to), value) => {
            let is_computed = matches!(value, Term::Binary(..) | Term::Neg(_));
            let read = vars(value);
            let is_definition = is_computed && !read.is_empty() && !read.contains(to);
            is_definition.then(|| (*to, value.clone()))
        }
        Action::FetchAdd(Place::Var(to), Place::Var(on), by @ Term::Const(_)) => {
            let old = Box::new(Term::Var(*to));
            Some((*on, Term::Binary(ArithOp::Add, old, Box::new(by.clone()))))
        }
        _ => None,
    }
}

/// The variables that are only ever loaded, with what they are loaded from.
fn copies(program: &Program) -> IndexMap<VarId, BTreeSet<VarId>> {
    let mut loaded: IndexMap<VarId, BTreeSet<VarId>> = IndexMap::new();
    let mut others = BTreeSet::new();
    for edge in program.edge_ids() {
        match &program.edge(edge).action {
            Action::Load(Place::Var(to), Place::Var(from)) => {
                loaded.entry(*to).or_default().insert(*from);
            }
            action => others.extend(pool::written(action)),
        }
    }
    loaded.retain(|to, _| !others.contains(to));
    loaded
}

fn vars(term: &Term) -> BTreeSet<VarId> {
    match term {
        Term::Const(_) => BTreeSet::new(),
        Term::Var(var) => BTreeSet::from([*var]),
        Term::Neg(inner) => vars(inner),
        Term::Binary(_, a, b) => &vars(a) | &vars(b),
        Term::Choice(index, elements) => {
            let elements = elements.iter().flat_map(vars);
            vars(index).into_iter().chain(elements).collect()
        }
    }
}

struct Definitions {
    copies: IndexMap<VarId, BTreeSet<VarId>>,
    predicates: IndexMap<Formula, Predicate>,
}

impl Definitions {
    /// The comparisons of a condition, and what they are about the variables that locals are loaded from.
    fn add_guard(&mut self, cond: &Cond) {
        let Ok(formula) = Formula::from_cond(cond) else {
            return;
        };
        for atom in atoms::atoms(&formula) {
            let locals = atoms::vars(&atom).into_iter();
            let images: Vec<Formula> = locals
                .flat_map(|local| {
                    let loaded = self.copies.get(&local).into_iter().flatten();
                    loaded.map(move |&from| (local, from))
                })
                .map(|reading| atoms::renamed(&atom, &[reading]))
                .collect();
            self.add_atom(&atom);
            images.iter().for_each(|image| self.add_atom(image));
        }
    }

    fn add_atom(&mut self, atom: &Formula) {
        let readable = matches!(atom, Formula::Atom(_)) && atoms::is_readable(atom);
        if let Some(cond) = readable.then(|| atoms::comparison(atom)).flatten() {
            self.add(cond);
        }
    }

    fn add_compare(&mut self, op: CompareOp, var: VarId, with: Term) {
        self.add(Cond::Compare(op, Term::Var(var), with));
    }

    /// Adds a predicate unless it, or its negation, is there.
    fn add(&mut self, cond: Cond) {
        let Ok(predicate) = Predicate::new(cond) else {
            return;
        };
        let formula = predicate.formula.clone();
        let constant = matches!(formula, Formula::True | Formula::False);
        if !constant && !self.predicates.contains_key(&formula.negated()) {
            self.predicates.entry(formula).or_insert(predicate);
        }
    }
}
