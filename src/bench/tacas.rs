//! Table 1 of the TACAS 2012 paper (Abdulla, Atig, Chen, Leonardsson, Rezine, *Counter-Example Guided Fence
//! Insertion under TSO*), run again: 17 programs, all minimal sets of fences behind stores.
//!
//! The paper prints no programs; the texts are ours, in the language of its tool Memorax (`examples/rmm`).
//! Input: a program, a model and the engines. Output: a [`Row`], a plain value; `render` makes text of it. The
//! paper's figures are in [`PROGRAMS`] and nowhere else. Not here: running Memorax, which is the command line's.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use indexmap::IndexSet;
use serde::Serialize;

use crate::abstraction::cubes::Memo;
use crate::engine::{Context, Engine, EngineError};
use crate::fences::{self, Answer, Candidates, End, FenceSet, PlaceKind, PlacesError, Search};
use crate::front::Loaded;
use crate::memory::Model;
use crate::program;
use crate::proof;

/// The number of the form of the results.
pub const SCHEMA: u32 = 1;

/// A program of the table.
#[derive(Debug)]
pub struct Program {
    /// Its number in the table.
    pub number: usize,
    /// Its name, that of its file.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What the paper says of it, under TSO.
    pub paper: PaperFigures,
}

/// A row of the paper's table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PaperFigures {
    /// How long it took to find one set.
    pub one_seconds: f64,
    /// How long it took to find all sets.
    pub all_seconds: f64,
    /// How many fences each process needs in the smallest set; none if the program is erroneous.
    pub fences: Option<usize>,
    /// The number of minimal sets.
    pub sets: usize,
}

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The number of their form.
    pub schema: u32,
    /// The rows.
    pub rows: Vec<Row>,
    /// Whether everything was run.
    pub complete: bool,
}

/// A program under a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its number in the table, if it stands there.
    pub number: Option<usize>,
    /// Its name.
    pub program: String,
    /// The model.
    pub model: Model,
    /// What the paper says of it under this model.
    pub paper: Option<PaperFigures>,
    /// What was found.
    pub ours: Figures,
    /// What another tool found in the same file.
    pub peer: Option<PeerFigures>,
}

/// What the search found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// How it ended.
    pub verdict: Outcome,
    /// The engines that proved placements.
    pub engines: Vec<String>,
    /// The most fences that a process needs in the smallest set.
    pub fences: Option<usize>,
    /// The number of minimal sets.
    pub sets: usize,
    /// How long it took to find one set.
    pub one_seconds: f64,
    /// How long it took to find all sets.
    pub all_seconds: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All minimal sets are known.
    Complete,
    /// The program is wrong whatever fences it has.
    Erroneous,
    /// Something was not decided.
    Unknown,
}

/// What another tool found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeerFigures {
    /// The tool.
    pub tool: String,
    /// How its runs ended.
    pub end: PeerEnd,
    /// The number of minimal sets, if it said one.
    pub sets: Option<usize>,
    /// How long it took to find one set.
    pub one_seconds: f64,
    /// How long it took to find all sets.
    pub all_seconds: f64,
}

/// How the runs of another tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerEnd {
    /// With an answer.
    Answered,
    /// With a failure, or with words that are not understood.
    Failed,
    /// At the limit of their time.
    Timeout,
}

macro_rules! program {
    ($number:literal, $name:literal, $one:literal, $all:literal, $fences:expr, $sets:literal) => {
        Program {
            number: $number,
            name: $name,
            text: include_str!(concat!("../../examples/rmm/", $name, ".rmm")),
            paper: PaperFigures {
                one_seconds: $one,
                all_seconds: $all,
                fences: $fences,
                sets: $sets,
            },
        }
    };
}

