//! The kind `basis`: all states from which a bad one could be reached, checked by evaluation.
//!
//! Input: the source program with the fences in force, a model, and a basis. Output: a verdict. `graph` lists the steps
//! of each thread at the listed nodes, `sections` those of atomic sections under TSO, `buffers` says what one step does to a set of buffers, backwards, `properties`
//! which states are bad, `reached` whether the invariant is one. No solver takes part, and no code of the search.
//!
//! **What the lists mean.** A *node* of a thread is a location with values of its locals; a local that it has no value of may have
//! any, and then no step and no property may depend on it. A step that leads to a node or a
//! value that is not listed is taken for one that breaks a property. A set of the basis stands for the states with such nodes,
//! memory and buffers; `docs/exact.md` says which buffers these are. A line of the invariant stands for the
//! states with these nodes and this memory whose buffers hold none but the values listed.
//!
//! **What is checked.**
//!
//! 1. *Lists.* Every initial node and every initial value is listed.
//! 2. *Invariant.* If there is one, its lines stand for all initial states, and every step from a state of a line leads to
//!    a state of a line, or breaks a property.
//! 3. *Bad states.* Every state in which a spec is broken, or in which a step breaks a property, is in the basis or outside
//!    the invariant.
//! 4. *Predecessors.* Every state from which a step leads into the basis is in the basis or outside the invariant.
//! 5. *Start.* No initial state is in the basis.
//!
//! **Why this is enough.** Take a run to the first moment at which a property is broken. Its states up to there are in the
//! invariant (2), the last one is in the basis (3), and so is, going back, each one before it (4): the initial one, too, which is
//! excluded (5). Under TSO runs are those of the load-buffer semantics; that these and the runs with store buffers
//! break the same properties is a theorem that is trusted (`docs/exact.md` has the proof).

mod buffers;
mod graph;
mod properties;
mod reached;
mod sections;

use indexmap::{IndexMap, IndexSet};

use super::effort::Effort;
use super::report::{Rejection, Unknown, Verdict};
use crate::certificate::{BasisTable, BufferSet, StateSet};
use crate::memory::Model;
use crate::program::Program;
use crate::source::SourceFile;
use graph::{Act, Graph, Step};

/// What is wrong with a basis.
type Wrong = String;

/// Checks a basis of a program; with the number of predecessors that were looked at.
pub(super) fn check(
    (source, model): (&SourceFile, Model),
    program: &Program,
    table: &BasisTable,
    effort: &Effort,
) -> (Verdict, Option<usize>) {
    effort.progress.begin("checking a basis".to_owned());
    effort.progress.ask(table.sets.len());
    let mut looked = 0;
    let verdict = match run((source, model), program, table, effort, &mut looked) {
        Ok(verdict) => verdict,
        Err(reason) => Verdict::Rejected(Rejection::Basis(reason)),
    };
    (verdict, Some(looked))
}

fn run(
    (source, model): (&SourceFile, Model),
    program: &Program,
    table: &BasisTable,
    effort: &Effort,
    looked: &mut usize,
) -> Result<Verdict, Wrong> {
    let graph = Graph::new(program, model, table)?;
    shapes_fit(&graph, table)?;
    reached::check(&graph, table)?;
    let basis = Basis::new(&graph, table);
    for bad in properties::bad(program, source, &graph)? {
        if !basis.has(&bad.set) {
            return Err(format!(
                "a bad state is not in the basis\n    step: {}",
                bad.what
            ));
        }
    }
    for (number, set) in table.sets.iter().enumerate() {
        if effort.stop.should_stop() {
            return Ok(Verdict::Unknown(Unknown::Stopped {
                interrupted: effort.stop.is_cancelled(),
                done: number,
                all: table.sets.len(),
            }));
        }
        if basis.has_initial(set) {
            return Err(format!(
                "set {} of the basis has an initial state",
                number + 1
            ));
        }
        *looked += basis.predecessors(set, number + 1)?;
        effort.progress.answer();
    }
    Ok(Verdict::Accepted)
}

