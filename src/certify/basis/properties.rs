//! The states that break a property, as sets.

use std::collections::BTreeSet;

use itertools::Itertools;

use super::buffers;
use super::graph::{Act, Graph};
use crate::certificate::StateSet;
use crate::certify::describe;
use crate::certify::states::known::{Stuck, View};
use crate::front::cup::ast::SpecKind;
use crate::memory::Model;
use crate::program::{Action, Cond, LocId, Program, Spec, Term};
use crate::source::SourceFile;

/// The most combinations of nodes that one spec is evaluated for.
const MAX_COMBINATIONS: usize = 4_000_000;

/// A set of bad states.
pub(super) struct BadSet {
    /// The states.
    pub set: StateSet,
    /// What is broken.
    pub what: String,
}

/// All bad states.
pub(super) fn bad(
    program: &Program,
    source: &SourceFile,
    graph: &Graph<'_>,
) -> Result<Vec<BadSet>, String> {
    let mut found = Vec::new();
    for (thread, info) in graph.threads.iter().enumerate() {
        for (at, node) in info.nodes.iter().enumerate() {
            let alone = |memory: Vec<u64>, after: bool| {
                let mut nodes = vec![None; graph.threads.len()];
                nodes[thread] = Some(at);
                set(graph, nodes, memory, after)
            };
            let what = || graph.describe(thread, at);
            for step in node.steps.iter().filter(|step| step.target.is_none()) {
                let mut memory = any_memory(graph);
                let mut before = alone(memory.clone(), false);
                if let Act::Update { held, .. } = &step.act {
                    for &(var, value) in held {
                        memory[var] = 1 << value;
                    }
                    before = alone(memory, false);
                    let (stores, vars) = (&info.stores, step.act.vars());
                    let emptied = buffers::before_empty(&before.buffers[thread], stores, &vars);
                    before.buffers[thread] = emptied.ok_or("a set of all buffers is empty")?;
                } else if let Act::Load { var, value } = step.act {
                    let loads = buffers::before_load(
                        &before.buffers[thread],
                        &info.stores,
                        (var, 1 << value),
                        memory[var],
                    );
                    for (buffers, mask) in loads {
                        let mut before = before.clone();
                        before.buffers[thread] = buffers;
                        before.memory[var] = mask;
                        found.push(BadSet {
                            set: before,
                            what: what(),
                        });
                    }
                    continue;
                } else if let Act::Fence = step.act {
                    let vars: Vec<usize> = (0..graph.vars()).collect();
                    let stores = &info.stores;
                    let emptied = buffers::before_empty(&before.buffers[thread], stores, &vars);
                    before.buffers[thread] = emptied.ok_or("a set of all buffers is empty")?;
                }
                found.push(BadSet {
                    set: before,
                    what: what(),
                });
            }
            for edge in &node.checks {
                let mut values = vec![None; program.vars.len()];
                locals_of(program, thread, node.locals, &mut values);
                let fails = |view: View<'_>| {
                    if let Some(bounds) = &edge.bounds
                        && !view.cond(&bounds.cond)?
                    {
                        return Ok(true);
                    }
                    match &edge.action {
                        Action::Assert(cond, _) => Ok(!view.cond(cond)?),
                        _ => Ok(false),
                    }
                };
                let mut memories = Vec::new();
                branch(
                    graph,
                    &mut values,
                    &[],
                    &fails,
                    &mut any_memory(graph),
                    &mut memories,
                )?;
                found.extend(memories.into_iter().map(|memory| BadSet {
                    set: alone(memory, graph.model == Model::Tso),
                    what: what(),
                }));
            }
        }
    }
    for spec in &program.specs {
        let what = describe::spec(source, program.property(spec.property));
        let sets = spec_sets(program, graph, spec)?;
        found.extend(sets.into_iter().map(|set| BadSet {
            set,
            what: what.clone(),
        }));
    }
    Ok(found)
}

fn any_memory(graph: &Graph<'_>) -> Vec<u64> {
    (0..graph.vars()).map(|var| graph.all(var)).collect()
}

fn set(graph: &Graph<'_>, at: Vec<Option<usize>>, memory: Vec<u64>, after: bool) -> StateSet {
    StateSet {
        after,
        at,
        memory,
        buffers: vec![buffers::any(graph.model, graph.vars()); graph.threads.len()],
    }
}

fn locals_of(program: &Program, thread: usize, locals: &[Option<i64>], values: &mut [Option<i64>]) {
    let own = program.var_ids().filter(|var| {
        let owner = program.vars[var.index()].owner;
        owner.is_some_and(|owner| owner.index() == thread)
    });
    for (var, value) in own.zip(locals) {
        values[var.index()] = *value;
    }
}

