//! Whether literals of predicates are consistent.
//!
//! A [`Solver`] knows a list of predicates. It answers whether some of their literals are
//! consistent with each other and with a formula that is in force ([`Solver::under`]): with a model,
//! or with literals that contradict each other. What is about differences of variables alone is
//! decided here (`difference`; `tableau` for questions about facts, which have many disjunctions); the rest is asked of Z3 (`library`), which
//! is not even started before.
//!
//! An answer `Unknown` is never taken for a proof; it is counted and reported. Solvers live in the
//! thread that makes them (Z3's contexts are per thread). The questions are counted and timed.

mod cases;
mod difference;
mod library;
mod tableau;

#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::logic::axioms::Axioms;
use crate::logic::{Fact, Flag, Formula, Literal, Predicate, Symbol, Valuation};
use crate::program::VarId;
use crate::run::stop::Stop;
use cases::{Cases, CasesOf};
use difference::{Solution, solve};
use library::Library;
use tableau::{Background, Decision, Parts, Reasons};

/// A solver for questions about a list of predicates.
pub struct Solver {
    predicates: Vec<Formula>,
    /// The cases of each predicate's negation and of the predicate itself, where they have any.
    literals: Vec<[Option<Cases>; 2]>,
    cases: CasesOf,
    /// The formulas in force.
    in_force: Vec<InForce>,
    z3: Option<Library>,
    differences: bool,
    /// What holds in every state.
    axioms: Axioms,
    /// The cases of the axioms about views.
    views: Option<Vec<Cases>>,
    /// Each predicate's negation and the predicate itself, once they are asked about, and the axioms, for `tableau`.
    parts: Vec<[Option<Rc<Parts>>; 2]>,
    background: Vec<Background>,
    /// The predicates to which the axioms about names mean nothing.
    plain: Vec<bool>,
    stop: Stop,
    effort: Effort,
}

/// A formula in force.
struct InForce {
    formula: Formula,
    cases: Option<Cases>,
    /// Its parts for `tableau`, once they are asked for.
    parts: Option<Rc<Parts>>,
    /// Whether Z3 knows of it.
    asserted: bool,
}

/// What the questions cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// The number of questions.
    pub calls: u64,
    /// How many of them were asked of Z3; the others were decided without it.
    pub z3_calls: u64,
    /// How many of them had no answer.
    pub unknown: u64,
    /// Time spent on them.
    pub time: Duration,
}

/// An answer about a set of literals.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They are consistent: a model.
    Consistent(Model),
    /// They are not: some of them that contradict each other.
    Inconsistent(Vec<Literal>),
    /// Z3 does not know, or the time is over.
    Unknown,
}

/// Values of the variables, flags and facts; what is not mentioned is zero or false.
#[derive(Clone, Debug, Default)]
pub struct Model {
    values: Vec<i128>,
    flags: Vec<Flag>,
    facts: Vec<Arc<Fact>>,
}

/// The version of Z3.
pub fn version() -> String {
    let full = z3::full_version();
    let words = full.split_whitespace();
    let number = words
        .into_iter()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    number.unwrap_or(full).to_owned()
}

impl Solver {
    /// A solver for questions about these predicates; once it is to stop it knows nothing.
    /// `differences` says whether it may do without Z3 where it can.
    pub fn new(predicates: &[Predicate], stop: Stop, differences: bool) -> Self {
        let formulas = predicates.iter().map(|p| p.formula.clone());
        Solver::of_formulas(formulas.collect(), stop, differences)
    }

    /// The same for predicates that are formulas.
    pub fn of_formulas(predicates: Vec<Formula>, stop: Stop, differences: bool) -> Self {
        let mut cases = CasesOf::default();
        let literals = predicates
            .iter()
            .map(|formula| [cases.cases(&formula.negated()), cases.cases(formula)])
            .collect();
        let count = predicates.len();
        Solver {
            predicates,
            literals,
            cases,
            in_force: Vec::new(),
            z3: None,
            differences,
            axioms: Axioms::default(),
            views: Some(Vec::new()),
            parts: vec![[None, None]; count],
            background: Vec::new(),
            plain: Vec::new(),
            stop,
            effort: Effort::default(),
        }
    }

    /// The solver with formulas that hold in every state, so that what contradicts them is inconsistent.
    #[must_use]
    pub fn with_axioms(mut self, axioms: Axioms) -> Self {
        let views = axioms.about_views.iter();
        self.views = views.map(|axiom| self.cases.cases(axiom)).collect();
        let first = axioms.first_name + 1;
        let background = axioms.all();
        self.background = background
            .map(|axiom| Background::new(axiom, first, &mut self.cases))
            .collect();
        let formulas = self.predicates.iter();
        self.plain = formulas.map(|formula| axioms.is_plain(formula)).collect();
        self.axioms = axioms;
        self
    }

