//! Rules 15 to 20: from the predicates of an SC proof to those about FIFOs of any length.
//!
//! Beside the proof's own predicates (rules 2 and 9) there are, for each FIFO `b`:
//!
//! | rule | predicates |
//! | --- | --- |
//! | 15 | `b` is empty; for a variable that several threads write, whether the ends of `b` hold a store to it that memory has not seen, and that no entry but the newest does; if `b` is for this variable alone, that it has at most one entry |
//! | 16 | `p` with the newest entry of `b`, else memory, in place of its variables: what a load reads |
//! | 17 | every entry satisfies `p` |
//! | 18 | every entry is at least as large as memory, for variables that an order comparison of the proof names; the numbers of stores are at least those that reached memory; in a FIFO for one variable alone also: every entry is larger |
//! | 19 | entries grow from the oldest to the newest one, for the same variables and for the numbers of stores; in a FIFO for one variable alone also: strictly |
//! | 20 | for equalities `p` of variables that no order comparison names: entries keep `p` where memory or an older entry has it, and the same for `!p` |
//!
//! An entry speaks of a variable that several threads write only if it holds a store to it (`has`); under TSO all
//! variables of a snapshot are replaced together. Rules 17 to 20 are facts, conditions about all entries.

use indexmap::IndexSet;

use super::{Extrapolation, Rule};
use crate::front::cup::ast::CompareOp;
use crate::logic::{Entries, Fact, Predicate, Quantifier, Symbol, TooLarge, about_entry};
use crate::program::{Cond, Program, Term, VarId};
use crate::reduce::{FifoVars, Stored};

/// What is known of the entries of a FIFO, beyond its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// Facts about all entries, and about their order.
    #[default]
    Ordered,
    /// Facts about all entries, whatever their order, as if they were a set.
    Set,
    /// Nothing.
    Forget,
}

impl Tail {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Tail); 3] = [
        ("ordered", Tail::Ordered),
        ("set", Tail::Set),
        ("forget", Tail::Forget),
    ];
}

/// The FIFOs of a reduced program, and what is said about them.
pub(super) struct Fifos<'a> {
    pub program: &'a Program,
    pub fifos: &'a [FifoVars],
    pub tail: Tail,
}

