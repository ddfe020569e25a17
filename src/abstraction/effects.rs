//! What the steps of a program do to predicates, as questions to the cube search.
//!
//! An update of a predicate is two questions, what makes it true and what makes it false (Fig. 6 of
//! the SAS 2013 paper); an `assume` is the question what makes its condition false; an assertion is
//! the question what makes its condition true, for each of its conjuncts.

use indexmap::IndexSet;

use super::cubes::Question;
use super::forget::{self, Kept};
use super::{AbstractionError, CubeSizes};
use crate::front::cup::ast::SpecKind;
use crate::logic::{
    Flag, Formula, Linear, Predicate, PredicateId, Symbol, TooLarge, Update, assigned_vars,
    fresh_var, precondition, updates,
};
use crate::program::{Action, Cond, Edge, Program, PropertyId, Spec, Thread, VarId};
use crate::reduce::BufferVars;

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
                let update = self.update(&updates(action, self.fresh)?);
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
            | Action::Cas(..) => self.update(&updates(action, self.fresh)?),
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

    fn update(&self, updates: &[Update]) -> Vec<Effect> {
        let assigned: Vec<Symbol> = assigned_vars(updates)
            .into_iter()
            .map(Symbol::Var)
            .collect();
        let mut changes = Vec::new();
        for (index, predicate) in self.predicates.iter().enumerate() {
            if !assigned.iter().any(|var| self.symbols[index].contains(var)) {
                continue;
            }
            let becomes = |goal: &Formula| Question {
                goal: precondition(updates, goal),
                size: self.sizes.updates,
            };
            let becomes_true = becomes(&predicate.formula);
            if becomes_true.goal == predicate.formula {
                continue;
            }
            changes.push(PredicateUpdate {
                predicate: PredicateId::new(index),
                becomes_true,
                becomes_false: becomes(&predicate.formula.negated()),
            });
        }
        let changed: Vec<PredicateId> = changes.iter().map(|change| change.predicate).collect();
        let forget = forget::effect(self.buffers, self.predicates, updates, &changed);
        let update = (!changes.is_empty()).then_some(Effect::Update(changes));
        forget.into_iter().chain(update).collect()
    }
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
            Symbol::Var(_) => None,
        }));
    }
    Ok(flags)
}

fn all_ended(program: &Program) -> Formula {
    let ended = |(id, thread): (_, &Thread)| Formula::at(id, &[thread.end]);
    Formula::and(program.thread_ids().zip(&program.threads).map(ended))
}
