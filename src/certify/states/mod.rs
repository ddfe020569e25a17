//! The kind `states`: all states between atomic groups, checked by evaluation.
//!
//! Input: the reduced program, and a list of states. Output: a verdict. `list` says which states a table
//! means, `known` evaluates terms and conditions, `group` follows one atomic group of statements, `index`
//! finds listed states. No solver takes part, and no code of the search that wrote the list.
//!
//! **What a listed state means.** It has a location for every thread, at none of which the thread holds the
//! atomic section, and values for some variables. It *stands for* every state of the reduced program with these
//! locations and these values, whatever the other variables are. So a state that assigns fewer variables
//! claims more, and dropping a value from what is known never makes a wrong claim.
//!
//! **What is checked.**
//!
//! 1. *Start.* Every initial state has a listed state that stands for it.
//! 2. *Steps.* From each listed state, each thread takes each of its steps: a whole atomic group, from its
//!    location through those at which it holds the atomic section to the next at which it does not, or a
//!    whole background block of it, on every path. A path ends where an `assume` does not hold. At its end
//!    some listed state has the locations reached, and no value other than those reached.
//! 3. *Properties.* On every path no index is out of range and no assertion fails, that of an overflowing
//!    buffer included. In each listed state each `invariant` and `forbid` holds and, if all threads have ended,
//!    each `finally`. (The reduction has put "or some buffer is not empty" into its condition.)
//!
//! Every evaluation uses known values only. One that needs a value that is not known, one whose result does
//! not fit 64 bits, and the choice of an arbitrary value are rejections.
//!
//! **Why this is enough.** Take a run of the reduced program under SC. By induction, each of its states in
//! which no thread holds the atomic section has a listed state that stands for it. The first one is an
//! initial state: point 1. Between one such state and the next, one thread alone takes steps, along a path
//! of point 2, or a background block runs. The values that decide where the path goes, what it
//! assigns and whether a check holds are known in the listed state, so the real state has the same ones: its path is one of
//! those followed, and where the path ends each known value is the real one. A listed state all of whose values are
//! among the known ones therefore stands for the real state, too: point 2. A loop within a group is followed until a location
//! comes back with the same known values, so every state inside a group has a followed one with values that it
//! agrees with. Hence no step of the run fails, and no spec is broken where specs matter (point 3).
//!
//! So the reduced program breaks no property under SC, its overflow checks included. The reduction is exact as
//! long as no buffer exceeds its size, and a run of the source that exceeds it would, at the first store that
//! does, be a run of the reduced program that fails the overflow check. Hence no run of the source under its
//! model, with buffers of any size, breaks a property.
//!
//! **Unused slots.** The entries of a buffer past its count keep old values, which nothing reads. They are dropped from
//! what is known after each statement. This is for speed and for short lists alone: if something did
//! read such an entry, the certificate would be rejected.

mod group;
mod index;
mod known;
mod list;
#[cfg(test)]
mod tests;

pub use list::ListError;
pub(super) use list::table;

use super::describe;
use super::effort::Effort;
use super::rebuild::Rebuilt;
use super::report::{FailedStep, Position, Rejection, Unknown, Verdict};
use crate::certificate::{State, StateTable};
use crate::front::cup::ast::{Span, SpecKind};
use crate::program::{LocId, Program, Spec};
use crate::source::SourceFile;
use group::{Cause, Failure, Group, MAX_STATEMENTS};
use index::Index;
use known::{Values, View};

/// Checks a list of states of a program that was reduced anew; with the number of steps that were evaluated.
pub(super) fn check(
    rebuilt: &Rebuilt<'_>,
    table: &StateTable,
    effort: &Effort,
) -> Result<(Verdict, Option<usize>), ListError> {
    let program = &rebuilt.reduction.program;
    let states = list::resolve(program, table)?;
    let mut check = Check {
        program,
        source: rebuilt.source,
        index: Index::new(&states, rebuilt.reduction.buffers())?,
        effort,
        all: states.len(),
        steps: 0,
    };
    effort.progress.begin("checking states".to_owned());
    effort.progress.ask(states.len());
    let verdict = match check.run(&states) {
        Ok(()) => Verdict::Accepted,
        Err(verdict) => verdict,
    };
    Ok((verdict, Some(check.steps)))
}

/// A check at work. Functions that find something wrong return the verdict as an error.
struct Check<'a> {
    program: &'a Program,
    source: &'a SourceFile,
    index: Index<'a>,
    effort: &'a Effort,
    /// The number of listed states.
    all: usize,
    /// The number of steps evaluated so far.
    steps: usize,
}

/// A listed state and its number, from 1.
#[derive(Clone, Copy)]
struct Listed<'a> {
    number: usize,
    state: &'a State,
}

