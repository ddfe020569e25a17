//! The searches agree with each other and with brute force.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::logic::axioms::Axioms;
use crate::logic::{Literal, PredicateId, precondition, updates};
use crate::program::{Action, Cond, Place, Term, VarId};

const VARS: usize = 4;

fn predicates(conds: &[Cond]) -> Vec<Predicate> {
    let predicate = |cond: &Cond| Predicate::new(cond.clone()).expect("small numbers");
    let mut list: Vec<Predicate> = Vec::new();
    for predicate in conds.iter().map(predicate) {
        if !list.iter().any(|known| known.formula == predicate.formula) {
            list.push(predicate);
        }
    }
    list
}

fn compare(op: CompareOp, left: Term, right: Term) -> Cond {
    Cond::Compare(op, left, right)
}

fn var(index: usize) -> Term {
    Term::Var(VarId::new(index))
}

fn simple_term() -> impl Strategy<Value = Term> {
    let var = (0..VARS).prop_map(var);
    let sum = (0..VARS, -1..2i64).prop_map(|(index, value)| {
        Term::Binary(
            ArithOp::Add,
            Box::new(Term::Var(VarId::new(index))),
            Box::new(Term::Const(value)),
        )
    });
    prop_oneof![(-1..3i64).prop_map(Term::Const), var, sum]
}

fn condition() -> impl Strategy<Value = Cond> {
    let op = prop_oneof![
        Just(CompareOp::Eq),
        Just(CompareOp::Le),
        Just(CompareOp::Lt),
    ];
    let atom = (op, simple_term(), simple_term())
        .prop_map(|(op, a, b)| compare(op, a, b))
        .boxed();
    let pair = (atom.clone(), atom.clone(), any::<bool>()).prop_map(|(a, b, and)| {
        let (a, b) = (Box::new(a), Box::new(b));
        if and { Cond::And(a, b) } else { Cond::Or(a, b) }
    });
    prop_oneof![4 => atom, 1 => pair]
}

fn statement() -> impl Strategy<Value = Action> {
    let place = || (0..VARS).prop_map(|index| Place::Var(VarId::new(index)));
    prop_oneof![
        (place(), simple_term()).prop_map(|(to, term)| Action::Assign(to, term)),
        place().prop_map(Action::Havoc),
        (simple_term(), simple_term()).prop_map(|(a, b)| {
            let (to, shared) = (VarId::new(0), VarId::new(1));
            Action::Cas(Place::Var(to), Place::Var(shared), a, b)
        }),
    ]
}

/// All minimal consistent cubes that imply the goal, over all predicates, by asking about every one.
fn brute_force(predicates: &[Predicate], question: &Question) -> Vec<Cube> {
    let mut solver = Solver::new(predicates, Stop::default(), false);
    let literals = (0..predicates.len()).flat_map(|index| {
        [false, true].map(|positive| Literal {
            predicate: PredicateId::new(index),
            positive,
        })
    });
    let literals: Vec<Literal> = literals.collect();
    let choices = (0..=question.size)
        .flat_map(|size| itertools::Itertools::combinations(literals.iter().copied(), size));
    let cubes = choices.filter_map(Cube::new).filter(|cube| {
        let consistent = matches!(solver.check(cube.literals()), Answer::Consistent(_));
        let refuted = solver.under(&question.goal.negated(), |solver| {
            solver.check(cube.literals())
        });
        consistent && matches!(refuted, Answer::Inconsistent(_))
    });
    minimal_cubes(cubes.collect())
}

fn found(predicates: &[Predicate], question: &Question, search: &Search) -> Vec<Cube> {
    found_with(Optimizations::ALL, predicates, question, search)
}

fn found_with(
    optimizations: Optimizations,
    predicates: &[Predicate],
    question: &Question,
    search: &Search,
) -> Vec<Cube> {
    let context = SearchContext {
        optimizations,
        ..SearchContext::default()
    };
    let (vocabulary, _) = Vocabulary::new(predicates, Axioms::default(), search, context);
    let (mut answers, _) = vocabulary.answer(std::slice::from_ref(question), search, 1);
    answers.remove(0).cubes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_searches_find_all_minimal_consistent_cubes(
        conds in prop::collection::vec(condition(), 1..6),
        statement in statement(),
        post in condition(),
        size in 1..4usize,
    ) {
        let predicates = predicates(&conds);
        let updates = updates(&statement, VarId::new(VARS)).expect("small numbers");
        let post = Predicate::new(post).expect("small numbers");
        let question = Question { goal: precondition(&updates, &post.formula), size };
        let expected = match question.goal {
            Formula::False => Vec::new(),
            _ => brute_force(&predicates, &question),
        };
        prop_assert_eq!(found(&predicates, &question, &Search::Exhaustive), expected.clone());
        let settings = [Optimizations::ALL, Optimizations::NONE];
        let each = Optimization::ALL.map(|optimization| Optimizations::ALL.without(optimization));
        for optimizations in settings.into_iter().chain(each) {
            let found = found_with(optimizations, &predicates, &question, &Search::Fast);
            prop_assert_eq!(&found, &expected);
        }
    }
}

