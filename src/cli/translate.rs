//! `cupola translate`: prints the reduced program.

use clap::Args;
use cupola::lang;
use cupola::reduce::{self, Flush, ReduceConfig};
use serde_json::json;

use super::model::{EntriesArg, FencesArg, ModelArg};
use super::{Answer, Console, Exit, Failure, Input, ReportArgs};

/// Prints a program under SC that does what FILE does under a memory model: its locals hold the
/// store buffers.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    under: ModelArg,

    #[command(flatten)]
    entries: EntriesArg,

    /// How buffers are flushed at any time: by `background` blocks, or inline by a loop after each
    /// statement.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "background|inline",
        hide_possible_values = true
    )]
    flush: Flush,

    #[command(flatten)]
    fences: FencesArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &TranslateArgs, console: &Console) -> Result<Answer, Failure> {
    let file = args.input.read()?;
    let checked = match lang::load(&file) {
        Ok(checked) => checked,
        Err(diagnostics) => return Err(Failure::Source(file, diagnostics)),
    };
    console.diagnostics(&file, &checked.warnings);
    let model = args.under.model;
    let in_force = args.fences.placement().in_force(&checked, model);
    let fences = in_force.map_err(|error| Failure::message(error.to_string()))?;
    let config = ReduceConfig {
        model,
        k: usize::from(args.entries.k),
        fences,
        flush: args.flush,
    };
    let tree = reduce::reduce(&file, &checked, &config)
        .map_err(|error| Failure::Source(file.clone(), vec![error.to_diagnostic()]))?;
    // The reduced program obeys all rules but may exceed the limits of size.
    let reduced = match lang::check(tree) {
        Ok(reduced) => reduced,
        Err(diagnostics) => return Err(Failure::Source(file, diagnostics)),
    };
    let text = || lang::print(&reduced.tree);
    let json = || {
        json!({
            "schema": 1,
            "program": file.name(),
            "model": config.model,
            "k": config.k,
            "fences": config.fences.iter().collect::<Vec<_>>(),
            "flush": config.flush,
            "text": text(),
        })
    };
    Ok(args.report.answer(text, json, Exit::Done))
}
