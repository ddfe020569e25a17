//! The pool: a finite set of predicates that a program suggests, the better ones first.
//!
//! Variables that are copied, compared or updated together are of one class, as are the elements of an array. Per
//! class there are `x == c` for its constants and for the values that random walks saw, `x == y`, `x == y + c` for
//! its offsets, and, where the class has arithmetic or an order, `x <= y`, `x <= y + c` and bounds. Random walks
//! under SC then drop what says the same as, or the opposite of, an earlier candidate in all samples, and equalities
//! that never vary; an inequality that always holds stays, for it may be what a proof needs.
//!
//! All candidates are over the source program. That they are few makes refinement with them end.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};

use super::walks;
use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::logic::{Formula, Predicate};
use crate::program::{Action, Cond, Init, Place, Program, Term, VarId};

/// The most candidates of one shape.
const MOST: usize = 150;

/// The most values of a variable that walks saw for which there is a candidate.
const VALUES: usize = 9;

/// The largest offset and constant of a candidate.
const LARGEST: i64 = 64;

/// The candidates that a program suggests, by their shape.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// `x == c`
    pub constants: Vec<Predicate>,
    /// `x == y`
    pub pairs: Vec<Predicate>,
    /// `x == y + c`
    pub offsets: Vec<Predicate>,
    /// `x <= y`
    pub orders: Vec<Predicate>,
    /// `x <= y + c`
    pub shifted: Vec<Predicate>,
    /// `x <= c` and `x >= c`
    pub bounds: Vec<Predicate>,
}

impl Pool {
    /// The candidates that a program suggests.
    pub fn of(program: &Program) -> Self {
        let classes = Classes::of(program).all();
        let samples = walks::samples(program);
        let mut filter = Filter::new(&samples);
        let mut tier = |candidates: &dyn Fn(&Class) -> Vec<Candidate>| {
            filter.kept(classes.iter().flat_map(candidates))
        };
        Pool {
            constants: tier(&|class| class.constants(&samples)),
            pairs: tier(&Class::pairs),
            offsets: tier(&Class::offsets),
            orders: tier(&Class::orders),
            shifted: tier(&Class::shifted),
            bounds: tier(&Class::bounds),
        }
    }
}

/// Variables that have to do with each other.
#[derive(Clone, Debug, Default)]
struct Class {
    vars: Vec<VarId>,
    /// The constants that they are compared with or get.
    constants: BTreeSet<i64>,
    /// The constants that are added to them.
    offsets: BTreeSet<i64>,
    /// Whether some of them are compared by an order, or change by arithmetic.
    ordered: bool,
}

impl Class {
    /// `x == c`
    fn constants(&self, samples: &IndexSet<Vec<i64>>) -> Vec<Candidate> {
        let mut found = Vec::new();
        for &var in &self.vars {
            let seen: BTreeSet<i64> = samples.iter().map(|values| values[var.index()]).collect();
            let few = seen.len() <= VALUES;
            let constants = self.constants.iter().copied();
            let values = constants.filter(|value| seen.contains(value));
            let values: BTreeSet<i64> = match few {
                true => values.chain(seen.iter().copied()).collect(),
                false => values.collect(),
            };
            let values = values.into_iter().filter(|value| value.abs() <= LARGEST);
            found.extend(values.map(|value| compare(CompareOp::Eq, var, None, value)));
        }
        found
    }

    /// `x == y`
    fn pairs(&self) -> Vec<Candidate> {
        let equal = |(x, y)| compare(CompareOp::Eq, x, Some(y), 0);
        self.each_pair().map(equal).collect()
    }

    /// `x == y + c`
    fn offsets(&self) -> Vec<Candidate> {
        let pairs = self.each_pair();
        let equal = |(x, y)| {
            self.distances()
                .map(move |by| compare(CompareOp::Eq, x, Some(y), by))
        };
        pairs.flat_map(equal).collect()
    }

    /// `x <= y`, both ways.
    fn orders(&self) -> Vec<Candidate> {
        self.at_most(0).collect()
    }

