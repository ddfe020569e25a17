//! A path as a formula over its unknowns.
//!
//! Input: a program and a path. Every variable is a linear term over the unknowns: initial values that are
//! not fixed and the values of `*` and of choices, in the order in which they come up. A step adds what must hold for it to be
//! taken, so the path is possible exactly if everything that was added can hold at once. Where a value depends on
//! a choice that is still open (an index, a `cas`), the value is a name of its own and the choice a
//! disjunction. So is a value with numbers too large to go on with. User assertions before the end are not in the way: if one fails on the way, that is a
//! violation too, and the run with real buffers will meet it.
//!
//! Output: values for the unknowns, the least absolute ones in the order of the unknowns (the positive one of
//! two), or the first step that cannot be taken.

use std::collections::VecDeque;

use crate::front::cup::ast::SpecKind;
use crate::logic::{Formula, Linear, TooLarge, Update, Valuation, assigned_vars, updates, within};
use crate::program::{Action, Edge, Fifo, Init, LocId, Program, PropertyKind, Spec, VarId};
use crate::run::stop::Stop;
use crate::smt::{self, Solver};

use super::path::Path;

/// The values of a path's unknowns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    /// The initial values that are not fixed, by variable.
    pub initial: Vec<(VarId, i128)>,
    /// The values of `*` and of choices, by step.
    pub chosen: Vec<(usize, i128)>,
}

/// Whether a path is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// With these values.
    Values(Values),
    /// Not behind this step.
    Impossible(usize),
    /// The solver does not know.
    Unknown,
}

/// A path as a formula.
pub(super) struct Walk {
    /// The values of the program's variables, in terms of the unknowns and named values.
    state: Vec<(VarId, Linear)>,
    /// The entries of the program's FIFOs, the oldest first.
    fifos: Vec<VecDeque<Vec<Linear>>>,
    /// What the named initial values are.
    initial: Formula,
    /// What each step needs; the last one is the broken property.
    needs: Vec<Formula>,
    unknowns: Vec<(VarId, Unknown)>,
    /// The number of names in use.
    names: usize,
}

/// What an unknown stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unknown {
    Initial(VarId),
    Chosen(usize),
}

impl Walk {
    /// Walks a path to its end.
    pub(super) fn new(program: &Program, path: &Path) -> Result<Self, TooLarge> {
        let mut walk = Walk {
            state: Vec::new(),
            initial: Formula::True,
            needs: Vec::new(),
            fifos: vec![VecDeque::new(); program.fifos.len()],
            unknowns: Vec::new(),
            names: program.vars.len(),
        };
        let mut initial = Vec::new();
        for (var, declared) in program.var_ids().zip(&program.vars) {
            let value = match declared.init {
                Init::Value(init) => {
                    let (value, need) = walk.named_if_large(Linear::constant(i128::from(init)));
                    initial.push(need);
                    value
                }
                Init::Range(range) => {
                    let value = Linear::var(walk.unknown(Unknown::Initial(var)));
                    initial.push(within(&value, range));
                    value
                }
                Init::Any => Linear::var(walk.unknown(Unknown::Initial(var))),
            };
            walk.state.push((var, value));
        }
        let spec = path.spec(program);
        let whole = match spec {
            Some(_) => path.steps.len(),
            None => path.steps.len().saturating_sub(1),
        };
        for (number, &step) in path.steps[..whole].iter().enumerate() {
            walk.step(program, number, program.edge(step))?;
        }
        let broken = match (spec, path.steps.last()) {
            (Some(spec), _) => broken_spec(program, spec, path)?,
            (None, Some(&last)) => broken_edge(program.edge(last), path)?,
            (None, None) => Formula::False,
        };
        walk.needs.push(broken.substitute(&walk.state));
        walk.initial = Formula::and(initial);
        Ok(walk)
    }

    /// Finds the least values, or the first step that cannot be taken.
    pub(super) fn solve(&self, stop: Stop) -> Answer {
        let mut solver = Solver::new(&[], stop, false);
        match possible(&mut solver, &self.prefix(self.needs.len())) {
            Some(Some(_)) => self
                .least(&mut solver)
                .map_or(Answer::Unknown, Answer::Values),
            Some(None) => self.first_impossible(&mut solver),
            None => Answer::Unknown,
        }
    }

    fn prefix(&self, count: usize) -> Formula {
        let needs = self.needs[..count].iter().cloned();
        Formula::and(needs.chain([self.initial.clone()]))
    }

