//! Swaps of alike threads: renamings of variables under which a predicate has images.
//!
//! Two threads are alike if their graphs have the same shape and their actions are of the same kinds, step by step.
//! The variables that stand at the same places are swapped, if that is possible for all of them at once; numbers may
//! differ. An image of a predicate is only ever a candidate, so nothing rests on the threads being the same.

use indexmap::{IndexMap, IndexSet};

use crate::logic::{Formula, Predicate};
use crate::program::{Action, Cond, Edge, Place, Program, Term, Thread, VarId};

/// A renaming of variables that swaps some and keeps the others.
pub type Swap = IndexMap<VarId, VarId>;

/// The swaps of a program's alike threads.
pub fn swaps(program: &Program) -> Vec<Swap> {
    let swaps = alike(program).map(|(_, _, swap)| swap);
    swaps.filter(|swap| !swap.is_empty()).collect()
}

/// The pairs of threads that are alike, with their swaps.
pub(super) fn alike(program: &Program) -> impl Iterator<Item = (usize, usize, Swap)> {
    let threads = &program.threads;
    let pairs = (0..threads.len()).flat_map(|a| (a + 1..threads.len()).map(move |b| (a, b)));
    pairs.filter_map(|(a, b)| Some((a, b, swap(&threads[a], &threads[b])?)))
}

/// Predicates that are images of each other: they are candidates together.
pub type Orbit = Vec<Predicate>;

/// The orbits of some predicates, in the order of the first of each.
pub fn orbits(predicates: &[Predicate], swaps: &[Swap]) -> Vec<Orbit> {
    let mut seen: IndexSet<Formula> = IndexSet::new();
    let mut orbits = Vec::new();
    for predicate in predicates {
        if !seen.contains(&predicate.formula) {
            let orbit = orbit(predicate, swaps);
            seen.extend(orbit.iter().map(|image| image.formula.clone()));
            seen.extend(orbit.iter().map(|image| image.formula.negated()));
            orbits.push(orbit);
        }
    }
    orbits
}

/// Whether a predicate compares a variable with its own image: what of two alike threads is the larger, or whether they
/// agree.
pub fn is_between_alike(predicate: &Predicate, swaps: &[Swap]) -> bool {
    match predicate.cond() {
        Some(Cond::Compare(_, Term::Var(x), Term::Var(y))) => {
            swaps.iter().any(|swap| swap.get(x) == Some(y))
        }
        _ => false,
    }
}

/// A predicate with all its images.
fn orbit(predicate: &Predicate, swaps: &[Swap]) -> Orbit {
    let mut all: IndexMap<Formula, Predicate> = IndexMap::new();
    all.insert(predicate.formula.clone(), predicate.clone());
    let mut next = 0;
    while let Some((_, predicate)) = all.get_index(next) {
        let predicate = predicate.clone();
        for swap in swaps {
            let image = predicate.renamed(&|var| *swap.get(&var).unwrap_or(&var));
            if let Ok(image) = image
                && !all.contains_key(&image.formula)
                && !all.contains_key(&image.formula.negated())
            {
                all.insert(image.formula.clone(), image);
            }
        }
        next += 1;
    }
    all.into_values().collect()
}

/// The swap of two threads, if they are alike.
fn swap(first: &Thread, second: &Thread) -> Option<Swap> {
    if first.locations.len() != second.locations.len() {
        return None;
    }
    let mut pairs = IndexSet::new();
    for (a, b) in first.locations.iter().zip(&second.locations) {
        if a.edges.len() != b.edges.len() || a.held != b.held {
            return None;
        }
        for (a, b) in a.edges.iter().zip(&b.edges) {
            collect_edge(a, b, &mut pairs)?;
        }
    }
    let mut swap = Swap::new();
    for (a, b) in pairs {
        for (a, b) in [(a, b), (b, a)] {
            if *swap.entry(a).or_insert(b) != b {
                return None;
            }
        }
    }
    Some(swap)
}

type Pairs = IndexSet<(VarId, VarId)>;

fn collect_edge(a: &Edge, b: &Edge, pairs: &mut Pairs) -> Option<()> {
    if a.target != b.target {
        return None;
    }
    match (&a.action, &b.action) {
        (Action::Skip, Action::Skip) | (Action::Fence, Action::Fence) => Some(()),
        (Action::Assume(a), Action::Assume(b)) | (Action::Assert(a, _), Action::Assert(b, _)) => {
            collect_cond(a, b, pairs)
        }
        (Action::Havoc(a), Action::Havoc(b)) | (Action::Choose(a, _), Action::Choose(b, _)) => {
            collect_place(a, b, pairs)
        }
        (Action::Assign(to, value), Action::Assign(other, term))
        | (Action::Store(to, value), Action::Store(other, term)) => {
            collect_place(to, other, pairs)?;
            collect_term(value, term, pairs)
        }
        (Action::Load(to, from), Action::Load(other, place)) => {
            collect_place(to, other, pairs)?;
            collect_place(from, place, pairs)
        }
        (Action::Swap(to, on, value), Action::Swap(other, place, term))
        | (Action::FetchAdd(to, on, value), Action::FetchAdd(other, place, term)) => {
            collect_place(to, other, pairs)?;
            collect_place(on, place, pairs)?;
            collect_term(value, term, pairs)
        }
        (Action::Cas(to, on, old, new), Action::Cas(other, place, term, value)) => {
            collect_place(to, other, pairs)?;
            collect_place(on, place, pairs)?;
            collect_term(old, term, pairs)?;
            collect_term(new, value, pairs)
        }
        _ => None,
    }
}

fn collect_place(a: &Place, b: &Place, pairs: &mut Pairs) -> Option<()> {
    match (a, b) {
        (Place::Var(a), Place::Var(b)) => {
            pairs.insert((*a, *b));
            Some(())
        }
        (Place::Choice(index, _), Place::Choice(other, _)) => collect_term(index, other, pairs),
        _ => None,
    }
}

/// The variables of two terms, at the same places. What is added to one of them may be missing in the other.
fn collect_term(a: &Term, b: &Term, pairs: &mut Pairs) -> Option<()> {
    match (a, b) {
        (Term::Const(_), Term::Const(_)) => Some(()),
        (Term::Var(a), Term::Var(b)) => {
            pairs.insert((*a, *b));
            Some(())
        }
        (Term::Neg(a), Term::Neg(b)) => collect_term(a, b, pairs),
        (Term::Choice(index, _), Term::Choice(other, _)) => collect_term(index, other, pairs),
        (Term::Binary(op, a, c), Term::Binary(other, b, d)) if op == other => {
            collect_term(a, b, pairs)?;
            collect_term(c, d, pairs)
        }
        (Term::Binary(_, a, by), b) | (b, Term::Binary(_, a, by))
            if matches!(**by, Term::Const(_)) =>
        {
            collect_term(a, b, pairs)
        }
        _ => None,
    }
}

fn collect_cond(a: &Cond, b: &Cond, pairs: &mut Pairs) -> Option<()> {
    match (a, b) {
        (Cond::Const(_), Cond::Const(_)) => Some(()),
        (Cond::Not(a), Cond::Not(b)) => collect_cond(a, b, pairs),
        (Cond::And(a, c), Cond::And(b, d)) | (Cond::Or(a, c), Cond::Or(b, d)) => {
            collect_cond(a, b, pairs)?;
            collect_cond(c, d, pairs)
        }
        (Cond::Compare(_, a, c), Cond::Compare(_, b, d)) => {
            collect_term(a, b, pairs)?;
            collect_term(c, d, pairs)
        }
        _ => None,
    }
}
