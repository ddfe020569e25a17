//! Random boolean programs: threads, atomic sections, `schoose`, `constrain`, `enforce`, calls.

use boolprog_checker::ast::{
    Branch, Decl, Expr, Procedure, Stmt, StmtKind, Target, ThreadStart, Tree,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// How many labels a procedure's body has for `goto`.
const LABELS: usize = 3;

/// A program with up to three globals, a helper procedure and up to two more threads.
pub fn program() -> impl Strategy<Value = Tree> {
    (1..=3usize).prop_flat_map(|globals| {
        let names: Vec<String> = (0..globals).map(|i| format!("g{i}")).collect();
        let helper = helper(names.clone());
        let worker = worker(names.clone());
        let main = main_procedure(names.clone());
        (helper, worker, main).prop_map(move |(helper, worker, main)| Tree {
            globals: names.iter().map(|name| Decl::new(name.as_str())).collect(),
            procedures: vec![helper, worker, main],
        })
    })
}

/// Two or three threads, each with variables of its own that nobody else mentions but an `enforce`: one
/// of main's and one of another thread's must keep its first value. The thread that comes first may keep
/// the others from moving, since main stays under its `enforce` for ever.
pub fn rivals() -> impl Strategy<Value = Tree> {
    let rival = prop_oneof![Just("g1"), Just("l")];
    let start = prop_oneof![
        Just(vec![ThreadStart::Goto("T".into())]),
        Just(vec![ThreadStart::Procedure("worker".into())]),
        Just(vec![
            ThreadStart::Goto("T".into()),
            ThreadStart::Procedure("worker".into())
        ]),
    ];
    let body = |own: &'static [&'static str]| proptest::collection::vec(duel(own), 1..4);
    let bodies = (body(&["g0"]), body(&["g1", "l"]), body(&["g1"]));
    (start, bodies, rival, any::<[bool; 3]>()).prop_map(
        |(start, (own, others, worker), rival, initial)| {
            let signs = ["g0", rival].map(|name| {
                let place = ["g0", "g1", "l"].iter().position(|other| *other == name);
                Expr::literal(name, initial[place.expect("it is one of them")])
            });
            let targets = ["g0", "g1", "l"].map(Target::var).to_vec();
            let values = initial.map(Expr::Const).to_vec();
            let mut main = vec![Stmt::assign(targets, values)];
            main.extend(
                start
                    .into_iter()
                    .map(|start| Stmt::new(StmtKind::StartThread(start))),
            );
            main.extend(own);
            main.push(Stmt::new(StmtKind::Assume(Expr::Const(false))));
            main.push(Stmt::new(StmtKind::Skip).label("T"));
            main.extend(others);
            let mut main = Procedure::new("main", main);
            main.locals = vec![Decl::new("l")];
            main.enforce = Some(Expr::any(signs));
            Tree {
                globals: vec![Decl::new("g0"), Decl::new("g1")],
                procedures: vec![Procedure::new("worker", worker), main],
            }
        },
    )
}

/// A thread that calls a procedure with an `enforce` about a variable that it does not mention, and main
/// whose own `enforce` is about that variable, too. Values that keep main from going on may let the other thread in.
pub fn visitors() -> impl Strategy<Value = Tree> {
    let names = || ["g0", "g1"].map(str::to_owned).to_vec();
    let first = prop_oneof![
        1 => Just(StmtKind::Skip),
        2 => select(vec!["g0", "g1"]).prop_map(|name| StmtKind::Dead(vec![name.into()])),
    ];
    let body =
        |own: &'static [&'static str], count: Range| proptest::collection::vec(duel(own), count);
    let bodies = (
        body(&["g0"], 0..3),
        body(&["g0"], 1..5),
        body(&["g2"], 0..3),
    );
    let enforces = (enforce(names()), enforce(names()));
    (first, bodies, enforces, any::<[bool; 2]>()).prop_map(
        |(first, (before, behind, other), (own, visited), initial)| {
            let targets = ["g0", "g2"].map(Target::var).to_vec();
            let mut main = vec![Stmt::assign(targets, initial.map(Expr::Const).to_vec())];
            main.extend(before);
            main.push(Stmt::new(first));
            main.push(Stmt::new(StmtKind::StartThread(ThreadStart::Procedure(
                "worker".into(),
            ))));
            main.extend(behind);
            let mut main = Procedure::new("main", main);
            main.enforce = own;
            let mut worker = other;
            worker.push(Stmt::new(StmtKind::Call {
                targets: Vec::new(),
                procedure: "visited".into(),
                arguments: Vec::new(),
            }));
            let failing = [StmtKind::Skip, StmtKind::Assert(Expr::Const(false))];
            let mut inside = Procedure::new("visited", failing.map(Stmt::new).to_vec());
            inside.enforce = visited;
            Tree {
                globals: ["g0", "g1", "g2"].map(Decl::new).to_vec(),
                procedures: vec![inside, Procedure::new("worker", worker), main],
            }
        },
    )
}