    /// The first step whose needs contradict those before; prefixes only ever need more.
    fn first_impossible(&self, solver: &mut Solver) -> Answer {
        // The first `low` steps can be taken, the first `high` cannot.
        let (mut low, mut high) = (0, self.needs.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            match possible(solver, &self.prefix(middle)) {
                Some(Some(_)) => low = middle,
                Some(None) => high = middle,
                None => return Answer::Unknown,
            }
        }
        Answer::Impossible(low)
    }

    fn least(&self, solver: &mut Solver) -> Option<Values> {
        let mut formula = self.prefix(self.needs.len());
        let mut values = Values::default();
        for &(name, unknown) in &self.unknowns {
            let value = least_value(solver, &formula, name)?;
            formula = with_value(&formula, name, value)?;
            match unknown {
                Unknown::Initial(var) => values.initial.push((var, value)),
                Unknown::Chosen(step) => values.chosen.push((step, value)),
            }
        }
        Some(values)
    }

    fn step(&mut self, program: &Program, number: usize, edge: &Edge) -> Result<(), TooLarge> {
        let mut needs = Vec::new();
        if let Some(bounds) = &edge.bounds {
            needs.push(Formula::from_cond(&bounds.cond)?.substitute(&self.state));
        }
        let is_overflow = |id| program.property(id).kind == PropertyKind::Overflow;
        match &edge.action {
            Action::Assume(cond) => {
                needs.push(Formula::from_cond(cond)?.substitute(&self.state));
            }
            Action::Assert(cond, property) if is_overflow(*property) => {
                needs.push(Formula::from_cond(cond)?.substitute(&self.state));
            }
            Action::Append(fifo, _) => {
                let unused = VarId::new(self.names);
                needs.push(self.assign(&updates(&edge.action, unused)?));
                let newest = fifo.newest.iter();
                let entry = newest.map(|var| self.state[var.index()].1.clone());
                self.fifos[fifo.id.index()].push_back(entry.collect());
            }
            Action::Pop(fifo) => needs.push(self.pop(fifo)),
            Action::Havoc(_) | Action::Choose(..) => {
                let name = self.unknown(Unknown::Chosen(number));
                needs.push(self.assign(&updates(&edge.action, name)?));
            }
            Action::Skip
            | Action::Fence
            | Action::Assert(..)
            | Action::Assign(..)
            | Action::Store(..)
            | Action::Load(..)
            | Action::Cas(..)
            | Action::Swap(..)
            | Action::FetchAdd(..) => {
                let unused = VarId::new(self.names);
                needs.push(self.assign(&updates(&edge.action, unused)?));
            }
        }
        self.needs.push(Formula::and(needs));
        Ok(())
    }

    /// Takes the oldest entry of a FIFO; returns what must hold for that. How many there are is known on a path.
    fn pop(&mut self, fifo: &Fifo) -> Formula {
        let entries = &mut self.fifos[fifo.id.index()];
        if entries.pop_front().is_none() {
            return Formula::False;
        }
        let nothing = || vec![Linear::constant(0); fifo.width()];
        let oldest = entries.front().cloned().unwrap_or_else(nothing);
        let newest = entries.back().cloned().unwrap_or_else(nothing);
        let length = i128::try_from(entries.len()).expect("a path is finite");
        self.state[fifo.length.index()].1 = Linear::constant(length);
        let views = fifo.oldest.iter().chain(&fifo.newest);
        for (view, value) in views.zip(oldest.into_iter().chain(newest)) {
            self.state[view.index()].1 = value;
        }
        Formula::True
    }

    /// Assigns what the updates assign; returns what must hold for that.
    fn assign(&mut self, updates: &[Update]) -> Formula {
        if updates.is_empty() {
            return Formula::True;
        }
        let cases: Vec<(Formula, &Update)> = updates
            .iter()
            .map(|update| (update.guard.substitute(&self.state), update))
            .filter(|(guard, _)| *guard != Formula::False)
            .collect();
        if let [(guard, update)] = &cases[..] {
            let guard = guard.clone();
            let new = |(var, term): &(VarId, Linear)| (*var, term.substitute(&self.state));
            let assigned: Vec<(VarId, Linear)> = update.assigned.iter().map(new).collect();
            let mut needs = vec![guard];
            for (var, value) in assigned {
                let (value, need) = self.named_if_large(value);
                self.state[var.index()].1 = value;
                needs.push(need);
            }
            return Formula::and(needs);
        }
        self.choose(&cases, assigned_vars(updates).into_iter().collect())
    }

