//! Conjunctions of differences, decided without the solver.
//!
//! Input: formulas as cases. Output: values for which one case of each holds, or that there are none.
//! Bounds `x - y <= c` are the edges of a graph; they have an integer solution exactly if no cycle
//! is negative, and the distances are one (Bellman and Ford). Where a solution breaks `x - y != c`,
//! both `x - y < c` and `x - y > c` are tried, so the search is complete. Questions of the pipeline
//! have a handful of constraints: this is a thousand times faster than a call of the solver.
//!
//! Invariant: an answer, if there is one, is right; the search gives up after too many steps.

use super::cases::{Cases, Constraint, Difference};

/// The most systems of bounds that are solved for one question.
const MAX_SYSTEMS: usize = 2_000;

/// Values of the variables, by node; that of node 0 stands for zero. Then the flags.
#[derive(Debug)]
pub(super) struct Solution {
    pub values: Vec<i64>,
    pub flags: Vec<(usize, bool)>,
}

/// The search gave up.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenUp;

/// Values for which one case of each part holds; `nodes` is the number of nodes in use.
pub(super) fn solve(parts: &[&Cases], nodes: usize) -> Result<Option<Solution>, GivenUp> {
    let mut system = System {
        values: vec![0; nodes.max(1)],
        ..System::default()
    };
    let solved = system.choose(parts)?;
    Ok(solved.then_some(Solution {
        values: system.values,
        flags: system.flags,
    }))
}

/// The constraints chosen so far.
#[derive(Default)]
struct System {
    bounds: Vec<Difference>,
    excluded: Vec<Difference>,
    flags: Vec<(usize, bool)>,
    values: Vec<i64>,
    solved: usize,
}

impl System {
    /// Whether the constraints have a solution together with a case of each part.
    fn choose(&mut self, parts: &[&Cases]) -> Result<bool, GivenUp> {
        let Some((first, rest)) = parts.split_first() else {
            return self.settle();
        };
        let before = (self.bounds.len(), self.excluded.len(), self.flags.len());
        for case in *first {
            if self.add(case) && self.choose(rest)? {
                return Ok(true);
            }
            self.bounds.truncate(before.0);
            self.excluded.truncate(before.1);
            self.flags.truncate(before.2);
        }
        Ok(false)
    }

    /// Adds the constraints of a case; false if two flags contradict each other.
    fn add(&mut self, case: &[Constraint]) -> bool {
        for constraint in case {
            match *constraint {
                Constraint::AtMost(difference) => self.bounds.push(difference),
                Constraint::Differs(difference) => self.excluded.push(difference),
                Constraint::Flag(number, value) => {
                    if self.flags.contains(&(number, !value)) {
                        return false;
                    }
                    self.flags.push((number, value));
                }
            }
        }
        true
    }

    /// Whether the bounds have a solution that breaks no exclusion.
    fn settle(&mut self) -> Result<bool, GivenUp> {
        self.solved += 1;
        if self.solved > MAX_SYSTEMS {
            return Err(GivenUp);
        }
        if !self.relax() {
            return Ok(false);
        }
        let values = &self.values;
        let broken = |d: &&Difference| values[d.high] - values[d.low] == d.value;
        let Some(&broken) = self.excluded.iter().find(broken) else {
            return Ok(true);
        };
        for side in [broken.lowered(), broken.swapped().lowered()] {
            self.bounds.push(side);
            if self.settle()? {
                return Ok(true);
            }
            self.bounds.pop();
        }
        Ok(false)
    }

    /// Solves the bounds; false if a cycle is negative.
    fn relax(&mut self) -> bool {
        self.values.fill(0);
        // A path without a cycle takes each bound at most once.
        for _ in 0..=self.bounds.len() {
            let mut changed = false;
            for bound in &self.bounds {
                let most = self.values[bound.low] + bound.value;
                if self.values[bound.high] > most {
                    self.values[bound.high] = most;
                    changed = true;
                }
            }
            if !changed {
                return true;
            }
        }
        false
    }
}
