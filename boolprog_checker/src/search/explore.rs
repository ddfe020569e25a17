//! The breadth-first search.
//!
//! States are expanded in the order in which they were stored, so the work list is a cursor. A state
//! that a later one covers is skipped when the cursor reaches it. For each assertion the first
//! failure is kept. States come in the order of their distance, so its trace has the least number of
//! steps of all traces that the search can see; these are all there are unless the strategy
//! leaves out interleavings, or goes by the way of a later state that covers an earlier one.

use indexmap::IndexMap;

use super::config::Config;
use super::expand::{Expansion, expand};
use super::fired::Fired;
use super::split::{Context, Splitting};
use super::step;
use super::store::{Link, StateId, Store, Stored};
use crate::machine::WORD;
use crate::outcome::{AssertId, Limit, Stats};

/// Which states are dropped because another one covers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cover {
    /// None.
    Never,
    /// Those that an earlier one covers: it is not farther away, so traces stay shortest.
    Earlier,
    /// Those on the work list that a later one covers, too.
    Any,
}

/// What the search may leave out or put together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strategy {
    pub cover: Cover,
    pub reduce: bool,
    pub join: bool,
    pub record_fired: bool,
}

/// The first failure of an assertion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The state that was expanded.
    pub state: StateId,
    /// The place among the failures of its expansion.
    pub place: usize,
}

/// A finished or stopped search.
pub(crate) struct Exploration {
    pub store: Store,
    pub found: IndexMap<AssertId, Found>,
    /// The limit that kept the search from seeing everything.
    pub limit: Option<Limit>,
    pub stats: Stats,
    pub fired: Fired,
}

/// Searches all states, or until each of the `wanted` assertions has failed.
pub(crate) fn explore(
    context: Context<'_>,
    strategy: Strategy,
    wanted: &[AssertId],
) -> Exploration {
    let mut explorer = Explorer::new(context, strategy);
    step::for_each_initial(context, |config| explorer.store(config, Link::INITIAL));
    let all_found = |found: &IndexMap<AssertId, Found>| {
        !strategy.record_fired
            && !wanted.is_empty()
            && wanted.iter().all(|id| found.contains_key(id))
    };
    let mut next = 0;
    while let Some(id) = explorer.states.id(next) {
        next += 1;
        if all_found(&explorer.found) || !context.budget.allows(explorer.states.len()) {
            break;
        }
        explorer.visit(id);
    }
    explorer.finish()
}

struct Explorer<'a> {
    context: Context<'a>,
    strategy: Strategy,
    states: Store,
    expansion: Expansion,
    found: IndexMap<AssertId, Found>,
    stats: Stats,
}

impl<'a> Explorer<'a> {
    fn new(context: Context<'a>, strategy: Strategy) -> Self {
        let expansion = if strategy.record_fired {
            Expansion::recording()
        } else {
            Expansion::default()
        };
        let states = Store::new(strategy.cover != Cover::Never);
        Self {
            context,
            strategy,
            states,
            expansion,
            found: IndexMap::new(),
            stats: Stats::default(),
        }
    }

    fn visit(&mut self, id: StateId) {
        if self.strategy.cover == Cover::Any && self.states.is_covered(id) {
            self.stats.covered += 1;
            return;
        }
        let mut expansion = std::mem::take(&mut self.expansion);
        expand(
            self.context,
            &self.states.config(id),
            self.strategy.reduce,
            &mut expansion,
        );
        for (place, failure) in expansion.failures.iter().enumerate() {
            self.found
                .entry(failure.assert)
                .or_insert(Found { state: id, place });
        }
        if self.context.budget.stopped().is_some() {
            // The expansion may be cut short, and its successors are not used.
            expansion.discard();
        }
        self.stats.transitions += expansion.nodes.len() as u64;
        for place in 0..expansion.finals.len() {
            let node = &mut expansion.nodes[expansion.finals[place]];
            let config = std::mem::replace(&mut node.config, Config::gone());
            self.store(
                config,
                Link {
                    parent: Some(id),
                    place: place as u32,
                },
            );
        }
        self.expansion = expansion;
    }

    fn store(&mut self, mut config: Config, link: Link) {
        if self.strategy.join {
            self.join(&mut config);
        }
        match self.states.insert(&config, link) {
            Stored::New => self.stats.states += 1,
            Stored::Revisited => self.stats.revisited += 1,
            Stored::Covered => self.stats.covered += 1,
        }
    }

    /// Makes a variable unknown where the state with its other value is stored; again until there is
    /// none. Only for three-valued searches: it loses the connection between variables.
    fn join(&mut self, config: &mut Config) {
        let places = config.places(self.context.machine);
        while let Some(bit) = places
            .iter()
            .copied()
            .find(|bit| self.has_twin(config, *bit))
        {
            config.set(bit, None);
            self.stats.merged += 1;
        }
    }

    fn has_twin(&self, config: &Config, bit: usize) -> bool {
        let (word, mask) = (bit / WORD as usize, 1u64 << (bit % WORD as usize));
        if config.known[word] & mask == 0 {
            return false;
        }
        let mut twin = config.clone();
        twin.value[word] ^= mask;
        self.states.contains(&twin)
    }

    fn finish(mut self) -> Exploration {
        let threads = self
            .expansion
            .effects()
            .thread_limit
            .then_some(Limit::Threads);
        self.stats.memory_bytes = self.states.memory_bytes();
        self.stats.table_bytes = self.states.table_bytes();
        Exploration {
            limit: self.context.budget.stopped().or(threads),
            store: self.states,
            found: self.found,
            stats: self.stats,
            fired: self.expansion.into_fired(),
        }
    }
}

impl Strategy {
    /// Whether the first failure found is a nearest one.
    pub(crate) fn keeps_distances(self) -> bool {
        self.cover != Cover::Any && !self.reduce && !self.join
    }

    /// The strategy without joining where the search has to be exact.
    pub(crate) fn for_splitting(self, splitting: Splitting) -> Self {
        let exact = matches!(splitting, Splitting::All | Splitting::Eager);
        Self {
            join: self.join && !exact,
            ..self
        }
    }
}