    /// Does some work with a formula in force.
    pub fn under<R>(&mut self, formula: &Formula, work: impl FnOnce(&mut Solver) -> R) -> R {
        self.in_force.push(InForce {
            formula: formula.clone(),
            cases: match self.is_plain(formula) {
                true => self.cases.cases(formula),
                false => None,
            },
            parts: None,
            asserted: false,
        });
        let result = work(self);
        let dropped = self.in_force.pop();
        if let (Some(z3), Some(InForce { asserted: true, .. })) = (&mut self.z3, dropped) {
            z3.pop();
        }
        result
    }

    /// Whether it is to stop; then what was about to be asked counts as unknown.
    pub fn gives_up(&mut self) -> bool {
        let should_stop = self.stop.should_stop();
        self.effort.unknown += u64::from(should_stop);
        should_stop
    }

    /// Whether the literals are consistent with each other and with the formulas in force.
    pub fn check(&mut self, literals: &[Literal]) -> Answer {
        if self.gives_up() {
            return Answer::Unknown;
        }
        let start = Instant::now();
        let decided = self.differences.then(|| self.decide(literals)).flatten();
        let answer = decided.unwrap_or_else(|| {
            self.effort.z3_calls += 1;
            self.ask(literals)
        });
        self.effort.calls += 1;
        self.effort.time += start.elapsed();
        self.effort.unknown += u64::from(matches!(answer, Answer::Unknown));
        answer
    }

    /// Whether the literals contradict each other or the formulas in force, for questions about facts. What is
    /// decided by differences comes with a model (of names that the question does not use it says nothing), or with some of the literals that contradict the formulas in force;
    /// Z3 only says whether all of them do.
    pub fn examine(&mut self, literals: &[Literal]) -> Answer {
        if self.gives_up() {
            return Answer::Unknown;
        }
        let start = Instant::now();
        let decided = self.differences.then(|| self.decided(literals)).flatten();
        match decided {
            Some(answer) => {
                self.effort.calls += 1;
                self.effort.time += start.elapsed();
                answer
            }
            None if self.contradicts(literals) => Answer::Inconsistent(literals.to_vec()),
            None => Answer::Unknown,
        }
    }

    /// The answer as far as differences tell.
    fn decided(&mut self, literals: &[Literal]) -> Option<Answer> {
        Some(match self.decision(literals)? {
            Decision::Consistent(solution) => Answer::Consistent(self.model(&solution)),
            Decision::Contradiction(reasons) => Answer::Inconsistent(self.core(literals, reasons)),
        })
    }

    /// Some of the literals that contradict the formulas in force as all of them do: what takes part in a contradiction is asked
    /// about alone, as long as there are fewer. So it does not matter whether the reasons are right.
    fn core(&mut self, literals: &[Literal], mut reasons: Reasons) -> Vec<Literal> {
        let mut core = literals.to_vec();
        loop {
            let part = core.iter().enumerate();
            let part = part.filter(|(number, _)| reasons.has(*number));
            let part: Vec<Literal> = part.map(|(_, literal)| *literal).collect();
            match self.decision(&part) {
                Some(Decision::Contradiction(fewer)) if part.len() < core.len() => {
                    (core, reasons) = (part, fewer);
                }
                _ => return core,
            }
        }
    }

    /// What differences say of the literals with the formulas in force.
    fn decision(&mut self, literals: &[Literal]) -> Option<Decision> {
        let mut parts: Vec<Rc<Parts>> = Vec::new();
        for literal in literals {
            let (index, positive) = (literal.predicate.index(), literal.positive);
            let known = &mut self.parts[index][usize::from(positive)];
            let part = known.get_or_insert_with(|| {
                let formula = &self.predicates[index];
                Rc::new(match positive {
                    true => Parts::of(formula, &mut self.cases),
                    false => Parts::of(&formula.negated(), &mut self.cases),
                })
            });
            parts.push(Rc::clone(part));
        }
        for formula in &mut self.in_force {
            let part = formula
                .parts
                .get_or_insert_with(|| Rc::new(Parts::of(&formula.formula, &mut self.cases)));
            parts.push(Rc::clone(part));
        }
        let parts: Vec<&Parts> = parts.iter().map(Rc::as_ref).collect();
        tableau::decide(&parts, &self.background)
    }