    /// `x <= y + c`, both ways.
    fn shifted(&self) -> Vec<Candidate> {
        self.distances().flat_map(|by| self.at_most(by)).collect()
    }

    fn at_most(&self, by: i64) -> impl Iterator<Item = Candidate> + '_ {
        let pairs = self.each_pair().filter(|_| self.ordered);
        let both = pairs.flat_map(|(x, y)| [(x, y), (y, x)]);
        both.map(move |(x, y)| compare(CompareOp::Le, x, Some(y), by))
    }

    /// `x <= c` and `c <= x`
    fn bounds(&self) -> Vec<Candidate> {
        if !self.ordered {
            return Vec::new();
        }
        let constants = self.constants.iter().filter(|value| value.abs() <= LARGEST);
        let bounds = |&value: &i64| {
            let vars = self.vars.iter();
            vars.flat_map(move |&var| {
                [CompareOp::Le, CompareOp::Ge].map(|op| compare(op, var, None, value))
            })
        };
        constants.flat_map(bounds).collect()
    }

    fn each_pair(&self) -> impl Iterator<Item = (VarId, VarId)> + '_ {
        let vars = self.vars.iter().enumerate();
        vars.flat_map(|(place, &x)| self.vars[place + 1..].iter().map(move |&y| (x, y)))
    }

    /// The offsets in both directions, the smaller ones first.
    fn distances(&self) -> impl Iterator<Item = i64> + '_ {
        let offsets = self
            .offsets
            .iter()
            .filter(|by| **by != 0 && by.abs() <= LARGEST);
        let both: BTreeSet<(i64, i64)> = offsets
            .flat_map(|&by| [(by.abs(), by), (by.abs(), -by)])
            .collect();
        both.into_iter().map(|(_, by)| by)
    }
}

/// `x op y + c`, or `x op c`.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    op: CompareOp,
    x: VarId,
    y: Option<VarId>,
    by: i64,
}

fn compare(op: CompareOp, x: VarId, y: Option<VarId>, by: i64) -> Candidate {
    Candidate { op, x, y, by }
}

impl Candidate {
    fn is_inequality(&self) -> bool {
        matches!(self.op, CompareOp::Le | CompareOp::Ge)
    }

    fn holds(&self, values: &[i64]) -> bool {
        let left = i128::from(values[self.x.index()]);
        let right = self.y.map_or(0, |y| values[y.index()]);
        let right = i128::from(right) + i128::from(self.by);
        match self.op {
            CompareOp::Eq => left == right,
            CompareOp::Ne => left != right,
            CompareOp::Lt => left < right,
            CompareOp::Le => left <= right,
            CompareOp::Gt => left > right,
            CompareOp::Ge => left >= right,
        }
    }

    fn cond(&self) -> Cond {
        let right = match (self.y, self.by) {
            (None, by) => Term::Const(by),
            (Some(y), 0) => Term::Var(y),
            (Some(y), by) => {
                let sign = if by < 0 { ArithOp::Sub } else { ArithOp::Add };
                let (y, by) = (Term::Var(y), Term::Const(by.abs()));
                Term::Binary(sign, Box::new(y), Box::new(by))
            }
        };
        Cond::Compare(self.op, Term::Var(self.x), right)
    }
}

/// The classes of a program's variables.
struct Classes {
    /// For each variable another one of its class, itself for one of each class.
    parents: Vec<usize>,
    /// What is known of the class of each variable, by the variable where it was seen.
    seen: Vec<Class>,
    /// Which variables may ever have another value; the others are numbers.
    varying: Vec<bool>,
}

impl Classes {
    fn of(program: &Program) -> Self {
        let mut classes = Classes {
            parents: (0..program.vars.len()).collect(),
            seen: vec![Class::default(); program.vars.len()],
            varying: vec![false; program.vars.len()],
        };
        for edge in program.edge_ids() {
            let action = &program.edge(edge).action;
            classes.add_action(action);
            for var in written(action) {
                classes.varying[var.index()] = true;
            }
        }
        program
            .specs
            .iter()
            .for_each(|spec| classes.add_cond(&spec.cond));
        for (var, declared) in program.var_ids().zip(&program.vars) {
            match declared.init {
                Init::Value(value) => _ = classes.seen[var.index()].constants.insert(value),
                Init::Range(_) | Init::Any => classes.varying[var.index()] = true,
            }
        }
        classes
    }