/// A statement that mentions one of these variables or none.
fn duel(own: &'static [&'static str]) -> impl Strategy<Value = Stmt> {
    let write = (select(own), any::<bool>())
        .prop_map(|(name, value)| Stmt::assign(vec![Target::var(name)], vec![Expr::Const(value)]));
    let assume = (select(own), any::<bool>())
        .prop_map(|(name, sign)| Stmt::new(StmtKind::Assume(Expr::literal(name, sign))));
    prop_oneof![
        4 => write,
        1 => assume,
        1 => Just(Stmt::new(StmtKind::Assume(Expr::Const(false)))),
        2 => Just(Stmt::new(StmtKind::Assert(Expr::Const(false)))),
    ]
}

fn with(names: &[String], more: &[&str]) -> Vec<String> {
    names
        .iter()
        .cloned()
        .chain(more.iter().map(ToString::to_string))
        .collect()
}

/// `bool<1> helper(x)`
fn helper(globals: Vec<String>) -> impl Strategy<Value = Procedure> {
    let names = with(&globals, &["x"]);
    let result = expr(names.clone(), false);
    let end = prop_oneof![
        2 => result.prop_map(|result| StmtKind::Return(vec![result])),
        1 => Just(StmtKind::Skip),
    ];
    (chunks(names.clone(), 0..2, false), end, enforce(names)).prop_map(|(body, end, enforce)| {
        let mut body: Vec<Stmt> = body.into_iter().flatten().collect();
        body.push(Stmt::new(end));
        let mut procedure = Procedure::new("helper", body);
        procedure.parameters = vec![Decl::new("x")];
        procedure.results = 1;
        procedure.enforce = enforce;
        procedure
    })
}

/// `void worker()`, which threads begin in.
fn worker(globals: Vec<String>) -> impl Strategy<Value = Procedure> {
    let names = with(&globals, &["w"]);
    (chunks(names.clone(), 1..3, true), enforce(names)).prop_map(|(body, enforce)| {
        let mut procedure = Procedure::new("worker", labelled(body));
        procedure.locals = vec![Decl::new("w")];
        procedure.enforce = enforce;
        procedure
    })
}

fn main_procedure(globals: Vec<String>) -> impl Strategy<Value = Procedure> {
    let names = with(&globals, &["m"]);
    let bodies = (
        chunks(names.clone(), 1..5, true),
        chunks(names.clone(), 1..3, true),
    );
    let starts = prop_oneof![
        3 => Just(Vec::new()),
        4 => Just(vec![ThreadStart::Goto("T".into())]),
        2 => Just(vec![ThreadStart::Procedure("worker".into())]),
        1 => Just(vec![ThreadStart::Goto("T".into()), ThreadStart::Procedure("worker".into())]),
    ];
    (bodies, starts, enforce(names)).prop_map(|((first, second), starts, enforce)| {
        let mut body: Vec<Stmt> = starts
            .into_iter()
            .map(|start| Stmt::new(StmtKind::StartThread(start)))
            .collect();
        body.extend(labelled(first));
        body.push(Stmt::new(StmtKind::EndThread));
        body.push(Stmt::new(StmtKind::Skip).label("T"));
        body.extend(second.into_iter().flatten());
        let mut procedure = Procedure::new("main", body);
        procedure.locals = vec![Decl::new("m")];
        procedure.enforce = enforce;
        procedure
    })
}

fn enforce(names: Vec<String>) -> impl Strategy<Value = Option<Expr>> {
    let clause = subsequence(names.clone(), 1..=names.len().min(2)).prop_flat_map(|names| {
        let signs = proptest::collection::vec(any::<bool>(), names.len());
        signs.prop_map(move |signs| {
            Expr::any(
                names
                    .iter()
                    .zip(signs)
                    .map(|(n, s)| Expr::literal(n.as_str(), s)),
            )
        })
    });
    let clauses = proptest::collection::vec(clause, 1..3).prop_map(Expr::all);
    prop_oneof![6 => Just(None), 2 => clauses.prop_map(Some), 1 => expr(names, false).prop_map(Some)]
}

/// Attaches the labels `L0`, `L1`, … to the chunks, adding `skip` where there are too few.
fn labelled(chunks: Vec<Vec<Stmt>>) -> Vec<Stmt> {
    let mut body = Vec::new();
    let count = chunks.len().max(LABELS);
    let mut chunks = chunks.into_iter();
    for number in 0..count {
        let mut chunk = chunks
            .next()
            .unwrap_or_else(|| vec![Stmt::new(StmtKind::Skip)]);
        if number < LABELS {
            chunk[0].labels.push(format!("L{number}").into());
        }
        body.extend(chunk);
    }
    body
}

