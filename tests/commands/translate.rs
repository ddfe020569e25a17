//! Tests of the reductions and of `cupola translate`.

use std::path::{Path, PathBuf};

use crate::support::equivalence::{Agreement, compare, compare_with};
use assert_cmd::Command;
use cupola::front::cup::placement::Placement;
use cupola::front::cup::{self};
use cupola::memory::{BufferSizes, Model};
use cupola::reduce::{self, Flush, ReduceConfig, Storage};
use cupola::source::SourceFile;

const RELAXED: [Model; 2] = [Model::Tso, Model::Pso];
const FLUSHES: [Flush; 2] = [Flush::Background, Flush::Inline];

#[test]
fn small_programs_do_the_same_as_their_translations() {
    small_programs_agree(Storage::Slots);
}

#[test]
fn small_programs_do_the_same_as_their_translations_to_fifos() {
    small_programs_agree(Storage::Fifos);
}

fn small_programs_agree(storage: Storage) {
    let mut agreements = Vec::new();
    for path in programs("tests/programs/translate") {
        let file = read(&path);
        let checked = cup::load(&file).unwrap_or_else(|errors| panic!("{path:?}: {errors:?}"));
        for model in RELAXED {
            let fences = Placement::Declared.in_force(&checked, model).unwrap();
            for (k, flush) in [1, 2, 3]
                .into_iter()
                .flat_map(|k| FLUSHES.map(|flush| (k, flush)))
            {
                let config = ReduceConfig {
                    model,
                    sizes: BufferSizes::uniform(k).expect("small sizes"),
                    fences: fences.clone(),
                    flush,
                };
                let compared = compare_with(&file, &checked, &config, storage)
                    .unwrap_or_else(|error| panic!("{path:?} {model} k={k} {flush:?}: {error}"));
                agreements.push(compared.unwrap_or_else(|_| panic!("{path:?} is too large")));
            }
        }
    }
    let count = |test: fn(&Agreement) -> bool| agreements.iter().filter(|a| test(a)).count();
    assert!(count(|a| a.overflows) >= 40, "too few overflow");
    assert!(count(|a| a.violated) >= 40, "too few are violated");
    assert!(
        count(|a| a.outcomes > 1 && !a.overflows) >= 40,
        "too few have several outcomes"
    );
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "cup"))
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> SourceFile {
    let text = std::fs::read_to_string(path).unwrap();
    SourceFile::new(path.file_name().unwrap().to_string_lossy(), text)
}

