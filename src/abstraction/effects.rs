//! What the steps of a program do to predicates, as questions to the cube search.
//!
//! An update of a predicate is two questions, what makes it true and what makes it false (Fig. 6 of
//! the SAS 2013 paper); an `assume` is the question what makes its condition false; an assertion is
//! the question what makes its condition true, for each of its conjuncts.
//!
//! A fact about the entries of a FIFO is made true by what makes its body true for every entry that the FIFO has after the step:
//! an arbitrary one of those that stay, and the one that is appended (see [`fact_goal`]). Nothing makes a fact
//! false.

use indexmap::IndexSet;

use super::block::{Case, FifoChange};
use super::cubes::Question;
use super::forget::{self, Kept};
use super::{AbstractionError, CubeSizes};
use crate::front::cup::ast::SpecKind;
use crate::logic::{
    Entries, Fact, Flag, Formula, Linear, Meaning, Predicate, PredicateId, Quantifier, Symbol,
    TooLarge, Update, assigned_vars, fresh_var, precondition, updates,
};
use crate::program::{Action, Cond, Edge, Program, PropertyId, Spec, Thread, VarId};
use crate::reduce::BufferVars;
#[cfg(test)]
use crate::run::wrong::{self, Wrong};

/// One effect of a step.
#[derive(Clone, Debug)]
pub enum Effect {
    /// The step is impossible where the cubes that imply the goal hold.
    Assume(Question),
    /// A violation unless, for each goal, a cube that implies it holds.
    Assert(Vec<Question>, PropertyId),
    /// Predicates change.
    Update(Vec<PredicateUpdate>),
    /// Predicates become unknown, at the same time as those of the update.
    Forget(Vec<Kept>),
}

/// What a step does in one of its cases.
#[derive(Clone, Debug)]
pub struct EdgeCase {
    /// The effects, in order.
    pub effects: Vec<Effect>,
    /// For a `pop`, whether an entry is left behind it.
    pub left: Vec<bool>,
}

/// How a predicate changes.
#[derive(Clone, Debug)]
pub struct PredicateUpdate {
    /// The predicate.
    pub predicate: PredicateId,
    /// What makes it true.
    pub becomes_true: Question,
    /// What makes it false.
    pub becomes_false: Question,
}

/// Turns steps and specs of a program into effects.
pub struct Effects<'a> {
    program: &'a Program,
    predicates: &'a [Predicate],
    symbols: Vec<IndexSet<Symbol>>,
    sizes: CubeSizes,
    buffers: &'a [BufferVars],
    fresh: VarId,
}

impl<'a> Effects<'a> {
    /// The effects of a program's steps on some predicates; what is in unused slots of the buffers
    /// is forgotten.
    pub fn new(
        program: &'a Program,
        predicates: &'a [Predicate],
        sizes: CubeSizes,
        buffers: &'a [BufferVars],
    ) -> Self {
        Effects {
            program,
            predicates,
            symbols: predicates.iter().map(|p| p.formula.symbols()).collect(),
            sizes,
            buffers,
            fresh: fresh_var(program),
        }
    }

    /// The effects of a step, in order: the check of its indices, then its action.
    pub fn of_edge(&self, edge: &Edge) -> Result<Vec<Effect>, AbstractionError> {
        let at = |error: TooLarge| AbstractionError::TooLarge {
            span: edge.span,
            error,
        };
        let mut effects = Vec::new();
        if let Some(bounds) = &edge.bounds {
            let formula = Formula::from_cond(&bounds.cond).map_err(at)?;
            effects.push(self.assert(&formula, bounds.property));
            // Whatever goes on behind a violation is no run of the program.
            effects.extend(self.assume(&formula));
        }
        effects.extend(self.of_action(&edge.action).map_err(at)?);
        Ok(effects)
    }

    /// The effects of a step in cases: a `pop` leaves its FIFO empty, or it does not.
    pub fn of_edge_in_cases(&self, edge: &Edge) -> Result<Vec<EdgeCase>, AbstractionError> {
        let Action::Pop(fifo) = &edge.action else {
            return Ok(vec![EdgeCase {
                effects: self.of_edge(edge)?,
                left: Vec::new(),
            }]);
        };
        let next = Entries::of(self.program, fifo).next_var();
        let span = edge.span;
        let updates = updates(&edge.action, next);
        let updates = updates.map_err(|error| AbstractionError::TooLarge { span, error })?;
        let cases = updates.into_iter().enumerate().map(|(number, update)| {
            let waits = self.assume(&update.guard);
            let update = self.update(&[update], &[FifoChange::Pop(fifo.id)]);
            EdgeCase {
                effects: waits.into_iter().chain(update).collect(),
                // First comes the case in which no entry is left.
                left: vec![number > 0],
            }
        });
        Ok(cases.collect())
    }

