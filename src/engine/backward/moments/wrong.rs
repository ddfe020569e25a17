//! Rules for atomic updates that are wrong in one way each.

use super::Moments;
use crate::engine::backward::graph::{Mask, Update};

/// What is wrong.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::backward) enum WrongUpdate {
    /// What memory must hold before is not demanded.
    AnyGuard,
    /// Memory need not hold then what is written.
    AnyWrite,
    /// What memory holds then was there before.
    KeptMemory,
}

struct Right;

impl Moments for Right {}

impl WrongUpdate {
    /// What memory held before an update, by the wrong rule.
    pub(in crate::engine::backward) fn before(
        self,
        memory: &[Mask],
        update: &Update,
        all: &[Mask],
    ) -> Option<Vec<Mask>> {
        let (mut memory, mut update, mut all) = (memory.to_vec(), update.clone(), all.to_vec());
        for &(var, _) in &update.writes {
            match self {
                WrongUpdate::AnyGuard => {}
                WrongUpdate::AnyWrite => memory[var] = Mask::MAX,
                WrongUpdate::KeptMemory => all[var] = memory[var],
            }
        }
        if let WrongUpdate::AnyGuard = self {
            update.guards.clear();
        }
        Right::before_update(&memory, &update, &all)
    }
}