#[test]
fn a_store_under_pso_is_one_group_as_in_figure_5() {
    let text = translated(
        "shared X;\nthread P {\nl: X = 7;\n}\n",
        &["--model", "pso", "-k", "2"],
    );
    let group = "  // line 3: X = 7;
l: atomic {
    if (X_cnt_t0 == 2) {
      overflow = 1;
      assert(overflow == 0, \"overflow\");
      assume(false);
    }
    X_cnt_t0 = X_cnt_t0 + 1;
    if (X_cnt_t0 == 1) {
      X_1_t0 = 7;
    } else if (X_cnt_t0 == 2) {
      X_2_t0 = 7;
    }
  }
";
    assert!(text.contains(group), "{text}");
}

#[test]
fn under_tso_variables_have_numbers_and_elements_count_one_each() {
    let program = "shared A[2], X, Y; thread P { local r; X = 7; r = X; r = Y; }";
    let text = translated(program, &["--model", "tso"]);
    assert!(text.contains("lhs_1_t0 = 2;\n"), "{text}");
    assert!(
        text.contains("if (cnt_t0 >= 1 && lhs_1_t0 == 2) {"),
        "{text}"
    );
    assert!(
        text.contains("\n  r = Y;\n"),
        "a variable never stored to is read from memory:\n{text}"
    );
}

#[test]
fn only_variables_that_a_thread_stores_to_have_buffers() {
    let program = "shared A[3], X, Y;
        thread P[2] { local r; A[tid] = 1; r = cas(Y, 0, 1); }
        thread Q { local r; r = X; fence; }";
    let text = translated(program, &["--model", "pso"]);
    assert!(text.contains("local A_0_1_t0, A_0_cnt_t0;"), "{text}");
    assert!(text.contains("local A_1_1_t1, A_1_cnt_t1;"), "{text}");
    assert_eq!(text.matches("\n  local ").count(), 5, "{text}");
    assert!(
        text.contains("\n  r = cas(Y, 0, 1);\n"),
        "nothing to wait for:\n{text}"
    );
    assert!(text.contains("// line 3: fence;\n  skip;\n"), "{text}");
}

#[test]
fn an_atomic_operation_waits_for_its_own_variable_under_pso_and_for_all_under_tso() {
    let program = "shared X, Y; thread P { local r; X = 1; Y = 1; r = swap(Y, 2); }";
    let wait = |wait: &str| format!("atomic {{\n    assume({wait});\n    r = swap(Y, 2);\n  }}\n");
    let pso = translated(program, &["--model", "pso"]);
    assert!(pso.contains(&wait("Y_cnt_t0 == 0")), "{pso}");
    let tso = translated(program, &["--model", "tso"]);
    assert!(tso.contains(&wait("cnt_t0 == 0")), "{tso}");
}

#[test]
fn taken_names_get_underscores() {
    let program = "shared X, overflow;
        thread P { local X_1_t0, X_1_t0_; X = 1; overflow = 1; X_1_t0_ = X; }
        thread Q { local cnt_t0; cnt_t0 = X; }";
    let pso = translated(program, &["--model", "pso"]);
    assert!(pso.contains("shared overflow_;"), "{pso}");
    assert!(pso.contains("local X_1_t0__, X_cnt_t0;"), "{pso}");
    assert!(
        pso.contains("overflow_ = 1;\n      assert(overflow_ == 0, \"overflow\");"),
        "{pso}"
    );
    let tso = translated(program, &["--model", "tso"]);
    assert!(tso.contains("local lhs_1_t0, rhs_1_t0, cnt_t0_;"), "{tso}");
}

#[test]
fn inline_loops_have_the_labels_of_the_location_they_wait_for() {
    let program = "shared X; thread P { X = 1; l: m: skip; n: X = 2; }
        forbid p: P@l && !P@m; forbid q: P@n;";
    let text = translated(program, &["--model", "pso", "--flush", "inline"]);
    assert!(!text.contains("background"), "{text}");
    assert_eq!(text.matches("while (*) {").count(), 3, "{text}");
    let here = |label: &str| format!("P@{label} || P@before_l_1 || P@before_l_2");
    assert!(
        text.contains(&format!("({}) && !({})", here("l"), here("m"))),
        "{text}"
    );
    assert!(
        text.contains("P@n || P@before_n_1 || P@before_n_2;"),
        "{text}"
    );
}

#[test]
fn under_sc_copies_and_optional_fences_are_resolved() {
    let program = "// Header.

        // Comment.
        shared A[2];
        thread P[2] { local r; A[tid] = 1; fence? a; l: r = A[1 - tid]; fence? b; fence; }
        fences tso: a;
        forbid both: P[0]@l && P[1].r == 0;";
    let text = translated(program, &["--model", "sc", "--fences", "b"]);
    let expected = "// <stdin> under SC, its copies and optional fences resolved.
// Optional fences in force: b.

// Comment.
shared A[2];

thread P_0 {
  local r;
  A[0] = 1;
  // line 5: fence? a;
  skip;
l: r = A[1];
  // line 5: fence? b;
  fence;
  fence;
}

thread P_1 {
  local r;
  A[1] = 1;
  // line 5: fence? a;
  skip;
l: r = A[0];
  // line 5: fence? b;
  fence;
  fence;
}

forbid both: P_0@l && P_1.r == 0;
";
    assert_eq!(text, expected);
}

#[test]
fn the_users_comments_are_kept_but_for_the_header_and_what_is_expected() {
    let program = "// A header.
// expect: sc=safe

// The data.
shared X; // expect: nothing
/* a thread */
thread P {
  local r; // a local
  // publish
  X = 7; // now
  // a condition
  if (r == 0) { // is it?
    r = 1; // yes
    // end of the arm
  }
  // end of the thread
}
// expect: more
// end of the file
";
    for model in ["tso", "pso"] {
        let text = translated(program, &["--model", model]);
        let group = "  // publish\n  // now\n  // line 10: X = 7;\n  atomic {\n";
        let rest = "  // a condition
  if (r == 0) { // is it?
    r = 1; // yes
    // end of the arm
  }
  // end of the thread
}
// end of the file
";
        assert!(text.contains("\n\n// The data.\nshared X;\n"), "{text}");
        assert!(text.contains("\n/* a thread */\nthread P {\n  local r; // a local\n"));
        assert!(text.contains(group) && text.ends_with(rest), "{text}");
        assert!(
            !text.contains("header") && !text.contains("expect"),
            "{text}"
        );
        assert_eq!(
            translated(&text, &["--model", "sc"])
                .matches("// publish")
                .count(),
            1
        );
    }
}

#[test]
fn a_program_with_background_blocks_has_sc_semantics_only() {
    let program = "shared X; thread P { background { X = 1; } skip; }";
    assert!(translated(program, &["--model", "sc"]).contains("background {"));
    let output = translate(program, &["--model", "tso"])
        .assert()
        .code(2)
        .stdout("");
    let message = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(message.contains("SC semantics only, not TSO"), "{message}");
    assert!(message.contains("<stdin>:1:22"), "{message}");
}

