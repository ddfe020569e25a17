//! Extrapolation: from the predicates and cubes of an SC proof to those for TSO and PSO.
//!
//! Input: the proof, over the source program, and the reduction.
//! Output: [`Extrapolation`], over the reduced program, each part with the rule of the SAS 2013 paper
//! that it comes from: rules 1–7 for PSO (section 5), rules 8–14 for TSO (appendix B). Rules 5 and
//! 12 live in [`slots`], rules 6 and 13 in [`lift`], the others are one function each. Where buffers are FIFOs,
//! rules 15–20 ([`fifo`]) take the place of those about slots. Called by the pipeline.
//!
//! Rules 4 and 11 and rules 7 and 14 are off unless asked for: the paper's counts are without them.
//! Invariant: no two predicates have the same normal form.

mod fenced;
mod fifo;
mod lift;
mod slots;

use indexmap::{IndexMap, IndexSet};
use serde_json::{Value, json};

use crate::front::cup::ast::CompareOp;
use crate::logic::{Cube, Formula, Literal, Predicate, PredicateId, Symbol, TooLarge};
use crate::memory::Model;
use crate::program::{Cond, Program, Term, VarId};
use crate::proof::{Proof, section};
use crate::reduce::Reduction;
use fifo::Fifos;
pub use fifo::Tail;
pub use slots::Slots;

/// A rule of the paper, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule(pub u8);

/// Which optional rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtrapolateConfig {
    /// Rules 4 and 11: equalities between slots and memory.
    pub rule4: bool,
    /// Rules 7 and 14: at most one slot in a predicate where stores are fenced.
    pub rule7: bool,
    /// Drop literals about buffered values from lifted cubes (section 6.3).
    pub drop_buffered: bool,
    /// What is known of the entries of FIFOs (rules 17 to 20).
    pub tail: Tail,
}

/// The most predicates that extrapolation gives, and the most liftings of a predicate or a cube.
pub const MAX_LIFTED: usize = 20_000;

/// Why a proof cannot be extrapolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtrapolateError {
    /// A number is too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// There are too many predicates or cubes.
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

/// Predicates or cubes are about so many buffered variables that there are too many liftings of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("extrapolation gives more than {MAX_LIFTED} predicates or cubes")]
pub struct TooMany;

/// Predicates and cubes for a model.
#[derive(Clone, Debug, Default)]
pub struct Extrapolation {
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The rule that each predicate comes from.
    pub predicate_rules: Vec<Rule>,
    /// The cubes, each of two literals or more.
    pub cubes: Vec<Cube>,
    /// The rule that each cube comes from.
    pub cube_rules: Vec<Rule>,
}

/// The numbers of the paper's rules for one model.
struct Numbers {
    generic: Rule,
    keep: Rule,
    lift: Rule,
    equalities: Rule,
}

const PSO: Numbers = Numbers {
    generic: Rule(1),
    keep: Rule(2),
    lift: Rule(3),
    equalities: Rule(4),
};

const TSO: Numbers = Numbers {
    generic: Rule(8),
    keep: Rule(9),
    lift: Rule(10),
    equalities: Rule(11),
};

/// Extrapolates a proof. Under SC the proof stays what it is.
pub fn extrapolate(
    proof: &Proof,
    reduction: &Reduction,
    config: &ExtrapolateConfig,
) -> Result<Extrapolation, ExtrapolateError> {
    extend(proof, reduction, (&Slots::new(reduction), true), config)
}

/// The proof as it is, over the reduced program: nothing is said about buffers.
pub fn carry_over(proof: &Proof, reduction: &Reduction) -> Result<Extrapolation, ExtrapolateError> {
    let config = ExtrapolateConfig::default();
    extend(proof, reduction, (&Slots::default(), false), &config)
}

/// Extends a proof by what the rules say about some slots and, if it `lifts`, about FIFOs.
fn extend(
    proof: &Proof,
    reduction: &Reduction,
    (slots, lifts): (&Slots, bool),
    config: &ExtrapolateConfig,
) -> Result<Extrapolation, ExtrapolateError> {
    let numbers = match reduction.model() {
        Model::Sc | Model::Pso => &PSO,
        Model::Tso => &TSO,
    };
    let most = most_slots(reduction, config);
    let sc = keep(proof, reduction)?;
    let mut result = Extrapolation::default();
    result.add_all(numbers.keep, sc.clone());
    result.add_all(numbers.generic, counters(slots)?);
    result.add_all(numbers.generic, slot_names(slots)?);
    for predicate in &sc {
        result.add_all(numbers.lift, lifted(predicate, slots, most)?);
        if result.predicates.len() > MAX_LIFTED {
            return Err(TooMany.into());
        }
    }
    if config.rule4 {
        result.add_all(numbers.equalities, equalities(slots)?);
    }
    result.add_all(numbers.generic, overflow(slots)?);
    Fifos {
        program: &reduction.program,
        fifos: if lifts { reduction.fifos() } else { &[] },
        tail: config.tail,
    }
    .extend(&sc, &mut result)?;
    if result.predicates.len() > MAX_LIFTED {
        return Err(TooMany.into());
    }
    let sc_cubes = proof.cubes.as_deref().unwrap_or_default();
    result.add_cubes(numbers, (&sc, sc_cubes), slots, most)?;
    if config.drop_buffered {
        result.drop_buffered(slots);
    }
    Ok(result)
}

