//! The pairs of an inductive invariant, and a small set of them that says the same.

use std::collections::VecDeque;

use indexmap::{IndexMap, IndexSet};

use crate::program::LocId;

/// A set of states: a location of every thread, and the literals that hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The location of each thread of the reduced program.
    pub at: Vec<LocId>,
    /// What holds there. No predicate occurs twice.
    pub cube: Vec<Literal>,
}

/// A predicate or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// The place of the predicate in the list, from 0.
    pub predicate: usize,
    /// Whether the predicate holds, or its negation.
    pub holds: bool,
}

impl Literal {
    /// Its number in a cube as text: 3 is the third predicate, -3 its negation.
    pub(super) fn number(self) -> i64 {
        let number = i64::try_from(self.predicate + 1).expect("predicates are fewer than 2^63");
        if self.holds { number } else { -number }
    }

    /// The cube that numbers stand for, of so many predicates; the first number that makes no sense, and why.
    pub(super) fn parse_cube(
        numbers: &[i64],
        predicates: usize,
    ) -> Result<Vec<Literal>, (i64, &'static str)> {
        let mut seen = vec![false; predicates];
        let literals = numbers.iter().map(|&literal| {
            let index = usize::try_from(literal.unsigned_abs()).ok();
            let index = index.and_then(|number| number.checked_sub(1));
            let predicate = index
                .filter(|&index| index < predicates)
                .ok_or((literal, "there is no such predicate"))?;
            match std::mem::replace(&mut seen[predicate], true) {
                true => Err((literal, "it names that predicate twice")),
                false => Ok(Literal {
                    predicate,
                    holds: literal > 0,
                }),
            }
        });
        literals.collect()
    }
}

/// The same set of states with sorted cubes and sorted pairs, as few as can be without effort: pairs
/// that differ in the sign of one literal are made one without it, and those that a more general one at
/// the same locations makes superfluous are left out.
pub fn normalize(pairs: &[Pair]) -> Vec<Pair> {
    let mut pairs = pairs.to_vec();
    for pair in &mut pairs {
        pair.cube.sort_unstable();
        pair.cube.dedup();
    }
    let mut pairs = merge(pairs);
    pairs.sort_unstable_by(|a, b| {
        (&a.at, a.cube.len(), &a.cube).cmp(&(&b.at, b.cube.len(), &b.cube))
    });
    let mut kept: Vec<Pair> = Vec::new();
    for group in pairs.chunk_by(|a, b| a.at == b.at) {
        let first = kept.len();
        for pair in group {
            if !kept[first..].iter().any(|general| covers(general, pair)) {
                kept.push(pair.clone());
            }
        }
    }
    kept.sort_unstable();
    kept
}

/// Makes one of pairs that differ in the sign of one literal, again until there are none.
fn merge(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut vectors: IndexMap<Vec<LocId>, IndexSet<Vec<Literal>>> = IndexMap::new();
    for Pair { at, cube } in pairs {
        vectors.entry(at).or_default().insert(cube);
    }
    let merged = vectors.into_iter().flat_map(|(at, cubes)| {
        let cubes = merge_cubes(cubes).into_iter();
        cubes.map(move |cube| Pair {
            at: at.clone(),
            cube,
        })
    });
    merged.collect()
}

fn merge_cubes(mut cubes: IndexSet<Vec<Literal>>) -> IndexSet<Vec<Literal>> {
    // A cube that has no twin when its turn comes gets one only by a new cube, which has its turn later.
    let mut turns: VecDeque<Vec<Literal>> = cubes.iter().cloned().collect();
    while let Some(cube) = turns.pop_front() {
        let Some(place) = twin_place(&cubes, &cube) else {
            continue;
        };
        let mut twin = cube.clone();
        twin[place].holds ^= true;
        cubes.swap_remove(&cube);
        cubes.swap_remove(&twin);
        twin.remove(place);
        if cubes.insert(twin.clone()) {
            turns.push_back(twin);
        }
    }
    cubes
}

/// The place of the literal in whose sign alone the cube differs from another one.
fn twin_place(cubes: &IndexSet<Vec<Literal>>, cube: &[Literal]) -> Option<usize> {
    if !cubes.contains(cube) {
        return None;
    }
    let mut twin = cube.to_vec();
    (0..cube.len()).find(|&place| {
        twin[place].holds ^= true;
        let found = cubes.contains(&twin);
        twin[place].holds ^= true;
        found
    })
}

/// Whether every literal of `general`, sorted, is one of `special`, sorted.
fn covers(general: &Pair, special: &Pair) -> bool {
    let mut rest = special.cube.iter();
    general
        .cube
        .iter()
        .all(|literal| rest.by_ref().any(|other| other == literal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(at: usize, literals: &[i32]) -> Pair {
        let literal = |&number: &i32| Literal {
            predicate: number.unsigned_abs() as usize,
            holds: number > 0,
        };
        Pair {
            at: vec![LocId::new(at)],
            cube: literals.iter().map(literal).collect(),
        }
    }

    #[test]
    fn covered_pairs_are_dropped() {
        let pairs = [
            pair(1, &[3, 1, -2]),
            pair(1, &[-2, 1]),
            pair(0, &[1, 2, 3]),
            pair(1, &[5, 1]),
            pair(1, &[1, -2, -4]),
        ];
        let expected = [pair(0, &[1, 2, 3]), pair(1, &[1, -2]), pair(1, &[1, 5])];
        assert_eq!(normalize(&pairs), expected);
    }

    #[test]
    fn pairs_that_differ_in_one_sign_are_merged() {
        let pairs = [
            pair(0, &[1, 2, 3]),
            pair(0, &[-1, -2, 3]),
            pair(0, &[1, -2, 3]),
            pair(0, &[-1, 2, 3]),
            pair(1, &[-3]),
            pair(2, &[3, 4]),
            pair(2, &[-3, -4]),
        ];
        let expected = [
            pair(0, &[3]),
            pair(1, &[-3]),
            pair(2, &[-3, -4]),
            pair(2, &[3, 4]),
        ];
        assert_eq!(normalize(&pairs), expected);
    }

    #[test]
    fn the_empty_cube_covers_all() {
        let pairs = [pair(0, &[1]), pair(0, &[]), pair(0, &[-2])];
        assert_eq!(normalize(&pairs), [pair(0, &[])]);
    }
}
