//! Buffers of any length against slots, and what each kind of fact about their entries is worth.
//!
//! Two tables. The programs of the SAS 2013 paper with their fewest fences, with slots (as many as they need) and with FIFOs
//! ([`WAYS`]); and programs that store without end and without a fence, with facts about the order of entries, about
//! entries alone, or without facts ([`Tail`]). Predicates are those of the proofs: nothing is refined. Input: a row's name. Output: plain
//! values; `render` makes text of them.

use std::time::Instant;

use serde::Serialize;

use super::{ALGORITHMS, Figures};
use crate::engine::portfolio::Subject;
use crate::engine::predicate::{Bound, MethodChoice, Predicate, PredicateConfig, ReductionChoice};
use crate::engine::{Context, Engine, EngineError, Limits};
use crate::extrapolate::{ExtrapolateConfig, Tail};
use crate::front::cup::placement::Placement;
use crate::memory::{BufferSizes, Buffers, Model};
use crate::verdict::Method;

use super::run::Loaded;

/// The number of the form of the results.
pub const SCHEMA: u32 = 1;

/// The ways to store buffers that are compared.
pub const WAYS: [(&str, ReductionChoice); 2] = [
    ("slots", ReductionChoice::Slots),
    ("fifo", ReductionChoice::Fifos),
];

/// The largest number of slots.
const MAX_SLOTS: usize = 4;

/// The most states of a search in the first table.
const MAX_STATES: usize = 20_000;

/// The same in the second table: searches that succeed have fewer, and those that fail take long.
const MAX_STATES_ENDLESS: usize = 2_000;

/// A program that stores without end and without a fence.
#[derive(Debug)]
pub struct Endless {
    /// Its name.
    pub name: &'static str,
    program: &'static str,
    proof: &'static str,
    /// The predicates that its proof lacks for FIFOs; `verify` finds them.
    more: &'static str,
    /// The models under which it is safe.
    pub models: &'static [Model],
}

macro_rules! endless {
    ($name:literal, $more:literal, $models:expr) => {
        Endless {
            name: $name,
            program: include_str!(concat!("../../examples/", $name, ".cup")),
            proof: include_str!(concat!("../../examples/", $name, ".proof")),
            more: $more,
            models: $models,
        }
    };
}

/// The programs of the second table.
pub static ENDLESS: [Endless; 8] = [
    endless!("queue", "", &[Model::Tso, Model::Pso]),
    endless!(
        "ticket",
        "next <= num; next <= a0; next <= a1;",
        &[Model::Tso, Model::Pso]
    ),
    endless!(
        "ticket_linux",
        "owner <= next; owner <= n0; owner <= n1;",
        &[Model::Tso, Model::Pso]
    ),
    endless!("abp_resend", "", &[Model::Tso, Model::Pso]),
    endless!("increasing_endless", "", &[Model::Tso, Model::Pso]),
    endless!("message_passing_endless", "", &[Model::Tso]),
    endless!("sequence_lock", "", &[Model::Tso]),
    endless!("handshake", "", &[Model::Tso]),
];

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The number of their form.
    pub schema: u32,
    /// Slots beside FIFOs.
    pub ways: Vec<WayRow>,
    /// What facts are worth.
    pub tails: Vec<TailRow>,
    /// Whether everything was run.
    pub complete: bool,
}

/// A program with buffers stored in one way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WayRow {
    /// The program.
    pub program: String,
    /// The model.
    pub model: Model,
    /// The fences that are in force.
    pub fences: Vec<String>,
    /// `slots` or `fifo`.
    pub way: String,
    /// The number of slots.
    pub k: Option<usize>,
    /// What it took.
    pub ours: Figures,
}

/// A program without fences, with facts of some kinds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TailRow {
    /// The program.
    pub program: String,
    /// The model.
    pub model: Model,
    /// `ordered`, `set` or `forget`.
    pub tail: String,
    /// What it took.
    pub ours: Figures,
}

/// A row that is to be run.
#[derive(Clone, Copy, Debug)]
pub enum Case {
    /// The number of an algorithm, a model, and the number of a way.
    Way(usize, Model, usize),
    /// The number of an endless program, a model, and the number of a kind of tail.
    Tail(usize, Model, usize),
}

