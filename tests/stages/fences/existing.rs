//! Fences that the program has, and which of them can go.

use std::collections::BTreeSet;

use cupola::fences::PlaceKind;

use super::{Problem, RELAXED};
use crate::support::examples;

/// The program with all its optional fences made real, each with a label that begins with `f_` and tells its name.
fn made_real(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("fences "));
    let lines = lines.map(|line| {
        let Some((before, after)) = line.split_once("fence? ") else {
            return line.to_owned();
        };
        let (name, rest) = after.split_once(';').expect("a statement ends");
        format!("{before}f_{name}: fence;{rest}")
    });
    let mut text: String = lines.collect::<Vec<_>>().join("\n");
    text.push('\n');
    text
}

/// The smallest of some sets.
fn minimal(sets: &BTreeSet<Vec<String>>) -> BTreeSet<Vec<String>> {
    let is_subset = |one: &[String], other: &[String]| one.iter().all(|name| other.contains(name));
    let is_minimal = |set: &&Vec<String>| {
        let mut others = sets.iter();
        !others.any(|other| other != *set && is_subset(other, set))
    };
    sets.iter().filter(is_minimal).cloned().collect()
}

/// On every finite example with all its optional fences made real: exactly the minimal placements of its header. Fences that an
/// example has anyway are candidates, too, and have no place in its header. With them in force, fences are enough if they
/// have those of a minimal placement but for its own ones.
#[test]
fn examples_with_all_fences_have_the_placements_of_their_headers() {
    let (mut compared, mut with_own) = (0, 0);
    let examples = examples::finite().filter(examples::is_correct);
    for example in examples.chain(examples::of_pldi()) {
        if !example.text.contains("fence? ") {
            continue;
        }
        let text = made_real(&example.text);
        for model in RELAXED {
            let problem = Problem::new(&text, Some(PlaceKind::Existing), model);
            let problem = problem.expect("the program has fences");
            let answer = problem.search();
            let expected: BTreeSet<Vec<String>> = example
                .header
                .minimal_placements(model)
                .into_iter()
                .map(|names| names.iter().map(|name| format!("f_{name}")).collect())
                .collect();
            let found = problem.proved(&answer);
            with_own += usize::from(found.iter().flatten().any(|name| !name.starts_with("f_")));
            let without_own = found.into_iter().map(|names| {
                let names = names.into_iter();
                names.filter(|name| name.starts_with("f_")).collect()
            });
            assert_eq!(
                minimal(&without_own.collect()),
                expected,
                "{} under {model}",
                example.name
            );
            compared += 1;
        }
    }
    assert!(
        compared >= 20 && with_own > 0,
        "{compared} compared, {with_own}"
    );
}

#[test]
fn fences_without_a_label_are_named_for_their_lines() {
    let text = "shared x, y;\nthread P { local r; x = 1; fence; fence;\n fence; r = y; }\nthread Q { local s; y = 1;\n fence; s = x; }\nfinally !(P.r == 0 && Q.s == 0);\n";
    let problem = Problem::new(text, Some(PlaceKind::Existing), RELAXED[0]).expect("it has fences");
    let names: Vec<&String> = problem.candidates.places.keys().collect();
    assert_eq!(names, ["fence_2", "fence_2_2", "fence_3", "fence_5"]);
    let proved = problem.proved(&problem.search());
    let each = ["fence_2", "fence_2_2", "fence_3"];
    let expected = each.map(|name| vec![name.to_owned(), "fence_5".to_owned()]);
    assert_eq!(proved, expected.into_iter().collect());
}

#[test]
fn a_program_without_fences_has_none_to_remove() {
    let problem = Problem::new(
        "shared x; thread P { x = 1; }",
        Some(PlaceKind::Existing),
        RELAXED[0],
    );
    assert_eq!(
        problem.err().map(|error| error.to_string()),
        Some("the program has no fence".to_owned())
    );
}
