//! `cupola fences`: all minimal placements of fences.

mod costs;
mod infer;
mod patch;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use cupola::engine::Context;
use cupola::engine::predicate::{PastBounds, PredicateConfig, ReductionChoice};
use cupola::fences::avoid::Inferred;
use cupola::fences::{
    self, Answer as Found, Candidates, End, FenceSet, PlaceId, PlaceKind, PlacesError, Search,
};
use cupola::front::Loaded;
use cupola::front::cup::placement::optional_fences;
use cupola::memory::Model;
use cupola::reduce;
use cupola::render::infer::InferReport;
use cupola::render::{FencesReport, Page, turn};
use cupola::source::SourceFile;

use costs::CostArgs;
use infer::InferArgs;
use patch::{PatchArgs, Placements};

use super::choice::one_of;
use super::input::{seconds, stem, tell_missing_property};
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::model::ModelsArg;
use super::pages::{HtmlArg, Pages};
use super::pipeline::{engine_failure, load_proof};
use super::progress::Bar;
use super::strict::StrictArg;
use super::verify::{BoundArg, EngineArgs, REDUCTIONS};
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
        value_parser = one_of(PlaceKind::FOR_MORE.map(|kind| (kind.name(), kind))),
        value_name = "optional|stores|loads|all",
        hide_possible_values = true
    )]
    places: Option<PlaceKind>,

    /// Take the fences that the program has (`fence;`) for candidates: which of them can go?
    #[arg(long, conflicts_with = "places")]
    existing: bool,

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

    /// What holds the entries of a buffer in proofs: `slots`, a `fifo` of any length, or slots first and FIFOs where
    /// no number of slots is enough.
    #[arg(
        long,
        value_parser = one_of(REDUCTIONS),
        default_value = "auto",
        value_name = "auto|slots|fifo",
        hide_possible_values = true
    )]
    reduction: ReductionChoice,

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

    #[command(flatten)]
    costs: CostArgs,

    #[command(flatten)]
    infer: InferArgs,

    #[command(flatten)]
    patch: PatchArgs,

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

    #[command(flatten)]
    page: HtmlArg,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    /// Write the answer to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Let `-o`, `--html`, `--emit` and `--emit-all` replace a file that exists.
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
    let report = args.report();
    let mut parts = Parts::new(&report.output, several, console)?;
    args.patch.check(several, args.force)?;
    let shown = (&args.page, None);
    let mut pages = Pages::new("Fences", shown, report.output.force)?;
    for input in &inputs {
        match input.load(console) {
            Ok(loaded) => {
                tell_missing_property(&loaded.checked, console);
                for &model in models {
                    let what = format!("{} under {model}", loaded.source.name());
                    if parts.goes_on(&what, &stop_on_interrupt(console)) {
                        parts.add(args.find((input, &loaded), model, &mut pages, console));
                    }
                }
            }
            Err(failure) => parts.add(Err(failure)),
        }
    }
    parts.beside(pages.write(console));
    parts.answer()
}

