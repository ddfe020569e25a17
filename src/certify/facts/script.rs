//! The obligations of a certificate with facts as SMT-LIB 2: what `obligations.smt2` holds and what solvers are given.
//!
//! Variables are constants `v.…`, the fields of FIFOs are functions `q.…` of positions; the entries of a FIFO are at the
//! positions from 0 to its length in the state that a claim is about. `pred…` is a predicate and `body…` what a fact
//! says of entries, as functions of the variables and fields that they name. `plain…` is what a listed state says without
//! facts, `holds…` what a fact says of one position or two, and `state…` a listed state. Each group of claims is a
//! scope; each claim in it is a `check-sat` that must answer `unsat`.
//!
//! Facts are universal, so an assumed one may be used at any positions: at those of the oldest and the newest entry, at
//! those that become the oldest, and at those of the claim. Two entries are always used with the
//! condition that the one is older than the other.

use std::fmt::Write as _;
use std::ops::Range;

use indexmap::IndexSet;

use super::Proof;
use super::obligations::{Claim, Goal, Group};
use crate::certificate::{Fact, Literal, Predicate};
use crate::certify::describe;
use crate::certify::smt::path::{Queue, known_once};
use crate::certify::smt::{Claims, smtlib};
use crate::program::{Fifo, FifoId, VarId};

/// The position of an arbitrary entry, and those of two.
const ONE: [&str; 1] = ["entry"];
const TWO: [&str; 2] = ["older", "younger"];

/// What the claims of a certificate refer to.
#[derive(Clone, Debug)]
pub(super) struct Definitions {
    /// The names of all variables in the state that a claim is about.
    variables: Vec<String>,
    declarations: String,
    /// By listed state, `plain…` and `state…`.
    states: Vec<[String; 2]>,
    /// By listed state, where the threads are.
    places: Vec<String>,
    /// By predicate, the variables that it names, those that stand for entries apart.
    uses: Vec<Vec<VarId>>,
    /// By listed state, the variables that it names without its facts.
    plain: Vec<Vec<VarId>>,
}

/// Claims with what they refer to.
#[derive(Clone, Copy)]
pub(super) struct Script<'a> {
    /// The certificate.
    pub proof: &'a Proof<'a>,
    /// What the claims refer to.
    pub definitions: &'a Definitions,
    /// The claims.
    pub groups: &'a [Group],
}

impl Definitions {
    /// Puts predicates and states into SMT-LIB.
    pub(super) fn new(proof: &Proof<'_>) -> Self {
        let program = proof.program;
        let variables = smtlib::names(program);
        let uses = proof.predicates.iter().map(|predicate| {
            let (Predicate::Plain(cond) | Predicate::Fact(Fact { body: cond, .. })) = predicate;
            let mut uses = smtlib::variables_of(cond);
            uses.retain(|var| var.index() < program.vars.len());
            uses
        });
        let uses: Vec<Vec<VarId>> = uses.collect();
        let plain = proof.table.states.iter().map(|state| {
            let literals = state.cube.iter().map(|literal| literal.predicate);
            let plain = literals.filter(|&predicate| proof.fact(predicate).is_none());
            let mut vars: Vec<VarId> = plain.flat_map(|plain| uses[plain].clone()).collect();
            vars.sort_unstable();
            vars.dedup();
            vars
        });
        let mut definitions = Definitions {
            declarations: String::new(),
            states: Vec::new(),
            places: Vec::new(),
            plain: plain.collect(),
            variables,
            uses,
        };
        definitions.declarations = definitions.declare(proof);
        let states = &proof.table.states;
        let places = states
            .iter()
            .map(|state| describe::vector(proof.source, program, &state.at));
        definitions.places = places.collect();
        definitions.states = (0..states.len())
            .map(|state| definitions.state(proof, state))
            .collect();
        definitions
    }

    /// Variables, fields, predicates, facts, and what is always so of FIFOs.
    fn declare(&self, proof: &Proof<'_>) -> String {
        let mut text = String::new();
        for name in self
            .variables
            .iter()
            .map(String::as_str)
            .chain(ONE)
            .chain(TWO)
        {
            let _ = writeln!(text, "(declare-fun {name} () Int)");
        }
        let queues = proof.queues();
        for name in queues.iter().flat_map(|queue| &queue.fields) {
            let _ = writeln!(text, "(declare-fun {name} (Int) Int)");
        }
        for (index, predicate) in proof.predicates.iter().enumerate() {
            let number = index + 1;
            match predicate {
                Predicate::Plain(cond) => {
                    let parameters = smtlib::parameters(&self.uses[index], &self.variables);
                    let body = smtlib::cond(cond, &self.variables);
                    let _ = writeln!(text, "(define-fun pred{number} ({parameters}) Bool {body})");
                }
                Predicate::Fact(fact) => text.push_str(&self.declare_fact(number, fact, &queues)),
            }
        }
        let fifos = proof.program.fifos.iter().zip(&queues);
        let fifos: Vec<String> = fifos.map(|(fifo, queue)| self.shown(fifo, queue)).collect();
        let _ = writeln!(text, "(define-fun fifos () Bool {})", smtlib::all(&fifos));
        text
    }

