//! A program of Memorax as text, which reads back as the same program, further braces and brackets apart.

use std::fmt::Write as _;

use crate::front::cup::ast::{ArithOp, CompareOp, Cond, CondKind, Expr, ExprKind};

use super::syntax::{
    Domain, Memory, MemoryKind, Model, Process, Row, Statement, StatementKind, Variable,
};

/// The text of a program.
pub fn print(model: &Model) -> String {
    let mut text = "forbidden\n".to_owned();
    let rows: Vec<String> = model.forbidden.iter().map(row).collect();
    text += &rows.join(";\n");
    text.push('\n');
    if !model.data.is_empty() {
        text += "\ndata\n";
        variables(&model.data, &mut text);
    }
    for process in &model.processes {
        text.push('\n');
        text += &self::process(process);
    }
    text
}

fn row(row: &Row) -> String {
    let labels = row.labels.iter();
    let labels = labels.map(|label| label.as_ref().map_or("*", |name| name.text.as_str()));
    format!("  {}", labels.collect::<Vec<_>>().join(" "))
}

fn variables(variables: &[Variable], text: &mut String) {
    for variable in variables {
        let initial = variable.initial;
        let initial = initial.map_or("*".to_owned(), |value| value.to_string());
        let domain = match variable.domain {
            Domain::Integers => "Z".to_owned(),
            Domain::Range(low, high) => format!("[{low}:{high}]"),
        };
        let _ = writeln!(text, "  {} = {initial} : {domain}", variable.name.text);
    }
}

fn process(process: &Process) -> String {
    let mut text = match process.copies {
        1 => "process\n".to_owned(),
        copies => format!("process({copies})\n"),
    };
    if !process.data.is_empty() {
        text += "data\n";
        variables(&process.data, &mut text);
    }
    if !process.registers.is_empty() {
        text += "registers\n";
        variables(&process.registers, &mut text);
    }
    text += "text\n";
    list(&process.body, 1, &mut text);
    text.push('\n');
    text
}

/// Statements with `;` between them, each on lines of its own.
fn list(statements: &[Statement], level: usize, text: &mut String) {
    for (at, inner) in statements.iter().enumerate() {
        if at > 0 {
            *text += ";\n";
        }
        labelled(inner, level, text);
    }
}

fn labelled(inner: &Statement, level: usize, text: &mut String) {
    *text += &"  ".repeat(level);
    if let Some(label) = &inner.label {
        let _ = write!(text, "{}: ", label.text);
    }
    statement(&inner.kind, level, text);
}

fn statement(kind: &StatementKind, level: usize, text: &mut String) {
    match kind {
        StatementKind::Locked(lists) => alternatives("locked", lists, level, text),
        StatementKind::Either(lists) => alternatives("either", lists, level, text),
        StatementKind::Block(inner) => alternatives("", std::slice::from_ref(inner), level, text),
        StatementKind::If(condition, then, otherwise) => {
            let _ = writeln!(text, "if {} then", cond(condition));
            match (&then.kind, otherwise) {
                // The `else` must not go to an `if` inside.
                (StatementKind::If(..) | StatementKind::While(..), Some(_)) => {
                    *text += &"  ".repeat(level + 1);
                    alternatives("", &[vec![(**then).clone()]], level + 1, text);
                }
                _ => labelled(then, level + 1, text),
            }
            if let Some(otherwise) = otherwise {
                let _ = write!(text, "\n{}else\n", "  ".repeat(level));
                labelled(otherwise, level + 1, text);
            }
        }
        StatementKind::While(condition, body) => {
            let _ = writeln!(text, "while {} do", cond(condition));
            labelled(body, level + 1, text);
        }
        simple => *text += &instruction(simple),
    }
}

fn alternatives(word: &str, lists: &[Vec<Statement>], level: usize, text: &mut String) {
    let margin = "  ".repeat(level);
    *text += word;
    *text += if word.is_empty() { "{\n" } else { " {\n" };
    for (at, inner) in lists.iter().enumerate() {
        if at > 0 {
            let _ = write!(text, "\n{margin}or\n");
        }
        list(inner, level + 1, text);
    }
    let _ = write!(text, "\n{margin}}}");
}

/// A statement without statements in it.
fn instruction(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Fence => "fence".to_owned(),
        StatementKind::LoadFence => "llfence".to_owned(),
        StatementKind::Set(register, value) => format!("{} := {}", register.text, expr(value)),
        StatementKind::Assume(condition) => format!("assume: {}", cond(condition)),
        StatementKind::ReadEqual(from, value) => {
            format!("read: {} = {}", memory(from), expr(value))
        }
        StatementKind::ReadTo(register, from) => {
            format!("read: {} := {}", register.text, memory(from))
        }
        StatementKind::Write(to, value) => format!("write: {} := {}", memory(to), expr(value)),
        StatementKind::LockedWrite(to, value) => {
            format!("locked write: {} := {}", memory(to), expr(value))
        }
        StatementKind::Cas(at, expected, new) => {
            format!("cas({}, {}, {})", memory(at), expr(expected), expr(new))
        }
        StatementKind::Goto(label) => format!("goto {}", label.text),
        _ => "nop".to_owned(),
    }
}

fn memory(memory: &Memory) -> String {
    match &memory.kind {
        MemoryKind::Global(name) => name.text.clone(),
        MemoryKind::Own(name) => format!("{}[my]", name.text),
        MemoryKind::Other(name, owner) => format!("{}[{owner}]", name.text),
        MemoryKind::Pointer(pointer) => format!("[{}]", expr(pointer)),
    }
}

fn expr(inner: &Expr) -> String {
    match &inner.kind {
        ExprKind::Num(value) if *value < 0 => format!("-{}", value.unsigned_abs()),
        ExprKind::Num(value) => value.to_string(),
        ExprKind::Place(place) => place.name.text.clone(),
        ExprKind::Neg(negated) => format!("-{}", unit(negated)),
        ExprKind::Binary(op, left, right) => {
            let sign = if *op == ArithOp::Add { "+" } else { "-" };
            format!("{} {sign} {}", expr(left), unit(right))
        }
        ExprKind::Tid => unreachable!("a register or number stands for it"),
    }
}

/// An expression as an operand.
fn unit(inner: &Expr) -> String {
    match &inner.kind {
        ExprKind::Binary(..) => format!("({})", expr(inner)),
        ExprKind::Neg(_) | ExprKind::Num(_) | ExprKind::Place(_) | ExprKind::Tid => expr(inner),
    }
}

fn cond(inner: &Cond) -> String {
    match &inner.kind {
        CondKind::True => "true".to_owned(),
        CondKind::False => "false".to_owned(),
        CondKind::Not(negated) => format!("not {}", atom(negated)),
        CondKind::And(left, right) => format!("{} && {}", atom(left), atom(right)),
        CondKind::Or(left, right) => format!("{} || {}", atom(left), atom(right)),
        CondKind::Compare(op, left, right) => {
            let symbol = if *op == CompareOp::Eq {
                "="
            } else {
                op.symbol()
            };
            format!("{} {symbol} {}", expr(left), expr(right))
        }
        CondKind::Any | CondKind::At(..) => unreachable!("no condition of this kind is made"),
    }
}

/// A condition inside another.
fn atom(inner: &Cond) -> String {
    match &inner.kind {
        CondKind::True | CondKind::False | CondKind::Compare(..) => cond(inner),
        _ => format!("[{}]", cond(inner)),
    }
}
