//! The options that say under which memory model, with which bound and with which fences.

use std::str::FromStr;

use clap::Args;
use cupola::front::Loaded;
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::{BufferSizes, Buffers, Model};
use cupola::reduce::{self, Flush, ReduceConfig, ReduceError, Reduction, SizesError, Storage};
use cupola::source::SourceFile;

use super::choice::one_of;
use super::{Failure, PlacementArg};

/// `--model`, a single one.
#[derive(Clone, Copy, Debug, Args)]
pub struct ModelArg {
    /// The memory model.
    #[arg(
        long,
        value_parser = one_of(Model::ALL.map(|model| (model.name(), model))),
        value_name = "sc|tso|pso",
        hide_possible_values = true
    )]
    pub model: Model,
}

/// `--model`, one or several.
#[derive(Clone, Debug, Args)]
pub struct ModelsArgs {
    /// The memory models: `sc`, `tso`, `pso`, several separated by commas, or `all`.
    #[arg(long, value_name = "M[,M…]|all")]
    pub model: ModelsArg,
}

/// A list of memory models, from the strongest to the weakest.
#[derive(Clone, Debug)]
pub struct ModelsArg(pub Vec<Model>);

/// `-k` without `auto`.
#[derive(Clone, Debug, Args)]
pub struct EntriesArg {
    /// The number of entries of each store buffer, from 1 to 64. Under PSO a variable may have another
    /// one, as in `1,Tail=3`.
    #[arg(short, default_value_t = BufferSizes::ONE, value_name = "N[,X=N…]")]
    pub k: BufferSizes,
}

/// What holds the entries of a buffer.
#[derive(Clone, Debug, Args)]
pub struct ReductionArg {
    /// What holds the entries of a buffer: `k` slots, and a check that they suffice, or a FIFO of any length.
    #[arg(
        long,
        value_parser = one_of([("slots", Storage::Slots), ("fifo", Storage::Fifos)]),
        default_value = "slots",
        value_name = "slots|fifo",
        hide_possible_values = true
    )]
    pub reduction: Storage,
}

impl ReductionArg {
    /// How buffers are stored.
    pub fn buffers(&self, entries: &EntriesArg) -> Buffers {
        match self.reduction {
            Storage::Slots => Buffers::Slots(entries.k.clone()),
            Storage::Fifos => Buffers::Fifos,
        }
    }
}

/// That sizes of buffers mean something for a program under a model.
pub fn check_sizes(sizes: &BufferSizes, checked: &Checked, model: Model) -> Result<(), Failure> {
    reduce::sizes_fit(sizes, checked, model).map_err(sizes_failure)
}

/// The failure that sizes are which mean nothing.
pub fn sizes_failure(error: SizesError) -> Failure {
    match error {
        SizesError::OneBuffer => {
            Failure::with_hint(error.to_string(), "give a single number, or `--model pso`")
        }
        _ => Failure::message(error.to_string()),
    }
}

/// A way to reduce a program.
pub type Reduce = fn(&SourceFile, &Checked, &ReduceConfig) -> Result<Reduction, ReduceError>;

/// The program under SC that stands for a program under a model.
pub fn reduced(
    loaded: &Loaded,
    model: Model,
    (entries, flush, reduce): (&EntriesArg, Flush, Reduce),
    fences: &FencesArg,
) -> Result<Reduction, Failure> {
    let Loaded { source, checked } = loaded;
    let in_force = fences.placement().in_force(checked, model);
    let config = ReduceConfig {
        model,
        sizes: entries.k.clone(),
        fences: in_force.map_err(|error| Failure::message(error.to_string()))?,
        flush,
    };
    reduce(source, checked, &config).map_err(|error| match error.into_diagnostics() {
        Ok(diagnostics) => Failure::Source(source.clone(), diagnostics),
        Err(error) => sizes_failure(error),
    })
}

/// `--fences`.
#[derive(Clone, Debug, Args)]
pub struct FencesArg {
    /// The optional fences in force, instead of those that FILE declares for the model: names separated
    /// by commas, `none` or `all`.
    #[arg(long, value_name = "A,B|none|all")]
    fences: Option<PlacementArg>,
}

impl FencesArg {
    /// The fences in force.
    pub fn placement(&self) -> Placement {
        let named = self.fences.as_ref();
        named.map_or(Placement::Declared, |arg| arg.0.clone())
    }
}

impl FromStr for ModelsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(ModelsArg(Model::ALL.to_vec()));
        }
        let model = |name: &str| {
            let mut all = Model::ALL.into_iter();
            match all.find(|model| model.name() == name) {
                Some(model) => Ok(model),
                None if name == "all" => Err("`all` stands alone".to_owned()),
                None => Err(format!("`{name}` is none of sc, tso, pso and all")),
            }
        };
        let models = text.split(',').map(|name| model(name.trim()));
        let mut models = models.collect::<Result<Vec<Model>, String>>()?;
        models.sort_unstable();
        models.dedup();
        Ok(ModelsArg(models))
    }
}
