//! What `cupola export` prints, as far as it can be held to account without other tools: golden files, litmus tests read
//! again, C compiled by the C compiler, and what is refused. `make exports` asks Spin, gcc, Z3 and Graphviz.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{entries, examples};
use cupola::engine::Context;
use cupola::engine::explore::{self, ExploreConfig, Reached, state_graph};
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::front::{self, Format, cup};
use cupola::memory::Model;
use cupola::program::lower;
use cupola::reduce::{Flush, ReduceConfig, reduce};
use cupola::render::export::{Exported, Refused, Target, export, states_text};
use cupola::semantics::HavocRange;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;

/// The golden files: three programs for each target.
const GOLDEN: [(Target, [(&str, Model); 3]); 5] = [
    (Target::Promela, PROGRAMS),
    (Target::C, PROGRAMS),
    (Target::Chc, PROGRAMS),
    (Target::Dot, PROGRAMS),
    (
        Target::Litmus,
        [
            ("litmus_sb", Model::Tso),
            ("litmus_mp", Model::Pso),
            ("litmus_iriw", Model::Sc),
        ],
    ),
];

/// Arrays, copies and `swap`; an atomic section with buffers; a property with locations.
const PROGRAMS: [(&str, Model); 3] = [
    ("clh", Model::Sc),
    ("unsoundness", Model::Tso),
    ("peterson", Model::Pso),
];

#[test]
fn exports_of_the_examples() {
    let names = settings("translations/exports").bind(|| {
        let mut names = BTreeSet::new();
        for (target, programs) in GOLDEN {
            for (example, model) in programs {
                let name = format!("{example}.{model}.{}", target.extension());
                let (file, checked) = read(&format!("examples/{example}.cup"));
                let text = exported(&file, &checked, (model, Placement::Declared), target);
                insta::assert_snapshot!(name.clone(), text.expect("it can be told"));
                names.insert(name);
            }
        }
        names
    });
    assert_only("translations/exports", &names);
}

#[test]
fn a_graph_of_states_has_all_states_and_the_broken_property() {
    let (file, checked) = read("examples/litmus_sb.cup");
    let program = lower(
        &checked,
        &Placement::None.in_force(&checked, Model::Tso).unwrap(),
    );
    let graph = |most| state_graph(&program, Model::Tso, (8, HavocRange::default()), most);
    let explored = explored(&checked, Model::Tso, &Placement::None, true);
    let whole = graph(1000).expect("it is small");
    assert_eq!(whole.nodes.len(), explored.states);
    assert!(graph(explored.states - 1).is_none());
    let broken = whole.nodes.iter().filter(|node| !node.broken.is_empty());
    assert_eq!(broken.count(), 1);
    let reached: BTreeSet<usize> = whole
        .edges
        .iter()
        .filter_map(|edge| match edge.to {
            Reached::State(to) => Some(to),
            Reached::Broken(_) => None,
        })
        .collect();
    assert_eq!(reached.len() + whole.initial, whole.nodes.len());
    let text = states_text(&file, &program, &whole);
    assert!(
        text.contains("P0: line 11: x = 1;") && text.contains("flush x"),
        "{text}"
    );
}

/// A litmus test that was exported has the verdict of its program, under every model and with or without fences.
#[test]
fn litmus_tests_that_are_exported_have_the_same_verdicts() {
    let (mut compared, mut violated) = (0, 0);
    for example in examples::finite() {
        let (file, checked) = read(&format!("examples/{}.cup", example.name));
        for placement in [Placement::None, Placement::All] {
            for model in Model::ALL {
                let text = exported(&file, &checked, (model, placement.clone()), Target::Litmus);
                let Ok(text) = text else {
                    continue;
                };
                let test = SourceFile::new("test.litmus", text.clone());
                let again = front::load(test, Format::Litmus).unwrap_or_else(|_| panic!("{text}"));
                let expected = explored(&checked, model, &placement, false).kind();
                let found = explored(&again.checked, model, &Placement::None, false).kind();
                assert_eq!(found, expected, "{} under {model}\n{text}", example.name);
                compared += 1;
                violated += usize::from(found == VerdictKind::Violated);
            }
        }
    }
    assert!(
        compared >= 42 && violated >= 6,
        "{compared} compared, {violated} violated"
    );
}

