//! Proofs with buffers of any length, held against exploration and against concrete runs.
//!
//! The random programs store in endless loops without fences, and some of their variables have several writers. The proofs
//! are made from comparisons of variables.

use cupola::abstraction::lazy::{self, LazyFinding, LazyLimits, LazyOutcome, Unknowns, Values};
use cupola::certify::{self, Solver};
use cupola::engine::Context;
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::predicate::{self, PredicateConfig, extrapolated, fifo_stage};
use cupola::extrapolate::{ExtrapolateConfig, Tail};
use cupola::logic::{Fact, Flag, Predicate, Quantifier, Valuation};
use cupola::memory::{Buffers, Model};
use cupola::program::{Fifo, LocId, VarId, lower};
use cupola::reduce::Reduction;
use cupola::run::stop::Stop;
use cupola::verdict::{CubeSizes, Method, Settings, VerdictKind};
use indexmap::IndexSet;

use super::support::proofs::Proved;
use super::support::random::Random;
use super::support::walk::Walk;

/// How many programs: few in the suite, 20,000 in `make unbounded`.
fn count() -> u64 {
    let wanted = std::env::var("CUPOLA_RANDOM_PROGRAMS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// One of so many verified programs has its certificate checked.
const CERTIFIED: u32 = 8;

/// What is stored in a loop, and read in another one.
fn random_program(seed: u64) -> (String, String) {
    let mut random = Random::new(seed);
    let stores = [
        "x = i;",
        "y = i;",
        "x = i; y = i;",
        "y = i; x = i;",
        "x = 1;",
        "y = 0;",
    ];
    let mut body = String::from("i = i + 1;");
    for _ in 0..1 + random.below(2) {
        body += random.pick(&stores);
    }
    let reads = [
        "r = x; s = y;",
        "r = y; s = x;",
        "s = r; r = x;",
        "s = r; r = y;",
        "r = x; s = x;",
    ];
    let other = ["", "", "x = r;", "y = 0;", "x = 1;"];
    // With what else a proof needs.
    let claims = [
        ("r <= s", ""),
        ("s <= r", ""),
        ("r >= 0", "x >= 0; y >= 0; i >= 0;"),
        ("r <= 1", "x <= 1; y <= 1;"),
        ("r <= s + 1", "x <= y + 1; y <= x + 1;"),
    ];
    let read = format!("{} {}", random.pick(&reads), random.pick(&other));
    let (claim, more) = random.pick(&claims);
    let program = format!(
        "shared x, y; thread P {{ local i; loop {{ {body} }} }}
        thread Q {{ local r, s; loop {{ {read} assert({claim}, \"claim\"); }} }}"
    );
    let proof = format!(
        "predicates {{ {claim}; {more} x <= y; y <= x; x <= i; y <= i; r <= x; s <= x; r <= y; s <= y; }}"
    );
    (program, proof)
}

/// A program whose FIFO reduction was searched.
struct Searched {
    stage: Reduction,
    predicates: Vec<Predicate>,
    outcome: LazyOutcome,
}

fn search(proved: &Proved, model: Model, tail: Tail, unknowns: Unknowns) -> Searched {
    let input = proved.input();
    let stage = fifo_stage(&input, model, &IndexSet::new()).expect("it can be reduced");
    let rules = ExtrapolateConfig {
        tail,
        ..ExtrapolateConfig::default()
    };
    let proof = extrapolated(&input, &stage, Method::Lazy, &rules).expect("numbers are small");
    let limits = LazyLimits {
        max_states: 1_000,
        max_calls: 2_000,
        stop: Stop::default(),
        differences: true,
    };
    let outcome = lazy::search(&stage.program, &proof.predicates, &[], unknowns, limits);
    Searched {
        outcome: outcome.expect("numbers are small"),
        predicates: proof.predicates,
        stage,
    }
}

impl Searched {
    fn is_verified(&self) -> bool {
        matches!(self.outcome.finding, LazyFinding::Verified)
    }

    /// Random runs of 100 steps stay inside the abstract states.
    fn walk(&self, name: &str) {
        for seed in 0..4 {
            let mut walk = Walk::new(&self.stage.program, seed);
            for step in 0..100 {
                assert!(
                    self.is_inside(&walk),
                    "{name}, run {seed}, step {step}: {walk:?}"
                );
                if walk.step().is_none() {
                    break;
                }
            }
        }
    }

    fn is_inside(&self, walk: &Walk<'_>) -> bool {
        let values = self.predicates.iter();
        let values = values.map(|p| p.formula.eval(&Concrete(walk)).expect("values are small"));
        let values: Vec<bool> = values.collect();
        let fits = |known: &Values| {
            let mut pairs = known.iter().zip(&values);
            pairs.all(|(known, value)| known.is_none_or(|known| known == *value))
        };
        let at = |locations: &Vec<LocId>| *locations == walk.locations;
        let mut states = self.outcome.invariant.iter();
        states.any(|(locations, known)| at(locations) && fits(known))
    }
}

/// A state of a run; facts are evaluated on the entries.
struct Concrete<'a, 'p>(&'a Walk<'p>);

impl Concrete<'_, '_> {
    fn entries(&self, fifo: &Fifo) -> &[Vec<i64>] {
        &self.0.fifos[fifo.id.index()]
    }
}

impl Valuation for Concrete<'_, '_> {
    fn value(&self, var: VarId) -> i128 {
        i128::from(self.0.values[var.index()])
    }

    fn holds(&self, flag: &Flag) -> bool {
        flag.locations
            .contains(&self.0.locations[flag.thread.index()])
    }

    fn satisfies(&self, fact: &Fact) -> bool {
        let entries = self.entries(&fact.fifo);
        let says = |bound: &[&Vec<i64>]| {
            let named = fact.bound();
            let pairs = named.iter().zip(bound);
            let pairs = pairs.flat_map(|(vars, entry)| vars.iter().zip(entry.iter()));
            let with = Bound {
                state: self,
                entries: pairs.map(|(var, value)| (*var, *value)).collect(),
            };
            fact.body().eval(&with).expect("values are small")
        };
        match fact.quantifier {
            Quantifier::Every => entries.iter().all(|entry| says(&[entry])),
            Quantifier::Before => (0..entries.len()).all(|older| {
                let mut younger = entries[older + 1..].iter();
                younger.all(|younger| says(&[&entries[older], younger]))
            }),
        }
    }
}

/// A state with values for the entries that a fact binds.
struct Bound<'a, 'b, 'p> {
    state: &'a Concrete<'b, 'p>,
    entries: Vec<(VarId, i64)>,
}

impl Valuation for Bound<'_, '_, '_> {
    fn value(&self, var: VarId) -> i128 {
        let bound = self.entries.iter().find(|(bound, _)| *bound == var);
        bound.map_or_else(|| self.state.value(var), |(_, value)| i128::from(*value))
    }

    fn holds(&self, flag: &Flag) -> bool {
        self.state.holds(flag)
    }

    fn satisfies(&self, fact: &Fact) -> bool {
        self.state.satisfies(fact)
    }
}

/// The certificate of what was verified is accepted.
fn certify(proved: &Proved, model: Model, unknowns: Unknowns, name: &str) {
    let settings = Settings {
        method: Some(Method::Lazy),
        buffers: Some(Buffers::Fifos),
        cube_sizes: Some(CubeSizes::default()),
        split: unknowns == Unknowns::Split,
        found: None,
        coherence: None,
    };
    let (subject, fences) = (proved.subject(), IndexSet::new());
    let task = subject.task(model, &fences);
    let (config, context) = (PredicateConfig::default(), Context::default());
    let made = predicate::certificate(&task, &settings, &config, &context);
    let made = made.unwrap_or_else(|error| panic!("{name}: {error}"));
    let stored = certify::prepare(&made).expect("a certificate");
    let report = certify::check(&stored, &Solver::Library).expect("Z3 answers");
    assert_eq!(report.verdict, certify::Verdict::Accepted, "{name}");
}

/// What came out of some programs.
#[derive(Debug, Default)]
struct Tally {
    verified: u32,
    /// Those that are not verified without facts.
    with_facts: u32,
    /// Those in whose search unknowns are split.
    split: u32,
    certified: u32,
}

/// What is verified is not violated in any exploration with buffers up to 8, concrete runs stay inside, and at least half of
/// what is verified needs facts.
#[allow(clippy::print_stdout, reason = "it says what was compared")]
fn hold_against_exploration(seeds: impl Iterator<Item = u64>) {
    let mut tally = Tally::default();
    for seed in seeds {
        let (text, proof) = random_program(seed);
        let proved = Proved::new("random.cup", &text, Some(&proof));
        for model in [Model::Tso, Model::Pso] {
            let name = format!("seed {seed}, {model}\n{text}");
            // Splitting takes longer.
            let unknowns = match seed % 5 {
                0 => Unknowns::Split,
                _ => Unknowns::Kept,
            };
            let found = search(&proved, model, Tail::Ordered, unknowns);
            if !found.is_verified() {
                continue;
            }
            let config = ExploreConfig {
                buffer: 8,
                max_states: 20_000,
                ..ExploreConfig::default()
            };
            let program = lower(&proved.checked, &IndexSet::new());
            let explored = explore(&program, model, &config, &Context::default());
            let explored = explored.expect("it has no background blocks").kind();
            assert_ne!(explored, VerdictKind::Violated, "{name}");
            found.walk(&name);
            if tally.verified % CERTIFIED == 0 {
                certify(&proved, model, unknowns, &name);
                tally.certified += 1;
            }
            let without = search(&proved, model, Tail::Forget, unknowns);
            tally.verified += 1;
            tally.split += u32::from(unknowns == Unknowns::Split);
            tally.with_facts += u32::from(!without.is_verified());
        }
    }
    println!("{tally:?}");
    assert!(
        tally.certified > 0 && 2 * tally.with_facts >= tally.verified,
        "{tally:?}"
    );
}

#[test]
fn what_is_verified_with_fifos_is_not_violated() {
    hold_against_exploration((0..count()).filter(|seed| seed % 2 == 0));
}

#[test]
fn what_is_verified_with_fifos_is_not_violated_either() {
    hold_against_exploration((0..count()).filter(|seed| seed % 2 == 1));
}
