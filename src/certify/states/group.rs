//! Follows one step of a thread from what is known of a state: a whole atomic group of statements.
//!
//! The statements are those of the reduced program, which runs under SC: a load reads and a store writes
//! main memory, and a fence does nothing. Inside a group no other thread steps, so it is enough to know
//! the values. A location that comes back with the same known values is not followed again.

use rustc_hash::FxHashSet;

use super::known::{Stuck, Values, View, arithmetic};
use crate::certificate::State;
use crate::front::cup::ast::{ArithOp, Span};
use crate::program::{
    Action, Edge, LocId, Place, Program, PropertyId, Range, Term, Thread, ThreadId, VarId,
};
use crate::run::stop::Stop;

/// The most statements that are evaluated to follow a group from one state.
pub(super) const MAX_STATEMENTS: usize = 1_000_000;

/// How many statements are evaluated between two looks at the clock.
const STATEMENTS_PER_LOOK: usize = 4096;

/// What a thread can do as one step.
#[derive(Clone, Copy)]
pub(super) struct Group<'p> {
    /// The thread.
    pub thread: ThreadId,
    graph: &'p Thread,
    /// The number of the background block, if it is one.
    pub background: Option<usize>,
}

/// Why a step must not be taken, or is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The statement.
    pub span: Span,
    /// What is wrong.
    pub cause: Cause,
}

/// What is wrong with a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// It breaks a property.
    Broken(PropertyId),
    /// It needs what is not known.
    Stuck(Stuck),
    /// It chooses an arbitrary value.
    Arbitrary,
    /// It ends the step in a state that is not listed.
    NotListed {
        /// The locations reached.
        at: Vec<LocId>,
        /// The values known there.
        values: Vec<Option<i64>>,
    },
    /// The group has too many statements.
    TooLong,
    /// The work was to end.
    Stopped,
}

/// What a statement does.
enum Effect {
    /// It waits.
    Blocked,
    /// It sets variables.
    Set([Option<(VarId, i64)>; 2]),
    /// It sets a variable to any value of a range.
    Choose(VarId, Range),
}

const NOTHING: Effect = Effect::Set([None, None]);

impl<'p> Group<'p> {
    /// The groups of all threads: for each its own, wherever it is, and its background blocks.
    pub(super) fn all(program: &'p Program) -> Vec<Self> {
        let threads = program.thread_ids().zip(&program.threads);
        let groups = threads.flat_map(|(thread, graph)| {
            let blocks = (0..graph.backgrounds.len()).map(Some);
            let group = move |background| Group {
                thread,
                graph,
                background,
            };
            std::iter::once(None).chain(blocks).map(group)
        });
        groups.collect()
    }

    /// Follows all paths from a listed state. Each must end in a state that `is_listed`, given locations and what
    /// is known of the values. Returns the number of ends.
    pub(super) fn follow(
        &self,
        from: &State,
        stop: &Stop,
        is_listed: impl Fn(&[LocId], &Values) -> bool,
    ) -> Result<usize, Failure> {
        let mut walk = Walk {
            group: self,
            from,
            stop,
            is_listed,
            open: vec![(self.entry(from), from.values.clone())],
            seen: FxHashSet::default(),
            statements: 0,
            ends: 0,
        };
        while let Some((here, values)) = walk.open.pop() {
            for edge in &self.graph.location(here).edges {
                walk.statement(edge, &values).map_err(|cause| Failure {
                    span: edge.span,
                    cause,
                })?;
            }
        }
        Ok(walk.ends)
    }

    fn entry(&self, from: &State) -> LocId {
        match self.background {
            Some(block) => self.graph.backgrounds[block].entry,
            None => from.at[self.thread.index()],
        }
    }

    /// Whether the step is over at a location.
    fn ends_at(&self, location: LocId) -> bool {
        match self.background {
            Some(_) => location == self.graph.end,
            None => !self.graph.location(location).held,
        }
    }

    /// The locations where the step is over; a background block leaves its thread where it is.
    fn locations_at(&self, from: &State, end: LocId) -> Vec<LocId> {
        let mut at = from.at.clone();
        if self.background.is_none() {
            at[self.thread.index()] = end;
        }
        at
    }
}

/// A group that is being followed.
struct Walk<'a, F> {
    group: &'a Group<'a>,
    from: &'a State,
    stop: &'a Stop,
    is_listed: F,
    /// Where it goes on.
    open: Vec<(LocId, Vec<Option<i64>>)>,
    /// Where it has been, inside the group.
    seen: FxHashSet<(LocId, Vec<Option<i64>>)>,
    statements: usize,
    ends: usize,
}

