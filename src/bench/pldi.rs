//! Tables 1 and 2 of the PLDI 2011 paper (Kuperstein, Vechev, Yahav, *Partial-Coherence Abstractions for Relaxed Memory
//! Models*), run again: which abstractions of store buffers verify six programs under PSO, and which fences they infer.
//!
//! The paper prints two of its programs; the texts are ours (`examples/`, `examples/pldi/`). Input: a program, fences that are in
//! force, and an abstraction. Output: [`Verification`] and [`Inference`] rows, plain values; `render` makes text of them. The
//! paper's figures are in [`TABLE_1`] and [`TABLE_2`] and nowhere else.

use indexmap::IndexSet;
use serde::Serialize;

use crate::engine::coherence::{Coherence, CoherenceConfig};
use crate::engine::{Context, Engine, EngineError, Task};
use crate::fences::avoid::{self, InferenceEnd};
use crate::fences::{self, Candidates, FenceSet, Search};
use crate::front::cup;
use crate::front::cup::check::Checked;
use crate::memory::Model;
use crate::program;
use crate::proof;
use crate::source::SourceFile;
use crate::verdict::{Domain, PartialCoherence, VerdictKind};

/// The number of the form of the results.
pub const SCHEMA: u32 = 1;

/// The model of both tables.
pub const MODEL: Model = Model::Pso;

/// The abstractions of Table 1.
pub const COLUMNS_1: [(Domain, usize); 3] = [(Domain::Set, 0), (Domain::Fd, 0), (Domain::Fd, 1)];

/// The abstractions of Table 2.
pub const COLUMNS_2: [(Domain, usize); 5] = [
    (Domain::Fd, 0),
    (Domain::Fd, 1),
    (Domain::Pd, 0),
    (Domain::Pd, 1),
    (Domain::Pd, 2),
];

/// A program of a table.
#[derive(Debug)]
pub struct Program<P: 'static> {
    /// Its name in the table.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The fences that are in force.
    pub fences: &'static [&'static str],
    /// What the paper says of it, by column.
    pub paper: &'static [P],
}

/// A cell of Table 1: whether the program is verified, and how many thousands of states there are, unless the paper's tool
/// ran out of memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PaperVerification {
    /// Whether it is verified.
    pub verified: bool,
    /// The thousands of states.
    pub kilostates: Option<f64>,
}

/// A cell of Table 2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PaperInference {
    /// What was inferred.
    pub mark: Mark,
    /// The thousands of states.
    pub kilostates: Option<f64>,
}

/// What an inference comes to, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// As few fences as the program needs.
    Optimal,
    /// More of them.
    SubOptimal,
    /// No placement helps under the abstraction.
    Unfixable,
    /// There were more states than allowed, or than memory has room for.
    OutOfStates,
}

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The number of their form.
    pub schema: u32,
    /// Table 1.
    pub verification: Vec<Verification>,
    /// Table 2.
    pub inference: Vec<Inference>,
    /// Whether everything was run.
    pub complete: bool,
}

/// A cell of Table 1, ours beside the paper's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// The program.
    pub program: String,
    /// The domain.
    pub domain: String,
    /// The number of oldest stores in order.
    pub k: usize,
    /// What the paper says.
    pub paper: PaperVerification,
    /// Whether it is verified.
    pub verified: bool,
    /// The number of states.
    pub states: usize,
    /// How long it took.
    pub seconds: f64,
}

/// A cell of Table 2, ours beside the paper's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inference {
    /// The program.
    pub program: String,
    /// The domain.
    pub domain: String,
    /// The number of oldest stores in order.
    pub k: usize,
    /// What the paper says.
    pub paper: PaperInference,
    /// What was inferred.
    pub mark: Mark,
    /// The placements that were inferred, without the fences that are in force.
    pub placements: Vec<Vec<String>>,
    /// How many more fences the program needs; none if that is not known.
    pub needed: Option<usize>,
    /// The most states of a search.
    pub states: usize,
    /// How long it took.
    pub seconds: f64,
}

const PETERSON: &str = include_str!("../../examples/peterson.cup");
const DEKKER: &str = include_str!("../../examples/dekker.cup");
const FAST: &str = include_str!("../../examples/lamport_fast.cup");
const BAKERY: &str = include_str!("../../examples/pldi/bakery.cup");
const SENSE: &str = include_str!("../../examples/pldi/sense_barrier.cup");
const CLH: &str = include_str!("../../examples/pldi/clh.cup");

