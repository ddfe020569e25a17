//! Runs the experiments, one after the other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::results::{Figures, LeastRow, Machine, Results, Row, SCHEMA};
use super::{ALGORITHMS, Algorithm, baseline, growth, paper};
use crate::lang::check::Checked;
use crate::lang::placement::Placement;
use crate::lang::source::SourceFile;
use crate::model::Model;
use crate::pipeline::{
    self, Bound, MethodChoice, PipelineConfig, PipelineError, REFUTE_STATES, Task, VerifyConfig,
};
use crate::proof::{self, Proof};
use crate::report::Method;
use crate::{lang, report};

/// The largest k that is tried with the fewest fences.
const MOST_K: usize = 4;

/// What to run.
#[derive(Clone, Debug)]
pub struct BenchConfig {
    /// The rows.
    pub cases: Vec<Case>,
    /// Whether the programs are also verified with the fewest fences.
    pub least: bool,
    /// Whether growth is measured.
    pub growth: bool,
    /// The limit of each row of the baseline, if it is to run.
    pub baseline: Option<Duration>,
    /// How many rows of the baseline run at the same time.
    pub baseline_jobs: usize,
    /// The number of threads that ask the solver.
    pub jobs: usize,
    /// When to end everything.
    pub deadline: Option<Instant>,
    /// Set from outside to end everything with what is there.
    pub cancel: Arc<AtomicBool>,
    /// Where it runs.
    pub machine: Machine,
    /// Tells the most memory that the process had so far, where the system does.
    pub peak_memory: fn() -> Option<u64>,
}

/// A row of the tables.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The model.
    pub model: Model,
    /// The method.
    pub method: Method,
}

/// A run begins.
#[derive(Clone, Debug)]
pub struct Begins {
    /// Its name.
    pub name: String,
    /// How many runs there were before.
    pub done: usize,
    /// How many runs there are.
    pub all: usize,
}

/// All rows whose name contains `filter`, under some models and with some methods. A name is
/// `algorithm/model/method`.
pub fn cases(filter: &str, models: &[Model], methods: &[Method]) -> Vec<Case> {
    let mut cases = Vec::new();
    for algorithm in &ALGORITHMS {
        for &model in models {
            let all: &[Method] = match model {
                Model::Sc => &[Method::Trad],
                Model::Tso | Model::Pso => &[Method::Pe, Method::Ce],
            };
            let wanted = all.iter().filter(|method| methods.contains(method));
            cases.extend(wanted.map(|&method| Case {
                algorithm,
                model,
                method,
            }));
        }
    }
    cases.retain(|case| case.name().contains(filter));
    cases
}

/// Runs everything; ends early, with what is there, at the deadline or when it is cancelled.
pub fn run(config: &BenchConfig, observe: &mut dyn FnMut(Begins)) -> Results {
    let mut bench = Bench {
        config,
        observe,
        done: 0,
        all: config.runs(),
    };
    let start = Instant::now();
    let mut results = Results {
        schema: SCHEMA,
        machine: config.machine.clone(),
        jobs: config.jobs,
        baseline_limit_seconds: config.baseline.unwrap_or_default().as_secs_f64(),
        rows: bench.each("", |bench, case| bench.row(case)),
        least: Vec::new(),
        growth: Vec::new(),
        seconds: 0.0,
        baseline_seconds: 0.0,
        peak_memory_bytes: None,
        complete: true,
    };
    if config.least {
        results.least = bench.each("fewest fences: ", |bench, case| bench.least(case));
    }
    results.seconds = start.elapsed().as_secs_f64();
    if config.growth {
        results.growth = bench.growth();
    }
    results.peak_memory_bytes = (config.peak_memory)();
    let start = Instant::now();
    if let Some(limit) = config.baseline {
        bench.baseline(&mut results.rows, limit);
    }
    results.baseline_seconds = start.elapsed().as_secs_f64();
    results.complete = !bench.is_over();
    results
}

impl Case {
    /// `algorithm/model/method`.
    pub fn name(&self) -> String {
        let (name, model) = (self.algorithm.name, self.model);
        format!("{name}/{model}/{}", self.method.name())
    }
}

impl BenchConfig {
    fn runs(&self) -> usize {
        let rows = self.cases.len();
        let least = if self.least { rows } else { 0 };
        let growth = if self.growth { growth::POINTS } else { 0 };
        let baseline = if self.baseline.is_some() { rows } else { 0 };
        rows + least + growth + baseline
    }

    fn is_over(&self) -> bool {
        let late = |deadline| Instant::now() >= deadline;
        self.cancel.load(Ordering::Relaxed) || self.deadline.is_some_and(late)
    }

    fn pipeline(&self) -> PipelineConfig {
        PipelineConfig {
            jobs: self.jobs,
            deadline: self.deadline,
            cancel: Some(Arc::clone(&self.cancel)),
            ..PipelineConfig::default()
        }
    }
}

/// A program with its proof.
pub(super) struct Loaded {
    file: SourceFile,
    checked: Checked,
    proof: Proof,
}

impl Loaded {
    /// Reads a program that is known to be right.
    pub fn new(name: &str, program: &str, proof: &str) -> Self {
        let file = SourceFile::new(format!("{name}.cup"), program);
        let checked = lang::load(&file).expect("the program obeys the rules");
        let proof = SourceFile::new(format!("{name}.proof"), proof);
        let (proof, _) = proof::parse(&proof, &checked).expect("the proof obeys the rules");
        Loaded {
            file,
            checked,
            proof,
        }
    }

