//! An execution that is taken by hand: step by step, back and forth.
//!
//! Input: a program, a model and, one by one, the steps to take. Output: at each point the steps that there are and the
//! state; at the end the [`Trace`]. [`snapshots`] has the states of an execution that is known.
//!
//! Invariant: every step of a [`Walk`] was taken by the machine from the state before it, so that its trace is an
//! execution.

use std::ops::ControlFlow;

use crate::memory::Model;
use crate::program::{Init, LocId, Program, PropertyId, ThreadId};

use super::havoc::HavocRange;
use super::machine::{Cut, Event, Machine};
use super::record::{contents, record, record_step};
use super::spec::{SpecStatus, status};
use super::state::State;
use super::trace::{BufferContents, Move, Step, Trace};

/// An execution that is being taken.
pub struct Walk<'p> {
    machine: Machine<'p>,
    initial: Vec<i64>,
    /// The state before each step, then the present one.
    states: Vec<State>,
    steps: Vec<Choice>,
}

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it does.
    pub step: Step,
    /// The property that it breaks itself, an assertion or the range of an index; nothing comes behind such a step.
    pub breaks: Option<PropertyId>,
}

/// The steps that there are at a point.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The steps.
    pub steps: Vec<Choice>,
    /// Whether a store meets a full buffer, the limit being as it is.
    pub full: bool,
    /// Whether some value does not fit 64 bits.
    pub beyond: bool,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Where each thread is.
    pub at: Vec<LocId>,
    /// The values of all variables, in main memory if they are shared.
    pub values: Vec<i64>,
    /// The buffers that are not empty.
    pub buffers: Vec<BufferContents>,
}

impl<'p> Walk<'p> {
    /// A walk that has not begun, with buffers of at most this length and these values for `*`. Variables that may start with
    /// several values start with the one closest to 0.
    pub fn new(program: &'p Program, model: Model, buffer: usize, havoc: HavocRange) -> Self {
        let inits = program.vars.iter().map(|var| var.init);
        let initial: Vec<i64> = inits.map(first_value).collect();
        let machine = Machine::new(program, model, buffer, havoc);
        let start = State::with_values(machine.program, &machine.buffers, &initial);
        Walk {
            machine,
            initial,
            states: vec![start],
            steps: Vec::new(),
        }
    }

    /// Begins anew with these values of all variables; `false` if the program does not start with them.
    pub fn restart(&mut self, initial: Vec<i64>) -> bool {
        let vars = &self.machine.program.vars;
        let fits = vars.len() == initial.len()
            && vars
                .iter()
                .zip(&initial)
                .all(|(var, &value)| may_start(var.init, value));
        if fits {
            let (program, buffers) = (self.machine.program, &self.machine.buffers);
            self.states = vec![State::with_values(program, buffers, &initial)];
            self.steps.clear();
            self.initial = initial;
        }
        fits
    }

    /// Tries these values for `*` from now on.
    pub fn set_havoc(&mut self, havoc: HavocRange) {
        self.machine.havoc = havoc;
    }

    /// The values at the start.
    pub fn initial(&self) -> &[i64] {
        &self.initial
    }

    /// The number of steps that were taken.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no step was taken.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The present state.
    pub fn state(&self) -> Snapshot {
        snapshot(&self.machine, self.present())
    }

    /// The steps that can be taken now, thread by thread.
    pub fn choices(&self) -> Choices {
        let mut choices = Choices::default();
        if self.steps.last().is_some_and(|last| last.breaks.is_some()) {
            return choices;
        }
        let mut moves: Vec<(Move, Option<PropertyId>)> = Vec::new();
        let mut state = self.present().clone();
        let _ = self
            .machine
            .expand(&mut state, &mut Vec::new(), &mut |_, attempt, event| {
                match event {
                    Event::Reached => moves.push((attempt.to_move(), None)),
                    Event::Failed(property) => moves.push((attempt.to_move(), Some(property))),
                    Event::Cut(Cut::Buffer) => choices.full = true,
                    Event::Cut(Cut::Values) => choices.beyond = true,
                    Event::Cut(Cut::Havoc) => {}
                }
                ControlFlow::Continue(())
            });
        let steps = moves.into_iter().map(|(action, breaks)| {
            let mut state = self.present().clone();
            Choice {
                step: record_step(&self.machine, &mut state, action),
                breaks,
            }
        });
        choices.steps = steps.collect();
        choices
    }