    /// The classes, in the order of their first variables.
    fn all(&self) -> Vec<Class> {
        let mut found: IndexMap<usize, Class> = IndexMap::new();
        for (index, seen) in self.seen.iter().enumerate() {
            let class = found.entry(self.root(index)).or_default();
            if self.varying[index] {
                class.vars.push(VarId::new(index));
            }
            class.constants.extend(&seen.constants);
            class.offsets.extend(&seen.offsets);
            class.ordered |= seen.ordered;
        }
        found.into_values().collect()
    }

    fn add_action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Fence | Action::Pop(_) => {}
            Action::Append(fifo, values) => {
                for (field, value) in values.iter().enumerate() {
                    self.add_value(&Place::Var(fifo.oldest[field]), value);
                    self.add_value(&Place::Var(fifo.newest[field]), value);
                }
            }
            Action::Assume(cond) | Action::Assert(cond, _) => self.add_cond(cond),
            Action::Assign(to, value) | Action::Store(to, value) => self.add_value(to, value),
            Action::Havoc(to) | Action::Choose(to, _) => _ = self.place(to),
            Action::Load(to, from) => {
                let vars = self.place(to).into_iter().chain(self.place(from)).collect();
                self.join(vars);
            }
            Action::Swap(to, on, new) => {
                let vars = self.place(to).into_iter().chain(self.place(on)).collect();
                self.join(vars);
                self.add_value(on, new);
            }
            Action::Cas(_, on, expected, new) => {
                self.add_value(on, expected);
                self.add_value(on, new);
            }
            Action::FetchAdd(to, on, by) => {
                let vars: Vec<VarId> = self.place(to).into_iter().chain(self.place(on)).collect();
                self.join(vars.clone());
                self.note(&vars, |class| class.ordered = true);
                if let Term::Const(by) = by {
                    self.note(&vars, |class| _ = class.offsets.insert(*by));
                }
            }
        }
    }

    fn add_value(&mut self, to: &Place, value: &Term) {
        let mut vars = self.place(to);
        vars.extend(self.term(value));
        self.join(vars.clone());
        match value {
            Term::Const(value) => self.note(&vars, |class| _ = class.constants.insert(*value)),
            Term::Binary(..) | Term::Neg(_) => self.note(&vars, |class| class.ordered = true),
            Term::Var(_) | Term::Choice(..) => {}
        }
    }

    fn add_cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Const(_) | Cond::At(..) => {}
            Cond::Not(inner) => self.add_cond(inner),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.add_cond(a);
                self.add_cond(b);
            }
            Cond::Compare(op, a, b) => {
                let vars: Vec<VarId> = self.term(a).into_iter().chain(self.term(b)).collect();
                self.join(vars.clone());
                for side in [a, b] {
                    if let Term::Const(value) = side {
                        self.note(&vars, |class| _ = class.constants.insert(*value));
                    }
                }
                if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
                    self.note(&vars, |class| class.ordered = true);
                }
            }
        }
    }

    /// The variables whose values a term has, as far as they are of one class with it; notes what is added to them.
    fn term(&mut self, term: &Term) -> Vec<VarId> {
        match term {
            Term::Const(_) => Vec::new(),
            Term::Var(var) => vec![*var],
            Term::Neg(inner) => self.term(inner),
            Term::Choice(index, elements) => {
                self.term(index);
                let elements: Vec<VarId> = elements
                    .iter()
                    .flat_map(|element| self.term(element))
                    .collect();
                self.join(elements.clone());
                elements
            }
            Term::Binary(op, a, b) => {
                let vars: Vec<VarId> = self.term(a).into_iter().chain(self.term(b)).collect();
                let constants = [a, b].into_iter().filter_map(|side| match **side {
                    Term::Const(value) => Some(value),
                    _ => None,
                });
                let constants: Vec<i64> = constants.collect();
                if matches!(op, ArithOp::Add | ArithOp::Sub) {
                    self.note(&vars, |class| class.offsets.extend(&constants));
                }
                vars
            }
        }
    }

    fn place(&mut self, place: &Place) -> Vec<VarId> {
        match place {
            Place::Var(var) => vec![*var],
            Place::Choice(index, vars) => {
                self.term(index);
                self.join(vars.clone());
                vars.clone()
            }
        }
    }

    fn note(&mut self, vars: &[VarId], what: impl Fn(&mut Class)) {
        if let Some(var) = vars.first() {
            what(&mut self.seen[var.index()]);
        }
    }

    fn join(&mut self, vars: Vec<VarId>) {
        for pair in vars.windows(2) {
            let (a, b) = (self.root(pair[0].index()), self.root(pair[1].index()));
            self.parents[a.max(b)] = a.min(b);
        }
    }

    fn root(&self, mut index: usize) -> usize {
        while self.parents[index] != index {
            index = self.parents[index];
        }
        index
    }
}