    pub fn task(&self) -> Task<'_> {
        Task {
            file: &self.file,
            checked: &self.checked,
            proof: &self.proof,
        }
    }

    /// Completes the proof for cube extrapolation.
    fn with_cubes(
        mut self,
        method: Method,
        config: &PipelineConfig,
    ) -> Result<Self, PipelineError> {
        if method == Method::Ce
            && let Some(proof) = pipeline::prove(&self.task(), config)?.proof
        {
            self.proof = proof;
        }
        Ok(self)
    }
}

struct Bench<'a> {
    config: &'a BenchConfig,
    observe: &'a mut dyn FnMut(Begins),
    done: usize,
    all: usize,
}

impl Bench<'_> {
    /// Does something for each case, until the time is over.
    fn each<R>(
        &mut self,
        prefix: &str,
        mut work: impl FnMut(&mut Self, &Case) -> Result<R, PipelineError>,
    ) -> Vec<R> {
        let mut found = Vec::new();
        for case in &self.config.cases {
            self.begin(format!("{prefix}{}", case.name()));
            let result = work(self, case);
            if self.is_over() {
                break;
            }
            found.push(result.expect("the algorithms can be reduced"));
        }
        found
    }

    fn begin(&mut self, name: String) {
        (self.observe)(Begins {
            name,
            done: self.done,
            all: self.all,
        });
        self.done += 1;
    }

    fn is_over(&self) -> bool {
        self.config.is_over()
    }

    /// A row of the paper's tables.
    fn row(&mut self, case: &Case) -> Result<Row, PipelineError> {
        let start = Instant::now();
        let config = PipelineConfig {
            placement: Placement::All,
            ..self.config.pipeline()
        };
        let loaded = case.load().with_cubes(case.method, &config)?;
        // What the solver said about SC is not to help here.
        let config = PipelineConfig {
            memo: Default::default(),
            ..config
        };
        let tried = pipeline::attempt(&loaded.task(), (case.model, 1), case.method, &config)?;
        Ok(Row {
            algorithm: case.algorithm.name.to_owned(),
            model: case.model,
            method: case.method.name().to_owned(),
            paper: paper::figures(case.algorithm.name, case.model, case.method),
            ours: Figures::new(&tried, start.elapsed()),
            baseline: None,
        })
    }

    /// A program as a user verifies it.
    fn least(&mut self, case: &Case) -> Result<LeastRow, PipelineError> {
        let start = Instant::now();
        let loaded = case.load();
        let config = VerifyConfig {
            models: vec![case.model],
            bound: Bound::Auto(MOST_K),
            method: match case.model {
                Model::Sc => MethodChoice::Auto,
                Model::Tso | Model::Pso => MethodChoice::Only(case.method),
            },
            refute_states: REFUTE_STATES,
            pipeline: self.config.pipeline(),
        };
        let report = pipeline::verify(&loaded.task(), false, &config)?;
        let result = &report.results[0];
        Ok(LeastRow {
            algorithm: case.algorithm.name.to_owned(),
            model: case.model,
            method: case.method.name().to_owned(),
            fences: result.fences.clone(),
            k: result.attempts.last().map_or(0, |tried| tried.k),
            ours: summed(&result.attempts, start.elapsed()),
        })
    }

    fn growth(&mut self) -> Vec<super::GrowthPoint> {
        let mut points = Vec::new();
        for measure in growth::measures() {
            self.begin(measure.name());
            let point = measure.run(&self.config.pipeline());
            if self.is_over() {
                break;
            }
            points.push(point.expect("the programs can be reduced"));
        }
        points
    }

    /// Runs the rows of the baseline, several at the same time if that is asked for.
    fn baseline(&mut self, rows: &mut [Row], limit: Duration) {
        let cases = &self.config.cases;
        let next = AtomicUsize::new(0);
        let (begun, beginnings) = mpsc::channel();
        let (ended, results) = mpsc::channel();
        let config = self.config;
        let work = |begun: mpsc::Sender<usize>, ended: mpsc::Sender<(usize, Figures)>| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(number).filter(|_| !config.is_over()) else {
                    return;
                };
                // Whoever listens is there until the last of us is gone.
                let _ = begun.send(number);
                let figures = case.run_as_printed(limit, &config.pipeline());
                if !config.is_over() {
                    let _ = ended.send((number, figures));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..config.baseline_jobs {
                let (begun, ended) = (begun.clone(), ended.clone());
                scope.spawn(|| work(begun, ended));
            }
            drop((begun, ended));
            for number in beginnings {
                self.begin(format!("the paper's algorithm: {}", cases[number].name()));
            }
        });
        for (number, figures) in results {
            if let Some(row) = rows.get_mut(number) {
                row.baseline = Some(figures);
            }
        }
    }
}

impl Case {
    /// Runs the paper's algorithm.
    fn run_as_printed(&self, limit: Duration, config: &PipelineConfig) -> Figures {
        let loaded = self.load().with_cubes(self.method, config);
        let figures = loaded.and_then(|loaded| baseline::run(self, &loaded, limit, config));
        figures.expect("the algorithms can be reduced")
    }

    fn load(&self) -> Loaded {
        let Algorithm {
            name,
            program,
            proof,
            ..
        } = self.algorithm;
        Loaded::new(name, program, proof)
    }
}

/// The last try, with the costs of all.
fn summed(tries: &[report::Attempt], seconds: Duration) -> Figures {
    let last = tries.last().expect("something was tried");
    let mut figures = Figures::new(last, seconds);
    for tried in &tries[..tries.len() - 1] {
        figures.smt_calls += tried.effort.calls;
        figures.z3_calls += tried.effort.z3_calls;
        figures.build_seconds += tried.build_time.as_secs_f64();
        figures.check_seconds += tried.check_time.as_secs_f64();
    }
    figures
}
