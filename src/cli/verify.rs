//! `cupola verify`: whether a program is safe, by any engine.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use cupola::engine::backward::BackwardConfig;
use cupola::engine::coherence::{self, CoherenceConfig};
use cupola::engine::explore::{self, ExploreConfig};
use cupola::engine::portfolio::{self, Choice, Config, Portfolio};
use cupola::engine::predicate::{Bound, MethodChoice, PredicateConfig, ReductionChoice};
use cupola::engine::{Context, Limits};
use cupola::front::cup::check::Checked;
use cupola::memory::{BufferSizes, MalformedSizes, Model};
use cupola::render::Page;
use cupola::render::sarif::{self, Finding};
use cupola::render::verify::{TraceForm, VerifyReport};
use cupola::verdict::{Domain, Method, VerdictKind};

use super::certificate::{Target, Written};
use super::choice::one_of;
use super::details::details;
use super::input::{stem, tell_missing_property};
use super::interrupt::stop_on_interrupt;
use super::model::{ModelsArg, check_sizes};
use super::pages::{HtmlArg, Pages, SvgArg};
use super::pipeline::PipelineArgs;
use super::progress::Line;
use super::sarif::SarifArg;
use super::save_proof::SavedProof;
use super::strict::StrictArg;
use super::watchdog::Watchdog;
use super::{
    Answer, Console, Exit, Failure, Input, Inputs, OutputArgs, Part, Parts, ReportArgs, advice,
};

/// Verifies programs under one or several memory models.
///
/// Small programs are explored; others are proved from their proof under SC, or from predicates that are found.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = COLUMNS)]
pub struct VerifyArgs {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    pipeline: PipelineArgs,

    /// The memory models: `sc`, `tso`, `pso`, several separated by commas, or `all`.
    #[arg(long, value_name = "M[,M…]|all", default_value = "all")]
    model: ModelsArg,

    #[command(flatten)]
    engines: EngineArgs,

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

    /// How the abstraction is built.
    #[arg(long, default_value = "auto", value_name = "auto|trad|pe|ce|lazy")]
    method: MethodArg,

    /// How a real execution is shown in the text: as a table or as a JSON object.
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "text|json"
    )]
    trace: TraceArg,

    /// Write a certificate of what is verified to this directory, with several programs or models to a directory
    /// in it for each of them; `cupola certify` checks it.
    #[arg(long, value_name = "DIR")]
    certificate: Option<PathBuf>,

    /// Write the proof under SC from which all models are verified to this file; where exploration has decided, the
    /// predicate engine is asked for it.
    #[arg(long, value_name = "FILE")]
    save_proof: Option<PathBuf>,

    #[command(flatten)]
    strict: StrictArg,

    #[command(flatten)]
    sarif: SarifArg,

    /// Also show the rounds in which predicates were found, and what the words of the table mean.
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    page: HtmlArg,

    #[command(flatten)]
    drawing: SvgArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// What the columns, methods and marks of the table mean.
const COLUMNS: &str =
    "The table has a row for each attempt; the last one of a model decides, if one does.
  engine     explore: all states with real store buffers; backward: exact for finite data;
             predicate: proofs; coherence: finite data with abstract store buffers
  k          the size of the store buffers in a proof; of an abstract buffer the stores
             whose order is known
  method     trad: the proof's own predicates; pe: predicate extrapolation;
             ce: cube extrapolation; lazy: no cubes; +split: unknown values are split;
             +3,4: larger cubes; set, fd, pd: the domain of abstract buffers
  preds      predicates of the abstraction; cubes: those given to cube extrapolation
  smt calls  questions to the solver; build: time to build the abstraction
  used       cubes of two literals or more in use; size: literals of the largest
  states     states of the search, with their memory; check: its time
  -          the engine does not have this
docs/verification.md says more.";

/// Which engines decide, and how far exploration goes.
#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// The engine that decides; `auto` explores a little, then searches backwards where the data is finite, with
    /// abstract store buffers where that meets its limit, then proves, then explores further.
    #[arg(
        long,
        default_value = "auto",
        value_name = "auto|explore|backward|coherence|predicate"
    )]
    engine: EngineArg,

    /// What abstract store buffers know of their stores, in the engine `coherence`: which there are (`set`), also the last
    /// one and the k oldest in order (`fd`), or the same with some that may be missing (`pd`). By default `fd`, then `pd`.
    #[arg(
        long,
        value_parser = one_of(Domain::ALL.map(|domain| (domain.name(), domain))),
        value_name = "set|fd|pd",
        hide_possible_values = true
    )]
    domain: Option<Domain>,

    /// The most states of an exploration; 0 switches it off.
    #[arg(long, value_name = "N", default_value_t = Limits::default().explore_states)]
    pub explore_states: usize,

    /// The longest that a store buffer may get in explorations.
    #[arg(long, value_name = "N", default_value = "8")]
    buffer: NonZeroUsize,
}

/// The values of `--reduction`.
pub const REDUCTIONS: [(&str, ReductionChoice); 3] = [
    ("auto", ReductionChoice::Auto),
    ("slots", ReductionChoice::Slots),
    ("fifo", ReductionChoice::Fifos),
];