    /// The effects of one way through a background block.
    pub fn of_case(&self, case: &Case) -> Vec<Effect> {
        let waits = self.assume(&case.update.guard);
        let update = self.update(std::slice::from_ref(&case.update), &case.changes);
        waits.into_iter().chain(update).collect()
    }

    /// The effects of checking a spec once.
    pub fn of_spec(&self, spec: &Spec) -> Result<Vec<Effect>, AbstractionError> {
        let at = |error: TooLarge| AbstractionError::TooLarge {
            span: self.program.property(spec.property).span,
            error,
        };
        let formula = |cond: &Cond| Formula::from_cond(cond).map_err(at);
        let when = match spec.kind {
            SpecKind::Invariant | SpecKind::Forbid => Formula::True,
            SpecKind::Finally => all_ended(self.program),
        };
        let must = match spec.kind {
            SpecKind::Invariant | SpecKind::Finally => formula(&spec.cond)?,
            SpecKind::Forbid => formula(&spec.cond)?.negated(),
        };
        let mut effects = Vec::new();
        if let Some(bounds) = &spec.bounds {
            let in_range = Formula::or([when.negated(), formula(&bounds.cond)?]);
            effects.push(self.assert(&in_range, bounds.property));
        }
        let must = Formula::or([when.negated(), must]);
        effects.push(self.assert(&must, spec.property));
        Ok(effects)
    }

    fn of_action(&self, action: &Action) -> Result<Vec<Effect>, TooLarge> {
        Ok(match action {
            Action::Skip | Action::Fence => Vec::new(),
            Action::Assume(cond) => {
                let effect = self.assume(&Formula::from_cond(cond)?);
                effect.into_iter().collect()
            }
            Action::Pop(fifo) => {
                let empty = Formula::equal_zero(&Linear::var(fifo.length));
                let waits = self.assume(&empty.negated());
                let next = Entries::of(self.program, fifo).next_var();
                let update = self.update(&updates(action, next)?, &[FifoChange::Pop(fifo.id)]);
                waits.into_iter().chain(update).collect()
            }
            Action::Assert(cond, property) => {
                vec![self.assert(&Formula::from_cond(cond)?, *property)]
            }
            Action::Assign(..)
            | Action::Store(..)
            | Action::Havoc(_)
            | Action::Choose(..)
            | Action::Load(..)
            | Action::Swap(..)
            | Action::FetchAdd(..)
            | Action::Append(..)
            | Action::Cas(..) => {
                let changes: Vec<FifoChange> = FifoChange::of(action).into_iter().collect();
                self.update(&updates(action, self.fresh)?, &changes)
            }
        })
    }

    fn assume(&self, formula: &Formula) -> Option<Effect> {
        let question = Question {
            goal: formula.negated(),
            size: self.sizes.conditions,
        };
        (*formula != Formula::True).then_some(Effect::Assume(question))
    }

    fn assert(&self, formula: &Formula, property: PropertyId) -> Effect {
        let conjuncts = match formula {
            Formula::And(parts) => parts.clone(),
            Formula::True | Formula::False | Formula::Atom(_) | Formula::Or(_) => {
                vec![formula.clone()]
            }
        };
        let question = |goal| Question {
            goal,
            size: self.sizes.conditions,
        };
        Effect::Assert(conjuncts.into_iter().map(question).collect(), property)
    }

    fn update(&self, updates: &[Update], fifos: &[FifoChange]) -> Vec<Effect> {
        let assigned = assigned_vars(updates);
        let mut changes = Vec::new();
        for (index, predicate) in self.predicates.iter().enumerate() {
            let goals = match &predicate.meaning {
                Meaning::Cond(_) => self.condition_goals(index, updates, &assigned),
                Meaning::Fact(fact) => fact_goals(fact, updates, (&assigned, fifos)),
            };
            let question = |goal| Question {
                goal,
                size: self.sizes.updates,
            };
            changes.extend(goals.map(|[becomes_true, becomes_false]| PredicateUpdate {
                predicate: PredicateId::new(index),
                becomes_true: question(becomes_true),
                becomes_false: question(becomes_false),
            }));
        }
        let changed: Vec<PredicateId> = changes.iter().map(|change| change.predicate).collect();
        let forget = forget::effect(self.buffers, self.predicates, updates, &changed);
        let update = (!changes.is_empty()).then_some(Effect::Update(changes));
        forget.into_iter().chain(update).collect()
    }

