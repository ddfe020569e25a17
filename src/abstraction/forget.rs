//! Forgetting what buffers held.
//!
//! A slot of a store buffer that is not in use keeps its last value, which no step reads before the
//! slot is used again. Tracking predicates about such values only multiplies the states of the check
//! (up to seven times at k = 2). So where a counter goes down, predicates about the slots that are
//! free from then on become unknown, and they are unknown in the beginning. Forgetting is always
//! sound: an unknown predicate stands for both values.

use super::cubes::Question;
use super::effects::Effect;
use crate::logic::{Formula, Linear, Predicate, PredicateId, Symbol, Update, precondition};
use crate::program::{Init, Program, VarId};
use crate::reduce::{BufferVars, SlotVars};

/// A predicate that keeps its value while a condition holds, and is forgotten elsewhere.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The predicate.
    pub predicate: PredicateId,
    /// What the value is kept for.
    pub kept_while: Question,
}

/// The last slot of a buffer that a predicate mentions, if it mentions one. The slot at place `i`, from
/// 0, is in use while the counter exceeds `i`.
fn last_slot(buffer: &BufferVars, predicate: &Predicate) -> Option<usize> {
    let symbols = predicate.formula.symbols();
    let is_mentioned = |var: VarId| symbols.contains(&Symbol::Var(var));
    let mentioned = |slot: &SlotVars| slot.all().any(is_mentioned);
    buffer.slots.iter().rposition(mentioned)
}

/// Whether the step makes the counter smaller, whatever it was.
fn shrinks(count: VarId, updates: &[Update]) -> bool {
    let smaller = |(var, value): &(VarId, Linear)| {
        *var == count
            && matches!(value.parts(), (&[(counted, 1)], []) if counted == count)
            && value.constant_part() < 0
    };
    let of = |update: &Update| update.assigned.iter().any(smaller);
    !updates.is_empty() && updates.iter().all(of)
}

/// That the slot at a place is in use.
fn in_use(count: VarId, slot: usize) -> Formula {
    let slot = Linear::constant(i128::try_from(slot).expect("buffers are small"));
    let missing = slot.plus(1, &Linear::constant(1));
    Formula::not_positive(&missing.plus(-1, &Linear::var(count)))
}

/// What a step that takes an entry out of a buffer forgets; `changed` are the predicates that it
/// updates anyway.
pub fn effect(
    buffers: &[BufferVars],
    predicates: &[Predicate],
    updates: &[Update],
    changed: &[PredicateId],
) -> Option<Effect> {
    let mut kept = Vec::new();
    for buffer in buffers
        .iter()
        .filter(|buffer| shrinks(buffer.count, updates))
    {
        for (index, predicate) in predicates.iter().enumerate() {
            let id = PredicateId::new(index);
            let Some(slot) = last_slot(buffer, predicate) else {
                continue;
            };
            if !changed.contains(&id) {
                kept.push(Kept {
                    predicate: id,
                    kept_while: Question {
                        goal: precondition(updates, &in_use(buffer.count, slot)),
                        size: 1,
                    },
                });
            }
        }
    }
    (!kept.is_empty()).then_some(Effect::Forget(kept))
}

/// Whether a predicate is about a slot that is not in use in the beginning.
pub fn is_unused(program: &Program, buffers: &[BufferVars], predicate: &Predicate) -> bool {
    buffers.iter().any(|buffer| {
        let count = program.vars[buffer.count.index()].init;
        let slot = last_slot(buffer, predicate);
        slot.is_some() && count == Init::Value(0)
    })
}
