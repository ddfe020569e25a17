//! Syntax tree to text, in the one canonical form.
//!
//! Input: a [`Tree`], parsed or made by a reduction. Output: text that parses to the same tree, spans
//! and redundant parentheses apart. Called by `cupola fmt`, `cupola translate`, and where reports
//! show a statement.
//!
//! The form: two spaces per level; a label stands one level further left than its statement; a `do`
//! whose block holds a few assignments stays on one line where it fits; comments and single blank
//! lines stay; parentheses only where they matter. The text depends on the tree alone.
//!
//! A negative `ExprKind::Num` is written `-5`, which reads back as the negation of 5; the parser
//! never makes one, and a tree that is compared with its own text should hold `Neg(Num(5))`.

mod operators;

use std::fmt::Write as _;

pub use operators::{print_cond, print_expr, print_operand, print_place, print_thread_ref};

use super::ast::{
    Block, ConstDecl, FifoLine, Init, Item, ItemKind, LocalLine, Placement, Rhs, Spec, SpecKind,
    Stmt, StmtKind, Thread, Tree, Trivia, VarDecl,
};

/// The widest line on which a `do` loop is kept together.
const WIDTH: usize = 80;
/// How many assignments a `do` loop on one line may have.
const SHORT_BLOCK: usize = 3;

/// The canonical text of a program.
pub fn print(tree: &Tree) -> String {
    let mut printer = Printer::default();
    for (at, item) in tree.items.iter().enumerate() {
        printer.item(item, at == 0);
    }
    printer.comments(&tree.end_comments);
    printer.text
}

/// A statement on one line, without labels; a compound statement by its head alone.
pub fn print_stmt_head(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Assign(place, rhs) => format!("{} = {};", print_place(place), print_rhs(rhs)),
        StmtKind::Append(fifo, values) => {
            let values: Vec<String> = values.iter().map(print_expr).collect();
            format!("append({}, {});", fifo.text, values.join(", "))
        }
        StmtKind::Pop(fifo) => format!("pop({});", fifo.text),
        StmtKind::Fence => "fence;".to_owned(),
        StmtKind::OptionalFence(name) => format!("fence? {};", name.text),
        StmtKind::Skip => "skip;".to_owned(),
        StmtKind::Break => "break;".to_owned(),
        StmtKind::Continue => "continue;".to_owned(),
        StmtKind::Goto(label) => format!("goto {};", label.text),
        StmtKind::Assume(cond) => format!("assume({});", print_cond(cond)),
        StmtKind::Assert(cond, None) => format!("assert({});", print_cond(cond)),
        StmtKind::Assert(cond, Some(message)) => {
            format!("assert({}, \"{message}\");", print_cond(cond))
        }
        StmtKind::If(arms, _) => match arms.first() {
            Some(arm) => format!("if ({})", print_cond(&arm.cond)),
            None => "if".to_owned(),
        },
        StmtKind::While(cond, _) => format!("while ({})", print_cond(cond)),
        StmtKind::DoWhile(_, cond) => format!("do … while ({});", print_cond(cond)),
        StmtKind::Loop(_) => "loop".to_owned(),
        StmtKind::Atomic(_) => "atomic".to_owned(),
    }
}

/// The right-hand side of an assignment.
pub fn print_rhs(rhs: &Rhs) -> String {
    match rhs {
        Rhs::Any(_) => "*".to_owned(),
        Rhs::Choose(low, high) => format!("choose({}, {})", print_expr(low), print_expr(high)),
        Rhs::Expr(expr) => print_expr(expr),
        Rhs::Cas(place, expected, new) => format!(
            "cas({}, {}, {})",
            print_place(place),
            print_expr(expected),
            print_expr(new)
        ),
        Rhs::Swap(place, new) => format!("swap({}, {})", print_place(place), print_expr(new)),
        Rhs::FetchAdd(place, difference) => format!(
            "fetch_add({}, {})",
            print_place(place),
            print_expr(difference)
        ),
    }
}

/// A spec on one line.
pub fn print_spec(spec: &Spec) -> String {
    let kind = match spec.kind {
        SpecKind::Invariant => "invariant",
        SpecKind::Forbid => "forbid",
        SpecKind::Finally => "finally",
    };
    match &spec.name {
        Some(name) => format!("{kind} {}: {};", name.text, print_cond(&spec.cond)),
        None => format!("{kind} {};", print_cond(&spec.cond)),
    }
}

