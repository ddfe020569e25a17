//! A step of the lazy search that splits.
//!
//! What a step makes unknown is often linked with something else that is unknown: after `r = X`, whether `r == 0` is the same as
//! whether `X == 0`. Three values cannot say so. So where a step makes a condition unknown, both values are followed: the
//! state before the step is split by what makes the condition true, and in each part the other predicates are
//! asked about again. Facts are not split: "false" means nothing for them.
//!
//! Invariant: the parts cover the state, since one assumes what the other denies.

use super::{Formula, Lazy, Meaning, Values};
use crate::abstraction::effects::PredicateUpdate;

/// What is done where a step makes a condition unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknowns {
    /// It stays unknown.
    #[default]
    Kept,
    /// Both values are followed.
    Split,
}

/// The most parts that a step is split into; what is unknown in them then stays so.
const MOST_PARTS: usize = 1_000;

/// A part of the states before a step.
struct Part {
    /// What is known before the step, the assumption included.
    before: Values,
    /// What was assumed to make this part.
    assumed: Formula,
    /// The values after the step, as far as they are found out.
    after: Values,
    /// How many of the changes are.
    done: usize,
}

impl Lazy<'_> {
    /// The values after some changes; several if they are split.
    pub(super) fn updated(&mut self, before: Values, changes: &[PredicateUpdate]) -> Vec<Values> {
        let is_chosen = |change: &&PredicateUpdate| self.chosen[change.predicate.index()];
        let is_fact = |change: &&PredicateUpdate| {
            let predicate = &self.predicates[change.predicate.index()];
            matches!(predicate.meaning, Meaning::Fact(_))
        };
        // Facts come last, when all that splits has been split.
        let mut ordered: Vec<&PredicateUpdate> = changes.iter().filter(is_chosen).collect();
        ordered.sort_by_key(is_fact);
        let conditions = ordered.iter().filter(|change| !is_fact(change)).count();
        let splits = self.unknowns == Unknowns::Split;
        let mut parts = vec![Part {
            after: before.clone(),
            before,
            assumed: Formula::True,
            done: 0,
        }];
        let mut all = Vec::new();
        while let Some(mut part) = parts.pop() {
            let splits = splits && all.len() + parts.len() < MOST_PARTS && !self.oracle.gives_up();
            let mut halves = None;
            while let (None, Some(&change)) = (&halves, ordered.get(part.done)) {
                let value = self.changed(&part, change);
                if value.is_none() && splits && part.done < conditions {
                    halves = Some(self.halves(&part, change, &ordered));
                } else {
                    part.after[change.predicate.index()] = value;
                    part.done += 1;
                }
            }
            match halves {
                None => all.push(part.after),
                Some(halves) => parts.extend(halves),
            }
        }
        all
    }

    /// The value of a predicate after a change, in a part of the states before it.
    fn changed(&mut self, part: &Part, change: &PredicateUpdate) -> Option<bool> {
        let goals = [&change.becomes_true.goal, &change.becomes_false.goal];
        let [yes, no] = goals.map(|goal| match part.assumed {
            Formula::True => goal.clone(),
            _ => Formula::or([part.assumed.negated(), goal.clone()]),
        });
        self.oracle.value(&part.before, &yes, &no)
    }

    /// The parts in which a condition becomes true and in which it does not, those that are possible.
    fn halves(
        &mut self,
        part: &Part,
        change: &PredicateUpdate,
        changes: &[&PredicateUpdate],
    ) -> Vec<Part> {
        let yes = &change.becomes_true.goal;
        let mut halves = Vec::new();
        for half in [yes.negated(), yes.clone()] {
            let assumed = Formula::and([part.assumed.clone(), half]);
            let excluded = assumed.negated();
            if self.oracle.implies(&part.before, &excluded) {
                continue;
            }
            let before = self.learn(part.before.clone(), &excluded);
            // What does not change is what it was before.
            let mut after = before.clone();
            for done in &changes[..part.done] {
                let done = done.predicate.index();
                after[done] = part.after[done];
            }
            let mut half = Part {
                before,
                assumed,
                after,
                done: part.done,
            };
            // It stays unknown where the solver has no answer.
            half.after[change.predicate.index()] = self.changed(&half, change);
            half.done += 1;
            halves.push(half);
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use indexmap::IndexSet;

    use super::*;
    use crate::abstraction::effects::Effect;
    use crate::abstraction::lazy::LazyLimits;
    use crate::front::cup;
    use crate::front::cup::ast::CompareOp;
    use crate::logic::Predicate;
    use crate::program::{Cond, Term, VarId, lower};
    use crate::run::stop::Stop;
    use crate::source::SourceFile;

    /// The values of `x == 0` and `r == 0` after `r = x`, with both unknown before, if the solver has answers or not.
    fn after_load(has_answers: bool) -> Vec<Values> {
        let file = SourceFile::new("test.cup", "shared x; thread P { local r; r = x; }");
        let program = lower(&cup::load(&file).expect("it is right"), &IndexSet::new());
        let is_zero =
            |var| Cond::Compare(CompareOp::Eq, Term::Var(VarId::new(var)), Term::Const(0));
        let predicates = [0, 1].map(|var| Predicate::new(is_zero(var)).expect("small numbers"));
        let cancel = Arc::new(AtomicBool::new(false));
        let limits = LazyLimits {
            stop: Stop {
                cancel: Some(Arc::clone(&cancel)),
                ..Stop::default()
            },
            max_states: 10,
            max_calls: 100,
            differences: true,
        };
        let edges = program.edge_ids();
        let search = Lazy::new(&program, &predicates, &[], &limits, edges);
        let mut search = search.expect("it is not stopped yet");
        search.unknowns = Unknowns::Split;
        cancel.store(!has_answers, Ordering::Relaxed);
        let edge = program.edge_ids().next().expect("there is a step");
        let cases = search.edges[&edge].clone();
        let Effect::Update(changes) = &cases[0].effects[0] else {
            panic!("the step is an update");
        };
        search.updated(vec![None, None], changes)
    }

    #[test]
    fn both_values_of_what_becomes_unknown_are_followed() {
        let mut values = after_load(true);
        values.sort();
        assert_eq!(values, [[Some(false); 2], [Some(true); 2]]);
    }

    #[test]
    fn without_answers_nothing_is_split() {
        assert_eq!(after_load(false), [[None; 2]]);
    }
}
