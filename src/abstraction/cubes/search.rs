//! The three searches for cubes that imply a goal.
//!
//! The negated goal is in force in the solver, so a cube implies the goal if it is inconsistent
//! there. Cubes are lists of literal numbers while the search runs.

use itertools::Itertools;

use super::Search;
use super::cube_index::CubeIndex;
use super::literals::{LiteralSet, literal, number};
use super::pool::Pool;
use crate::logic::{Cube, Predicate, PredicateId};
use crate::smt::{Answer, Model, Solver};

/// One search: a goal's counter-models and the cubes found so far.
pub struct Finder<'a> {
    /// The solver, with the negated goal in force.
    pub solver: &'a mut Solver,
    /// All predicates.
    pub predicates: &'a [Predicate],
    /// Those that cubes are made of.
    pub cone: &'a [PredicateId],
    /// Nothing that contains one of these is tried.
    pub inconsistent: &'a CubeIndex,
    /// Counter-models.
    pub pool: Pool,
}

/// Cubes that imply a goal, all minimal ones among them, and the counter-models that were met.
pub struct Found {
    /// The cubes.
    pub cubes: Vec<Cube>,
    /// The models, with the literals that hold there.
    pub models: Vec<(Model, LiteralSet)>,
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

impl<'a> Finder<'a> {
    /// Looks for cubes up to a size.
    pub fn find(self, search: &Search, size: usize) -> Found {
        let mut run = Run {
            found: Vec::new(),
            found_settled: CubeIndex::new(self.predicates.len()),
            models: Vec::new(),
            record_cores: !matches!(search, Search::Candidates(_)),
            finder: self,
        };
        match search {
            Search::Exhaustive => run.exhaustive(size),
            Search::Fast => {
                let all = LiteralSet::of(run.finder.cone, run.finder.predicates.len());
                run.extend(&mut Vec::new(), &all, size);
            }
            Search::Candidates(cubes) => run.candidates(cubes),
        }
        Found {
            cubes: run.found.iter().map(|cube| to_cube(cube)).collect(),
            models: run.models,
        }
    }
}

struct Run<'a> {
    finder: Finder<'a>,
    found: Vec<Vec<usize>>,
    found_settled: CubeIndex,
    models: Vec<(Model, LiteralSet)>,
    /// Whether the part of a cube that the solver needed is recorded instead of the cube. Where the
    /// search is complete this only saves questions; elsewhere the result would depend on the solver.
    record_cores: bool,
}

impl Run<'_> {
    /// Fig. 6(a): every cube that contains no smaller result, in increasing size.
    fn exhaustive(&mut self, size: usize) {
        let cone = self.finder.cone;
        for size in 0..=size.min(cone.len()) {
            for chosen in cone.iter().combinations(size) {
                if self.finder.solver.gives_up() {
                    return;
                }
                let signs = (0..size).map(|_| [0, 1]).multi_cartesian_product();
                // Without factors the product is one empty choice.
                for signs in signs {
                    let literals = chosen.iter().zip(&signs);
                    let cube = literals.map(|(p, sign)| 2 * p.index() + sign).collect_vec();
                    if !self.is_settled(&cube) {
                        self.ask(&cube);
                    }
                }
            }
        }
    }

    /// Extends a cube, by allowed literals, in all ways that may lead to new results.
    fn extend(&mut self, cube: &mut Vec<usize>, allowed: &LiteralSet, size: usize) {
        if self.finder.solver.gives_up() {
            return;
        }
        let pooled = self.finder.pool.satisfying(cube).next().cloned();
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
        let mut allowed = allowed.clone();
        // What contains a known cube is no news, here and in all branches.
        self.finder
            .inconsistent
            .remove_completing(cube, &mut allowed);
        let mut candidates = allowed.clone();
        candidates.subtract(&model);
        if cube.len() + 1 == size {
            // The last literal has to contradict all counter-models at once.
            for model in self.finder.pool.satisfying(cube) {
                candidates.subtract(model);
            }
        }
        for literal in candidates.iter().collect_vec() {
            // Later branches do without this literal: cubes with it are found here.
            allowed.remove(literal);
            cube.push(literal);
            if !self.found_settled.contains_part_of(cube) {
                let mut below = allowed.clone();
                below.remove(literal ^ 1);
                self.extend(cube, &below, size);
            }
            cube.pop();
        }
    }

    /// Fig. 6(b): the literals and the given cubes, one by one.
    fn candidates(&mut self, cubes: &[Cube]) {
        let cone = self.finder.cone;
        let literals = cone.iter().flat_map(|p| [2 * p.index(), 2 * p.index() + 1]);
        let literals = literals.map(|number| vec![number]);
        let within = cubes.iter().filter(|cube| {
            let mut literals = cube.literals().iter();
            literals.all(|literal| cone.binary_search(&literal.predicate).is_ok())
        });
        let within = within.map(numbers);
        let candidates = std::iter::once(Vec::new()).chain(literals).chain(within);
        for cube in candidates.collect_vec() {
            let refuted = self.finder.pool.satisfying(&cube).next().is_some();
            if !refuted && !self.is_settled(&cube) {
                self.ask(&cube);
            }
        }
    }

    /// Whether a cube contains a result or an inconsistent cube.
    fn is_settled(&self, cube: &[usize]) -> bool {
        self.found_settled.contains_part_of(cube) || self.finder.inconsistent.contains_part_of(cube)
    }

    /// Asks the solver about a cube; records a result or pools a counter-model.
    fn ask(&mut self, cube: &[usize]) -> Status {
        let literals = cube.iter().map(|&number| literal(number));
        match self.finder.solver.check(&literals.collect_vec()) {
            Answer::Inconsistent(core) => {
                let cube = if self.record_cores {
                    core.into_iter().map(number).collect()
                } else {
                    cube.to_vec()
                };
                self.found_settled.add(&cube);
                self.found.push(cube);
                Status::Implies
            }
            Answer::Consistent(model) => {
                match LiteralSet::true_in(&model, self.finder.predicates) {
                    Some(literals) => {
                        self.models.push((model, literals.clone()));
                        self.finder.pool.add(literals.clone());
                        Status::CounterModel(literals)
                    }
                    None => Status::Unknown,
                }
            }
            Answer::Unknown => Status::Unknown,
        }
    }
}

/// The numbers of a cube's literals.
pub fn numbers(cube: &Cube) -> Vec<usize> {
    cube.literals().iter().map(|&l| number(l)).collect()
}

fn to_cube(numbers: &[usize]) -> Cube {
    let literals = numbers.iter().map(|&number| literal(number));
    Cube::new(literals).expect("the literals of a cube are of different predicates")
}
