//! Abstract store buffers against exploration, the exact engine and one another, and the fences that are inferred with them.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs are tried; `make coherence` is a long run.

mod generate;

use cupola::engine::backward::{Backward, BackwardConfig};
use cupola::engine::coherence::{Coherence, CoherenceConfig};
use cupola::engine::explore::{Explore, ExploreConfig};
use cupola::engine::{Context, Engine, Limits, Task};
use cupola::fences::avoid::{Inference, InferenceEnd, infer};
use cupola::fences::{Candidates, FenceSet, PlaceKind, PlacesError, names};
use cupola::front::cup::ast::Tree;
use cupola::front::cup::check::Checked;
use cupola::memory::Model;
use cupola::source::SourceFile;
use cupola::verdict::{Domain, Outcome, PartialCoherence, VerdictKind};
use indexmap::IndexSet;

use crate::backward;
use crate::support::random::shrink;

/// Programs where nothing else is asked for.
const SHORT_RUN: u64 = 20;

fn programs() -> u64 {
    let asked = std::env::var("CUPOLA_RANDOM_PROGRAMS");
    asked.map_or(SHORT_RUN, |text| text.parse().expect("a number"))
}

/// The most abstract states.
const MOST_STATES: usize = 30_000;

fn engine((domain, k): (Domain, usize)) -> Coherence {
    Coherence::new(CoherenceConfig {
        domain: Some(domain),
        k: Some(k),
    })
}

/// A program at work.
struct Case {
    file: SourceFile,
    checked: Checked,
}

impl Case {
    fn new(tree: &Tree) -> Result<Self, String> {
        let file = SourceFile::new("random.cup", cupola::front::cup::print(tree));
        let checked = cupola::front::cup::load(&file).map_err(|errors| format!("{errors:?}"))?;
        Ok(Case { file, checked })
    }

    /// The answer of an engine; `None` if it does not support the program.
    fn outcome(
        &self,
        engine: &mut dyn Engine,
        (program, fences): (&Checked, &IndexSet<String>),
        model: Model,
    ) -> Option<Outcome> {
        let task = Task {
            source: &self.file,
            program,
            model,
            fences,
            proof: None,
            earlier: &[],
        };
        let context = Context {
            limits: Limits {
                explore_states: 100_000,
                abstract_states: MOST_STATES,
            },
            ..Context::default()
        };
        engine.run(&task, &context).ok()
    }

    /// The verdict of an engine.
    fn ask(
        &self,
        engine: &mut dyn Engine,
        program: (&Checked, &IndexSet<String>),
        model: Model,
    ) -> Option<VerdictKind> {
        let outcome = self.outcome(engine, program, model)?;
        Some(outcome.verdict.kind())
    }

    fn abstractly(&self, model: Model, abstraction: (Domain, usize)) -> Option<VerdictKind> {
        let program = (&self.checked, &IndexSet::new());
        self.ask(&mut engine(abstraction), program, model)
    }

    fn explored(&self, program: &Checked, fences: &IndexSet<String>, model: Model) -> VerdictKind {
        let mut engine = Explore::new(ExploreConfig {
            buffer: 4,
            max_states: 20_000,
            ..ExploreConfig::default()
        });
        let said = self.ask(&mut engine, (program, fences), model);
        said.expect("it has no background blocks")
    }

    /// What exploration says, or the exact engine where it does not end.
    fn exactly(&self, model: Model) -> VerdictKind {
        let none = IndexSet::new();
        match self.explored(&self.checked, &none, model) {
            VerdictKind::Unknown => {
                let mut engine = Backward::new(BackwardConfig::default());
                let said = self.ask(&mut engine, (&self.checked, &none), model);
                said.unwrap_or(VerdictKind::Unknown)
            }
            kind => kind,
        }
    }
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Programs and models that are safe, as exact engines say.
    safe: usize,
    /// Of these, those that are proved by `set`, `fd` with k = 0, 1, 2, and `pd` with k = 0, 1.
    proved: [usize; 6],
    /// Proofs that neither exploration nor the exact engine decides.
    beyond: usize,
    /// Violations that an abstract path turned out to be.
    violated: usize,
    /// Placements that were inferred, those that exploration verifies, and those without a fence.
    inferred: usize,
    confirmed: usize,
    empty: usize,
    /// Inferences by which no placement helps: for sure, or under the abstraction.
    broken: usize,
    unfixable: usize,
    /// Inferences that end at a limit.
    limits: usize,
}