#[test]
fn wrong_usage_is_told() {
    let program = "shared X; thread P { X = 1; fence? a; }";
    for args in [
        &["--model", "pso", "-k", "0"][..],
        &["--model", "pso", "-k", "65"],
        &["--model", "pso", "--fences", "b"],
        &["--model", "arm"],
        &["--model", "pso", "--flush", "never"],
        &[],
    ] {
        let output = translate(program, args).assert().code(2).stdout("");
        assert!(!output.get_output().stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn the_largest_k_is_64() {
    let program = "shared X; thread P { local r; X = 1; r = X; }";
    for model in ["tso", "pso"] {
        let text = translated(program, &["--model", model, "-k", "64"]);
        assert!(text.contains("_64_t0"), "{text}");
    }
}

#[test]
fn under_pso_variables_may_have_sizes_of_their_own() {
    let program = "shared X, A[2]; thread P { X = 1; A[0] = 1; A[1] = 2; }";
    let text = translated(program, &["--model", "pso", "-k", "1,X=3,A[1]=2"]);
    let header = "// Store buffers of k = 1 entry (A[1]: 2, X: 3) are locals,";
    assert!(text.contains(header), "{text}");
    let buffers = [
        "local X_1_t0, X_2_t0, X_3_t0, X_cnt_t0;",
        "local A_0_1_t0, A_0_cnt_t0;",
        "local A_1_1_t0, A_1_2_t0, A_1_cnt_t0;",
    ];
    for buffer in buffers {
        assert!(text.contains(buffer), "{text}");
    }
    let json = translated(program, &["--model", "pso", "-k", "1,X=3", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["k"], "1,X=3");
}

/// A reduced program overflows if and only if a buffer exceeds its own size.
#[test]
fn a_variable_overflows_at_its_own_size() {
    let program = "shared X, Y; thread P { X = 1; X = 2; Y = 1; Y = 2; } finally end: X == 2;";
    let file = SourceFile::new("sizes.cup", program);
    let checked = cup::load(&file).unwrap();
    for (sizes, overflows) in [
        ("1", true),
        ("1,X=2", true),
        ("1,Y=2", true),
        ("1,X=2,Y=2", false),
        ("2,X=1", true),
        ("2", false),
        ("64,X=2,Y=2", false),
    ] {
        let config = ReduceConfig {
            model: Model::Pso,
            sizes: sizes.parse().unwrap(),
            fences: Default::default(),
            flush: Flush::Background,
        };
        let agreement = compare(&file, &checked, &config).unwrap().unwrap();
        assert_eq!(agreement.overflows, overflows, "{sizes}");
    }
}

#[test]
fn sizes_that_mean_nothing_are_refused() {
    let program = "shared Tail, A[2]; thread P { local r; Tail = 1; A[r] = 1; }";
    let refused = |model: &str, sizes: &str, message: &str| {
        let mut command = translate(program, &["--model", model, "-k", sizes]);
        let output = command.assert().code(2);
        let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(error.contains(message), "{sizes}: {error}");
    };
    refused(
        "pso",
        "1,Tial=3",
        "no shared variable `Tial`; did you mean `Tail`?",
    );
    refused("pso", "1,r=3", "no shared variable `r`");
    refused("pso", "1,A[2]=3", "`A` has 2 elements");
    refused("pso", "Tail=3", "comes first");
    refused("pso", "1,Tail=65", "from 1 to 64 entries, not 65");
    refused("tso", "1,Tail=3", "one buffer for all variables");
    refused("tso", "1,Tail=3", "--model pso");
}

#[test]
fn large_arrays_give_programs_that_can_be_read_back() {
    let program = "shared A[600]; thread P { local i; A[i] = 1; i = A[i]; fence; }
        finally stored: A[0] == 1;";
    for model in ["tso", "pso"] {
        let text = translated(program, &["--model", model]);
        translated(&text, &["--model", "sc"]);
        let mut fmt = Command::new(env!("CARGO_BIN_EXE_cupola"));
        fmt.args(["fmt", "-"]).write_stdin(text.clone());
        fmt.assert().success().stdout(text);
    }
}

#[test]
fn only_a_relaxed_model_adds_variables() {
    let file = SourceFile::new("stores.cup", "shared X; thread P { X = 1; }");
    let checked = cup::load(&file).unwrap();
    let reduction = |model| {
        let config = ReduceConfig {
            model,
            sizes: BufferSizes::ONE,
            fences: Default::default(),
            flush: Flush::Background,
        };
        reduce::reduce(&file, &checked, &config).expect("it can be reduced")
    };
    let sc = reduction(Model::Sc);
    assert_eq!((sc.overflow(), sc.buffers().len()), (None, 0));
    assert!(sc.is_exact());
    for model in RELAXED {
        let reduction = reduction(model);
        let overflow = reduction.overflow().expect("there is a buffer");
        assert_eq!(reduction.program.var_name(overflow), "overflow");
        assert_eq!(reduction.buffers().len(), 1);
        assert!(!reduction.is_exact());
    }
}

/// What `cupola translate` prints for a program on its standard input.
fn translated(program: &str, args: &[&str]) -> String {
    let output = translate(program, args).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

fn translate(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cupola"));
    command
        .args(["translate", "-"])
        .args(args)
        .write_stdin(program);
    command
}