/// Rules 7 and 14: how many slots a predicate may mention.
fn most_slots(reduction: &Reduction, config: &ExtrapolateConfig) -> usize {
    let fenced = || fenced::stores_are_fenced(&reduction.source, reduction.model());
    if config.rule7 && fenced() {
        1
    } else {
        usize::MAX
    }
}

/// Rules 2 and 9: the predicates of the proof, over the reduced program.
fn keep(proof: &Proof, reduction: &Reduction) -> Result<Vec<Predicate>, TooLarge> {
    let same = |var: VarId| reduction.reduced_var(var);
    let predicates = proof.predicates.iter();
    predicates
        .map(|predicate| predicate.renamed(&same))
        .collect()
}

/// Rules 1 and 8, first part: how many entries a buffer has.
fn counters(slots: &Slots) -> Result<Vec<Predicate>, TooLarge> {
    let of = |&(count, size): &(VarId, usize)| {
        (0..=size).map(move |number| {
            let number = i64::try_from(number).expect("buffers are small");
            Predicate::new(equal(count, Term::Const(number)))
        })
    };
    slots.counts.iter().flat_map(of).collect()
}

/// Rule 8, second part: which variable a slot is about.
fn slot_names(slots: &Slots) -> Result<Vec<Predicate>, TooLarge> {
    let of = |(name, numbers): &(VarId, Vec<i64>)| {
        let name = *name;
        let predicates = numbers.iter();
        predicates
            .map(|number| Predicate::new(equal(name, Term::Const(*number))))
            .collect::<Vec<_>>()
    };
    slots.names.iter().flat_map(of).collect()
}

/// Rules 1 and 8, last part: `overflow == 0`.
fn overflow(slots: &Slots) -> Result<Vec<Predicate>, TooLarge> {
    let predicate = |flag: VarId| Predicate::new(equal(flag, Term::Const(0)));
    slots.overflow.into_iter().map(predicate).collect()
}

/// Rules 3 and 10: the predicate with buffered values in place of shared variables.
fn lifted(
    predicate: &Predicate,
    slots: &Slots,
    most: usize,
) -> Result<Vec<Predicate>, ExtrapolateError> {
    let vars = lift::liftable(std::iter::once(predicate), slots);
    let liftings = liftings(&vars, slots, most)?;
    let apply = |lifting: &lift::Lifting| predicate.renamed(&|var| lifting.apply(var));
    let lifted: Result<_, TooLarge> = liftings.iter().map(apply).collect();
    Ok(lifted?)
}

/// The liftings of some variables, if they are not too many.
fn liftings(
    vars: &IndexSet<VarId>,
    slots: &Slots,
    most: usize,
) -> Result<Vec<lift::Lifting>, TooMany> {
    lift::liftings(vars, slots, most, MAX_LIFTED).ok_or(TooMany)
}

/// Rules 4 and 11: neighbouring slots agree, and slots agree with memory.
fn equalities(slots: &Slots) -> Result<Vec<Predicate>, TooLarge> {
    let mut conds = Vec::new();
    for (row, scalars) in &slots.rows {
        let neighbours = row.windows(2);
        conds.extend(neighbours.map(|pair| equal(pair[0], Term::Var(pair[1]))));
        for scalar in scalars {
            conds.extend(row.iter().map(|slot| equal(*slot, Term::Var(*scalar))));
        }
    }
    conds.into_iter().map(Predicate::new).collect()
}

impl Extrapolation {
    /// Predicates and cubes as text, each with its rule.
    pub fn text(&self, program: &Program) -> String {
        let remark = |rule: &Rule| Some(format!("rule {}", rule.0));
        let predicates = self.predicates.iter().zip(&self.predicate_rules);
        let predicates = predicates.map(|(p, rule)| (p.text(program), remark(rule)));
        let mut text = section("predicates", predicates);
        if !self.cubes.is_empty() {
            let cubes = self.cubes.iter().zip(&self.cube_rules);
            let cubes =
                cubes.map(|(cube, rule)| (cube.text(program, &self.predicates), remark(rule)));
            text += &section("cubes", cubes);
        }
        text
    }

