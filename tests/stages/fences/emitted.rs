//! Programs with a placement written in.

use cupola::engine::Context;
use cupola::engine::explore::explore;
use cupola::fences::{PlaceKind, emit};
use cupola::front::cup;
use cupola::memory::Model;
use cupola::program::lower;
use cupola::verdict::VerdictKind;
use indexmap::IndexSet;

use super::{Problem, RELAXED, limits, load};
use crate::support::examples;

/// The program with its first placement.
fn emitted(problem: &Problem) -> String {
    let answer = problem.search();
    let first = answer.proved.first().expect("a placement is proved");
    cup::print(&emit(&problem.candidates, &first.fences))
}

/// The comments in order.
fn comments(text: &str) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.split_once("//"));
    lines.map(|(_, comment)| comment.trim()).collect()
}

fn assert_holds(text: &str, model: Model) {
    let (_, checked) = load(text);
    let program = lower(&checked, &IndexSet::new());
    let seen = explore(&program, model, &limits(), &Context::default())
        .expect("it has no background blocks");
    assert_eq!(seen.kind(), VerdictKind::Verified, "{text}");
}

#[test]
fn emitted_examples_keep_their_comments_and_are_safe_on_their_own() {
    for example in examples::finite().filter(examples::is_correct) {
        for model in RELAXED {
            let Ok(problem) = Problem::new(&example.text, None, model) else {
                continue;
            };
            let text = emitted(&problem);
            assert_eq!(comments(&text), comments(&example.text), "{}", example.name);
            assert!(
                !text.contains("fence?") && !text.contains("\nfences "),
                "{text}"
            );
            assert_holds(&text, model);
        }
    }
}

#[test]
fn comments_and_labels_of_what_goes_stay() {
    let text = "\
shared x, y;

thread P {
  local r;
  x = 1; // the store
  // a place
  fence? a; // behind it
  // another place
back: fence? b;

  // the load
  r = y;
  if (r == 2) {
    goto back;
  }
}

thread Q {
  local r;
  y = 1;
  fence;
  r = x;
}

// needed
fences tso: a; // by p
// at the end
finally some: P.r == 1 || Q.r == 1;
";
    let problem = Problem::new(text, None, Model::Tso).expect("it has places");
    let answer = problem.search();
    let sets: Vec<Vec<String>> = problem.proved(&answer).into_iter().collect();
    assert_eq!(sets, [["a"], ["b"]]);
    let written = cup::print(&emit(&problem.candidates, &answer.proved[0].fences));
    assert_eq!(comments(&written), comments(text));
    assert!(
        written.contains("fence; // behind it") && written.contains("back: skip;"),
        "{written}"
    );
    let other = cup::print(&emit(&problem.candidates, &answer.proved[1].fences));
    assert_eq!(comments(&other), comments(text));
    assert!(other.contains("back: fence;"), "{other}");
    for text in [written, other] {
        assert_eq!(cup::print(&load(&text).1.tree), text);
        assert_holds(&text, Model::Tso);
    }
}

#[test]
fn labels_that_went_to_a_new_place_come_back() {
    let text = "\
shared x, y;

thread P {
  local r;
  x = 1;

again: r = y;
  if (r == 2) {
    goto again;
  }
}

thread Q {
  local r;
  y = 1;
  r = x;
}

finally some: P.r == 1 || Q.r == 1;
";
    let problem = Problem::new(text, Some(PlaceKind::All), Model::Tso).expect("it has places");
    let answer = problem.search();
    let none = cup::print(&emit(
        &problem.candidates,
        &cupola::fences::FenceSet::default(),
    ));
    assert_eq!(none, cup::print(&load(text).1.tree));
    for proved in &answer.proved {
        let written = cup::print(&emit(&problem.candidates, &proved.fences));
        assert_holds(&written, Model::Tso);
    }
}
