//! The reduction of a certificate's source, done again.

use indexmap::IndexSet;

use super::{CertifyError, describe};
use crate::certificate::Kind;
use crate::front::cup;
use crate::front::cup::placement::Placement;
use crate::reduce::{ReduceConfig, Reduction, reduce, reduce_to_fifos, without_fifos};
use crate::source::SourceFile;

/// The reduction of a certificate's source, done again.
pub(super) struct Rebuilt<'a> {
    /// The source.
    pub source: &'a SourceFile,
    /// Its reduction.
    pub reduction: Reduction,
    /// The reduced program as text.
    pub text: String,
    /// The fences that the source declares for the model, whichever are in force.
    pub declared: IndexSet<String>,
    /// What the source says must hold.
    pub properties: Vec<String>,
}

impl<'a> Rebuilt<'a> {
    /// Checks and reduces a source for a kind of certificate. Only facts can speak of FIFOs: others are about buffers with
    /// slots, and about sources without FIFOs.
    pub(super) fn new(
        source: &'a SourceFile,
        config: &ReduceConfig,
        kind: Kind,
    ) -> Result<Self, CertifyError> {
        let checked = cup::load(source)
            .map_err(|diagnostics| CertifyError::Source(source.clone(), diagnostics))?;
        if kind != Kind::Facts {
            let who = format!("the check of certificates of the kind `{}`", kind.name());
            without_fifos(&checked, &who)
                .map_err(|diagnostic| CertifyError::Source(source.clone(), vec![diagnostic]))?;
        }
        let declared = Placement::Declared.in_force(&checked, config.model)?;
        let named = Placement::Named(config.fences.iter().cloned().collect());
        let config = ReduceConfig {
            fences: named.in_force(&checked, config.model)?,
            ..config.clone()
        };
        let reduction = match kind {
            Kind::Facts => reduce_to_fifos(source, &checked, &config)?,
            Kind::Invariant | Kind::States | Kind::Basis => reduce(source, &checked, &config)?,
        };
        Ok(Rebuilt {
            source,
            text: cup::print(reduction.tree()),
            properties: describe::properties(source, &reduction.source),
            reduction,
            declared,
        })
    }
}

/// The number of the first line in which two texts differ.
pub(super) fn first_difference(found: &str, wanted: &str) -> Option<usize> {
    if found == wanted {
        return None;
    }
    let (found, wanted) = (found.split('\n'), wanted.split('\n'));
    let equal = found
        .zip(wanted)
        .take_while(|(found, wanted)| found == wanted);
    Some(equal.count() + 1)
}
