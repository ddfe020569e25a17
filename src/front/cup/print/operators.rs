//! Expressions and conditions with parentheses where precedence needs them, and around what `!`
//! negates.

use std::fmt::Write as _;

use crate::front::cup::ast::{ArithOp, Cond, CondKind, Expr, ExprKind, Place, ThreadRef};

/// How tightly something binds, from the loosest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Sign,
    Atom,
}

impl Binding {
    /// The binding that a right operand needs, since operators associate to the left.
    fn tighter(self) -> Binding {
        match self {
            Binding::Or => Binding::And,
            Binding::And => Binding::Not,
            Binding::Not => Binding::Compare,
            Binding::Compare => Binding::Sum,
            Binding::Sum => Binding::Product,
            Binding::Product => Binding::Sign,
            Binding::Sign | Binding::Atom => Binding::Atom,
        }
    }
}

/// The text of an expression.
pub fn print_expr(expr: &Expr) -> String {
    let mut text = String::new();
    write_expr(&mut text, expr, Binding::Sum);
    text
}

/// The text of a condition.
pub fn print_cond(cond: &Cond) -> String {
    let mut text = String::new();
    write_cond(&mut text, cond, Binding::Or);
    text
}

/// The text of a condition that is to stand beside `&&`: in parentheses if it is composed by `||` or `&&`.
pub fn print_operand(cond: &Cond) -> String {
    let mut text = String::new();
    write_cond(&mut text, cond, Binding::Not);
    text
}

/// The text of a place.
pub fn print_place(place: &Place) -> String {
    let mut text = String::new();
    write_place(&mut text, place);
    text
}

/// The text of a thread reference.
pub fn print_thread_ref(thread: &ThreadRef) -> String {
    match &thread.copy {
        Some(copy) => format!("{}[{}]", thread.name.text, print_expr(copy)),
        None => thread.name.text.clone(),
    }
}

/// Writes an expression where something that binds like `needed` must stand.
fn write_expr(text: &mut String, expr: &Expr, needed: Binding) {
    let parenthesised = expr_binding(&expr.kind) < needed;
    if parenthesised {
        text.push('(');
    }
    match &expr.kind {
        ExprKind::Num(i64::MIN) => {
            let _ = write!(text, "{} - 1", i64::MIN + 1);
        }
        ExprKind::Num(value) => {
            let _ = write!(text, "{value}");
        }
        ExprKind::Tid => text.push_str("tid"),
        ExprKind::Place(place) => write_place(text, place),
        ExprKind::Neg(inner) => {
            text.push('-');
            write_expr(text, inner, Binding::Sign);
        }
        ExprKind::Binary(op, left, right) => {
            let binding = arith_binding(*op);
            write_expr(text, left, binding);
            let _ = write!(text, " {} ", op.symbol());
            write_expr(text, right, binding.tighter());
        }
    }
    if parenthesised {
        text.push(')');
    }
}

/// Writes a condition where something that binds like `needed` must stand.
fn write_cond(text: &mut String, cond: &Cond, needed: Binding) {
    let parenthesised = cond_binding(&cond.kind) < needed;
    if parenthesised {
        text.push('(');
    }
    match &cond.kind {
        CondKind::True => text.push_str("true"),
        CondKind::False => text.push_str("false"),
        CondKind::Any => text.push('*'),
        CondKind::Not(inner) => {
            text.push('!');
            // Without its parentheses `!x == 0` would mean the same but read as something else.
            let needed = match inner.kind {
                CondKind::Not(_) => Binding::Not,
                _ => Binding::Atom,
            };
            write_cond(text, inner, needed);
        }
        CondKind::And(left, right) => write_pair(text, left, "&&", right, Binding::And),
        CondKind::Or(left, right) => write_pair(text, left, "||", right, Binding::Or),
        CondKind::Compare(op, left, right) => {
            write_expr(text, left, Binding::Sum);
            let _ = write!(text, " {} ", op.symbol());
            write_expr(text, right, Binding::Sum);
        }
        CondKind::At(thread, label) => {
            let _ = write!(text, "{}@{}", print_thread_ref(thread), label.text);
        }
    }
    if parenthesised {
        text.push(')');
    }
}

fn write_pair(text: &mut String, left: &Cond, symbol: &str, right: &Cond, binding: Binding) {
    write_cond(text, left, binding);
    let _ = write!(text, " {symbol} ");
    write_cond(text, right, binding.tighter());
}

fn write_place(text: &mut String, place: &Place) {
    if let Some(thread) = &place.thread {
        let _ = write!(text, "{}.", print_thread_ref(thread));
    }
    text.push_str(&place.name.text);
    if let Some(index) = &place.index {
        text.push('[');
        write_expr(text, index, Binding::Sum);
        text.push(']');
    }
}

fn expr_binding(kind: &ExprKind) -> Binding {
    match kind {
        ExprKind::Num(i64::MIN) => Binding::Sum,
        ExprKind::Num(..0) | ExprKind::Neg(_) => Binding::Sign,
        ExprKind::Num(_) | ExprKind::Tid | ExprKind::Place(_) => Binding::Atom,
        ExprKind::Binary(op, _, _) => arith_binding(*op),
    }
}

fn cond_binding(kind: &CondKind) -> Binding {
    match kind {
        CondKind::Or(..) => Binding::Or,
        CondKind::And(..) => Binding::And,
        CondKind::Not(_) => Binding::Not,
        CondKind::Compare(..) => Binding::Compare,
        CondKind::True | CondKind::False | CondKind::Any | CondKind::At(..) => Binding::Atom,
    }
}

fn arith_binding(op: ArithOp) -> Binding {
    match op {
        ArithOp::Add | ArithOp::Sub => Binding::Sum,
        ArithOp::Mul | ArithOp::Div | ArithOp::Mod => Binding::Product,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::cup::ast::Span;

    fn num(value: i64) -> Box<Expr> {
        Box::new(Expr {
            kind: ExprKind::Num(value),
            span: Span::default(),
        })
    }

    fn text(op: ArithOp, left: i64, right: i64) -> String {
        print_expr(&Expr {
            kind: ExprKind::Binary(op, num(left), num(right)),
            span: Span::default(),
        })
    }

    #[test]
    fn negative_numbers_are_printed_as_negations() {
        assert_eq!(text(ArithOp::Sub, -1, -2), "-1 - -2");
        assert_eq!(text(ArithOp::Mul, -1, -2), "-1 * -2");
        let smallest = "-9223372036854775807 - 1";
        assert_eq!(print_expr(&num(i64::MIN)), smallest);
        assert_eq!(text(ArithOp::Add, 1, i64::MIN), format!("1 + ({smallest})"));
        assert_eq!(text(ArithOp::Add, i64::MIN, 1), format!("{smallest} + 1"));
    }
}
