//! Writes a program as text that parses back to the same program.
//!
//! Every compound operand is put in parentheses, so the text hardly depends on precedences; but a chain of
//! operators that group to the left goes without, so that the text is not nested more deeply than one
//! that was parsed.
//! Comments stand behind what they belong to.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{Branch, Decl, Expr, Ident, Procedure, Stmt, StmtKind, Target, ThreadStart, Tree};

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for global in &self.globals {
            declaration(f, global, "")?;
        }
        for procedure in &self.procedures {
            write!(f, "\n{procedure}")?;
        }
        Ok(())
    }
}

impl Display for Procedure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.results {
            0 => f.write_str("void")?,
            n => write!(f, "bool<{n}>")?,
        }
        let parameters = self.parameters.iter().map(|decl| &decl.name);
        write!(f, " {}({}) begin", self.name, Commas(parameters))?;
        comment(f, self.origin.comment.as_deref())?;
        for local in &self.locals {
            declaration(f, local, "  ")?;
        }
        if let Some(enforce) = &self.enforce {
            writeln!(f, "  enforce {enforce};")?;
        }
        block(f, &self.body, 1)?;
        f.write_str("end\n")
    }
}

/// The statement on one line, without labels and comment; blocks inside are left out.
impl Display for Stmt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        head(f, &self.kind)
    }
}

impl Stmt {
    /// The line that a step of a trace shows: the statement, or for a later condition of an `if` its
    /// `elsif`.
    pub(crate) fn line(&self, condition: usize) -> String {
        match self.later_condition(condition) {
            Some(later) => format!("elsif {later} then"),
            None => self.to_string(),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(value) => f.write_str(if *value { "T" } else { "F" }),
            Self::Nondet => f.write_char('*'),
            Self::Var(name) => write!(f, "{name}"),
            Self::Next(name) => write!(f, "'{name}"),
            Self::Not(e) => write!(f, "!{}", Operand(e)),
            Self::And(parts) => chain(f, self, parts, " & ", "T"),
            Self::Or(parts) => chain(f, self, parts, " | ", "F"),
            Self::Xor(e, g) => write!(f, "{} ^ {}", First(self, e), Operand(g)),
            Self::Eq(e, g) => write!(f, "{} = {}", First(self, e), Operand(g)),
            Self::Ne(e, g) => write!(f, "{} != {}", First(self, e), Operand(g)),
            Self::Implies(e, g) => write!(f, "{} -> {}", First(self, e), Operand(g)),
            Self::Ite(c, e, g) => write!(f, "{} ? {e} : {}", First(self, c), Operand(g)),
            Self::Schoose(e, g) => write!(f, "schoose [{e}, {g}]"),
        }
    }
}

impl Display for Ident {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Var(name) => write!(f, "{name}"),
            Self::Sink => f.write_char('_'),
        }
    }
}

/// An expression as an operand: in parentheses unless nothing can tear it apart.
struct Operand<'a>(&'a Expr);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let closed = match self.0 {
            Expr::Const(_)
            | Expr::Nondet
            | Expr::Var(_)
            | Expr::Next(_)
            | Expr::Not(_)
            | Expr::Schoose(..) => true,
            Expr::And(parts) | Expr::Or(parts) => parts.len() < 2,
            Expr::Xor(..) | Expr::Eq(..) | Expr::Ne(..) | Expr::Implies(..) | Expr::Ite(..) => {
                false
            }
        };
        if closed {
            write!(f, "{}", self.0)
        } else {
            write!(f, "({})", self.0)
        }
    }
}

/// An expression and its first operand: without parentheses where the operand's operator and the
/// expression's are on one level and group to the left. `&` in `&` and `|` in `|` would become one node.
struct First<'a>(&'a Expr, &'a Expr);

impl Display for First<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(whole, first) = self;
        let goes_on = matches!(
            (whole, first),
            (Expr::Eq(..) | Expr::Ne(..), Expr::Eq(..) | Expr::Ne(..))
                | (Expr::Xor(..), Expr::Xor(..))
                | (Expr::Or(_) | Expr::Implies(..), Expr::Implies(..))
                | (Expr::Implies(..), Expr::Or(_))
                | (Expr::Ite(..), Expr::Ite(..))
        );
        if goes_on {
            write!(f, "{first}")
        } else {
            write!(f, "{}", Operand(first))
        }
    }
}

/// Items with commas between them.
struct Commas<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for Commas<I> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.clone().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}

/// The operands of `whole` with the operator between them. One operand stands alone, and what is around
/// it does not know, so it is closed.
fn chain(
    f: &mut Formatter<'_>,
    whole: &Expr,
    parts: &[Expr],
    operator: &str,
    empty: &str,
) -> fmt::Result {
    match parts {
        [] => f.write_str(empty),
        [one] => write!(f, "{}", Operand(one)),
        [first, rest @ ..] => {
            write!(f, "{}", First(whole, first))?;
            rest.iter()
                .try_for_each(|part| write!(f, "{operator}{}", Operand(part)))
        }
    }
}

