//! Random programs hold the explorer and the reductions against each other.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs each test tries, `CUPOLA_RANDOM_SEED=S` the first
//! seed; `make random` is a long run. A failure is shrunk and printed as a program.

use std::collections::BTreeSet;

use cupola::engine::Context;
use cupola::engine::explore::{Exploration, ExploreConfig, explore};
use cupola::front::cup::ast::{
    Block, CondKind, Expr, ExprKind, Init, ItemKind, Rhs, SpecKind, Stmt, StmtKind, Tree, VarDecl,
};
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::front::cup::print::{print_cond, print_stmt_head};
use cupola::front::cup::symbols::{Meaning, Scope};
use cupola::memory::{BufferSizes, Model};
use cupola::program::{Program, lower};
use cupola::reduce::{Flush, ReduceConfig, Storage};
use cupola::semantics::interpreter::replay;
use cupola::source::SourceFile;
use cupola::verdict::{Limit, VerdictKind};
use indexmap::{IndexMap, IndexSet};

use crate::support::compared::Compared;
use crate::support::entries;
use crate::support::equivalence::{compare, compare_with};
use crate::support::random::{Flavour, program, program_of, shrink};

const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];

/// Programs per test where nothing else is asked for.
const SHORT_RUN: u64 = 500;

/// The seeds of this run.
fn seeds() -> impl Iterator<Item = u64> {
    let setting = |name: &str| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse().expect(name))
    };
    let first = setting("CUPOLA_RANDOM_SEED").unwrap_or(0);
    first..first + setting("CUPOLA_RANDOM_PROGRAMS").unwrap_or(SHORT_RUN)
}

/// Runs `check` on every program; shrinks and reports the first that fails. Says how much was compared.
pub fn for_all(check: impl Fn(&SourceFile, &Checked) -> Result<Compared, String>) -> Compared {
    for_all_of(Flavour::Mixed, 1, check)
}

/// The same for every `n`th program of a family.
fn for_all_of(
    flavour: Flavour,
    n: usize,
    check: impl Fn(&SourceFile, &Checked) -> Result<Compared, String>,
) -> Compared {
    let mut total = Compared::default();
    for seed in seeds().step_by(n) {
        let tree = program_of(flavour, seed);
        match try_on(&tree, &check) {
            Ok(compared) => total += compared,
            Err(error) => fail(seed, tree, &error, &check),
        }
    }
    total
}

/// Shrinks a program that fails, and reports it.
fn fail(
    seed: u64,
    tree: Tree,
    error: &str,
    check: &impl Fn(&SourceFile, &Checked) -> Result<Compared, String>,
) -> ! {
    let is_failing = |tree: &Tree| is_valid(tree) && try_on(tree, check).is_err();
    let smallest = shrink(tree, is_failing);
    let message = try_on(&smallest, check).expect_err("shrinking keeps the failure");
    let text = cupola::front::cup::print(&smallest);
    panic!("seed {seed}: {error}\nshrunk: {message}\n{text}");
}

fn try_on(
    tree: &Tree,
    check: &impl Fn(&SourceFile, &Checked) -> Result<Compared, String>,
) -> Result<Compared, String> {
    let (file, checked) = loaded(tree)?;
    check(&file, &checked)
}

fn loaded(tree: &Tree) -> Result<(SourceFile, Checked), String> {
    let file = SourceFile::new("random.cup", cupola::front::cup::print(tree));
    match cupola::front::cup::load(&file) {
        Ok(checked) => Ok((file, checked)),
        Err(errors) => Err(format!("rejected: {errors:?}\n{}", file.text())),
    }
}

fn is_valid(tree: &Tree) -> bool {
    cupola::front::cup::check(tree.clone()).is_ok()
}

fn config(model: Model, sizes: BufferSizes, flush: Flush, checked: &Checked) -> ReduceConfig {
    let fences = Placement::Declared
        .in_force(checked, model)
        .expect("its own placement");
    ReduceConfig {
        model,
        sizes,
        fences,
        flush,
    }
}

