//! Random programs hold the explorer and the reductions against each other.
//!
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs each test tries, `CUPOLA_RANDOM_SEED=S` the first
//! seed; `make random` is a long run. A failure is shrunk and printed as a program.

mod support;

use std::collections::BTreeSet;

use cupola::explore::replay::replay;
use cupola::explore::{Exploration, ExploreConfig, Limit, Verdict, explore};
use cupola::lang::ast::{Block, CondKind, ItemKind, SpecKind, Stmt, StmtKind, Tree};
use cupola::lang::check::Checked;
use cupola::lang::placement::Placement;
use cupola::lang::source::SourceFile;
use cupola::lang::symbols::{Meaning, Scope};
use cupola::model::Model;
use cupola::program::{Program, lower};
use cupola::reduce::{Flush, ReduceConfig};
use indexmap::{IndexMap, IndexSet};

use support::equivalence::compare;
use support::random::{program, shrink};

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

/// Runs `check` on every program; shrinks and reports the first that fails.
fn for_all(check: impl Fn(&SourceFile, &Checked) -> Result<(), String>) {
    for seed in seeds() {
        let tree = program(seed);
        if let Err(error) = try_on(&tree, &check) {
            let is_failing = |tree: &Tree| is_valid(tree) && try_on(tree, &check).is_err();
            let smallest = shrink(tree, is_failing);
            let message = try_on(&smallest, &check).expect_err("shrinking keeps the failure");
            let text = cupola::lang::print(&smallest);
            panic!("seed {seed}: {error}\nshrunk: {message}\n{text}");
        }
    }
}

fn try_on(
    tree: &Tree,
    check: &impl Fn(&SourceFile, &Checked) -> Result<(), String>,
) -> Result<(), String> {
    let (file, checked) = loaded(tree)?;
    check(&file, &checked)
}

fn loaded(tree: &Tree) -> Result<(SourceFile, Checked), String> {
    let file = SourceFile::new("random.cup", cupola::lang::print(tree));
    match cupola::lang::load(&file) {
        Ok(checked) => Ok((file, checked)),
        Err(errors) => Err(format!("rejected: {errors:?}\n{}", file.text())),
    }
}

fn is_valid(tree: &Tree) -> bool {
    cupola::lang::check(tree.clone()).is_ok()
}

fn config(model: Model, k: usize, flush: Flush, checked: &Checked) -> ReduceConfig {
    let fences = Placement::Declared
        .in_force(checked, model)
        .expect("its own placement");
    ReduceConfig {
        model,
        k,
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
    explore(program, model, &config).expect("a random program has no background blocks")
}

/// Whether the buffers were long enough and the values in range.
fn is_complete(exploration: &Exploration) -> bool {
    exploration.limits.iter().all(|&limit| limit == Limit::Star)
}

fn finals(exploration: &Exploration) -> &BTreeSet<Vec<i64>> {
    exploration
        .outcomes
        .as_ref()
        .expect("outcomes were asked for")
        .rows()
}

fn agree(file: &SourceFile, checked: &Checked, k: usize, flush: Flush) -> Result<(), String> {
    for model in RELAXED {
        let difference = compare(file, checked, &config(model, k, flush, checked));
        difference
            .map_err(|error| format!("{model}, k = {k}, {flush:?}: {error}"))?
            .ok();
    }
    Ok(())
}

#[test]
fn translations_with_one_entry_agree_with_the_models() {
    for_all(|file, checked| agree(file, checked, 1, Flush::Background));
}

#[test]
fn translations_with_two_entries_agree_with_the_models() {
    for_all(|file, checked| agree(file, checked, 2, Flush::Background));
}

#[test]
fn translations_with_flush_loops_agree_with_the_models() {
    for_all(|file, checked| agree(file, checked, 1, Flush::Inline));
}

#[test]
fn weaker_models_have_more_outcomes() {
    for_all(|_, checked| {
        let program = lower(checked, &IndexSet::new());
        let runs = Model::ALL.map(|model| exploration(&program, model));
        for pair in runs.windows(2).filter(|pair| pair.iter().all(is_complete)) {
            if !finals(&pair[0]).is_subset(finals(&pair[1])) {
                return Err("the stronger model has an outcome of its own".to_owned());
            }
            if pair[0].verdict == Verdict::Violated && pair[1].verdict != Verdict::Violated {
                return Err("the stronger model has a violation of its own".to_owned());
            }
        }
        Ok(())
    });
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
        let fenced = cupola::lang::check(tree).map_err(|errors| format!("{errors:?}"))?;
        let program = lower(&fenced, &IndexSet::new());
        let runs = Model::ALL.map(|model| exploration(&program, model));
        let complete = runs.iter().all(is_complete);
        match complete && runs.iter().any(|run| finals(run) != finals(&runs[0])) {
            true => Err("the outcomes differ between models".to_owned()),
            false => Ok(()),
        }
    });
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
            return Ok(());
        }
        let program = lower(checked, &IndexSet::new());
        let [tso, pso] = RELAXED.map(|model| exploration(&program, model));
        if !is_complete(&tso) || !is_complete(&pso) {
            return Ok(());
        }
        match tso.verdict == pso.verdict && finals(&tso) == finals(&pso) {
            true => Ok(()),
            false => Err("TSO and PSO differ".to_owned()),
        }
    });
}

#[test]
fn traces_replay() {
    for_all(|_, checked| {
        let program = lower(checked, &IndexSet::new());
        for model in Model::ALL {
            let config = ExploreConfig {
                buffer: 3,
                max_states: 50_000,
                ..ExploreConfig::default()
            };
            let run = explore(&program, model, &config).map_err(|error| error.to_string())?;
            if let (Verdict::Violated, Some(trace)) = (run.verdict, &run.trace) {
                replay(&program, model, trace).map_err(|error| format!("{model}: {error}"))?;
            }
        }
        Ok(())
    });
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
            |run: &Exploration| run.verdict != runs[0].verdict || finals(run) != finals(&runs[0]);
        different += usize::from(runs.iter().any(differs));
        let overflows = |model| {
            let config = config(model, 1, Flush::Background, &checked);
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
            ItemKind::Shared(_) | ItemKind::Placement(_) => {}
            ItemKind::Thread(thread) => {
                features.extend(thread.copies.map(|_| "copies"));
                block_features(&thread.body, false, &mut features);
            }
            ItemKind::Spec(spec) => {
                features.insert(match spec.kind {
                    SpecKind::Invariant => "invariant",
                    SpecKind::Forbid => "forbid",
                    SpecKind::Finally => "finally",
                });
                location_features(&spec.cond.kind, false, &mut features);
            }
        }
    }
    features
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
        let atomic = atomic || matches!(stmt.kind, StmtKind::Atomic(_));
        for inner in stmt.kind.blocks() {
            block_features(inner, atomic, features);
        }
    }
}

fn statement_feature(kind: &StmtKind) -> &'static str {
    use cupola::lang::ast::Rhs;
    match kind {
        StmtKind::Assign(_, Rhs::Any(_)) => "any value",
        StmtKind::Assign(_, Rhs::Cas(..)) => "cas",
        StmtKind::Assign(_, Rhs::Swap(..)) => "swap",
        StmtKind::Assign(_, Rhs::FetchAdd(..)) => "fetch_add",
        StmtKind::Assign(place, Rhs::Expr(_))
            if place.name.text.starts_with(char::is_uppercase) =>
        {
            "store"
        }
        StmtKind::Assign(_, Rhs::Expr(_)) => "load or local",
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
