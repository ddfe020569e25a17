//! `cupola fences`: all minimal placements of fences.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use cupola::explore::ExploreConfig;
use cupola::fences::report::{AnswerReport, turn};
use cupola::fences::{
    self, Answer as Found, AutoProver, Candidates, ExploreProver, Outcome, PipelineProver, PlaceId,
    PlaceKind, PlacesError, Prover, SearchConfig,
};
use cupola::lang;
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::pipeline::{MethodChoice, PipelineConfig, VerifyConfig};
use cupola::proof::Proof;
use cupola::reduce;
use cupola::stop::Stop;

use super::explore::refused;
use super::input::{deadline, seconds};
use super::interrupt::stop_on_interrupt;
use super::pipeline::load_proof;
use super::progress::Bar;
use super::verify::BoundArg;
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, Input, OutputArgs};

/// Finds all minimal sets of fences that make a program safe under a memory model.
#[derive(Debug, Args)]
pub struct FencesArgs {
    #[command(flatten)]
    input: Input,

    /// The memory model.
    #[arg(long, value_enum, value_name = "tso|pso", hide_possible_values = true)]
    model: Model,

    /// Where a fence may stand: at the program's optional fences (`fence? a;`), behind stores, before
    /// loads, or `all`: behind stores and before every access to shared memory. By default
    /// at the optional fences if there are any, else behind stores.
    #[arg(
        long,
        value_enum,
        value_name = "optional|stores|loads|all",
        hide_possible_values = true
    )]
    places: Option<PlaceKind>,

    /// Who decides about a placement: the proof pipeline, the explorer, or `auto`: a short exploration,
    /// then the pipeline, then a long exploration.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "auto|pipeline|explore",
        hide_possible_values = true
    )]
    prover: ProverArg,

    /// The proof under SC; by default the file `NAME.proof` beside `NAME.cup`. Without one,
    /// predicates are taken from the program.
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,

    /// The number of entries of each buffer in proofs; `auto` starts with 1 and goes up as long as a
    /// buffer overflows.
    #[arg(short, value_name = "N|auto", default_value = "auto")]
    k: BoundArg,

    /// The largest bound that `-k auto` tries, from 1 to 64.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    max_k: u8,

    /// The number of threads that ask the solver.
    #[arg(short, long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,

    /// Stop when this many minimal placements are proved.
    #[arg(long, value_name = "N")]
    max_sets: Option<NonZeroUsize>,

    /// Write the program with the first placement, its fences as `fence;`, to this file.
    #[arg(long, value_name = "FILE")]
    emit: Option<PathBuf>,

    /// Also show the execution that needs the fence at this place.
    #[arg(long, value_name = "PLACE")]
    explain: Option<String>,

    /// Show the search on standard error: each placement that is tried, and what came out.
    #[arg(long, short)]
    verbose: bool,

    /// The longest that a store buffer may get in explorations.
    #[arg(long, value_name = "N", default_value = "8")]
    buffer: NonZeroUsize,

    /// The greatest number of states of an exploration.
    #[arg(long, value_name = "N", default_value = "4000000")]
    max_states: NonZeroUsize,

    /// Stop after this many seconds and tell what is known.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    /// Write the answer to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Let `-o` and `--emit` replace a file that exists.
    #[arg(long)]
    force: bool,
}

/// The value of `--prover`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ProverArg {
    /// A short exploration, then the pipeline, then a long exploration.
    #[default]
    Auto,
    /// The proof pipeline alone.
    Pipeline,
    /// The explorer alone.
    Explore,
}

/// Runs the command.
pub fn run(args: &FencesArgs, console: &Console) -> Result<Answer, Failure> {
    if args.model == Model::Sc {
        return Err(Failure::with_way_out(
            "under sc fences have no effect",
            "give `--model tso` or `--model pso`",
        ));
    }
    let source = args.input.read()?;
    let checked = match lang::load(&source) {
        Ok(checked) => checked,
        Err(diagnostics) => return Err(Failure::Source(source, diagnostics)),
    };
    if let Err(error) = reduce::fits(&checked, args.model) {
        return Err(Failure::Source(source, vec![error.to_diagnostic()]));
    }
    console.diagnostics(&source, &checked.warnings);
    let candidates = match Candidates::new(&source, &checked, args.places) {
        Ok(candidates) => candidates,
        Err(error) => return Err(no_candidates(error, source)),
    };
    let explain = args.explained(&candidates)?;
    let setting = Setting {
        args,
        source: &source,
        candidates: &candidates,
        config: args.explore_config(stop_on_interrupt(console)),
        deadline: args.timeout.and_then(deadline),
    };
    let stop = Stop {
        deadline: setting.deadline,
        cancel: setting.config.cancel.clone(),
    };
    let watchdog = Watchdog::over(stop, console);
    let answer = setting.search(console)?;
    drop(watchdog);
    args.emit(&candidates, &answer, console)?;
    let report = AnswerReport {
        source: &source,
        candidates: &candidates,
        model: args.model,
        config: &setting.config,
        answer: &answer,
        explain,
    };
    let text = match args.json {
        true => format!("{:#}\n", report.json()),
        false => report.text(),
    };
    Ok(Answer {
        text,
        output: args.to_file(args.output.as_ref()),
        exit: exit(&answer),
    })
}

