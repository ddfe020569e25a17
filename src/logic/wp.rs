//! Weakest preconditions of the simple actions.
//!
//! An action of an SC program is a list of guarded parallel assignments ([`Update`]s): one for most
//! actions, one per element where an index picks the variable, two for `cas`. The weakest
//! precondition of a condition is then, for every update, "if the guard holds, the condition with
//! the assigned terms put in". An arbitrary value is a fresh variable: a formula implies a
//! condition with a fresh variable exactly if it implies it for every value. A value chosen from a range is
//! one too, and the guard says that it is in the range. So are the fields of the entry that a `pop` makes the oldest.
//!
//! Invariant: the guards of an action's updates exclude each other and, where every index is in
//! range, a chosen value in its own and a FIFO not empty that is popped, one of them holds; so `wp(!p)` is `!wp(p)` for
//! every action but havoc, `choose`, `pop`, `assume` and `assert`.

use indexmap::IndexSet;

use super::formula::Formula;
use super::linear::{GuardedTerm, Linear, TooLarge, index_guard, linear_cases};
use crate::program::{Action, Fifo, Place, Program, Range, Term, VarId};

/// A parallel assignment that happens if its guard holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// When it happens.
    pub guard: Formula,
    /// The new values, in terms of the old ones.
    pub assigned: Vec<(VarId, Linear)>,
}

/// The variable that stands for an arbitrary value in the program's updates.
pub fn fresh_var(program: &Program) -> VarId {
    VarId::new(program.vars.len())
}

/// What an action assigns; nothing for actions that assign nothing.
pub fn updates(action: &Action, fresh: VarId) -> Result<Vec<Update>, TooLarge> {
    let none = Vec::new();
    Ok(match action {
        Action::Append(fifo, values) => append(fifo, values)?,
        Action::Pop(fifo) => pop(fifo, fresh),
        Action::Skip | Action::Fence | Action::Assume(_) | Action::Assert(..) => none,
        Action::Assign(place, term) | Action::Store(place, term) => {
            assignments(place, &linear_cases(term)?)?
        }
        Action::Havoc(place) => assignments(place, &[(Formula::True, Linear::var(fresh))])?,
        Action::Choose(place, range) => {
            let value = Linear::var(fresh);
            assignments(place, &[(small_range(&value, *range)?, value)])?
        }
        Action::Load(to, from) => assignments(to, &place_cases(from)?)?,
        Action::Swap(to, shared, new) => both(
            &assignments(to, &place_cases(shared)?)?,
            &assignments(shared, &linear_cases(new)?)?,
        ),
        Action::FetchAdd(to, shared, difference) => {
            let sum = sums(&place_cases(shared)?, &linear_cases(difference)?);
            both(
                &assignments(to, &place_cases(shared)?)?,
                &assignments(shared, &sum)?,
            )
        }
        Action::Cas(to, shared, expected, new) => cas(to, shared, expected, new)?,
    })
}

/// The weakest precondition of `post` for an action's updates.
pub fn precondition(updates: &[Update], post: &Formula) -> Formula {
    if updates.is_empty() {
        return post.clone();
    }
    Formula::and(
        updates
            .iter()
            .map(|update| Formula::or([update.guard.negated(), post.substitute(&update.assigned)])),
    )
}

/// The weakest precondition of `post` for an action.
pub fn wp(action: &Action, post: &Formula, fresh: VarId) -> Result<Formula, TooLarge> {
    Ok(match action {
        Action::Assume(cond) => Formula::or([Formula::from_cond(cond)?.negated(), post.clone()]),
        Action::Assert(cond, _) => Formula::and([Formula::from_cond(cond)?, post.clone()]),
        Action::Skip
        | Action::Fence
        | Action::Assign(..)
        | Action::Store(..)
        | Action::Havoc(_)
        | Action::Choose(..)
        | Action::Load(..)
        | Action::Swap(..)
        | Action::FetchAdd(..)
        | Action::Append(..)
        | Action::Pop(_)
        | Action::Cas(..) => precondition(&updates(action, fresh)?, post),
    })
}

/// That a term has a value of a range.
pub fn within(term: &Linear, range: Range) -> Formula {
    let (low, high) = range.ends();
    let [low, high] = [low, high].map(|end| Linear::constant(end.into()));
    Formula::and([
        Formula::not_positive(&low.plus(-1, term)),
        Formula::not_positive(&term.plus(-1, &high)),
    ])
}

fn small_range(term: &Linear, range: Range) -> Result<Formula, TooLarge> {
    let (low, high) = range.ends();
    let small = |end: i64| Linear::constant(end.into()).is_small();
    match small(low) && small(high) {
        true => Ok(within(term, range)),
        false => Err(TooLarge),
    }
}

/// The variables that the updates may assign.
pub fn assigned_vars(updates: &[Update]) -> IndexSet<VarId> {
    let pairs = updates.iter().flat_map(|update| &update.assigned);
    pairs.map(|(var, _)| *var).collect()
}

fn cas(to: &Place, shared: &Place, expected: &Term, new: &Term) -> Result<Vec<Update>, TooLarge> {
    let one = [(Formula::True, Linear::constant(1))];
    let zero = [(Formula::True, Linear::constant(0))];
    let success = both(
        &assignments(to, &one)?,
        &assignments(shared, &linear_cases(new)?)?,
    );
    let failure = assignments(to, &zero)?;
    let mut updates = Vec::new();
    for (value_guard, value) in place_cases(shared)? {
        for (expected_guard, expected) in linear_cases(expected)? {
            let guard = Formula::and([value_guard.clone(), expected_guard]);
            let equal = Formula::equal_zero(&value.plus(-1, &expected));
            let (different, equal) = (equal.negated(), equal);
            updates.extend(guarded(&Formula::and([guard.clone(), equal]), &success));
            updates.extend(guarded(&Formula::and([guard, different]), &failure));
        }
    }
    Ok(updates)
}