/// The programs that were made to hold exports to account are what they say, and so are their reductions.
#[test]
fn the_programs_for_exports_have_their_verdicts() {
    let mut count = 0;
    for path in programs() {
        let (_, checked) = read(&path);
        let text = std::fs::read_to_string(root().join(&path)).unwrap();
        let expect = text
            .lines()
            .find_map(|line| line.strip_prefix("// expect: "));
        for expectation in expect.expect("a line `// expect:`").split_whitespace() {
            let (model, verdict) = expectation.split_once('=').unwrap();
            let model = Model::ALL
                .into_iter()
                .find(|other| other.name() == model)
                .unwrap();
            let expected = match verdict {
                "safe" => VerdictKind::Verified,
                _ => VerdictKind::Violated,
            };
            let found = explored(&checked, model, &Placement::None, false).kind();
            assert_eq!(found, expected, "{path} under {model}");
            count += 1;
        }
    }
    assert!(count >= 40, "{count}");
}

/// The C compiler has nothing to say about any program under any model, and two of them are run.
#[test]
fn c_compiles_without_warnings_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let sources: Vec<String> = (examples::all().into_iter())
        .map(|example| format!("examples/{}.cup", example.name))
        .chain(programs())
        .collect();
    let mut files = Vec::new();
    for source in &sources {
        let (file, checked) = read(source);
        for model in Model::ALL {
            let Ok(text) = exported(&file, &checked, (model, Placement::Declared), Target::C)
            else {
                continue;
            };
            let stem = Path::new(source)
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let path = folder.path().join(format!("{stem}.{model}.c"));
            std::fs::write(&path, text).unwrap();
            files.push(path);
        }
    }
    assert!(files.len() >= 3 * examples::all().len());
    for run in [&["-DCUPOLA_RUN"][..], &[]] {
        let mut compiler = Command::new("cc");
        compiler.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
        let output = compiler
            .args(run)
            .args(&files)
            .output()
            .expect("there is a C compiler");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    for (name, code) in [("peterson.sc", 0), ("background_seen.sc", 10)] {
        let path = folder.path().join(format!("{name}.c"));
        assert_eq!(run_of(&path, &[]), code, "{name}");
    }
}

/// The exit code of a C export that is compiled with these options and run.
fn run_of(path: &Path, options: &[&str]) -> i32 {
    let binary = path.with_extension("run");
    let mut compiler = Command::new("cc");
    compiler.args(["-fsanitize=undefined", "-fno-sanitize-recover"]);
    compiler.args(["-pthread", "-DCUPOLA_RUN", "-o"]);
    compiler.arg(&binary).arg(path).args(options);
    assert!(compiler.status().unwrap().success());
    let status = Command::new(&binary).output().unwrap().status;
    status.code().expect("it ends by itself")
}

/// A value that leaves the range is an error in C, never undefined behaviour (which would end the run in another way);
/// runs in which one does can be left out.
#[test]
fn values_beyond_64_bits_are_seen_in_c() {
    let folder = tempfile::tempdir().unwrap();
    for (number, statement) in [
        "x = r + r;",
        "x = r * 3 - 5;",
        "s = fetch_add(x, r);",
        "s = swap(x, 2 * r);",
        "s = cas(x, r, r + r);",
        "atomic { s = -r; x = 2 * r; }",
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "shared x = 7;\nthread P {{\n  local r, s;\n  loop {{ r = x; {statement} assert(x >= 7); }}\n}}\n"
        );
        let file = SourceFile::new("test.cup", text);
        let checked = cup::load(&file).unwrap();
        let text = exported(&file, &checked, (Model::Sc, Placement::None), Target::C);
        let path = folder.path().join(format!("{number}.c"));
        std::fs::write(&path, text.unwrap()).unwrap();
        assert_eq!(run_of(&path, &[]), 10, "{statement}");
        assert_eq!(run_of(&path, &["-DCUT_RANGE"]), 0, "{statement}");
    }
}

