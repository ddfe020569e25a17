//! Proofs with quantified facts about the entries of FIFOs, as values and as text: the file `facts.json`.
//!
//! **What it holds.** Predicates, and *states*: a location of every thread with the literals that hold there. A
//! predicate is a condition over the variables of the reduced program ([`plain_text`]) or a *fact*
//! ([`fact_text`]):
//!
//! ```text
//! every e in P0.buffer_t0: e.flag <= e.data
//! every e before f in P0.Tail_t0: e <= f
//! ```
//!
//! The first says it of each entry, the second of each two entries, `e` older than `f`. In a FIFO of records `e.X` is
//! a field, in one of values `e` is the entry. The names of the entries are free to choose; where they are
//! those of variables or threads, they hide these. A fact is never negated.
//!
//! **How to make one.** Give a [`FactsState`] for each abstract state, numbered from 0 in the order of the
//! list, and with it a [`FactsStep`] for each way to leave it: [`FactsStep::new`] takes the edges that are run through,
//! from one *stop* of the thread to the next, or from the first statement of a background block to its
//! end. A stop is a location at which the thread does not hold the atomic section, or at which some listed state
//! has it. For each `pop` on the way the step says whether an entry is left, and there are two steps, one for each
//! case. A step that is not listed is claimed to be impossible; so is one without targets.
//!
//! A step names its targets, often one. Where there are several, what they say without facts must hold of one of
//! them whenever the step is taken, and the first of which it holds is the target of that step: its
//! facts must hold too. So a step whose effect on a plain predicate is not known has two targets, which differ in it;
//! and of two targets the one that says more comes first. The
//! initial states have targets in the same way, [`FactsTable::start`].
//!
//! What is checked of it is in `certify::facts`; whether the names in it exist is not known here.

use serde::{Deserialize, Serialize};

use super::{Literal, print_predicate};
use crate::front::cup::is_name;
use crate::program::{Cond, EdgeId, Fifo, Init, LocId, Program, ThreadId, Var, VarId};

/// A proof with facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsTable {
    /// Conditions and facts, as text.
    pub predicates: Vec<String>,
    /// The targets of the initial states.
    pub start: Vec<usize>,
    /// The states, numbered from 0.
    pub states: Vec<FactsState>,
}

/// A set of states of the program: those with these locations in which these literals hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsState {
    /// The location of each thread.
    pub at: Vec<LocId>,
    /// What holds there; no predicate occurs twice, and facts hold.
    pub cube: Vec<Literal>,
    /// The ways to leave it; all others are impossible.
    pub steps: Vec<FactsStep>,
}

/// A step from one stop to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsStep {
    /// The way.
    pub way: Way,
    /// The states that it leads to; it is impossible if there are none.
    pub to: Vec<usize>,
}

/// A way through a thread's graph, or through one of its background blocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Way {
    /// Whose it is.
    pub thread: ThreadId,
    /// The background block that is run through, if it is one.
    pub block: Option<usize>,
    /// The edges, each by its place among those that leave its location.
    pub path: Vec<usize>,
    /// For each `pop` on the way, whether an entry is left behind it.
    pub left: Vec<bool>,
}

impl FactsStep {
    /// The step along some edges of one thread, which begin at the location of the state or at the entry of a
    /// background block; for each `pop` of these whether an entry is left behind it; and its targets.
    pub fn new(program: &Program, edges: &[EdgeId], left: Vec<bool>, to: Vec<usize>) -> Self {
        let first = edges.first().expect("a step has an edge");
        let blocks = &program.threads[first.thread.index()].backgrounds;
        FactsStep {
            way: Way {
                thread: first.thread,
                block: blocks.iter().position(|block| block.entry == first.at),
                path: edges.iter().map(|edge| edge.number).collect(),
                left,
            },
            to,
        }
    }
}

/// The text of a predicate that is no fact; `None` if it names a control location.
pub fn plain_text(program: &Program, predicate: &Cond) -> Option<String> {
    print_predicate(program, predicate)
}

/// The text of a fact. `entries` has the variables that stand for the fields of the entry that the body is about, or
/// of the older and of the younger of two; these variables are none of the program's. `None` if the body names a control
/// location.
pub fn fact_text(
    program: &Program,
    fifo: &Fifo,
    entries: &[Vec<VarId>],
    body: &Cond,
) -> Option<String> {
    let names = entry_names(program, entries.len());
    // The variables of entries have names of their own in a program with more variables.
    let mut named = program.clone();
    for (name, vars) in names.iter().zip(entries) {
        for (&var, field) in vars.iter().zip(fields(program, fifo)) {
            while named.vars.len() <= var.index() {
                named.vars.push(unnamed());
            }
            let field = field.map(|field| format!(".{field}"));
            named.vars[var.index()].name = format!("{name}{}", field.unwrap_or_default());
        }
    }
    let body = print_predicate(&named, body)?;
    let owner = &program.threads[fifo.owner.index()].name;
    let bound = names.join(" before ");
    Some(format!("every {bound} in {owner}.{}: {body}", fifo.name))
}

/// The names of the fields of a FIFO's entries; of a value there is none.
pub(super) fn fields<'a>(
    program: &'a Program,
    fifo: &'a Fifo,
) -> impl Iterator<Item = Option<&'a str>> {
    let prefix = format!("{}_newest", fifo.name);
    fifo.newest.iter().map(move |view| {
        let name = program.vars[view.index()].name.as_str();
        let field = name.strip_prefix(&prefix);
        field.and_then(|field| field.strip_prefix('_'))
    })
}

