//! Tests of the logic: against evaluation on random values.

use proptest::prelude::*;

use super::*;
use crate::front::cup::ast::{ArithOp, CompareOp};
use crate::program::{
    Action, Beyond, Cond, Fifo, FifoId, Place, Range, Term, ThreadId, VarId, spelled_out,
};

const VARS: usize = 4;

struct Values(Vec<i128>);

impl Valuation for Values {
    fn value(&self, var: VarId) -> i128 {
        self.0[var.index()]
    }

    fn holds(&self, _: &Flag) -> bool {
        false
    }

    fn satisfies(&self, _: &Fact) -> bool {
        false
    }
}

/// The value of a term in which an index out of range picks the last element.
fn term_value(term: &Term, values: &[i128]) -> i128 {
    match term {
        Term::Const(value) => i128::from(*value),
        Term::Var(var) => values[var.index()],
        Term::Choice(index, elements) => {
            let index = usize::try_from(term_value(index, values));
            let element = index.ok().and_then(|index| elements.get(index));
            let element = element.or(elements.last()).expect("an array has elements");
            term_value(element, values)
        }
        Term::Neg(inner) => -term_value(inner, values),
        Term::Binary(op, a, b) => {
            let (a, b) = (term_value(a, values), term_value(b, values));
            match op {
                ArithOp::Add => a + b,
                ArithOp::Sub => a - b,
                ArithOp::Mul => a * b,
                ArithOp::Div => floor(a, b),
                ArithOp::Mod => a - b * floor(a, b),
            }
        }
    }
}

/// The greatest number whose product with `b` is at most `a`, searched for.
fn floor(a: i128, b: i128) -> i128 {
    let mut quotient = -a.abs() - 1;
    while (quotient + 1) * b <= a {
        quotient += 1;
    }
    quotient
}

fn cond_value(cond: &Cond, values: &[i128]) -> bool {
    match cond {
        Cond::Const(value) => *value,
        Cond::Not(inner) => !cond_value(inner, values),
        Cond::And(a, b) => cond_value(a, values) && cond_value(b, values),
        Cond::Or(a, b) => cond_value(a, values) || cond_value(b, values),
        Cond::Compare(op, a, b) => {
            let (a, b) = (term_value(a, values), term_value(b, values));
            match op {
                CompareOp::Eq => a == b,
                CompareOp::Ne => a != b,
                CompareOp::Lt => a < b,
                CompareOp::Le => a <= b,
                CompareOp::Gt => a > b,
                CompareOp::Ge => a >= b,
            }
        }
        Cond::At(..) => false,
    }
}

/// What an action does to values in which every index is in range.
fn run(action: &Action, values: &[i128]) -> Vec<i128> {
    let place = |place: &Place| match place {
        Place::Var(var) => *var,
        Place::Choice(index, vars) => {
            vars[usize::try_from(term_value(index, values)).expect("in range")]
        }
    };
    let mut after = values.to_vec();
    match action {
        Action::Skip | Action::Fence | Action::Assume(_) | Action::Assert(..) => {}
        Action::Append(fifo, entry) => {
            let entry: Vec<i128> = entry.iter().map(|term| term_value(term, values)).collect();
            let is_first = values[fifo.length.index()] == 0;
            after[fifo.length.index()] += 1;
            for (field, value) in entry.into_iter().enumerate() {
                after[fifo.newest[field].index()] = value;
                if is_first {
                    after[fifo.oldest[field].index()] = value;
                }
            }
        }
        Action::Pop(fifo) => {
            after[fifo.length.index()] -= 1;
            let is_last = after[fifo.length.index()] == 0;
            for field in 0..fifo.width() {
                let next = if is_last { 0 } else { values[VARS + field] };
                after[fifo.oldest[field].index()] = next;
                if is_last {
                    after[fifo.newest[field].index()] = 0;
                }
            }
        }
        Action::Assign(to, term) | Action::Store(to, term) => {
            after[place(to).index()] = term_value(term, values);
        }
        Action::Havoc(to) | Action::Choose(to, _) => after[place(to).index()] = values[VARS],
        Action::Load(to, from) => after[place(to).index()] = values[place(from).index()],
        Action::Swap(to, shared, new) => {
            after[place(to).index()] = values[place(shared).index()];
            after[place(shared).index()] = term_value(new, values);
        }
        Action::FetchAdd(to, shared, difference) => {
            let old = values[place(shared).index()];
            after[place(to).index()] = old;
            after[place(shared).index()] = old + term_value(difference, values);
        }
        Action::Cas(to, shared, expected, new) => {
            let success = values[place(shared).index()] == term_value(expected, values);
            after[place(to).index()] = i128::from(success);
            if success {
                after[place(shared).index()] = term_value(new, values);
            }
        }
    }
    after
}

