//! What was measured: plain values that are stored as JSON and read back.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::paper::PaperFigures;
use crate::memory::Model;
use crate::verdict::{Attempt, Limit, Unknown, Verdict};

/// The number of the schema: it changes when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// All that `cupola bench` measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Where it was measured.
    pub machine: Machine,
    /// The number of threads that asked the solver.
    pub jobs: usize,
    /// Seconds after which a row of the baseline was given up.
    pub baseline_limit_seconds: f64,
    /// The rows of the paper's tables.
    pub rows: Vec<Row>,
    /// The programs with the fewest fences.
    pub least: Vec<LeastRow>,
    /// How the figures grow.
    pub growth: Vec<GrowthPoint>,
    /// Seconds of Cupola's own runs, from the first to the last.
    pub seconds: f64,
    /// Seconds of the baseline's runs.
    pub baseline_seconds: f64,
    /// The most memory that the process had before the baseline ran, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// Whether everything that was asked for is there.
    pub complete: bool,
}

/// The computer and the solver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name, where the system tells.
    pub cpu: Option<String>,
    /// The number of processors that the process may use.
    pub cores: usize,
    /// The operating system and the architecture.
    pub system: String,
    /// The version of Z3.
    pub solver: String,
    /// The version of Cupola.
    pub cupola: String,
}

/// An algorithm under a model with a method, at k = 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// The model.
    pub model: Model,
    /// `trad`, `pe` or `ce`.
    pub method: String,
    /// The paper's figures, where its tables have the row.
    pub paper: Option<PaperFigures>,
    /// Cupola's figures.
    pub ours: Figures,
    /// The figures of the paper's algorithm, where it was run.
    pub baseline: Option<Figures>,
}

/// A program with the fewest fences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastRow {
    /// The algorithm.
    pub algorithm: String,
    /// The model.
    pub model: Model,
    /// The method.
    pub method: String,
    /// The fences in force.
    pub fences: Vec<String>,
    /// The size of the buffers that decided; 0 under SC.
    pub k: usize,
    /// What decided; the solver calls and seconds are those of all bounds that were tried.
    pub ours: Figures,
}

/// One measured point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthPoint {
    /// The curve: a program and a model.
    pub curve: String,
    /// What grows.
    pub axis: GrowthAxis,
    /// How large it is.
    pub size: usize,
    /// What was measured.
    pub ours: Figures,
}

/// What a curve is drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrowthAxis {
    /// The number of threads.
    Threads,
    /// The size of the buffers.
    Bound,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// `verified`, or why not.
    pub verdict: String,
    /// The number of predicates.
    pub predicates: usize,
    /// The number of cubes given to cube extrapolation.
    pub cubes: usize,
    /// Questions to the solver.
    pub smt_calls: u64,
    /// How many of them were asked of Z3.
    pub z3_calls: u64,
    /// Time to build the boolean program.
    pub build_seconds: f64,
    /// Cubes of two literals or more in the boolean program.
    pub cubes_used: usize,
    /// The size of the largest cube.
    pub largest_cube: usize,
    /// States.
    pub states: usize,
    /// Bytes for them.
    pub memory_bytes: usize,
    /// Time to check the boolean program.
    pub check_seconds: f64,
    /// Time from the source to the verdict.
    pub seconds: f64,
}

/// The verdict of a run that was given up.
const OUT_OF_TIME: &str = "out of time";
/// The verdict of a run that met too many states.
const TOO_MANY_STATES: &str = "too many states";

impl Results {
    /// Whether Cupola verified everything.
    pub fn is_verified(&self) -> bool {
        let rows = self.rows.iter().map(|row| &row.ours);
        let least = self.least.iter().map(|row| &row.ours);
        rows.chain(least).all(Figures::is_verified)
    }

    /// Takes over the baseline's figures of other results, row by row.
    pub fn keep_baseline(&mut self, other: Results) {
        let name = |row: &Row| (row.algorithm.clone(), row.model, row.method.clone());
        for row in &mut self.rows {
            let known = other.rows.iter().find(|other| name(other) == name(row));
            row.baseline = known.and_then(|known| known.baseline.clone());
        }
        self.baseline_limit_seconds = other.baseline_limit_seconds;
        self.baseline_seconds = other.baseline_seconds;
    }
}

