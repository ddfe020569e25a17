//! What is verified is safe: the abstraction is held against the explorer and against concrete runs.

use crate::support::compared::Compared;
use crate::support::examples::Expectation;
use crate::support::proofs::Proved;
use crate::support::random::Random;
use crate::support::walk::{Mover, Walk};
use crate::support::{entries, examples, random};
use boolprog_checker::ast::{Expr, StmtKind};
use boolprog_checker::{AbstractState, Followed, Follower, Options, Program, ThreadPosition};
use cupola::abstraction::{Abstraction, Transformers};
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::predicate::{
    self, Bound, Input, MethodChoice, PredicateConfig, abstracted, extrapolated,
};
use cupola::engine::{Context, Limits};
use cupola::front::cup::placement::Placement;
use cupola::logic::{Fact, Flag, Valuation};
use cupola::memory::Model;
use cupola::program::{LocId, ThreadId, VarId, lower};
use cupola::reduce::Reduction;
use cupola::semantics::HavocRange;
use cupola::verdict::{CubeSizes, Method, VerdictKind};
use indexmap::IndexSet;
use itertools::Itertools;

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

/// Largest cubes of updates and conditions: the usual ones, smaller and larger ones.
const CUBE_SIZES: [(usize, usize); 4] = [(2, 3), (1, 1), (2, 2), (3, 3)];

/// Whatever predicates are left, and whatever the method and the bound, a violated program is not
/// verified. Nothing is verified under SC before: most of it would end there.
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
    let bound = (expected.model, 1 + random.below(4));
    // The larger ones take long.
    let sizes = CUBE_SIZES.len() - usize::from(tries() <= METHODS.len());
    let (updates, conditions) = CUBE_SIZES[random.below(sizes)];
    let config = PredicateConfig {
        sizes: CubeSizes {
            updates,
            conditions,
        },
        ..PredicateConfig::default()
    };
    let fences = expected.fences.iter().cloned().collect();
    let verified = proves(&proved, bound, &fences, (method, &config));
    let sizes = (updates, conditions);
    assert!(
        !verified,
        "{name} {expected:?} {bound:?} {method:?} {sizes:?}"
    );
}

/// Whether one try with a method verifies the program; cube extrapolation gets its cubes before, if
/// the program is verified under SC.
fn proves(
    proved: &Proved,
    (model, k): (Model, usize),
    fences: &IndexSet<String>,
    (method, config): (Method, &PredicateConfig),
) -> bool {
    let context = Context {
        limits: Limits {
            abstract_states: proved.max_states,
            ..Limits::default()
        },
        ..Context::default()
    };
    let input = proved.input();
    let completed = (method == Method::Ce)
        .then(|| predicate::prove(&input, config, &context).expect("numbers are small"))
        .and_then(|proved| proved.proof);
    let input = Input {
        proof: completed.as_ref().unwrap_or(input.proof),
        ..input
    };
    let bound = (model, &entries(k));
    let (how, stop) = (Transformers::Optimized, &context.stop);
    let stage = predicate::stage(&input, bound, fences, how, stop);
    let stage = stage.expect("the program can be reduced");
    let tried = predicate::attempt(&input, &stage, method, config, &context);
    tried.expect("it can be tried").verdict.kind() == VerdictKind::Verified
}

/// The example of section 2.2: its proof is one, and yet it proves nothing that is wrong.
#[test]
fn the_unsoundness_example_is_not_verified() {
    let proved = Proved::example("unsoundness");
    let named = |names: &[&str]| -> IndexSet<String> {
        let names = names.iter().map(|name| (*name).to_owned());
        names.collect()
    };
    let proves = |bound, method, fences: &[&str]| {
        let how = (method, &PredicateConfig::default());
        proves(&proved, bound, &named(fences), how)
    };
    assert!(proves((Model::Sc, 1), Method::Trad, &[]));
    for model in [Model::Tso, Model::Pso] {
        assert!(proves((model, 1), Method::Pe, &["a", "b"]));
        for fences in [&[][..], &["a"], &["b"]] {
            for (method, k) in METHODS.into_iter().cartesian_product([1, 2]) {
                let verified = proves((model, k), method, fences);
                assert!(!verified, "{model} {fences:?} {method:?} k = {k}");
            }
            let how = (Bound::Auto(2), MethodChoice::Auto);
            let placement = Placement::Named(named(fences).into_iter().collect());
            let report = proved.verify(&[model], how, placement);
            assert!(!report.is_verified(), "{}", report.text());
        }
    }
}

