//! Small programs that show one thing each.

use cupola::engine::explore::Explore;
use cupola::engine::{Context, Engine, EngineError, Task};
use cupola::fences::{End, Finding, Minimality, PlaceKind, PlacesError, Search};
use cupola::memory::Model;
use cupola::verdict::{Attempt, Limit, Outcome, Unknown, Verdict};

use super::{Problem, limits, owned, run};

const STORE_BUFFERING: &str = "
shared x, y;
thread P { local r; x = 1; r = y; }
thread Q { local r; y = 1; r = x; }
finally some: P.r == 1 || Q.r == 1;
";

fn problem(text: &str, kind: PlaceKind, model: Model) -> Problem {
    Problem::new(text, Some(kind), model).expect("it has places")
}

fn placements(text: &str, kind: PlaceKind, model: Model) -> Vec<Vec<String>> {
    let problem = problem(text, kind, model);
    let answer = problem.search();
    assert!(matches!(answer.end, End::Complete), "{:?}", answer.end);
    problem.proved(&answer).into_iter().collect()
}

#[test]
fn places_behind_stores_and_before_loads_are_named_for_their_lines() {
    let behind = placements(STORE_BUFFERING, PlaceKind::Stores, Model::Tso);
    assert_eq!(behind, [["after_3", "after_4"]]);
    let before = placements(STORE_BUFFERING, PlaceKind::Loads, Model::Tso);
    assert_eq!(before, [["before_3", "before_4"]]);
}

#[test]
fn a_place_between_a_store_and_a_load_is_one_place() {
    let problem = problem(STORE_BUFFERING, PlaceKind::All, Model::Tso);
    let names: Vec<&str> = problem
        .candidates
        .places
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(names, ["before_3", "after_3", "before_4", "after_4"]);
}

#[test]
fn several_places_of_a_line_have_names_of_their_own() {
    let text = "shared x; thread P { x = 1; x = 2; fence? after_1_2; }";
    let problem = problem(text, PlaceKind::Stores, Model::Tso);
    let names: Vec<&str> = problem
        .candidates
        .places
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(names, ["after_1", "after_1_3"]);
}

#[test]
fn copies_are_fenced_together() {
    let text = "
shared x[2];
thread P[2] { local r; x[tid] = 1; r = x[1 - tid]; }
finally some: P[0].r == 1 || P[1].r == 1;
";
    assert_eq!(
        placements(text, PlaceKind::Stores, Model::Tso),
        [["after_3"]]
    );
}

#[test]
fn stores_in_order_need_a_fence_under_pso_alone() {
    let text = "
shared data, flag;
thread P { data = 1; fence? a; flag = 1; fence? b; }
thread Q { local f, d; f = flag; fence? c; d = data; }
finally seen: Q.f == 0 || Q.d == 1;
";
    let none: [[&str; 0]; 1] = [[]];
    assert_eq!(placements(text, PlaceKind::Optional, Model::Tso), none);
    assert_eq!(placements(text, PlaceKind::Optional, Model::Pso), [["a"]]);
}

#[test]
fn a_fence_may_stand_in_a_loop_or_in_an_atomic_section() {
    let text = "
shared x, y;
thread P {
  local r, i;
  while (i < 2) { i = i + 1; x = i; fence? a; }
  r = y;
}
thread Q { local r; atomic { y = 1; fence? b; r = x; } }
finally some: P.r == 1 || Q.r != 0;
";
    assert_eq!(
        placements(text, PlaceKind::Optional, Model::Tso),
        [["a", "b"]]
    );
}

#[test]
fn jumps_pass_the_place_before_their_target() {
    let text = "
shared x, y;
thread P { local r; x = 1; goto there; there: r = y; }
thread Q { local r; y = 1; fence; r = x; }
finally some: P.r == 1 || Q.r == 1;
";
    assert_eq!(
        placements(text, PlaceKind::Loads, Model::Tso),
        [["before_3"]]
    );
}

#[test]
fn places_that_no_delayed_store_passes_do_not_help() {
    let text = "
shared x, y;
thread P { local r; fence? a; x = 1; r = y; }
thread Q { local r; y = 1; r = x; fence? b; }
finally some: P.r == 1 || Q.r == 1;
";
    let problem = problem(text, PlaceKind::Optional, Model::Tso);
    let answer = problem.search();
    assert!(matches!(answer.end, End::Unfixable), "{:?}", answer.end);
    assert!(
        answer
            .refutations
            .last()
            .is_some_and(|last| last.clause.is_empty())
    );
    assert_eq!(answer.tried.len(), 1);
}

