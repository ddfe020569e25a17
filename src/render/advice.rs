//! What to try where there is no answer.
//!
//! An [`Advice`] is data: a report says which one fits, and [`Page::advise`](super::Page::advise) has the
//! words for it. The words here name no option of a command; the command line has words of its own, which do.

use std::fmt::{self, Display, Formatter};

use crate::verdict::{Limit, Method};

/// What to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Let it run to its end.
    LetItRun,
    /// Allow more time.
    MoreTime,
    /// Allow more memory.
    MoreMemory,
    /// Allow more states.
    MoreStates,
    /// Allow longer store buffers in an exploration.
    LongerBuffers,
    /// Let the checker of an abstraction store more states.
    MoreAbstractStates,
    /// Translate the source with larger buffers.
    LargerBound,
    /// Prove with larger buffers, or with other fences.
    LargerProofBound,
    /// Use other fences, since no bound is enough.
    OtherFences,
    /// Build the abstraction in another way than this one.
    OtherMethod(Method),
    /// Keep values small.
    SmallerValues,
    /// Try more values for arbitrary ones.
    MoreValues,
    /// Look for more placements of fences.
    MorePlacements,
    /// Look for fences at other places.
    OtherPlaces,
    /// Make placements of fences easier to decide.
    EasierPlacements,
}

impl Advice {
    /// What to try where an exploration met a limit.
    pub fn on(limit: Limit) -> Self {
        match limit {
            Limit::Overflow => Advice::LargerBound,
            Limit::Interrupted => Advice::LetItRun,
            Limit::Memory => Advice::MoreMemory,
            Limit::Timeout => Advice::MoreTime,
            Limit::States => Advice::MoreStates,
            Limit::Buffer => Advice::LongerBuffers,
            Limit::Values => Advice::SmallerValues,
            Limit::Havoc => Advice::MoreValues,
        }
    }

    /// The word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Advice::LetItRun => "let_it_run",
            Advice::MoreTime => "more_time",
            Advice::MoreMemory => "more_memory",
            Advice::MoreStates => "more_states",
            Advice::LongerBuffers => "longer_buffers",
            Advice::MoreAbstractStates => "more_abstract_states",
            Advice::LargerBound => "larger_bound",
            Advice::LargerProofBound => "larger_proof_bound",
            Advice::OtherFences => "other_fences",
            Advice::OtherMethod(_) => "other_method",
            Advice::SmallerValues => "smaller_values",
            Advice::MoreValues => "more_values",
            Advice::MorePlacements => "more_placements",
            Advice::OtherPlaces => "other_places",
            Advice::EasierPlacements => "easier_placements",
        }
    }
}

impl Display for Advice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Advice::LetItRun => "let it run",
            Advice::MoreTime => "allow more time",
            Advice::MoreMemory => "allow more memory",
            Advice::MoreStates => "allow more states",
            Advice::LongerBuffers => {
                "allow longer buffers; stores in a loop without a fence fill any buffer"
            }
            Advice::MoreAbstractStates => "let the checker store more states",
            Advice::LargerBound => "translate with larger buffers",
            Advice::LargerProofBound => "try a larger bound, or another fence placement",
            Advice::OtherFences => "try another fence placement",
            Advice::OtherMethod(Method::Lazy) => {
                "try the other methods, which split unknown values where they have to"
            }
            Advice::OtherMethod(Method::Ce) => {
                "try predicate extrapolation, which looks for more cubes, or the lazy method, which needs none"
            }
            Advice::OtherMethod(Method::Pe) => {
                "try the lazy method, which needs no cubes, or larger cubes"
            }
            Advice::OtherMethod(Method::Trad) => "try larger cubes",
            Advice::SmallerValues => "keep values small with `assume`",
            Advice::MoreValues => "try more values; no range covers all values",
            Advice::MorePlacements => "ask for more placements",
            Advice::OtherPlaces => "look for fences elsewhere",
            Advice::EasierPlacements => {
                "allow more states or longer buffers, give a proof, or mark other places"
            }
        })
    }
}