const fn proved(kilostates: f64) -> PaperVerification {
    PaperVerification {
        verified: true,
        kilostates: Some(kilostates),
    }
}

const fn open(kilostates: f64) -> PaperVerification {
    PaperVerification {
        verified: false,
        kilostates: Some(kilostates),
    }
}

/// A counterexample was found before memory was full.
const OPEN: PaperVerification = PaperVerification {
    verified: false,
    kilostates: None,
};

/// The programs of Table 1, correctly fenced.
pub static TABLE_1: [Program<PaperVerification>; 6] = [
    Program {
        name: "Sense1",
        text: SENSE,
        fences: &["a"],
        paper: &[open(0.6), proved(1.7), proved(0.8)],
    },
    Program {
        name: "Pet2",
        text: PETERSON,
        fences: &["a", "b"],
        paper: &[open(7.7), proved(2.4), proved(1.8)],
    },
    Program {
        name: "Dek2",
        text: DEKKER,
        fences: &["a", "c"],
        paper: &[open(9.7), proved(4.5), proved(3.1)],
    },
    Program {
        name: "Lam2",
        text: BAKERY,
        fences: &["a", "b"],
        paper: &[open(41.2), proved(22.2), proved(9.0)],
    },
    Program {
        name: "Fast3",
        text: FAST,
        fences: &["b", "d", "f"],
        paper: &[open(22.2), open(16.4), proved(11.1)],
    },
    Program {
        name: "CLH2",
        text: CLH,
        fences: &["a", "b"],
        paper: &[OPEN, OPEN, proved(68.8)],
    },
];

const fn optimal(kilostates: f64) -> PaperInference {
    PaperInference {
        mark: Mark::Optimal,
        kilostates: Some(kilostates),
    }
}

const fn more(kilostates: f64) -> PaperInference {
    PaperInference {
        mark: Mark::SubOptimal,
        kilostates: Some(kilostates),
    }
}

const fn unfixable(kilostates: f64) -> PaperInference {
    PaperInference {
        mark: Mark::Unfixable,
        kilostates: Some(kilostates),
    }
}

const MEMORY: PaperInference = PaperInference {
    mark: Mark::OutOfStates,
    kilostates: None,
};

/// The programs of Table 2, with too few fences.
pub static TABLE_2: [Program<PaperInference>; 9] = [
    Program {
        name: "Sense0",
        text: SENSE,
        fences: &[],
        paper: &[
            more(57.6),
            optimal(58.6),
            more(31.9),
            optimal(44.3),
            optimal(6.1),
        ],
    },
    Program {
        name: "Pet0",
        text: PETERSON,
        fences: &[],
        paper: &[
            optimal(69.2),
            optimal(524.5),
            more(25.3),
            more(244.7),
            optimal(1124.2),
        ],
    },
    Program {
        name: "Dek0",
        text: DEKKER,
        fences: &[],
        paper: &[
            optimal(424.2),
            optimal(3238.1),
            more(16.5),
            more(358.1),
            optimal(2350.0),
        ],
    },
    Program {
        name: "Lam0",
        text: BAKERY,
        fences: &[],
        paper: &[MEMORY, MEMORY, more(421.0), more(4045.9), MEMORY],
    },
    Program {
        name: "Fast0",
        text: FAST,
        fences: &[],
        paper: &[MEMORY, MEMORY, unfixable(220.6), MEMORY, MEMORY],
    },
    Program {
        name: "Fast1a",
        text: FAST,
        fences: &["b"],
        paper: &[
            more(139.0),
            optimal(105.2),
            unfixable(33.0),
            optimal(88.1),
            optimal(41.9),
        ],
    },
    Program {
        name: "Fast1b",
        text: FAST,
        fences: &["d"],
        paper: &[
            more(832.9),
            optimal(972.3),
            unfixable(78.6),
            more(501.6),
            optimal(878.4),
        ],
    },
    Program {
        name: "Fast1c",
        text: FAST,
        fences: &["f"],
        paper: &[
            MEMORY,
            MEMORY,
            unfixable(110.4),
            more(1173.4),
            optimal(1858.1),
        ],
    },
    Program {
        name: "CLH0",
        text: CLH,
        fences: &[],
        paper: &[MEMORY, MEMORY, MEMORY, MEMORY, MEMORY],
    },
];

impl Mark {
    /// The mark in a table.
    pub fn word(self) -> &'static str {
        match self {
            Mark::Optimal => "optimal",
            Mark::SubOptimal => "more",
            Mark::Unfixable => "unfixable",
            Mark::OutOfStates => "states",
        }
    }
}