#[test]
fn a_clause_names_only_delays_that_matter() {
    let text = "
shared x, y, z;
thread P { local r; z = 1; fence? a; x = 1; fence? b; r = y; }
thread Q { local r; y = 1; fence; r = x; }
finally some: P.r == 1 || Q.r == 1;
";
    let problem = problem(text, PlaceKind::Optional, Model::Tso);
    let answer = problem.search();
    let b = problem.candidates.place("b").expect("it is a place");
    let Finding::Refuted(clause) = &answer.tried[0].finding else {
        panic!("{:?}", answer.tried[0]);
    };
    assert_eq!(*clause, [b].into());
    assert_eq!(problem.proved(&answer), owned(&[&["b"]]));
}

#[test]
fn a_location_that_must_be_held_forbids_new_places() {
    let text = "shared x; thread P { l: x = 1; } invariant P@l || x == 1;";
    let refused = Problem::new(text, Some(PlaceKind::Stores), Model::Tso);
    assert!(matches!(refused.err(), Some(PlacesError::Location(_))));
    let refused = Problem::new(text, Some(PlaceKind::Optional), Model::Tso);
    assert!(matches!(refused.err(), Some(PlacesError::NoOptional)));
}

#[test]
fn an_execution_explains_each_fence() {
    let problem = problem(STORE_BUFFERING, PlaceKind::Stores, Model::Tso);
    let answer = problem.search();
    for place in problem.candidates.ids() {
        let (fences, refutation) = answer.needs(place).expect("each fence is needed");
        assert!(!fences.contains(place) && fences.len() == 1);
        assert!(refutation.clause.contains(&place));
    }
}

#[test]
fn the_search_stops_when_it_has_enough() {
    let text = "
shared x, y;
thread P { local r; x = 1; fence? a; r = 2; fence? b; r = y; }
thread Q { local r; y = 1; fence; r = x; }
finally some: P.r == 1 || Q.r == 1;
";
    let problem = problem(text, PlaceKind::Optional, Model::Tso);
    assert_eq!(problem.proved(&problem.search()), owned(&[&["a"], &["b"]]));
    let one = Search {
        max_sets: Some(1),
        ..problem.task(None)
    };
    let answer = run(&one, &mut Explore::new(limits()));
    assert!(matches!(answer.end, End::Enough));
    assert_eq!(problem.proved(&answer), owned(&[&["a"]]));
}

/// Explores, and decides nothing about placements with fewer fences than these.
struct Hesitant {
    inner: Explore,
    least: usize,
}

impl Hesitant {
    fn new(least: usize) -> Self {
        Hesitant {
            inner: Explore::new(limits()),
            least,
        }
    }
}

impl Engine for Hesitant {
    fn name(&self) -> &'static str {
        "hesitant"
    }

    fn run(&mut self, task: &Task<'_>, context: &Context) -> Result<Outcome, EngineError> {
        let mut outcome = self.inner.run(task, context)?;
        if task.model != Model::Sc && task.fences.len() < self.least {
            let verdict = Verdict::Unknown(Unknown::Stopped(Limit::States));
            for attempt in &mut outcome.log {
                *attempt = Attempt {
                    engine: self.name(),
                    verdict: verdict.clone(),
                    ..attempt.clone()
                };
            }
            outcome.verdict = verdict;
        }
        Ok(outcome)
    }
}

#[test]
fn what_is_undecided_is_set_aside_and_its_supersets_are_tried() {
    let problem = problem(STORE_BUFFERING, PlaceKind::Stores, Model::Tso);
    let answer = problem.search_with(&mut Hesitant::new(2), None);
    assert_eq!(problem.proved(&answer), owned(&[&["after_3", "after_4"]]));
    assert_eq!(answer.proved[0].minimality, Minimality::AmongProved);
    assert_eq!(answer.undecided.len(), 3);
    let undecided = |finding: &Finding| matches!(finding, Finding::Undecided(_));
    assert_eq!(
        answer
            .tried
            .iter()
            .filter(|tried| undecided(&tried.finding))
            .count(),
        3
    );
}

#[test]
fn an_undecided_placement_may_be_refuted_later() {
    let problem = problem(STORE_BUFFERING, PlaceKind::Stores, Model::Tso);
    let answer = problem.search_with(&mut Hesitant::new(1), None);
    assert_eq!(answer.proved[0].minimality, Minimality::Exact);
    assert!(answer.undecided.is_empty(), "{:?}", answer.undecided);
}
