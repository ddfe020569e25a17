//! Finds listed states.
//!
//! A listed state covers what is known of a state if it has the same locations and each of its values is a
//! known one. The index looks among the states with the same locations, by the sets of variables that
//! these assign: for each such set it looks up the known values of these variables.

use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::known::Values;
use super::list::ListError;
use crate::certificate::State;
use crate::program::LocId;
use crate::reduce::BufferVars;

/// Listed states, by locations.
pub(super) struct Index<'a> {
    vectors: FxHashMap<&'a [LocId], Vector<'a>>,
    buffers: &'a [BufferVars],
}

/// The listed states with the same locations.
#[derive(Default)]
struct Vector<'a> {
    states: FxHashSet<&'a Values>,
    /// By variable, whether a state assigns it; each such set once.
    shapes: IndexSet<Vec<bool>>,
}

impl<'a> Index<'a> {
    /// The index of a list, in which no state occurs twice.
    pub(super) fn new(states: &'a [State], buffers: &'a [BufferVars]) -> Result<Self, ListError> {
        let mut vectors: FxHashMap<&[LocId], Vector<'_>> = FxHashMap::default();
        for (index, State { at, values }) in states.iter().enumerate() {
            let vector = vectors.entry(at).or_default();
            vector
                .shapes
                .insert(values.iter().map(Option::is_some).collect());
            if !vector.states.insert(values) {
                return Err(ListError::state(index, "is listed before"));
            }
        }
        Ok(Index { vectors, buffers })
    }

    /// Whether a listed state covers what is known of a state.
    pub(super) fn covers(&self, at: &[LocId], values: &Values) -> bool {
        let Some(vector) = self.vectors.get(at) else {
            return false;
        };
        // Most lists leave out the entries that are not in use, so this finds the state at once.
        vector.states.contains(&self.in_use(values)[..])
            || vector.shapes.iter().any(|shape| {
                let chosen = values.iter().zip(shape);
                let chosen: Vec<_> = chosen
                    .map(|(value, &is_in)| value.filter(|_| is_in))
                    .collect();
                vector.states.contains(&chosen[..])
            })
    }

    /// The values without those of buffers' entries past their counts.
    fn in_use(&self, values: &Values) -> Vec<Option<i64>> {
        let mut values = values.to_vec();
        for buffer in self.buffers {
            let count = values[buffer.count.index()].and_then(|count| usize::try_from(count).ok());
            let unused = count.and_then(|count| buffer.slots.get(count..));
            for var in unused
                .unwrap_or_default()
                .iter()
                .flat_map(|slot| slot.all())
            {
                values[var.index()] = None;
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(at: usize, values: &[Option<i64>]) -> State {
        State {
            at: vec![LocId::new(at)],
            values: values.to_vec(),
        }
    }

    #[test]
    fn a_state_is_covered_by_fewer_values_and_by_no_others() {
        let states = [
            state(0, &[Some(1), None, Some(3)]),
            state(0, &[Some(2), Some(2), None]),
            state(1, &[None, None, None]),
        ];
        let index = Index::new(&states, &[]).expect("no state is listed twice");
        let covers = |at, values: &[Option<i64>]| index.covers(&[LocId::new(at)], values);
        assert!(covers(0, &[Some(1), None, Some(3)]));
        assert!(covers(0, &[Some(1), Some(7), Some(3)]));
        assert!(covers(0, &[Some(2), Some(2), Some(3)]));
        assert!(!covers(0, &[Some(1), Some(2), Some(2)]));
        assert!(
            !covers(0, &[Some(1), Some(2), None]),
            "a listed value is not known"
        );
        assert!(
            !covers(0, &[None, None, Some(3)]),
            "a listed value is not known"
        );
        assert!(covers(1, &[Some(9), None, None]));
        assert!(!covers(2, &[Some(1), None, Some(3)]), "other locations");
    }

    #[test]
    fn no_state_is_listed_twice() {
        let states = [state(0, &[None]), state(0, &[Some(0)]), state(0, &[None])];
        let error = Index::new(&states, &[])
            .err()
            .expect("the first and the last");
        assert_eq!(error.to_string(), "state 3 is listed before");
    }
}