/// The memories in which something is broken. Where its truth depends on a shared variable, each value is tried.
fn branch(
    graph: &Graph<'_>,
    values: &mut Vec<Option<i64>>,
    at: &[LocId],
    broken: &dyn Fn(View<'_>) -> Result<bool, Stuck>,
    memory: &mut Vec<u64>,
    found: &mut Vec<Vec<u64>>,
) -> Result<(), String> {
    let result = broken(View { values, at });
    match result {
        Ok(true) => found.push(memory.clone()),
        Ok(false) => {}
        Err(Stuck::Unknown(var)) if var.index() < graph.vars() => {
            let before = memory[var.index()];
            for (number, &value) in graph.values[var.index()].iter().enumerate() {
                values[var.index()] = Some(value);
                memory[var.index()] = 1 << number;
                branch(graph, values, at, broken, memory, found)?;
            }
            values[var.index()] = None;
            memory[var.index()] = before;
        }
        Err(_) => return Err("a property cannot be evaluated".to_owned()),
    }
    Ok(())
}

/// The states that break a spec.
fn spec_sets(program: &Program, graph: &Graph<'_>, spec: &Spec) -> Result<Vec<StateSet>, String> {
    let is_final = spec.kind == SpecKind::Finally;
    let mut mentioned = BTreeSet::new();
    let conds = spec
        .bounds
        .iter()
        .map(|bounds| &bounds.cond)
        .chain([&spec.cond]);
    conds.for_each(|cond| threads_of(program, cond, &mut mentioned));
    let choices = (0..graph.threads.len()).map(|thread| -> Vec<Option<usize>> {
        if !is_final && !mentioned.contains(&thread) {
            return vec![None];
        }
        let end = program.threads[thread].end;
        let nodes = 0..graph.threads[thread].nodes.len();
        let open = nodes.filter(|&at| !graph.is_inside(thread, at));
        let open = open.filter(|&at| !is_final || graph.threads[thread].nodes[at].at == end);
        open.map(Some).collect()
    });
    let choices: Vec<Vec<Option<usize>>> = choices.collect();
    let count = choices
        .iter()
        .try_fold(1_usize, |all, one| all.checked_mul(one.len()));
    if count.is_none_or(|count| count > MAX_COMBINATIONS) {
        return Err("a spec is about too many combinations of nodes".to_owned());
    }
    let broken = |view: View<'_>| {
        if let Some(bounds) = &spec.bounds
            && !view.cond(&bounds.cond)?
        {
            return Ok(true);
        }
        Ok(view.cond(&spec.cond)? == (spec.kind == SpecKind::Forbid))
    };
    let mut sets = Vec::new();
    for nodes in choices.into_iter().multi_cartesian_product() {
        let mut values = vec![None; program.vars.len()];
        let mut at: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
        for (thread, node) in nodes.iter().enumerate() {
            if let Some(node) = node.map(|node| &graph.threads[thread].nodes[node]) {
                at[thread] = node.at;
                locals_of(program, thread, node.locals, &mut values);
            }
        }
        let mut memories = Vec::new();
        branch(
            graph,
            &mut values,
            &at,
            &broken,
            &mut any_memory(graph),
            &mut memories,
        )?;
        for memory in memories {
            let sees_memory = memory != any_memory(graph);
            let after = graph.model == Model::Tso && !is_final && sees_memory;
            let mut bad = set(graph, nodes.clone(), memory, after);
            if is_final {
                let threads = graph.threads.iter();
                let flushed = threads.map(|thread| buffers::flushed(graph.model, &thread.stores));
                bad.buffers = flushed.collect();
            }
            sets.push(bad);
        }
    }
    Ok(sets)
}

fn threads_of(program: &Program, cond: &Cond, found: &mut BTreeSet<usize>) {
    match cond {
        Cond::Const(_) => {}
        Cond::Not(inner) => threads_of(program, inner, found),
        Cond::And(left, right) | Cond::Or(left, right) => {
            threads_of(program, left, found);
            threads_of(program, right, found);
        }
        Cond::Compare(_, left, right) => {
            threads_of_term(program, left, found);
            threads_of_term(program, right, found);
        }
        Cond::At(thread, _) => drop(found.insert(thread.index())),
    }
}

fn threads_of_term(program: &Program, term: &Term, found: &mut BTreeSet<usize>) {
    match term {
        Term::Const(_) => {}
        Term::Var(var) => {
            let owner = program.vars[var.index()].owner;
            found.extend(owner.map(|owner| owner.index()));
        }
        Term::Choice(index, elements) => {
            threads_of_term(program, index, found);
            elements
                .iter()
                .for_each(|term| threads_of_term(program, term, found));
        }
        Term::Neg(inner) => threads_of_term(program, inner, found),
        Term::Binary(_, left, right) => {
            threads_of_term(program, left, found);
            threads_of_term(program, right, found);
        }
    }
}