impl Fifos<'_> {
    /// Adds what the rules say for the predicates of a proof.
    pub fn extend(&self, sc: &[Predicate], result: &mut Extrapolation) -> Result<(), TooLarge> {
        for fifo in self.fifos {
            result.add_all(Rule(15), self.ends(fifo)?);
            result.add_all(Rule(15), self.only_newest(fifo)?);
        }
        for predicate in sc {
            result.add_all(Rule(16), self.views(predicate)?);
        }
        for fifo in self.fifos {
            for predicate in sc {
                result.add_all(Rule(17), self.every(fifo, predicate)?);
            }
            result.add_all(Rule(18), self.grows(fifo, sc)?);
            result.add_all(Rule(19), self.ordered(fifo, sc)?);
            let ordered = compared(fifo, sc);
            let is_unordered = |predicate: &&Predicate| {
                let mut named = replaced(fifo, predicate).into_iter();
                is_equality(predicate) && named.all(|stored| !ordered.contains(&stored))
            };
            for predicate in sc.iter().filter(is_unordered) {
                result.add_all(Rule(20), self.kept(fifo, predicate)?);
            }
        }
        Ok(())
    }

    /// Rule 15: whether a FIFO is empty, and whether its ends hold stores that memory has not seen.
    fn ends(&self, fifo: &FifoVars) -> Result<Vec<Predicate>, TooLarge> {
        let empty = compare(CompareOp::Eq, Term::Var(fifo.fifo.length), Term::Const(0));
        let numbered = fifo.stored.iter().filter_map(|stored| stored.numbering);
        let pending = numbered.flat_map(|numbering| {
            let ends = [&fifo.fifo.newest, &fifo.fifo.oldest];
            ends.map(|entry| greater(entry[numbering.field], numbering.done))
        });
        let one = compare(CompareOp::Le, Term::Var(fifo.fifo.length), Term::Const(1));
        let one = self.is_contested(fifo).then_some(one);
        std::iter::once(empty)
            .chain(pending)
            .chain(one)
            .map(Predicate::new)
            .collect()
    }

    /// Whether a FIFO holds stores to one variable alone, which several threads write.
    fn is_contested(&self, fifo: &FifoVars) -> bool {
        let [stored] = fifo.stored.as_slice() else {
            return false;
        };
        let holds = |other: &&FifoVars| other.stored.iter().any(|s| s.var == stored.var);
        self.fifos.iter().filter(holds).count() > 1
    }

    /// Rule 15: no entry but the newest holds a store that memory has not seen.
    fn only_newest(&self, fifo: &FifoVars) -> Result<Vec<Predicate>, TooLarge> {
        let older = self.names(fifo).older();
        let numbered = fifo.stored.iter().filter_map(|stored| stored.numbering);
        let facts = numbered.map(|numbering| {
            let has = greater(older[numbering.field], numbering.done);
            self.fact(fifo, Quantifier::Before, not(has))
        });
        flattened(facts)
    }

    /// Rule 16: what a thread reads, for each of its FIFOs alone and for all of them together.
    fn views(&self, predicate: &Predicate) -> Result<Vec<Predicate>, TooLarge> {
        let Some(cond) = predicate.cond() else {
            return Ok(Vec::new());
        };
        let concerned = |fifo: &&FifoVars| !replaced(fifo, predicate).is_empty();
        let concerned: Vec<&FifoVars> = self.fifos.iter().filter(concerned).collect();
        let mut views: Vec<Cond> = concerned
            .iter()
            .map(|fifo| view(fifo, &replaced(fifo, predicate), cond))
            .collect();
        let threads: IndexSet<_> = concerned.iter().map(|fifo| fifo.thread).collect();
        for thread in threads {
            let own = concerned.iter().filter(|fifo| fifo.thread == thread);
            let all = own.fold(cond.clone(), |cond, fifo| {
                view(fifo, &replaced(fifo, predicate), &cond)
            });
            views.push(all);
        }
        views.into_iter().map(Predicate::new).collect()
    }

    /// Rule 17: every entry satisfies a predicate.
    fn every(&self, fifo: &FifoVars, predicate: &Predicate) -> Result<Vec<Predicate>, TooLarge> {
        let stored = replaced(fifo, predicate);
        let Some(cond) = predicate.cond().filter(|_| !stored.is_empty()) else {
            return Ok(Vec::new());
        };
        let entry = self.names(fifo).any();
        let body = when_held(&stored, &entry, at(&stored, &entry, cond));
        flattened([self.fact(fifo, Quantifier::Every, body)])
    }

    /// Rule 18: every entry is at least as large as memory, and its numbers as those of the stores that reached memory.
    fn grows(&self, fifo: &FifoVars, sc: &[Predicate]) -> Result<Vec<Predicate>, TooLarge> {
        let entry = self.names(fifo).any();
        let compared = compared(fifo, sc).into_iter();
        let compared =
            compared.flat_map(|stored| growing(fifo).iter().map(move |less| (stored, less)));
        let facts = compared.map(|(stored, less)| {
            let grown = less(stored.var, entry[stored.field]);
            let body = when_held(&[stored], &entry, grown);
            self.fact(fifo, Quantifier::Every, body)
        });
        let numbered = fifo.stored.iter().filter_map(|stored| stored.numbering);
        let numbers = numbered.map(|numbering| {
            let grown = at_most(numbering.done, entry[numbering.field]);
            self.fact(fifo, Quantifier::Every, grown)
        });
        flattened(facts.chain(numbers).collect::<Vec<_>>())
    }

    /// Rule 19: entries grow.
    fn ordered(&self, fifo: &FifoVars, sc: &[Predicate]) -> Result<Vec<Predicate>, TooLarge> {
        let names = self.names(fifo);
        let (older, younger) = (names.older(), names.younger());
        let values = compared(fifo, sc).into_iter().map(|stored| stored.field);
        let numbered = fifo.stored.iter().filter_map(|stored| stored.numbering);
        let numbers = numbered.map(|numbering| numbering.field);
        let values = values.flat_map(|field| growing(fifo).iter().map(move |less| (*less, field)));
        let numbers = numbers.map(|field| (at_most as Comparison, field));
        let facts = values.chain(numbers).map(|(less, field)| {
            let body = less(older[field], younger[field]);
            self.fact(fifo, Quantifier::Before, body)
        });
        flattened(facts)
    }

    /// Rule 20: entries keep an equality, and what it denies.
    fn kept(&self, fifo: &FifoVars, predicate: &Predicate) -> Result<Vec<Predicate>, TooLarge> {
        let stored = replaced(fifo, predicate);
        let Some(cond) = predicate.cond().filter(|_| !stored.is_empty()) else {
            return Ok(Vec::new());
        };
        let names = self.names(fifo);
        let (any, older, younger) = (names.any(), names.older(), names.younger());
        let mut facts = Vec::new();
        for cond in [cond.clone(), not(cond.clone())] {
            let body = implies(cond.clone(), at(&stored, &any, &cond));
            let body = when_held(&stored, &any, body);
            facts.push(self.fact(fifo, Quantifier::Every, body));
            let body = implies(at(&stored, &older, &cond), at(&stored, &younger, &cond));
            let body = when_held(&stored, &older, body);
            facts.push(self.fact(fifo, Quantifier::Before, body));
        }
        flattened(facts)
    }

    fn names(&self, fifo: &FifoVars) -> Entries {
        Entries::of(self.program, &fifo.fifo)
    }

    /// A fact about a FIFO, if facts of its kind are wanted.
    fn fact(
        &self,
        fifo: &FifoVars,
        quantifier: Quantifier,
        body: Cond,
    ) -> Result<Option<Predicate>, TooLarge> {
        let is_wanted = match (self.tail, quantifier) {
            (Tail::Ordered, _) | (Tail::Set, Quantifier::Every) => true,
            (Tail::Set, Quantifier::Before) | (Tail::Forget, _) => false,
        };
        if !is_wanted {
            return Ok(None);
        }
        let fact = Fact::new(self.program, &fifo.fifo, quantifier, body)?;
        Ok(fact.map(Predicate::of_fact))
    }
}

