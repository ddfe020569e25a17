//! How the figures grow: with the number of threads and with the size of the buffers.

use std::time::Instant;

use itertools::Itertools;

use super::results::{Figures, GrowthAxis, GrowthPoint};
use super::run::Loaded;
use super::{ALGORITHMS, Algorithm};
use crate::engine::Context;
use crate::engine::predicate::{PredicateConfig, PredicateError};
use crate::front::cup::placement::Placement;
use crate::memory::Model;
use crate::verdict::Method;

/// The programs whose buffers grow.
const BUFFERED: [&str; 4] = ["peterson", "dekker", "szymanski", "bakery"];
/// The sizes of their buffers.
const BOUNDS: [usize; 6] = [1, 2, 3, 4, 6, 8];
/// The numbers of threads of the ticket lock.
const THREADS: [usize; 4] = [2, 3, 4, 5];
/// The number of points.
pub const POINTS: usize = 2 * (BUFFERED.len() * BOUNDS.len() + THREADS.len());

/// A point to be measured.
pub(super) struct Measure {
    curve: String,
    axis: GrowthAxis,
    size: usize,
    program: String,
    proof: String,
    model: Model,
    k: usize,
}

/// All points, curve by curve.
pub(super) fn measures() -> Vec<Measure> {
    let relaxed = [Model::Tso, Model::Pso];
    let mut measures = Vec::new();
    let buffered = |algorithm: &&Algorithm| BUFFERED.contains(&algorithm.name);
    for (algorithm, model) in ALGORITHMS
        .iter()
        .filter(buffered)
        .cartesian_product(relaxed)
    {
        measures.extend(BOUNDS.map(|k| Measure {
            curve: format!("{}, {model}", algorithm.name),
            axis: GrowthAxis::Bound,
            size: k,
            program: algorithm.program.to_owned(),
            proof: algorithm.proof.to_owned(),
            model,
            k,
        }));
    }
    for model in relaxed {
        measures.extend(THREADS.map(|threads| Measure {
            curve: format!("ticket, {model}"),
            axis: GrowthAxis::Threads,
            size: threads,
            program: ticket(threads),
            proof: ticket_proof(threads),
            model,
            k: 1,
        }));
    }
    measures
}

impl Measure {
    /// What is measured.
    pub fn name(&self) -> String {
        match self.axis {
            GrowthAxis::Threads => format!("growth: {}, {} threads", self.curve, self.size),
            GrowthAxis::Bound => format!("growth: {}, k = {}", self.curve, self.size),
        }
    }

    /// Measures it, with predicate extrapolation and the program's own fences.
    pub fn run(&self, context: &Context) -> Result<GrowthPoint, PredicateError> {
        let start = Instant::now();
        let loaded = Loaded::new(&self.curve, &self.program, &self.proof);
        let (bound, config) = ((self.model, self.k), PredicateConfig::default());
        let fences = &Placement::Declared;
        let tried = loaded.attempt(bound, fences, Method::Pe, &config, context)?;
        Ok(GrowthPoint {
            curve: self.curve.clone(),
            axis: self.axis,
            size: self.size,
            ours: Figures::new(&tried, start.elapsed()),
        })
    }
}

/// The ticket lock of `examples/ticket.cup` for any number of threads.
fn ticket(threads: usize) -> String {
    let thread = |i| {
        format!(
            "thread P{i} {{
  local a{i}, s{i};
  loop {{
    a{i} = fetch_add(num, 1);
    do {{ s{i} = next; }} while (s{i} != a{i});
  cs: skip;
    next = s{i} + 1;
    fence? a;
  }}
}}
"
        )
    };
    let both = |[i, j]: [usize; 2]| format!("P{i}@cs && P{j}@cs");
    let pairs = (0..threads).array_combinations().map(both);
    format!(
        "shared num, next;\n{}fences pso: a;\nforbid mutex: {};\n",
        (0..threads).map(thread).join(""),
        pairs.map(|pair| format!("({pair})")).join(" || ")
    )
}

/// Its proof: that of `examples/ticket.proof` for each thread and each two threads.
fn ticket_proof(threads: usize) -> String {
    let equal = |[i, j]: [usize; 2]| format!("a{i} == a{j};");
    let own = |i| format!("a{i} < num; next == a{i}; s{i} == a{i}; s{i} == next;");
    let pairs = (0..threads).array_combinations().map(equal);
    let predicates = pairs.chain((0..threads).map(own)).join("\n  ");
    format!("predicates {{\n  {predicates}\n}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_points_as_announced() {
        assert_eq!(measures().len(), POINTS);
    }

    #[test]
    fn two_threads_are_the_example() {
        let example = ALGORITHMS.iter().find(|a| a.name == "ticket");
        let example = example.expect("it is one of the algorithms");
        let predicates = |program: &str, proof: &str| {
            let loaded = Loaded::new("ticket", program, proof);
            loaded.input().proof.predicates.len()
        };
        assert_eq!(
            predicates(&ticket(2), &ticket_proof(2)),
            predicates(example.program, example.proof)
        );
    }
}
