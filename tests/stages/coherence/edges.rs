//! Programs made by hand for the edges of the rules, in `tests/programs/coherence/`. Their headers say what they are about, and,
//! in lines that the tests compare,
//!
//! - `expect:` what holds without optional fences, which exploration and the backward search confirm;
//! - `least k under M:` the smallest k with which each domain verifies the program, up to 3; all larger ones do, too;
//! - `fences under M:` all minimal placements;
//! - `inferred under M:` the placements that every abstraction infers, or `inferred under M by DOMAIN K:` those of one.

use std::path::Path;

use cupola::engine::Context;
use cupola::engine::backward::Backward;
use cupola::engine::explore::{Explore, ExploreConfig};
use cupola::fences::avoid::{Inference, InferenceEnd, infer};
use cupola::fences::{self, Candidates, End, FenceSet, Search};

use super::*;

/// The abstractions that infer fences.
const INFERENCES: [(Domain, usize); 6] = [
    (Domain::Set, 0),
    (Domain::Fd, 0),
    (Domain::Fd, 1),
    (Domain::Fd, 2),
    (Domain::Pd, 0),
    (Domain::Pd, 1),
];

/// A program with the lines of its header.
struct Edge {
    name: String,
    text: String,
    program: (SourceFile, Checked),
}

impl Edge {
    /// What the header says under this heading.
    fn says(&self, heading: &str) -> Option<&str> {
        let start = format!("// {heading}: ");
        self.text.lines().find_map(|line| line.strip_prefix(&start))
    }

    fn is_safe(&self, model: Model) -> bool {
        let words = self.says("expect").expect("a line `expect`");
        let word = |safe| format!("{}={safe}", model.name());
        let mut each = words.split(' ');
        match each.find(|expected| expected.starts_with(model.name())) {
            Some(expected) if expected == word("safe") => true,
            Some(expected) if expected == word("violated") => false,
            other => panic!("{}: {other:?}", self.name),
        }
    }

    fn decide(&self, engine: &mut dyn Engine, model: Model) -> Option<VerdictKind> {
        let outcome = run(engine, &self.program, (model, &[]), Limits::default());
        outcome.ok().map(|outcome| outcome.verdict.kind())
    }
}

fn edges() -> Vec<Edge> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/coherence");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut edges: Vec<Edge> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            Edge {
                name: path.display().to_string(),
                program: load(&text),
                text,
            }
        })
        .collect();
    edges.sort_by(|one, other| one.name.cmp(&other.name));
    edges
}

#[test]
fn exact_engines_say_what_the_headers_expect() {
    let mut compared = 0;
    for edge in edges() {
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let expected = match edge.is_safe(model) {
                true => VerdictKind::Verified,
                false => VerdictKind::Violated,
            };
            let explored = edge.decide(&mut Explore::new(ExploreConfig::default()), model);
            let searched = edge.decide(&mut Backward::default(), model);
            for said in [explored, searched].into_iter().flatten() {
                let is_same = said == expected || said == VerdictKind::Unknown;
                assert!(is_same, "{} {model}: {said:?}", edge.name);
                compared += usize::from(said == expected);
            }
        }
    }
    assert!(compared >= 200, "{compared}");
}

/// The least k from which on a domain verifies the program, as in a header.
fn least_k(edge: &Edge, model: Model, domain: Domain) -> String {
    let ks = match domain {
        Domain::Set => 0..=0,
        Domain::Fd | Domain::Pd => 0..=3,
    };
    let verified: Vec<(usize, bool)> = ks
        .map(|k| {
            let said = edge.decide(&mut abstractly(domain, k), model);
            let said = said.expect("it is supported");
            let contradiction = match edge.is_safe(model) {
                true => VerdictKind::Violated,
                false => VerdictKind::Verified,
            };
            assert_ne!(said, contradiction, "{} {model} {domain:?} {k}", edge.name);
            (k, said == VerdictKind::Verified)
        })
        .collect();
    assert!(
        verified.is_sorted_by_key(|(_, verified)| *verified),
        "{} {model} {domain:?}: a larger k verifies less",
        edge.name
    );
    let least = verified.iter().find(|(_, verified)| *verified);
    least.map_or("-".to_owned(), |(k, _)| k.to_string())
}

