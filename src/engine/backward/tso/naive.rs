//! The rules for load buffers against the load-buffer semantics, state by state.
//!
//! All small states of one thread and memory are enumerated, with the steps that `docs/exact.md` gives them. For random
//! sets it is checked that the sets before a step have exactly the states that reach the set by forgetting and this step,
//! and that a set covers another one only if it has all of its states.

use super::mutants::Mutant;
use super::{LoadBuffer, Own};
use crate::engine::backward::buffers::{Buffers, Thread};
use crate::engine::backward::graph::{Mask, Shared, Value, full, one};

const VARS: usize = 2;
const VALUES: Value = 2;
const LONGEST: usize = 2;

/// A state: memory, messages from the oldest on, and marks with the number of messages that are older.
#[derive(Clone, Debug)]
struct State {
    memory: Vec<Value>,
    messages: Vec<(Shared, Value)>,
    marks: Vec<Option<(Value, usize)>>,
}

/// A set of load buffers with what memory may hold.
type Pair<const N: usize> = (Mutant<N>, Vec<Mask>);

fn thread() -> Thread {
    Thread {
        stores: vec![full(VALUES.into()); VARS],
    }
}

impl State {
    fn all() -> Vec<State> {
        use itertools::Itertools;
        let letters = (0..VARS).cartesian_product(0..VALUES).collect::<Vec<_>>();
        let memories = (0..VARS).map(|_| 0..VALUES).multi_cartesian_product();
        let memories: Vec<Vec<Value>> = memories.collect();
        let mut found = Vec::new();
        for length in 0..=LONGEST {
            let mark = (0..VALUES).cartesian_product(0..=length).map(Some);
            let mark: Vec<Option<(Value, usize)>> = mark.chain([None]).collect();
            let words = vec![letters.clone(); length]
                .into_iter()
                .multi_cartesian_product();
            let marks = vec![mark; VARS].into_iter().multi_cartesian_product();
            let marks: Vec<Vec<Option<(Value, usize)>>> = marks.collect();
            for messages in words {
                for marks in &marks {
                    found.extend(memories.iter().map(|memory| State {
                        memory: memory.clone(),
                        messages: messages.clone(),
                        marks: marks.clone(),
                    }));
                }
            }
        }
        found
    }

    /// Whether the state is in a set: by trying all places for the letters.
    fn is_in(&self, set: &LoadBuffer, memory: &[Mask]) -> bool {
        let mut values = memory.iter().zip(&self.memory);
        values.all(|(mask, value)| mask & one(*value) != 0) && self.places(set, &mut Vec::new())
    }

    fn places(&self, set: &LoadBuffer, places: &mut Vec<usize>) -> bool {
        let Some(&(var, values)) = set.word.get(places.len()) else {
            return self.marks_fit(set, places);
        };
        let first = places.last().map_or(0, |last| last + 1);
        (first..self.messages.len()).any(|place| {
            let (of, value) = self.messages[place];
            places.push(place);
            let fits = of == var && values & one(value) != 0 && self.places(set, places);
            places.pop();
            fits
        })
    }

    fn marks_fit(&self, set: &LoadBuffer, places: &[usize]) -> bool {
        let is_older = |at: usize, newer: usize| newer == 0 || at <= places[places.len() - newer];
        set.own
            .iter()
            .zip(&self.marks)
            .all(|(own, mark)| match (own, mark) {
                (Own::Past { .. }, None) => true,
                (Own::Past { newer }, Some((_, at))) => is_older(*at, *newer),
                (Own::Kept { .. }, None) => false,
                (
                    Own::Kept {
                        values,
                        older,
                        newer,
                    },
                    Some((value, at)),
                ) => {
                    let is_newer = *older == 0 || places[older - 1] < *at;
                    values & one(*value) != 0 && is_older(*at, *newer) && is_newer
                }
            })
    }

    /// The states that come of it by forgetting, itself first.
    fn later(&self) -> Vec<State> {
        let mut found = vec![self.clone()];
        let mut now = self.clone();
        loop {
            let is_first = |mark: &Option<(Value, usize)>| mark.is_some_and(|(_, at)| at == 0);
            if now.marks.iter().any(is_first) {
                now.marks
                    .iter_mut()
                    .filter(|mark| is_first(mark))
                    .for_each(|mark| *mark = None);
            } else if !now.messages.is_empty() {
                now.messages.remove(0);
                now.marks.iter_mut().flatten().for_each(|(_, at)| *at -= 1);
            } else {
                return found;
            }
            found.push(now.clone());
        }
    }

    fn store(&self, var: Shared, value: Value) -> Option<State> {
        let mut after = self.clone();
        after.memory[var] = value;
        after.marks[var] = Some((value, self.messages.len()));
        Some(after)
    }

    fn load(&self, var: Shared, accepted: Mask) -> Option<State> {
        let yields = match self.marks[var] {
            Some((value, _)) => one(value) & accepted != 0,
            None => {
                let hidden = self.marks.iter().flatten().any(|(_, at)| *at == 0);
                let first = self.messages.first();
                !hidden && first.is_some_and(|&(of, value)| of == var && one(value) & accepted != 0)
            }
        };
        yields.then(|| self.clone())
    }

