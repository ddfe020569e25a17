//! `cupola translate`: prints the reduced program.

use clap::Args;
use cupola::lang;
use cupola::lang::placement::Placement;
use cupola::model::Model;
use cupola::reduce::{self, Flush, ReduceConfig};
use serde_json::json;

use super::{Answer, Console, Exit, Failure, Input, PlacementArg, ReportArgs};

/// Prints a program under SC that does what FILE does under a memory model: its locals hold the
/// store buffers.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    #[command(flatten)]
    input: Input,

    /// The memory model.
    #[arg(
        long,
        value_enum,
        value_name = "sc|tso|pso",
        hide_possible_values = true
    )]
    model: Model,

    /// The number of entries of each store buffer, from 1 to 64.
    #[arg(short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    k: u8,

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

    /// The optional fences in force, instead of those that FILE declares.
    #[arg(long, value_name = "A,B|none|all")]
    fences: Option<PlacementArg>,

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
    let placement = args.fences.as_ref().map(|arg| arg.0.clone());
    let fences = placement
        .unwrap_or(Placement::Declared)
        .in_force(&checked, args.model)
        .map_err(|error| Failure::message(error.to_string()))?;
    let config = ReduceConfig {
        model: args.model,
        k: usize::from(args.k),
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