    /// `body…`, and `holds…` for the state that a claim is about.
    fn declare_fact(&self, number: usize, fact: &Fact, queues: &[Queue]) -> String {
        let mut names = self.variables.clone();
        let fields: Vec<VarId> = fact.entries.iter().flatten().copied().collect();
        for var in &fields {
            names.resize(names.len().max(var.index() + 1), String::new());
            names[var.index()] = format!("e.{}", var.index() - self.variables.len());
        }
        let mut parameters = self.uses[number - 1].clone();
        parameters.extend(&fields);
        let parameters = smtlib::parameters(&parameters, &names);
        let body = smtlib::cond(&fact.body, &names);
        let mut text = format!("(define-fun body{number} ({parameters}) Bool {body})\n");
        let at: &[&str] = match fact.entries.len() {
            1 => &["at"],
            _ => &["at", "then"],
        };
        let queue = &queues[fact.fifo.id.index()];
        let here = entries_at(0, &self.variables[fact.fifo.length.index()], at);
        let body = self.body(number - 1, &self.variables, queue, at);
        let parameters: Vec<String> = at.iter().map(|at| format!("({at} Int)")).collect();
        let parameters = parameters.join(" ");
        let _ = writeln!(
            text,
            "(define-fun holds{number} ({parameters}) Bool (=> {here} {body}))"
        );
        text
    }

    /// What the views of a FIFO show.
    fn shown(&self, fifo: &Fifo, queue: &Queue) -> String {
        let length = &self.variables[fifo.length.index()];
        let mut parts = vec![format!("(<= 0 {length})")];
        let ends = [(&fifo.oldest, "0".to_owned()), (&fifo.newest, last(length))];
        for (views, position) in ends {
            for (view, field) in views.iter().zip(&queue.fields) {
                let view = &self.variables[view.index()];
                parts.push(format!(
                    "(= {view} (ite (= {length} 0) 0 ({field} {position})))"
                ));
            }
        }
        smtlib::all(&parts)
    }

    /// What a fact says of the entries at some positions of a state.
    fn body(&self, fact: usize, names: &[String], queue: &Queue, at: &[&str]) -> String {
        let uses = self.uses[fact].iter().map(|var| names[var.index()].clone());
        let fields = at.iter().flat_map(|at| {
            let fields = queue.fields.iter();
            fields.map(move |field| format!("({field} {at})"))
        });
        let arguments: Vec<String> = uses.chain(fields).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        smtlib::apply(&format!("body{}", fact + 1), &arguments)
    }

    /// `plain…` and `state…`.
    fn state(&self, proof: &Proof<'_>, state: usize) -> [String; 2] {
        let number = state + 1;
        let cube = &proof.table.states[state].cube;
        let plain = cube
            .iter()
            .filter(|literal| proof.fact(literal.predicate).is_none());
        let plain: Vec<String> = plain
            .map(|literal| self.literal(*literal, &self.variables))
            .collect();
        let parameters = smtlib::parameters(&self.plain[state], &self.variables);
        let body = smtlib::all(&plain);
        let plain = format!("(define-fun plain{number} ({parameters}) Bool {body})\n");
        let mut parts = vec!["fifos".to_owned(), self.plain(state, &self.variables)];
        for literal in cube {
            if let Some(fact) = proof.fact(literal.predicate) {
                let at = ends(&self.variables[fact.fifo.length.index()]);
                parts.extend(instances(literal.predicate, fact, &[], &at));
            }
        }
        let body = smtlib::all(&parts);
        [
            plain,
            format!("(define-fun state{number} () Bool {body})\n"),
        ]
    }

    /// A literal that is no fact.
    fn literal(&self, literal: Literal, names: &[String]) -> String {
        let uses = &self.uses[literal.predicate];
        let arguments: Vec<&str> = uses.iter().map(|var| names[var.index()].as_str()).collect();
        let holds = smtlib::apply(&format!("pred{}", literal.predicate + 1), &arguments);
        match literal.holds {
            true => holds,
            false => format!("(not {holds})"),
        }
    }

    /// What a listed state says without facts.
    fn plain(&self, state: usize, names: &[String]) -> String {
        let vars = self.plain[state].iter();
        let arguments: Vec<&str> = vars.map(|var| names[var.index()].as_str()).collect();
        smtlib::apply(&format!("plain{}", state + 1), &arguments)
    }
}

