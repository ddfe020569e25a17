//! Suggestions that several rules share: names that were meant, and locals to load into.

use crate::front::cup::ast::{Name, StmtKind};
use crate::front::cup::print::print_stmt_head;
use crate::front::cup::suggest::closest;
use crate::front::cup::symbols::ThreadSymbols;
use crate::source::Diagnostic;

/// How many names a note lists.
const LISTED: usize = 8;

/// The error for a name that is not declared.
pub(super) fn unknown<'a>(
    what: &str,
    name: &Name,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Diagnostic {
    missing(format!("unknown {what} `{}`", name.text), name, known)
}

/// The error for a name that stands for nothing where it is used.
pub(super) fn missing<'a>(
    message: String,
    name: &Name,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(message, name.span, "this is not declared");
    let meant = closest(&name.text, known.clone());
    match (meant, list(known)) {
        (Some(meant), _) => diagnostic.with_note(format!("did you mean `{meant}`?")),
        (None, Some(list)) => diagnostic.with_note(format!("declared: {list}")),
        (None, None) => diagnostic.with_note("none is declared"),
    }
}

/// Names in quotes, if there are any; the last of a long list are left out.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut names: Vec<String> = names
        .take(LISTED + 1)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > LISTED {
        names[LISTED] = "…".to_owned();
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// A local of the thread that a statement can do without, or a name for a new one.
pub(super) enum Spare<'a> {
    /// A local that there is.
    Declared(&'a str),
    /// A name that is free.
    New(String),
}

impl Spare<'_> {
    pub(super) fn name(&self) -> &str {
        match self {
            Spare::Declared(name) => name,
            Spare::New(name) => name,
        }
    }

    /// What to do before the local can be used.
    pub(super) fn declaration(&self) -> String {
        match self {
            Spare::Declared(_) => String::new(),
            Spare::New(name) => format!("`local {name};` and "),
        }
    }
}

/// Finds a local to load into before `stmt` that is not `in_use`: the one that it sets if it does not
/// read it, else one that it does not name, else a new one whose name is not taken.
pub(super) fn spare_local<'a>(
    thread: &'a ThreadSymbols,
    stmt: &StmtKind,
    in_use: impl Fn(&str) -> bool,
    is_taken: impl Fn(&str) -> bool,
) -> Spare<'a> {
    let text = print_stmt_head(stmt);
    let read = match (stmt, text.split_once('=')) {
        (StmtKind::Assign(..), Some((_, read))) => read,
        _ => &text,
    };
    let uses = |text: &str, name: &str| {
        let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.any(|word| word == name)
    };
    let scalars = || {
        thread
            .locals
            .iter()
            .filter(|(name, local)| local.size.is_none() && !in_use(name))
    };
    let target = scalars().find(|(name, _)| uses(&text, name) && !uses(read, name));
    let other = || scalars().find(|(name, _)| !uses(&text, name));
    match target.or_else(other) {
        Some((name, _)) => Spare::Declared(name),
        None => Spare::New(free_name(is_taken)),
    }
}

fn free_name(is_taken: impl Fn(&str) -> bool) -> String {
    let names = (0..).map(|number| match number {
        0 => "r".to_owned(),
        number => format!("r{number}"),
    });
    let mut free = names.filter(|name| !is_taken(name));
    free.next().expect("only finitely many names are taken")
}