impl FencesArgs {
    /// Finds the placements for one program under one model.
    fn find(
        &self,
        (input, loaded): (&Input, &Loaded),
        model: Model,
        pages: &mut Pages<'_>,
        console: &Console,
    ) -> Result<Part, Failure> {
        let Loaded { source, checked } = loaded;
        let failure = |diagnostic| Failure::Source(source.clone(), vec![diagnostic]);
        reduce::fits(checked, model).map_err(|error| failure(error.to_diagnostic()))?;
        let is_abstract = self.engines.is_coherence() || self.infer.is_wanted();
        self.k.check((checked, &[model]), is_abstract)?;
        let kind = self.kind();
        self.patch
            .check_places(kind, !optional_fences(checked).is_empty())?;
        let candidates = Candidates::new(source, checked, kind);
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
        let costs = self.costs.costs(&candidates)?;
        let name = format!("{}.{model}", stem(&input.file));
        let asked = self.report();
        let page = console.page(&asked.output);
        let patched = |all: Vec<&FenceSet>| {
            let cheapest = costs
                .as_ref()
                .and_then(|costs| costs.cheapest(all.iter().copied()));
            let placements = Placements {
                input,
                loaded,
                candidates: &candidates,
                model,
                all,
                best: cheapest.unwrap_or(0),
            };
            self.patch.write(&placements, self.force, console)
        };
        if self.infer.is_wanted() {
            let inferred = self.infer(&search, console)?;
            let checked = self.infer.checked(&inferred, &search, &mut |search| {
                self.search(search, console)
            })?;
            let placed = inferred.placements.iter().map(|placed| &placed.fences);
            let (diff, written) = told(patched(placed.collect()), console);
            let report = InferReport {
                source,
                candidates: &candidates,
                model,
                inferred: &inferred,
                checked: &checked,
            };
            let (text, json) = (
                || diff.unwrap_or_else(|| report.text(&page)),
                || report.json(),
            );
            let exit = infer::exit(&inferred).max(written);
            return Ok(asked.part((name, "txt"), text, json, exit));
        }
        let answer = self.search(&search, console)?;
        let proved = answer.proved.iter().map(|proved| &proved.fences);
        let (diff, written) = told(patched(proved.collect()), console);
        let report = FencesReport {
            source,
            candidates: &candidates,
            model,
            answer: &answer,
            explain,
            costs: costs.as_ref(),
            existing: self.existing,
        };
        let words = match self.places {
            _ if self.not_in_loops => advice::of_fences_outside_loops,
            Some(PlaceKind::All) => advice::of_fences_everywhere,
            Some(_) | None => advice::of_engines,
        };
        let page = page.with_advice(words);
        pages.show(|| [report.section(&Page::unlimited().with_advice(words))]);
        let (text, json) = (
            || diff.unwrap_or_else(|| report.text(&page)),
            || report.json(),
        );
        let exit = self.strict.exit(exit(&answer), !answer.warnings.is_empty());
        Ok(asked.part((name, "txt"), text, json, exit.max(written)))
    }

    /// Which places are candidates.
    fn kind(&self) -> Option<PlaceKind> {
        match self.existing {
            true => Some(PlaceKind::Existing),
            false => self.places,
        }
    }

    /// Infers placements for one program under one model.
    fn infer(&self, search: &Search<'_>, console: &Console) -> Result<Inferred, Failure> {
        let context = self.context(console);
        let abstraction = (self.engines.domain(), self.k.oldest());
        let watchdog = Watchdog::over(context.stop.clone(), context.progress.clone(), console);
        let inferred = self
            .infer
            .infer(search, abstraction, (&context, console, self.verbose));
        drop(watchdog);
        inferred
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
            reduction: self.reduction,
            past_bounds: PastBounds::Skip,
            refine: self.refine,
            ..PredicateConfig::default()
        };
        let mut engines = self.engines.portfolio(predicate, self.k.oldest(), &context);
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
        found.map_err(|error| engine_failure(error, search.source.clone(), &context.stop))
    }

    fn explained(&self, candidates: &Candidates) -> Result<Option<PlaceId>, Failure> {
        let Some(name) = &self.explain else {
            return Ok(None);
        };
        match candidates.place(name) {
            Some(place) => Ok(Some(place)),
            None => Err(no_place(candidates, name)),
        }
    }

    fn to_file(&self, path: Option<&PathBuf>) -> OutputArgs {
        OutputArgs {
            output: path.cloned(),
            force: self.force,
            ..OutputArgs::default()
        }
    }
}

/// That there is no such place.
fn no_place(candidates: &Candidates, name: &str) -> Failure {
    let known: Vec<&str> = candidates.places.keys().map(String::as_str).collect();
    Failure::with_hint(
        format!("there is no place `{name}`"),
        format!("the places are {}", known.join(", ")),
    )
}

/// Why there is no place for a fence.
pub fn no_candidates(error: PlacesError, source: SourceFile) -> Failure {
    match error {
        PlacesError::NoOptional => Failure::with_hint(
            error.to_string(),
            "mark places with `fence? a;`, or let fences stand behind stores: --places stores",
        ),
        PlacesError::InForce => Failure::with_hint(
            error.to_string(),
            "make them fences of the program (`fence;`), or delete the line `fences`",
        ),
        PlacesError::NoFence => Failure::with_hint(
            error.to_string(),
            "leave out `--existing` to find places for fences",
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

/// What stands in place of the answer, if anything does. Where a patch cannot be written that is told, and the answer stays.
fn told(patched: Result<Option<String>, Failure>, console: &Console) -> (Option<String>, Exit) {
    match patched {
        Ok(diff) => (diff, Exit::Done),
        Err(failure) => {
            failure.show(console);
            (None, failure.exit())
        }
    }
}
