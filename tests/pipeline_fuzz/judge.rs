//! One program under one model: what the pipeline says, and who contradicts it.

use std::fmt::{self, Display, Formatter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use cupola::certify::{self, Solver};
use cupola::explore::replay::replay;
use cupola::explore::{self, ExploreConfig, Star};
use cupola::extrapolate::ExtrapolateConfig;
use cupola::lang::ast::Tree;
use cupola::lang::placement::Placement;
use cupola::model::Model;
use cupola::pipeline::{self, Bound, MethodChoice, NoCertificate, PipelineConfig, VerifyConfig};
use cupola::program::lower;
use cupola::report::{Method, ModelResult, Verdict};

use crate::support::proofs::Proved;

/// What the checker of boolean programs may store.
const STATES: usize = 30_000;

/// When a program is given up: rare ones have very many predicates.
const TIME: Duration = Duration::from_secs(20);

/// How a program is verified.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    method: MethodChoice,
    rules: bool,
    keep_slots: bool,
}

impl Way {
    /// All of them; the first ones are the most usual.
    pub const ALL: [Self; 6] = [
        Self::with(MethodChoice::Only(Method::Pe)),
        Self::with(MethodChoice::Auto),
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

    fn pipeline(self) -> PipelineConfig {
        PipelineConfig {
            extrapolate: ExtrapolateConfig {
                rule4: self.rules,
                ..ExtrapolateConfig::default()
            },
            keep_slots: self.keep_slots,
            ..PipelineConfig::default()
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
    pub explored: explore::Verdict,
    /// What the pipeline says.
    pub verdict: Verdict,
    /// The bound of the last try.
    pub k: usize,
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
    /// The pipeline panics.
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
            Failure::Panic => f.write_str("the pipeline panics"),
        }
    }
}

/// The text of a program.
pub fn text(tree: &Tree) -> String {
    cupola::lang::print(tree)
}

/// What the explorer says of a program with its own fences; `None` if it is none.
pub fn explored(text: &str, model: Model) -> Option<explore::Verdict> {
    let file = cupola::lang::source::SourceFile::new("random.cup", text);
    let checked = cupola::lang::load(&file).ok()?;
    let fences = Placement::Declared.in_force(&checked, model).ok()?;
    let config = ExploreConfig {
        buffer: 6,
        max_states: 100_000,
        star: Star::new(-1, 3).expect("there are values"),
        ..ExploreConfig::default()
    };
    let exploration = explore::explore(&lower(&checked, &fences), model, &config);
    exploration.ok().map(|exploration| exploration.verdict)
}

/// Verifies a program under a model and checks what there is to check.
pub fn judge(text: &str, model: Model, way: Way) -> Result<Judged, Failure> {
    let explored = explored(text, model).unwrap_or(explore::Verdict::Unknown);
    let judged = catch_unwind(AssertUnwindSafe(|| {
        judge_against(explored, text, model, way)
    }));
    judged.unwrap_or(Err(Failure::Panic))
}

fn judge_against(
    explored: explore::Verdict,
    text: &str,
    model: Model,
    way: Way,
) -> Result<Judged, Failure> {
    let proved = Proved::new("random.cup", text, None);
    let config = VerifyConfig {
        models: vec![model],
        bound: Bound::Auto(4),
        method: way.method,
        refute_states: 0,
        pipeline: PipelineConfig {
            max_states: STATES,
            deadline: Some(Instant::now() + TIME),
            ..way.pipeline()
        },
    };
    let report = pipeline::verify(&proved.task(), true, &config);
    let report = report.expect("a random program can be verified or not");
    let result = &report.results[0];
    match result.verdict() {
        Verdict::Verified if explored == explore::Verdict::Violated => {
            return Err(Failure::Verified);
        }
        Verdict::Verified => certified(&proved, result, way)?,
        Verdict::Violated => replayed(result)?,
        Verdict::Unknown => {}
    }
    Ok(Judged {
        explored,
        verdict: result.verdict(),
        k: result.attempts.last().map_or(0, |attempt| attempt.k),
    })
}

/// Makes sure that the certificate is accepted.
fn certified(proved: &Proved, result: &ModelResult, way: Way) -> Result<(), Failure> {
    let config = PipelineConfig {
        // Without reductions there are more states.
        max_states: 20 * STATES,
        ..way.pipeline()
    };
    let reject = |reason: String| Err(Failure::Certificate(reason));
    let certificate = match pipeline::certificate(&proved.task(), result, &config) {
        Ok(Some(certificate)) => certificate,
        Ok(None) => return reject("there is none".to_owned()),
        Err(NoCertificate::Limit(reason)) => return reject(format!("{reason:?}")),
        Err(error) => return reject(error.to_string()),
    };
    let checked = certify::seal(&certificate)
        .and_then(|(stored, obligations)| certify::check(&stored, &obligations, &Solver::Library));
    match checked {
        Ok(report) if report.verdict == certify::Verdict::Accepted => Ok(()),
        Ok(report) => reject(report.to_string()),
        Err(error) => reject(error.to_string()),
    }
}

/// Makes sure that the violation is real.
fn replayed(result: &ModelResult) -> Result<(), Failure> {
    let violation = result.violation();
    let violation = violation.ok_or_else(|| Failure::Violation("there is none".to_owned()))?;
    replay(&violation.program, result.model, &violation.trace)
        .map_err(|error| Failure::Violation(error.to_string()))
}
