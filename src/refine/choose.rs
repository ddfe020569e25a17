//! Which candidates exclude a path that is not real.
//!
//! Input: a proof, a path that its predicates do not exclude, and candidates in tiers, the better ones first; a
//! candidate is a predicate with its images under swaps of threads. The path
//! is walked by the abstraction with the strongest steps that the predicates allow, with and without candidates,
//! to its end, where the property must hold. Output: one candidate, if one is enough; else few of them without which
//! the path comes back.

use indexmap::IndexMap;

use super::path::Path;
use super::symmetry::Orbit;
use crate::abstraction::lazy::{LazyLimits, Route, Walker};
use crate::logic::{Formula, Predicate};
use crate::proof::Proof;
use crate::reduce::{BufferVars, Reduction};
use crate::smt::Effort;

/// What is to be excluded, and by whom.
pub struct Excluding<'a> {
    /// The programs.
    pub reduction: &'a Reduction,
    /// The buffers whose unused slots are forgotten.
    pub buffers: &'a [BufferVars],
    /// The path.
    pub path: &'a Path,
    /// The proof.
    pub proof: &'a Proof,
    /// The limits on the questions to the solver.
    pub limits: LazyLimits,
}

/// What excludes a path.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// The proof itself, were the cubes not too small.
    Nothing,
    /// These candidates.
    Candidates(Vec<Predicate>),
    /// It was not found.
    Unknown,
}

impl Excluding<'_> {
    /// Chooses among candidates; `predicates` are those that a proof gives for the reduced program.
    pub fn choose(
        &self,
        tiers: &[Vec<Orbit>],
        predicates: impl Fn(&Proof) -> Option<Vec<Predicate>>,
    ) -> (Chosen, Effort) {
        let nothing = (Chosen::Unknown, Effort::default());
        let candidates: Vec<&Orbit> = tiers.iter().flatten().collect();
        let Some(all) = Lifted::new(self.proof, &candidates, predicates) else {
            return nothing;
        };
        let route = Route {
            steps: &self.path.steps,
            property: Some(self.path.property),
        };
        let walker = Walker::new(
            &self.reduction.program,
            &all.predicates,
            self.buffers,
            route,
            &self.limits,
        );
        let Ok(walker) = walker else {
            return nothing;
        };
        let mut search = Search {
            walker,
            all: &all,
            max_calls: self.limits.max_calls,
        };
        let chosen = search.among(tiers);
        let chosen = match chosen.as_deref() {
            None => Chosen::Unknown,
            Some([]) => Chosen::Nothing,
            Some(chosen) => {
                let chosen = chosen.iter().flat_map(|&number| candidates[number]);
                Chosen::Candidates(chosen.cloned().collect())
            }
        };
        (chosen, search.walker.effort())
    }
}

/// The predicates for the reduced program, and which of them belong to the proof and to each candidate.
struct Lifted {
    predicates: Vec<Predicate>,
    of_proof: Vec<usize>,
    of_candidates: Vec<Vec<usize>>,
}

impl Lifted {
    fn new(
        proof: &Proof,
        candidates: &[&Orbit],
        predicates: impl Fn(&Proof) -> Option<Vec<Predicate>>,
    ) -> Option<Self> {
        let mut all: IndexMap<Formula, Predicate> = IndexMap::new();
        let mut add = |lifted: Vec<Predicate>| -> Vec<usize> {
            let entries = lifted.into_iter().map(|predicate| {
                let entry = all.entry(predicate.formula.clone());
                let index = entry.index();
                entry.or_insert(predicate);
                index
            });
            entries.collect()
        };
        let of_proof = add(predicates(proof)?);
        let mut of_candidates = Vec::new();
        for &candidate in candidates {
            let alone = Proof {
                predicates: candidate.clone(),
                cubes: None,
            };
            of_candidates.push(add(predicates(&alone)?));
        }
        Some(Lifted {
            predicates: all.into_values().collect(),
            of_proof,
            of_candidates,
        })
    }

    /// The choice of the proof's predicates and of some candidates'.
    fn with(&self, candidates: &[usize]) -> Vec<bool> {
        let mut chosen = vec![false; self.predicates.len()];
        let more = candidates
            .iter()
            .flat_map(|&number| &self.of_candidates[number]);
        for &index in self.of_proof.iter().chain(more) {
            chosen[index] = true;
        }
        chosen
    }
}

struct Search<'a> {
    walker: Walker<'a>,
    all: &'a Lifted,
    max_calls: u64,
}

impl Search<'_> {
    /// The numbers of the candidates that are chosen: none if the proof is enough.
    fn among(&mut self, tiers: &[Vec<Orbit>]) -> Option<Vec<usize>> {
        if self.excludes(&[])? {
            return Some(Vec::new());
        }
        let mut first = 0;
        for tier in tiers {
            let end = first + tier.len();
            for number in first..end {
                if self.excludes(&[number])? {
                    return Some(vec![number]);
                }
            }
            let together: Vec<usize> = (0..end).collect();
            if self.excludes(&together)? {
                return self.reduced(together);
            }
            first = end;
        }
        None
    }

    /// Few of some candidates that exclude the path together: chunks that are not needed are left out, the last ones
    /// first and the large ones first.
    fn reduced(&mut self, mut chosen: Vec<usize>) -> Option<Vec<usize>> {
        let mut size = chosen.len().div_ceil(2);
        loop {
            let mut end = chosen.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let fewer = [&chosen[..start], &chosen[end..]].concat();
                if self.excludes(&fewer)? {
                    chosen = fewer;
                }
                end = start;
            }
            if size == 1 {
                return Some(chosen);
            }
            size = size.div_ceil(2);
        }
    }

    /// Whether some candidates exclude the path; `None` if the solver was asked too much.
    fn excludes(&mut self, candidates: &[usize]) -> Option<bool> {
        if self.walker.effort().calls > self.max_calls {
            return None;
        }
        Some(self.walker.excludes(self.all.with(candidates)))
    }
}