    /// Takes a step that is one of the present choices.
    pub fn take(&mut self, choice: Choice) {
        let mut state = self.present().clone();
        record_step(&self.machine, &mut state, choice.step.action.clone());
        state.settle();
        self.states.push(state);
        self.steps.push(choice);
    }

    /// Takes the last step back, and returns it.
    pub fn back(&mut self) -> Option<Choice> {
        let last = self.steps.pop()?;
        self.states.pop();
        Some(last)
    }

    /// The last step.
    pub fn last(&self) -> Option<&Step> {
        self.steps.last().map(|choice| &choice.step)
    }

    /// The property that is broken now: by the last step, or in the present state.
    pub fn broken(&self) -> Option<PropertyId> {
        let by_step = self.steps.last().and_then(|last| last.breaks);
        let state = self.present();
        if by_step.is_some() || self.machine.holder(state).is_some() {
            return by_step;
        }
        let is_final = self.machine.is_final(state);
        let mut specs = self.machine.program.specs.iter();
        specs.find_map(|spec| match status(spec, state.view(), is_final) {
            SpecStatus::Broken(property) => Some(property),
            SpecStatus::Holds | SpecStatus::OutOfI64 => None,
        })
    }

    /// Whether a thread has ended.
    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.present().at(thread) == self.machine.program.threads[thread.index()].end
    }

    /// The thread that holds the atomic section.
    pub fn holder(&self) -> Option<ThreadId> {
        self.machine.holder(self.present())
    }

    /// The execution so far, with the property that is broken now.
    pub fn trace(&self) -> Trace {
        let moves = self.steps.iter().map(|choice| choice.step.action.clone());
        record(&self.machine, &self.initial, moves, self.broken())
    }

    /// Takes `count` steps, each of which fits by its number; of several that fit, those with which all can be taken. If that is
    /// not possible, no step is taken, and the number of the step is returned that fits nowhere.
    pub fn follow(
        &mut self,
        count: usize,
        fits: impl Fn(usize, &Choice) -> bool,
    ) -> Result<(), usize> {
        let begin = self.len();
        let mut furthest = 0;
        let fitting = |walk: &Self, number: usize| -> Vec<Choice> {
            let steps = walk.choices().steps.into_iter();
            let mut steps: Vec<Choice> = steps.filter(|step| fits(number, step)).collect();
            steps.reverse();
            steps
        };
        // What is left to try at each point.
        let mut open: Vec<Vec<Choice>> = Vec::new();
        while self.len() - begin < count {
            let number = self.len() - begin;
            if open.len() == number {
                open.push(fitting(self, number));
            }
            match open.last_mut().and_then(Vec::pop) {
                Some(choice) => self.take(choice),
                None if number == 0 => return Err(furthest),
                None => {
                    furthest = furthest.max(number);
                    open.pop();
                    self.back();
                }
            }
        }
        Ok(())
    }

    fn present(&self) -> &State {
        self.states.last().expect("a walk has a state")
    }
}

/// The states of an execution: before its first step, and behind each of its steps.
pub fn snapshots(program: &Program, trace: &Trace) -> Vec<Snapshot> {
    let longest_buffer = trace.steps.len();
    let machine = Machine::new(program, trace.model, longest_buffer, HavocRange::default());
    let mut state = State::with_values(program, &machine.buffers, &trace.initial);
    let mut states = vec![snapshot(&machine, &state)];
    for action in trace.moves() {
        record_step(&machine, &mut state, action.clone());
        states.push(snapshot(&machine, &state));
    }
    states
}

fn snapshot(machine: &Machine<'_>, state: &State) -> Snapshot {
    let threads = machine.program.thread_ids();
    Snapshot {
        at: threads.map(|thread| state.at(thread)).collect(),
        values: state.values().to_vec(),
        buffers: contents(machine, state),
    }
}