/// An entry is appended: it becomes the newest one and, in an empty FIFO, the oldest.
fn append(fifo: &Fifo, values: &[Term]) -> Result<Vec<Update>, TooLarge> {
    let longer = Linear::var(fifo.length).plus(1, &Linear::constant(1));
    let empty = Formula::equal_zero(&Linear::var(fifo.length));
    let mut updates = vec![Update {
        guard: Formula::True,
        assigned: vec![(fifo.length, longer)],
    }];
    for (field, value) in values.iter().enumerate() {
        let (newest, oldest) = (Place::Var(fifo.newest[field]), fifo.oldest[field]);
        let value = assignments(&newest, &linear_cases(value)?)?;
        let first = value.iter().map(|update| Update {
            guard: Formula::and([update.guard.clone(), empty.clone()]),
            assigned: with_copy(&update.assigned, oldest),
        });
        let later = guarded(&empty.negated(), &value);
        updates = both(&updates, &first.chain(later).collect::<Vec<_>>());
    }
    Ok(updates)
}

fn with_copy(assigned: &[(VarId, Linear)], to: VarId) -> Vec<(VarId, Linear)> {
    let copies = assigned.iter().map(|(_, value)| (to, value.clone()));
    assigned.iter().cloned().chain(copies).collect()
}

/// The oldest entry is taken, once there is one. Of the next one nothing is known: its fields are `fresh` and the
/// variables behind it.
fn pop(fifo: &Fifo, fresh: VarId) -> Vec<Update> {
    let one = Linear::constant(1);
    let shorter = Linear::var(fifo.length).plus(-1, &one);
    let is_last = Formula::equal_zero(&shorter);
    let more = Formula::not_positive(&Linear::constant(2).plus(-1, &Linear::var(fifo.length)));
    let ends = fifo.oldest.iter().chain(&fifo.newest);
    let nothing = ends.map(|&view| (view, Linear::constant(0)));
    let next = next_entry(fifo, fresh).into_iter().map(Linear::var);
    let next = fifo.oldest.iter().copied().zip(next);
    vec![
        Update {
            guard: is_last,
            assigned: std::iter::once((fifo.length, Linear::constant(0)))
                .chain(nothing)
                .collect(),
        },
        Update {
            guard: more,
            assigned: std::iter::once((fifo.length, shorter))
                .chain(next)
                .collect(),
        },
    ]
}

/// The variables that stand for the next entry behind one that is taken.
pub fn next_entry(fifo: &Fifo, fresh: VarId) -> Vec<VarId> {
    let fields = 0..fifo.width();
    fields
        .map(|field| VarId::new(fresh.index() + field))
        .collect()
}

/// `place = value` for a value in cases.
fn assignments(place: &Place, value: &[GuardedTerm]) -> Result<Vec<Update>, TooLarge> {
    let mut updates = Vec::new();
    for (place_guard, var) in targets(place)? {
        for (value_guard, term) in value {
            let guard = Formula::and([place_guard.clone(), value_guard.clone()]);
            if guard != Formula::False {
                let assigned = vec![(var, term.clone())];
                updates.push(Update { guard, assigned });
            }
        }
    }
    Ok(updates)
}

fn targets(place: &Place) -> Result<Vec<(Formula, VarId)>, TooLarge> {
    match place {
        Place::Var(var) => Ok(vec![(Formula::True, *var)]),
        Place::Choice(index, vars) => {
            let index = linear_cases(index)?;
            let guards = vars.iter().enumerate();
            Ok(guards
                .map(|(position, var)| (index_guard(&index, position), *var))
                .filter(|(guard, _)| *guard != Formula::False)
                .collect())
        }
    }
}

fn place_cases(place: &Place) -> Result<Vec<GuardedTerm>, TooLarge> {
    let targets = targets(place)?.into_iter();
    Ok(targets
        .map(|(guard, var)| (guard, Linear::var(var)))
        .collect())
}

fn sums(left: &[GuardedTerm], right: &[GuardedTerm]) -> Vec<GuardedTerm> {
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
    pairs
        .map(|((guard, a), (other, b))| {
            (Formula::and([guard.clone(), other.clone()]), a.plus(1, b))
        })
        .collect()
}

/// Two lists of updates at once: every pair of cases whose guards agree.
fn both(left: &[Update], right: &[Update]) -> Vec<Update> {
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
    pairs
        .map(|(l, r)| Update {
            guard: Formula::and([l.guard.clone(), r.guard.clone()]),
            assigned: l.assigned.iter().chain(&r.assigned).cloned().collect(),
        })
        .filter(|update| update.guard != Formula::False)
        .collect()
}

fn guarded(guard: &Formula, updates: &[Update]) -> Vec<Update> {
    let with_guard = |update: &Update| Update {
        guard: Formula::and([guard.clone(), update.guard.clone()]),
        assigned: update.assigned.clone(),
    };
    updates
        .iter()
        .map(with_guard)
        .filter(|update| update.guard != Formula::False)
        .collect()
}