    /// What makes a condition true and false, unless updates leave it as it is.
    fn condition_goals(
        &self,
        index: usize,
        updates: &[Update],
        assigned: &IndexSet<VarId>,
    ) -> Option<[Formula; 2]> {
        let formula = &self.predicates[index].formula;
        let symbols = &self.symbols[index];
        let mut mentioned = assigned.iter().map(|var| Symbol::Var(*var));
        if !mentioned.any(|symbol| symbols.contains(&symbol)) {
            return None;
        }
        let becomes_true = precondition(updates, formula);
        let becomes_false = precondition(updates, &formula.negated());
        (becomes_true != *formula).then_some([becomes_true, becomes_false])
    }
}

/// What makes a fact true and false, unless the step neither changes its FIFO nor a variable that it mentions.
fn fact_goals(
    fact: &Fact,
    updates: &[Update],
    (assigned, fifos): (&IndexSet<VarId>, &[FifoChange]),
) -> Option<[Formula; 2]> {
    let change = fifos.iter().find(|change| change.fifo() == fact.fifo.id);
    #[cfg(test)]
    let assigned = &match wrong::is(Wrong::ChangedKept) {
        true => IndexSet::new(),
        false => assigned.clone(),
    };
    let mut mentioned = fact.free_vars().into_iter();
    if change.is_none() && !mentioned.any(|var| assigned.contains(&var)) {
        return None;
    }
    let goals = updates.iter().map(|update| {
        let goal = fact_goal(fact, update, change.copied());
        Formula::or([update.guard.negated(), goal])
    });
    Some([Formula::and(goals), Formula::False])
}

/// What makes a fact true after an assignment that may change its FIFO: its body, with the new values, for an arbitrary entry
/// that stays (or two, in their order), and for the one that is appended with an arbitrary one before it.
fn fact_goal(fact: &Fact, update: &Update, change: Option<FifoChange>) -> Formula {
    let names = fact.entries;
    let after = |formula: Formula| formula.substitute(&update.assigned);
    let (gone, stays, appended) = match fact.quantifier {
        Quantifier::Every => (
            [names.here().negated(), names.is_oldest()],
            fact.at(&[&names.any()]),
            fact.at(&[&fact.fifo.newest]),
        ),
        Quantifier::Before => {
            let before_new = fact.at(&[&names.any(), &fact.fifo.newest]);
            (
                [names.both().negated(), names.older_is_oldest()],
                fact.at(&[&names.older(), &names.younger()]),
                Formula::or([names.here().negated(), before_new]),
            )
        }
    };
    let [not_there, is_taken] = gone;
    let stays = Formula::or([not_there, after(stays)]);
    match change {
        None => stays,
        // The entry that is appended has the values that are assigned to the newest one.
        #[cfg(test)]
        Some(FifoChange::Append(_)) if wrong::is(Wrong::AppendedForgotten) => stays,
        Some(FifoChange::Append(_)) => Formula::and([stays, after(appended)]),
        Some(FifoChange::Pop(_)) => Formula::or([is_taken, stays]),
    }
}

/// What makes a fact known where `excluded` is known to be false.
pub fn learned_goal(fact: &Fact, excluded: &Formula) -> Formula {
    let nothing = Update {
        guard: Formula::True,
        assigned: Vec::new(),
    };
    Formula::or([excluded.clone(), fact_goal(fact, &nothing, None)])
}

impl Effect {
    /// The questions that it depends on.
    pub fn questions(&self) -> Vec<&Question> {
        match self {
            Effect::Assume(question) => vec![question],
            Effect::Assert(questions, _) => questions.iter().collect(),
            Effect::Update(changes) => changes
                .iter()
                .flat_map(|change| [&change.becomes_true, &change.becomes_false])
                .collect(),
            Effect::Forget(kept) => kept.iter().map(|kept| &kept.kept_while).collect(),
        }
    }
}

/// The flags that the specs of a program need, in the order of their use.
pub fn flags(program: &Program) -> Result<IndexSet<Flag>, AbstractionError> {
    let mut flags = IndexSet::new();
    for spec in &program.specs {
        let at = |error: TooLarge| AbstractionError::TooLarge {
            span: program.property(spec.property).span,
            error,
        };
        let mut formulas = vec![Formula::from_cond(&spec.cond).map_err(at)?];
        if let Some(bounds) = &spec.bounds {
            formulas.push(Formula::from_cond(&bounds.cond).map_err(at)?);
        }
        if spec.kind == SpecKind::Finally {
            formulas.push(all_ended(program));
        }
        let symbols = formulas.iter().flat_map(Formula::symbols);
        flags.extend(symbols.filter_map(|symbol| match symbol {
            Symbol::Flag(flag) => Some(flag),
            Symbol::Var(_) | Symbol::Fact(_) => None,
        }));
    }
    Ok(flags)
}

fn all_ended(program: &Program) -> Formula {
    let ended = |(id, thread): (_, &Thread)| Formula::at(id, &[thread.end]);
    Formula::and(program.thread_ids().zip(&program.threads).map(ended))
}