/// The value closest to 0 of those that a variable may start with.
fn first_value(init: Init) -> i64 {
    match init {
        Init::Value(value) => value,
        Init::Range(range) => range.values().next().unwrap_or(0),
        Init::Any => 0,
    }
}

fn may_start(init: Init, value: i64) -> bool {
    match init {
        Init::Value(only) => value == only,
        Init::Range(range) => {
            let (low, high) = range.ends();
            (low..=high).contains(&value)
        }
        Init::Any => true,
    }
}

#[cfg(test)]
mod tests {
    use indexmap::IndexSet;

    use super::*;
    use crate::front::cup;
    use crate::program::lower;
    use crate::semantics::interpreter::replay;
    use crate::source::SourceFile;

    const SB: &str = "shared x, y;
        thread P { local r; x = 1; r = y; }
        thread Q { local s; y = 1; s = x; }
        finally P.r == 1 || Q.s == 1;";

    fn program(text: &str) -> Program {
        let checked = cup::load(&SourceFile::new("test", text)).expect("it is correct");
        lower(&checked, &IndexSet::new())
    }

    fn take(walk: &mut Walk<'_>, number: usize) {
        let choice = walk.choices().steps[number].clone();
        walk.take(choice);
    }

    #[test]
    fn a_walk_goes_back_and_forth_and_its_trace_is_an_execution() {
        let program = program(SB);
        let mut walk = Walk::new(&program, Model::Tso, 8, HavocRange::default());
        let start = walk.state();
        // P: x = 1; r = y. Q: y = 1; s = x. Then both flush.
        for number in [0, 0, 1, 1] {
            take(&mut walk, number);
        }
        assert_eq!(walk.state().buffers.len(), 2);
        assert_eq!(walk.broken(), None, "the buffers are not empty");
        take(&mut walk, 0);
        take(&mut walk, 0);
        assert!(walk.broken().is_some() && walk.choices().steps.is_empty());
        let trace = walk.trace();
        assert_eq!(replay(&program, Model::Tso, &trace), Ok(()));
        let states = snapshots(&program, &trace);
        assert_eq!((&states[0], &states[6]), (&start, &walk.state()));
        while walk.back().is_some() {}
        assert_eq!(walk.state(), start);
        let wanted = |number: usize, choice: &Choice| choice.step == trace.steps[number];
        assert_eq!(walk.follow(6, wanted), Ok(()));
        assert_eq!(walk.trace(), trace);
    }

    #[test]
    fn of_steps_that_look_the_same_those_are_taken_that_lead_on() {
        let text = "shared x; thread P { local r; if (*) { x = 1; } else { x = 2; } }";
        let program = program(text);
        let mut walk = Walk::new(&program, Model::Sc, 8, HavocRange::default());
        let stores = |number: usize, choice: &Choice| {
            let writes = choice.step.writes.iter();
            number == 0 || writes.map(|write| write.value).eq([2])
        };
        assert_eq!(walk.follow(2, stores), Ok(()));
        assert_eq!(walk.state().values[0], 2);
        let never = |number: usize, _: &Choice| number < 1;
        walk.restart(vec![0, 0]);
        assert_eq!(walk.follow(2, never), Err(1));
        assert!(walk.is_empty());
    }

    #[test]
    fn nothing_comes_behind_a_step_that_breaks_an_assertion() {
        let program = program("shared x = 3..4; thread P { assert(x == 4); x = 5; }");
        let mut walk = Walk::new(&program, Model::Sc, 8, HavocRange::default());
        assert_eq!(walk.initial(), [3]);
        assert!(!walk.restart(vec![5]) && walk.restart(vec![4]));
        take(&mut walk, 0);
        assert_eq!(walk.broken(), None);
        assert!(walk.restart(vec![3]));
        take(&mut walk, 0);
        assert!(walk.broken().is_some() && walk.choices().steps.is_empty());
        assert_eq!(replay(&program, Model::Sc, &walk.trace()), Ok(()));
    }
}