    /// Gives the assigned variables new names, one of the cases being theirs.
    fn choose(&mut self, cases: &[(Formula, &Update)], assigned: Vec<VarId>) -> Formula {
        let named: Vec<(VarId, VarId)> =
            assigned.into_iter().map(|var| (var, self.name())).collect();
        let case = |(guard, update): &(Formula, &Update)| {
            let equals = named.iter().map(|&(var, name)| {
                let given = update.assigned.iter().find(|(other, _)| *other == var);
                let value = match given {
                    Some((_, term)) => term.substitute(&self.state),
                    None => self.state[var.index()].1.clone(),
                };
                Formula::equal_zero(&Linear::var(name).plus(-1, &value))
            });
            Formula::and(std::iter::once(guard.clone()).chain(equals))
        };
        let needs = Formula::or(cases.iter().map(case));
        for (var, name) in named {
            self.state[var.index()].1 = Linear::var(name);
        }
        needs
    }

    /// A value with large numbers gets a name; so does one with a quotient, since values that are computed
    /// from it would have several.
    fn named_if_large(&mut self, value: Linear) -> (Linear, Formula) {
        if value.is_small() && !value.has_quotient() {
            return (value, Formula::True);
        }
        let name = Linear::var(self.name());
        let equal = Formula::equal_zero(&name.plus(-1, &value));
        (name, equal)
    }

    fn unknown(&mut self, unknown: Unknown) -> VarId {
        let name = self.name();
        self.unknowns.push((name, unknown));
        name
    }

    fn name(&mut self) -> VarId {
        self.names += 1;
        VarId::new(self.names - 1)
    }
}

/// What must hold for the last step to break its property.
pub(super) fn broken_edge(edge: &Edge, path: &Path) -> Result<Formula, TooLarge> {
    let cond = match (&edge.bounds, &edge.action) {
        (Some(bounds), _) if bounds.property == path.property => &bounds.cond,
        (_, Action::Assert(cond, property)) if *property == path.property => cond,
        _ => return Ok(Formula::False),
    };
    Ok(Formula::from_cond(cond)?.negated())
}

/// What must hold behind the last step for a spec to be broken.
pub(super) fn broken_spec(
    program: &Program,
    spec: &Spec,
    path: &Path,
) -> Result<Formula, TooLarge> {
    let position = path.position(program, path.steps.len());
    let ends = program.threads.iter().map(|thread| thread.end);
    if spec.kind == SpecKind::Finally && !position.iter().copied().eq(ends) {
        return Ok(Formula::False);
    }
    let decided = |formula: Formula| {
        formula.decide_flags(&|flag| {
            let at: LocId = position[flag.thread.index()];
            flag.locations.contains(&at)
        })
    };
    Ok(match (&spec.bounds, spec.kind) {
        (Some(bounds), _) if bounds.property == path.property => {
            decided(Formula::from_cond(&bounds.cond)?.negated())
        }
        (_, SpecKind::Forbid) => decided(Formula::from_cond(&spec.cond)?),
        (_, SpecKind::Invariant | SpecKind::Finally) => {
            decided(Formula::from_cond(&spec.cond)?.negated())
        }
    })
}

/// A model of a formula: `Some(None)` if there is none, `None` if the solver does not know.
fn possible(solver: &mut Solver, formula: &Formula) -> Option<Option<smt::Model>> {
    if *formula == Formula::False {
        return Some(None);
    }
    match solver.under(formula, |solver| solver.check(&[])) {
        smt::Answer::Consistent(model) => Some(Some(model)),
        smt::Answer::Inconsistent(_) => Some(None),
        smt::Answer::Unknown => None,
    }
}

/// The formula with a value for `name`; nothing if the value is too large to go on with.
fn with_value(formula: &Formula, name: VarId, value: i128) -> Option<Formula> {
    let value = Linear::constant(value);
    value
        .is_small()
        .then(|| formula.substitute(&[(name, value)]))
}