/// What an entry says of the variables that a predicate mentions.
fn replaced(fifo: &FifoVars, predicate: &Predicate) -> Vec<Stored> {
    let symbols = predicate.formula.symbols();
    let mentioned = |stored: &&Stored| symbols.contains(&Symbol::Var(stored.var));
    fifo.stored.iter().filter(mentioned).copied().collect()
}

/// The variables of a FIFO that an order comparison of the proof names.
fn compared(fifo: &FifoVars, sc: &[Predicate]) -> Vec<Stored> {
    let ordered: Vec<&Predicate> = sc.iter().filter(|p| has_comparison(p, is_order)).collect();
    let named = |stored: &&Stored| {
        let var = Symbol::Var(stored.var);
        ordered.iter().any(|p| p.formula.symbols().contains(&var))
    };
    fifo.stored.iter().filter(named).copied().collect()
}

fn is_order(op: CompareOp) -> bool {
    !matches!(op, CompareOp::Eq | CompareOp::Ne)
}

fn is_equality(predicate: &Predicate) -> bool {
    has_comparison(predicate, |op| !is_order(op))
}

fn has_comparison(predicate: &Predicate, wanted: impl Fn(CompareOp) -> bool + Copy) -> bool {
    predicate.cond().is_some_and(|cond| contains(cond, wanted))
}

fn contains(cond: &Cond, wanted: impl Fn(CompareOp) -> bool + Copy) -> bool {
    match cond {
        Cond::Const(_) | Cond::At(..) => false,
        Cond::Not(inner) => contains(inner, wanted),
        Cond::And(a, b) | Cond::Or(a, b) => contains(a, wanted) || contains(b, wanted),
        Cond::Compare(op, ..) => wanted(*op),
    }
}

/// The condition about an entry instead of memory.
fn at(stored: &[Stored], entry: &[VarId], cond: &Cond) -> Cond {
    let fields = stored
        .iter()
        .map(|stored| (stored.var, entry[stored.field]));
    about_entry(cond, &fields.collect::<Vec<_>>())
}

/// What an entry says where it holds stores to all variables that several threads write.
fn when_held(stored: &[Stored], entry: &[VarId], cond: Cond) -> Cond {
    let numbered = stored.iter().filter_map(|stored| stored.numbering);
    let held = numbered.map(|numbering| greater(entry[numbering.field], numbering.done));
    held.fold(cond, |cond, held| implies(held, cond))
}

/// The condition with the newest entry of a FIFO, else memory, in place of variables.
fn view(fifo: &FifoVars, stored: &[Stored], cond: &Cond) -> Cond {
    let length = || Term::Var(fifo.fifo.length);
    let empty = compare(CompareOp::Eq, length(), Term::Const(0));
    let filled = compare(CompareOp::Gt, length(), Term::Const(0));
    let (own, contested): (Vec<Stored>, Vec<Stored>) =
        stored.iter().partition(|stored| stored.numbering.is_none());
    let mut buffered = at(&own, &fifo.fifo.newest, cond);
    for stored in contested {
        let Some(numbering) = stored.numbering else {
            continue;
        };
        let has = greater(fifo.fifo.newest[numbering.field], numbering.done);
        let read = at(&[stored], &fifo.fifo.newest, &buffered);
        buffered = or(and(has.clone(), read), and(not(has), buffered));
    }
    or(and(filled, buffered), and(empty, cond.clone()))
}

fn flattened(
    facts: impl IntoIterator<Item = Result<Option<Predicate>, TooLarge>>,
) -> Result<Vec<Predicate>, TooLarge> {
    facts.into_iter().filter_map(Result::transpose).collect()
}

fn compare(op: CompareOp, left: Term, right: Term) -> Cond {
    Cond::Compare(op, left, right)
}

fn greater(left: VarId, right: VarId) -> Cond {
    compare(CompareOp::Gt, Term::Var(left), Term::Var(right))
}

/// A comparison of two variables.
type Comparison = fn(VarId, VarId) -> Cond;

/// How the entries of a FIFO may grow: in one for several variables most entries leave most of them as they are.
fn growing(fifo: &FifoVars) -> &'static [Comparison] {
    match fifo.stored.len() {
        1 => &[at_most, less],
        _ => &[at_most],
    }
}

fn less(left: VarId, right: VarId) -> Cond {
    compare(CompareOp::Lt, Term::Var(left), Term::Var(right))
}

fn at_most(left: VarId, right: VarId) -> Cond {
    compare(CompareOp::Le, Term::Var(left), Term::Var(right))
}

fn not(cond: Cond) -> Cond {
    match cond {
        Cond::Not(inner) => *inner,
        cond => Cond::Not(Box::new(cond)),
    }
}

fn and(left: Cond, right: Cond) -> Cond {
    Cond::And(Box::new(left), Box::new(right))
}

fn or(left: Cond, right: Cond) -> Cond {
    Cond::Or(Box::new(left), Box::new(right))
}

fn implies(left: Cond, right: Cond) -> Cond {
    or(not(left), right)
}
