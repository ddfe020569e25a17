//! Expressions evaluated, and compared with the operations on the bits themselves.

use super::*;
use crate::front::build::{place, place_expr};
use crate::front::cup::ast::Span;

const WIDTHS: [Width; 4] = [Width::Byte, Width::Word, Width::Double, Width::Quad];

/// Values at the edges of every width, and some between, as far as they have this width.
fn values(width: Width) -> Vec<i64> {
    let edges = (0..64).flat_map(|at| {
        let power = 1_i128 << at;
        [power - 1, power, -power, -power - 1]
    });
    let others = [0x55, 0x5555_aaaa, 0x0123_4567_89ab_cdef, -0x1234_5678_9abc];
    let mut values: Vec<i64> = edges
        .chain(others)
        .filter_map(|value| width.fit(value))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn variable(name: &str) -> Expr {
    place_expr(place(name, Span::default()))
}

/// The value of an expression over `a` and `b`; every intermediate result must fit 64 bits.
fn value(expr: &Expr, a: i64, b: i64) -> i64 {
    match &expr.kind {
        ExprKind::Num(number) => *number,
        ExprKind::Neg(inner) => value(inner, a, b).checked_neg().expect("it fits"),
        ExprKind::Place(place) => match place.name.text.as_str() {
            "a" => a,
            _ => b,
        },
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (value(left, a, b), value(right, a, b));
            op.checked(left, right).expect("it fits 64 bits")
        }
        ExprKind::Tid => unreachable!("no copies here"),
    }
}

/// Compares `built` with `expected` on all pairs of values, with `b` as a variable and as a number.
fn compare(built: impl Fn(Expr, Expr, Width) -> Expr, expected: impl Fn(i128, i128, Width) -> i64) {
    for width in WIDTHS {
        let symbolic = built(variable("a"), variable("b"), width);
        for &b in &values(width) {
            let constant = built(variable("a"), number_expr(b, Span::default()), width);
            for &a in &values(width) {
                let expected = expected(i128::from(a), i128::from(b), width);
                assert_eq!(value(&symbolic, a, b), expected, "{a} {b} {width:?}");
                assert_eq!(value(&constant, a, b), expected, "{a} {b} {width:?}");
            }
        }
    }
}

fn plain(value: i128, width: Width) -> i128 {
    value.rem_euclid(1 << width.bits())
}

#[test]
fn sums_and_their_flags() {
    compare(
        |a, b, width| Sum::of(a, b, width).value(),
        |a, b, width| width.wrap(a + b),
    );
    compare(
        |a, b, width| Sum::of(a, b, width).carry_flag(),
        |a, b, width| i64::from(plain(a, width) + plain(b, width) >= 1 << width.bits()),
    );
    compare(
        |a, b, width| Sum::of(a, b, width).overflow_flag(),
        |a, b, width| i64::from(i128::from(width.wrap(a + b)) != a + b),
    );
}

#[test]
fn differences_and_their_flags() {
    compare(
        |a, b, width| Sum::difference(a, b, width).value(),
        |a, b, width| width.wrap(a - b),
    );
    compare(
        |a, b, width| Sum::difference(a, b, width).carry_flag(),
        |a, b, width| i64::from(plain(a, width) < plain(b, width)),
    );
    compare(
        |a, b, width| Sum::difference(a, b, width).overflow_flag(),
        |a, b, width| i64::from(i128::from(width.wrap(a - b)) != a - b),
    );
}

#[test]
fn operations_on_bits() {
    compare(
        |a, b, width| logical(Binary::And, a, b, width),
        |a, b, width| width.wrap(a & b),
    );
    compare(
        |a, b, width| logical(Binary::Or, a, b, width),
        |a, b, width| width.wrap(a | b),
    );
    compare(
        |a, b, width| logical(Binary::Xor, a, b, width),
        |a, b, width| width.wrap(a ^ b),
    );
    compare(|a, _, _| complement(a), |a, _, width| width.wrap(!a));
    compare(
        |a, _, _| parity(&a),
        |a, _, _| i64::from((a & 0xff).count_ones() % 2),
    );
}

#[test]
fn shifts() {
    for count in 0..64 {
        for width in WIDTHS {
            let left = shifted_left(variable("a"), count, width);
            let right = shifted_right(variable("a"), count, width);
            for a in values(width) {
                let bits = plain(i128::from(a), width);
                let expected = [width.wrap(bits << count), width.wrap(bits >> count)];
                let found = [value(&left, a, 0), value(&right, a, 0)];
                assert_eq!(found, expected, "{a} by {count}, {width:?}");
            }
        }
    }
}