/// The rows of the tables whose program's name contains `filter`.
pub fn cases(filter: &str) -> Vec<Case> {
    let wanted = |name: &str| name.contains(filter);
    let mut cases = Vec::new();
    for (number, algorithm) in ALGORITHMS.iter().enumerate() {
        if wanted(algorithm.name) {
            for model in [Model::Tso, Model::Pso] {
                cases.extend((0..WAYS.len()).map(|way| Case::Way(number, model, way)));
            }
        }
    }
    for (number, endless) in ENDLESS.iter().enumerate() {
        if wanted(endless.name) {
            for &model in endless.models {
                cases.extend((0..Tail::ALL.len()).map(|tail| Case::Tail(number, model, tail)));
            }
        }
    }
    cases
}

impl Case {
    /// Its name.
    pub fn name(&self) -> String {
        match *self {
            Case::Way(number, model, way) => {
                format!("{}/{model}/{}", ALGORITHMS[number].name, WAYS[way].0)
            }
            Case::Tail(number, model, tail) => {
                format!("{}/{model}/{}", ENDLESS[number].name, Tail::ALL[tail].0)
            }
        }
    }

    /// Runs it and adds its row.
    pub fn run(&self, context: &Context, results: &mut Results) -> Result<(), EngineError> {
        match *self {
            Case::Way(number, model, way) => {
                results.ways.push(beside(number, model, way, context)?)
            }
            Case::Tail(number, model, tail) => {
                results.tails.push(worth(number, model, tail, context)?);
            }
        }
        Ok(())
    }
}

/// A row of the first table.
fn beside(
    number: usize,
    model: Model,
    way: usize,
    context: &Context,
) -> Result<WayRow, EngineError> {
    let (algorithm, (name, reduction)) = (&ALGORITHMS[number], WAYS[way]);
    let loaded = Loaded::new(algorithm.name, algorithm.program, algorithm.proof);
    let config = PredicateConfig {
        bound: Bound::Auto(MAX_SLOTS),
        reduction,
        method: match reduction {
            ReductionChoice::Fifos => MethodChoice::Auto,
            ReductionChoice::Slots | ReductionChoice::Auto => MethodChoice::Only(Method::Pe),
        },
        refine: 0,
        ..PredicateConfig::default()
    };
    let context = with_states(context, MAX_STATES);
    let found = run(&loaded, model, &Placement::Declared, config, &context)?;
    Ok(WayRow {
        program: algorithm.name.to_owned(),
        model,
        fences: found.fences,
        way: name.to_owned(),
        k: found.k,
        ours: found.ours,
    })
}

/// A row of the second table.
fn worth(
    number: usize,
    model: Model,
    tail: usize,
    context: &Context,
) -> Result<TailRow, EngineError> {
    let (endless, (name, tail)) = (&ENDLESS[number], Tail::ALL[tail]);
    let proof = endless.proof.replace('}', &format!("{} }}", endless.more));
    let loaded = Loaded::new(endless.name, endless.program, &proof);
    let config = PredicateConfig {
        reduction: ReductionChoice::Fifos,
        refine: 0,
        extrapolate: ExtrapolateConfig {
            tail,
            ..ExtrapolateConfig::default()
        },
        ..PredicateConfig::default()
    };
    let context = with_states(context, MAX_STATES_ENDLESS);
    let found = run(&loaded, model, &Placement::None, config, &context)?;
    Ok(TailRow {
        program: endless.name.to_owned(),
        model,
        tail: name.to_owned(),
        ours: found.ours,
    })
}

fn with_states(context: &Context, abstract_states: usize) -> Context {
    Context {
        limits: Limits {
            abstract_states,
            ..context.limits
        },
        ..context.clone()
    }
}

/// What a run came to.
struct Found {
    fences: Vec<String>,
    k: Option<usize>,
    ours: Figures,
}

fn run(
    loaded: &Loaded,
    model: Model,
    placement: &Placement,
    config: PredicateConfig,
    context: &Context,
) -> Result<Found, EngineError> {
    let start = Instant::now();
    let input = loaded.input();
    let subject = Subject {
        source: input.source,
        program: input.program,
        proof: Some(input.proof),
    };
    let fences = placement.in_force(input.program, model);
    let fences = fences.expect("the program declares places that it has");
    let mut engine = Predicate::new(config);
    let outcome = engine.run(&subject.task(model, &fences), context)?;
    let last = outcome.log.last().ok_or(EngineError::Stopped)?;
    let sizes = last.settings.buffers.as_ref().and_then(Buffers::sizes);
    Ok(Found {
        fences: fences.iter().cloned().collect(),
        k: sizes.map(BufferSizes::largest),
        ours: super::run::summed(&outcome.log, start.elapsed()),
    })
}
