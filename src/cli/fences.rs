//! `cupola fences`: all minimal placements of fences.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use cupola::engine::Context;
use cupola::engine::predicate::{PastBounds, PredicateConfig};
use cupola::fences::{
    self, Answer as Found, Candidates, End, PlaceId, PlaceKind, PlacesError, Search,
};
use cupola::front::{Loaded, cup};
use cupola::memory::Model;
use cupola::reduce;
use cupola::render::{FencesReport, turn};
use cupola::source::SourceFile;

use super::choice::one_of;
use super::input::{seconds, stem};
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::model::ModelsArg;
use super::pipeline::{engine_failure, load_proof};
use super::progress::Bar;
use super::strict::StrictArg;
use super::verify::{BoundArg, EngineArgs};
use super::watchdog::Watchdog;
use super::{
    Answer, Console, Exit, Failure, Input, Inputs, OutputArgs, Part, Parts, ReportArgs, advice,
};

/// Finds all minimal sets of fences that make a program safe under a memory model.
#[derive(Debug, Args)]
pub struct FencesArgs {
    #[command(flatten)]
    inputs: Inputs,

    /// The memory models: `tso`, `pso`, or both: `tso,pso` or `all`.
    #[arg(long, value_name = "tso|pso|all")]
    model: RelaxedArg,

    /// Where a fence may stand: at the program's optional fences (`fence? a;`), behind stores, before
    /// loads, or `all`: behind stores and before every access to shared memory. By default
    /// at the optional fences if there are any, else behind stores.
    #[arg(
        long,
        value_parser = one_of(PlaceKind::ALL.map(|kind| (kind.name(), kind))),
        value_name = "optional|stores|loads|all",
        hide_possible_values = true
    )]
    places: Option<PlaceKind>,

    /// Keep fences out of loops: leave out the places that a thread can come back to.
    #[arg(long)]
    not_in_loops: bool,

    #[command(flatten)]
    engines: EngineArgs,

    /// The proof under SC; by default the file `NAME.proof` beside `NAME.cup`. Without one,
    /// predicates are taken from the program.
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,

    /// The number of entries of each buffer in proofs; `auto` starts with 1 and goes up as long as a
    /// buffer overflows. Under PSO a variable may have another size, as in `1,Tail=3`.
    #[arg(short, value_name = "N[,X=N…]|auto", default_value = "auto")]
    k: BoundArg,

    /// The largest bound that `-k auto` tries, from 1 to 64.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    max_k: u8,

    /// The most rounds of refinement, in which predicates are found that the proof lacks; 0 switches it off.
    #[arg(long, value_name = "N", default_value_t = PredicateConfig::default().refine)]
    refine: usize,

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

    #[command(flatten)]
    strict: StrictArg,

    /// Show the search on standard error: each placement that is tried, and what came out.
    #[arg(long, short)]
    verbose: bool,

    /// Stop a search after this many seconds and tell what is known.
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

/// The value of `--model`: models with store buffers.
#[derive(Clone, Debug)]
pub struct RelaxedArg(pub Vec<Model>);

/// Runs the command.
pub fn run(args: &FencesArgs, console: &Console) -> Result<Answer, Failure> {
    let (inputs, models) = (args.inputs.each()?, &args.model.0);
    args.model.check()?;
    args.engines.check()?;
    args.inputs.one_proof(args.proof.as_deref())?;
    let several = inputs.len() * models.len() > 1;
    if several && args.emit.is_some() {
        return Err(Failure::with_hint(
            "several programs do not go to one file",
            "give `--emit` one program and one model at a time",
        ));
    }
    let report = args.report();
    let mut parts = Parts::new(&report.output, several, console)?;
    for input in &inputs {
        match input.load(console) {
            Ok(loaded) => {
                for &model in models {
                    let what = format!("{} under {model}", loaded.source.name());
                    if parts.goes_on(&what, &stop_on_interrupt(console)) {
                        parts.add(args.find(input, &loaded, model, console));
                    }
                }
            }
            Err(failure) => parts.add(Err(failure)),
        }
    }
    parts.answer()
}

