//! Answers with and without Z3.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::logic::{Formula, PredicateId};
use crate::program::{Cond, Term};

fn predicates(list: &[(CompareOp, usize, i64)]) -> Vec<Predicate> {
    let predicate = |&(op, var, value): &(CompareOp, usize, i64)| {
        let cond = Cond::Compare(op, Term::Var(VarId::new(var)), Term::Const(value));
        Predicate::new(cond).expect("small numbers")
    };
    list.iter().map(predicate).collect()
}

fn literal(index: usize, positive: bool) -> Literal {
    Literal {
        predicate: PredicateId::new(index),
        positive,
    }
}

#[test]
fn contradicting_literals_are_their_own_core() {
    let predicates = predicates(&[
        (CompareOp::Eq, 0, 0),
        (CompareOp::Eq, 1, 0),
        (CompareOp::Gt, 0, 3),
    ]);
    let mut solver = Solver::new(&predicates, Stop::default(), true);
    let all = [literal(0, true), literal(1, true), literal(2, true)];
    let Answer::Inconsistent(core) = solver.check(&all) else {
        panic!("x == 0 and x > 3 are inconsistent");
    };
    assert_eq!(core, [literal(0, true), literal(2, true)]);
    assert_eq!(solver.effort().calls, 1);
}

#[test]
fn models_satisfy_what_was_asked() {
    let predicates = predicates(&[(CompareOp::Eq, 0, 7), (CompareOp::Lt, 1, -2)]);
    let mut solver = Solver::new(&predicates, Stop::default(), true);
    let Answer::Consistent(model) = solver.check(&[literal(0, true), literal(1, false)]) else {
        panic!("x == 7 and y >= -2 are consistent");
    };
    assert_eq!(predicates[0].formula.eval(&model), Some(true));
    assert_eq!(predicates[1].formula.eval(&model), Some(false));
}

#[test]
fn a_formula_is_in_force_only_within_its_scope() {
    let predicates = predicates(&[(CompareOp::Eq, 0, 7)]);
    let mut solver = Solver::new(&predicates, Stop::default(), true);
    let not_seven = predicates[0].formula.negated();
    let inside = solver.under(&not_seven, |solver| solver.check(&[literal(0, true)]));
    assert!(matches!(inside, Answer::Inconsistent(_)));
    assert!(matches!(
        solver.check(&[literal(0, true)]),
        Answer::Consistent(_)
    ));
}

#[test]
fn after_the_deadline_nothing_is_known() {
    let predicates = predicates(&[(CompareOp::Eq, 0, 7)]);
    let stop = Stop {
        deadline: Some(Instant::now()),
        ..Stop::default()
    };
    let mut solver = Solver::new(&predicates, stop, true);
    assert!(matches!(solver.check(&[]), Answer::Unknown));
    assert_eq!(solver.effort().unknown, 1);
}

const VARS: usize = 4;

fn difference() -> impl Strategy<Value = Term> {
    let var = || (0..VARS).prop_map(|index| Term::Var(VarId::new(index)));
    let minus =
        (var(), var()).prop_map(|(a, b)| Term::Binary(ArithOp::Sub, Box::new(a), Box::new(b)));
    prop_oneof![var(), minus]
}

fn comparison() -> impl Strategy<Value = Cond> {
    let op = prop_oneof![
        Just(CompareOp::Eq),
        Just(CompareOp::Ne),
        Just(CompareOp::Le),
        Just(CompareOp::Lt),
    ];
    (op, difference(), -2..3i64).prop_map(|(op, a, c)| Cond::Compare(op, a, Term::Const(c)))
}

fn condition() -> impl Strategy<Value = Cond> {
    let flag = (0..2usize).prop_map(|location| {
        Cond::At(
            crate::program::ThreadId::new(0),
            vec![crate::program::LocId::new(location)],
        )
    });
    let leaf = prop_oneof![6 => comparison(), 1 => flag];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let pair = (inner.clone(), inner, any::<bool>());
        pair.prop_map(|(a, b, and)| {
            let (a, b) = (Box::new(a), Box::new(b));
            if and { Cond::And(a, b) } else { Cond::Or(a, b) }
        })
    })
}