    /// Whether the literals contradict each other or the formulas in force, in Z3's judgement: the bare
    /// answer, without a model or a core.
    pub fn contradicts(&mut self, literals: &[Literal]) -> bool {
        if self.stop.should_stop() {
            self.effort.unknown += 1;
            return false;
        }
        let start = Instant::now();
        let answer = self.library().contradicts(literals);
        self.effort.calls += 1;
        self.effort.z3_calls += 1;
        self.effort.time += start.elapsed();
        self.effort.unknown += u64::from(answer.is_none());
        answer == Some(true)
    }

    /// What the questions have cost so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// The answer where all that is asked about is differences.
    fn decide(&self, literals: &[Literal]) -> Option<Answer> {
        if let Some(solution) = self.satisfied(literals)? {
            return Some(Answer::Consistent(self.model(&solution)));
        }
        let mut core = literals.to_vec();
        for literal in literals {
            let fewer: Vec<Literal> = core.iter().copied().filter(|l| l != literal).collect();
            if matches!(self.satisfied(&fewer), Some(None)) {
                core = fewer;
            }
        }
        core.sort_unstable();
        Some(Answer::Inconsistent(core))
    }

    /// A solution of the literals and the formulas in force, if there is one, where all of them are about differences.
    /// Where entries or facts are mentioned it is not known.
    fn satisfied(&self, literals: &[Literal]) -> Option<Option<Solution>> {
        let in_force = self.in_force.iter().map(|formula| formula.cases.as_ref());
        let literals = literals.iter().map(|literal| {
            let index = literal.predicate.index();
            let pair = &self.literals[index];
            let is_plain = self.plain.get(index).is_none_or(|plain| *plain);
            let cases = pair[usize::from(literal.positive)].as_ref();
            cases.filter(|_| is_plain)
        });
        let views = self.views.as_ref()?.iter().map(Some);
        let parts = in_force.chain(literals).chain(views);
        let parts: Vec<&Cases> = parts.collect::<Option<_>>()?;
        solve(&parts, self.cases.nodes).ok()
    }

    fn model(&self, solution: &Solution) -> Model {
        let zero = solution.values[0];
        let values = solution.values[1..].iter();
        let mut model = Model::of(values.map(|value| i128::from(value - zero)).collect());
        for (number, value) in &solution.flags {
            match &self.cases.flags[*number] {
                Symbol::Flag(flag) => model.set_flag(flag, *value),
                Symbol::Fact(fact) => model.set_fact(fact, *value),
                Symbol::Var(_) => {}
            }
        }
        model
    }

    /// Whether axioms about names mean nothing to a formula.
    fn is_plain(&self, formula: &Formula) -> bool {
        self.axioms.about_names.is_empty() || self.axioms.is_plain(formula)
    }

    /// Asks Z3.
    fn ask(&mut self, literals: &[Literal]) -> Answer {
        self.library().check(literals)
    }

    /// Z3, with the formulas in force.
    fn library(&mut self) -> &mut Library {
        let z3 = self
            .z3
            .get_or_insert_with(|| Library::new(&self.predicates, &self.axioms));
        for formula in self.in_force.iter_mut().filter(|f| !f.asserted) {
            z3.push(&formula.formula);
            formula.asserted = true;
        }
        z3
    }
}

impl Effort {
    /// The sum of two efforts.
    #[must_use]
    pub fn plus(self, other: Effort) -> Effort {
        Effort {
            calls: self.calls + other.calls,
            z3_calls: self.z3_calls + other.z3_calls,
            unknown: self.unknown + other.unknown,
            time: self.time + other.time,
        }
    }
}

impl Model {
    /// A model with these values, by variable, in which no flag and no fact holds.
    pub fn of(values: Vec<i128>) -> Self {
        Model {
            values,
            ..Model::default()
        }
    }

    fn set(&mut self, var: VarId, value: i128) {
        if self.values.len() <= var.index() {
            self.values.resize(var.index() + 1, 0);
        }
        self.values[var.index()] = value;
    }

    fn set_flag(&mut self, flag: &Flag, value: bool) {
        if value {
            self.flags.push(flag.clone());
        }
    }

    fn set_fact(&mut self, fact: &Arc<Fact>, value: bool) {
        if value {
            self.facts.push(Arc::clone(fact));
        }
    }
}

impl Valuation for Model {
    fn value(&self, var: VarId) -> i128 {
        self.values.get(var.index()).copied().unwrap_or(0)
    }

    fn holds(&self, flag: &Flag) -> bool {
        self.flags.contains(flag)
    }

    fn satisfies(&self, fact: &Fact) -> bool {
        self.facts.iter().any(|holding| **holding == *fact)
    }
}