fn var() -> impl Strategy<Value = VarId> {
    (0..VARS).prop_map(VarId::new)
}

/// An index that is in range whatever the values are below: variable 0 is 0 or 1.
fn index() -> impl Strategy<Value = Term> {
    prop_oneof![
        Just(Term::Var(VarId::new(0))),
        (0..2i64).prop_map(Term::Const)
    ]
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![(-3..4i64).prop_map(Term::Const), var().prop_map(Term::Var)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(Term::Neg),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Term::Binary(ArithOp::Add, a, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Term::Binary(ArithOp::Sub, a, b)),
            (-3..4i64, boxed.clone()).prop_map(|(c, t)| Term::Binary(
                ArithOp::Mul,
                Box::new(Term::Const(c)),
                t
            )),
            (boxed.clone(), 1..5i64).prop_map(|(t, c)| divided(ArithOp::Div, t, c)),
            (boxed, 1..5i64).prop_map(|(t, c)| divided(ArithOp::Mod, t, c)),
            (index(), inner.clone(), inner)
                .prop_map(|(i, a, b)| Term::Choice(Box::new(i), vec![a, b])),
        ]
    })
}

fn divided(op: ArithOp, dividend: Box<Term>, divisor: i64) -> Term {
    Term::Binary(op, dividend, Box::new(Term::Const(divisor)))
}

fn compare_op() -> impl Strategy<Value = CompareOp> {
    prop_oneof![
        Just(CompareOp::Eq),
        Just(CompareOp::Ne),
        Just(CompareOp::Lt),
        Just(CompareOp::Le),
        Just(CompareOp::Gt),
        Just(CompareOp::Ge),
    ]
}

fn cond() -> impl Strategy<Value = Cond> {
    let leaf = prop_oneof![
        (compare_op(), term(), term()).prop_map(|(op, a, b)| Cond::Compare(op, a, b)),
        any::<bool>().prop_map(Cond::Const),
    ];
    leaf.prop_recursive(3, 6, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(Cond::Not),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Cond::And(a, b)),
            (boxed.clone(), boxed).prop_map(|(a, b)| Cond::Or(a, b)),
        ]
    })
}

/// Places for locals are variables 0 and 1, for shared ones 2 and 3.
fn place(first: usize) -> impl Strategy<Value = Place> {
    let vars = vec![VarId::new(first), VarId::new(first + 1)];
    prop_oneof![
        (first..first + 2).prop_map(|var| Place::Var(VarId::new(var))),
        index().prop_map(move |index| Place::Choice(index, vars.clone())),
    ]
}

/// Its length is variable 1, its oldest entry 2 and its newest 3.
fn fifo() -> Fifo {
    Fifo {
        id: FifoId::new(0),
        name: "b".to_owned(),
        owner: ThreadId::new(0),
        length: VarId::new(1),
        oldest: vec![VarId::new(2)],
        newest: vec![VarId::new(3)],
    }
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Skip),
        (place(0), term()).prop_map(|(r, e)| Action::Assign(r, e)),
        (place(2), term()).prop_map(|(x, e)| Action::Store(x, e)),
        place(0).prop_map(Action::Havoc),
        (place(0), -2..1i64, 0..3i64).prop_map(|(r, low, more)| {
            Action::Choose(r, Range::new(low, low + more).expect("there are values"))
        }),
        (place(0), place(2)).prop_map(|(r, x)| Action::Load(r, x)),
        (place(0), place(2), term()).prop_map(|(r, x, e)| Action::Swap(r, x, e)),
        (place(0), place(2), term()).prop_map(|(r, x, e)| Action::FetchAdd(r, x, e)),
        (place(0), place(2), term(), term()).prop_map(|(r, x, a, b)| Action::Cas(r, x, a, b)),
        term().prop_map(|value| Action::Append(fifo(), vec![value])),
        Just(Action::Pop(fifo())),
    ]
}

