//! The arithmetic of x86 in the expressions of the input language.
//!
//! The language has mathematical integers with `+`, `-`, products with constants, and `/` and `%` by positive constants,
//! rounded down. A value of n bits is held as the signed number with these bits, so that `a / 2^i % 2` is bit i of a,
//! also of a negative a. Every function here is exact for such values, and no intermediate result of its expression
//! leaves 64 bits: sums of 64 bits are made of two halves. With constants the expressions are computed at once.
//!
//! The conjunction of two values is a sum over their bits: `(x + y) / 2` is the conjunction of the bits x and y,
//! `(x + y + 1) / 2` their disjunction, `(x + y) % 2` their exclusive or. If one side is constant, the runs of ones in it
//! are cut out of the other.

#[cfg(test)]
mod tests;

use crate::front::cup::ast::{ArithOp, Expr, ExprKind};

use super::instruction::{Binary, Part, Width};
use crate::front::build::number_expr;

/// The number of bits of half a value of 64 bits.
const HALF: u32 = 32;

/// A sum of two values, perhaps with one more: all that addition and subtraction are made of.
#[derive(Clone)]
pub(super) struct Sum {
    left: Expr,
    right: Expr,
    /// Whether 1 is added because `right` is the complement of what is subtracted.
    subtracts: bool,
    width: Width,
}

impl Sum {
    /// `left + right`
    pub(super) fn of(left: Expr, right: Expr, width: Width) -> Sum {
        Sum {
            left,
            right,
            subtracts: false,
            width,
        }
    }

    /// `left - right`, as the sum of `left`, the complement of `right`, and 1.
    pub(super) fn difference(left: Expr, right: Expr, width: Width) -> Sum {
        Sum {
            left,
            right: complement(right),
            subtracts: true,
            width,
        }
    }

    /// The result.
    pub(super) fn value(&self) -> Expr {
        match self.width {
            Width::Quad => {
                let high = times(wrapped(self.high(), HALF), HALF);
                add(high, modulo(self.low(), HALF))
            }
            _ => wrapped(self.signed(), self.width.bits()),
        }
    }

    /// CF: 1 if the result for numbers without a sign does not fit, else 0. A difference fits if the sum that it is
    /// made of does not.
    pub(super) fn carry_flag(&self) -> Expr {
        let carry = self.carry();
        match self.subtracts {
            true => sub(number_expr(1, carry.span), carry),
            false => carry,
        }
    }

    /// 1 if the sum of the numbers without a sign does not fit, else 0.
    fn carry(&self) -> Expr {
        let (sum, bits) = match self.width {
            Width::Quad => {
                let upper = |value: &Expr| modulo(quotient(value.clone(), HALF), HALF);
                let sum = add(upper(&self.left), upper(&self.right));
                (add(sum, quotient(self.low(), HALF)), HALF)
            }
            width => {
                let bits = width.bits();
                let plain = |value: &Expr| modulo(value.clone(), bits);
                (
                    add_number(
                        add(plain(&self.left), plain(&self.right)),
                        i64::from(self.subtracts),
                    ),
                    bits,
                )
            }
        };
        quotient(sum, bits)
    }

    /// OF: 1 if the sum of the signed numbers does not fit, else 0.
    pub(super) fn overflow_flag(&self) -> Expr {
        let (sum, bits) = match self.width {
            Width::Quad => (self.high(), HALF),
            width => (self.signed(), width.bits()),
        };
        bit(add_number(sum, 1 << (bits - 1)), bits)
    }

    fn signed(&self) -> Expr {
        add_number(
            add(self.left.clone(), self.right.clone()),
            i64::from(self.subtracts),
        )
    }

    /// The sum of the lower halves.
    fn low(&self) -> Expr {
        let half = |value: &Expr| modulo(value.clone(), HALF);
        add_number(
            add(half(&self.left), half(&self.right)),
            i64::from(self.subtracts),
        )
    }

    /// The sum of the upper halves, signed, with what the lower ones carry over.
    fn high(&self) -> Expr {
        let half = |value: &Expr| quotient(value.clone(), HALF);
        add(
            add(half(&self.left), half(&self.right)),
            quotient(self.low(), HALF),
        )
    }
}