/// That every set and line has a part for each thread and variable, and names nodes and values that are listed.
fn shapes_fit(graph: &Graph<'_>, table: &BasisTable) -> Result<(), Wrong> {
    let vars = graph.vars();
    for (number, set) in table.sets.iter().enumerate() {
        let wrong = || {
            format!(
                "set {} of the basis has not the shape of the program",
                number + 1
            )
        };
        let nodes = set.at.iter().zip(&graph.threads);
        let fits = set.at.len() == graph.threads.len()
            && set.memory.len() == vars
            && set.buffers.len() == graph.threads.len()
            && nodes
                .clone()
                .all(|(at, thread)| at.is_none_or(|at| at < thread.nodes.len()))
            && set
                .memory
                .iter()
                .enumerate()
                .all(|(var, mask)| *mask & !graph.all(var) == 0)
            && set
                .buffers
                .iter()
                .all(|buffers| buffers::fits_model(buffers, graph.model, vars))
            && (!set.after || graph.model == Model::Tso);
        if !fits {
            return Err(wrong());
        }
    }
    Ok(())
}

/// A basis, by nodes.
struct Basis<'a> {
    graph: &'a Graph<'a>,
    table: &'a BasisTable,
    /// Which threads may be anywhere, in some set.
    shapes: IndexSet<Vec<bool>>,
    by_nodes: IndexMap<(bool, Vec<Option<usize>>), Vec<&'a StateSet>>,
    lines: IndexMap<&'a [usize], Vec<usize>>,
}

impl<'a> Basis<'a> {
    fn new(graph: &'a Graph<'a>, table: &'a BasisTable) -> Self {
        let mut basis = Basis {
            graph,
            table,
            shapes: IndexSet::new(),
            by_nodes: IndexMap::new(),
            lines: IndexMap::new(),
        };
        for set in &table.sets {
            basis
                .shapes
                .insert(set.at.iter().map(Option::is_none).collect());
            let key = (set.after, set.at.clone());
            basis.by_nodes.entry(key).or_default().push(set);
        }
        for (number, line) in table.invariant.iter().enumerate() {
            basis.lines.entry(&line.at).or_default().push(number);
        }
        basis
    }

    /// Whether all states of a set that are in the invariant are in one set of the basis.
    fn has(&self, set: &StateSet) -> bool {
        self.is_outside(set) || self.covers(set)
    }

    fn covers(&self, set: &StateSet) -> bool {
        let held = |thread: usize| set.at[thread].is_some_and(|at| self.graph.held(thread, at));
        self.shapes.iter().any(|shape| {
            if (0..shape.len()).any(|thread| shape[thread] && held(thread)) {
                return false;
            }
            let at = set.at.iter().zip(shape);
            let at = at
                .map(|(at, anywhere)| if *anywhere { None } else { *at })
                .collect();
            let there = self.by_nodes.get(&(set.after, at));
            let mut there = there.into_iter().flatten();
            there.any(|larger| is_part(set, larger))
        })
    }

    /// Whether no state of a set is in the invariant, as far as that says something about sets of this kind.
    fn is_outside(&self, set: &StateSet) -> bool {
        let nodes: Option<Vec<usize>> = set.at.iter().copied().collect();
        let Some(nodes) = nodes.filter(|_| !set.after && !self.table.invariant.is_empty()) else {
            return false;
        };
        let lines = self.lines.get(nodes.as_slice());
        let mut lines = lines
            .into_iter()
            .flatten()
            .map(|&line| &self.table.invariant[line]);
        !lines.any(|line| {
            let mut memory = set.memory.iter().zip(&line.memory);
            let mut buffers = set.buffers.iter().zip(line.sent.iter().zip(&line.own));
            memory.all(|(mask, value)| mask >> value & 1 == 1)
                && buffers.all(|(set, (sent, own))| buffers::may_hold(set, sent, own))
        })
    }

    fn has_initial(&self, set: &StateSet) -> bool {
        let mut nodes = set.at.iter().zip(&self.graph.threads);
        let mut memory = set.memory.iter().zip(&self.graph.initial);
        !set.after
            && nodes.all(|(at, thread)| at.is_none_or(|at| thread.entries.contains(&at)))
            && memory.all(|(mask, initial)| mask & initial != 0)
            && set.buffers.iter().all(buffers::has_empty)
    }

