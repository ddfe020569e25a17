//! Rules about FIFOs: their names, and the statements that change them.
//!
//! A FIFO `b` is shown by locals that are declared with it (`b_len`, `b_oldest…`, `b_newest…`): every expression
//! may read them, only `append(b, …)` and `pop(b)` change them.

use indexmap::{IndexMap, IndexSet};

use super::names::{declared_twice, reserved};
use super::suggestions::unknown;
use crate::front::cup::ast::{Name, Place, Span, Thread};
use crate::front::cup::symbols::{Fifo, Init, ThreadSymbols, Variable};
use crate::source::Diagnostic;

/// The FIFOs of a thread; enters the locals that show them into `locals`. `globals` are the names of the outermost
/// scope.
pub(super) fn declare(
    thread: &Thread,
    locals: &mut IndexMap<String, Variable>,
    globals: &IndexMap<String, Span>,
    found: &mut Vec<Diagnostic>,
) -> IndexMap<String, Fifo> {
    let mut fifos: IndexMap<String, Fifo> = IndexMap::new();
    for line in &thread.fifos {
        let name = &line.name;
        let local = locals.get(&name.text).map(|local| local.span);
        let fifo = fifos.get(&name.text).map(|fifo| fifo.span);
        let taken = local.or(fifo).or_else(|| globals.get(&name.text).copied());
        if let Some(first) = taken {
            found.push(declared_twice(name, first));
            continue;
        }
        found.extend(repeated_field(&line.fields));
        let fields: IndexSet<String> = line.fields.iter().map(|field| field.text.clone()).collect();
        let fifo = Fifo {
            fields: fields.into_iter().collect(),
            span: name.span,
        };
        for view in fifo.views(&name.text) {
            let taken = locals.get(&view).map(|local| local.span);
            if let Some(span) = taken.or_else(|| globals.get(&view).copied()) {
                let text = format!("a part of the fifo `{}`", name.text);
                let view = Name { text: view, span };
                found.push(reserved(&view, &text, name.span));
                continue;
            }
            let variable = Variable {
                size: None,
                init: vec![Init::Value(0)],
                span: name.span,
            };
            locals.insert(view, variable);
        }
        fifos.insert(name.text.clone(), fifo);
    }
    fifos
}

/// The FIFO that a statement names.
pub(super) fn named<'a>(
    thread: &'a ThreadSymbols,
    name: &Name,
    found: &mut Vec<Diagnostic>,
) -> Option<&'a Fifo> {
    let fifo = thread.fifos.get(&name.text);
    if fifo.is_none() {
        found.push(unknown(
            "fifo",
            name,
            thread.fifos.keys().map(String::as_str),
        ));
    }
    fifo
}

/// That an `append` has a value for each field.
pub(super) fn values(name: &Name, fifo: &Fifo, values: usize) -> Option<Diagnostic> {
    let expected = fifo.width();
    if values == expected {
        return None;
    }
    let fields = match fifo.fields.is_empty() {
        true => "its entries are single values".to_owned(),
        false => format!("its fields are {}", fifo.fields.join(", ")),
    };
    let message = format!(
        "an entry of `{}` has {}, not {values}",
        name.text,
        counted(expected)
    );
    let error = Diagnostic::error(message, name.span, fields);
    Some(error.with_secondary(fifo.span, "declared here"))
}

/// That an assignment changes no part of a FIFO.
pub(super) fn assigned(thread: &ThreadSymbols, target: &Place) -> Option<Diagnostic> {
    let fifo = thread.shown_fifo(&target.name.text)?;
    let message = format!("`{}` is a part of the fifo `{fifo}`", target.name.text);
    let error = Diagnostic::error(message, target.span, "this cannot be assigned to");
    Some(error.with_note(format!("`append({fifo}, …);` and `pop({fifo});` change it")))
}

fn counted(values: usize) -> String {
    match values {
        1 => "1 value".to_owned(),
        values => format!("{values} values"),
    }
}

fn repeated_field(fields: &[Name]) -> Option<Diagnostic> {
    let earlier = |at: usize| {
        fields[..at]
            .iter()
            .find(|name| name.text == fields[at].text)
    };
    let mut repeated = (0..fields.len()).filter_map(|at| Some((at, earlier(at)?)));
    let (at, first) = repeated.next()?;
    Some(declared_twice(&fields[at], first.span))
}