fn declaration(f: &mut Formatter<'_>, decl: &Decl, indent: &str) -> fmt::Result {
    write!(f, "{indent}decl {};", decl.name)?;
    comment(f, decl.origin.comment.as_deref())
}

/// Ends the line with the comment; line breaks in it become spaces.
fn comment(f: &mut Formatter<'_>, text: Option<&str>) -> fmt::Result {
    match text {
        Some(text) => writeln!(f, " // {}", text.replace(['\n', '\r'], " ")),
        None => f.write_char('\n'),
    }
}

fn block(f: &mut Formatter<'_>, stmts: &[Stmt], depth: usize) -> fmt::Result {
    stmts.iter().try_for_each(|stmt| statement(f, stmt, depth))
}

fn statement(f: &mut Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
    indent(f, depth)?;
    for label in &stmt.labels {
        write!(f, "{label}: ")?;
    }
    head(f, &stmt.kind)?;
    match &stmt.kind {
        StmtKind::If {
            branches,
            otherwise,
        } => {
            comment(f, stmt.origin.comment.as_deref())?;
            branch_bodies(f, branches, depth)?;
            if let Some(otherwise) = otherwise {
                indent(f, depth)?;
                f.write_str("else\n")?;
                block(f, otherwise, depth + 1)?;
            }
            indent(f, depth)?;
            f.write_str("fi;\n")
        }
        StmtKind::While { body, .. } => {
            comment(f, stmt.origin.comment.as_deref())?;
            block(f, body, depth + 1)?;
            indent(f, depth)?;
            f.write_str("od;\n")
        }
        StmtKind::Skip
        | StmtKind::Assign { .. }
        | StmtKind::Call { .. }
        | StmtKind::Assume(_)
        | StmtKind::Assert(_)
        | StmtKind::Goto(_)
        | StmtKind::Return(_)
        | StmtKind::Dead(_)
        | StmtKind::AtomicBegin
        | StmtKind::AtomicEnd
        | StmtKind::StartThread(_)
        | StmtKind::EndThread
        | StmtKind::Print(_) => {
            f.write_char(';')?;
            comment(f, stmt.origin.comment.as_deref())
        }
    }
}

/// The bodies of an `if`; the first condition has been written already.
fn branch_bodies(f: &mut Formatter<'_>, branches: &[Branch], depth: usize) -> fmt::Result {
    for (i, branch) in branches.iter().enumerate() {
        if i > 0 {
            indent(f, depth)?;
            writeln!(f, "elsif {} then", branch.condition)?;
        }
        block(f, &branch.body, depth + 1)?;
    }
    Ok(())
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn head(f: &mut Formatter<'_>, kind: &StmtKind) -> fmt::Result {
    match kind {
        StmtKind::Skip => f.write_str("skip"),
        StmtKind::Assign {
            targets,
            values,
            constrain,
        } => {
            write!(f, "{} := {}", Commas(targets.iter()), Commas(values.iter()))?;
            constrain
                .iter()
                .try_for_each(|c| write!(f, " constrain {c}"))
        }
        StmtKind::Call {
            targets,
            procedure,
            arguments,
        } => {
            if !targets.is_empty() {
                write!(f, "{} := ", Commas(targets.iter()))?;
            }
            write!(f, "{procedure}({})", Commas(arguments.iter()))
        }
        StmtKind::Assume(c) => write!(f, "assume({c})"),
        StmtKind::Assert(c) => write!(f, "assert({c})"),
        StmtKind::If { branches, .. } => match branches.first() {
            Some(branch) => write!(f, "if {} then", branch.condition),
            None => f.write_str("if F then"),
        },
        StmtKind::While { condition, .. } => write!(f, "while {condition} do"),
        StmtKind::Goto(labels) => write!(f, "goto {}", Commas(labels.iter())),
        StmtKind::Return(values) if values.is_empty() => f.write_str("return"),
        StmtKind::Return(values) => write!(f, "return {}", Commas(values.iter())),
        StmtKind::Dead(names) if names.is_empty() => f.write_str("dead"),
        StmtKind::Dead(names) => write!(f, "dead {}", Commas(names.iter())),
        StmtKind::AtomicBegin => f.write_str("atomic_begin"),
        StmtKind::AtomicEnd => f.write_str("atomic_end"),
        StmtKind::StartThread(ThreadStart::Goto(label)) => write!(f, "start_thread goto {label}"),
        StmtKind::StartThread(ThreadStart::Procedure(name)) => write!(f, "start_thread {name}()"),
        StmtKind::EndThread => f.write_str("end_thread"),
        StmtKind::Print(values) => write!(f, "print({})", Commas(values.iter())),
    }
}
