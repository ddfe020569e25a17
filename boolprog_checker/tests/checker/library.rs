//! The library as another program uses it: programs built without text, tags in traces, fired
//! disjuncts, cancellation.

#[path = "../../benches/workload/large.rs"]
mod large;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use boolprog_checker::ast::{Decl, Expr, Procedure, Stmt, StmtKind, Target, ThreadStart, Tree};
use boolprog_checker::{
    AbstractState, Finding, FiredClause, Followed, Follower, Limit, Limits, Mode, Options, Program,
    Reason, Reductions, Verdict, check, parse, reachable_states,
};

/// Two flags; a thread sets the second by a choice that the first makes definite.
fn built() -> Program {
    let cube = |literals: &[(&str, bool)]| Expr::cube(literals.iter().copied());
    let choice = Expr::schoose(
        Expr::any([
            cube(&[("a", true), ("b", true)]),
            cube(&[("a", true), ("b", false)]),
        ]),
        cube(&[("a", false)]),
    );
    let body = vec![
        Stmt::assign(
            vec![Target::var("a"), Target::var("b")],
            vec![Expr::Const(true), Expr::Const(false)],
        )
        .tag(100)
        .comment("a = 1; b = 0;"),
        Stmt::new(StmtKind::StartThread(ThreadStart::Goto("T".into()))),
        Stmt::new(StmtKind::EndThread),
        Stmt::assign(vec![Target::var("b")], vec![choice])
            .label("T")
            .tag(101),
        Stmt::new(StmtKind::Assert(Expr::literal("b", false))).tag(102),
    ];
    let tree = Tree {
        globals: vec![Decl::new("a").comment("x == 0"), Decl::new("b")],
        procedures: vec![Procedure::new("main", body)],
    };
    Program::new(tree).expect("it is a program")
}

#[test]
fn a_built_program_is_checked_and_its_tags_come_back() {
    let program = built();
    let outcome = check(&program, &Options::default());
    let Finding::Violated(trace) = &outcome.assertions[0].finding else {
        panic!("it can fail")
    };
    let tags: Vec<_> = trace
        .steps
        .iter()
        .map(|step| program.stmt(step.stmt).origin.tag)
        .collect();
    assert_eq!(tags, [Some(100), None, Some(101), Some(102)]);
    assert_eq!(trace.steps[2].thread, 1);
    assert_eq!(trace.steps[2].changes, [("b".to_owned(), Some(true))]);
}

#[test]
fn a_built_program_prints_with_comments_and_parses_back() {
    let program = built();
    let text = program.to_string();
    assert!(text.contains("decl a; // x == 0"), "{text}");
    assert!(text.contains("a, b := T, F; // a = 1; b = 0;"), "{text}");
    assert_eq!(parse(&text).expect("it parses"), program);
}

#[test]
fn fired_disjuncts_are_recorded() {
    let options = Options {
        mode: Mode::ThreeValued,
        reductions: Reductions::NONE,
        record_fired: true,
        ..Options::default()
    };
    let outcome = check(&built(), &options);
    let fired: Vec<_> = outcome
        .fired
        .iter()
        .map(|one| (one.stmt.index(), one.positive, one.disjunct))
        .collect();
    assert_eq!(fired, [(3, true, 1)]);
    assert!(check(&built(), &Options::default()).fired.is_empty());
}

/// A clause fires where it refutes an assumption, where it teaches something, and where it keeps an
/// assertion from failing; others do not.
#[test]
fn fired_clauses_are_recorded() {
    let text = "decl a, b, c;\n\
        void main() begin\n\
        a, b := T, F;\n\
        if * then assume((!a | b) & (a | c)); fi\n\
        assume((!a | c) & (b | a) & (b | c));\n\
        assert((a & c) | (b & c));\n\
        assert((b & c) | (a & c) | (a & b & c));\n\
        end\n";
    let program = parse(text).expect("it is a program");
    let options = Options {
        mode: Mode::ThreeValued,
        reductions: Reductions::NONE,
        record_fired: true,
        ..Options::default()
    };
    let outcome = check(&program, &options);
    let literals = |clause: &FiredClause| {
        let literal = |(name, positive): &(String, bool)| {
            format!("{}{name}", if *positive { "" } else { "!" })
        };
        let literals: Vec<_> = clause.literals.iter().map(literal).collect();
        literals.join(" | ")
    };
    let fired: Vec<_> = outcome.fired_clauses.iter().map(literals).collect();
    assert_eq!(fired, ["!a | b", "!a | c", "b | c", "!a | !c", "!a | !c"]);
    assert!(
        check(&program, &Options::default())
            .fired_clauses
            .is_empty()
    );
}