/// All states of the program without optional fences, with its final states.
fn exploration(program: &Program, model: Model) -> Exploration {
    let config = ExploreConfig {
        outcomes: true,
        max_states: 100_000,
        ..ExploreConfig::default()
    };
    let explored = explore(program, model, &config, &Context::default());
    explored.expect("a random program has no background blocks")
}

/// Whether the buffers were long enough and the values in range.
fn is_complete(exploration: &Exploration) -> bool {
    exploration
        .limits
        .iter()
        .all(|&limit| limit == Limit::Havoc)
}

fn is_violated(exploration: &Exploration) -> bool {
    exploration.kind() == VerdictKind::Violated
}

fn finals(exploration: &Exploration) -> &BTreeSet<Vec<i64>> {
    exploration
        .outcomes
        .as_ref()
        .expect("outcomes were asked for")
        .rows()
}

/// Compares the reduction to FIFOs of any length with the models, both explored up to two entries, on every `n`th program
/// of a family.
fn fifos_agree(flavour: Flavour, n: usize, flush: Flush) -> Compared {
    for_all_of(flavour, n, |file, checked| {
        let mut total = Compared::default();
        for model in RELAXED {
            let config = config(model, entries(2), flush, checked);
            let difference = compare_with(file, checked, &config, Storage::Fifos);
            let agreement = difference.map_err(|error| format!("{model}, {flush:?}: {error}"))?;
            total.count(agreement.is_ok());
        }
        Ok(total)
    })
}

#[test]
fn translations_to_fifos_agree_with_the_models() {
    fifos_agree(Flavour::Mixed, 4, Flush::Background).assert_percent(90);
}

#[test]
fn translations_to_fifos_with_flush_loops_agree_with_the_models() {
    fifos_agree(Flavour::Mixed, 4, Flush::Inline).assert_percent(90);
}

#[test]
fn translations_of_sections_and_arrays_to_fifos_agree_with_the_models() {
    for flavour in [Flavour::Arrays, Flavour::Sections, Flavour::Locations] {
        fifos_agree(flavour, 10, Flush::Background).assert_percent(85);
    }
}

fn agree(
    file: &SourceFile,
    checked: &Checked,
    sizes: &BufferSizes,
    (models, flush): (&[Model], Flush),
) -> Result<Compared, String> {
    let mut total = Compared::default();
    for &model in models {
        let config = config(model, sizes.clone(), flush, checked);
        let difference = compare(file, checked, &config);
        let agreement =
            difference.map_err(|error| format!("{model}, k = {sizes}, {flush:?}: {error}"))?;
        total.count(agreement.is_ok());
    }
    Ok(total)
}

#[test]
fn translations_with_one_entry_agree_with_the_models() {
    let how = (&RELAXED[..], Flush::Background);
    for_all(|file, checked| agree(file, checked, &entries(1), how)).assert_percent(95);
}

#[test]
fn translations_with_two_entries_agree_with_the_models() {
    let how = (&RELAXED[..], Flush::Background);
    for_all(|file, checked| agree(file, checked, &entries(2), how)).assert_percent(95);
}

#[test]
fn translations_with_flush_loops_agree_with_the_models() {
    let how = (&RELAXED[..], Flush::Inline);
    for_all(|file, checked| agree(file, checked, &entries(1), how)).assert_percent(95);
}

/// Every `n`th program of a family, with background blocks and with loops of flushes.
fn family_agrees(flavour: Flavour, n: usize) {
    for flush in [Flush::Background, Flush::Inline] {
        let how = (&RELAXED[..], flush);
        for_all_of(flavour, n, |file, checked| {
            agree(file, checked, &entries(1), how)
        })
        .assert_percent(90);
    }
}

#[test]
fn translations_with_picked_elements_agree_with_the_models() {
    family_agrees(Flavour::Arrays, 1);
}