/// The text so far and the current level.
#[derive(Default)]
struct Printer {
    text: String,
    level: usize,
}

impl Printer {
    fn item(&mut self, item: &Item, first: bool) {
        self.leading(&item.trivia, first);
        match &item.kind {
            ItemKind::Const(constants) => self.text += &print_constants(constants),
            ItemKind::Shared(vars) => self.text += &declaration("shared", vars),
            ItemKind::Thread(thread) => self.thread(thread),
            ItemKind::Placement(placement) => self.text += &print_placement(placement),
            ItemKind::Spec(spec) => self.text += &print_spec(spec),
        }
        self.trailing(&item.trivia.trailing);
    }

    fn thread(&mut self, thread: &Thread) {
        let _ = write!(self.text, "thread {}", thread.name.text);
        if let Some(copies) = &thread.copies {
            let _ = write!(self.text, "[{}]", print_expr(copies));
        }
        let declares = !thread.locals.is_empty() || !thread.fifos.is_empty();
        let empty = !declares && thread.backgrounds.is_empty();
        if empty && is_empty(&thread.body) {
            self.text += " {}";
            return;
        }
        self.open(&thread.body);
        let mut first = true;
        for line in &thread.locals {
            self.local(line, std::mem::take(&mut first));
        }
        for line in &thread.fifos {
            self.leading(&line.trivia, std::mem::take(&mut first));
            self.text += &print_fifo(line);
            self.trailing(&line.trivia.trailing);
        }
        for background in &thread.backgrounds {
            self.leading(&background.trivia, std::mem::take(&mut first));
            self.text += "background";
            self.block(&background.body);
            self.trailing(&background.trivia.trailing);
        }
        self.stmts(&thread.body, first);
        self.close(&thread.body, first);
    }

    fn local(&mut self, line: &LocalLine, first: bool) {
        self.leading(&line.trivia, first);
        self.text += &declaration("local", &line.vars);
        self.trailing(&line.trivia.trailing);
    }

    /// A block behind its head.
    fn block(&mut self, block: &Block) {
        if is_empty(block) {
            self.text += " {}";
            return;
        }
        self.open(block);
        self.stmts(block, true);
        self.close(block, true);
    }

    fn open(&mut self, block: &Block) {
        self.text += " {";
        self.trailing(&block.open_comments);
        self.level += 1;
    }

