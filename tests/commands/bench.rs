//! `cupola bench`: what it measures, keeps and draws.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use cupola::bench::{self, ALGORITHMS, Results, paper};
use cupola::memory::Model;
use cupola::verdict::Method;

fn cupola() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupola"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn stdout(command: &mut Command) -> String {
    let output = command.output().expect("the binary runs");
    String::from_utf8(output.stdout).expect("the output is text")
}

fn results(text: &str) -> Results {
    serde_json::from_str(text).expect("the output is JSON with results")
}

#[test]
fn there_are_35_rows_and_all_rows_of_the_paper_are_among_them() {
    let methods = [Method::Trad, Method::Pe, Method::Ce];
    let cases = bench::cases("", &Model::ALL, &methods);
    assert_eq!(cases.len(), 7 * (1 + 2 + 2));
    let in_paper = |case: &&bench::Case| {
        paper::figures(case.algorithm.name, case.model, case.method).is_some()
    };
    // Table 1 has 4 algorithms with 3 rows, Table 2 has 3 with 5.
    assert_eq!(cases.iter().filter(in_paper).count(), 4 * 3 + 3 * 5);
}

#[test]
fn the_texts_are_those_of_the_examples() {
    for algorithm in &ALGORITHMS {
        let path = |extension| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            root.join(format!("examples/{}.{extension}", algorithm.name))
        };
        let read = |path: PathBuf| std::fs::read_to_string(path).expect("the example is there");
        assert_eq!(algorithm.program, read(path("cup")));
        assert_eq!(algorithm.proof, read(path("proof")));
    }
}

#[test]
fn the_paper_s_algorithm_asks_about_as_often_as_the_paper_says() {
    let text = stdout(cupola().args(["bench", "dekker/sc", "--baseline", "--json"]));
    let results = results(&text);
    let row = &results.rows[0];
    assert!(row.ours.is_verified());
    let baseline = row
        .ended_baseline()
        .expect("it takes a fraction of a second");
    assert!(baseline.is_verified(), "{}", baseline.verdict);
    let ratio = row.baseline_to_paper().expect("Table 1 has the row");
    assert!((1.0 / 3.0..=3.0).contains(&ratio), "{ratio}");
    assert!(row.fewer_calls().expect("both ended") > 5.0);
}

#[test]
fn both_algorithms_verify_and_have_the_same_predicates() {
    let text = stdout(cupola().args(["bench", "abp/pso/pe", "--baseline", "--json"]));
    let row = &results(&text).rows[0];
    let baseline = row.ended_baseline().expect("it takes a few seconds");
    assert!(row.ours.is_verified() && baseline.is_verified());
    assert_eq!(row.ours.predicates, baseline.predicates);
}

#[test]
fn a_row_over_the_limit_is_shown_so() {
    let text = stdout(cupola().args([
        "bench",
        "ticket/tso/pe",
        "--baseline",
        "--baseline-timeout",
        "0.1",
    ]));
    assert!(text.contains("> 0 s"), "{text}");
}

#[test]
fn stored_results_are_told_again_and_kept() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("results.json");
    let file = file.to_str().expect("the path is text");
    cupola()
        .args(["bench", "dekker/sc", "--baseline", "--json", "-o", file])
        .assert()
        .success();
    let told = stdout(cupola().args(["bench", "--from", file]));
    assert!(told.contains("dekker") && told.contains("fig. 6"), "{told}");
    assert_eq!(told, stdout(cupola().args(["bench", "--from", file])));
    let text = stdout(cupola().args(["bench", "dekker/sc", "--keep-baseline", file, "--json"]));
    let stored = std::fs::read_to_string(file).expect("the results were written");
    assert_eq!(
        results(&text).rows[0].baseline,
        results(&stored).rows[0].baseline
    );
}

#[test]
fn plots_are_the_same_for_the_same_results() {
    let stored = include_str!("../../docs/performance/results.json");
    let plots = cupola::render::plot::plots(&results(stored));
    assert!(plots.len() >= 3, "{}", plots.len());
    for plot in plots {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/performance");
        let drawn = std::fs::read_to_string(path.join(plot.name)).expect("the plot is stored");
        assert_eq!(drawn, plot.svg, "{} (`make performance-page`)", plot.name);
    }
}

#[test]
fn a_filter_without_rows_is_a_mistake() {
    cupola().args(["bench", "petersen"]).assert().code(2);
}

#[test]
fn a_deadline_ends_it_with_what_is_there() {
    let output = cupola()
        .args(["bench", "--timeout", "0", "--json"])
        .assert()
        .code(5);
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("the output is text");
    assert!(!results(&text).complete);
}
