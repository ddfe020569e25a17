//! Ranges of integers: what a `choose` may yield, what a variable may start with.
//!
//! Invariant: a range has at least one value.

use itertools::Itertools;

/// The values from a least to a greatest one, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    low: i64,
    high: i64,
}

impl Range {
    /// The values from `low` to `high`; `None` if there are none.
    pub fn new(low: i64, high: i64) -> Option<Self> {
        (low <= high).then_some(Range { low, high })
    }

    /// The values, those closest to 0 first, the positive one of two.
    pub fn values(self) -> impl Iterator<Item = i64> + Clone {
        let negative = (self.low..=self.high.min(-1)).rev();
        let others = self.low.max(0)..=self.high;
        others.merge_by(negative, |other, negative| {
            other.unsigned_abs() <= negative.unsigned_abs()
        })
    }

    /// The least and the greatest value.
    pub fn ends(self) -> (i64, i64) {
        (self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_closest_to_zero_come_first() {
        let values = |low, high| {
            let range = Range::new(low, high).expect("there are values");
            range.values().take(4).collect::<Vec<i64>>()
        };
        assert_eq!(values(-1, 2), [0, 1, -1, 2]);
        assert_eq!(values(3, 5), [3, 4, 5]);
        assert_eq!(values(-4, -3), [-3, -4]);
        assert_eq!(values(i64::MIN, i64::MAX), [0, 1, -1, 2]);
        assert_eq!(values(i64::MIN, i64::MIN), [i64::MIN]);
        assert_eq!(Range::new(1, 0), None);
    }
}