impl Verification {
    /// Whether the paper says the same.
    pub fn agrees(&self) -> bool {
        self.verified == self.paper.verified
    }
}

impl Inference {
    /// Whether the mark is the paper's or a better one.
    pub fn is_as_good(&self) -> bool {
        self.mark <= self.paper.mark
    }
}

impl<P> Program<P> {
    fn load(&self) -> (SourceFile, Checked) {
        let file = SourceFile::new(format!("{}.cup", self.name), self.text);
        let checked = cup::load(&file).expect("the program obeys the rules");
        (file, checked)
    }

    fn in_force(&self) -> IndexSet<String> {
        self.fences.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// Verifies a program of Table 1.
pub fn verify(
    program: &Program<PaperVerification>,
    column: usize,
    context: &Context,
) -> Result<Verification, EngineError> {
    let (domain, k) = COLUMNS_1[column];
    let (source, checked) = program.load();
    let task = Task {
        source: &source,
        program: &checked,
        model: MODEL,
        fences: &program.in_force(),
        proof: None,
        earlier: &[],
    };
    let mut engine = Coherence::new(CoherenceConfig {
        domain: Some(domain),
        k: Some(k),
    });
    let outcome = engine.run(&task, context)?;
    let stats = outcome
        .log
        .last()
        .map(|attempt| attempt.stats)
        .unwrap_or_default();
    Ok(Verification {
        program: program.name.to_owned(),
        domain: domain.name().to_owned(),
        k,
        paper: program.paper[column],
        verified: outcome.verdict.kind() == VerdictKind::Verified,
        states: stats.states,
        seconds: stats.time.as_secs_f64(),
    })
}

/// Infers fences for a program of Table 2, of which `engine` says how many it needs.
pub fn infer(
    program: &Program<PaperInference>,
    column: usize,
    engine: &mut dyn Engine,
    context: &Context,
) -> Result<Inference, EngineError> {
    let (domain, k) = COLUMNS_2[column];
    let (source, checked) = program.load();
    let candidates = Candidates::new(&source, &checked, None).expect("the program has places");
    let given: FenceSet = program
        .fences
        .iter()
        .map(|name| candidates.place(name).expect("the place is known"))
        .collect();
    let start = std::time::Instant::now();
    let inference = avoid::Inference {
        candidates: &candidates,
        given: &given,
        model: MODEL,
        abstraction: PartialCoherence { domain, k },
    };
    let inferred = avoid::infer(&inference, context, &mut |_, _| {})?;
    let seconds = start.elapsed().as_secs_f64();
    let needed = needed((&source, &candidates), &given, engine, context)?;
    let least = inferred
        .placements
        .first()
        .map(|placed| placed.fences.len());
    let mark = match (&inferred.end, least) {
        (InferenceEnd::Complete, Some(least)) if Some(least) == needed => Mark::Optimal,
        (InferenceEnd::Complete, _) => Mark::SubOptimal,
        (InferenceEnd::Unfixable(_) | InferenceEnd::Broken(_), _) => Mark::Unfixable,
        (InferenceEnd::Limit(_), _) => Mark::OutOfStates,
    };
    let placements = inferred.placements.iter().map(|placed| {
        let names = fences::names(&candidates, &placed.fences);
        names.into_iter().collect()
    });
    Ok(Inference {
        program: program.name.to_owned(),
        domain: domain.name().to_owned(),
        k,
        paper: program.paper[column],
        mark,
        placements: placements.collect(),
        needed,
        states: inferred.states,
        seconds,
    })
}

/// How many fences a program needs beside those that it has.
fn needed(
    (source, candidates): (&SourceFile, &Candidates),
    given: &FenceSet,
    engine: &mut dyn Engine,
    context: &Context,
) -> Result<Option<usize>, EngineError> {
    let program = program::lower(&candidates.checked, &IndexSet::new());
    let (proof, _) = proof::harvest(&program);
    let search = Search {
        source,
        candidates,
        proof: Some(&proof),
        model: MODEL,
        max_sets: None,
    };
    let answer = fences::search(&search, engine, context, &mut |_| {})?;
    let more = answer.proved.iter().map(|proved| {
        let more = proved
            .fences
            .places()
            .filter(|place| !given.contains(*place));
        more.count()
    });
    let all = answer.is_complete() && answer.undecided.is_empty();
    Ok(more.min().filter(|_| all))
}