impl Check<'_> {
    fn run(&mut self, states: &[State]) -> Result<(), Verdict> {
        self.initial_states()?;
        let groups = Group::all(self.program);
        for (index, state) in states.iter().enumerate() {
            let listed = Listed {
                number: index + 1,
                state,
            };
            self.in_time(index)?;
            self.specs(listed)?;
            for group in &groups {
                self.step(group, listed)?;
            }
            self.effort.progress.answer();
        }
        Ok(())
    }

    /// Point 1: every initial state has a listed state.
    fn initial_states(&self) -> Result<(), Verdict> {
        let threads = self.program.threads.iter();
        let at: Vec<LocId> = threads.map(|thread| thread.entry).collect();
        let mut states = known::initial_states(self.program).map_err(|var| {
            let name = self.program.var_display_name(var);
            self.wrong_start(format!("{name} starts with an arbitrary value"), None)
        })?;
        states.try_for_each(|values| {
            self.in_time(0)?;
            match self.index.covers(&at, &values) {
                true => Ok(()),
                false => {
                    let reached = self.position(&at, &values);
                    let failure = "an initial state is not listed".to_owned();
                    Err(self.wrong_start(failure, Some(reached)))
                }
            }
        })
    }

    /// Point 3 for states: the specs hold in a listed state.
    fn specs(&self, listed: Listed<'_>) -> Result<(), Verdict> {
        let mut threads = self.program.threads.iter().zip(&listed.state.at);
        let is_final = threads.all(|(thread, &at)| at == thread.end);
        let specs = self.program.specs.iter();
        let mut specs = specs.filter(|spec| spec.kind != SpecKind::Finally || is_final);
        specs.try_for_each(|spec| {
            let Some(failure) = self.broken_spec(spec, listed.state) else {
                return Ok(());
            };
            let property = self.program.property(spec.property);
            let name = describe::spec(self.source, property);
            Err(self.wrong(failure, (name, property.span), listed, None))
        })
    }

    /// What is wrong with a spec in a state in which it must hold.
    fn broken_spec(&self, spec: &Spec, state: &State) -> Option<String> {
        let view = View {
            values: &state.values,
            at: &state.at,
        };
        let bounds = spec.bounds.as_ref();
        let in_range = bounds.map_or(Ok(true), |bounds| view.cond(&bounds.cond));
        let name = || describe::spec(self.source, self.program.property(spec.property));
        match in_range {
            Err(stuck) => return Some(stuck.text(self.program)),
            Ok(false) => return Some(format!("{} has an index out of range", name())),
            Ok(true) => {}
        }
        match view.cond(&spec.cond) {
            Err(stuck) => Some(stuck.text(self.program)),
            Ok(holds) if holds == (spec.kind != SpecKind::Forbid) => None,
            Ok(_) => Some(format!("{} is broken", name())),
        }
    }

    /// Points 2 and 3: a step from a listed state breaks no property and ends in listed states.
    fn step(&mut self, group: &Group<'_>, listed: Listed<'_>) -> Result<(), Verdict> {
        let (index, stop) = (&self.index, &self.effort.stop);
        let is_listed = |at: &[LocId], values: &Values| index.covers(at, values);
        let followed = group.follow(listed.state, stop, is_listed);
        self.steps += followed.map_err(|failure| self.wrong_step(group, listed, failure))?;
        Ok(())
    }

    fn wrong_step(&self, group: &Group<'_>, listed: Listed<'_>, failure: Failure) -> Verdict {
        let Failure { span, cause } = failure;
        let thread = &self.program.threads[group.thread.index()];
        let step = describe::step(self.source, thread, group.background, &[span]);
        let mut reached = None;
        let failure = match cause {
            Cause::Broken(property) => describe::broken(self.program.property(property)),
            Cause::Stuck(stuck) => stuck.text(self.program),
            Cause::Arbitrary => "an arbitrary value is chosen".to_owned(),
            Cause::Fifo => "a FIFO is changed, of which a list of states says nothing".to_owned(),
            Cause::NotListed { at, values } => {
                reached = Some(self.position(&at, &values));
                "the step leads to a state that is not listed".to_owned()
            }
            Cause::TooLong => {
                let most = MAX_STATEMENTS;
                return Verdict::Unknown(Unknown::LongGroup { step, most });
            }
            Cause::Stopped => return self.stopped(listed.number - 1),
        };
        self.wrong(failure, (step, span), listed, reached)
    }

    fn wrong(
        &self,
        failure: String,
        (step, span): (String, Span),
        listed: Listed<'_>,
        reached: Option<Position>,
    ) -> Verdict {
        Verdict::Rejected(Rejection::Step(Box::new(FailedStep {
            failure,
            step,
            line: Some(self.source.line(span.start)),
            state: Some(listed.number),
            at: Some(describe::vector(
                self.source,
                self.program,
                &listed.state.at,
            )),
            reached,
        })))
    }

    fn wrong_start(&self, failure: String, reached: Option<Position>) -> Verdict {
        Verdict::Rejected(Rejection::Step(Box::new(FailedStep {
            failure,
            step: "the initial states".to_owned(),
            line: None,
            state: None,
            at: None,
            reached,
        })))
    }

    /// A state for readers.
    fn position(&self, at: &[LocId], values: &Values) -> Position {
        let vars = self.program.var_ids().zip(values);
        let known = vars.filter_map(|(var, value)| {
            let name = self.program.var_display_name(var);
            Some((name, (*value)?.to_string()))
        });
        Position {
            at: describe::vector(self.source, self.program, at),
            values: known.collect(),
        }
    }

    /// An error if the check is to end early, after so many states.
    fn in_time(&self, done: usize) -> Result<(), Verdict> {
        match self.effort.stop.should_stop() {
            true => Err(self.stopped(done)),
            false => Ok(()),
        }
    }

    fn stopped(&self, done: usize) -> Verdict {
        Verdict::Unknown(Unknown::Stopped {
            interrupted: self.effort.stop.is_cancelled(),
            done,
            all: self.all,
        })
    }
}