/// The formula that an answer is about.
fn asked(predicates: &[Predicate], formula: &Formula, literals: &[Literal]) -> Formula {
    let literals = literals.iter().map(|literal| literal.formula(predicates));
    Formula::and(literals.chain([formula.clone()]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is decided without Z3 is what Z3 says; models are models and cores contradict.
    #[test]
    fn differences_are_decided_as_by_z3(
        conds in prop::collection::vec(condition(), 1..6),
        in_force in condition(),
        signs in prop::collection::vec(any::<bool>(), 6),
    ) {
        let predicate = |cond: &Cond| Predicate::new(cond.clone()).expect("small numbers");
        let predicates: Vec<Predicate> = conds.iter().map(predicate).collect();
        let in_force = Formula::from_cond(&in_force).expect("small numbers");
        let literals: Vec<Literal> = (0..predicates.len())
            .map(|index| literal(index, signs[index]))
            .collect();
        let mut alone = Solver::new(&predicates, Stop::default(), true);
        let mut with_z3 = Solver::new(&predicates, Stop::default(), false);
        let ask = |solver: &mut Solver, literals: &[Literal]| {
            solver.under(&in_force, |solver| solver.check(literals))
        };
        let expected = ask(&mut with_z3, &literals);
        let answer = ask(&mut alone, &literals);
        prop_assert_eq!(alone.effort().z3_calls, 0);
        prop_assert_eq!(with_z3.effort().z3_calls, 1);
        match answer {
            Answer::Consistent(model) => {
                prop_assert!(matches!(expected, Answer::Consistent(_)));
                let formula = asked(&predicates, &in_force, &literals);
                prop_assert_eq!(formula.eval(&model), Some(true));
            }
            Answer::Inconsistent(core) => {
                prop_assert!(matches!(expected, Answer::Inconsistent(_)));
                prop_assert!(core.iter().all(|literal| literals.contains(literal)));
                prop_assert!(matches!(ask(&mut with_z3, &core), Answer::Inconsistent(_)));
            }
            Answer::Unknown => prop_assert!(false, "differences are always decided"),
        }
        let examined = alone.under(&in_force, |solver| solver.examine(&literals));
        prop_assert_eq!(alone.effort().z3_calls, 0);
        match examined {
            Answer::Consistent(model) => {
                prop_assert!(matches!(expected, Answer::Consistent(_)));
                let formula = asked(&predicates, &in_force, &literals);
                prop_assert_eq!(formula.eval(&model), Some(true));
            }
            Answer::Inconsistent(core) => {
                prop_assert!(core.iter().all(|literal| literals.contains(literal)));
                prop_assert!(matches!(ask(&mut with_z3, &core), Answer::Inconsistent(_)));
            }
            Answer::Unknown => prop_assert!(false, "differences are always decided"),
        }
    }

    /// What is examined is as Z3 says where sums are among the conditions, and where axioms about a FIFO hold.
    #[test]
    fn what_is_examined_is_as_z3_says(
        conds in prop::collection::vec(condition(), 2..7),
        sum in (0..VARS, 0..VARS, -2..3i64),
        signs in prop::collection::vec(any::<bool>(), 8),
        with_sum in any::<bool>(),
    ) {
        let axioms = Axioms::without_facts(&crate::program::lower(&fifo_program(), &Default::default()));
        // The variables of conditions stand for views and names of the FIFO.
        let vars = crate::program::lower(&fifo_program(), &Default::default()).vars.len();
        let moved = |var: VarId| crate::logic::Linear::var(VarId::new([0, 1, 2, vars + 1][var.index()]));
        let with: Vec<(VarId, crate::logic::Linear)> =
            (0..VARS).map(|var| (VarId::new(var), moved(VarId::new(var)))).collect();
        let sum = Term::Binary(
            ArithOp::Add,
            Box::new(Term::Var(VarId::new(sum.0))),
            Box::new(Term::Var(VarId::new(sum.1))),
        );
        let sum = Cond::Compare(CompareOp::Le, sum, Term::Const(0));
        let conds = conds.into_iter().chain(with_sum.then_some(sum));
        let formulas: Vec<Formula> = conds
            .map(|cond| Formula::from_cond(&cond).expect("small numbers").substitute(&with))
            .collect();
        let literals: Vec<Literal> = (0..formulas.len())
            .map(|index| literal(index, signs[index]))
            .collect();
        let examine = |differences: bool, literals: &[Literal]| {
            let solver = Solver::of_formulas(formulas.clone(), Stop::default(), differences);
            solver.with_axioms(axioms.clone()).examine(literals)
        };
        let is_inconsistent = |answer: &Answer| matches!(answer, Answer::Inconsistent(_));
        let answer = examine(true, &literals);
        prop_assert_eq!(is_inconsistent(&answer), is_inconsistent(&examine(false, &literals)));
        match answer {
            Answer::Consistent(model) => {
                let said = literals.iter().map(|literal| {
                    let formula = &formulas[literal.predicate.index()];
                    if literal.positive { formula.clone() } else { formula.negated() }
                });
                // Names that no literal mentions have values that the model does not say.
                let said = Formula::and(said.chain(axioms.about_views.iter().cloned()));
                prop_assert_eq!(said.eval(&model), Some(true));
            }
            Answer::Inconsistent(core) => {
                prop_assert!(core.iter().all(|literal| literals.contains(literal)));
                prop_assert!(is_inconsistent(&examine(false, &core)));
            }
            Answer::Unknown => {}
        }
    }
}

/// A program with a FIFO, whose first variables are those that show it.
fn fifo_program() -> crate::front::cup::check::Checked {
    let text = "thread P { fifo b; append(b, 1); pop(b); }";
    let file = crate::source::SourceFile::new("fifo.cup", text.to_owned());
    crate::front::cup::load(&file).expect("the program is right")
}

#[test]
fn what_is_no_difference_is_asked_of_z3() {
    let sum = Term::Binary(
        ArithOp::Add,
        Box::new(Term::Var(VarId::new(0))),
        Box::new(Term::Var(VarId::new(1))),
    );
    let cond = Cond::Compare(CompareOp::Eq, sum, Term::Const(3));
    let predicates = [Predicate::new(cond).expect("small numbers")];
    let mut solver = Solver::new(&predicates, Stop::default(), true);
    let other = Formula::equal_zero(&crate::logic::Linear::var(VarId::new(0)));
    let (first, second) = solver.under(&other, |solver| {
        let first = solver.check(&[]);
        (first, solver.check(&[literal(0, true)]))
    });
    assert!(matches!(first, Answer::Consistent(_)));
    let Answer::Consistent(model) = second else {
        panic!("x == 0 and x + y == 3 are consistent");
    };
    assert_eq!(model.value(VarId::new(1)), 3);
    assert_eq!(solver.effort().z3_calls, 1);
    let Answer::Consistent(model) =
        solver.under(&other.negated(), |solver| solver.check(&[literal(0, true)]))
    else {
        panic!("x != 0 and x + y == 3 are consistent");
    };
    assert_ne!(model.value(VarId::new(0)), 0);
}

/// A term over two variables with quotients and remainders.
fn divided() -> impl Strategy<Value = Term> {
    let var = (0..2usize).prop_map(|index| Term::Var(VarId::new(index)));
    let leaf = prop_oneof![3 => var, 1 => (-4..5i64).prop_map(Term::Const)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let op = prop_oneof![Just(ArithOp::Div), Just(ArithOp::Mod)];
        let division = (op, inner.clone(), 1..5i64)
            .prop_map(|(op, a, n)| Term::Binary(op, Box::new(a), Box::new(Term::Const(n))));
        let sign = prop_oneof![Just(ArithOp::Add), Just(ArithOp::Sub)];
        let sum = (sign, inner.clone(), inner)
            .prop_map(|(op, a, b)| Term::Binary(op, Box::new(a), Box::new(b)));
        prop_oneof![2 => division, 1 => sum]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// Z3 and evaluation agree on what quotients are: something is possible within bounds exactly if one of the
    /// values there makes it true.
    #[test]
    fn quotients_mean_the_same_to_z3(
        (op, other) in (
            prop_oneof![Just(CompareOp::Eq), Just(CompareOp::Ne), Just(CompareOp::Lt), Just(CompareOp::Ge)],
            prop_oneof![Just(CompareOp::Eq), Just(CompareOp::Le)],
        ),
        (a, b, c) in (divided(), divided(), divided()),
        value in -3..4i64,
    ) {
        let both = Cond::And(
            Box::new(Cond::Compare(op, a, b)),
            Box::new(Cond::Compare(other, c, Term::Const(value))),
        );
        let formula = Formula::from_cond(&both).expect("small numbers");
        let range = crate::program::Range::new(-5, 5).expect("there are values");
        let bounds = (0..2).map(|var| {
            let var = crate::logic::Linear::var(VarId::new(var));
            crate::logic::within(&var, range)
        });
        let question = Formula::and(bounds.chain([formula.clone()]));
        let values = (-5..=5).flat_map(|x| (-5..=5).map(move |y| Model::of(vec![x, y])));
        let expected = values.into_iter().any(|model| formula.eval(&model) == Some(true));
        let mut solver = Solver::new(&[], Stop::default(), true);
        match solver.under(&question, |solver| solver.check(&[])) {
            Answer::Consistent(model) => {
                prop_assert!(expected);
                prop_assert_eq!(question.eval(&model), Some(true));
            }
            Answer::Inconsistent(_) => prop_assert!(!expected),
            Answer::Unknown => prop_assert!(false, "Z3 does not know"),
        }
    }
}
