//! Keeps the golden files of `translations/`: every example under TSO and PSO at k = 2 and with FIFOs, five of them
//! at k = 1 as well.
//!
//! `make golden` accepts the present output.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::entries;
use cupola::front::cup;
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::memory::{BufferSizes, Model};
use cupola::reduce::{Flush, ReduceConfig, ReduceError, Reduction, reduce, reduce_to_fifos};
use cupola::source::SourceFile;

/// The examples whose translations at k = 1 are kept: no fences; arrays, copies of a thread and `swap`;
/// optional fences; `fetch_add` and an assertion that reads; atomic sections.
const AT_ONE: [&str; 5] = ["abp", "clh", "peterson", "queue", "ticket_linux"];

#[test]
fn translations_of_the_examples() {
    let examples = examples();
    let at_one = AT_ONE.iter().map(|&example| (example, 1));
    let at_two = examples.iter().map(|example| (example.as_str(), 2));
    let names = settings("translations").bind(|| {
        let mut names = BTreeSet::new();
        for (example, k) in at_one.chain(at_two) {
            for model in [Model::Tso, Model::Pso] {
                let name = format!("{example}.{model}.k{k}");
                let text = translation(example, model, (entries(k), reduce));
                insta::assert_snapshot!(name.clone(), text);
                names.insert(name);
            }
        }
        for example in &examples {
            for model in [Model::Tso, Model::Pso] {
                let name = format!("{example}.{model}.fifo");
                let text = translation(example, model, (entries(1), reduce_to_fifos));
                insta::assert_snapshot!(name.clone(), text);
                names.insert(name);
            }
        }
        names
    });
    assert_only("translations", &names);
}

/// Golden files in a folder, by their names alone.
pub fn settings(name: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder(name));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// Asserts that a folder has the golden files of these names and no others.
#[track_caller]
pub fn assert_only(folder: &str, names: &BTreeSet<String>) {
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

type Reduce = fn(&SourceFile, &Checked, &ReduceConfig) -> Result<Reduction, ReduceError>;

fn translation(example: &str, model: Model, (sizes, reduce): (BufferSizes, Reduce)) -> String {
    let name = format!("examples/{example}.cup");
    let text = std::fs::read_to_string(folder(&name)).unwrap();
    let file = SourceFile::new(name, text);
    let checked = cup::load(&file).expect("examples are correct");
    let config = ReduceConfig {
        model,
        sizes,
        fences: Placement::Declared.in_force(&checked, model).unwrap(),
        flush: Flush::Background,
    };
    cup::print(reduce(&file, &checked, &config).unwrap().tree())
}

fn examples() -> BTreeSet<String> {
    let names = file_names("examples").into_iter();
    names
        .filter_map(|name| name.strip_suffix(".cup").map(str::to_owned))
        .collect()
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
