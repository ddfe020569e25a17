//! How much of what a test tries on random programs it compares: a comparison that is left out, because
//! a limit is reached or because there is nothing to compare, shows nothing.

use std::ops::AddAssign;

/// What was tried, and how much of it was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    tried: usize,
    compared: usize,
}

impl Compared {
    /// Counts something that was tried.
    pub fn count(&mut self, compared: bool) {
        *self += Compared::once(compared);
    }

    /// One thing that was tried.
    pub fn once(compared: bool) -> Self {
        Compared::times(1, compared)
    }

    /// So many things that were tried, all of them compared or none.
    pub fn times(tried: usize, compared: bool) -> Self {
        Compared {
            tried,
            compared: if compared { tried } else { 0 },
        }
    }

    /// Asserts that at least this share of what was tried was compared.
    #[track_caller]
    pub fn assert_percent(self, least: usize) {
        let Compared { tried, compared } = self;
        assert!(
            compared > 0 && 100 * compared >= least * tried,
            "{compared} of {tried} were compared, less than {least} %"
        );
    }
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        self.tried += other.tried;
        self.compared += other.compared;
    }
}
