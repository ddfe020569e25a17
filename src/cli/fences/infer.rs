//! `cupola fences --infer avoid`: fences inferred under a partial-coherence abstraction.

use clap::Args;
use cupola::engine::{Context, EngineError};
use cupola::fences::avoid::{self, Inference, InferenceEnd, Inferred};
use cupola::fences::clause::Clause;
use cupola::fences::{Answer as Found, FenceSet, Search, names};
use cupola::render::infer::{Checked, turn};
use cupola::verdict::{Domain, PartialCoherence};

use crate::cli::choice::one_of;
use crate::cli::pipeline::engine_failure;
use crate::cli::{Console, Exit, Failure};

/// The options of inference.
#[derive(Debug, Args)]
pub struct InferArgs {
    /// Infer fences from an abstraction of store buffers (`--domain`, `-k`) in place of the search: `avoid` enforces
    /// the ordering constraints that exclude every abstract path to a broken property.
    #[arg(
        long,
        value_parser = one_of([("avoid", ())]),
        value_name = "avoid",
        hide_possible_values = true,
        conflicts_with_all = ["explain", "html", "max_sets"]
    )]
    infer: Option<()>,

    /// Have the engines judge the placements that are inferred: which of their fences are too many?
    #[arg(long, requires = "infer")]
    check: bool,
}

impl InferArgs {
    /// Whether fences are inferred.
    pub fn is_wanted(&self) -> bool {
        self.infer.is_some()
    }

    /// Infers fences for a program.
    pub fn infer(
        &self,
        search: &Search<'_>,
        (domain, k): (Option<Domain>, Option<usize>),
        (context, console, verbose): (&Context, &Console, bool),
    ) -> Result<Inferred, Failure> {
        let inference = Inference {
            candidates: search.candidates,
            given: &FenceSet::default(),
            model: search.model,
            abstraction: PartialCoherence {
                domain: domain.unwrap_or(Domain::Fd),
                k: k.unwrap_or(1),
            },
        };
        let mut observe = |fences: &FenceSet, clause: Option<&Clause>| {
            if verbose {
                console.note(&turn(search.candidates, fences, clause));
            }
        };
        avoid::infer(&inference, context, &mut observe).map_err(|error| {
            engine_failure(
                EngineError::from(error),
                search.source.clone(),
                &context.stop,
            )
        })
    }

    /// What the engines say of the placements that were inferred.
    pub fn checked(
        &self,
        inferred: &Inferred,
        search: &Search<'_>,
        judge: &mut dyn FnMut(&Search<'_>) -> Result<Found, Failure>,
    ) -> Result<Vec<Checked>, Failure> {
        if !self.check {
            return Ok(Vec::new());
        }
        let each = inferred.placements.iter().map(|placed| {
            let wanted = names(search.candidates, &placed.fences);
            let candidates = search.candidates.clone().only(|name| wanted.contains(name));
            let answer = judge(&Search {
                candidates: &candidates,
                max_sets: None,
                ..*search
            })?;
            Ok(Checked::new(&candidates, &answer))
        });
        each.collect()
    }
}

/// The exit code of an inference.
pub fn exit(inferred: &Inferred) -> Exit {
    match inferred.end {
        InferenceEnd::Complete => Exit::Done,
        InferenceEnd::Broken(_) => Exit::Violated,
        InferenceEnd::Unfixable(_) | InferenceEnd::Limit(_) => Exit::Unknown,
    }
}