const SET: usize = 0;
const FD: [usize; 3] = [1, 2, 3];
const PD: [usize; 2] = [4, 5];
const ABSTRACTIONS: [(Domain, usize); 6] = [
    (Domain::Set, 0),
    (Domain::Fd, 0),
    (Domain::Fd, 1),
    (Domain::Fd, 2),
    (Domain::Pd, 0),
    (Domain::Pd, 1),
];

/// Abstractions of which the first proves no more than the second.
const COARSER: [(usize, usize); 6] = [
    (SET, FD[0]),
    (FD[0], FD[1]),
    (FD[1], FD[2]),
    (PD[0], FD[0]),
    (PD[1], FD[1]),
    (PD[0], PD[1]),
];

fn compare(tree: &Tree) -> Result<Tally, String> {
    let case = Case::new(tree)?;
    let mut tally = Tally::default();
    for model in [Model::Tso, Model::Pso] {
        let exact = case.exactly(model);
        let said = ABSTRACTIONS.map(|abstraction| case.abstractly(model, abstraction));
        let is_proved = |number: usize| said[number] == Some(VerdictKind::Verified);
        tally.safe += usize::from(exact == VerdictKind::Verified);
        for (number, abstraction) in ABSTRACTIONS.iter().enumerate() {
            match (said[number], exact) {
                (Some(VerdictKind::Verified), VerdictKind::Violated)
                | (Some(VerdictKind::Violated), VerdictKind::Verified) => {
                    return Err(format!(
                        "{model}: {abstraction:?} says {said:?}, but {exact:?}"
                    ));
                }
                (Some(VerdictKind::Verified), VerdictKind::Unknown) => tally.beyond += 1,
                (Some(VerdictKind::Verified), VerdictKind::Verified) => tally.proved[number] += 1,
                (Some(VerdictKind::Violated), _) => tally.violated += 1,
                (Some(VerdictKind::Unknown) | None, _) => {}
            }
        }
        for (coarser, finer) in COARSER {
            // A finer abstraction may have more states than allowed.
            let limit = !is_proved(finer) && met_limit(&case, model, ABSTRACTIONS[finer]);
            if is_proved(coarser) && !is_proved(finer) && !limit {
                return Err(format!(
                    "{model}: {coarser} proves what {finer} does not: {said:?}"
                ));
            }
        }
        infer_fences(&case, model, &mut tally)?;
    }
    Ok(tally)
}

/// Whether an abstraction has more states than allowed.
fn met_limit(case: &Case, model: Model, abstraction: (Domain, usize)) -> bool {
    let program = (&case.checked, &IndexSet::new());
    let outcome = case.outcome(&mut engine(abstraction), program, model);
    let outcome = outcome.expect("it is supported");
    let mut log = outcome.log.iter();
    log.any(|attempt| attempt.stats.states >= MOST_STATES)
}

/// The places and abstractions with which fences are inferred.
const INFERENCES: [(PlaceKind, &[(Domain, usize)]); 3] = [
    (
        PlaceKind::Stores,
        &[
            (Domain::Set, 0),
            (Domain::Fd, 0),
            (Domain::Fd, 1),
            (Domain::Pd, 0),
            (Domain::Pd, 1),
        ],
    ),
    (PlaceKind::Loads, &[(Domain::Fd, 1)]),
    (PlaceKind::Optional, &[(Domain::Fd, 0), (Domain::Pd, 1)]),
];