/// The sum in the invariant is -2^128, which 128 bits would take for 0.
#[test]
fn initial_values_too_large_to_add_up_prove_nothing() {
    let (most, least): (i64, i64) = ((1 << 54) - 1, i64::MIN);
    let elements = ["x", "y", "z"].map(|name| (0..1024).map(move |i| format!("{name}[{i}]")));
    let elements = elements.into_iter().flatten();
    let factors = std::iter::repeat_n(most, 2048).chain([2048]);
    let terms: Vec<String> = factors
        .zip(elements)
        .map(|(factor, element)| format!("{factor} * {element}"))
        .collect();
    let groups = terms
        .chunks(50)
        .map(|group| format!("({})", group.join(" + ")));
    let sum = groups.collect::<Vec<_>>().join(" + ");
    let program = format!(
        "shared x[1024] = {least}, y[1024] = {least}, z[1024] = {least};
        thread P {{ skip; }} invariant zero: {sum} == 0;"
    );
    let proved = Proved::new("sum.cup", &program, None);
    for method in [Method::Trad, Method::Lazy] {
        let how = (method, &PredicateConfig::default());
        assert!(!proves(&proved, (Model::Sc, 1), &IndexSet::new(), how));
    }
}

/// What is verified under a model is not violated under it or under a stronger one.
#[test]
fn verified_programs_are_not_violated_under_stronger_models() {
    let mut total = Compared::default();
    for seed in 0..random_programs() {
        let text = cupola::front::cup::print(&random::program(seed));
        let mut proved = Proved::new("random.cup", &text, None);
        proved.max_states = 20_000;
        total += verified_and_not_violated(&proved, &format!("seed {seed}\n{text}"));
    }
    total.assert_percent(35);
}

/// An example that is verified with a placement is not violated with it under the model or a
/// stronger one.
#[test]
fn verified_examples_are_not_violated_under_stronger_models() {
    let mut total = Compared::default();
    for example in examples::all() {
        let mut proved = Proved::example(&example.name);
        proved.max_states = 10_000;
        total += verified_and_not_violated(&proved, &example.name);
    }
    total.assert_percent(30);
}

/// Where the program is verified under a model, it is not violated under it or under a stronger one. Of
/// the models, those count as compared under which it is verified and the explorer saw it to be safe.
fn verified_and_not_violated(proved: &Proved, name: &str) -> Compared {
    let mut total = Compared::default();
    for (model, stronger) in STRONGER {
        let how = (Bound::Auto(2), MethodChoice::Only(Method::Pe));
        let report = proved.verify(&[model], how, Placement::Declared);
        if !report.is_verified() {
            total.count(false);
            continue;
        }
        let fences = declared(proved, model);
        let mut all_safe = true;
        for model in stronger {
            let verdict = explored(proved, *model, &fences);
            assert_ne!(verdict, VerdictKind::Violated, "{model}: {name}");
            all_safe &= verdict == VerdictKind::Verified;
        }
        total.count(all_safe);
    }
    total
}

fn declared(proved: &Proved, model: Model) -> IndexSet<String> {
    Placement::Declared
        .in_force(&proved.checked, model)
        .expect("the program's own places")
}

fn explored(proved: &Proved, model: Model, fences: &IndexSet<String>) -> VerdictKind {
    let config = ExploreConfig {
        buffer: 3,
        max_states: 100_000,
        havoc: HavocRange::new(-1, 2).expect("there are values"),
        outcomes: false,
        ..ExploreConfig::default()
    };
    let program = lower(&proved.checked, fences);
    let explored = explore(&program, model, &config, &Context::default());
    explored.expect("it has no background blocks").kind()
}

/// Every state of a random run of a reduced program is inside an abstract state.
#[test]
fn concrete_runs_stay_inside_the_abstract_states() {
    let walks = walk_all();
    assert!(walks.stopped * 5 < walks.taken, "{walks:?}");
    assert!(walks.steps >= 20 * walks.taken, "{walks:?}");
}

/// How the walks went.
#[derive(Debug, Default)]
struct Walks {
    taken: usize,
    steps: usize,
    /// Walks that came to an assertion in the code which fails in the abstraction: behind it there
    /// is nothing left to prove, and the abstract search may stop.
    stopped: usize,
}

/// Walks through all examples under all models, with all bounds that `verify` tries.
fn walk_all() -> Walks {
    let mut walks = Walks::default();
    for example in examples::all() {
        let proved = Proved::example(&example.name);
        for model in Model::ALL {
            let bounds = if model == Model::Sc { 1..=1 } else { 1..=4 };
            for k in bounds {
                let walked = Abstracted::new(&proved, model, k).walk(&mut walks);
                assert_eq!(walked, Ok(()), "{} {model} k = {k}", example.name);
            }
        }
    }
    walks
}

