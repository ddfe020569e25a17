//! Certificates of the kind `basis` for the safe programs of the TACAS 2012 table, with their fewest fences.

use std::process::Command;

use cupola::bench::tacas::{PROGRAMS, Program};
use cupola::certificate::Stored;
use cupola::certify::{self, Solver, Verdict};
use cupola::engine::backward::{self, Backward, BackwardConfig};
use cupola::engine::{Context, Task};
use cupola::fences::{self, Candidates, PlaceKind, Search};
use cupola::front::{Format, cup, load};
use cupola::memory::Model;
use cupola::source::SourceFile;
use indexmap::IndexSet;

/// The program with the first of its minimal sets of fences; `None` if it is wrong whatever fences it has.
fn fenced(program: &Program, model: Model) -> Option<SourceFile> {
    let file = SourceFile::new(program.name, program.text);
    let loaded = load(file, Format::Rmm).expect("it is a program");
    let candidates = Candidates::new(&loaded.source, &loaded.checked, Some(PlaceKind::Stores));
    let candidates = candidates.expect("there are places behind stores");
    let search = Search {
        source: &loaded.source,
        candidates: &candidates,
        proof: None,
        model,
        max_sets: Some(1),
    };
    let mut engine = Backward::new(BackwardConfig::default());
    let found = fences::search(&search, &mut engine, &Context::default(), &mut |_| {});
    let found = found.expect("it is supported");
    assert!(found.undecided.is_empty(), "{} {model}", program.name);
    let first = found.proved.first()?;
    let tree = fences::emit(&candidates, &first.fences);
    Some(SourceFile::new(program.name, cup::print(&tree)))
}

fn certificate(source: &SourceFile, model: Model) -> Stored {
    let checked = cup::load(source).expect("it is a program");
    let task = Task {
        source,
        program: &checked,
        model,
        fences: &IndexSet::new(),
        proof: None,
        earlier: &[],
    };
    let found = backward::certificate(&task, &Context::default()).expect("there is a certificate");
    certify::prepare(&found).expect("it can be stored")
}

/// The programs with large certificates.
const LARGE: [(&str, &[Model]); 6] = [
    ("bakery", &[Model::Tso, Model::Pso]),
    ("lamport_fast", &[Model::Pso]),
    ("clh", &[Model::Pso]),
    ("task_scheduler", &[Model::Tso]),
    ("producer_consumer_v2_2", &[Model::Tso, Model::Pso]),
    ("producer_consumer_v2_3", &[Model::Tso]),
];

/// The program whose basis has too many sets: its certificate lists states.
const LISTED: [(&str, &[Model]); 1] = [("producer_consumer_v2_3", &[Model::Pso])];

fn is_among(list: &[(&str, &[Model])], name: &str, model: Model) -> bool {
    let mut list = list.iter();
    list.any(|(listed, models)| *listed == name && models.contains(&model))
}

/// The certificates of the large or the other programs are accepted; how many there are.
fn accepted(large: bool) -> usize {
    let mut accepted = 0;
    for program in &PROGRAMS {
        let name = program.name;
        for model in [Model::Tso, Model::Pso] {
            if is_among(&LISTED, name, model) || is_among(&LARGE, name, model) != large {
                continue;
            }
            let Some(source) = fenced(program, model) else {
                continue;
            };
            let stored = certificate(&source, model);
            let report = certify::check(&stored, &Solver::Library).expect("it makes sense");
            assert_eq!(report.verdict, Verdict::Accepted, "{name} {model}");
            accepted += 1;
        }
    }
    accepted
}

#[test]
fn certificates_of_safe_programs_of_the_table_are_accepted() {
    assert_eq!(accepted(false), 21);
}

#[test]
#[ignore = "it takes half a minute; `make backward` runs it"]
fn large_certificates_of_safe_programs_of_the_table_are_accepted() {
    assert_eq!(accepted(true), 8);
}

/// `verify` writes one for each program, also where the basis is too large, and `certify` accepts it.
#[test]
#[ignore = "it searches a large basis first; `make backward` runs it"]
fn a_certificate_lists_states_where_the_basis_is_too_large() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path().join("certificate");
    for (name, models) in LISTED {
        for model in models {
            let file = format!("examples/rmm/{name}.rmm");
            let run = |arguments: &[&str]| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_cupola"));
                command.current_dir(env!("CARGO_MANIFEST_DIR"));
                command.args(arguments).arg(&dir).output().expect("it runs")
            };
            let model = model.to_string();
            let how = ["verify", &file, "--model", &model, "--engine", "backward"];
            let made = run(&[&how[..], &["--certificate"]].concat());
            assert!(made.status.success(), "{made:?}");
            let checked = run(&["certify"]);
            let report = String::from_utf8_lossy(&checked.stdout);
            assert!(checked.status.success(), "{checked:?}");
            assert!(report.contains("states: "), "{report}");
        }
    }
}