impl<F: Fn(&[LocId], &Values) -> bool> Walk<'_, F> {
    fn statement(&mut self, edge: &Edge, values: &Values) -> Result<(), Cause> {
        match effect(edge, values)? {
            Effect::Blocked => self.count(),
            Effect::Set(changes) => self.go_on(edge.target, values, changes),
            Effect::Choose(var, range) => {
                let (low, high) = range.ends();
                let mut chosen = low..=high;
                chosen.try_for_each(|value| {
                    self.go_on(edge.target, values, [Some((var, value)), None])
                })
            }
        }
    }

    /// Arrives at a location with some values changed.
    fn go_on(
        &mut self,
        target: LocId,
        values: &Values,
        changes: [Option<(VarId, i64)>; 2],
    ) -> Result<(), Cause> {
        self.count()?;
        let mut values = values.to_vec();
        for (var, value) in changes.into_iter().flatten() {
            values[var.index()] = Some(value);
        }
        if self.group.ends_at(target) {
            self.ends += 1;
            let at = self.group.locations_at(self.from, target);
            return match (self.is_listed)(&at, &values) {
                true => Ok(()),
                false => Err(Cause::NotListed { at, values }),
            };
        }
        if self.seen.insert((target, values.clone())) {
            self.open.push((target, values));
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Cause> {
        self.statements += 1;
        if self.statements > MAX_STATEMENTS {
            return Err(Cause::TooLong);
        }
        let looks = self.statements.is_multiple_of(STATEMENTS_PER_LOOK);
        match looks && self.stop.should_stop() {
            true => Err(Cause::Stopped),
            false => Ok(()),
        }
    }
}

/// What a statement does where these values are known.
fn effect(edge: &Edge, values: &Values) -> Result<Effect, Cause> {
    let view = View { values, at: &[] };
    if let Some(bounds) = &edge.bounds
        && !view.cond(&bounds.cond)?
    {
        return Err(Cause::Broken(bounds.property));
    }
    match &edge.action {
        Action::Skip | Action::Fence => Ok(NOTHING),
        Action::Assume(cond) => Ok(match view.cond(cond)? {
            true => NOTHING,
            false => Effect::Blocked,
        }),
        Action::Assert(cond, property) => match view.cond(cond)? {
            true => Ok(NOTHING),
            false => Err(Cause::Broken(*property)),
        },
        Action::Assign(place, term) | Action::Store(place, term) => {
            Ok(set(view.place(place)?, view.term(term)?))
        }
        Action::Load(place, source) => {
            let source = view.place(source)?;
            Ok(set(view.place(place)?, view.var(source)?))
        }
        Action::Havoc(_) => Err(Cause::Arbitrary),
        Action::Append(..) | Action::Pop(_) => unreachable!("programs with FIFOs are refused"),
        Action::Choose(place, range) => Ok(Effect::Choose(view.place(place)?, *range)),
        Action::Cas(place, target, expected, new) => Ok(update(view, (place, target), |old| {
            compare_and_swap(view, old, expected, new)
        })?),
        Action::Swap(place, target, new) => Ok(update(view, (place, target), |old| {
            Ok((old, view.term(new)?))
        })?),
        Action::FetchAdd(place, target, difference) => Ok(update(view, (place, target), |old| {
            Ok((old, arithmetic(ArithOp::Add, old, view.term(difference)?)?))
        })?),
    }
}

fn set(var: VarId, value: i64) -> Effect {
    Effect::Set([Some((var, value)), None])
}

/// An atomic operation on memory: `change` makes the result and the new value of the old one. All values
/// are read before any is set.
fn update(
    view: View<'_>,
    (place, target): (&Place, &Place),
    change: impl FnOnce(i64) -> Result<(i64, i64), Stuck>,
) -> Result<Effect, Stuck> {
    let (place, target) = (view.place(place)?, view.place(target)?);
    let (result, new) = change(view.var(target)?)?;
    Ok(Effect::Set([Some((target, new)), Some((place, result))]))
}

fn compare_and_swap(
    view: View<'_>,
    old: i64,
    expected: &Term,
    new: &Term,
) -> Result<(i64, i64), Stuck> {
    match old == view.term(expected)? {
        true => Ok((1, view.term(new)?)),
        false => Ok((0, old)),
    }
}

impl From<Stuck> for Cause {
    fn from(stuck: Stuck) -> Self {
        Cause::Stuck(stuck)
    }
}