#[test]
fn inconsistent_cubes_are_found_up_to_size_three() {
    let less = |a, b| compare(CompareOp::Lt, var(a), var(b));
    let predicates = predicates(&[less(0, 1), less(1, 2), less(2, 0)]);
    let literal = |index, positive| Literal {
        predicate: PredicateId::new(index),
        positive,
    };
    let all_true = Cube::new((0..3).map(|index| literal(index, true))).expect("no opposites");
    for search in [Search::Fast, Search::Exhaustive] {
        let (vocabulary, _) = Vocabulary::new(
            &predicates,
            Axioms::default(),
            &search,
            SearchContext::default(),
        );
        assert!(vocabulary.inconsistent().contains(&all_true));
    }
}

#[test]
fn candidates_are_the_only_cubes_tried() {
    let zero = |index| compare(CompareOp::Eq, var(index), Term::Const(0));
    let predicates = predicates(&[zero(0), zero(1), zero(2)]);
    let literal = |index| Literal {
        predicate: PredicateId::new(index),
        positive: true,
    };
    let pair = Cube::new([literal(0), literal(1)]).expect("no opposites");
    let goal = Formula::and([predicates[0].formula.clone(), predicates[1].formula.clone()]);
    let question = Question { goal, size: 3 };
    let none = Search::Candidates(Vec::new());
    assert_eq!(found(&predicates, &question, &none), []);
    let with_pair = Search::Candidates(vec![pair.clone()]);
    assert_eq!(found(&predicates, &question, &with_pair), [pair]);
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let less = |a, b| compare(CompareOp::Le, var(a), var(b));
    let predicates = predicates(&[less(0, 1), less(1, 2), less(2, 3), less(0, 3)]);
    let goals = [less(0, 2), less(1, 3), less(0, 3), less(3, 0)];
    let questions = goals.map(|cond| Question {
        goal: Formula::from_cond(&cond).expect("small numbers"),
        size: 3,
    });
    let cubes = |jobs| {
        let (vocabulary, _) = Vocabulary::new(
            &predicates,
            Axioms::default(),
            &Search::Fast,
            SearchContext::default(),
        );
        let (answers, _) = vocabulary.answer(&questions, &Search::Fast, jobs);
        answers
            .into_iter()
            .map(|found| found.cubes)
            .collect::<Vec<_>>()
    };
    assert_eq!(cubes(1), cubes(2));
}

#[test]
fn what_a_memo_knows_is_not_asked_again() {
    let less = |a, b| compare(CompareOp::Le, var(a), var(b));
    let conds = [less(0, 1), less(1, 2), less(2, 3)];
    let question = Question {
        goal: Formula::from_cond(&less(0, 2)).expect("small numbers"),
        size: 2,
    };
    let memo = Memo::default();
    let ask = |conds: &[Cond]| {
        let predicates = predicates(conds);
        let context = SearchContext {
            memo: memo.clone(),
            ..SearchContext::default()
        };
        let (vocabulary, first) =
            Vocabulary::new(&predicates, Axioms::default(), &Search::Fast, context);
        let questions = std::slice::from_ref(&question);
        let (answers, second) = vocabulary.answer(questions, &Search::Fast, 1);
        (answers, first.plus(second).calls)
    };
    let (fresh, asked) = ask(&conds);
    let (known, again) = ask(&conds);
    assert_eq!(fresh, known);
    assert!(asked > 0 && again == 0);
    let (others, asked) = ask(&conds[1..]);
    assert!(asked > 0 && others != known);
}

/// Where an allowance is used up there is no answer yet; what was answered is not asked again, and the answers are those
/// of a search without an allowance.
#[test]
fn an_allowance_pauses_the_questions() {
    let less = |a, b| compare(CompareOp::Le, var(a), var(b));
    let conds = [less(0, 1), less(1, 2), less(2, 3), less(0, 3)];
    let predicates = predicates(&conds);
    let goals = (0..VARS).flat_map(|a| (0..VARS).map(move |b| (a, b)));
    let questions: Vec<Question> = goals
        .filter(|(a, b)| a != b)
        .flat_map(|(a, b)| {
            [0, 1, 2].map(|by| {
                let more = Box::new(Term::Const(by));
                let term = Term::Binary(ArithOp::Add, Box::new(var(b)), more);
                let goal = Formula::from_cond(&compare(CompareOp::Le, var(a), term));
                Question {
                    goal: goal.expect("small numbers"),
                    size: 2,
                }
            })
        })
        .collect();
    let vocabulary = || {
        let context = SearchContext::default();
        Vocabulary::new(&predicates, Axioms::default(), &Search::Fast, context).0
    };
    let (whole, _) = vocabulary().answer(&questions, &Search::Fast, 1);
    let paused = vocabulary();
    let (mut parts, mut cost, mut calls) = (0, 0, 0);
    let answers = loop {
        let (answers, spent) = paused.answer_within(&questions, &Search::Fast, 1, 10);
        (parts, cost, calls) = (parts + 1, cost + spent.cost, calls + spent.effort.calls);
        if let Some(answers) = answers {
            break answers;
        }
    };
    let cubes = |answers: &[Implicants]| -> Vec<Vec<Cube>> {
        answers.iter().map(|found| found.cubes.clone()).collect()
    };
    assert_eq!(cubes(&answers), cubes(&whole));
    assert!(parts > 2, "{parts}");
    let (_, again) = paused.answer_within(&questions, &Search::Fast, 1, 10);
    assert_eq!((again.cost, again.effort.calls), (0, 0));
    // The measure is the same for any number of threads.
    let (_, together) = vocabulary().answer_within(&questions, &Search::Fast, 3, u64::MAX);
    assert_eq!(together.cost, cost);
    assert!(calls > 0);
}
