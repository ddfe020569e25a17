//! Follows a run that the caller makes through the states of the three-valued search.
//!
//! An abstraction is sound if it can follow every run of what it abstracts: from a state that stands
//! for the run's present state, some steps lead to one that stands for its next state, or one of them
//! fails an assertion. One state is enough for that: which one, of those that stand for the
//! same, makes no difference if all steps are sound. The run's step may be several here; the caller
//! says where they end.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::budget::Budget;
use super::config::Config;
use super::expand::{Expansion, expand_slot};
use super::judge::splitting;
use super::reach::describe;
use super::split::Context;
use super::step;
use crate::options::Options;
use crate::outcome::{AbstractState, Followed};
use crate::program::Program;

/// A state of the three-valued search that follows a run; no reduction is used.
pub struct Follower<'p> {
    program: &'p Program,
    options: Options,
    /// Where the search may stand: the initial states, then a single one.
    states: Vec<Config>,
}

impl<'p> Follower<'p> {
    /// A follower that stands at the beginning of `main`.
    pub fn new(program: &'p Program, options: &Options) -> Self {
        let mut follower = Self {
            program,
            options: options.clone(),
            states: Vec::new(),
        };
        let budget = Budget::new(&options.limits);
        follower.states = step::initial(follower.context(&budget));
        follower
    }

    /// Follows a step of the run: by one or more steps of the thread in this slot, to a state where the thread
    /// rests and that fits. Stays where it is if there is none.
    pub fn follow(
        &mut self,
        slot: usize,
        rests: impl Fn(&AbstractState) -> bool,
        fits: impl Fn(&AbstractState) -> bool,
    ) -> Followed {
        let machine = self.program.machine();
        let budget = Budget::new(&self.options.limits);
        let mut seen: FxHashSet<Config> = self.states.iter().cloned().collect();
        let mut waiting: VecDeque<Config> = self.states.iter().cloned().collect();
        let mut expansion = Expansion::default();
        let mut fails = false;
        while let Some(config) = waiting.pop_front() {
            if !budget.allows(seen.len()) || !config.live().any(|live| live == slot) {
                continue;
            }
            expansion.discard();
            expand_slot(self.context(&budget), &config, slot, &mut expansion);
            fails |= !expansion.failures.is_empty();
            for place in &expansion.finals {
                let next = &expansion.nodes[*place].config;
                let state = describe(machine, next);
                let rests = rests(&state);
                if rests && fits(&state) {
                    self.states = vec![next.clone()];
                    return Followed::Inside;
                }
                if !rests && seen.insert(next.clone()) {
                    waiting.push_back(next.clone());
                }
            }
        }
        if fails {
            Followed::Failed
        } else {
            Followed::Lost
        }
    }

    fn context<'a>(&self, budget: &'a Budget<'a>) -> Context<'a>
    where
        'p: 'a,
    {
        Context {
            machine: self.program.machine(),
            budget,
            splitting: splitting(self.options.split),
        }
    }
}