/// Values of the variables and of the fresh one.
fn values() -> impl Strategy<Value = Vec<i128>> {
    let index = 0..2i128;
    (index, prop::collection::vec(-4..5i128, VARS))
        .prop_map(|(index, rest)| std::iter::once(index).chain(rest).collect())
}

proptest! {
    #[test]
    fn normal_forms_mean_the_same(cond in cond(), values in values()) {
        let formula = Formula::from_cond(&cond).expect("small numbers");
        let expected = cond_value(&cond, &values);
        prop_assert_eq!(formula.eval(&Values(values.clone())), Some(expected));
        prop_assert_eq!(formula.negated().eval(&Values(values)), Some(!expected));
        prop_assert_eq!(formula.negated().negated(), formula);
    }

    /// With any term as an index, in range or not.
    #[test]
    fn spelled_out_choices_mean_the_same(
        (index, elements) in (term(), prop::collection::vec(term(), 1..4)),
        (op, other) in (compare_op(), term()),
        values in prop::collection::vec(-3..4i128, VARS),
    ) {
        let choice = Term::Choice(Box::new(index), elements);
        let cond = Cond::Compare(op, choice, other);
        let is_array = |elements: &[Term]| elements.len() == 2 && matches!(elements[0], Term::Const(_));
        let last = spelled_out(&cond, Beyond::Last, &is_array);
        prop_assert_eq!(cond_value(&last, &values), cond_value(&cond, &values));
        let holds = spelled_out(&cond, Beyond::Holds, &is_array);
        let meaning = |cond: &Cond| {
            let formula = Formula::from_cond(cond).expect("small numbers");
            formula.eval(&Values(values.clone()))
        };
        prop_assert_eq!(meaning(&holds), meaning(&cond));
    }

    #[test]
    fn the_precondition_is_the_condition_afterwards(
        action in action(),
        post in cond(),
        values in values(),
    ) {
        let after = run(&action, &values);
        // Choices of the postcondition need their index in range after the step, too.
        prop_assume!((0..2).contains(&after[0]));
        let formula = Formula::from_cond(&post).expect("small numbers");
        let before = wp(&action, &formula, VarId::new(VARS)).expect("small numbers");
        let possible = match &action {
            Action::Choose(_, range) => range.values().any(|value| i128::from(value) == values[VARS]),
            Action::Pop(fifo) => values[fifo.length.index()] > 0,
            _ => true,
        };
        let expected = match possible {
            true => formula.eval(&Values(after)),
            // A value that cannot be chosen, or an entry that is not there, breaks nothing.
            false => Some(true),
        };
        prop_assert_eq!(before.eval(&Values(values)), expected);
    }
}