    /// The same as JSON: the predicates, and the cubes.
    pub fn json(&self, program: &Program) -> (Value, Value) {
        let predicates = self.predicates.iter().zip(&self.predicate_rules);
        let predicates =
            predicates.map(|(p, rule)| json!({"predicate": p.text(program), "rule": rule.0}));
        let cubes = self.cubes.iter().zip(&self.cube_rules);
        let cubes = cubes.map(|(cube, rule)| {
            let text = cube.text(program, &self.predicates);
            json!({"cube": text, "rule": rule.0})
        });
        (predicates.collect(), cubes.collect())
    }

    fn add_all(&mut self, rule: Rule, predicates: Vec<Predicate>) {
        for predicate in predicates {
            let constant = matches!(predicate.formula, Formula::True | Formula::False);
            if !constant && self.find(&predicate.formula).is_none() {
                self.predicates.push(predicate);
                self.predicate_rules.push(rule);
            }
        }
    }

    fn find(&self, formula: &Formula) -> Option<PredicateId> {
        let known = self.predicates.iter();
        let position = known.into_iter().position(|p| p.formula == *formula)?;
        Some(PredicateId::new(position))
    }

    /// Keeps (rules 2, 9) and lifts (rules 3, 10) the cubes of the proof.
    fn add_cubes(
        &mut self,
        numbers: &Numbers,
        (sc, sc_cubes): (&[Predicate], &[Cube]),
        slots: &Slots,
        most: usize,
    ) -> Result<(), ExtrapolateError> {
        let mut cubes: IndexMap<Cube, Rule> = IndexMap::new();
        for cube in sc_cubes {
            let kept = self.renamed(cube, sc, &|var| var)?;
            cubes.extend(kept.map(|kept| (kept, numbers.keep)));
        }
        for cube in sc_cubes {
            let mentioned = cube.literals().iter().map(|l| &sc[l.predicate.index()]);
            let vars = lift::liftable(mentioned, slots);
            for lifting in liftings(&vars, slots, most)? {
                let lifted = self.renamed(cube, sc, &|var| lifting.apply(var))?;
                if let Some(lifted) = lifted {
                    cubes.entry(lifted).or_insert(numbers.lift);
                }
            }
        }
        (self.cubes, self.cube_rules) = cubes.into_iter().unzip();
        Ok(())
    }

    /// The cube over renamed predicates; `None` if one of them is not tracked or two are opposite.
    fn renamed(
        &self,
        cube: &Cube,
        sc: &[Predicate],
        rename: &impl Fn(VarId) -> VarId,
    ) -> Result<Option<Cube>, TooLarge> {
        let mut literals = Vec::with_capacity(cube.size());
        for literal in cube.literals() {
            let renamed = sc[literal.predicate.index()].renamed(rename)?;
            let Some(predicate) = self.find(&renamed.formula) else {
                return Ok(None);
            };
            literals.push(Literal {
                predicate,
                positive: literal.positive,
            });
        }
        Ok(Cube::new(literals).filter(|cube| cube.size() >= 2))
    }

    /// Drops literals about buffered values from the cubes, and cubes that become single literals.
    fn drop_buffered(&mut self, slots: &Slots) {
        let buffered: IndexSet<PredicateId> = (0..self.predicates.len())
            .map(PredicateId::new)
            .filter(|id| mentions_slot(&self.predicates[id.index()], slots))
            .collect();
        let mut kept: IndexMap<Cube, Rule> = IndexMap::new();
        for (cube, rule) in self.cubes.iter().zip(&self.cube_rules) {
            let literals = cube.literals().iter().copied();
            let rest = Cube::new(literals.filter(|l| !buffered.contains(&l.predicate)));
            if let Some(rest) = rest.filter(|rest| rest.size() >= 2) {
                kept.entry(rest).or_insert(*rule);
            }
        }
        (self.cubes, self.cube_rules) = kept.into_iter().unzip();
    }
}

fn mentions_slot(predicate: &Predicate, slots: &Slots) -> bool {
    let symbols = predicate.formula.symbols();
    symbols.iter().any(|symbol| match symbol {
        Symbol::Var(var) => slots.is_buffered(*var),
        Symbol::Flag(_) | Symbol::Fact(_) => false,
    })
}

fn equal(var: VarId, term: Term) -> Cond {
    Cond::Compare(CompareOp::Eq, Term::Var(var), term)
}