/// The value of `name` closest to 0 with which the formula can hold, the positive one of two.
fn least_value(solver: &mut Solver, formula: &Formula, name: VarId) -> Option<i128> {
    let var = Linear::var(name);
    let within = |bound: i128| {
        let low = Formula::not_positive(&var.times(-1).plus(-1, &Linear::constant(bound)));
        let high = Formula::not_positive(&var.plus(-1, &Linear::constant(bound)));
        Formula::and([formula.clone(), low, high])
    };
    // Nothing is possible within `low`, something is within `high`.
    let found = possible(solver, formula)??;
    let (mut low, mut high) = (-1, found.value(name).checked_abs()?);
    while high - low > 1 {
        let middle = if low < 0 { 0 } else { low + (high - low) / 2 };
        match possible(solver, &within(middle))? {
            Some(model) => high = model.value(name).abs().min(middle),
            None => low = middle,
        }
    }
    match possible(solver, &with_value(formula, name, high)?)? {
        Some(_) => Some(high),
        None => Some(-high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::cup;
    use crate::program::{EdgeId, ThreadId, lower};
    use crate::source::SourceFile;
    use indexmap::IndexSet;

    /// Solves the path that takes the first edge of each location of the only thread to its end.
    fn straight(text: &str) -> Answer {
        let file = SourceFile::new("test.cup", text);
        let program = lower(&cup::load(&file).expect("it is right"), &IndexSet::new());
        let thread = &program.threads[0];
        let mut steps = Vec::new();
        let mut at = thread.entry;
        while at != thread.end {
            steps.push(EdgeId {
                thread: ThreadId::new(0),
                at,
                number: 0,
            });
            at = thread.location(at).edges[0].target;
        }
        let property = program.specs[0].property;
        let path = Path { steps, property };
        Walk::new(&program, &path)
            .expect("small numbers")
            .solve(Stop::default())
    }

    #[test]
    fn values_are_the_least_that_will_do() {
        let text = "shared x = *, y = *; thread P { local r, s; r = *; s = x;
            assume(r + s > 10); assume(r < 4); s = y; assume(2 * s < -2); }
            forbid end: P@end;";
        let Answer::Values(values) = straight(&text.replace("P@end", "true")) else {
            panic!("the path is possible");
        };
        let initial: Vec<i128> = values.initial.iter().map(|&(_, value)| value).collect();
        assert_eq!(initial, [8, -2]);
        assert_eq!(values.chosen, [(0, 3)]);
    }

    #[test]
    fn the_first_step_that_cannot_be_taken_is_named() {
        let text = "shared x = *; thread P { local r; r = x; assume(r > 3); skip;
            assume(r < 2); assume(r < 1); } forbid end: true;";
        assert_eq!(straight(text), Answer::Impossible(3));
    }

    #[test]
    fn a_property_that_holds_is_what_is_impossible() {
        let text = "shared x; thread P { x = 1; } forbid end: x == 0;";
        assert_eq!(straight(text), Answer::Impossible(1));
    }

    #[test]
    fn open_indices_are_chosen_by_the_solver() {
        let text =
            "shared i = *; thread P { local a[3], r, s; r = i; assume(0 <= r); assume(r < 3);
            a[r] = 7; s = a[2]; } forbid end: P.s == 7;";
        let Answer::Values(values) = straight(text) else {
            panic!("the path is possible");
        };
        assert_eq!(values.initial[0].1, 2);
    }

    #[test]
    fn values_are_chosen_within_their_ranges() {
        let text = "shared x = 3..9; thread P { local r, s; r = choose(-7, -2); s = x;
            assume(r + s == 0); assume(s % 4 == 2); } forbid end: true;";
        let Answer::Values(values) = straight(text) else {
            panic!("the path is possible");
        };
        assert_eq!(values.initial[0].1, 6);
        assert_eq!(values.chosen, [(0, -6)]);
        let outside = text.replace("choose(-7, -2)", "choose(-5, -2)");
        assert_eq!(straight(&outside), Answer::Impossible(3));
        let outside = text.replace("3..9", "3..5");
        assert_eq!(straight(&outside), Answer::Impossible(3));
    }

    #[test]
    fn quotients_on_the_way_are_rounded_down() {
        let text = "shared x = *; thread P { local r; r = x; r = r / 2; assume(r == -4);
            r = r % 3; assume(r == 2); } forbid end: true;";
        let Answer::Values(values) = straight(text) else {
            panic!("the path is possible");
        };
        assert_eq!(values.initial[0].1, -7);
    }

    /// A remainder names its dividend twice, so without names the terms would double at each step.
    #[test]
    fn long_chains_of_remainders_stay_small() {
        let turns = "r = (r + 1) % 3;".repeat(60);
        let text =
            format!("shared x = *; thread P {{ local r; r = x; {turns} }} forbid end: P.r != 1;");
        assert!(matches!(straight(&text), Answer::Values(_)));
    }

    #[test]
    fn numbers_that_grow_are_named() {
        let doubled = "r = 1000 * r;".repeat(12);
        let text =
            format!("shared x = *; thread P {{ local r; r = x; {doubled} }} forbid end: P.r != 0;");
        let Answer::Values(values) = straight(&text) else {
            panic!("the path is possible");
        };
        assert_eq!(values.initial[0].1, 1);
    }
}