/// The value of `--engine`.
#[derive(Clone, Debug)]
struct EngineArg(Choice);

/// The value of `--trace`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum TraceArg {
    /// A table.
    #[default]
    Text,
    /// A JSON object.
    Json,
}

/// The value of `-k`.
#[derive(Clone, Debug)]
pub enum BoundArg {
    /// As many entries as are needed.
    Auto,
    /// None, which only abstract store buffers can have.
    None,
    /// This many.
    Fixed(BufferSizes),
}

/// The value of `--method`.
#[derive(Clone, Copy, Debug)]
struct MethodArg(MethodChoice);

/// Runs the command.
pub fn run(args: &VerifyArgs, console: &Console) -> Result<Answer, Failure> {
    args.engines.check()?;
    let inputs = args.inputs.each()?;
    let several = inputs.len() > 1;
    args.inputs.one_proof(args.pipeline.proof.as_deref())?;
    args.inputs.one_proof(args.save_proof.as_deref())?;
    let mut parts = Parts::new(&args.report.output, several, console)?;
    if let Some(path) = &args.save_proof {
        OutputArgs::to_file(path, args.report.output.force).check_file()?;
    }
    args.sarif.check(args.report.output.force)?;
    let mut findings = Vec::new();
    for dir in inputs
        .iter()
        .filter_map(|input| args.certificate_of(input, several))
    {
        Target::new(&dir, &args.model.0)?;
    }
    let shown = (&args.page, Some(&args.drawing));
    let mut pages = Pages::new("Verification", shown, args.report.output.force)?;
    for input in &inputs {
        if parts.goes_on(&input.file.display(), &stop_on_interrupt(console)) {
            let certificate = args.certificate_of(input, several);
            let outputs = (&mut findings, &mut pages);
            let part = args.verify(input, certificate.as_deref(), outputs, console);
            parts.add(part.map(|part| part.with_heading(several, &input.file.display())));
        }
    }
    parts.beside(args.sarif.write(&findings, args.report.output.force));
    parts.beside(pages.write(console));
    parts.answer()
}

impl VerifyArgs {
    /// Where the certificates of a program go.
    fn certificate_of(&self, input: &Input, several: bool) -> Option<PathBuf> {
        let dir = self.certificate.as_ref()?;
        Some(match several {
            true => dir.join(stem(&input.file)),
            false => dir.clone(),
        })
    }

    /// Verifies one program, and adds what is found, if that is asked for.
    fn verify(
        &self,
        input: &Input,
        certificate: Option<&Path>,
        (findings, pages): (&mut Vec<Finding>, &mut Pages<'_>),
        console: &Console,
    ) -> Result<Part, Failure> {
        let context = self.engines.context(self.pipeline.context(console));
        let loaded = self.pipeline.load(input, console)?;
        tell_missing_property(&loaded.checked, console);
        let what = (&loaded.checked, &self.model.0[..]);
        self.k.check(what, self.engines.is_coherence())?;
        let config = PredicateConfig {
            bound: self.k.bound(self.max_k),
            reduction: self.reduction,
            method: self.method.0,
            ..self.pipeline.config()
        };
        let target = certificate.map(|dir| Target::new(dir, &self.model.0));
        let target = target.transpose()?;
        let line = Line::of_work(console, context.progress.clone());
        let watchdog = Watchdog::over(context.stop.clone(), context.progress.clone(), console);
        let mut engines = self
            .engines
            .portfolio(config.clone(), self.k.oldest(), &context);
        let placement = self.pipeline.fences.placement();
        let report = engines.verify(&loaded.subject(), &self.model.0, &placement, &context);
        drop(watchdog);
        line.end();
        let report = match report {
            Ok(report) => report,
            Err(error) => return Err(loaded.failure(error, &context.stop)),
        };
        let written = match target {
            Some(target) => target.write(&loaded.subject(), &report, &config, &context, console),
            None => Written::All,
        };
        let written = match &self.save_proof {
            Some(path) => {
                let search = SavedProof {
                    loaded: &loaded,
                    models: &self.model.0,
                    placement: &placement,
                    config: &config,
                    context: &context,
                };
                let force = self.report.output.force;
                written.max(search.save(&report, (path, force), console))
            }
            None => written,
        };
        let harvested = loaded.harvested();
        let shown = VerifyReport {
            source: &loaded.file,
            harvested: harvested.as_deref(),
            predicates: loaded.proof.predicates.len(),
            report: &report,
            rounds: self.verbose,
            legend: self.verbose || console.is_read_here(&self.report.output),
        };
        if self.sarif.is_wanted() {
            findings.extend(sarif::of_report(&shown.json(), input.has_own_lines()?));
        }
        pages.show(|| {
            let unlimited = Page::unlimited().with_advice(advice::of_engines);
            shown.sections(&details(&loaded, &report, &config, &context), &unlimited)
        });
        pages.draw(shown.first_violation());
        let page = console.page(&self.report.output);
        let page = page.with_advice(advice::of_engines);
        let (text, json) = (|| shown.text(&page, self.trace.form()), || shown.json());
        let mut outcomes = report.results.iter().map(|result| &result.outcome);
        let warned = outcomes.any(|outcome| !outcome.warnings.is_empty());
        let exit = self.strict.exit(exit(report.kind(), written), warned);
        Ok(self
            .report
            .part((stem(&input.file), "txt"), text, json, exit))
    }
}

fn exit(kind: VerdictKind, written: Written) -> Exit {
    match (kind, written) {
        (_, Written::Failed) => Exit::BadInput,
        (VerdictKind::Verified, Written::All) => Exit::Done,
        (VerdictKind::Violated, _) => Exit::Violated,
        (VerdictKind::Verified, Written::NotAll) | (VerdictKind::Unknown, _) => Exit::Unknown,
    }
}

impl EngineArgs {
    /// That something is left to do.
    pub fn check(&self) -> Result<(), Failure> {
        let explores = self.engine.0 == Choice::Only(explore::NAME.to_owned());
        match explores && self.explore_states == 0 {
            true => Err(Failure::with_hint(
                "an exploration of 0 states sees nothing",
                "allow more states, or ask for another engine",
            )),
            false => Ok(()),
        }
    }