    /// Checks the predecessors of a set of the basis; returns how many there are.
    fn predecessors(&self, set: &StateSet, number: usize) -> Result<usize, Wrong> {
        let mut looked = 0;
        let mut check = |before: StateSet, what: &dyn Fn() -> String| {
            looked += 1;
            match self.has(&before) {
                true => Ok(()),
                false => Err(format!(
                    "a state from which a step leads into set {number} is not in the basis\n    step: {}",
                    what()
                )),
            }
        };
        if set.after {
            let before = StateSet {
                after: false,
                ..set.clone()
            };
            check(before, &|| {
                "the moment at which a property sees memory".to_owned()
            })?;
        }
        for thread in 0..self.graph.threads.len() {
            let others = (0..set.at.len()).filter(|&other| other != thread);
            let mut held = others.filter_map(|other| Some((other, set.at[other]?)));
            if held.any(|(other, at)| self.graph.held(other, at)) {
                continue;
            }
            if !set.after {
                for before in self.graph.deliveries(set, thread) {
                    check(before, &|| {
                        format!("memory, to {}", self.graph.name(thread))
                    })?;
                }
            }
            for (at, node) in self.graph.threads[thread].nodes.iter().enumerate() {
                for step in &node.steps {
                    let Some(target) = step.target else { continue };
                    let arrives = match set.at[thread] {
                        Some(there) => there == target,
                        None => !self.graph.held(thread, target),
                    };
                    if arrives {
                        for before in self.graph.before(set, thread, (at, step)) {
                            check(before, &|| self.graph.describe(thread, at))?;
                        }
                    }
                }
            }
        }
        Ok(looked)
    }
}

/// Whether every state of a set is one of a larger set, apart from nodes.
fn is_part(set: &StateSet, larger: &StateSet) -> bool {
    let mut memory = set.memory.iter().zip(&larger.memory);
    let mut buffers = set.buffers.iter().zip(&larger.buffers);
    memory.all(|(mask, larger)| mask & !larger == 0)
        && buffers.all(|(set, larger)| buffers::is_part(set, larger))
}

impl Graph<'_> {
    /// The sets from which a step of a thread, at a node, leads into a set that has its target.
    fn before(&self, set: &StateSet, thread: usize, (at, step): (usize, &Step)) -> Vec<StateSet> {
        let mut before = set.clone();
        before.at[thread] = Some(at);
        let buffers = &set.buffers[thread];
        let stores = &self.threads[thread].stores;
        let with = |buffers: BufferSet| {
            let mut before = before.clone();
            before.buffers[thread] = buffers;
            before
        };
        match &step.act {
            Act::Local => vec![before],
            Act::Fence | Act::Update { .. } if set.after => Vec::new(),
            Act::Fence => {
                let vars: Vec<usize> = (0..self.vars()).collect();
                let emptied = buffers::before_empty(buffers, stores, &vars);
                emptied.map(with).into_iter().collect()
            }
            Act::Update { held, written } => {
                let Some(emptied) = buffers::before_empty(buffers, stores, &step.act.vars()) else {
                    return Vec::new();
                };
                let mut before = with(emptied);
                for &(var, value) in written {
                    if set.memory[var] >> value & 1 == 0 {
                        return Vec::new();
                    }
                    before.memory[var] = self.all(var);
                }
                for &(var, value) in held {
                    before.memory[var] &= 1 << value;
                }
                match before.memory.contains(&0) {
                    true => Vec::new(),
                    false => vec![before],
                }
            }
            &Act::Write { var, value } => {
                if set.memory[var] >> value & 1 == 0 {
                    return Vec::new();
                }
                before.memory[var] = self.all(var);
                vec![before]
            }
            &Act::Load { var, value } => {
                let memory = set.memory[var];
                let found = buffers::before_load(buffers, stores, (var, 1 << value), memory);
                let found = found.into_iter().map(|(buffers, memory)| {
                    let mut before = with(buffers);
                    before.memory[var] = memory;
                    before
                });
                found.collect()
            }
            &Act::Store { var, value } => {
                let Some(buffers) = buffers::before_store(buffers, var, value) else {
                    return Vec::new();
                };
                let mut before = with(buffers);
                if self.model == Model::Tso && !set.after {
                    if set.memory[var] >> value & 1 == 0 {
                        return Vec::new();
                    }
                    before.memory[var] = self.all(var);
                }
                vec![before]
            }
        }
    }

    /// The sets from which memory sends a message to a thread, or takes a store from it, and leads into a set.
    fn deliveries(&self, set: &StateSet, thread: usize) -> Vec<StateSet> {
        let stores = &self.threads[thread].stores;
        let found = buffers::before_delivery(&set.buffers[thread], stores, &set.memory);
        let found = found.into_iter().map(|(buffers, var, memory)| {
            let mut before = set.clone();
            before.buffers[thread] = buffers;
            before.memory[var] = memory & self.all(var);
            before
        });
        found.collect()
    }
}