/// The programs, in the order of the table.
pub static PROGRAMS: [Program; 17] = [
    program!(1, "dekker_simple", 0.02, 0.02, Some(1), 1),
    program!(2, "dekker", 0.28, 0.28, Some(1), 1),
    program!(3, "peterson", 0.24, 0.6, Some(1), 1),
    program!(4, "bakery", 52.0, 5538.0, Some(2), 4),
    program!(5, "lamport_fast", 6.5, 6.5, Some(2), 1),
    program!(6, "clh", 26.0, 26.0, Some(0), 1),
    program!(7, "sense_barrier", 1.1, 1.1, Some(0), 1),
    program!(8, "burns", 0.07, 0.07, Some(1), 1),
    program!(9, "dijkstra", 9.5, 10.0, Some(1), 1),
    program!(10, "tournament_barrier", 1.2, 1.2, Some(0), 1),
    program!(11, "task_scheduler", 60.0, 60.0, Some(0), 1),
    program!(12, "increasing_sequence", 25.0, 27.0, Some(0), 1),
    program!(13, "abp", 0.2, 0.2, Some(0), 1),
    program!(14, "producer_consumer_v1_2", 0.2, 0.2, None, 0),
    program!(15, "producer_consumer_v1_3", 4.5, 4.5, None, 0),
    program!(16, "producer_consumer_v2_2", 5.7, 5.7, Some(0), 1),
    program!(17, "producer_consumer_v2_3", 580.0, 583.0, Some(0), 1),
];

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum TacasError {
    /// There is no place for a fence.
    #[error(transparent)]
    Places(#[from] PlacesError),
    /// No engine can handle the program.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Program {
    /// The program of the table with this text.
    pub fn with_text(text: &str) -> Option<&'static Program> {
        PROGRAMS.iter().find(|program| program.text == text)
    }

    /// What the paper says of it under a model.
    pub fn paper(&self, model: Model) -> Option<PaperFigures> {
        (model == Model::Tso).then_some(self.paper)
    }
}

impl Row {
    /// Whether the paper says the same; `None` if it says nothing.
    pub fn agrees(&self) -> Option<bool> {
        let paper = self.paper?;
        let fences = self.ours.fences == paper.fences;
        Some(fences && self.ours.sets == paper.sets && self.ours.verdict != Outcome::Unknown)
    }

    /// How many times longer the other tool took for all sets.
    pub fn ratio(&self) -> Option<f64> {
        let peer = self.peer.as_ref()?;
        let ended = peer.end == PeerEnd::Answered && self.ours.verdict != Outcome::Unknown;
        (ended && self.ours.all_seconds > 0.0).then(|| peer.all_seconds / self.ours.all_seconds)
    }
}

/// Finds one minimal set, and then, from the beginning, all of them. Fences may stand behind stores.
pub fn measure(
    loaded: &Loaded,
    model: Model,
    engine: &mut dyn Engine,
    context: &Context,
) -> Result<Figures, TacasError> {
    let (one, _) = found(loaded, model, Some(1), engine, context)?;
    let (all, answer) = found(loaded, model, None, engine, context)?;
    let (answer, candidates) = answer;
    let engines: IndexSet<&str> = answer.proved.iter().map(|proved| proved.engine).collect();
    let least = answer.proved.iter().map(|proved| &proved.fences);
    let least = least.min_by_key(|fences| fences.len());
    Ok(Figures {
        verdict: outcome(&answer),
        engines: engines.into_iter().map(str::to_owned).collect(),
        fences: least.map(|fences| for_each(&candidates, fences)),
        sets: answer.proved.len(),
        one_seconds: one.as_secs_f64(),
        all_seconds: all.as_secs_f64(),
    })
}

fn found(
    loaded: &Loaded,
    model: Model,
    max_sets: Option<usize>,
    engine: &mut dyn Engine,
    context: &Context,
) -> Result<(Duration, (Answer, Candidates)), TacasError> {
    // What the solver said in another search is not to help here.
    let context = &Context {
        memo: Memo::default(),
        ..context.clone()
    };
    let start = Instant::now();
    let candidates = Candidates::new(&loaded.source, &loaded.checked, Some(PlaceKind::Stores))?;
    let program = program::lower(&candidates.checked, &IndexSet::new());
    let (proof, _) = proof::harvest(&program);
    let search = Search {
        source: &loaded.source,
        candidates: &candidates,
        proof: Some(&proof),
        model,
        max_sets,
    };
    let answer = fences::search(&search, engine, context, &mut |_| {})?;
    Ok((start.elapsed(), (answer, candidates)))
}

fn outcome(answer: &Answer) -> Outcome {
    match answer.end {
        End::BrokenUnderSc(_) | End::Unfixable => Outcome::Erroneous,
        End::Complete if answer.undecided.is_empty() && !answer.proved.is_empty() => {
            Outcome::Complete
        }
        End::Complete | End::Enough | End::Timeout | End::Interrupted | End::Memory => {
            Outcome::Unknown
        }
    }
}

/// The most fences that a thread has.
fn for_each(candidates: &Candidates, fences: &FenceSet) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for place in fences.places() {
        let sites = candidates.places.get_index(place.index());
        for site in sites.into_iter().flat_map(|(_, sites)| sites) {
            *counts.entry(&site.thread).or_default() += 1;
        }
    }
    counts.into_values().max().unwrap_or(0)
}