/// The walks would notice a wrong boolean program: one whose assignment writes the opposite values.
#[test]
fn concrete_runs_leave_the_states_of_a_wrong_abstraction() {
    let mut this = Abstracted::new(&Proved::example("peterson"), Model::Pso, 1);
    let right = this.built.program.clone();
    let (mut wrong, mut noticed) = (0, 0);
    for place in 0..right.tree().procedures[0].body.len() {
        let mut tree = right.tree().clone();
        let StmtKind::Assign { values, .. } = &mut tree.procedures[0].body[place].kind else {
            continue;
        };
        values.iter_mut().for_each(turn_over);
        this.built.program = Program::new(tree).expect("it is a program");
        wrong += 1;
        noticed += usize::from(this.walk(&mut Walks::default()).is_err());
    }
    // What is written may be unknown either way, or be behind an overflow.
    assert!(2 * noticed > wrong, "{noticed} of {wrong}");
}

fn turn_over(value: &mut Expr) {
    *value = match value.clone() {
        Expr::Schoose(positive, negative) => Expr::Schoose(negative, positive),
        other => other.negated(),
    };
}

/// A reduced program and its abstraction.
struct Abstracted {
    stage: Reduction,
    built: Abstraction,
}

impl Abstracted {
    fn new(proved: &Proved, model: Model, k: usize) -> Self {
        let (input, config) = (proved.input(), PredicateConfig::default());
        let stage = proved.stage(model, k);
        let proof = extrapolated(&input, &stage, Method::Pe, &config.extrapolate)
            .expect("numbers are small");
        let method = (&proof, Method::Pe);
        let built = abstracted(&input, &stage, method, &config, &Context::default())
            .expect("numbers are small");
        Self { stage, built }
    }

    /// Walks at random and follows each walk; tells where a follower is lost.
    fn walk(&self, walks: &mut Walks) -> Result<(), String> {
        for seed in 0..20 {
            let mut walk = Walk::new(&self.stage.program, seed);
            let mut follower = Follower::new(&self.built.program, &Options::default());
            let mut slot = ENVIRONMENT;
            walks.taken += 1;
            for step in 0..60 {
                let rests = |state: &AbstractState| self.rests(slot, state);
                match follower.follow(slot, rests, |state| self.is_inside(&walk, state)) {
                    Followed::Inside => walks.steps += 1,
                    Followed::Failed => {
                        walks.stopped += 1;
                        break;
                    }
                    Followed::Lost => return Err(format!("run {seed}, step {step}: {walk:?}")),
                }
                slot = match walk.step() {
                    Some(Mover::Thread(number)) => number + 1,
                    Some(Mover::Background) => ENVIRONMENT,
                    None => break,
                };
            }
        }
        Ok(())
    }

    /// Whether a thread stands at the label of a location, or the environment waits: it has taken a whole step.
    fn rests(&self, slot: usize, state: &AbstractState) -> bool {
        let mut thread = state.threads.iter().filter(|thread| thread.slot == slot);
        let next = thread.next().and_then(|thread| thread.next);
        let labels = next.map(|next| &self.built.program.stmt(next).labels);
        let is_location = |name: &str| name == "env" || name.matches('_').count() == 1;
        let mut labels = labels.into_iter().flatten();
        labels.any(|label| is_location(&label.name) && !label.name.starts_with("env_"))
    }

    /// Whether the threads stand where they do in the walk, the environment waits, and the predicates
    /// have the values that they have there.
    fn is_inside(&self, walk: &Walk<'_>, state: &AbstractState) -> bool {
        let at = |(thread, location): (ThreadId, &LocId)| {
            format!("t{}_{}", thread.index(), location.index())
        };
        let threads = self.stage.program.thread_ids().zip(&walk.locations).map(at);
        let wanted: Vec<String> = std::iter::once("env".to_owned()).chain(threads).collect();
        let stands_at = |(thread, wanted): (&ThreadPosition, &String)| {
            let next = thread.next.map(|next| self.built.program.stmt(next));
            next.is_some_and(|stmt| stmt.labels.iter().any(|label| label.name == *wanted))
        };
        let mut values = self.built.predicates.iter().zip(&state.globals);
        state.threads.len() == wanted.len()
            && state.threads.iter().zip(&wanted).all(stands_at)
            && values.all(|(predicate, known)| {
                let value = predicate.formula.eval(&Concrete(walk));
                known.is_none_or(|known| known == value.expect("values are small"))
            })
    }
}

/// The thread of the boolean program that runs the background blocks; the others come after it.
const ENVIRONMENT: usize = 0;

struct Concrete<'a, 'p>(&'a Walk<'p>);

impl Valuation for Concrete<'_, '_> {
    fn value(&self, var: VarId) -> i128 {
        i128::from(self.0.values[var.index()])
    }

    fn holds(&self, flag: &Flag) -> bool {
        flag.locations
            .contains(&self.0.locations[flag.thread.index()])
    }

    fn satisfies(&self, _: &Fact) -> bool {
        unreachable!("slots have no facts")
    }
}