/// The position of the newest entry.
fn last(length: &str) -> String {
    format!("(- {length} 1)")
}

/// The positions of the oldest and of the newest entry.
fn ends(length: &str) -> Vec<String> {
    vec!["0".to_owned(), last(length)]
}

/// That there are entries at these positions, in this order and different ones, in a FIFO whose oldest one is at
/// `first`.
fn entries_at(first: usize, length: &str, at: &[&str]) -> String {
    match at {
        [one] => format!("(and (<= {first} {one}) (< {one} (+ {first} {length})))"),
        at => {
            let (older, younger) = (at[0], at[1]);
            format!(
                "(and (<= {first} {older}) (< {older} {younger}) (< {younger} (+ {first} {length})))"
            )
        }
    }
}

/// A fact, used at the positions of `new` and of both lists together, but not at those of `known` alone.
fn instances(predicate: usize, fact: &Fact, known: &[String], new: &[String]) -> Vec<String> {
    let holds = |at: &[&str]| smtlib::apply(&format!("holds{}", predicate + 1), at);
    if fact.entries.len() == 1 {
        return new.iter().map(|at| holds(&[at])).collect();
    }
    let fresh = |at: &String| new.contains(at);
    let all: Vec<&String> = known.iter().chain(new).collect();
    let pairs = all
        .iter()
        .flat_map(|older| all.iter().map(move |younger| (*older, *younger)));
    let pairs =
        pairs.filter(|(older, younger)| older != younger && (fresh(older) || fresh(younger)));
    pairs
        .map(|(older, younger)| holds(&[older, younger]))
        .collect()
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
    pub(super) fn claim(&self, number: usize) -> Option<(&'a Group, &'a Claim)> {
        self.claims(number..number + 1).next()
    }

    /// The condition that a claim says has no model, apart from its group's run.
    fn formula(&self, group: &Group, claim: &Claim) -> String {
        let mut parts = Vec::new();
        if let Some(from) = claim.from {
            parts.push(format!("state{}", from + 1));
            parts.extend(self.used(group, claim, from));
        }
        parts.extend(self.goal(group, &claim.goal));
        smtlib::all(&parts)
    }

    /// The facts of a listed state at the positions that matter for a claim, those of the oldest and the newest entry
    /// apart.
    fn used(&self, group: &Group, claim: &Claim, from: usize) -> Vec<String> {
        let about = match &claim.goal {
            Goal::Never | Goal::Outside(_) | Goal::Literal { .. } => None,
            Goal::Facts { fifo, facts, .. } => Some((*fifo, self.positions(facts))),
        };
        let cube = &self.proof.table.states[from].cube;
        let facts = cube.iter().filter_map(|literal| {
            let fact = self.proof.fact(literal.predicate)?;
            Some((literal.predicate, fact))
        });
        let used = facts.flat_map(|(predicate, fact)| {
            let taken = group.queues[fact.fifo.id.index()].first;
            let mut new: Vec<String> = (1..=taken).map(|at| at.to_string()).collect();
            if let Some((fifo, at)) = about
                && fifo == fact.fifo.id
            {
                new.extend(at.iter().map(|&at| at.to_owned()));
            }
            let known = ends(&self.definitions.variables[fact.fifo.length.index()]);
            instances(predicate, fact, &known, &new)
        });
        used.collect()
    }

    /// The names of the positions of arbitrary entries that facts are about.
    fn positions(&self, facts: &[usize]) -> &'static [&'static str] {
        let fact = facts.first().and_then(|&fact| self.proof.fact(fact));
        match fact.map(|fact| fact.entries.len()) {
            Some(2) => &TWO,
            _ => &ONE,
        }
    }

    /// What must not be so after a run.
    fn goal(&self, group: &Group, goal: &Goal) -> Vec<String> {
        let definitions = self.definitions;
        let plain = |&target: &usize| definitions.plain(target, &group.after);
        let outside = |targets: &[usize]| {
            let targets = targets.iter().map(plain);
            targets.map(|target| format!("(not {target})")).collect()
        };
        match goal {
            Goal::Never => Vec::new(),
            Goal::Outside(targets) => outside(targets),
            Goal::Literal { target, place } => {
                let literal = self.proof.table.states[*target].cube[*place];
                vec![format!(
                    "(not {})",
                    definitions.literal(literal, &group.after)
                )]
            }
            Goal::Facts {
                earlier,
                target,
                fifo,
                facts,
            } => {
                let mut parts: Vec<String> = outside(earlier);
                parts.push(plain(target));
                parts.push(self.broken(group, *fifo, facts));
                parts
            }
        }
    }

    /// That some fact about a FIFO does not hold, at arbitrary positions.
    fn broken(&self, group: &Group, fifo: FifoId, facts: &[usize]) -> String {
        let at = self.positions(facts);
        let queue = &group.queues[fifo.index()];
        let fifo = &self.proof.program.fifos[fifo.index()];
        let here = entries_at(queue.first, &group.after[fifo.length.index()], at);
        let bodies = facts
            .iter()
            .map(|&fact| self.definitions.body(fact, &group.after, queue, at));
        let bodies = smtlib::all(&bodies.collect::<Vec<_>>());
        format!("(and {here} (not {bodies}))")
    }

    /// The states that a claim refers to.
    fn named(claim: &Claim) -> Vec<usize> {
        let targets = match &claim.goal {
            Goal::Never => Vec::new(),
            Goal::Outside(targets) => targets.clone(),
            Goal::Literal { target, .. } => vec![*target],
            Goal::Facts {
                earlier, target, ..
            } => earlier.iter().chain([target]).copied().collect(),
        };
        claim.from.into_iter().chain(targets).collect()
    }

    /// What must not happen, for readers.
    pub(super) fn failure(&self, group: &Group, goal: &Goal) -> String {
        let state = |target: &usize| format!("state {}", target + 1);
        match goal {
            Goal::Never => group.failure.clone(),
            Goal::Outside(targets) => {
                let targets: Vec<String> = targets.iter().map(state).collect();
                format!(
                    "{}, but does not end in {}",
                    group.failure,
                    targets.join(" or ")
                )
            }
            Goal::Literal { target, place } => {
                let literal = self.proof.table.states[*target].cube[*place];
                let text = &self.proof.table.predicates[literal.predicate];
                let text = describe::short(text);
                let text = match literal.holds {
                    true => text,
                    false => format!("!({text})"),
                };
                format!(
                    "{}, but `{text}` may be wrong in {}",
                    group.failure,
                    state(target)
                )
            }
            Goal::Facts { target, facts, .. } => {
                let facts = facts.iter().map(|&fact| {
                    let text = &self.proof.table.predicates[fact];
                    format!("`{}`", describe::short(text))
                });
                let facts: Vec<String> = facts.collect();
                format!(
                    "{}, but {} may be wrong in {}",
                    group.failure,
                    facts.join(" or "),
                    state(target)
                )
            }
        }
    }
}

