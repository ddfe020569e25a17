//! Programs made by hand whose loops store for ever, so that no exploration ends: the certificates of those that are safe are
//! accepted, and the others have none.
//!
//! They are in `tests/programs/backward/looping`, each with its verdicts. Exploration with short buffers breaks exactly those that are
//! said to be violated.

use std::path::Path;

use cupola::certify::{self, Solver, Verdict};
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::{Context, Task, backward};
use cupola::front::cup;
use cupola::memory::Model;
use cupola::program::lower;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;
use indexmap::IndexSet;

const MODELS: [Model; 3] = [Model::Sc, Model::Tso, Model::Pso];

/// Whether exploration with short buffers breaks a program.
fn is_broken(checked: &cup::check::Checked, model: Model) -> bool {
    let config = ExploreConfig {
        buffer: 3,
        max_states: 3_000,
        ..ExploreConfig::default()
    };
    let program = lower(checked, &IndexSet::new());
    let explored = explore(&program, model, &config, &Context::default());
    explored.expect("no background blocks").kind() == VerdictKind::Violated
}

/// Whether the engine gives a certificate, which is then accepted.
fn is_certified(source: &SourceFile, program: &cup::check::Checked, model: Model) -> bool {
    let task = Task {
        source,
        program,
        model,
        fences: &IndexSet::new(),
        proof: None,
        earlier: &[],
    };
    let Ok(found) = backward::certificate(&task, &Context::default()) else {
        return false;
    };
    let stored = certify::prepare(&found).expect("it can be stored");
    let report = certify::check(&stored, &Solver::Library).expect("it makes sense");
    assert_eq!(report.verdict, Verdict::Accepted, "{}", source.name());
    true
}

#[test]
fn programs_that_store_for_ever_have_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backward/looping");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).expect("the programs are there") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let file = SourceFile::new(path.display().to_string(), text.clone());
        let checked = cup::load(&file).expect("a program");
        for model in MODELS {
            let says = |verdict| text.contains(&format!(" {}={verdict}", model.name()));
            let name = format!("{} under {model}", path.display());
            assert!(says("safe") != says("violated"), "{name}");
            assert_eq!(is_broken(&checked, model), says("violated"), "{name}");
            assert_eq!(is_certified(&file, &checked, model), says("safe"), "{name}");
        }
        seen += 1;
    }
    assert!(seen >= 21, "{seen} programs");
}
