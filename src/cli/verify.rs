//! `cupola verify`: the whole pipeline.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use cupola::model::Model;
use cupola::pipeline::{self, Bound, MethodChoice, PipelineConfig, REFUTE_STATES, VerifyConfig};
use cupola::program;
use cupola::report::{Method, TraceForm, Verdict};
use indexmap::IndexSet;

use super::certificate::{Target, Written};
use super::interrupt::stop_on_interrupt;
use super::pipeline::PipelineArgs;
use super::progress::Line;
use super::watchdog::Watchdog;
use super::{Answer, Console, Exit, Failure, ReportArgs};

/// Verifies a program under one or several memory models, from its proof under SC.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    pipeline: PipelineArgs,

    /// The memory models: `sc`, `tso`, `pso`, several separated by commas, or `all`.
    #[arg(long, value_name = "M[,M…]|all")]
    model: ModelsArg,

    /// The number of entries of each buffer; `auto` starts with 1 and goes up as long as a
    /// buffer overflows.
    #[arg(short, value_name = "N|auto", default_value = "auto")]
    k: BoundArg,

    /// The largest bound that `-k auto` tries, from 1 to 64.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    max_k: u8,

    /// How the abstraction is built.
    #[arg(long, default_value = "auto", value_name = "auto|trad|pe|ce|lazy")]
    method: MethodArg,

    /// The states of the search for a real violation that comes before the proof; 0 switches it
    /// off.
    #[arg(long, value_name = "N", default_value_t = REFUTE_STATES)]
    refute_states: usize,

    /// How a real execution is told in the text: as a table or as a JSON object.
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "text|json"
    )]
    trace: TraceForm,

    /// Write a certificate of what is verified to this directory, with several models to a directory
    /// in it for each of them; `cupola certify` checks it.
    #[arg(long, value_name = "DIR")]
    certificate: Option<PathBuf>,

    #[command(flatten)]
    report: ReportArgs,
}

/// The value of `--model`.
#[derive(Clone, Debug)]
pub struct ModelsArg(pub Vec<Model>);

/// The value of `-k`.
#[derive(Clone, Copy, Debug)]
pub enum BoundArg {
    /// As many entries as are needed.
    Auto,
    /// This many.
    Fixed(usize),
}

/// The value of `--method`.
#[derive(Clone, Copy, Debug)]
struct MethodArg(MethodChoice);

/// Runs the command.
pub fn run(args: &VerifyArgs, console: &Console) -> Result<Answer, Failure> {
    let loaded = args.pipeline.load(console)?;
    if !program::lower(&loaded.checked, &IndexSet::new()).has_property() {
        console.note("the program has no property: only an index out of range could break it");
    }
    let config = VerifyConfig {
        models: args.model.0.clone(),
        bound: args.k.bound(args.max_k),
        method: args.method.0,
        refute_states: args.refute_states,
        pipeline: PipelineConfig {
            cancel: Some(stop_on_interrupt(console)),
            ..args.pipeline.config()
        },
    };
    let target = args.certificate.as_deref();
    let target = target.map(|dir| Target::new(dir, &config.models));
    let target = target.transpose()?;
    let line = Line::of_work(console, config.pipeline.progress.clone());
    let watchdog = Watchdog::over(config.pipeline.stop(), console);
    let report = pipeline::verify(&loaded.task(), loaded.harvested, &config);
    drop(watchdog);
    line.end();
    let report = match report {
        Ok(report) => report,
        Err(error) => return Err(loaded.failure(error)),
    };
    let written = match target {
        Some(target) => target.write(&loaded.task(), &report, &config.pipeline, console),
        None => Written::All,
    };
    let exit = match (report.verdict(), written) {
        (_, Written::Failed) => Exit::BadInput,
        (Verdict::Verified, Written::All) => Exit::Done,
        (Verdict::Violated, _) => Exit::Violated,
        (Verdict::Verified, Written::NotAll) | (Verdict::Unknown, _) => Exit::Unknown,
    };
    let (text, json) = (|| report.text_with(args.trace), || report.json());
    Ok(args.report.answer(text, json, exit))
}

impl FromStr for ModelsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(ModelsArg(Model::ALL.to_vec()));
        }
        let models: Result<Vec<Model>, String> = text
            .split(',')
            .map(|name| match name.trim() {
                "sc" => Ok(Model::Sc),
                "tso" => Ok(Model::Tso),
                "pso" => Ok(Model::Pso),
                "all" => Err("`all` stands alone".to_owned()),
                other => Err(format!("`{other}` is none of sc, tso, pso and all")),
            })
            .collect();
        let mut models = models?;
        models.sort_unstable();
        models.dedup();
        Ok(ModelsArg(models))
    }
}

impl BoundArg {
    /// The bound, where `auto` ends with `most`.
    pub fn bound(self, most: u8) -> Bound {
        match self {
            BoundArg::Auto => Bound::Auto(usize::from(most)),
            BoundArg::Fixed(k) => Bound::Fixed(k),
        }
    }
}

impl FromStr for BoundArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("auto", _) => Ok(BoundArg::Auto),
            (_, Ok(k)) if (1..=64).contains(&k) => Ok(BoundArg::Fixed(k)),
            _ => Err(format!(
                "`{text}` is neither `auto` nor a number from 1 to 64"
            )),
        }
    }
}

impl FromStr for MethodArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(MethodArg(match text {
            "auto" => MethodChoice::Auto,
            "trad" => MethodChoice::Only(Method::Trad),
            "pe" => MethodChoice::Only(Method::Pe),
            "ce" => MethodChoice::Only(Method::Ce),
            "lazy" => MethodChoice::Only(Method::Lazy),
            other => return Err(format!("`{other}` is none of auto, trad, pe, ce and lazy")),
        }))
    }
}
