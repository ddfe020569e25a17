//! One program under one model: what the predicate engine says, and what contradicts it.

use std::fmt::{self, Display, Formatter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use cupola::certify::{self, Effort, Solver};
use cupola::engine::explore::{self, ExploreConfig};
use cupola::engine::portfolio::Portfolio;
use cupola::engine::predicate::{
    self, Bound, MethodChoice, NoCertificate, Predicate, PredicateConfig,
};
use cupola::engine::{Context, Limits};
use cupola::extrapolate::ExtrapolateConfig;
use cupola::front::cup::ast::Tree;
use cupola::front::cup::placement::Placement;
use cupola::memory::{Buffers, Model};
use cupola::program::lower;
use cupola::render::{self, Page};
use cupola::run::stop::Stop;
use cupola::semantics::HavocRange;
use cupola::semantics::interpreter::replay;
use cupola::verdict::{Evidence, Method, ModelResult, Settings, Verdict, VerdictKind};

use crate::support::proofs::Proved;

/// What the checker of boolean programs may store.
const STATES: usize = 30_000;

/// When a program is given up: rare ones have very many predicates.
const TIME: Duration = Duration::from_secs(20);

/// When the solver is given up that checks a certificate, which is a failure.
const CERTIFY_TIME: Duration = Duration::from_secs(120);

/// How a program is verified.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    method: MethodChoice,
    rules: bool,
    keep_slots: bool,
}

impl Way {
    /// All of them; the first one is the usual one.
    pub const ALL: [Self; 6] = [
        Self::with(MethodChoice::Auto),
        Self::with(MethodChoice::Only(Method::Pe)),
        Self::with(MethodChoice::Only(Method::Ce)),
        Self::with(MethodChoice::Only(Method::Lazy)),
        Self {
            rules: true,
            ..Self::with(MethodChoice::Only(Method::Pe))
        },
        Self {
            keep_slots: true,
            ..Self::with(MethodChoice::Auto)
        },
    ];

    /// Whether it is what `cupola verify` does.
    pub fn is_usual(self) -> bool {
        self.method == MethodChoice::Auto && !self.keep_slots
    }

    fn config(self) -> PredicateConfig {
        PredicateConfig {
            bound: Bound::Auto(4),
            method: self.method,
            extrapolate: ExtrapolateConfig {
                rule4: self.rules,
                ..ExtrapolateConfig::default()
            },
            keep_slots: self.keep_slots,
            ..PredicateConfig::default()
        }
    }

    const fn with(method: MethodChoice) -> Self {
        Self {
            method,
            rules: false,
            keep_slots: false,
        }
    }
}

/// What came out, with nothing wrong about it.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// What the explorer says.
    pub explored: VerdictKind,
    /// What the predicate engine says.
    pub verdict: VerdictKind,
    /// The bound of the last try.
    pub k: usize,
    /// Whether it was found in the usual way.
    pub usual: bool,
}

/// What went wrong.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The program is verified and violated.
    Verified,
    /// The certificate is not accepted; why not.
    Certificate(String),
    /// The violation is none; why not.
    Violation(String),
    /// The engine panics.
    Panic,
}

impl Failure {
    /// Whether they are about the same thing.
    pub fn same_kind(&self, other: &Failure) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Verified => f.write_str("verified, but the explorer finds a violation"),
            Failure::Certificate(reason) => write!(f, "the certificate is not accepted: {reason}"),
            Failure::Violation(reason) => write!(f, "the violation is not real: {reason}"),
            Failure::Panic => f.write_str("the engine panics"),
        }
    }
}

/// The text of a program.
pub fn text(tree: &Tree) -> String {
    cupola::front::cup::print(tree)
}

/// What the explorer says of a program with its own fences; `None` if it is none.
pub fn explored(text: &str, model: Model) -> Option<VerdictKind> {
    let file = cupola::source::SourceFile::new("random.cup", text);
    let checked = cupola::front::cup::load(&file).ok()?;
    let fences = Placement::Declared.in_force(&checked, model).ok()?;
    let config = ExploreConfig {
        buffer: 6,
        max_states: 100_000,
        havoc: HavocRange::new(-1, 3).expect("there are values"),
        ..ExploreConfig::default()
    };
    let program = lower(&checked, &fences);
    let exploration = explore::explore(&program, model, &config, &Context::default());
    exploration.ok().map(|exploration| exploration.kind())
}