    fn stmts(&mut self, block: &Block, first: bool) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.stmt(stmt, first && at == 0);
        }
    }

    /// The end of a block; `first` says whether nothing but statements stood in it.
    fn close(&mut self, block: &Block, first: bool) {
        let comments = match block.end_comments.as_slice() {
            [blank, comments @ ..] if blank.is_empty() && first && block.stmts.is_empty() => {
                comments
            }
            comments => comments,
        };
        self.comments(comments);
        self.level -= 1;
        self.indent();
        self.text.push('}');
    }

    fn stmt(&mut self, stmt: &Stmt, first: bool) {
        self.leading(&stmt.trivia, first);
        if !stmt.labels.is_empty() {
            self.outdent();
            for label in &stmt.labels {
                let _ = write!(self.text, "{}: ", label.text);
            }
        }
        self.stmt_kind(&stmt.kind);
        self.trailing(&stmt.trivia.trailing);
    }

    fn stmt_kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::If(arms, otherwise) => {
                for (at, arm) in arms.iter().enumerate() {
                    let word = if at == 0 { "if" } else { " else if" };
                    let _ = write!(self.text, "{word} ({})", print_cond(&arm.cond));
                    self.block(&arm.block);
                }
                if let Some(block) = otherwise {
                    self.text += " else";
                    self.block(block);
                }
            }
            StmtKind::While(_, block) | StmtKind::Loop(block) | StmtKind::Atomic(block) => {
                self.text += &print_stmt_head(kind);
                self.block(block);
            }
            StmtKind::DoWhile(block, cond) => {
                let cond = print_cond(cond);
                match self.short_do(block, &cond) {
                    Some(line) => self.text += &line,
                    None => {
                        self.text += "do";
                        self.block(block);
                        let _ = write!(self.text, " while ({cond});");
                    }
                }
            }
            StmtKind::Assign(..)
            | StmtKind::Append(..)
            | StmtKind::Pop(_)
            | StmtKind::Fence
            | StmtKind::OptionalFence(_)
            | StmtKind::Skip
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(..) => self.text += &print_stmt_head(kind),
        }
    }

    /// A `do` loop on one line, if its block is short and plain.
    fn short_do(&self, block: &Block, cond: &str) -> Option<String> {
        let plain = block.open_comments.is_empty()
            && block.end_comments.is_empty()
            && (1..=SHORT_BLOCK).contains(&block.stmts.len())
            && block.stmts.iter().all(is_plain_assignment);
        if !plain {
            return None;
        }
        let stmts = block.stmts.iter().map(|stmt| print_stmt_head(&stmt.kind));
        let stmts: Vec<String> = stmts.collect();
        let line = format!("do {{ {} }} while ({cond});", stmts.join(" "));
        (2 * self.level + line.chars().count() <= WIDTH).then_some(line)
    }

    /// Blank line, comments and indentation before a node.
    fn leading(&mut self, trivia: &Trivia, first: bool) {
        if trivia.blank_before && !first {
            self.text.push('\n');
        }
        self.comments(&trivia.leading);
        self.indent();
    }

    /// Comments on lines of their own; an empty one is a blank line.
    fn comments(&mut self, comments: &[String]) {
        for comment in comments {
            if !comment.is_empty() {
                self.indent();
                self.text += comment;
            }
            self.text.push('\n');
        }
    }

    /// Comments on the line of a node, and the end of the line.
    fn trailing(&mut self, comments: &[String]) {
        for comment in comments {
            self.text.push(' ');
            self.text += comment;
        }
        self.text.push('\n');
    }

    fn indent(&mut self) {
        self.text += &"  ".repeat(self.level);
    }

    /// Takes back one level of the indentation just written.
    fn outdent(&mut self) {
        let shorter = self.text.len() - 2 * self.level.min(1);
        self.text.truncate(shorter);
    }
}

fn is_empty(block: &Block) -> bool {
    block.stmts.is_empty() && block.open_comments.is_empty() && block.end_comments.is_empty()
}

fn is_plain_assignment(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Assign(..))
        && stmt.labels.is_empty()
        && stmt.trivia == Trivia::default()
}

fn print_constants(constants: &[ConstDecl]) -> String {
    let constant = |c: &ConstDecl| format!("{} = {}", c.name.text, print_expr(&c.value));
    let constants: Vec<String> = constants.iter().map(constant).collect();
    format!("const {};", constants.join(", "))
}

fn declaration(word: &str, vars: &[VarDecl]) -> String {
    let vars: Vec<String> = vars.iter().map(print_var).collect();
    format!("{word} {};", vars.join(", "))
}

fn print_var(var: &VarDecl) -> String {
    let mut text = var.name.text.clone();
    if let Some(size) = &var.size {
        let _ = write!(text, "[{}]", print_expr(size));
    }
    match &var.init {
        None => {}
        Some(Init::Value(value)) => {
            let _ = write!(text, " = {}", print_expr(value));
        }
        Some(Init::Range(low, high)) => {
            let _ = write!(text, " = {}..{}", print_expr(low), print_expr(high));
        }
        Some(Init::Any(_)) => text += " = *",
        Some(Init::List(values, _)) => {
            let values: Vec<String> = values.iter().map(print_expr).collect();
            let _ = write!(text, " = {{ {} }}", values.join(", "));
        }
    }
    text
}

fn print_fifo(line: &FifoLine) -> String {
    let fields: Vec<&str> = line
        .fields
        .iter()
        .map(|field| field.text.as_str())
        .collect();
    match fields.is_empty() {
        true => format!("fifo {};", line.name.text),
        false => format!("fifo {} {{ {} }};", line.name.text, fields.join(", ")),
    }
}

fn print_placement(placement: &Placement) -> String {
    let places: Vec<&str> = placement.places.iter().map(|p| p.text.as_str()).collect();
    format!("fences {}: {};", placement.model, places.join(", "))
}