/// As many names as there are entries, which no thread, shared variable or array has.
fn entry_names(program: &Program, count: usize) -> Vec<String> {
    let is_taken = |name: &str| {
        let shared = program.vars.iter().filter(|var| var.owner.is_none());
        let mut shared = shared.map(|var| var.display_name.as_str());
        let array = format!("{name}[");
        shared.any(|other| other == name || other.starts_with(&array))
            || program.threads.iter().any(|thread| thread.name == name)
    };
    let names = ["e", "f"].map(|name| {
        let mut name = name.to_owned();
        while is_taken(&name) {
            name.push('_');
        }
        name
    });
    names.into_iter().take(count).collect()
}

fn unnamed() -> Var {
    Var {
        name: String::new(),
        display_name: String::new(),
        owner: None,
        init: Init::Any,
    }
}

/// Whether a predicate is a fact. No condition begins with two names.
pub(super) fn is_fact(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next() == Some("every") && words.next().is_some_and(is_name)
}

/// Why `facts.json` cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// It is not JSON of the expected form.
    #[error("`facts.json` is not of the expected form: {0}")]
    Json(#[from] serde_json::Error),
    /// A state has something that means nothing.
    #[error("`facts.json`, state {state}: {reason}")]
    State {
        /// Its number, from 1.
        state: usize,
        /// What is wrong.
        reason: String,
    },
    /// The initial states have a target that is not there.
    #[error("`facts.json`: the initial states have the target {0}, which is not there")]
    Start(usize),
}

/// The whole file. Predicates, states, threads and blocks are numbered from 1, locations and edges from 0.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    predicates: Vec<String>,
    start: Vec<usize>,
    states: Vec<StateText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateText {
    at: Vec<u32>,
    cube: Vec<i64>,
    steps: Vec<StepText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepText {
    thread: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block: Option<usize>,
    path: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<bool>,
    to: Vec<usize>,
}

impl FactsTable {
    /// How many of its predicates are facts.
    pub fn facts(&self) -> usize {
        let predicates = self.predicates.iter();
        predicates.filter(|text| is_fact(text)).count()
    }

    /// The text of `facts.json`: one predicate, one state on a line.
    pub fn print(&self) -> String {
        fn json(value: &impl Serialize) -> String {
            serde_json::to_string(value).expect("numbers, strings and lists of them are JSON")
        }
        let predicates: Vec<String> = self.predicates.iter().map(json).collect();
        let states = self.states.iter().map(|state| json(&state_text(state)));
        format!(
            "{{\"predicates\": [\n{}\n],\n\"start\": {},\n\"states\": [\n{}\n]}}\n",
            predicates.join(",\n"),
            json(&numbers(&self.start)),
            states.collect::<Vec<_>>().join(",\n"),
        )
    }

    /// Reads `facts.json`. All targets and predicates that are named are there, and no predicate occurs twice in a cube.
    pub fn parse(text: &str) -> Result<Self, FactsError> {
        let file: File = serde_json::from_str(text)?;
        let counts = (file.predicates.len(), file.states.len());
        let states = file.states.iter().enumerate().map(|(index, state)| {
            let error = |reason| FactsError::State {
                state: index + 1,
                reason,
            };
            parse_state(state, counts).map_err(error)
        });
        let states = states.collect::<Result<Vec<_>, _>>()?;
        let start = file.start.iter();
        let start = start.map(|&target| index(target, counts.1).ok_or(FactsError::Start(target)));
        Ok(FactsTable {
            start: start.collect::<Result<_, _>>()?,
            predicates: file.predicates,
            states,
        })
    }
}

/// What is numbered from 1 in the file.
fn numbers(indices: &[usize]) -> Vec<usize> {
    indices.iter().map(|index| index + 1).collect()
}

/// The place in a list of so many items that a number stands for.
fn index(number: usize, count: usize) -> Option<usize> {
    number.checked_sub(1).filter(|&index| index < count)
}

fn state_text(state: &FactsState) -> StateText {
    let step = |step: &FactsStep| StepText {
        thread: step.way.thread.index() + 1,
        block: step.way.block.map(|block| block + 1),
        path: step.way.path.clone(),
        left: step.way.left.clone(),
        to: numbers(&step.to),
    };
    let location = |at: &LocId| u32::try_from(at.index()).expect("locations are numbered by u32");
    StateText {
        at: state.at.iter().map(location).collect(),
        cube: state.cube.iter().map(|literal| literal.number()).collect(),
        steps: state.steps.iter().map(step).collect(),
    }
}

fn parse_state(
    text: &StateText,
    (predicates, states): (usize, usize),
) -> Result<FactsState, String> {
    let cube = Literal::parse_cube(&text.cube, predicates)
        .map_err(|(literal, reason)| format!("the cube has the literal {literal}, but {reason}"))?;
    let steps = text.steps.iter().map(|step| parse_step(step, states));
    Ok(FactsState {
        at: text.at.iter().map(|&at| LocId::new(at as usize)).collect(),
        cube,
        steps: steps.collect::<Result<_, _>>()?,
    })
}

fn parse_step(text: &StepText, states: usize) -> Result<FactsStep, String> {
    let target = |&number: &usize| {
        let target = index(number, states);
        target.ok_or_else(|| format!("a step has the target {number}, which is not there"))
    };
    let thread = index(text.thread, u32::MAX as usize);
    let thread = thread.ok_or_else(|| format!("there is no thread {}", text.thread))?;
    let block = match text.block {
        None => None,
        Some(number) => {
            let block = index(number, usize::MAX);
            Some(block.ok_or_else(|| format!("there is no block {number}"))?)
        }
    };
    Ok(FactsStep {
        way: Way {
            thread: ThreadId::new(thread),
            block,
            path: text.path.clone(),
            left: text.left.clone(),
        },
        to: text.to.iter().map(target).collect::<Result<_, _>>()?,
    })
}
