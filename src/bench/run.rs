//! Runs the experiments, one after the other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::results::{Figures, LeastRow, Machine, Results, Row, SCHEMA};
use super::{ALGORITHMS, Algorithm, baseline, growth, paper};
use crate::engine::portfolio::Subject;
use crate::engine::predicate::{
    self, Bound, Input, MethodChoice, Predicate, PredicateConfig, PredicateError,
};
use crate::engine::{Context, Engine, EngineError};
use crate::front::cup;
use crate::front::cup::check::Checked;
use crate::front::cup::placement::Placement;
use crate::memory::{BufferSizes, Buffers, Model};
use crate::proof::{self, Proof};
use crate::run::stop::Stop;
use crate::source::SourceFile;
use crate::verdict::{Attempt, Method};

/// The largest k that is tried with the fewest fences.
const MAX_K: usize = 4;

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
    /// When to end everything with what is there.
    pub stop: Stop,
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
pub struct RunStarted {
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
pub fn run(config: &BenchConfig, observe: &mut dyn FnMut(RunStarted)) -> Results {
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
        self.stop.should_stop()
    }

    /// The context of a run, which shares no answers of the solver with other runs.
    fn context(&self) -> Context {
        Context {
            stop: self.stop.clone(),
            jobs: self.jobs,
            ..Context::default()
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
        let checked = cup::load(&file).expect("the program obeys the rules");
        let proof = SourceFile::new(format!("{name}.proof"), proof);
        let (proof, _) = proof::parse(&proof, &checked).expect("the proof obeys the rules");
        Loaded {
            file,
            checked,
            proof,
        }
    }

    /// The program for the predicate engine.
    pub fn input(&self) -> Input<'_> {
        Input {
            source: &self.file,
            program: &self.checked,
            proof: &self.proof,
        }
    }

    /// One attempt with a method at a bound.
    pub fn attempt(
        &self,
        (model, k): (Model, usize),
        placement: &Placement,
        method: Method,
        config: &PredicateConfig,
        context: &Context,
    ) -> Result<Attempt, PredicateError> {
        let input = self.input();
        let fences = placement.in_force(&self.checked, model);
        let fences = fences.expect("the placement names no place");
        let sizes = BufferSizes::uniform(k).expect("the bounds of benchmarks are small");
        // The programs are short: what takes long comes behind this.
        let (how, stop) = (config.transformers, &Stop::default());
        let stage = predicate::stage(&input, (model, &sizes), &fences, how, stop)?;
        predicate::attempt(&input, &stage, method, config, context)
    }

    /// Completes the proof for cube extrapolation.
    fn with_cubes(mut self, method: Method, context: &Context) -> Result<Self, PredicateError> {
        let config = PredicateConfig::default();
        if method == Method::Ce
            && let Some(proof) = predicate::prove(&self.input(), &config, context)?.proof
        {
            self.proof = proof;
        }
        Ok(self)
    }
}

struct Bench<'a> {
    config: &'a BenchConfig,
    observe: &'a mut dyn FnMut(RunStarted),
    done: usize,
    all: usize,
}

impl Bench<'_> {
    /// Does something for each case, until the time is over.
    fn each<R>(
        &mut self,
        prefix: &str,
        mut work: impl FnMut(&mut Self, &Case) -> Result<R, EngineError>,
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
        (self.observe)(RunStarted {
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
    fn row(&mut self, case: &Case) -> Result<Row, EngineError> {
        let start = Instant::now();
        let loaded = case
            .load()
            .with_cubes(case.method, &self.config.context())?;
        // What the solver said about SC is not to help here.
        let (bound, config) = ((case.model, 1), PredicateConfig::default());
        let context = self.config.context();
        let tried = loaded.attempt(bound, &Placement::All, case.method, &config, &context)?;
        Ok(Row {
            algorithm: case.algorithm.name.to_owned(),
            model: case.model,
            method: case.method.name().to_owned(),
            paper: paper::figures(case.algorithm.name, case.model, case.method),
            ours: Figures::new(&tried, start.elapsed()),
            baseline: None,
        })
    }

    /// A program as a user proves it, with the fences that it declares.
    fn least(&mut self, case: &Case) -> Result<LeastRow, EngineError> {
        let start = Instant::now();
        let loaded = case.load();
        let mut engine = Predicate::new(PredicateConfig {
            bound: Bound::Auto(MAX_K),
            method: match case.model {
                Model::Sc => MethodChoice::Auto,
                Model::Tso | Model::Pso => MethodChoice::Only(case.method),
            },
            ..PredicateConfig::default()
        });
        let fences = Placement::Declared.in_force(&loaded.checked, case.model);
        let fences = fences.expect("the program declares places that it has");
        let subject = Subject {
            source: &loaded.file,
            program: &loaded.checked,
            proof: Some(&loaded.proof),
        };
        let outcome = engine.run(&subject.task(case.model, &fences), &self.config.context())?;
        let last = outcome.log.last().ok_or(EngineError::Stopped)?;
        Ok(LeastRow {
            algorithm: case.algorithm.name.to_owned(),
            model: case.model,
            method: case.method.name().to_owned(),
            fences: fences.iter().cloned().collect(),
            k: last
                .settings
                .buffers
                .as_ref()
                .and_then(Buffers::sizes)
                .map_or(0, BufferSizes::largest),
            ours: summed(&outcome.log, start.elapsed()),
        })
    }

    fn growth(&mut self) -> Vec<super::GrowthPoint> {
        let mut points = Vec::new();
        for measure in growth::measures() {
            self.begin(measure.name());
            let point = measure.run(&self.config.context());
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
                // The receivers live until the last worker has ended.
                let _ = begun.send(number);
                let figures = case.run_as_in_paper(limit, &config.context());
                if let Some(figures) = figures.filter(|_| !config.is_over()) {
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
    /// Runs the paper's algorithm; nothing where all was to end before it began.
    fn run_as_in_paper(&self, limit: Duration, context: &Context) -> Option<Figures> {
        let loaded = self.load().with_cubes(self.method, context);
        match loaded.and_then(|loaded| baseline::run(self, &loaded, limit, context)) {
            Err(PredicateError::Stopped) => None,
            figures => Some(figures.expect("the algorithms can be reduced")),
        }
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
pub(super) fn summed(tries: &[Attempt], seconds: Duration) -> Figures {
    let last = tries.last().expect("something was tried");
    let mut figures = Figures::new(last, seconds);
    for tried in &tries[..tries.len() - 1] {
        let before = Figures::new(tried, seconds);
        figures.smt_calls += before.smt_calls;
        figures.z3_calls += before.z3_calls;
        figures.build_seconds += before.build_seconds;
        figures.check_seconds += before.check_seconds;
    }
    figures
}