#[test]
fn what_cannot_be_told_is_refused_by_name() {
    let thread = |body: &str| format!("shared x;\nthread P {{\n  local r;\n  {body}\n}}\n");
    for (target, text, message) in [
        (Target::Promela, thread("r = *;"), "an arbitrary integer"),
        (
            Target::Promela,
            "shared x = *;\nthread P { skip; }".to_owned(),
            "`x` starts with an arbitrary integer",
        ),
        (
            Target::Promela,
            thread("r = choose(0, 5000);"),
            "a choice among more than 1024 values",
        ),
        (Target::Promela, thread("x = 3000000000;"), "32 bits"),
        (
            Target::Promela,
            thread("r = x; r = 100000 * r; x = r - 900000;"),
            "32 bits",
        ),
        // What is computed in a section decides, over the values at its beginning, which way is gone.
        (
            Target::Promela,
            thread(
                "atomic { r = r * 40000; r = r * 40000; r = r + r; assume(r > 0); assert(false); }",
            ),
            "32 bits",
        ),
        (
            Target::C,
            thread("x = 9223372036854775807; r = x; r = r + 1;"),
            "64 bits",
        ),
        (Target::Litmus, thread("r = cas(x, 0, 1);"), "`cas`"),
        (
            Target::Litmus,
            thread("x = -1;") + "finally x != 4294967295;",
            "this condition",
        ),
        (
            Target::Litmus,
            "shared x = 4294967295;\nthread P { local r; r = x; }\nfinally r != -1;".to_owned(),
            "more than 32 bits",
        ),
        (
            Target::Litmus,
            "shared eax;\nthread P { eax = 1; }".to_owned(),
            "the name of a register",
        ),
        (
            Target::Litmus,
            "shared exists;\nthread P { skip; }".to_owned(),
            "the name means something else",
        ),
        (
            Target::Litmus,
            thread("loop { x = 1; }"),
            "a condition or a loop",
        ),
        (
            Target::Litmus,
            thread("atomic { x = 1; r = x; }"),
            "an atomic section",
        ),
        (
            Target::Litmus,
            thread("r = x; x = r + 1;"),
            "a computed value",
        ),
        (Target::Litmus, thread("assume(r == 0);"), "`assume`"),
        (
            Target::Litmus,
            thread("x = 1;") + "invariant x == 0;",
            "states that are not final",
        ),
        (
            Target::Litmus,
            thread("x = 1;") + "finally x < 1;",
            "this condition",
        ),
        (
            Target::Litmus,
            "shared x = 0..1;\nthread P { x = 1; }".to_owned(),
            "one of several values",
        ),
    ] {
        let file = SourceFile::new("test.cup", text.clone());
        let checked = cup::load(&file).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let refused = exported(&file, &checked, (Model::Sc, Placement::None), target);
        let refused = refused.expect_err(&text);
        assert!(refused.message.contains(message), "{}", refused.message);
        assert!(!refused.hint.is_empty());
    }
}

/// A litmus test asks for what breaks a property, so one without properties asks for nothing.
#[test]
fn a_program_without_properties_is_not_violated_as_a_litmus_test() {
    let file = SourceFile::new("test.cup", "shared x;\nthread P { x = 1; }");
    let checked = cup::load(&file).unwrap();
    let text = exported(
        &file,
        &checked,
        (Model::Sc, Placement::None),
        Target::Litmus,
    );
    assert!(text.unwrap().ends_with("exists (false)\n"));
}

fn exported(
    file: &SourceFile,
    checked: &Checked,
    (model, placement): (Model, Placement),
    target: Target,
) -> Result<String, Refused> {
    let config = ReduceConfig {
        model,
        sizes: entries(1),
        fences: placement.in_force(checked, model).unwrap(),
        flush: Flush::Background,
    };
    let reduction = reduce(file, checked, &config);
    let reduction = reduction.map_err(|error| Refused {
        message: error.to_string(),
        span: None,
        hint: "",
    })?;
    let reduction = &reduction;
    export(Exported { file, reduction }, target)
}

fn explored(
    checked: &Checked,
    model: Model,
    placement: &Placement,
    outcomes: bool,
) -> explore::Exploration {
    let fences = placement.in_force(checked, model).unwrap();
    let config = ExploreConfig {
        outcomes,
        ..ExploreConfig::default()
    };
    let explored = explore::explore(
        &lower(checked, &fences),
        model,
        &config,
        &Context::default(),
    );
    explored.expect("it has a meaning under the model")
}

fn programs() -> Vec<String> {
    let folder = root().join("tests/programs/export");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| format!("tests/programs/export/{name}"))
        .collect();
    names.sort();
    names
}

fn read(name: &str) -> (SourceFile, Checked) {
    let text = std::fs::read_to_string(root().join(name)).unwrap();
    let file = SourceFile::new(name, text);
    let checked = cup::load(&file).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    (file, checked)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Golden files in a folder, by their names alone.
fn settings(name: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder(name));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// Asserts that a folder has the golden files of these names and no others.
#[track_caller]
fn assert_only(folder: &str, names: &BTreeSet<String>) {
    let files = file_names(folder).into_iter();
    let kept: BTreeSet<String> = files
        .filter_map(|name| name.strip_suffix(".snap").map(str::to_owned))
        .collect();
    let left_over: Vec<&String> = kept.difference(names).collect();
    assert!(
        left_over.is_empty(),
        "{folder}/ has golden files that no test compares; remove them: {left_over:?}"
    );
    assert_eq!(&kept, names, "{folder}/ lacks golden files");
}

fn file_names(name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder(name)).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