impl Figures {
    /// The figures of a try that took this long with all that it needs.
    pub fn new(attempt: &Attempt, seconds: Duration) -> Self {
        let stats = &attempt.stats;
        let built = stats.abstraction.unwrap_or_default();
        let solver = stats.solver.unwrap_or_default();
        Figures {
            verdict: verdict(&attempt.verdict).to_owned(),
            predicates: built.predicates,
            cubes: built.cubes.unwrap_or(0),
            smt_calls: solver.calls,
            z3_calls: solver.z3_calls,
            build_seconds: built.build_time.as_secs_f64(),
            cubes_used: built.cubes_used,
            largest_cube: built.largest_cube,
            states: stats.states,
            memory_bytes: stats.memory_bytes,
            check_seconds: stats.time.as_secs_f64(),
            seconds: seconds.as_secs_f64(),
        }
    }

    /// Whether the run came to its end.
    pub fn ended(&self) -> bool {
        ![OUT_OF_TIME, TOO_MANY_STATES].contains(&self.verdict.as_str())
    }

    /// Whether the program is verified.
    pub fn is_verified(&self) -> bool {
        self.verdict == "verified"
    }

    /// Time to build and to check.
    pub fn work_seconds(&self) -> f64 {
        self.build_seconds + self.check_seconds
    }
}

impl Row {
    /// The baseline's figures, if it came to its end.
    pub fn ended_baseline(&self) -> Option<&Figures> {
        self.baseline.as_ref().filter(|figures| figures.ended())
    }

    /// How many times fewer calls than the baseline.
    pub fn fewer_calls(&self) -> Option<f64> {
        let baseline = self.ended_baseline()?;
        Some(ratio(baseline.smt_calls as f64, self.ours.smt_calls as f64))
    }

    /// How many times less time to build and check than the baseline.
    pub fn less_time(&self) -> Option<f64> {
        let baseline = self.ended_baseline()?;
        Some(baseline.work_seconds() / self.ours.work_seconds().max(1e-4))
    }

    /// How many times fewer calls than the paper's.
    pub fn fewer_calls_than_paper(&self) -> Option<f64> {
        let thousands = self.paper.as_ref()?.smt_calls_k?;
        Some(ratio(1000.0 * thousands, self.ours.smt_calls as f64))
    }

    /// How many times the paper's calls the baseline needs.
    pub fn baseline_to_paper(&self) -> Option<f64> {
        let thousands = self.paper.as_ref()?.smt_calls_k?;
        let baseline = self.ended_baseline()?;
        Some(baseline.smt_calls as f64 / (1000.0 * thousands))
    }
}

/// Zero questions count as one.
fn ratio(theirs: f64, ours: f64) -> f64 {
    theirs / ours.max(1.0)
}

/// The geometric mean; `None` of nothing.
pub fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
    let count = logarithms.len();
    (count > 0).then(|| (logarithms.iter().sum::<f64>() / count as f64).exp())
}

/// A verdict as the tables say it.
fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Verified(_) => "verified",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(Unknown::Overflow { .. }) => "overflow",
        Verdict::Unknown(Unknown::Stopped(Limit::Timeout | Limit::Interrupted)) => OUT_OF_TIME,
        Verdict::Unknown(Unknown::Stopped(_) | Unknown::Incomplete { .. }) => TOO_MANY_STATES,
        Verdict::Unknown(Unknown::TooCoarse { .. } | Unknown::TooIncoherent { .. }) => "unknown",
        Verdict::Unknown(Unknown::NotVerifiedUnderSc(_) | Unknown::Unsupported(_)) => "not tried",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_geometric_mean_of_ratios() {
        let mean = geometric_mean([4.0, 16.0].into_iter()).expect("there are ratios");
        assert!((mean - 8.0).abs() < 1e-9);
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }
}
