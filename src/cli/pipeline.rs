//! What the commands of the proof pipeline have in common: options, reading programs and proofs.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cupola::abstraction::cubes::Search;
use cupola::engine::portfolio::{Subject, VerifyError};
use cupola::engine::predicate::{Input as PredicateInput, PredicateConfig, PredicateError};
use cupola::engine::{Context, EngineError, Limits};
use cupola::extrapolate::{ExtrapolateConfig, Tail};
use cupola::front::cup::check::Checked;
use cupola::memory::Model;
use cupola::optimizations::{Optimization, Optimizations};
use cupola::program;
use cupola::proof::{self, Proof};
use cupola::run::stop::Stop;
use cupola::source::SourceFile;
use cupola::verdict::CubeSizes;
use indexmap::IndexSet;

use super::choice::one_of;
use super::input::{is_stdin, read, seconds};
use super::interrupt::stop_on_interrupt;
use super::memory;
use super::model::{FencesArg, sizes_failure};
use super::{Console, Failure, Input, advice};

/// The proof of a program, and how to abstract it.
#[derive(Clone, Debug, Args)]
pub struct PipelineArgs {
    /// The proof under SC; by default the file `NAME.proof` beside `NAME.cup`. Without one,
    /// predicates are taken from the program.
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,

    #[command(flatten)]
    pub fences: FencesArg,

    /// The largest cubes for updates and for conditions.
    #[arg(long, value_name = "U,C", default_value = "2,3")]
    pub cube_size: CubeSizeArg,

    /// How cubes are looked for; both ways find the same ones.
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "fast|exhaustive"
    )]
    pub search: SearchArg,

    /// Also extrapolate equalities between buffer slots and memory (rules 4 and 11).
    #[arg(long)]
    pub rule4: bool,

    /// Lift at most one variable where a fence stands between any two stores (rules 7 and 14).
    #[arg(long)]
    pub rule7: bool,

    /// Drop literals about buffered values from extrapolated cubes.
    #[arg(long)]
    pub drop_buffered: bool,

    /// What is known of the entries of FIFOs: facts about them and their order, about them as a set, or nothing.
    #[arg(
        long,
        value_parser = one_of(Tail::ALL),
        default_value = "ordered",
        value_name = "ordered|set|forget",
        hide_possible_values = true
    )]
    pub tail: Tail,

    /// Track what unused slots of buffers held last, instead of forgetting it.
    #[arg(long)]
    pub keep_slots: bool,

    /// The most rounds of refinement, in which predicates are found that the proof lacks; 0 switches it off.
    #[arg(long, value_name = "N", default_value_t = PredicateConfig::default().refine)]
    pub refine: usize,

    /// The number of threads that ask the solver.
    #[arg(short, long, value_name = "N", default_value = "1")]
    pub jobs: NonZeroUsize,

    /// Give up after this many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// The most states that the checker may store.
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub max_states: usize,

    /// Turn off ways to save work, for comparison; the answer is the same. Names separated by commas,
    /// see `docs/verification.md`.
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    pub without: Vec<Optimization>,
}

/// The value of `--search`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchArg {
    /// With a pool of counter-models.
    #[default]
    Fast,
    /// Cube by cube.
    Exhaustive,
}

/// The value of `--cube-size`.
#[derive(Clone, Copy, Debug)]
pub struct CubeSizeArg(pub CubeSizes);

/// A program and its proof, read and checked.
pub struct Loaded {
    /// The source.
    pub file: SourceFile,
    /// The checked program.
    pub checked: Checked,
    /// The proof.
    pub proof: Proof,
    /// Whether its predicates were taken from the program.
    pub harvested: bool,
}

impl PipelineArgs {
    /// Reads a program and its proof; shows warnings.
    pub fn load(&self, input: &Input, console: &Console) -> Result<Loaded, Failure> {
        if is_stdin(&input.file) && self.proof.as_deref().is_some_and(is_stdin) {
            return Err(Failure::with_hint(
                "the program and its proof cannot both come from standard input",
                "put one of them into a file",
            ));
        }
        let program = input.load(console)?;
        let (file, checked) = (program.source, program.checked);
        let (proof, harvested) = load_proof(input, self.proof.as_ref(), &checked, console)?;
        Ok(Loaded {
            file,
            checked,
            proof,
            harvested,
        })
    }

    /// How the predicate engine works.
    pub fn config(&self) -> PredicateConfig {
        PredicateConfig {
            search: match self.search {
                SearchArg::Fast => Search::Fast,
                SearchArg::Exhaustive => Search::Exhaustive,
            },
            sizes: self.cube_size.0,
            extrapolate: ExtrapolateConfig {
                rule4: self.rule4,
                rule7: self.rule7,
                drop_buffered: self.drop_buffered,
                tail: self.tail,
            },
            keep_slots: self.keep_slots,
            refine: self.refine,
            optimizations: self
                .without
                .iter()
                .fold(Optimizations::ALL, |on, off| on.without(*off)),
            ..PredicateConfig::default()
        }
    }

