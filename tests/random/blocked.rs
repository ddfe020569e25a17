//! Threads that are blocked for ever, on random programs: the explorer's answer is that of the definition, evaluated on the
//! whole graph of states.

use std::collections::BTreeSet;

use cupola::engine::Context;
use cupola::engine::explore::{ExploreConfig, Reached, StateGraph, explore, state_graph};
use cupola::front::cup;
use cupola::memory::Model;
use cupola::program::{LocId, Program, ThreadId, lower};
use cupola::semantics::MoveKind;
use cupola::source::SourceFile;
use indexmap::IndexSet;

use crate::support::random::program;

/// Random programs that are tried.
const PROGRAMS: u64 = 300;

/// States of the largest program that is compared.
const STATES: usize = 3_000;

#[test]
fn blocked_threads_are_those_of_the_definition() {
    let (mut compared, mut blocked) = (0, 0);
    for seed in 0..PROGRAMS {
        let tree = program(seed);
        let source = SourceFile::new("random.cup", cup::print(&tree));
        let Ok(checked) = cup::load(&source) else {
            continue;
        };
        let lowered = lower(&checked, &IndexSet::new());
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let config = ExploreConfig {
                max_states: STATES,
                ..ExploreConfig::default()
            };
            let found = explore(&lowered, model, &config, &Context::default());
            let found = found.expect("a program as written fits every model");
            if found.taken.is_none() {
                continue;
            }
            let limits = (config.buffer, config.havoc);
            let graph = state_graph(&lowered, model, limits, STATES).expect("it is small");
            let said: BTreeSet<_> = found.blocked.iter().map(|b| (b.thread, b.at)).collect();
            assert_eq!(
                said,
                defined(&lowered, &graph),
                "{model}\n{}",
                source.text()
            );
            compared += 1;
            blocked += usize::from(!said.is_empty());
        }
    }
    assert!(compared > 100 && blocked > 10, "{compared} {blocked}");
}

/// Where threads are blocked for ever with all their stores in memory and no section held, by the definition: the steps
/// that lead into states from which no section is left do not count.
fn defined(program: &Program, graph: &StateGraph) -> BTreeSet<(ThreadId, LocId)> {
    let held = |state: usize| {
        let at = graph.nodes[state].at.iter();
        let mut threads = program.threads.iter().zip(at);
        threads.any(|(thread, at)| thread.location(*at).held)
    };
    let states = 0..graph.nodes.len();
    let outside: BTreeSet<usize> = states.clone().filter(|state| !held(*state)).collect();
    let live = back(graph, outside, &|_| true);
    let counts = |to: Reached| match to {
        Reached::State(to) => live.contains(&to),
        Reached::Broken(_) => true,
    };
    let mut found = BTreeSet::new();
    for thread in program.thread_ids() {
        let steps = graph.edges.iter().filter(|edge| {
            let own = edge.step.thread == thread && edge.step.kind == MoveKind::Statement;
            own && counts(edge.to)
        });
        let steps = steps.map(|edge| edge.from).collect();
        let alive = back(graph, steps, &|to| live.contains(&to));
        for state in states.clone().filter(|state| !held(*state)) {
            let node = &graph.nodes[state];
            let at = node.at[thread.index()];
            let ended = at == program.threads[thread.index()].end;
            let drained = node.buffers.iter().all(|buffer| buffer.thread != thread);
            if !ended && drained && !alive.contains(&state) {
                found.insert((thread, at));
            }
        }
    }
    found
}

/// The states that lead to some states, these included, through states that count.
fn back(
    graph: &StateGraph,
    mut states: BTreeSet<usize>,
    counts: &dyn Fn(usize) -> bool,
) -> BTreeSet<usize> {
    loop {
        let before = states.len();
        for edge in &graph.edges {
            if let Reached::State(to) = edge.to
                && counts(to)
                && states.contains(&to)
            {
                states.insert(edge.from);
            }
        }
        if states.len() == before {
            return states;
        }
    }
}
