//! Cubes that need not be tried: those that contain a known one.

use rustc_hash::FxHashMap;

use super::literals::LiteralSet;
use super::search::numbers;
use crate::logic::Cube;

/// Known cubes, by what completes them: for some literals that hold already, the literals that
/// would make a known cube hold.
pub struct CubeIndex {
    predicates: usize,
    /// Completed by the literal alone.
    alone: LiteralSet,
    /// Completed with one more literal, by that literal.
    after_one: FxHashMap<usize, LiteralSet>,
    /// Completed with two more literals, by those, the smaller first.
    after_two: FxHashMap<(usize, usize), LiteralSet>,
    /// Cubes of another size.
    others: Vec<Vec<usize>>,
}

impl CubeIndex {
    /// Nothing is known, about this many predicates.
    pub fn new(predicates: usize) -> Self {
        CubeIndex {
            predicates,
            alone: LiteralSet::empty(predicates),
            after_one: FxHashMap::default(),
            after_two: FxHashMap::default(),
            others: Vec::new(),
        }
    }

    /// The given cubes are known.
    pub fn of(predicates: usize, cubes: &[Cube]) -> Self {
        let mut settled = CubeIndex::new(predicates);
        for cube in cubes {
            settled.add(&numbers(cube));
        }
        settled
    }

    /// Makes a cube known.
    pub fn add(&mut self, cube: &[usize]) {
        let empty = || LiteralSet::empty(self.predicates);
        match *cube {
            [a] => self.alone.insert(a),
            [a, b] => {
                for (one, other) in [(a, b), (b, a)] {
                    let completing = self.after_one.entry(one).or_insert_with(empty);
                    completing.insert(other);
                }
            }
            [a, b, c] => {
                for (one, two, other) in [(a, b, c), (a, c, b), (b, c, a)] {
                    let pair = (one.min(two), one.max(two));
                    let completing = self.after_two.entry(pair).or_insert_with(empty);
                    completing.insert(other);
                }
            }
            _ => self.others.push(cube.to_vec()),
        }
    }

    /// Removes the candidates that complete a known cube together with literals of `cube`.
    pub fn remove_completing(&self, cube: &[usize], candidates: &mut LiteralSet) {
        candidates.subtract(&self.alone);
        for (position, &one) in cube.iter().enumerate() {
            if let Some(completing) = self.after_one.get(&one) {
                candidates.subtract(completing);
            }
            for &two in &cube[..position] {
                let pair = (one.min(two), one.max(two));
                if let Some(completing) = self.after_two.get(&pair) {
                    candidates.subtract(completing);
                }
            }
        }
        for known in &self.others {
            let mut open = known.iter().filter(|literal| !cube.contains(literal));
            if let (Some(&last), None) = (open.next(), open.next()) {
                candidates.remove(last);
            }
        }
    }

    /// Whether a cube contains a known one.
    pub fn contains_part_of(&self, cube: &[usize]) -> bool {
        let mut own = LiteralSet::empty(self.predicates);
        cube.iter().for_each(|&literal| own.insert(literal));
        let mut left = own.clone();
        self.remove_completing(cube, &mut left);
        let inside = |known: &Vec<usize>| known.iter().all(|literal| cube.contains(literal));
        left != own || self.others.iter().any(inside)
    }
}