    /// The context of a run, which Ctrl-C ends with what is known.
    pub fn context(&self, console: &Console) -> Context {
        Context {
            stop: memory::stop(self.timeout, &stop_on_interrupt(console)),
            limits: Limits {
                abstract_states: self.max_states,
                ..Limits::default()
            },
            jobs: self.jobs.get(),
            ..Context::default()
        }
    }

    /// The fences in force under a model.
    pub fn fences_in_force(
        &self,
        checked: &Checked,
        model: Model,
    ) -> Result<IndexSet<String>, Failure> {
        let fences = self.fences.placement().in_force(checked, model);
        fences.map_err(|unknown| Failure::message(unknown.to_string()))
    }
}

impl Loaded {
    /// The program for the predicate engine.
    pub fn input(&self) -> PredicateInput<'_> {
        PredicateInput {
            source: &self.file,
            program: &self.checked,
            proof: &self.proof,
        }
    }

    /// Tells where the predicates come from, if there is no proof.
    pub fn tell_harvested(&self, console: &Console) {
        if self.harvested {
            console.note("no proof is given: predicates are taken from the program");
        }
    }

    /// The program for any engine.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            source: &self.file,
            program: &self.checked,
            proof: (!self.harvested).then_some(&self.proof),
        }
    }

    /// The predicates, where they were taken from the program.
    pub fn harvested(&self) -> Option<Vec<String>> {
        let program = || program::lower(&self.checked, &IndexSet::new());
        self.harvested.then(|| self.proof.lines(&program()).0)
    }

    /// The failure that an error of a verification is.
    pub fn failure(self, error: VerifyError, stop: &Stop) -> Failure {
        match error {
            VerifyError::Engine(error) => engine_failure(error, self.file, stop),
            VerifyError::Placement(unknown) => Failure::message(unknown.to_string()),
        }
    }

    /// The failure that an error of a stage is.
    pub fn stage_failure(self, error: PredicateError, stop: &Stop) -> Failure {
        match error {
            PredicateError::Stopped => Failure::stopped(stop),
            PredicateError::Source(diagnostics) => Failure::Source(self.file, diagnostics),
            PredicateError::Sizes(error) => sizes_failure(error),
            PredicateError::TooMany(error) => {
                let mut ways =
                    vec!["split the predicates and cubes that name many shared variables"];
                ways.extend(advice::open(&[
                    ("-k", "try a smaller `-k`"),
                    ("--rule7", "try `--rule7`"),
                ]));
                Failure::with_hint(error.to_string(), ways.join(", or "))
            }
        }
    }
}

/// The failure that an error of an engine is.
pub fn engine_failure(error: EngineError, file: SourceFile, stop: &Stop) -> Failure {
    match error {
        EngineError::Stopped => Failure::stopped(stop),
        EngineError::Source(diagnostics) => Failure::Source(file, diagnostics),
        EngineError::Unsupported(_) => Failure::message(error.to_string()),
    }
}

impl FromStr for CubeSizeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not of the form U,C with numbers from 1 to 8");
        let (updates, conditions) = text.split_once(',').ok_or_else(wrong)?;
        let size = |text: &str| {
            text.trim()
                .parse()
                .ok()
                .filter(|size| (1..=8).contains(size))
        };
        Ok(CubeSizeArg(CubeSizes {
            updates: size(updates).ok_or_else(wrong)?,
            conditions: size(conditions).ok_or_else(wrong)?,
        }))
    }
}

/// Reads the proof that is named, or the one beside the program; without one the predicates are
/// taken from the program. Also says whether they were.
pub fn load_proof(
    input: &Input,
    named: Option<&PathBuf>,
    checked: &Checked,
    console: &Console,
) -> Result<(Proof, bool), Failure> {
    let beside = || {
        let path = input.file.with_extension("proof");
        (input.file.as_os_str() != "-" && path.exists()).then_some(path)
    };
    match named.cloned().or_else(beside) {
        Some(path) => Ok((read_proof(&path, checked, console)?, false)),
        None => Ok((harvest(checked, console), true)),
    }
}

fn read_proof(path: &Path, checked: &Checked, console: &Console) -> Result<Proof, Failure> {
    let file = read(path)?;
    match proof::parse(&file, checked) {
        Ok((proof, warnings)) => {
            console.diagnostics(&file, &warnings);
            if proof.predicates.is_empty() {
                console.note(&format!("`{}` has no predicates", path.display()));
            }
            Ok(proof)
        }
        Err(errors) => Err(Failure::Source(file, errors)),
    }
}

fn harvest(checked: &Checked, console: &Console) -> Proof {
    let (proof, cut) = proof::harvest(&program::lower(checked, &IndexSet::new()));
    if cut {
        let most = proof.predicates.len();
        console.note(&format!(
            "the program has more than {most} predicates: the others are left out"
        ));
    }
    proof
}
