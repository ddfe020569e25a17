//! The ways to store buffers that a proof under a relaxed model tries: slots from the fewest on, and FIFOs of any
//! length before or beside them.
//!
//! Input: the configuration, and what attempts before have seen of buffers. Output: [`Bounds`].

use std::sync::Arc;

use super::{Bound, NAME, PastBounds, PredicateConfig, ReductionChoice};
use crate::memory::{BufferSizes, Buffers, MAX_ENTRIES};
use crate::verdict::{Attempt, Growth, Unknown, Unsupported, Verdict};

/// The ways to store buffers that are tried.
pub(super) struct Bounds {
    /// Slots, from the fewest on.
    slots: Vec<Buffers>,
    /// Whether FIFOs are tried, and when.
    fifos: Option<Turn>,
}

/// When FIFOs are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    BeforeSlots,
    /// Beside slots at each bound, and alone after them.
    BesideSlots(Place),
}

/// The place of FIFOs among other ways to try.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    First,
    Last,
}

impl Bounds {
    /// Where there are no buffers.
    pub fn under_sc() -> Self {
        Bounds {
            slots: vec![Buffers::Slots(BufferSizes::ONE)],
            fifos: None,
        }
    }

    pub fn has_fifos(&self) -> bool {
        self.fifos.is_some()
    }

    /// The place of FIFOs beside slots, if they are tried at each bound.
    pub fn fifos_beside_slots(&self) -> Option<Place> {
        match self.fifos? {
            Turn::BesideSlots(place) => Some(place),
            Turn::BeforeSlots => None,
        }
    }

    /// FIFOs alone and then slots alone, where FIFOs come first: all that can be done with them is done first, since
    /// no slots are enough.
    pub fn apart(&self) -> Option<[Bounds; 2]> {
        let is_wanted = self.fifos == Some(Turn::BeforeSlots) && !self.slots.is_empty();
        is_wanted.then(|| {
            let slots = self.slots.clone();
            let fifos = Bounds {
                slots: Vec::new(),
                fifos: self.fifos,
            };
            [fifos, Bounds { slots, fifos: None }]
        })
    }

    /// Slots and FIFOs in their turn.
    pub fn in_turn(&self) -> Vec<&[Buffers]> {
        let slots = (!self.slots.is_empty()).then_some(&self.slots[..]);
        let fifos = self.fifos.map(|_| &[Buffers::Fifos][..]);
        let both = match self.fifos {
            Some(Turn::BeforeSlots) => [fifos, slots],
            Some(Turn::BesideSlots(_)) | None => [slots, fifos],
        };
        both.into_iter().flatten().collect()
    }
}

/// The bounds to try. An execution that is known to put more stores into a buffer shows that a bound overflows; one that makes
/// a buffer as long as one likes, that all of them do.
pub(super) fn bounds(config: &PredicateConfig, earlier: &[Attempt]) -> Result<Bounds, Unsupported> {
    if config.reduction == ReductionChoice::Fifos {
        return Ok(Bounds {
            slots: Vec::new(),
            fifos: Some(Turn::BeforeSlots),
        });
    }
    let is_auto = config.reduction == ReductionChoice::Auto;
    let last = match &config.bound {
        Bound::Auto(most) => (*most).clamp(1, MAX_ENTRIES),
        Bound::Fixed(sizes) => sizes.largest(),
    };
    let known = earlier.iter().filter_map(|tried| tried.stats.max_buffer);
    let needed = known.max().unwrap_or(0);
    let fifos = match &config.bound {
        Bound::Auto(_) if is_auto => Some(match known_growth(earlier) {
            Some(_) => Turn::BeforeSlots,
            None if needed > last => Turn::BeforeSlots,
            // Only the largest bound may be enough, where states are most.
            None if needed == last => Turn::BesideSlots(Place::First),
            None => Turn::BesideSlots(Place::Last),
        }),
        Bound::Auto(_) | Bound::Fixed(_) => None,
    };
    let slots = match config.past_bounds {
        PastBounds::Skip if needed > last && fifos.is_none() => {
            return Err(Unsupported {
                engine: NAME,
                reason: format!("a buffer holds {needed} stores, more than the bound of a proof"),
            });
        }
        PastBounds::Skip if needed > last => Vec::new(),
        PastBounds::Skip | PastBounds::ProveUntilOverflow => match &config.bound {
            Bound::Fixed(sizes) => vec![Buffers::Slots(sizes.clone())],
            Bound::Auto(_) => {
                let sizes = (needed.clamp(1, last)..=last).map(BufferSizes::uniform);
                sizes.filter_map(Result::ok).map(Buffers::Slots).collect()
            }
        },
    };
    Ok(Bounds { slots, fifos })
}

/// The growth of a buffer that an earlier attempt has found.
pub(super) fn known_growth(earlier: &[Attempt]) -> Option<Arc<Growth>> {
    earlier.iter().find_map(|tried| match &tried.verdict {
        Verdict::Unknown(Unknown::Incomplete { growth, .. }) => growth.clone(),
        Verdict::Unknown(_) | Verdict::Verified(_) | Verdict::Violated(_) => None,
    })
}
