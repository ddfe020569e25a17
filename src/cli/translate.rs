//! `cupola translate`: prints the reduced program.

use std::str::FromStr;

use clap::Args;
use cupola::front::Loaded;
use cupola::memory::{BufferSizes, Model};
use cupola::reduce::{Flush, Reduction, Storage, reduce, reduce_to_fifos};
use cupola::render::TranslationReport;

use super::choice::one_of;
use super::input::stem;
use super::model::{EntriesArg, FencesArg, ModelsArg, Reduce, ReductionArg, reduced};
use super::pages::{HtmlArg, Pages};
use super::several::Body;
use super::{Answer, Console, Exit, Failure, Input, Inputs, Part, Parts, ReportArgs};

/// Prints a program under SC that does what FILE does under a memory model: its locals hold the
/// store buffers.
///
/// Several programs or models give several programs, one after the other; `-o` and a folder makes them
/// files.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    #[command(flatten)]
    inputs: Inputs,

    /// The memory models: `sc`, `tso`, `pso`, several separated by commas, or `all`.
    #[arg(long, value_name = "M[,M…]|all", required_unless_present = "diff")]
    model: Option<ModelsArg>,

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

    /// Print the source on the left and its translation on the right, as wide as `--width` says.
    #[arg(long, conflicts_with_all = ["json", "diff"])]
    side_by_side: bool,

    /// Print how the second of two translations differs from the first, each given as a model and the number of entries
    /// of its buffers: `tso:1,pso:2`.
    #[arg(long, value_name = "M:K,M:K", conflicts_with_all = ["json", "model", "k", "html"])]
    diff: Option<DiffArg>,

    #[command(flatten)]
    page: HtmlArg,

    #[command(flatten)]
    report: ReportArgs,
}

/// The value of `--diff`.
#[derive(Clone, Debug)]
struct DiffArg([(Model, BufferSizes); 2]);

/// Runs the command.
pub fn run(args: &TranslateArgs, console: &Console) -> Result<Answer, Failure> {
    let inputs = args.inputs.each()?;
    if let Some(DiffArg(sides)) = &args.diff {
        return args.differences(&inputs, sides, console);
    }
    let models = args.model.as_ref().map_or(&[][..], |models| &models.0);
    let several = inputs.len() * models.len() > 1;
    let mut parts = Parts::new(&args.report.output, several, console)?;
    let shown = (&args.page, None);
    let mut pages = Pages::new("Translation", shown, args.report.output.force)?;
    for input in inputs {
        match input.load(console) {
            Ok(loaded) => {
                for &model in models {
                    let name = format!("{}.{model}", stem(&input.file));
                    parts.add(args.translate(&loaded, (name, model), &mut pages, console));
                }
            }
            Err(failure) => parts.add(Err(failure)),
        }
    }
    parts.beside(pages.write(console));
    parts.answer()
}

impl TranslateArgs {
    /// Reduces a program, whose result is called `name`.
    fn translate(
        &self,
        loaded: &Loaded,
        (name, model): (String, Model),
        pages: &mut Pages<'_>,
        console: &Console,
    ) -> Result<Part, Failure> {
        let reduction = self.reduction(loaded, model, &self.entries)?;
        let report = TranslationReport::new(&loaded.source, &reduction);
        pages.show(|| [report.section()]);
        let page = console.page(&self.report.output);
        let (text, ending): (_, &str) = match self.side_by_side {
            true => (report.side_by_side(&page), "txt"),
            false => (report.text(), "cup"),
        };
        let (text, json) = (|| text, || report.json());
        Ok(self.report.part((name, ending), text, json, Exit::Done))
    }

    fn reduction(
        &self,
        loaded: &Loaded,
        model: Model,
        entries: &EntriesArg,
    ) -> Result<Reduction, Failure> {
        let reduce: Reduce = match self.reduction.reduction {
            Storage::Slots => reduce,
            Storage::Fifos => reduce_to_fifos,
        };
        reduced(loaded, model, (entries, self.flush, reduce), &self.fences)
    }

    /// How two translations of each program differ.
    fn differences(
        &self,
        inputs: &[Input],
        sides: &[(Model, BufferSizes); 2],
        console: &Console,
    ) -> Result<Answer, Failure> {
        let mut parts = Parts::new(&self.report.output, inputs.len() > 1, console)?;
        for input in inputs {
            let loaded = input.load(console);
            parts.add(loaded.and_then(|loaded| self.difference(input, &loaded, sides, console)));
        }
        parts.answer()
    }

    fn difference(
        &self,
        input: &Input,
        loaded: &Loaded,
        sides: &[(Model, BufferSizes); 2],
        console: &Console,
    ) -> Result<Part, Failure> {
        let reduction = |(model, k): &(Model, BufferSizes)| {
            self.reduction(loaded, *model, &EntriesArg { k: k.clone() })
        };
        let [first, second] = sides;
        let (first, second) = (reduction(first)?, reduction(second)?);
        let first = TranslationReport::new(&loaded.source, &first);
        let second = TranslationReport::new(&loaded.source, &second);
        let page = console.page(&self.report.output);
        Ok(Part {
            name: stem(&input.file),
            body: Body::Text(first.difference(&second, &page), "diff"),
            exit: Exit::Done,
        })
    }
}

impl FromStr for DiffArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let how = "write two models with their bounds, such as tso:1,pso:2";
        let sides: Vec<&str> = text.split(',').collect();
        let side = |text: &str| {
            let (model, k) = text.split_once(':').ok_or(how)?;
            let mut models = Model::ALL.into_iter();
            let model = models.find(|known| known.name() == model.trim());
            let model = model.ok_or_else(|| format!("`{text}` begins with no model; {how}"))?;
            let k = k.trim().parse::<BufferSizes>();
            Ok::<_, String>((model, k.map_err(|error| error.to_string())?))
        };
        match sides[..] {
            [first, second] => Ok(DiffArg([side(first)?, side(second)?])),
            _ => Err(how.to_owned()),
        }
    }
}