/// `NOT`
pub(super) fn complement(value: Expr) -> Expr {
    let minus_one = number_expr(-1, value.span);
    sub(minus_one, value)
}

/// `AND`, `OR`, `XOR` of values of this width.
pub(super) fn logical(op: Binary, left: Expr, right: Expr, width: Width) -> Expr {
    if left.kind == right.kind {
        return match op {
            Binary::Xor => number_expr(0, left.span),
            _ => left,
        };
    }
    let (left, right) = match constant(&left) {
        Some(_) => (right, left),
        None => (left, right),
    };
    match (op, constant(&right)) {
        (Binary::And, Some(mask)) => masked(&left, mask, width),
        (Binary::Or, Some(mask)) => {
            let others = sub(left.clone(), masked(&left, mask, width));
            add_number(others, mask)
        }
        (_, Some(mask)) => {
            let common = masked(&left, mask, width);
            let ours = sub(left, common.clone());
            add(ours, sub(right, common))
        }
        (op, None) => bitwise(op, &left, &right, width),
    }
}

/// The bits of a value that are set in a mask.
fn masked(value: &Expr, mask: i64, width: Width) -> Expr {
    let is_set = |at: u32| mask >> at & 1 == 1;
    let sign = width.bits() - 1;
    let mut sum = number_expr(0, value.span);
    let mut at = 0;
    while at <= sign {
        let ones = (at..=sign).take_while(|&at| is_set(at)).count();
        let length = u32::try_from(ones).expect("at most 64 bits");
        if length > 0 {
            let run = quotient(value.clone(), at);
            // The run that ends with the sign has all bits beyond it too.
            let run = match at + length > sign {
                true => run,
                false => modulo(run, length),
            };
            sum = add(sum, times(run, at));
        }
        at += length + 1;
    }
    sum
}

/// An operation on values of which neither is known, bit by bit.
fn bitwise(op: Binary, left: &Expr, right: &Expr, width: Width) -> Expr {
    let sign = width.bits() - 1;
    let bits = (0..sign).map(|at| {
        let sum = add(bit(left.clone(), at), bit(right.clone(), at));
        let joined = match op {
            Binary::And => quotient(sum, 1),
            Binary::Or => quotient(add_number(sum, 1), 1),
            _ => modulo(sum, 1),
        };
        times(joined, at)
    });
    // The signs are 0 and -1.
    let signs = add(quotient(left.clone(), sign), quotient(right.clone(), sign));
    let joined = match op {
        Binary::And => quotient(add_number(signs, 1), 1),
        Binary::Or => quotient(signs, 1),
        _ => sub(number_expr(0, left.span), modulo(signs, 1)),
    };
    bits.fold(times(joined, sign), add)
}

/// A value shifted to the left by a count below 64.
pub(super) fn shifted_left(value: Expr, count: u32, width: Width) -> Expr {
    match (count, width.bits().checked_sub(count)) {
        (0, _) => value,
        (_, None | Some(0)) => number_expr(0, value.span),
        (_, Some(kept)) => times(low_signed(value, kept), count),
    }
}

/// A value shifted to the right by a count below 64, with zeros coming in.
pub(super) fn shifted_right(value: Expr, count: u32, width: Width) -> Expr {
    match (count, width.bits().checked_sub(count)) {
        (0, _) => value,
        (_, None | Some(0)) => number_expr(0, value.span),
        (_, Some(kept)) => modulo(quotient(value, count), kept),
    }
}

/// Bit `at` of a value.
pub(super) fn bit(value: Expr, at: u32) -> Expr {
    modulo(quotient(value, at), 1)
}

/// The lowest bits of a value, as a number without a sign.
pub(super) fn low(value: Expr, bits: u32) -> Expr {
    modulo(value, bits)
}

/// The exclusive or of two bits.
pub(super) fn differ(left: Expr, right: Expr) -> Expr {
    modulo(add(left, right), 1)
}