#[test]
fn ways_of_writing_the_same_condition_are_equal() {
    let (x, y) = (Term::Var(VarId::new(0)), Term::Var(VarId::new(1)));
    let plus =
        |t: &Term, c| Term::Binary(ArithOp::Add, Box::new(t.clone()), Box::new(Term::Const(c)));
    let form = |op, a: &Term, b: &Term| {
        Formula::from_cond(&Cond::Compare(op, a.clone(), b.clone())).expect("small numbers")
    };
    assert_eq!(
        form(CompareOp::Lt, &x, &y),
        form(CompareOp::Le, &plus(&x, 1), &y)
    );
    assert_eq!(form(CompareOp::Lt, &x, &y), form(CompareOp::Gt, &y, &x));
    assert_eq!(
        form(CompareOp::Eq, &plus(&x, 1), &y),
        form(CompareOp::Eq, &plus(&y, -1), &x)
    );
    assert_eq!(
        form(CompareOp::Lt, &x, &y),
        form(CompareOp::Ge, &x, &y).negated()
    );
    let double = Term::Binary(ArithOp::Mul, Box::new(Term::Const(2)), Box::new(x.clone()));
    assert_eq!(
        form(CompareOp::Le, &double, &Term::Const(3)),
        form(CompareOp::Le, &x, &Term::Const(1))
    );
    assert_eq!(
        form(CompareOp::Eq, &double, &Term::Const(3)),
        Formula::False
    );
}

#[test]
fn quotients_have_normal_forms() {
    let x = || Linear::var(VarId::new(0));
    let plus = |term: Linear, number| term.plus(number, &Linear::constant(1));
    let quotient = Linear::quotient;
    // Multiples of the divisor come out.
    assert_eq!(quotient(plus(x().times(2), 3), 2), plus(x(), 1));
    assert_eq!(
        quotient(plus(x().times(-2), -1), 2),
        plus(x().times(-1), -1)
    );
    assert_eq!(
        quotient(plus(x().times(5), 7), 3),
        plus(x().plus(1, &quotient(plus(x().times(2), 1), 3)), 2)
    );
    // Common factors are cancelled.
    let cancelled = quotient(plus(x().times(2), 1), 3);
    assert_eq!(quotient(plus(x().times(4), 3), 6), cancelled);
    // Quotients of quotients are one.
    assert_eq!(quotient(quotient(x(), 2), 3), quotient(x(), 6));
    let inner = plus(quotient(x(), 2), 2);
    assert_eq!(quotient(inner, 3), quotient(plus(x(), 4), 6));
    assert_eq!(quotient(Linear::constant(-7), 2), Linear::constant(-4));
    // A remainder of what is divisible is none.
    let even = x().times(4);
    assert_eq!(
        even.plus(-2, &quotient(even.clone(), 2)),
        Linear::constant(0)
    );
}

/// The wrong answer of rounding towards zero would be 0.
#[test]
fn substitution_goes_into_quotients() {
    let var = VarId::new(0);
    let half = Linear::quotient(Linear::var(var), 2);
    let value = half.substitute(&[(var, Linear::constant(-1))]);
    assert_eq!(value, Linear::constant(-1));
    let doubled = half.substitute(&[(var, Linear::var(var).times(6))]);
    assert_eq!(doubled, Linear::var(var).times(3));
    // Numbers too large to go on with stay inside.
    let large = half.substitute(&[(var, Linear::constant(1 << 100))]);
    assert!(large.has_quotient() && !large.is_small());
    assert_eq!(large.value(|_| 0), Some(1 << 99));
}

#[test]
fn numbers_beyond_the_limit_are_refused() {
    let huge = Term::Const(i64::MAX);
    let cond = Cond::Compare(CompareOp::Eq, Term::Var(VarId::new(0)), huge);
    assert_eq!(Formula::from_cond(&cond), Err(TooLarge));
}

/// Each remainder doubles the term, unless the divisors are the same.
#[test]
fn remainders_that_nest_too_deeply_are_refused() {
    let nested = |divisors: [i64; 2], depth: usize| {
        let start = Term::Var(VarId::new(0));
        let term = (0..depth).fold(start, |term, level| {
            let next = Term::Binary(
                ArithOp::Add,
                Box::new(term),
                Box::new(Term::Var(VarId::new(1))),
            );
            divided(ArithOp::Mod, Box::new(next), divisors[level % 2])
        });
        Formula::from_cond(&Cond::Compare(CompareOp::Eq, term, Term::Const(0)))
    };
    assert!(nested([3, 5], 4).is_ok());
    assert_eq!(nested([3, 5], 400), Err(TooLarge));
    assert!(nested([3, 3], 400).is_ok());
}