#[test]
fn translations_of_sections_agree_with_the_models() {
    family_agrees(Flavour::Sections, 1);
}

/// These have many states.
#[test]
fn translations_with_named_locations_agree_with_the_models() {
    family_agrees(Flavour::Locations, 2);
}

/// So have these.
#[test]
fn translations_of_copies_agree_with_the_models() {
    family_agrees(Flavour::Copies, 4);
}

/// One entry and two by turns, each variable with its own.
#[test]
fn translations_with_different_sizes_agree_with_pso() {
    let how = (&[Model::Pso][..], Flush::Background);
    for_all(|file, checked| {
        let scalars = checked.symbols.shared_scalars().into_iter().enumerate();
        let own = scalars.map(|(number, name)| format!(",{name}={}", 1 + number % 2));
        let sizes = format!("3{}", own.collect::<String>());
        agree(file, checked, &sizes.parse().expect("sizes"), how)
    })
    .assert_percent(95);
}

#[test]
fn weaker_models_have_more_outcomes() {
    for_all(|_, checked| {
        let program = lower(checked, &IndexSet::new());
        let runs = Model::ALL.map(|model| exploration(&program, model));
        let mut total = Compared::default();
        for pair in runs.windows(2) {
            let complete = pair.iter().all(is_complete);
            total.count(complete);
            if !complete {
                continue;
            }
            if !finals(&pair[0]).is_subset(finals(&pair[1])) {
                return Err("the stronger model has an outcome of its own".to_owned());
            }
            if is_violated(&pair[0]) && !is_violated(&pair[1]) {
                return Err("the stronger model has a violation of its own".to_owned());
            }
        }
        Ok(total)
    })
    .assert_percent(90);
}

#[test]
fn a_fence_after_every_store_restores_sc() {
    for_all(|_, checked| {
        let mut tree = checked.tree.clone();
        for item in &mut tree.items {
            if let ItemKind::Thread(thread) = &mut item.kind {
                let name = thread.name.text.clone();
                fence_stores(&mut thread.body, checked, &name);
            }
        }
        let fenced = cupola::front::cup::check(tree).map_err(|errors| format!("{errors:?}"))?;
        let program = lower(&fenced, &IndexSet::new());
        let runs = Model::ALL.map(|model| exploration(&program, model));
        let complete = runs.iter().all(is_complete);
        match complete && runs.iter().any(|run| finals(run) != finals(&runs[0])) {
            true => Err("the outcomes differ between models".to_owned()),
            false => Ok(Compared::once(complete)),
        }
    })
    .assert_percent(95);
}

/// Puts a fence behind every plain store of a thread.
fn fence_stores(block: &mut Block, checked: &Checked, thread: &str) {
    let stmts = std::mem::take(&mut block.stmts);
    for mut stmt in stmts {
        for inner in stmt.kind.blocks_mut() {
            fence_stores(inner, checked, thread);
        }
        let fence = is_store(&stmt, checked, thread).then(|| Stmt {
            labels: Vec::new(),
            kind: StmtKind::Fence,
            ..stmt.clone()
        });
        block.stmts.push(stmt);
        block.stmts.extend(fence);
    }
}

fn is_store(stmt: &Stmt, checked: &Checked, thread: &str) -> bool {
    let StmtKind::Assign(place, _) = &stmt.kind else {
        return false;
    };
    let meaning = checked.symbols.meaning(Some(thread), &place.name.text);
    matches!(
        meaning,
        Some(
            Meaning::Scalar(Scope::Shared, _)
                | Meaning::Array(Scope::Shared, ..)
                | Meaning::Element(Scope::Shared, ..)
        )
    )
}