/// 1 if an odd number of the lowest 8 bits of a value is set, else 0.
pub(super) fn parity(value: &Expr) -> Expr {
    let bits = (0..8).map(|at| bit(value.clone(), at));
    modulo(bits.reduce(add).expect("there are eight bits"), 1)
}

/// The value of a part of a register, of whose whole this is the value.
pub(super) fn extracted(whole: Expr, part: &Part) -> Expr {
    match (part.is_whole(), part.high) {
        (true, _) => whole,
        (false, true) => low_signed(quotient(whole, 8), 8),
        (false, false) => low_signed(whole, part.width.bits()),
    }
}

/// What a register that holds `whole` holds when a part of it is set.
pub(super) fn inserted(whole: &Expr, part: &Part, value: Expr) -> Expr {
    let bits = part.width.bits();
    match part.width {
        _ if part.is_whole() => value,
        Width::Double | Width::Quad => modulo(value, bits),
        Width::Byte if part.high => {
            let old = times(modulo(quotient(whole.clone(), 8), 8), 8);
            add(sub(whole.clone(), old), times(modulo(value, 8), 8))
        }
        Width::Byte | Width::Word => {
            let rest = sub(whole.clone(), modulo(whole.clone(), bits));
            add(rest, modulo(value, bits))
        }
    }
}

/// A value with this width as a number without a sign.
pub(super) fn without_sign(value: Expr, width: Width) -> Expr {
    modulo(value, width.bits())
}

/// The lowest bits of a value, fewer than 64, as a signed number.
fn low_signed(value: Expr, bits: u32) -> Expr {
    let sign = times(bit(value.clone(), bits - 1), bits - 1);
    sub(modulo(value, bits - 1), sign)
}

/// A number that is not far out of the range of signed numbers with this many bits, wrapped into it.
fn wrapped(value: Expr, bits: u32) -> Expr {
    let middle = 1 << (bits - 1);
    add_number(modulo(add_number(value, middle), bits), -middle)
}

/// `value / 2^bits`
fn quotient(value: Expr, bits: u32) -> Expr {
    match bits {
        0 => value,
        63 => quotient(quotient(value, 62), 1),
        _ => by_power(ArithOp::Div, value, bits),
    }
}

/// `value % 2^bits`
fn modulo(value: Expr, bits: u32) -> Expr {
    match bits {
        0 => number_expr(0, value.span),
        63 => sub(value.clone(), times(quotient(value, 63), 63)),
        _ => by_power(ArithOp::Mod, value, bits),
    }
}

/// `value * 2^bits`
fn times(value: Expr, bits: u32) -> Expr {
    match bits {
        0 => value,
        63 => times(times(value, 62), 1),
        _ => by_power(ArithOp::Mul, value, bits),
    }
}

fn by_power(op: ArithOp, value: Expr, bits: u32) -> Expr {
    let span = value.span;
    binary(op, value, number_expr(1 << bits, span))
}

fn add(left: Expr, right: Expr) -> Expr {
    match (constant(&left), constant(&right)) {
        (Some(0), _) => right,
        (None, Some(number)) => add_number(left, number),
        _ => binary(ArithOp::Add, left, right),
    }
}

fn sub(left: Expr, right: Expr) -> Expr {
    match constant(&right) {
        Some(0) => left,
        _ => binary(ArithOp::Sub, left, right),
    }
}

/// `value + number`, written with the sign that the number has.
fn add_number(value: Expr, number: i64) -> Expr {
    let span = value.span;
    match number.checked_neg() {
        _ if number == 0 => value,
        Some(magnitude) if number < 0 => binary(ArithOp::Sub, value, number_expr(magnitude, span)),
        _ => binary(ArithOp::Add, value, number_expr(number, span)),
    }
}

/// An expression, or its value if that is constant.
fn binary(op: ArithOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    let known = constant(&left).zip(constant(&right));
    match known.and_then(|(left, right)| op.checked(left, right)) {
        Some(value) => number_expr(value, span),
        None => Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            span,
        },
    }
}

/// The value of a number.
fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Num(value) => Some(*value),
        ExprKind::Neg(inner) => constant(inner)?.checked_neg(),
        _ => None,
    }
}
