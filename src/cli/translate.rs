//! `cupola translate`: prints the reduced program.

use clap::Args;
use cupola::front::{Loaded, cup};
use cupola::memory::Model;
use cupola::reduce::{Flush, Storage, reduce, reduce_to_fifos};
use cupola::render::SCHEMA;
use serde_json::json;

use super::choice::one_of;
use super::input::stem;
use super::model::{EntriesArg, FencesArg, ModelsArgs, Reduce, ReductionArg, reduced};
use super::{Answer, Console, Exit, Failure, Inputs, Part, Parts, ReportArgs};

/// Prints a program under SC that does what FILE does under a memory model: its locals hold the
/// store buffers.
///
/// Several programs or models give several programs, one after the other; `-o` and a folder makes them
/// files.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    under: ModelsArgs,

    #[command(flatten)]
    entries: EntriesArg,

    /// How buffers are flushed at any time: by `background` blocks, or inline by a loop after each
    /// statement.
    #[arg(
        long,
        value_parser = one_of(Flush::ALL.map(|flush| (flush.name(), flush))),
        default_value = Flush::default().name(),
        value_name = "background|inline",
        hide_possible_values = true
    )]
    flush: Flush,

    #[command(flatten)]
    reduction: ReductionArg,

    #[command(flatten)]
    fences: FencesArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &TranslateArgs, console: &Console) -> Result<Answer, Failure> {
    let (inputs, models) = (args.inputs.each()?, &args.under.model.0);
    let several = inputs.len() * models.len() > 1;
    let mut parts = Parts::new(&args.report.output, several, console)?;
    for input in inputs {
        match input.load(console) {
            Ok(loaded) => {
                for &model in models {
                    let name = format!("{}.{model}", stem(&input.file));
                    parts.add(args.translate(&loaded, name, model));
                }
            }
            Err(failure) => parts.add(Err(failure)),
        }
    }
    parts.answer()
}

impl TranslateArgs {
    /// Reduces a program, whose result is called `name`.
    fn translate(&self, loaded: &Loaded, name: String, model: Model) -> Result<Part, Failure> {
        let source = &loaded.source;
        let reduce: Reduce = match self.reduction.reduction {
            Storage::Slots => reduce,
            Storage::Fifos => reduce_to_fifos,
        };
        let how = (&self.entries, self.flush, reduce);
        let reduction = reduced(loaded, model, how, &self.fences)?;
        let config = &reduction.config;
        let text = || cup::print(reduction.tree());
        let json = || {
            json!({
                "schema": SCHEMA,
                "program": source.name(),
                "model": config.model,
                "k": config.sizes,
                "fences": config.fences.iter().collect::<Vec<_>>(),
                "flush": config.flush,
                "text": text(),
            })
        };
        Ok(self.report.part((name, "cup"), text, json, Exit::Done))
    }
}