impl FencesArgs {
    /// Finds the placements for one program under one model.
    fn find(
        &self,
        input: &Input,
        loaded: &Loaded,
        model: Model,
        console: &Console,
    ) -> Result<Part, Failure> {
        let Loaded { source, checked } = loaded;
        let failure = |diagnostic| Failure::Source(source.clone(), vec![diagnostic]);
        reduce::fits(checked, model).map_err(|error| failure(error.to_diagnostic()))?;
        self.k.check(checked, &[model])?;
        let candidates = Candidates::new(source, checked, self.places);
        let candidates = candidates.map_err(|error| no_candidates(error, source.clone()))?;
        let candidates = match self.not_in_loops {
            true => candidates.not_in_loops(),
            false => candidates,
        };
        let explain = self.explained(&candidates)?;
        let (proof, _) = load_proof(input, self.proof.as_ref(), &candidates.checked, console)?;
        let search = Search {
            source,
            candidates: &candidates,
            proof: Some(&proof),
            model,
            max_sets: self.max_sets.map(NonZeroUsize::get),
        };
        let answer = self.search(&search, console)?;
        self.emit(&candidates, &answer, console)?;
        let report = FencesReport {
            source,
            candidates: &candidates,
            model,
            answer: &answer,
            explain,
        };
        let asked = self.report();
        let page = console.page(&asked.output);
        let page = page.with_advice(match self.places {
            Some(PlaceKind::All) => advice::of_fences_everywhere,
            Some(_) | None => advice::of_engines,
        });
        let name = format!("{}.{model}", stem(&input.file));
        let (text, json) = (|| report.text(&page), || report.json());
        let exit = self.strict.exit(exit(&answer), !answer.warnings.is_empty());
        Ok(asked.part((name, "txt"), text, json, exit))
    }

    /// The form of the answers, and where they go.
    fn report(&self) -> ReportArgs {
        ReportArgs {
            json: self.json,
            output: self.to_file(self.output.as_ref()),
        }
    }

    fn context(&self, console: &Console) -> Context {
        self.engines.context(Context {
            stop: memory::stop(self.timeout, &stop_on_interrupt(console)),
            jobs: self.jobs.get(),
            ..Context::default()
        })
    }

    fn search(&self, search: &Search<'_>, console: &Console) -> Result<Found, Failure> {
        let context = self.context(console);
        let predicate = PredicateConfig {
            bound: self.k.bound(self.max_k),
            past_bounds: PastBounds::Skip,
            refine: self.refine,
            ..PredicateConfig::default()
        };
        let mut engines = self.engines.portfolio(predicate, &context);
        let watchdog = Watchdog::over(context.stop.clone(), context.progress.clone(), console);
        let bar = Bar::of_placements(console);
        let mut tries = 0;
        let mut observe = |tried: &fences::Tried| {
            tries += 1;
            let turn = turn(search.candidates, tried);
            bar.placement(tries, &turn);
            if self.verbose {
                console.note(&turn);
            }
        };
        let found = fences::search(search, &mut engines, &context, &mut observe);
        bar.end();
        drop(watchdog);
        found.map_err(|error| engine_failure(error, search.source.clone()))
    }

    fn explained(&self, candidates: &Candidates) -> Result<Option<PlaceId>, Failure> {
        let Some(name) = &self.explain else {
            return Ok(None);
        };
        let known = || candidates.places.keys().cloned().collect::<Vec<String>>();
        match candidates.place(name) {
            Some(place) => Ok(Some(place)),
            None => Err(Failure::with_hint(
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
                self.to_file(Some(path)).write(&cup::print(&tree))
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

/// Why there is no place for a fence.
pub fn no_candidates(error: PlacesError, source: SourceFile) -> Failure {
    match error {
        PlacesError::NoOptional => Failure::with_hint(
            error.to_string(),
            "mark places with `fence? a;`, or let fences stand behind stores: --places stores",
        ),
        PlacesError::Location(diagnostic) => Failure::Source(source, vec![*diagnostic]),
    }
}

fn exit(answer: &Found) -> Exit {
    match answer.end {
        End::BrokenUnderSc(_) | End::Unfixable => Exit::Violated,
        End::Timeout | End::Interrupted | End::Memory => Exit::Unknown,
        End::Complete | End::Enough if answer.proved.is_empty() => Exit::Unknown,
        End::Complete | End::Enough => Exit::Done,
    }
}

impl RelaxedArg {
    /// That fences have an effect under all of them.
    pub fn check(&self) -> Result<(), Failure> {
        match self.0.contains(&Model::Sc) {
            true => Err(Failure::with_hint(
                "under sc fences have no effect",
                "give `--model tso` or `--model pso`",
            )),
            false => Ok(()),
        }
    }
}

impl FromStr for RelaxedArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(RelaxedArg(vec![Model::Tso, Model::Pso])),
            names => ModelsArg::from_str(names).map(|models| RelaxedArg(models.0)),
        }
    }
}
