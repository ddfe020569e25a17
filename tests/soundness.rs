//! What is verified is safe: the abstraction is held against the explorer and against concrete runs.

#![allow(clippy::print_stderr, reason = "the long test tells what it left out")]

mod support;

use boolprog_checker::{AbstractState, Limits, Mode, Options};
use cupola::abstraction::{Abstraction, PropertyKind};
use cupola::explore::{ExploreConfig, Star, Verdict, explore};
use cupola::lang::placement::Placement;
use cupola::logic::{Flag, Valuation};
use cupola::model::Model;
use cupola::pipeline::{
    self, Bound, MethodChoice, PipelineConfig, Stage, abstracted, extrapolated,
};
use cupola::program::{LocId, ThreadId, VarId, lower};
use cupola::report::Method;
use indexmap::{IndexMap, IndexSet};
use support::examples::Expectation;
use support::proofs::Proved;
use support::random::Random;
use support::walk::Walk;
use support::{examples, random};

/// The relaxed models, each with all that allow no more executions, itself included.
const STRONGER: [(Model, &[Model]); 2] = [
    (Model::Pso, &[Model::Sc, Model::Tso, Model::Pso]),
    (Model::Tso, &[Model::Sc, Model::Tso]),
];

const METHODS: [Method; 4] = [Method::Pe, Method::Ce, Method::Lazy, Method::Trad];

/// How many random programs are tried; `CUPOLA_RANDOM_PROGRAMS` sets another number.
fn random_programs() -> u64 {
    let setting = std::env::var("CUPOLA_RANDOM_PROGRAMS").ok();
    setting.map_or(40, |text| text.parse().expect("a number"))
}

/// How many ways of verifying each violated example are tried; `CUPOLA_TRIES` sets another number.
fn tries() -> usize {
    let setting = std::env::var("CUPOLA_TRIES").ok();
    setting.map_or(4, |text| text.parse().expect("a number"))
}

/// Whatever predicates are left, and whatever the method and the bound, a violated program is not
/// verified.
#[test]
fn violated_examples_are_never_verified() {
    let mut random = Random::new(1);
    for example in examples::all() {
        for expected in example.header.expectations.iter().filter(|e| !e.safe) {
            for number in 0..tries() {
                // Each method in turn; in the first round about half of them with all predicates.
                let method = METHODS[number % METHODS.len()];
                let subset = number >= METHODS.len() || random.one_in(2);
                never_verified(&example.name, expected, method, subset, &mut random);
            }
        }
    }
}

fn never_verified(
    name: &str,
    expected: &Expectation,
    method: Method,
    subset: bool,
    random: &mut Random,
) {
    let mut proved = Proved::example(name);
    proved.max_states = 20_000;
    if subset {
        let kept = 2 + random.below(3);
        proved.proof.predicates.retain(|_| !random.one_in(kept));
        proved.proof.cubes = None;
    }
    let how = (
        Bound::Fixed(1 + random.below(3)),
        MethodChoice::Only(method),
    );
    let placement = Placement::Named(expected.fences.clone());
    let report = proved.verify(&[expected.model], how, placement);
    let told = report.text();
    assert!(!report.is_verified(), "{name} {expected:?} {how:?}\n{told}");
}