#[test]
fn with_one_shared_variable_tso_and_pso_agree() {
    for_all(|_, checked| {
        let shared = &checked.symbols.shared;
        if shared.len() != 1 || shared.values().any(|variable| variable.size.is_some()) {
            return Ok(Compared::once(false));
        }
        let program = lower(checked, &IndexSet::new());
        let [tso, pso] = RELAXED.map(|model| exploration(&program, model));
        if !is_complete(&tso) || !is_complete(&pso) {
            return Ok(Compared::once(false));
        }
        match tso.kind() == pso.kind() && finals(&tso) == finals(&pso) {
            true => Ok(Compared::once(true)),
            false => Err("TSO and PSO differ".to_owned()),
        }
    })
    .assert_percent(8);
}

#[test]
fn traces_replay() {
    for_all(|_, checked| {
        let program = lower(checked, &IndexSet::new());
        let mut total = Compared::default();
        for model in Model::ALL {
            let config = ExploreConfig {
                buffer: 3,
                max_states: 50_000,
                ..ExploreConfig::default()
            };
            let run = explore(&program, model, &config, &Context::default());
            let run = run.map_err(|error| error.to_string())?;
            let trace = run.violation.as_ref().map(|violation| violation.trace());
            total.count(trace.is_some());
            if let Some(trace) = trace {
                replay(&program, model, trace).map_err(|error| format!("{model}: {error}"))?;
            }
        }
        Ok(total)
    })
    .assert_percent(30);
}

/// The generator is worth its name only if the models differ on what it makes.
#[test]
fn the_programs_tell_the_models_apart() {
    let (mut total, mut different, mut overflowing) = (0, 0, 0);
    for seed in seeds() {
        let (file, checked) = loaded(&program(seed)).expect("random programs are valid");
        total += 1;
        let lowered = lower(&checked, &IndexSet::new());
        let runs = Model::ALL.map(|model| exploration(&lowered, model));
        let differs =
            |run: &Exploration| run.kind() != runs[0].kind() || finals(run) != finals(&runs[0]);
        different += usize::from(runs.iter().any(differs));
        let overflows = |model| {
            let config = config(model, entries(1), Flush::Background, &checked);
            compare(&file, &checked, &config)
                .is_ok_and(|done| done.is_ok_and(|seen| seen.overflows))
        };
        overflowing += usize::from(RELAXED.into_iter().any(overflows));
    }
    assert!(
        4 * different >= total,
        "{different} of {total} programs differ between models"
    );
    assert!(
        10 * overflowing >= total,
        "{overflowing} of {total} programs overflow at k = 1"
    );
}

/// Every kind of statement and spec, and what else the comparison is to cover, occurs often.
#[test]
fn the_programs_use_the_whole_language() {
    let mut uses: IndexMap<&str, usize> = IndexMap::new();
    for seed in 0..SHORT_RUN {
        let tree = program(seed);
        for feature in features(&tree) {
            *uses.entry(feature).or_default() += 1;
        }
    }
    let expected = [
        "store",
        "load or local",
        "any value",
        "choose",
        "choose inside atomic",
        "const",
        "const in a size",
        "const in a number of copies",
        "range",
        "range of an array",
        "quotient",
        "remainder",
        "remainder in a spec",
        "cas",
        "swap",
        "fetch_add",
        "fence",
        "optional fence",
        "skip",
        "break",
        "continue",
        "goto",
        "assume",
        "assert",
        "if",
        "while",
        "do",
        "loop",
        "atomic",
        "blocking inside atomic",
        "copies",
        "invariant",
        "forbid",
        "finally",
        "location",
        "negated location",
    ];
    for feature in expected {
        let count = uses.get(feature).copied().unwrap_or(0);
        assert!(count >= 5, "`{feature}` occurs in {count} programs only");
    }
}

