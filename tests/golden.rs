//! Keeps the golden files of `translations/`: every example under TSO and PSO at k = 1 and 2.
//!
//! `make golden` accepts the present output.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cupola::lang;
use cupola::lang::placement::Placement;
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::reduce::{Flush, ReduceConfig, reduce};

#[test]
fn translations_of_the_examples() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder("translations"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let names = settings.bind(|| {
        let mut names = BTreeSet::new();
        for example in examples() {
            for (model, k) in [
                (Model::Tso, 1),
                (Model::Tso, 2),
                (Model::Pso, 1),
                (Model::Pso, 2),
            ] {
                let name = format!("{example}.{model}.k{k}");
                insta::assert_snapshot!(name.clone(), translation(&example, model, k));
                names.insert(format!("{name}.snap"));
            }
        }
        names
    });
    assert_eq!(
        snapshots(),
        names,
        "translations/ has a file that is no translation of an example"
    );
}

fn translation(example: &str, model: Model, k: usize) -> String {
    let name = format!("examples/{example}.cup");
    let text = std::fs::read_to_string(folder(&name)).unwrap();
    let file = SourceFile::new(name, text);
    let checked = lang::load(&file).expect("examples are correct");
    let config = ReduceConfig {
        model,
        k,
        fences: Placement::Declared.in_force(&checked, model).unwrap(),
        flush: Flush::Background,
    };
    lang::print(&reduce(&file, &checked, &config).unwrap())
}

fn examples() -> BTreeSet<String> {
    let names = file_names("examples").into_iter();
    names
        .filter_map(|name| name.strip_suffix(".cup").map(str::to_owned))
        .collect()
}

fn snapshots() -> BTreeSet<String> {
    let names = file_names("translations").into_iter();
    names.filter(|name| name.ends_with(".snap")).collect()
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