#[test]
fn the_unsoundness_example_is_not_verified_under_pso() {
    let program = "shared X, Y;
        thread P { local r; r = Y; X = r + 1; fence; }
        thread Q { local s; s = X; Y = s + 1; fence; assert(X != Y, \"different\"); }";
    let proof = "predicates { X == Y; X == 1; Y == 1; X == 0; Y == 0;
        P.r == 0; P.r == 1; Q.s == 0; Q.s == 1; X == P.r + 1; Y == Q.s + 1; }";
    let proved = Proved::new("unsoundness", program, Some(proof));
    for method in METHODS
        .map(MethodChoice::Only)
        .into_iter()
        .chain([MethodChoice::Auto])
    {
        for bound in [Bound::Fixed(1), Bound::Auto(2)] {
            let report = proved.verify(&[Model::Pso], (bound, method), Placement::Declared);
            assert!(!report.is_verified(), "{method:?}\n{}", report.text());
        }
    }
}

/// What is verified under a model is not violated under it or under a stronger one.
#[test]
fn verified_programs_are_not_violated_under_stronger_models() {
    let mut verified = 0;
    for seed in 0..random_programs() {
        let text = cupola::lang::print(&random::program(seed));
        let mut proved = Proved::new("random.cup", &text, None);
        proved.max_states = 20_000;
        verified += verified_and_not_violated(&proved, &format!("seed {seed}\n{text}"));
    }
    assert!(
        verified * 20 >= random_programs(),
        "only {verified} verified"
    );
}

/// An example that is verified with a placement is not violated with it under the model or a
/// stronger one.
#[test]
fn verified_examples_are_not_violated_under_stronger_models() {
    let mut verified = 0;
    for example in examples::all() {
        let mut proved = Proved::example(&example.name);
        proved.max_states = 10_000;
        verified += verified_and_not_violated(&proved, &example.name);
    }
    assert!(verified >= 20, "only {verified} are verified");
}

/// The number of models under which the program is verified; it is not violated under any of them, or
/// under a stronger one.
fn verified_and_not_violated(proved: &Proved, name: &str) -> u64 {
    let mut verified = 0;
    for (model, stronger) in STRONGER {
        let how = (Bound::Auto(2), MethodChoice::Only(Method::Pe));
        let report = proved.verify(&[model], how, Placement::Declared);
        if !report.is_verified() {
            continue;
        }
        verified += 1;
        let fences = declared(proved, model);
        for model in stronger {
            let verdict = explored(proved, *model, &fences);
            assert_ne!(verdict, Verdict::Violated, "{model}: {name}");
        }
    }
    verified
}

fn declared(proved: &Proved, model: Model) -> IndexSet<String> {
    Placement::Declared
        .in_force(&proved.checked, model)
        .expect("the program's own places")
}

fn explored(proved: &Proved, model: Model, fences: &IndexSet<String>) -> Verdict {
    let config = ExploreConfig {
        buffer: 3,
        max_states: 100_000,
        star: Star::new(-1, 2).expect("there are values"),
        outcomes: false,
        ..ExploreConfig::default()
    };
    let explored = explore(&lower(&proved.checked, fences), model, &config);
    explored.expect("it has no background blocks").verdict
}

/// Every state of a random run of a reduced program is covered by an abstract state.
#[test]
fn concrete_runs_stay_inside_the_abstract_states() {
    let far = Far {
        bounds: &[1, 2],
        most_predicates: 40,
        max_states: 20_000,
    };
    let left_out = far.walk();
    let walked = 5 * examples::all().len() - left_out.len();
    assert!(walked >= 60, "left out: {left_out:?}");
}

#[test]
#[ignore = "takes many minutes; `make exhaustive` runs it"]
fn concrete_runs_stay_inside_the_abstract_states_up_to_the_largest_bound() {
    let far = Far {
        bounds: &[1, 2, 3, 4],
        most_predicates: usize::MAX,
        max_states: 200_000,
    };
    eprintln!("left out: {:#?}", far.walk());
}

/// How far walks go.
struct Far {
    bounds: &'static [usize],
    most_predicates: usize,
    max_states: usize,
}

impl Far {
    /// Walks through all examples under all models; says which were left out because their
    /// predicates or abstract states are too many, or the states do not go on to the end.
    fn walk(&self) -> Vec<String> {
        let mut left_out = Vec::new();
        for example in examples::all() {
            let proved = Proved::example(&example.name);
            for model in Model::ALL {
                let bounds = if model == Model::Sc {
                    &[1]
                } else {
                    self.bounds
                };
                for k in bounds {
                    let name = format!("{} {model} k = {k}", example.name);
                    if !walk_inside(&proved, (model, *k), self, &name) {
                        left_out.push(name);
                    }
                }
            }
        }
        left_out
    }
}

/// Walks at random; false if that is too far.
fn walk_inside(proved: &Proved, (model, k): (Model, usize), far: &Far, name: &str) -> bool {
    let config = PipelineConfig::default();
    let stage = pipeline::stage(&proved.task(), model, k, &Placement::Declared)
        .expect("the example can be reduced");
    let proof = extrapolated(&proved.task(), &stage, Method::Pe, &config.extrapolate)
        .expect("numbers are small");
    if proof.predicates.len() > far.most_predicates {
        return false;
    }
    let built =
        abstracted(&proved.task(), &stage, &proof, Method::Pe, &config).expect("numbers are small");
    let options = Options {
        mode: Mode::ThreeValued,
        limits: Limits {
            max_states: far.max_states,
            ..Limits::default()
        },
        ..Options::default()
    };
    if an_assertion_in_the_code_fails(&built, &options) {
        return false;
    }
    let Ok(states) = boolprog_checker::reachable_states(&built.program, &options) else {
        return false;
    };
    let by_position = by_position(&built, &states);
    for seed in 0..20 {
        let mut walk = Walk::new(&stage.reduced, seed);
        for step in 0..60 {
            let covered = is_covered(&built, &stage, &by_position, &walk);
            assert!(covered, "{name}, run {seed}, step {step}:\n{walk:?}");
            if !walk.step() {
                break;
            }
        }
    }
    true
}

/// Behind an assertion that fails the abstract search may stop: there is nothing left to prove.
fn an_assertion_in_the_code_fails(built: &Abstraction, options: &Options) -> bool {
    let outcome = boolprog_checker::check(&built.program, options);
    outcome.assertions.iter().any(|report| {
        let tag = built.program.stmt(report.stmt).origin.tag;
        let origin = &built.origins[tag.expect("assertions are tagged") as usize];
        let property = origin.property.as_ref().expect("it stands for a property");
        report.finding.verdict() != boolprog_checker::Verdict::Verified
            && property.kind != PropertyKind::Overflow
            && origin.edge.is_some()
    })
}

type ByPosition<'a> = IndexMap<Vec<Vec<String>>, Vec<&'a AbstractState>>;

/// The abstract states in which the environment waits, by the labels where the threads stand.
fn by_position<'a>(built: &Abstraction, states: &'a [AbstractState]) -> ByPosition<'a> {
    let mut map: ByPosition<'_> = IndexMap::new();
    for state in states {
        let labels = state.threads.iter().map(|thread| match thread.next {
            Some(stmt) => {
                let labels = built.program.stmt(stmt).labels.iter();
                labels.map(|label| label.name.clone()).collect()
            }
            None => Vec::new(),
        });
        map.entry(labels.collect()).or_default().push(state);
    }
    map
}