/// What a search works with.
struct Setting<'a> {
    args: &'a FencesArgs,
    source: &'a SourceFile,
    candidates: &'a Candidates,
    config: ExploreConfig,
    deadline: Option<Instant>,
}

impl Setting<'_> {
    fn search(&self, console: &Console) -> Result<Found, Failure> {
        let proof = match self.args.prover {
            ProverArg::Explore => None,
            ProverArg::Auto | ProverArg::Pipeline => Some(self.proof(console)?),
        };
        let explore = self.explore_prover()?;
        let mut prover: Box<dyn Prover + '_> = match (&proof, self.args.prover) {
            (Some(proof), ProverArg::Auto) => {
                Box::new(AutoProver::new(explore, self.pipeline_prover(proof)))
            }
            (Some(proof), ProverArg::Pipeline) => Box::new(self.pipeline_prover(proof)),
            (_, ProverArg::Explore) | (None, _) => Box::new(explore),
        };
        let config = SearchConfig {
            model: self.args.model,
            max_sets: self.args.max_sets.map(NonZeroUsize::get),
            deadline: self.deadline,
            cancel: self.config.cancel.clone(),
        };
        let bar = Bar::of_placements(console);
        let mut tries = 0;
        let mut observe = |tried: &fences::Tried| {
            tries += 1;
            bar.placement(tries, &turn(self.candidates, tried));
            if self.args.verbose {
                console.note(&turn(self.candidates, tried));
            }
        };
        let candidates = self.candidates;
        let found = fences::search(candidates, prover.as_mut(), &config, &mut observe);
        bar.end();
        Ok(found)
    }

    fn proof(&self, console: &Console) -> Result<Proof, Failure> {
        let named = self.args.proof.as_ref();
        let checked = &self.candidates.checked;
        load_proof(&self.args.input, named, checked, console).map(|(proof, _)| proof)
    }

    fn explore_prover(&self) -> Result<ExploreProver<'_>, Failure> {
        let (candidates, model) = (self.candidates, self.args.model);
        ExploreProver::new(candidates, model, self.config.clone(), self.deadline).map_err(refused)
    }

    fn pipeline_prover<'a>(&'a self, proof: &'a Proof) -> PipelineProver<'a> {
        let config = VerifyConfig {
            models: Vec::new(),
            bound: self.args.k.bound(self.args.max_k),
            method: MethodChoice::Auto,
            refute_states: 0,
            pipeline: PipelineConfig {
                jobs: self.args.jobs.get(),
                deadline: self.deadline,
                cancel: self.config.cancel.clone(),
                ..PipelineConfig::default()
            },
        };
        PipelineProver::new(self.source, self.candidates, proof, self.args.model, config)
    }
}

impl FencesArgs {
    fn explore_config(&self, cancel: Arc<AtomicBool>) -> ExploreConfig {
        ExploreConfig {
            buffer: self.buffer.get(),
            max_states: self.max_states.get(),
            cancel: Some(cancel),
            ..ExploreConfig::default()
        }
    }

    fn explained(&self, candidates: &Candidates) -> Result<Option<PlaceId>, Failure> {
        let Some(name) = &self.explain else {
            return Ok(None);
        };
        let known = || candidates.places.keys().cloned().collect::<Vec<String>>();
        match candidates.place(name) {
            Some(place) => Ok(Some(place)),
            None => Err(Failure::with_way_out(
                format!("there is no place `{name}`"),
                format!("the places are {}", known().join(", ")),
            )),
        }
    }

    /// Writes the program with the first placement.
    fn emit(
        &self,
        candidates: &Candidates,
        answer: &Found,
        console: &Console,
    ) -> Result<(), Failure> {
        let Some(path) = &self.emit else {
            return Ok(());
        };
        match answer.proved.first() {
            Some(first) => {
                let tree = fences::emit(candidates, &first.fences);
                self.to_file(Some(path)).write(&lang::print(&tree))
            }
            None => {
                console.note(&format!(
                    "no placement is proved: `{}` is not written",
                    path.display()
                ));
                Ok(())
            }
        }
    }

    fn to_file(&self, path: Option<&PathBuf>) -> OutputArgs {
        OutputArgs {
            output: path.cloned(),
            force: self.force,
        }
    }
}

fn no_candidates(error: PlacesError, source: SourceFile) -> Failure {
    match error {
        PlacesError::NoOptional => Failure::with_way_out(
            error.to_string(),
            "mark places with `fence? a;`, or let fences stand behind stores: --places stores",
        ),
        PlacesError::Location(diagnostic) => Failure::Source(source, vec![*diagnostic]),
    }
}

fn exit(answer: &Found) -> Exit {
    match answer.outcome {
        Outcome::BrokenUnderSc(_) | Outcome::Hopeless => Exit::Violated,
        Outcome::Timeout | Outcome::Interrupted => Exit::Unknown,
        Outcome::Complete | Outcome::Enough if answer.proved.is_empty() => Exit::Unknown,
        Outcome::Complete | Outcome::Enough => Exit::Done,
    }
}