#[test]
fn programs_are_verified_from_the_k_of_their_headers_on() {
    let mut verified = 0;
    for edge in edges() {
        for model in [Model::Tso, Model::Pso] {
            let found = [Domain::Set, Domain::Pd, Domain::Fd].map(|domain| {
                let least = least_k(&edge, model, domain);
                format!("{} {least}", domain.name())
            });
            let heading = format!("least k under {}", model.name());
            match edge.is_safe(model) {
                true => {
                    assert_eq!(
                        edge.says(&heading),
                        Some(&*found.join(", ")),
                        "{}",
                        edge.name
                    );
                    verified += 1;
                }
                false => assert_eq!(edge.says(&heading), None, "{}", edge.name),
            }
        }
    }
    assert!(verified >= 40, "{verified}");
}

fn sets<'a>(candidates: &Candidates, sets: impl Iterator<Item = &'a FenceSet>) -> String {
    let each = sets.map(|fences| {
        let names: Vec<String> = fences::names(candidates, fences).into_iter().collect();
        format!("{{{}}}", names.join(", "))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// All minimal placements, as in a header.
fn searched(edge: &Edge, candidates: &Candidates, model: Model) -> String {
    let search = Search {
        source: &edge.program.0,
        candidates,
        proof: None,
        model,
        max_sets: None,
    };
    let mut engine = Explore::new(ExploreConfig::default());
    let answer = fences::search(&search, &mut engine, &Context::default(), &mut |_| {});
    let answer = answer.expect("it is supported");
    match answer.end {
        End::Unfixable => "none helps".to_owned(),
        End::Complete => sets(
            candidates,
            answer.proved.iter().map(|proved| &proved.fences),
        ),
        end => panic!("{}: {end:?}", edge.name),
    }
}

/// What an abstraction infers, as in a header.
fn inferred(candidates: &Candidates, model: Model, (domain, k): (Domain, usize)) -> String {
    let inference = Inference {
        candidates,
        given: &FenceSet::default(),
        model,
        abstraction: PartialCoherence { domain, k },
    };
    let found = infer(&inference, &Context::default(), &mut |_, _| {});
    let found = found.expect("it is supported");
    match found.end {
        InferenceEnd::Complete => sets(
            candidates,
            found.placements.iter().map(|placed| &placed.fences),
        ),
        InferenceEnd::Broken(_) => "none helps".to_owned(),
        InferenceEnd::Unfixable(Some(_)) => "execution not excluded".to_owned(),
        InferenceEnd::Unfixable(None) => "path not excluded".to_owned(),
        InferenceEnd::Limit(limit) => panic!("{limit:?}"),
    }
}

#[test]
fn fences_are_searched_and_inferred_as_the_headers_say() {
    let mut compared = 0;
    for edge in edges() {
        if !edge.text.contains("fence? ") {
            continue;
        }
        let (file, checked) = &edge.program;
        let candidates = Candidates::new(file, checked, None).expect("it has places");
        for model in [Model::Tso, Model::Pso] {
            let name = model.name();
            let heading = format!("fences under {name}");
            let found = searched(&edge, &candidates, model);
            assert_eq!(
                edge.says(&heading),
                Some(&*found),
                "{} {heading}",
                edge.name
            );
            for (domain, k) in INFERENCES {
                let of_one = format!("inferred under {name} by {} {k}", domain.name());
                let of_all = edge.says(&format!("inferred under {name}"));
                let expected = edge.says(&of_one).or(of_all);
                let found = inferred(&candidates, model, (domain, k));
                assert_eq!(expected, Some(&*found), "{} {of_one}", edge.name);
                compared += 1;
            }
        }
    }
    assert!(compared >= 100, "{compared}");
}