    /// The context with the limits that are asked for.
    pub fn context(&self, context: Context) -> Context {
        Context {
            limits: Limits {
                explore_states: self.explore_states,
                ..context.limits
            },
            ..context
        }
    }

    /// The domain of abstract store buffers, if one is asked for.
    pub fn domain(&self) -> Option<Domain> {
        self.domain
    }

    /// Whether abstract store buffers are what decides.
    pub fn is_coherence(&self) -> bool {
        self.engine.0 == Choice::Only(coherence::NAME.to_owned())
    }

    /// The engines that are asked for; abstract buffers have their `k` oldest stores in order.
    pub fn portfolio(
        &self,
        predicate: PredicateConfig,
        k: Option<usize>,
        context: &Context,
    ) -> Portfolio {
        let config = Config {
            choice: self.engine.0.clone(),
            explore: ExploreConfig {
                buffer: self.buffer.get(),
                ..ExploreConfig::default()
            },
            backward: BackwardConfig::default(),
            coherence: CoherenceConfig {
                domain: self.domain,
                k,
            },
            predicate,
        };
        Portfolio::of(&config, &context.limits)
    }
}

impl FromStr for EngineArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = portfolio::names();
        match text {
            "auto" => Ok(EngineArg(Choice::Auto)),
            name if names.contains(&name) => Ok(EngineArg(Choice::Only(name.to_owned()))),
            other => Err(format!("`{other}` is none of auto, {}", names.join(", "))),
        }
    }
}

impl TraceArg {
    fn form(self) -> TraceForm {
        match self {
            TraceArg::Text => TraceForm::Text,
            TraceArg::Json => TraceForm::Json,
        }
    }
}

impl BoundArg {
    /// The bound, where `auto` ends with `most`.
    pub fn bound(&self, most: u8) -> Bound {
        match self {
            BoundArg::Auto | BoundArg::None => Bound::Auto(usize::from(most)),
            BoundArg::Fixed(sizes) => Bound::Fixed(sizes.clone()),
        }
    }

    /// That the sizes mean something for a program under all models.
    pub fn check(
        &self,
        (checked, models): (&Checked, &[Model]),
        is_abstract: bool,
    ) -> Result<(), Failure> {
        match self {
            BoundArg::Auto => Ok(()),
            BoundArg::None if is_abstract => Ok(()),
            BoundArg::None => Err(Failure::with_hint(
                MalformedSizes::Range(0).to_string(),
                "`-k 0` is for abstract store buffers: `--engine coherence`",
            )),
            BoundArg::Fixed(sizes) if is_abstract => match sizes.as_uniform() {
                Some(_) => Ok(()),
                None => Err(Failure::message(
                    "abstract store buffers have one k for all",
                )),
            },
            BoundArg::Fixed(sizes) => {
                let mut models = models.iter();
                models.try_for_each(|&model| check_sizes(sizes, checked, model))
            }
        }
    }
}

impl BoundArg {
    /// The number of oldest stores that an abstract buffer has in order, if it is given.
    pub fn oldest(&self) -> Option<usize> {
        match self {
            BoundArg::Auto => None,
            BoundArg::None => Some(0),
            BoundArg::Fixed(sizes) => sizes.as_uniform(),
        }
    }
}

impl FromStr for BoundArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(BoundArg::Auto),
            "0" => Ok(BoundArg::None),
            _ => match text.parse() {
                Ok(sizes) => Ok(BoundArg::Fixed(sizes)),
                Err(error) => Err(format!("{error}; or give `auto`")),
            },
        }
    }
}

impl FromStr for MethodArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(MethodArg(MethodChoice::Auto)),
            _ => method(text).map(|method| MethodArg(MethodChoice::Only(method))),
        }
    }
}

/// The method with this name.
pub fn method(text: &str) -> Result<Method, String> {
    let mut methods = Method::ALL.into_iter();
    let found = methods.find(|method| method.name() == text);
    found.ok_or_else(|| format!("`{text}` is none of auto, trad, pe, ce and lazy"))
}