type Range = std::ops::Range<usize>;

/// A list of chunks; each is a statement or a whole atomic section.
fn chunks(names: Vec<String>, count: Range, jumps: bool) -> impl Strategy<Value = Vec<Vec<Stmt>>> {
    let call = names[0].clone();
    let atomic =
        proptest::collection::vec(stmt(names.clone(), false, 1), 1..4).prop_map(|mut inner| {
            inner.insert(0, Stmt::new(StmtKind::AtomicBegin));
            inner.push(Stmt::new(StmtKind::AtomicEnd));
            inner
        });
    let single = stmt(names.clone(), jumps, 2).prop_map(|stmt| vec![stmt]);
    let call = expr(names, false).prop_map(move |argument| {
        vec![Stmt::new(StmtKind::Call {
            targets: vec![Target::var(call.as_str())],
            procedure: "helper".into(),
            arguments: vec![argument],
        })]
    });
    let calls = u32::from(jumps);
    proptest::collection::vec(prop_oneof![6 => single, 2 => atomic, calls => call], count)
}

fn stmt(names: Vec<String>, jumps: bool, depth: u32) -> BoxedStrategy<Stmt> {
    let condition = || expr(names.clone(), false);
    let block = |count: Range| -> BoxedStrategy<Vec<Stmt>> {
        match depth {
            0 => Just(vec![Stmt::new(StmtKind::Skip)]).boxed(),
            _ => proptest::collection::vec(stmt(names.clone(), jumps, depth - 1), count).boxed(),
        }
    };
    let branches = (condition(), block(0..3), proptest::option::of(block(0..2)));
    let if_ = branches.prop_map(|(condition, body, otherwise)| {
        Stmt::new(StmtKind::If {
            branches: vec![Branch { condition, body }],
            otherwise,
        })
    });
    let while_ = (condition(), block(1..3))
        .prop_map(|(condition, body)| Stmt::new(StmtKind::While { condition, body }));
    let goto = proptest::collection::vec(0..LABELS, 1..3)
        .prop_map(|labels| Stmt::goto(labels.into_iter().map(|label| format!("L{label}"))));
    let dead = select(names.clone()).prop_map(|name| Stmt::new(StmtKind::Dead(vec![name.into()])));
    let nested = if depth > 0 { 1 } else { 0 };
    prop_oneof![
        8 => assignment(names.clone()),
        3 => condition().prop_map(|c| Stmt::new(StmtKind::Assert(c))),
        3 => condition().prop_map(|c| Stmt::new(StmtKind::Assume(c))),
        1 => Just(Stmt::new(StmtKind::Skip)),
        1 => dead,
        nested => if_,
        nested => while_,
        u32::from(jumps) => goto,
    ]
    .boxed()
}

fn assignment(names: Vec<String>) -> impl Strategy<Value = Stmt> {
    let most = names.len().min(2);
    subsequence(names.clone(), 1..=most).prop_flat_map(move |targets| {
        let values = proptest::collection::vec(expr(names.clone(), false), targets.len());
        let constrain = prop_oneof![4 => Just(None), 1 => expr(names.clone(), true).prop_map(Some)];
        (values, constrain).prop_map(move |(values, constrain)| {
            let targets = targets
                .iter()
                .map(|name| Target::var(name.as_str()))
                .collect();
            Stmt::new(StmtKind::Assign {
                targets,
                values,
                constrain,
            })
        })
    })
}

fn expr(names: Vec<String>, next: bool) -> BoxedStrategy<Expr> {
    let var = select(names.clone()).prop_map(Expr::var);
    let primed = select(names).prop_map(Expr::next);
    let leaf = prop_oneof![
        8 => var,
        if next { 8 } else { 0 } => primed,
        2 => any::<bool>().prop_map(Expr::Const),
        2 => Just(Expr::Nondet),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            3 => inner.clone().prop_map(Expr::negated),
            2 => proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::And),
            2 => proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::Or),
            1 => pair().prop_map(|(e, f)| Expr::Xor(e, f)),
            1 => pair().prop_map(|(e, f)| Expr::Eq(e, f)),
            1 => pair().prop_map(|(e, f)| Expr::Ne(e, f)),
            1 => pair().prop_map(|(e, f)| Expr::Implies(e, f)),
            1 => (pair(), inner.clone().prop_map(Box::new)).prop_map(|((c, e), f)| Expr::Ite(c, e, f)),
            2 => pair().prop_map(|(e, f)| Expr::Schoose(e, f)),
        ]
    })
    .boxed()
}
