//! Certificates of the kind `basis` for the safe programs of the TACAS 2012 table, with their fewest fences.

use cupola::bench::tacas::{PROGRAMS, Program};
use cupola::certificate::Stored;
use cupola::certify::{self, Solver, Verdict};
use cupola::engine::backward::{self, Backward, BackwardConfig, NoCertificate};
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

fn certificate(source: &SourceFile, model: Model) -> Result<Stored, NoCertificate> {
    let checked = cup::load(source).expect("it is a program");
    let task = Task {
        source,
        program: &checked,
        model,
        fences: &IndexSet::new(),
        proof: None,
        earlier: &[],
    };
    let found = backward::certificate(&task, &Context::default())?;
    Ok(certify::prepare(&found).expect("it can be stored"))
}

/// The certificates of these programs are accepted; how many there are.
fn accepted(names: impl Fn(&str, Model) -> bool) -> usize {
    let mut accepted = 0;
    for program in &PROGRAMS {
        for model in [Model::Tso, Model::Pso] {
            if !names(program.name, model) {
                continue;
            }
            let start = std::time::Instant::now();
            let Some(source) = fenced(program, model) else {
                println!("{} {model}: no fences help", program.name);
                continue;
            };
            let stored = match certificate(&source, model) {
                Ok(stored) => stored,
                Err(error) => {
                    println!("{} {model}: {error}", program.name);
                    continue;
                }
            };
            let made = start.elapsed();
            let report = certify::check(&stored, &Solver::Library).expect("it makes sense");
            println!(
                "{} {model}: {made:?} {:?} {:?}",
                program.name,
                start.elapsed(),
                report.verdict
            );
            assert_eq!(
                report.verdict,
                Verdict::Accepted,
                "{} {model}",
                program.name
            );
            accepted += 1;
        }
    }
    accepted
}

#[test]
fn certificates_of_all_safe_programs_of_the_table_are_accepted() {
    assert_eq!(accepted(|_, _| true), 0);
}