fn features(tree: &Tree) -> BTreeSet<&'static str> {
    let mut features = BTreeSet::new();
    for item in &tree.items {
        match &item.kind {
            ItemKind::Const(_) => _ = features.insert("const"),
            ItemKind::Shared(vars) => vars_features(vars, &mut features),
            ItemKind::Placement(_) => {}
            ItemKind::Thread(thread) => {
                features.extend(thread.copies.as_ref().map(|_| "copies"));
                let named = thread.copies.as_ref().filter(|copies| is_name(copies));
                features.extend(named.map(|_| "const in a number of copies"));
                let lines = thread.locals.iter();
                lines.for_each(|line| vars_features(&line.vars, &mut features));
                block_features(&thread.body, false, &mut features);
            }
            ItemKind::Spec(spec) => {
                features.insert(match spec.kind {
                    SpecKind::Invariant => "invariant",
                    SpecKind::Forbid => "forbid",
                    SpecKind::Finally => "finally",
                });
                let remainder = print_cond(&spec.cond).contains(" % ");
                features.extend(remainder.then_some("remainder in a spec"));
                location_features(&spec.cond.kind, false, &mut features);
            }
        }
    }
    features
}

fn vars_features(vars: &[VarDecl], features: &mut BTreeSet<&'static str>) {
    for var in vars {
        if matches!(var.init, Some(Init::Range(..))) {
            features.insert("range");
            features.extend(var.size.as_ref().map(|_| "range of an array"));
        }
        let named = var.size.as_ref().filter(|size| is_name(size));
        features.extend(named.map(|_| "const in a size"));
    }
}

fn is_name(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Place(_))
}

fn location_features(cond: &CondKind, negated: bool, features: &mut BTreeSet<&'static str>) {
    match cond {
        CondKind::At(..) => {
            features.insert(if negated {
                "negated location"
            } else {
                "location"
            });
        }
        CondKind::Not(inner) => location_features(&inner.kind, !negated, features),
        CondKind::And(left, right) | CondKind::Or(left, right) => {
            location_features(&left.kind, negated, features);
            location_features(&right.kind, negated, features);
        }
        CondKind::True | CondKind::False | CondKind::Any | CondKind::Compare(..) => {}
    }
}

fn block_features(block: &Block, atomic: bool, features: &mut BTreeSet<&'static str>) {
    for stmt in &block.stmts {
        features.insert(statement_feature(&stmt.kind));
        if atomic && matches!(stmt.kind, StmtKind::Assume(_) | StmtKind::Fence) {
            features.insert("blocking inside atomic");
        }
        if atomic && matches!(stmt.kind, StmtKind::Assign(_, Rhs::Choose(..))) {
            features.insert("choose inside atomic");
        }
        let text = print_stmt_head(&stmt.kind);
        features.extend(text.contains(" / ").then_some("quotient"));
        features.extend(text.contains(" % ").then_some("remainder"));
        let atomic = atomic || matches!(stmt.kind, StmtKind::Atomic(_));
        for inner in stmt.kind.blocks() {
            block_features(inner, atomic, features);
        }
    }
}

fn statement_feature(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Assign(_, Rhs::Any(_)) => "any value",
        StmtKind::Assign(_, Rhs::Choose(..)) => "choose",
        StmtKind::Assign(_, Rhs::Cas(..)) => "cas",
        StmtKind::Assign(_, Rhs::Swap(..)) => "swap",
        StmtKind::Assign(_, Rhs::FetchAdd(..)) => "fetch_add",
        StmtKind::Assign(place, Rhs::Expr(_))
            if place.name.text.starts_with(char::is_uppercase) =>
        {
            "store"
        }
        StmtKind::Assign(_, Rhs::Expr(_)) => "load or local",
        StmtKind::Append(..) => "append",
        StmtKind::Pop(_) => "pop",
        StmtKind::Fence => "fence",
        StmtKind::OptionalFence(_) => "optional fence",
        StmtKind::Skip => "skip",
        StmtKind::Break => "break",
        StmtKind::Continue => "continue",
        StmtKind::Goto(_) => "goto",
        StmtKind::Assume(_) => "assume",
        StmtKind::Assert(..) => "assert",
        StmtKind::If(..) => "if",
        StmtKind::While(..) => "while",
        StmtKind::DoWhile(..) => "do",
        StmtKind::Loop(_) => "loop",
        StmtKind::Atomic(_) => "atomic",
    }
}