impl Claims for Script<'_> {
    fn len(&self) -> usize {
        self.groups.iter().map(|group| group.claims.len()).sum()
    }

    fn to_smtlib(&self) -> String {
        let definitions = self.definitions;
        let mut text = String::from(HEADER);
        text.push_str(&definitions.declarations);
        for (index, (place, [plain, state])) in definitions
            .places
            .iter()
            .zip(&definitions.states)
            .enumerate()
        {
            let _ = write!(text, "; state {}, {place}\n{plain}{state}", index + 1);
        }
        let mut number = 0;
        for group in self.groups {
            let _ = write!(text, "; {}\n(push 1)\n", smtlib::comment(&group.title));
            text.push_str(&group.run.assertions());
            for claim in &group.claims {
                number += 1;
                let failure = smtlib::comment(&self.failure(group, &claim.goal));
                let from = claim
                    .from
                    .map_or(String::new(), |from| format!("; from state {}", from + 1));
                let formula = self.formula(group, claim);
                let _ = write!(
                    text,
                    "; {number}: never: {failure}{from}\n(push 1)\n(assert {formula})\n(check-sat)\n(pop 1)\n"
                );
            }
            text.push_str("(pop 1)\n");
        }
        text
    }

    fn context(&self, claims: Range<usize>) -> String {
        let claims = self.claims(claims);
        let states: IndexSet<usize> = claims
            .clone()
            .flat_map(|(_, claim)| Script::named(claim))
            .collect();
        let mut text = self.definitions.declarations.clone();
        for state in states {
            text.extend(self.definitions.states[state].iter().map(String::as_str));
        }
        text + &known_once(claims.map(|(group, _)| &group.run))
    }

    fn conditions(&self, claims: Range<usize>) -> Vec<String> {
        let condition = |(group, claim): (&Group, &Claim)| {
            let taken = smtlib::all(&group.run.conditions);
            format!("(and {taken} {})", self.formula(group, claim))
        };
        self.claims(claims).map(condition).collect()
    }

    fn variables(&self) -> &[String] {
        &self.definitions.variables
    }
}

const HEADER: &str =
    "; Proof obligations of a Cupola certificate: every check-sat must answer unsat.
(set-option :print-success false)
(set-logic QF_UFLIA)
";

impl Proof<'_> {
    /// The FIFOs in the state that a claim is about.
    fn queues(&self) -> Vec<Queue> {
        let fifos = self.program.fifos.iter();
        fifos.map(|fifo| Queue::new(self.program, fifo)).collect()
    }
}
