//! Candidates from weakest preconditions, for a path that is not real.
//!
//! Input: a path and the first of its steps that cannot be taken. The condition of this step is followed back along
//! the path by weakest preconditions; the comparisons that come up on the way, and those of the conditions passed, are
//! what a person would look at to see why the step is impossible. Buffered values are called by the shared
//! variable that they are for, so that each is a predicate under SC.

use indexmap::{IndexMap, IndexSet};
use itertools::Itertools;

use crate::logic::{Formula, Predicate, TooLarge, fresh_var, precondition, updates};
use crate::program::{Action, Edge, VarId};
use crate::reduce::Reduction;

use super::path::Path;
use super::{atoms, symbolic};

/// How many comparisons are followed back at once.
const FOLLOWED: usize = 64;

/// Where to look.
#[derive(Clone, Copy)]
pub(super) struct Weakest<'a> {
    /// The programs.
    pub reduction: &'a Reduction,
    /// The path.
    pub path: &'a Path,
    /// The first step that cannot be taken.
    pub step: usize,
}

impl Weakest<'_> {
    fn is_last(&self) -> bool {
        self.step + 1 == self.path.steps.len()
    }

    /// Predicates of the source program, the closest to the step first, each in one of its two polarities.
    pub(super) fn candidates(&self) -> Result<Vec<Predicate>, TooLarge> {
        let names = SourceNames::new(self.reduction);
        let mut found: IndexMap<Formula, Predicate> = IndexMap::new();
        for atom in self.comparisons()? {
            for atom in names.of(&atom) {
                let is_new = !found.contains_key(&atom.negated());
                if let (true, Some(cond)) = (is_new, atoms::comparison(&atom)) {
                    found.insert(atom, Predicate::new(cond)?);
                }
            }
        }
        Ok(found.into_values().collect())
    }

    /// The comparisons over the reduced program that matter to the step, followed back to the start.
    fn comparisons(&self) -> Result<IndexSet<Formula>, TooLarge> {
        let program = &self.reduction.program;
        let mut current = atoms::atoms(&self.need()?);
        let mut all = current.clone();
        let before = self.step.min(self.path.steps.len());
        for &step in self.path.steps[..before].iter().rev() {
            let edge = program.edge(step);
            let updates = updates(&edge.action, fresh_var(program))?;
            let back = current
                .iter()
                .flat_map(|atom| atoms::atoms(&precondition(&updates, atom)));
            let passed = atoms::atoms(&condition(edge)?);
            let readable = |atom: &Formula| atoms::is_readable(atom);
            current = back.chain(passed).filter(readable).take(FOLLOWED).collect();
            all.extend(current.iter().cloned());
        }
        Ok(all)
    }

    /// What the step needs, over the variables at that point.
    fn need(&self) -> Result<Formula, TooLarge> {
        let program = &self.reduction.program;
        let spec = self.path.spec(program);
        match (spec, self.path.steps.get(self.step)) {
            (Some(spec), None) => symbolic::broken_spec(program, spec, self.path),
            (None, Some(&step)) if self.is_last() => {
                symbolic::broken_edge(program.edge(step), self.path)
            }
            (_, Some(&step)) => condition(program.edge(step)),
            (None, None) => Ok(Formula::False),
        }
    }
}

/// What must hold for an edge to be taken.
fn condition(edge: &Edge) -> Result<Formula, TooLarge> {
    let bounds = edge
        .bounds
        .as_ref()
        .map(|bounds| Formula::from_cond(&bounds.cond))
        .transpose()?;
    let guard = match &edge.action {
        Action::Assume(cond) | Action::Assert(cond, _) => Formula::from_cond(cond)?,
        Action::Skip
        | Action::Fence
        | Action::Assign(..)
        | Action::Havoc(_)
        | Action::Choose(..)
        | Action::Load(..)
        | Action::Store(..)
        | Action::Cas(..)
        | Action::Swap(..)
        | Action::FetchAdd(..)
        | Action::Append(..)
        | Action::Pop(_) => Formula::True,
    };
    Ok(Formula::and(bounds.into_iter().chain([guard])))
}

/// What the variables of a reduced program are in its source.
struct SourceNames {
    /// For each variable that stands for variables of the source, these.
    meanings: IndexMap<VarId, Vec<VarId>>,
}

impl SourceNames {
    fn new(reduction: &Reduction) -> Self {
        let same = |var: VarId| reduction.source_var(var);
        let vars = reduction.program.var_ids();
        let own = vars.filter_map(|var| Some((var, vec![same(var)?])));
        let mut meanings: IndexMap<VarId, Vec<VarId>> = own.collect();
        for buffer in reduction.buffers() {
            let scalars: Vec<VarId> = buffer.scalars.iter().copied().filter_map(same).collect();
            meanings.extend(buffer.values().map(|slot| (slot, scalars.clone())));
        }
        for buffer in reduction.fifos() {
            for stored in &buffer.stored {
                let ends = [&buffer.fifo.oldest, &buffer.fifo.newest];
                let ends = ends.map(|entry| entry[stored.field]);
                meanings.extend(ends.map(|end| (end, same(stored.var).into_iter().collect())));
            }
        }
        SourceNames { meanings }
    }

    /// The atom over the source's variables: every way to read it, none if it speaks of counters.
    fn of(&self, atom: &Formula) -> Vec<Formula> {
        let readings = atoms::vars(atom).into_iter().map(|var| {
            let meanings = self.meanings.get(&var).into_iter().flatten();
            meanings.map(|&meaning| (var, meaning)).collect_vec()
        });
        let readings = readings.multi_cartesian_product();
        let renamed = readings.map(|reading| atoms::renamed(atom, &reading));
        renamed
            .filter(|atom| matches!(atom, Formula::Atom(_)))
            .collect()
    }
}