/// Verifies a program under a model and checks what there is to check.
pub fn judge(text: &str, model: Model, way: Way) -> Result<Judged, Failure> {
    let explored = explored(text, model).unwrap_or(VerdictKind::Unknown);
    let judged = catch_unwind(AssertUnwindSafe(|| {
        judge_against(explored, text, model, way)
    }));
    judged.unwrap_or(Err(Failure::Panic))
}

fn judge_against(
    explored: VerdictKind,
    text: &str,
    model: Model,
    way: Way,
) -> Result<Judged, Failure> {
    let proved = Proved::new("random.cup", text, None);
    let context = Context {
        stop: after(TIME),
        ..with_states(STATES)
    };
    let mut engine = Portfolio::new(vec![Box::new(Predicate::new(way.config()))]);
    let (subject, declared) = (proved.subject(), Placement::Declared);
    let report = engine.verify(&subject, &[model], &declared, &context);
    let report = report.expect("a random program can be verified or not");
    let result = &report.results[0];
    match &result.outcome.verdict {
        Verdict::Verified(_) if explored == VerdictKind::Violated => {
            return Err(Failure::Verified);
        }
        Verdict::Verified(Evidence::Invariant(settings)) => {
            certified(&proved, result, settings, way)?;
        }
        Verdict::Verified(
            Evidence::Exhaustive { .. } | Evidence::Basis | Evidence::PartialCoherence(_),
        ) => {
            unreachable!("nothing is explored")
        }
        Verdict::Violated(_) => replayed(result)?,
        Verdict::Unknown(_) => {}
    }
    let last = result.outcome.log.last();
    let sizes = last.and_then(|attempt| attempt.settings.buffers.as_ref());
    Ok(Judged {
        explored,
        verdict: result.kind(),
        k: sizes
            .and_then(Buffers::sizes)
            .map_or(0, |sizes| sizes.largest()),
        usual: way.is_usual(),
    })
}

fn after(time: Duration) -> Stop {
    Stop {
        deadline: Some(Instant::now() + time),
        ..Stop::default()
    }
}

/// The limit on the states of the checker.
fn with_states(abstract_states: usize) -> Context {
    Context {
        limits: Limits {
            abstract_states,
            ..Limits::default()
        },
        ..Context::default()
    }
}

/// Makes sure that the certificate is accepted.
fn certified(
    proved: &Proved,
    result: &ModelResult,
    settings: &Settings,
    way: Way,
) -> Result<(), Failure> {
    // Without reductions there are more states.
    let context = with_states(20 * STATES);
    let fences = result.fences.iter().cloned().collect();
    let reject = |reason: String| Err(Failure::Certificate(reason));
    let subject = proved.subject();
    let task = subject.task(result.model, &fences);
    let certificate = match predicate::certificate(&task, settings, &way.config(), &context) {
        Ok(certificate) => certificate,
        Err(NoCertificate::Limit(reason)) => return reject(format!("{reason:?}")),
        Err(error) => return reject(error.to_string()),
    };
    let effort = Effort {
        stop: after(CERTIFY_TIME),
        ..Effort::from(Solver::Library)
    };
    let checked = certify::prepare(&certificate)
        .and_then(|stored| certify::check_with(&stored, None, &effort));
    match checked {
        Ok(report) if report.verdict == certify::Verdict::Accepted => Ok(()),
        Ok(report) => reject(render::certify::text(&report, &Page::unlimited())),
        Err(error) => reject(error.to_string()),
    }
}

/// Makes sure that the violation is real.
fn replayed(result: &ModelResult) -> Result<(), Failure> {
    let violation = result.outcome.verdict.violation();
    let violation = violation.ok_or_else(|| Failure::Violation("there is none".to_owned()))?;
    replay(violation.program(), result.model, violation.trace())
        .map_err(|error| Failure::Violation(error.to_string()))
}