/// Placements that are inferred are sufficient. That no placement helps is said only if fences at all places do not. Behind all
/// stores there is always a placement if the program is safe under SC.
fn infer_fences(case: &Case, model: Model, tally: &mut Tally) -> Result<(), String> {
    for (kind, abstractions) in INFERENCES {
        match Candidates::new(&case.file, &case.checked, Some(kind)) {
            Ok(candidates) => {
                for &(domain, k) in abstractions {
                    let abstraction = PartialCoherence { domain, k };
                    let said = infer_at(case, (&candidates, kind), (model, abstraction), tally);
                    said.map_err(|error| format!("{model}: {domain:?} {k}, {kind:?}: {error}"))?;
                }
            }
            Err(PlacesError::NoOptional) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

fn infer_at(
    case: &Case,
    (candidates, kind): (&Candidates, PlaceKind),
    (model, abstraction): (Model, PartialCoherence),
    tally: &mut Tally,
) -> Result<(), String> {
    let context = Context {
        limits: Limits {
            abstract_states: 10_000,
            ..Limits::default()
        },
        ..Context::default()
    };
    let inference = Inference {
        candidates,
        given: &FenceSet::default(),
        model,
        abstraction,
    };
    let inferred = infer(&inference, &context, &mut |_, _| {});
    let inferred = inferred.map_err(|error| error.to_string())?;
    let is_bare = (abstraction.domain, abstraction.k) == (Domain::Pd, 0);
    match inferred.end {
        InferenceEnd::Complete => {}
        InferenceEnd::Unfixable(_) if kind == PlaceKind::Stores && !is_bare => {
            return Err("it is unfixable".to_owned());
        }
        InferenceEnd::Unfixable(_) => tally.unfixable += 1,
        InferenceEnd::Limit(_) => tally.limits += 1,
        InferenceEnd::Broken(_) => {
            tally.broken += 1;
            let everywhere = names(candidates, &candidates.ids().collect());
            let fenced = case.explored(&candidates.checked, &everywhere, model);
            // Behind every store they leave what happens under SC.
            let none = IndexSet::new();
            let sc = match kind {
                PlaceKind::Stores => case.explored(&case.checked, &none, Model::Sc),
                _ => VerdictKind::Unknown,
            };
            if [fenced, sc].contains(&VerdictKind::Verified) {
                return Err("no fence is said to help".to_owned());
            }
        }
    }
    for placed in &inferred.placements {
        let fences = names(candidates, &placed.fences);
        let said = case.explored(&candidates.checked, &fences, model);
        if said == VerdictKind::Violated {
            return Err(format!("infers {fences:?}, which is not enough"));
        }
        tally.confirmed += usize::from(said == VerdictKind::Verified);
        tally.inferred += 1;
        tally.empty += usize::from(fences.is_empty());
    }
    Ok(())
}

/// Every other program is one for the backward search, with long buffers; the others have branches, arrays and places for
/// fences.
fn program(seed: u64) -> String {
    match seed % 2 {
        0 => backward::generate::program(seed / 2),
        _ => generate::program(seed / 2),
    }
}

fn tree(text: &str) -> Tree {
    let file = SourceFile::new("random.cup", text.to_owned());
    let checked = cupola::front::cup::load(&file);
    checked.expect("it is a program").tree
}

/// Never verified where an execution breaks a property; what is proved is confirmed; coarser abstractions prove no more;
/// inferred placements are sufficient.
#[test]
#[allow(clippy::print_stderr)] // The figures of a long run.
fn abstract_buffers_are_sound_and_ordered() {
    let mut total = Tally::default();
    let count = programs();
    for seed in 0..count {
        let tree = tree(&program(seed));
        match compare(&tree) {
            Ok(tally) => total.add(tally),
            Err(error) => {
                let valid = |tree: &Tree| cupola::front::cup::check(tree.clone()).is_ok();
                let smallest = shrink(tree, |tree| valid(tree) && compare(tree).is_err());
                let text = cupola::front::cup::print(&smallest);
                let message = compare(&smallest).expect_err("shrinking keeps the failure");
                panic!("seed {seed}: {error}\nshrunk: {message}\n{text}");
            }
        }
    }
    let count = usize::try_from(count).expect("not that many");
    eprintln!("{count} programs: {total:?}");
    assert!(total.safe > count / 2, "{total:?}");
    assert!(total.proved[FD[0]] > count / 4, "{total:?}");
    // Few programs need an order of stores to be proved.
    let differ = total.proved[FD[2]] > total.proved[SET];
    assert!(differ || count < 1_000, "{total:?}");
    assert!(total.violated > count, "{total:?}");
    assert!(total.inferred - total.empty > count / 2, "{total:?}");
    assert!(total.confirmed * 10 > total.inferred * 7, "{total:?}");
    assert!(total.broken > 0, "{total:?}");
    // Mostly a fence is needed where there is a place, or none helps at all.
    assert!(total.unfixable > 0 || count < 1_000, "{total:?}");
    // Of the twelve or sixteen inferences for a program.
    assert!(total.limits <= 2 * count, "{total:?}");
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.safe += other.safe;
        for (number, proved) in self.proved.iter_mut().enumerate() {
            *proved += other.proved[number];
        }
        self.beyond += other.beyond;
        self.violated += other.violated;
        self.inferred += other.inferred;
        self.confirmed += other.confirmed;
        self.broken += other.broken;
        self.unfixable += other.unfixable;
        self.empty += other.empty;
        self.limits += other.limits;
    }
}
