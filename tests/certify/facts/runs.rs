//! Concrete runs of programs with FIFOs, and what a certificate says of them.
//!
//! A run goes from one state between atomic groups to the next, with the way that it took. The interpreter is that of
//! `enumerate`, which shares nothing with the check.

use cupola::certificate::{Fact, FactsTable, Predicate, Way};
use cupola::program::{Action, LocId, Program, ThreadId};
use indexmap::IndexSet;

use crate::enumerate::{self, State};
use crate::support::random::Random;

/// A step between two states in which no thread holds the atomic section.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub from: State,
    pub way: Way,
    pub to: State,
}

/// What is known of a program by running it.
#[derive(Clone, Debug)]
pub struct Runs {
    pub start: State,
    pub steps: IndexSet<Step>,
}

impl Runs {
    /// Random runs, so many and each so long; longer FIFOs than `longest` are not made.
    pub fn of(program: &Program, runs: usize, length: usize, longest: usize) -> Self {
        let start = enumerate::start(program);
        let mut steps = IndexSet::new();
        let mut random = Random::new(7);
        for _ in 0..runs {
            let mut state = start.clone();
            for _ in 0..length {
                let mut next = successors(program, &state);
                next.retain(|step| step.to.fifos.iter().all(|fifo| fifo.len() <= longest));
                if next.is_empty() {
                    break;
                }
                let step = next.swap_remove(random.below(next.len()));
                state = step.to.clone();
                steps.insert(step);
            }
        }
        Runs { start, steps }
    }

    /// All states that were seen.
    pub fn states(&self) -> IndexSet<&State> {
        let steps = self.steps.iter().flat_map(|step| [&step.from, &step.to]);
        [&self.start].into_iter().chain(steps).collect()
    }
}

/// All steps from a state in which no thread holds the atomic section.
fn successors(program: &Program, state: &State) -> Vec<Step> {
    let mut steps = Vec::new();
    for thread in program.thread_ids() {
        let graph = &program.threads[thread.index()];
        let own = (None, state.at[thread.index()]);
        let blocks = graph.backgrounds.iter().enumerate();
        let blocks = blocks.map(|(index, block)| (Some(index), block.entry));
        for (block, entry) in std::iter::once(own).chain(blocks) {
            let way = Way {
                thread,
                block,
                path: Vec::new(),
                left: Vec::new(),
            };
            let mut found = Vec::new();
            follow(program, (thread, entry), state, way, &mut found);
            steps.extend(found.into_iter().map(|(way, mut to)| {
                if block.is_some() {
                    to.at[thread.index()] = state.at[thread.index()];
                }
                let from = state.clone();
                Step { from, way, to }
            }));
        }
    }
    steps
}

pub fn follow(
    program: &Program,
    (thread, at): (ThreadId, LocId),
    state: &State,
    way: Way,
    found: &mut Vec<(Way, State)>,
) {
    let graph = &program.threads[thread.index()];
    for (number, edge) in graph.location(at).edges.iter().enumerate() {
        for next in enumerate::after(program, state, thread.index(), edge) {
            let mut way = way.clone();
            way.path.push(number);
            if let Action::Pop(fifo) = &edge.action {
                way.left.push(!next.fifos[fifo.id.index()].is_empty());
            }
            match graph.location(edge.target).held && edge.target != graph.end {
                true => follow(program, (thread, edge.target), &next, way, found),
                false => found.push((way, next)),
            }
        }
    }
}

/// Whether a fact holds: by looking at every entry, or at every two.
pub fn fact_holds(fact: &Fact, state: &State) -> bool {
    let entries = &state.fifos[fact.fifo.id.index()];
    let with = |chosen: &[&Vec<i64>]| {
        let mut state = state.clone();
        for (vars, values) in fact.entries.iter().zip(chosen) {
            for (var, value) in vars.iter().zip(values.iter()) {
                let length = state.values.len().max(var.index() + 1);
                state.values.resize(length, 0);
                state.values[var.index()] = *value;
            }
        }
        state.cond(&fact.body)
    };
    let mut positions = 0..entries.len();
    match fact.entries.len() {
        1 => entries.iter().all(|entry| with(&[entry])),
        _ => positions
            .all(|younger| (0..younger).all(|older| with(&[&entries[older], &entries[younger]]))),
    }
}

/// Whether a predicate holds.
pub fn holds(predicate: &Predicate, state: &State) -> bool {
    match predicate {
        Predicate::Plain(cond) => state.cond(cond),
        Predicate::Fact(fact) => fact_holds(fact, state),
    }
}

/// Whether a listed state stands for a state.
pub fn stands_for(
    table: &FactsTable,
    predicates: &[Predicate],
    listed: usize,
    state: &State,
) -> bool {
    let listed = &table.states[listed];
    let mut literals = listed.cube.iter();
    listed.at == state.at
        && literals.all(|literal| holds(&predicates[literal.predicate], state) == literal.holds)
}

/// What a run shows to be wrong: the initial state without a target, or a step from a state that a listed one stands for to
/// one that none of its targets stands for.
pub fn refutation(table: &FactsTable, predicates: &[Predicate], runs: &Runs) -> Option<String> {
    let fits = |listed: usize, state: &State| stands_for(table, predicates, listed, state);
    if !table.start.iter().any(|&target| fits(target, &runs.start)) {
        return Some("the initial state has no target".to_owned());
    }
    runs.steps.iter().find_map(|step| {
        let from = (0..table.states.len()).filter(|&from| fits(from, &step.from));
        let mut wrong = from.filter(|&from| {
            let named = table.states[from]
                .steps
                .iter()
                .find(|named| named.way == step.way);
            let targets = named.map_or(&[][..], |named| &named.to);
            !targets.iter().any(|&target| fits(target, &step.to))
        });
        let from = wrong.next()?;
        Some(format!("a step {:?} from state {}", step.way, from + 1))
    })
}
