//! The values that are tried for arbitrary ones.

use crate::front::cup::range::Range;

/// The values that are tried for arbitrary ones, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HavocRange(Range);

impl HavocRange {
    /// The values from `low` to `high`; `None` if there are none.
    pub fn new(low: i64, high: i64) -> Option<Self> {
        Range::new(low, high).map(HavocRange)
    }

    /// The values, those closest to 0 first.
    pub fn values(self) -> impl Iterator<Item = i64> + Clone {
        self.0.values()
    }

    /// The values as a range.
    pub fn range(self) -> Range {
        self.0
    }

    /// The least and the greatest value.
    pub fn ends(self) -> (i64, i64) {
        self.0.ends()
    }
}

impl Default for HavocRange {
    fn default() -> Self {
        HavocRange::new(-1, 1).expect("there are values")
    }
}