/// The variables whose class is ordered: some of it are compared by an order, or change by arithmetic.
pub(super) fn ordered(program: &Program) -> BTreeSet<VarId> {
    let classes = Classes::of(program).all().into_iter();
    let ordered = classes.filter(|class| class.ordered);
    ordered.flat_map(|class| class.vars).collect()
}

/// The variables that an action may change.
pub(super) fn written(action: &Action) -> Vec<VarId> {
    let places: Vec<&Place> = match action {
        Action::Skip | Action::Fence | Action::Assume(_) | Action::Assert(..) => Vec::new(),
        Action::Append(fifo, _) | Action::Pop(fifo) => {
            return [&fifo.oldest[..], &fifo.newest[..], &[fifo.length]].concat();
        }
        Action::Assign(to, _) | Action::Store(to, _) | Action::Load(to, _) => vec![to],
        Action::Havoc(to) | Action::Choose(to, _) => vec![to],
        Action::Swap(to, on, _) | Action::FetchAdd(to, on, _) | Action::Cas(to, on, _, _) => {
            vec![to, on]
        }
    };
    let vars = places.into_iter().flat_map(|place| match place {
        Place::Var(var) => vec![*var],
        Place::Choice(_, vars) => vars.clone(),
    });
    vars.collect()
}

/// Keeps the candidates that samples tell apart.
struct Filter<'a> {
    samples: &'a IndexSet<Vec<i64>>,
    formulas: IndexSet<Formula>,
    /// The values of the kept candidates in all samples.
    values: IndexSet<Vec<bool>>,
}

impl<'a> Filter<'a> {
    fn new(samples: &'a IndexSet<Vec<i64>>) -> Self {
        Filter {
            samples,
            formulas: IndexSet::new(),
            values: IndexSet::new(),
        }
    }

    /// The candidates that say something new, as many as there may be.
    fn kept(&mut self, candidates: impl Iterator<Item = Candidate>) -> Vec<Predicate> {
        let kept = candidates.filter_map(|candidate| self.predicate(&candidate));
        kept.take(MOST).collect()
    }

    fn predicate(&mut self, candidate: &Candidate) -> Option<Predicate> {
        if !self.tells_apart(candidate) {
            return None;
        }
        let predicate = Predicate::new(candidate.cond()).ok()?;
        let formula = &predicate.formula;
        let constant = matches!(formula, Formula::True | Formula::False);
        let known = self.formulas.contains(&formula.negated());
        let is_new = !constant && !known && self.formulas.insert(formula.clone());
        is_new.then_some(predicate)
    }

    /// Whether a candidate says something that no earlier one says; an inequality that always holds does.
    fn tells_apart(&mut self, candidate: &Candidate) -> bool {
        let holds = |values: &Vec<i64>| candidate.holds(values);
        let values: Vec<bool> = self.samples.iter().map(holds).collect();
        if !values.contains(&false) {
            return candidate.is_inequality();
        }
        let opposite: Vec<bool> = values.iter().map(|value| !value).collect();
        values.contains(&true) && !self.values.contains(&opposite) && self.values.insert(values)
    }
}
