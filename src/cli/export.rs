//! `cupola export`: programs in the languages of other tools.

use clap::Args;
use cupola::engine::explore;
use cupola::front::Loaded;
use cupola::memory::Model;
use cupola::reduce::{Flush, reduce};
use cupola::render::SCHEMA;
use cupola::render::export::{self, Exported, Refused, Target};
use cupola::semantics::HavocRange;
use cupola::source::{Diagnostic, SourceFile};
use serde_json::json;

use super::choice::one_of;
use super::input::stem;
use super::model::{EntriesArg, FencesArg, ModelsArg, reduced};
use super::{Answer, Console, Exit, Failure, Inputs, Part, Parts, ReportArgs};

/// Prints programs for other tools: Promela for Spin, C, Horn clauses, Graphviz, herd.
///
/// What is printed has the meaning of FILE under SC. With `--model tso` or `pso` it is the reduced program that
/// `cupola translate` prints, with store buffers of `-k` entries; a litmus test, which hardware runs, is never reduced.
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    inputs: Inputs,

    /// The target.
    #[arg(
        long,
        value_parser = one_of(Target::ALL.map(|target| (target.name(), target))),
        value_name = "promela|c|chc|dot|litmus",
        hide_possible_values = true
    )]
    to: Target,

    /// The memory models: `sc`, `tso`, `pso`, several separated by commas, or `all`.
    #[arg(long, value_name = "M[,M…]|all", default_value = "sc")]
    model: ModelsArg,

    /// For Graphviz: the graph of the states, with real store buffers, instead of that of the program, if there are at
    /// most N.
    #[arg(long, value_name = "N")]
    states: Option<usize>,

    #[command(flatten)]
    entries: EntriesArg,

    #[command(flatten)]
    fences: FencesArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &ExportArgs, console: &Console) -> Result<Answer, Failure> {
    if args.states.is_some() && args.to != Target::Dot {
        return Err(Failure::with_hint(
            "`--states` is for Graphviz",
            "give `--to dot`",
        ));
    }
    let (inputs, models) = (args.inputs.each()?, &args.model.0);
    let several = inputs.len() * models.len() > 1;
    let mut parts = Parts::new(&args.report.output, several, console)?;
    for input in inputs {
        match input.load(console) {
            Ok(loaded) => {
                for &model in models {
                    let name = format!("{}.{model}", stem(&input.file));
                    parts.add(args.export(&loaded, name, model));
                }
            }
            Err(failure) => parts.add(Err(failure)),
        }
    }
    parts.answer()
}

impl ExportArgs {
    /// Exports a program, whose result is called `name`.
    fn export(&self, loaded: &Loaded, name: String, model: Model) -> Result<Part, Failure> {
        let source = &loaded.source;
        let reduction = reduced(
            loaded,
            model,
            (&self.entries, Flush::Background, reduce),
            &self.fences,
        )?;
        let config = &reduction.config;
        let exported = Exported {
            file: source,
            reduction: &reduction,
        };
        let text = match self.states {
            Some(most) => {
                export::without_fifos(exported).map_err(|refused| failure(source, refused))?;
                states(exported, most)?
            }
            None => {
                export::export(exported, self.to).map_err(|refused| failure(source, refused))?
            }
        };
        let json = || {
            json!({
                "schema": SCHEMA,
                "program": source.name(),
                "model": config.model,
                "k": config.sizes,
                "fences": config.fences.iter().collect::<Vec<_>>(),
                "to": self.to.name(),
                "text": text,
            })
        };
        let kind = (name, self.to.extension());
        Ok(self.report.part(kind, || text.clone(), json, Exit::Done))
    }
}

/// The longest buffer of a graph of states.
const LONGEST_BUFFER: usize = 8;

/// The graph of the states of the source.
fn states(exported: Exported<'_>, most: usize) -> Result<String, Failure> {
    let Exported { file, reduction } = exported;
    let limits = (LONGEST_BUFFER, HavocRange::default());
    match explore::state_graph(&reduction.source, reduction.model(), limits, most) {
        Some(graph) => Ok(export::states_text(file, &reduction.source, &graph)),
        None => Err(Failure::with_hint(
            format!("there are more than {most} states"),
            "give `--states` a larger number, or export the graph of the program",
        )),
    }
}

/// What cannot be exported, at its place of the source.
fn failure(source: &SourceFile, refused: Refused) -> Failure {
    match refused.span {
        Some(span) => {
            let diagnostic = Diagnostic::error(refused.message, span, "here");
            Failure::Source(source.clone(), vec![diagnostic.with_note(refused.hint)])
        }
        None => Failure::with_hint(refused.message, refused.hint),
    }
}
