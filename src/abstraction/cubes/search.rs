//! The three searches for cubes that imply a goal.
//!
//! The negated goal is in force in the solver, so a cube implies the goal if it is inconsistent
//! there. Cubes are lists of literal numbers of the cone while the search runs.

use itertools::Itertools;

use super::Search;
use super::literals::{Cone, LiteralSet};
use super::pool::Pool;
use crate::logic::{Cube, Formula, Literal};
use crate::smt::{Answer, Solver};

/// Cubes over a cone that imply the goal, all minimal ones among them. Nothing that contains one of
/// the inconsistent cubes is tried.
pub fn find(
    solver: &mut Solver,
    cone: &Cone<'_>,
    inconsistent: &[Cube],
    goal: &Formula,
    (search, size): (&Search, usize),
) -> Vec<Cube> {
    let numbers = |cube: &Cube| -> Option<Vec<usize>> {
        cube.literals().iter().map(|&l| cone.number(l)).collect()
    };
    let inconsistent = inconsistent.iter().filter_map(numbers).collect();
    solver.under(&goal.negated(), |solver| {
        let mut finder = Finder {
            solver,
            cone,
            inconsistent,
            pool: Pool::default(),
            found: Vec::new(),
            record_cores: !matches!(search, Search::Candidates(_)),
        };
        match search {
            Search::Exhaustive => finder.exhaustive(size),
            Search::Fast => finder.extend(&mut Vec::new(), &cone.all(), size),
            Search::Candidates(cubes) => finder.candidates(cubes),
        }
        finder.cubes()
    })
}

/// One search: a goal's counter-models and the cubes found so far.
struct Finder<'a> {
    solver: &'a mut Solver,
    cone: &'a Cone<'a>,
    inconsistent: Vec<Vec<usize>>,
    pool: Pool,
    found: Vec<Vec<usize>>,
    /// Whether the part of a cube that the solver needed is recorded instead of the cube. Where the
    /// search is complete this only saves questions; elsewhere the result would depend on the solver.
    record_cores: bool,
}

/// What the solver says about a cube.
enum Status {
    /// It implies the goal; the cube or a part of it is recorded.
    Implies,
    /// It does not: the literals that hold in a counter-model.
    CounterModel(LiteralSet),
    /// The solver does not know.
    Unknown,
}

impl Finder<'_> {
    /// Fig. 6(a): every cube that contains no smaller result, in increasing size.
    fn exhaustive(&mut self, size: usize) {
        let predicates = self.cone.literal_count() / 2;
        for size in 0..=size.min(predicates) {
            for chosen in (0..predicates).combinations(size) {
                let signs = (0..size).map(|_| [0, 1]).multi_cartesian_product();
                // Without factors the product is one empty choice.
                for signs in signs {
                    let literals = chosen.iter().zip(&signs);
                    let cube = literals.map(|(p, sign)| 2 * p + sign).collect_vec();
                    if !self.is_settled(&cube) {
                        self.ask(&cube);
                    }
                }
            }
        }
    }

    /// Extends a cube, by allowed literals, in all ways that may lead to new results.
    fn extend(&mut self, cube: &mut Vec<usize>, allowed: &LiteralSet, size: usize) {
        let pooled = self.pool.satisfying(cube).next().cloned();
        let model = match pooled {
            Some(model) => model,
            None => match self.ask(cube) {
                Status::CounterModel(model) => model,
                Status::Implies | Status::Unknown => return,
            },
        };
        if cube.len() == size {
            return;
        }
        let mut candidates = allowed.clone();
        candidates.subtract(&model);
        if cube.len() + 1 == size {
            // The last literal has to contradict all counter-models at once.
            for model in self.pool.satisfying(cube) {
                candidates.subtract(model);
            }
        }
        let mut allowed = allowed.clone();
        for literal in candidates.iter().collect_vec() {
            // Later branches do without this literal: cubes with it are found here.
            allowed.remove(literal);
            cube.push(literal);
            if !self.is_settled(cube) {
                let mut below = allowed.clone();
                below.remove(literal ^ 1);
                self.extend(cube, &below, size);
            }
            cube.pop();
        }
    }

    /// Fig. 6(b): the literals and the given cubes, one by one.
    fn candidates(&mut self, cubes: &[Cube]) {
        let literals = (0..self.cone.literal_count()).map(|number| vec![number]);
        let within = cubes.iter().filter_map(|cube| self.numbers(cube));
        let candidates = std::iter::once(Vec::new()).chain(literals).chain(within);
        for cube in candidates.collect_vec() {
            let refuted = self.pool.satisfying(&cube).next().is_some();
            if !refuted && !self.is_settled(&cube) {
                self.ask(&cube);
            }
        }
    }

    fn numbers(&self, cube: &Cube) -> Option<Vec<usize>> {
        let literals = cube.literals().iter();
        literals.map(|&literal| self.cone.number(literal)).collect()
    }

    /// Whether a cube contains a result or an inconsistent cube.
    fn is_settled(&self, cube: &[usize]) -> bool {
        let known = self.found.iter().chain(&self.inconsistent);
        known
            .into_iter()
            .any(|part| part.iter().all(|literal| cube.contains(literal)))
    }

    /// Asks the solver about a cube; records a result or pools a counter-model.
    fn ask(&mut self, cube: &[usize]) -> Status {
        let literals = cube.iter().map(|&number| self.cone.literal(number));
        match self.solver.check(&literals.collect_vec()) {
            Answer::Inconsistent(core) => {
                let core = core.iter().map(|&literal| self.member(literal));
                self.found.push(if self.record_cores {
                    core.collect()
                } else {
                    cube.to_vec()
                });
                Status::Implies
            }
            Answer::Consistent(model) => match self.cone.true_in(&model) {
                Some(model) => {
                    self.pool.add(model.clone());
                    Status::CounterModel(model)
                }
                None => Status::Unknown,
            },
            Answer::Unknown => Status::Unknown,
        }
    }

    fn member(&self, literal: Literal) -> usize {
        let number = self.cone.number(literal);
        number.expect("a core consists of literals that were assumed")
    }

    fn cubes(&self) -> Vec<Cube> {
        let cube = |numbers: &Vec<usize>| {
            let literals = numbers.iter().map(|&number| self.cone.literal(number));
            Cube::new(literals).expect("the literals of a cube are of different predicates")
        };
        self.found.iter().map(cube).collect()
    }
}