fn is_covered(
    built: &Abstraction,
    stage: &Stage,
    states: &ByPosition<'_>,
    walk: &Walk<'_>,
) -> bool {
    let at = |(thread, location): (ThreadId, &LocId)| {
        format!("t{}_{}", thread.index(), location.index())
    };
    let threads = stage.reduced.thread_ids().zip(&walk.locations).map(at);
    let wanted: Vec<String> = std::iter::once("env".to_owned()).chain(threads).collect();
    let values = built
        .predicates
        .iter()
        .map(|p| p.formula.eval(&Concrete(walk)));
    let values: Vec<bool> = values
        .map(|value| value.expect("values are small"))
        .collect();
    let same_place = states.iter().filter(|(labels, _)| {
        labels.len() == wanted.len() && labels.iter().zip(&wanted).all(|(l, w)| l.contains(w))
    });
    same_place.flat_map(|(_, states)| states).any(|state| {
        let mut pairs = state.globals.iter().zip(&values);
        pairs.all(|(known, value)| known.is_none_or(|known| known == *value))
    })
}

struct Concrete<'a, 'p>(&'a Walk<'p>);

impl Valuation for Concrete<'_, '_> {
    fn value(&self, var: VarId) -> i128 {
        i128::from(self.0.values[var.index()])
    }

    fn holds(&self, flag: &Flag) -> bool {
        flag.locations
            .contains(&self.0.locations[flag.thread.index()])
    }
}
