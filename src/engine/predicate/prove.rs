//! Completes a proof: verifies a program under SC and adds the cubes that fired, which cube extrapolation needs.

use boolprog_checker::{Options, Outcome, Reductions, ast};
use indexmap::IndexSet;

use super::attempt::{Try, is_worth_a_retry, most_informative, retries};
use super::explain::Explain;
use super::stage::{abstracted, extrapolated, stage};
use super::{Input, PredicateConfig, PredicateError};
use crate::abstraction::{Abstraction, Transformers};
use crate::engine::Context;
use crate::logic::{Cube, Literal, sort_cubes};
use crate::memory::{BufferSizes, Model};
use crate::proof::Proof;
use crate::reduce::Reduction;
use crate::verdict::{Attempt, Method, VerdictKind};

/// The answer of `cupola prove`.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The attempt under SC that says most.
    pub attempt: Attempt,
    /// The proof with the cubes that took part, if the program is verified.
    pub proof: Option<Proof>,
    /// The program reduced for SC.
    pub stage: Reduction,
}

/// Verifies a program under SC and completes its proof with the cubes that fired in the search with all reductions off.
pub fn prove(
    input: &Input<'_>,
    config: &PredicateConfig,
    context: &Context,
) -> Result<Proved, PredicateError> {
    let bound = (Model::Sc, &BufferSizes::ONE);
    let (how, stop) = (Transformers::Optimized, &context.stop);
    let stage = stage(input, bound, &IndexSet::new(), how, stop)?;
    let mut attempts = Vec::new();
    let mut proof = None;
    for tuning in retries(Method::Trad, config.sizes) {
        let this = Try {
            input,
            stage: &stage,
            tuning,
            config,
            context,
        };
        let attempt;
        (attempt, proof) = this.prove()?;
        let retry = is_worth_a_retry(&attempt.verdict);
        attempts.push(attempt);
        if !retry {
            break;
        }
    }
    let mut attempt = attempts.swap_remove(most_informative(&attempts));
    let explain = Explain {
        input,
        stage: &stage,
        method: Method::Trad,
        config,
        context,
    };
    attempt.verdict = explain.explained(attempt.verdict);
    Ok(Proved {
        attempt,
        proof,
        stage,
    })
}

/// The boolean program of a stage. Cube extrapolation computes missing cubes first; if it cannot, because the program is
/// not verified under SC, that is the answer.
pub fn boolean_program(
    input: &Input<'_>,
    stage: &Reduction,
    method: Method,
    config: &PredicateConfig,
    context: &Context,
) -> Result<Result<Abstraction, Box<Proved>>, PredicateError> {
    let completed = match (method, &input.proof.cubes) {
        (Method::Ce, None) => match prove(input, config, context)? {
            Proved {
                proof: Some(proof), ..
            } => Some(proof),
            proved => return Ok(Err(Box::new(proved))),
        },
        _ => None,
    };
    let input = Input {
        proof: completed.as_ref().unwrap_or(input.proof),
        ..*input
    };
    let proof = extrapolated(&input, stage, method, &config.extrapolate)?;
    abstracted(&input, stage, (&proof, method), config, context).map(Ok)
}

impl Try<'_> {
    /// Makes the attempt with all reductions off, and gives the proof the cubes that fired.
    fn prove(&self) -> Result<(Attempt, Option<Proof>), PredicateError> {
        let built = self.build()?;
        let options = Options {
            reductions: Reductions::NONE,
            record_fired: true,
            ..self.options()
        };
        let outcome = boolprog_checker::check(&built.abstraction.program, &options);
        let attempt = self.judge(&built, &outcome);
        let verified = attempt.verdict.kind() == VerdictKind::Verified;
        let proof = verified.then(|| Proof {
            cubes: Some(proof_cubes(self.input.proof, &built.abstraction, &outcome)),
            ..self.input.proof.clone()
        });
        Ok((attempt, proof))
    }
}

/// The cubes over the proof's own predicates that took part in an SC proof, sorted.
fn proof_cubes(proof: &Proof, abstraction: &Abstraction, outcome: &Outcome) -> Vec<Cube> {
    let updates = outcome.fired.iter().filter_map(|fired| {
        let expr = fired_disjunct(abstraction, fired)?;
        abstraction.cube(expr)
    });
    let conditions = outcome.fired_clauses.iter().filter_map(|clause| {
        let literal = |(name, positive): &(String, bool)| {
            Some(Literal {
                predicate: abstraction.predicate_of(name)?,
                positive: !positive,
            })
        };
        let literals: Option<Vec<Literal>> = clause.literals.iter().map(literal).collect();
        Cube::new(literals?)
    });
    let mut cubes: IndexSet<Cube> = updates.chain(conditions).collect();
    let own = |cube: &Cube| {
        let mut literals = cube.literals().iter();
        literals.all(|literal| literal.predicate.index() < proof.predicates.len())
    };
    cubes.retain(|cube| own(cube) && cube.size() >= 2);
    let mut cubes: Vec<Cube> = cubes.into_iter().collect();
    sort_cubes(&mut cubes);
    cubes
}

fn fired_disjunct<'a>(
    abstraction: &'a Abstraction,
    fired: &boolprog_checker::FiredDisjunct,
) -> Option<&'a ast::Expr> {
    let ast::StmtKind::Assign { values, .. } = &abstraction.program.stmt(fired.stmt).kind else {
        return None;
    };
    let ast::Expr::Schoose(positive, negative) = values.get(fired.value)? else {
        return None;
    };
    let argument = if fired.positive { positive } else { negative };
    argument.disjuncts().get(fired.disjunct)
}
