//! Programs to the language of Memorax and back: the same verdicts and the same final values.

use std::collections::BTreeSet;

use cupola::engine::Context;
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::front::cup::ast::{Cond, CondKind, ItemKind, Mark, Span, Stmt, StmtKind, Tree, Trivia};
use cupola::front::cup::check::Checked;
use cupola::front::{Format, load, rmm};
use cupola::memory::Model;
use cupola::program::lower;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;
use indexmap::IndexSet;

/// Whether a program is violated, and the values that its variables end with if it is not.
type Seen = (bool, BTreeSet<Vec<i64>>);

/// What exploration sees; `None` if it meets a limit. Variables that a translation has added are left out.
pub fn seen(checked: &Checked, model: Model) -> Option<Seen> {
    let config = ExploreConfig {
        buffer: 8,
        max_states: 30_000,
        outcomes: true,
        ..ExploreConfig::default()
    };
    let program = lower(checked, &IndexSet::new());
    let explored = explore(&program, model, &config, &Context::default());
    let explored = explored.expect("there is no background block");
    let violated = match explored.kind() {
        VerdictKind::Verified => false,
        VerdictKind::Violated => true,
        VerdictKind::Unknown => return None,
    };
    let own = |name: &str| !name.rsplit('.').next().unwrap_or(name).starts_with("seen");
    let kept: Vec<usize> = program
        .var_ids()
        .filter(|var| own(&program.var_display_name(*var)))
        .map(|var| var.index())
        .collect();
    let rows = explored
        .outcomes
        .as_ref()
        .expect("they are asked for")
        .rows()
        .iter();
    let rows = rows.map(|row| kept.iter().map(|at| row[*at]).collect());
    let rows: BTreeSet<Vec<i64>> = if violated {
        BTreeSet::new()
    } else {
        rows.collect()
    };
    Some((violated, rows))
}

/// A program that is written in the language of Memorax and read back; `None` if it does not fit.
pub fn round(checked: &Checked) -> Option<(String, Checked)> {
    let model = rmm::write(checked, &IndexSet::new()).ok()?;
    let text = rmm::print(&model);
    let read = rmm::parse(&SourceFile::new("round.rmm", text.clone()));
    let read = read.unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    assert_eq!(rmm::print(&read), text, "what is printed is read as it is");
    let loaded = load(SourceFile::new("round.rmm", text.clone()), Format::Rmm);
    let loaded = loaded.unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics));
    Some((text, loaded.checked))
}

/// The program with one property only, which always holds, so that its final values are all seen.
pub fn with_trivial_property(mut tree: Tree) -> Tree {
    let always = |span| Stmt {
        labels: Vec::new(),
        kind: StmtKind::Assert(
            Cond {
                kind: CondKind::True,
                span,
            },
            None,
        ),
        trivia: Trivia::default(),
        span,
        start: span.start,
        mark: Mark::default(),
    };
    tree.items
        .retain(|item| !matches!(item.kind, ItemKind::Spec(_) | ItemKind::Placement(_)));
    for item in &mut tree.items {
        if let ItemKind::Thread(thread) = &mut item.kind {
            thread.body.stmts.push(always(Span::default()));
        }
    }
    tree
}

/// Compares a program with itself after a round, under all models; the error describes the difference.
/// Says how many models were compared, and with how many final states.
pub fn compare(checked: &Checked) -> Result<Option<(usize, usize)>, String> {
    let Some((text, again)) = round(checked) else {
        return Ok(None);
    };
    let (mut models, mut finals) = (0, 0);
    for model in Model::ALL {
        let (Some(ours), Some(theirs)) = (seen(checked, model), seen(&again, model)) else {
            continue;
        };
        if ours != theirs {
            return Err(format!(
                "{model}: {ours:?} before, {theirs:?} after:\n{text}"
            ));
        }
        models += 1;
        finals += ours.1.len();
    }
    Ok(Some((models, finals)))
}