#[test]
fn reachable_states_name_the_next_statement() {
    let states = reachable_states(&built(), &Options::default()).expect("no limit is hit");
    let last = states.iter().find(|state| {
        state
            .threads
            .iter()
            .any(|thread| thread.next.is_some_and(|next| next.index() == 4))
    });
    assert_eq!(
        last.expect("the assertion is reached").globals,
        [Some(true), Some(true)]
    );
}

/// Whether the thread in this slot stands at the statement with this number.
fn at(state: &AbstractState, slot: usize, stmt: usize) -> bool {
    let mut threads = state.threads.iter();
    threads
        .any(|thread| thread.slot == slot && thread.next.is_some_and(|next| next.index() == stmt))
}

#[test]
fn a_follower_finds_what_the_steps_of_a_thread_lead_to() {
    let program = built();
    let mut follower = Follower::new(&program, &Options::default());
    let anywhere = |_: &AbstractState| true;
    let b_is = |value| move |state: &AbstractState| state.globals[1] == Some(value);
    let started = |state: &AbstractState| at(state, 1, 3);
    assert_eq!(follower.follow(0, started, anywhere), Followed::Inside);
    assert_eq!(follower.follow(0, anywhere, b_is(true)), Followed::Lost);
    assert_eq!(follower.follow(1, anywhere, b_is(false)), Followed::Lost);
    assert_eq!(follower.follow(1, anywhere, b_is(true)), Followed::Inside);
    assert_eq!(follower.follow(1, anywhere, anywhere), Followed::Failed);
}

#[test]
fn a_cancelled_check_is_unknown() {
    let limits = Limits {
        cancel: Some(Arc::new(AtomicBool::new(true))),
        ..Limits::default()
    };
    let outcome = check(
        &built(),
        &Options {
            limits,
            ..Options::default()
        },
    );
    assert_eq!(outcome.verdict(), Verdict::Unknown);
    assert!(matches!(
        outcome.assertions[0].finding,
        Finding::Unknown(Reason::Limit(Limit::Cancelled))
    ));
}

/// The finding of the assertion of a main procedure over so many variables that a step that reads them all has
/// more parts than a search holds at a time. `ALL` stands for the sum of all but `x`.
fn finding_over_many_variables(body: &str) -> Finding {
    let names: Vec<_> = (0..20).map(|i| format!("v{i}")).collect();
    let body = body.replace("ALL", &names.join(" ^ "));
    let text = format!(
        "decl x, {};\nvoid main() begin {body} end\n",
        names.join(", ")
    );
    let options = Options {
        shortest: false,
        ..Options::default()
    };
    let outcome = check(&parse(&text).expect("it is a program"), &options);
    let first = outcome.assertions.into_iter().next();
    first.expect("it has an assertion").finding
}

#[test]
fn a_step_with_too_many_parts_is_a_limit() {
    let finding = finding_over_many_variables("assert(!(x ^ ALL) = (x = (ALL)));");
    assert!(
        matches!(finding, Finding::Unknown(Reason::Limit(Limit::States))),
        "{finding:?}"
    );
}

#[test]
fn a_failure_among_too_many_parts_is_found() {
    let finding = finding_over_many_variables("assert(x ^ ALL);");
    assert_eq!(finding.verdict(), Verdict::Violated);
}

#[test]
fn a_tree_with_unknown_names_is_refused() {
    let body = vec![Stmt::new(StmtKind::Assert(Expr::var("nobody")))];
    let tree = Tree {
        globals: Vec::new(),
        procedures: vec![Procedure::new("main", body)],
    };
    let errors = Program::new(tree).expect_err("the variable is not declared");
    assert_eq!(errors.to_string(), "there is no variable `nobody`");
}

#[test]
fn a_large_program_parses() {
    let size = 5 << 16;
    let text = large::text(size);
    let program = parse(&text).expect("it is a program");
    assert!(program.tree().procedures[0].body.len() > size / 100);
}

#[test]
fn comments_and_names_in_braces_keep_out_of_each_other() {
    let text = "decl {x // 1}, /* {y */ {z == /* 2};\n\
        void main() begin\u{b}{x // 1}\t:=\r\n ! /* é */ ~ {z == /* 2};; end // done";
    let program = parse(text).expect("it is a program");
    let names: Vec<_> = program
        .tree()
        .globals
        .iter()
        .map(|decl| decl.name.name.as_str())
        .collect();
    assert_eq!(names, ["{x // 1}", "{z == /* 2}"]);
    assert_eq!(program.tree().statements().len(), 1);
}

#[test]
fn what_is_not_closed_or_ends_a_block_too_early_is_an_error() {
    for text in [
        "decl a; void main() begin skip; /* end",
        "decl {a\n}; void main() begin skip; end",
        "void main() begin skip; fi end",
        "void main() begin end skip; end",
        "decl a; void main() begin a := T b := F; end",
        "decl a; void main() begin if a then skip skip fi end",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}