    fn fence(&self) -> Option<State> {
        let empty = self.messages.is_empty() && self.marks.iter().all(Option::is_none);
        empty.then(|| self.clone())
    }

    fn send(&self, var: Shared) -> State {
        let mut after = self.clone();
        after.messages.push((var, self.memory[var]));
        after
    }
}

/// The rule for a step that a set breaks.
fn broken_rule<const N: usize>(pair: &Pair<N>, states: &[State]) -> Option<&'static str> {
    let (set, memory) = pair;
    let with = |var: Shared, mask: Mask| {
        let mut memory = memory.clone();
        memory[var] = mask;
        memory
    };
    let differs = |before: &[Pair<N>], step: &dyn Fn(&State) -> Option<State>| {
        states.iter().any(|state| {
            let said = before
                .iter()
                .any(|(set, memory)| state.is_in(set.inner(), memory));
            let mut reached = state.later().into_iter().filter_map(|state| step(&state));
            said != reached.any(|after| after.is_in(set.inner(), memory))
        })
    };
    for (var, &held) in memory.iter().enumerate() {
        for value in 0..VALUES {
            let fits = held & one(value) != 0;
            let before = set.write(var, value).filter(|_| fits);
            let before = before.map(|set| (set, with(var, full(VALUES.into()))));
            if differs(before.as_slice(), &|state| state.store(var, value)) {
                return Some("store");
            }
        }
        for accepted in 1..=full(VALUES.into()) {
            let before = set.read(&thread(), (var, accepted), held).into_iter();
            let before: Vec<Pair<N>> = before.map(|(set, mask)| (set, with(var, mask))).collect();
            if differs(&before, &|state| state.load(var, accepted)) {
                return Some("load");
            }
        }
    }
    let before = set.fence(&thread()).map(|set| (set, memory.clone()));
    if differs(before.as_slice(), &State::fence) {
        return Some("fence");
    }
    sends(pair, states)
}

/// Whether the rule for messages has each state that reaches the set by one, and none that does not.
fn sends<const N: usize>(pair: &Pair<N>, states: &[State]) -> Option<&'static str> {
    let (set, memory) = pair;
    for (before, var, mask) in set.arrivals(&thread(), memory) {
        let mut narrowed = memory.clone();
        narrowed[var] = mask;
        let wrong = states.iter().any(|state| {
            let said = state.is_in(before.inner(), &narrowed);
            said && !state.send(var).is_in(set.inner(), memory)
        });
        if wrong {
            return Some("a message leads elsewhere");
        }
    }
    let missed = states.iter().any(|state| {
        let mut sent = (0..VARS).map(|var| state.send(var));
        let arrivals = set.arrivals(&thread(), memory).into_iter();
        sent.any(|after| after.is_in(set.inner(), memory))
            && !state.is_in(set.inner(), memory)
            && !arrivals.into_iter().any(|(before, var, mask)| {
                let mut narrowed = memory.clone();
                narrowed[var] = mask;
                state.is_in(before.inner(), &narrowed)
            })
    });
    let mut weaker = set.clone();
    weaker.weaken(memory);
    let lost =
        |state: &State| state.is_in(set.inner(), memory) && !state.is_in(weaker.inner(), memory);
    match (missed, states.iter().any(lost)) {
        (true, _) => Some("a message is missed"),
        (false, true) => Some("weakening loses states"),
        (false, false) => None,
    }
}

/// What is wrong with the rules, on sets that a small generator makes.
pub(in crate::engine::backward) fn wrong<const N: usize>(tries: usize) -> Option<&'static str> {
    let states = State::all();
    let mut random = Random(7);
    let pairs: Vec<Pair<N>> = (0..tries).map(|_| random.pair()).collect();
    for (number, (set, memory)) in pairs.iter().enumerate() {
        let pair = (set.clone(), memory.clone());
        if let Some(rule) = broken_rule(&pair, &states) {
            return Some(rule);
        }
        for (other, _) in &pairs[..number] {
            for (larger, smaller) in [(set, other), (other, set)] {
                let any = vec![full(VALUES.into()); VARS];
                let beyond = |state: &State| {
                    state.is_in(smaller.inner(), &any) && !state.is_in(larger.inner(), &any)
                };
                if larger.covers(smaller) && states.iter().any(beyond) {
                    return Some("order");
                }
            }
        }
    }
    None
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn mask(&mut self) -> Mask {
        1 + self.below(3) as Mask
    }

    fn pair<const N: usize>(&mut self) -> Pair<N> {
        let length = self.below(LONGEST + 1);
        let word: Vec<(Shared, Mask)> = (0..length)
            .map(|_| (self.below(VARS), self.mask()))
            .collect();
        let own = (0..VARS).map(|_| {
            let newer = self.below(length + 1);
            match self.below(2) {
                0 => Own::Past { newer },
                _ => Own::Kept {
                    values: self.mask(),
                    older: self.below(length - newer + 1),
                    newer,
                },
            }
        });
        let own = own.collect();
        let memory = (0..VARS).map(|_| self.mask()).collect();
        (Mutant::new(LoadBuffer { word, own }), memory)
    }
}
