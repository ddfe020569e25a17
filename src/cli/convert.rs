//! `cupola convert`: a program in another format.

use std::path::Path;

use clap::Args;
use cupola::front::cup::ast::ItemKind;
use cupola::front::cup::placement::Placement;
use cupola::front::{Format, Loaded, cup, rmm};
use cupola::memory::Model;

use super::input::stem;
use super::model::FencesArg;
use super::several::Body;
use super::{Answer, Console, Exit, Failure, Input, Inputs, OutputArgs, Part, Parts};

/// Prints programs in another format: those of Memorax or herd in the input language, and programs of the
/// input language in that of Memorax where they fit.
///
/// Several programs are written to a folder (`-o`).
#[derive(Debug, Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    inputs: Inputs,

    /// The format of the result, instead of that of the extension of `-o`.
    #[arg(long, value_name = "cup|rmm", value_parser = target)]
    to: Option<Format>,

    #[command(flatten)]
    fences: FencesArg,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub fn run(args: &ConvertArgs, console: &Console) -> Result<Answer, Failure> {
    let to = args.target()?;
    let inputs = args.inputs.each()?;
    let several = inputs.len() > 1;
    if several && args.output.output.is_none() {
        return Err(Failure::with_hint(
            "several programs together are none",
            "give `-o` with a folder",
        ));
    }
    let mut parts = Parts::new(&args.output, several, console)?;
    for input in &inputs {
        parts.add(args.convert(input, to, console));
    }
    parts.answer()
}

impl ConvertArgs {
    fn target(&self) -> Result<Format, Failure> {
        let of_file = |path: &Path| Format::of(path).filter(|format| *format != Format::Litmus);
        let output = self.output.output.as_deref();
        self.to.or_else(|| output.and_then(of_file)).ok_or_else(|| {
            Failure::with_hint(
                "the format of the result is not known",
                "give `--to cup` or `--to rmm`, or `-o` with a file that ends in one of them",
            )
        })
    }

    fn convert(&self, input: &Input, to: Format, console: &Console) -> Result<Part, Failure> {
        let loaded = input.load_quietly(console)?;
        let (text, ending) = match to {
            Format::Rmm => (self.memorax(&loaded)?, "rmm"),
            Format::Cup | Format::Litmus => (cup::print(&loaded.checked.tree), "cup"),
        };
        Ok(Part {
            name: stem(&input.file),
            body: Body::Text(text, ending),
            exit: Exit::Done,
        })
    }

    /// The program in the language of Memorax.
    fn memorax(&self, loaded: &Loaded) -> Result<String, Failure> {
        let Loaded { source, checked } = loaded;
        let placement = self.fences.placement();
        let mut items = checked.tree.items.iter();
        let declares = items.any(|item| matches!(item.kind, ItemKind::Placement(_)));
        if placement == Placement::Declared && declares {
            return Err(Failure::with_hint(
                format!("`{}` has other fences for tso and pso", source.name()),
                "a program of Memorax has the same for all: say which with `--fences A,B|none|all`",
            ));
        }
        let fences = placement.in_force(checked, Model::Sc);
        let fences = fences.map_err(|error| Failure::message(error.to_string()))?;
        match rmm::write(checked, &fences) {
            Ok(model) => Ok(rmm::print(&model)),
            Err(diagnostics) => Err(Failure::Source(source.clone(), diagnostics)),
        }
    }
}

/// The value of `--to`.
fn target(text: &str) -> Result<Format, String> {
    let named = Format::named(text).filter(|format| *format != Format::Litmus);
    named.ok_or_else(|| format!("`{text}` is neither cup nor rmm"))
}
