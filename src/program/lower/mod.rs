//! From the checked tree to control-flow graphs.
//!
//! Input: a checked program and the names of the optional fences in force. Output: [`Program`]. The
//! explorer and the abstraction call it, on programs as written and on those that a reduction made.
//! `names` expands arrays and copies, `expr` lowers expressions and collects the bounds of indices,
//! `body` lowers statements, each step of the semantics becoming one edge of a `graph`.

mod body;
mod expr;
mod graph;
mod names;
mod properties;
mod statements;
#[cfg(test)]
mod tests;

use indexmap::IndexSet;

use crate::front::cup::ast::{self, ItemKind};
use crate::front::cup::check::Checked;

use super::{Background, Program, PropertyKind, Spec, Thread, ThreadId, invariants};
use body::Body;
use expr::{Context, Indices};
use names::Names;
use properties::Declared;
use statements::Statements;

/// The control-flow graphs of a checked program with the optional fences `fences` in force.
pub fn lower(checked: &Checked, fences: &IndexSet<String>) -> Program {
    let names = Names::new(&checked.symbols);
    let mut declared = Declared::default();
    let mut statements = Statements::default();
    let threads: Vec<Thread> = names
        .instances()
        .iter()
        .enumerate()
        .map(|(id, instance)| {
            let text = thread_text(checked, instance.text);
            let tables = (&mut declared, &mut statements);
            lower_thread(&names, ThreadId::new(id), text, fences, tables)
        })
        .collect();
    let specs = lower_specs(checked, &names, &threads, (&mut declared, &mut statements));
    let (vars, fifos) = names.into_tables();
    let mut program = Program {
        vars,
        threads,
        fifos,
        specs,
        properties: Vec::new(),
        statements: statements.into_table(),
    };
    program.properties = declared.into_table(&program);
    if cfg!(debug_assertions) {
        invariants::check(&program);
    }
    program
}

fn thread_text<'a>(checked: &'a Checked, name: &str) -> &'a ast::Thread {
    let mut threads = checked
        .tree
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Thread(thread) => Some(thread),
            ItemKind::Const(_)
            | ItemKind::Shared(_)
            | ItemKind::Placement(_)
            | ItemKind::Spec(_) => None,
        });
    let text = threads.find(|thread| thread.name.text == name);
    text.expect("every thread symbol comes from a thread of the tree")
}

fn lower_thread(
    names: &Names<'_>,
    id: ThreadId,
    text: &ast::Thread,
    fences: &IndexSet<String>,
    (declared, statements): (&mut Declared, &mut Statements),
) -> Thread {
    let context = Context {
        names,
        thread: Some(id),
        threads: &[],
        indices: Indices::All,
    };
    let mut body = Body::new(context, fences, statements);
    let end = body.graph.add(false, Vec::new());
    let mut roots = vec![body.block(&text.body, end), end];
    for background in &text.backgrounds {
        roots.push(body.background(&background.body, end));
    }
    let (mut locations, roots) = body.graph.finish(&roots);
    declared.add_thread(&body.declared, &mut locations);
    let spans = text.backgrounds.iter().map(|background| background.span);
    let backgrounds = roots[2..].iter().zip(spans);
    let name = &text.name.text;
    let copy = names.instances()[id.index()].copy;
    Thread {
        name: copy.map_or_else(|| name.clone(), |copy| format!("{name}_{copy}")),
        display_name: copy.map_or_else(|| name.clone(), |copy| format!("{name}[{copy}]")),
        locations,
        entry: roots[0],
        end: roots[1],
        backgrounds: backgrounds
            .map(|(&entry, span)| Background { entry, span })
            .collect(),
    }
}

fn lower_specs(
    checked: &Checked,
    names: &Names<'_>,
    threads: &[Thread],
    (declared, statements): (&mut Declared, &mut Statements),
) -> Vec<Spec> {
    let context = Context {
        names,
        thread: None,
        threads,
        indices: Indices::Met,
    };
    let specs = checked
        .tree
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Spec(spec) => Some((spec, item)),
            ItemKind::Const(_)
            | ItemKind::Shared(_)
            | ItemKind::Placement(_)
            | ItemKind::Thread(_) => None,
        });
    specs
        .map(|(spec, item)| {
            let site = (item.span, statements.add_spec(spec, item));
            let (cond, bounds) = context.cond(&spec.cond);
            let name = spec.name.as_ref().map(|name| name.text.as_str());
            Spec {
                property: declared.add(PropertyKind::from(spec.kind), name, site),
                kind: spec.kind,
                bounds: declared.add_bounds(bounds, site),
                cond,
            }
        })
        .collect()
}
