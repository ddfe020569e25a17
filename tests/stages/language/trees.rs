//! Random syntax trees: anything that the grammar can say, with comments, sense or not.
//!
//! The strategies are boxed: what they draw would otherwise lie on the stack, one inside the other,
//! and together be larger than it.

use cupola::front::cup::ast::{
    ArithOp, Arm, Background, Block, CompareOp, Cond, CondKind, ConstDecl, Expr, ExprKind,
    FifoLine, Init, Item, ItemKind, LocalLine, Mark, Name, Place, Placement, Rhs, Span, Spec,
    SpecKind, Stmt, StmtKind, Thread, ThreadRef, Tree, Trivia, VarDecl,
};
use cupola::memory::Model;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A tree as the parser makes them, spans apart.
pub fn tree() -> BoxedStrategy<Tree> {
    (vec(item(), 0..5), comments())
        .prop_map(|(mut items, end)| {
            first_has_no_blank(items.iter_mut().map(|item| &mut item.trivia));
            let end_comments = closing(end, items.is_empty());
            Tree {
                items,
                end_comments,
            }
        })
        .boxed()
}

fn item() -> BoxedStrategy<Item> {
    let kind = prop_oneof![
        vec(constant(), 1..3).prop_map(ItemKind::Const),
        vec(var(), 1..4).prop_map(ItemKind::Shared),
        thread().prop_map(ItemKind::Thread),
        (any::<bool>(), vec(name(), 1..3)).prop_map(|(tso, places)| {
            let model = if tso { Model::Tso } else { Model::Pso };
            ItemKind::Placement(Placement { model, places })
        }),
        (spec_kind(), of(name()), cond()).prop_map(|(kind, name, cond)| ItemKind::Spec(Spec {
            kind,
            name,
            cond
        })),
    ];
    (kind, trivia())
        .prop_map(|(kind, trivia)| Item {
            kind,
            trivia,
            span: NOWHERE,
        })
        .boxed()
}

fn thread() -> BoxedStrategy<Thread> {
    let local = (vec(var(), 1..3), trivia()).prop_map(|(vars, trivia)| LocalLine {
        vars,
        trivia,
        span: NOWHERE,
    });
    let background = (block(stmt()), trivia()).prop_map(|(body, trivia)| Background {
        body,
        trivia,
        span: NOWHERE,
    });
    let fifo = (name(), vec(name(), 0..3), trivia()).prop_map(|(name, fields, trivia)| FifoLine {
        name,
        fields,
        trivia,
        span: NOWHERE,
    });
    (
        name(),
        of(expr()),
        (vec(local, 0..3), vec(fifo, 0..2)),
        vec(background, 0..2),
        block(stmt()),
    )
        .prop_map(
            |(name, copies, (mut locals, mut fifos), mut backgrounds, mut body)| {
                let first = locals
                    .iter_mut()
                    .map(|line| &mut line.trivia)
                    .chain(fifos.iter_mut().map(|line| &mut line.trivia))
                    .chain(backgrounds.iter_mut().map(|block| &mut block.trivia));
                first_has_no_blank(first);
                let declares = !locals.is_empty() || !fifos.is_empty();
                let empty = !declares && backgrounds.is_empty() && body.stmts.is_empty();
                body.end_comments = closing(std::mem::take(&mut body.end_comments), empty);
                Thread {
                    name,
                    copies,
                    locals,
                    fifos,
                    backgrounds,
                    body,
                }
            },
        )
        .boxed()
}

fn stmt() -> BoxedStrategy<Stmt> {
    let simple = simple_kind();
    let leaf = labelled(simple.clone());
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let body = || block(inner.clone());
        let arms = vec((cond(), body()), 1..3).prop_map(|arms| {
            let arms = arms.into_iter().map(|(cond, block)| Arm { cond, block });
            arms.collect()
        });
        let kind = prop_oneof![
            simple.clone(),
            (arms, of(body())).prop_map(|(arms, otherwise)| StmtKind::If(arms, otherwise)),
            (cond(), body()).prop_map(|(cond, body)| StmtKind::While(cond, body)),
            (body(), cond()).prop_map(|(body, cond)| StmtKind::DoWhile(body, cond)),
            body().prop_map(StmtKind::Loop),
            body().prop_map(StmtKind::Atomic),
        ];
        labelled(kind)
    })
    .boxed()
}

fn labelled(kind: impl Strategy<Value = StmtKind> + 'static) -> BoxedStrategy<Stmt> {
    let labels = prop_oneof![4 => Just(Vec::new()), 1 => vec(name(), 1..3)];
    (labels, kind, trivia())
        .prop_map(|(labels, kind, trivia)| Stmt {
            labels,
            kind,
            trivia,
            span: NOWHERE,
            start: NOWHERE.start,
            mark: Mark::default(),
        })
        .boxed()
}

fn block(stmt: impl Strategy<Value = Stmt> + 'static) -> BoxedStrategy<Block> {
    (vec(stmt, 0..4), line_comments(), comments())
        .prop_map(|(mut stmts, open, end)| {
            first_has_no_blank(stmts.iter_mut().map(|stmt| &mut stmt.trivia));
            let end_comments = closing(end, stmts.is_empty());
            Block {
                stmts,
                open_comments: open,
                end_comments,
                span: NOWHERE,
            }
        })
        .boxed()
}

fn simple_kind() -> BoxedStrategy<StmtKind> {
    prop_oneof![
        4 => (place(), rhs()).prop_map(|(place, rhs)| StmtKind::Assign(place, rhs)),
        1 => (name(), vec(expr(), 1..3))
            .prop_map(|(fifo, values)| StmtKind::Append(fifo, values)),
        1 => name().prop_map(StmtKind::Pop),
        1 => Just(StmtKind::Fence),
        1 => name().prop_map(StmtKind::OptionalFence),
        1 => Just(StmtKind::Skip),
        1 => Just(StmtKind::Break),
        1 => Just(StmtKind::Continue),
        1 => name().prop_map(StmtKind::Goto),
        1 => cond().prop_map(StmtKind::Assume),
        2 => (cond(), of("[a-z /*;{}()@]{0,8}"))
            .prop_map(|(cond, message)| StmtKind::Assert(cond, message)),
    ]
    .boxed()
}

fn rhs() -> BoxedStrategy<Rhs> {
    prop_oneof![
        1 => Just(Rhs::Any(NOWHERE)),
        1 => (expr(), expr()).prop_map(|(low, high)| Rhs::Choose(low, high)),
        4 => expr().prop_map(Rhs::Expr),
        1 => (place(), expr(), expr()).prop_map(|(place, old, new)| Rhs::Cas(place, old, new)),
        1 => (place(), expr()).prop_map(|(place, new)| Rhs::Swap(place, new)),
        1 => (place(), expr()).prop_map(|(place, difference)| Rhs::FetchAdd(place, difference)),
    ]
    .boxed()
}

fn var() -> BoxedStrategy<VarDecl> {
    let init = prop_oneof![
        expr().prop_map(Init::Value),
        (expr(), expr()).prop_map(|(low, high)| Init::Range(low, high)),
        Just(Init::Any(NOWHERE)),
        vec(expr(), 1..4).prop_map(|values| Init::List(values, NOWHERE)),
    ];
    (name(), of(expr()), of(init))
        .prop_map(|(name, size, init)| VarDecl {
            name,
            size,
            init,
            span: NOWHERE,
        })
        .boxed()
}

fn constant() -> BoxedStrategy<ConstDecl> {
    (name(), expr())
        .prop_map(|(name, value)| ConstDecl {
            name,
            value,
            span: NOWHERE,
        })
        .boxed()
}

fn place() -> BoxedStrategy<Place> {
    plain_place(expr())
}

fn plain_place(index: BoxedStrategy<Expr>) -> BoxedStrategy<Place> {
    let thread = prop_oneof![4 => Just(None), 1 => thread_ref().prop_map(Some)];
    let index = prop_oneof![3 => Just(None), 1 => index.prop_map(|index| Some(Box::new(index)))];
    (thread, name(), index)
        .prop_map(|(thread, name, index)| Place {
            thread,
            name,
            index,
            span: NOWHERE,
        })
        .boxed()
}

fn thread_ref() -> BoxedStrategy<ThreadRef> {
    let number = (0..2000i64).prop_map(ExprKind::Num);
    let other = name().prop_map(|name| {
        ExprKind::Place(Place {
            thread: None,
            name,
            index: None,
            span: NOWHERE,
        })
    });
    let copy = prop_oneof![number, other].prop_map(|kind| {
        Box::new(Expr {
            kind,
            span: NOWHERE,
        })
    });
    (name(), of(copy))
        .prop_map(|(name, copy)| ThreadRef {
            name,
            copy,
            span: NOWHERE,
        })
        .boxed()
}

fn expr() -> BoxedStrategy<Expr> {
    let number = prop_oneof![9 => 0..100i64, 1 => Just(i64::MAX)];
    let variable = name().prop_map(|name| {
        ExprKind::Place(Place {
            thread: None,
            name,
            index: None,
            span: NOWHERE,
        })
    });
    let leaf = prop_oneof![
        number.prop_map(ExprKind::Num),
        Just(ExprKind::Tid),
        variable
    ];
    let leaf = leaf.prop_map(|kind| Expr {
        kind,
        span: NOWHERE,
    });
    leaf.prop_recursive(4, 12, 2, |inner| {
        let op = prop_oneof![
            Just(ArithOp::Add),
            Just(ArithOp::Sub),
            Just(ArithOp::Mul),
            Just(ArithOp::Div),
            Just(ArithOp::Mod),
        ];
        let kind = prop_oneof![
            inner.clone().prop_map(|e| ExprKind::Neg(Box::new(e))),
            (op, inner.clone(), inner.clone()).prop_map(|(op, l, r)| ExprKind::Binary(
                op,
                Box::new(l),
                Box::new(r)
            )),
            plain_place(inner).prop_map(ExprKind::Place),
        ];
        kind.prop_map(|kind| Expr {
            kind,
            span: NOWHERE,
        })
    })
    .boxed()
}

fn cond() -> BoxedStrategy<Cond> {
    let leaf = prop_oneof![
        1 => Just(CondKind::True),
        1 => Just(CondKind::False),
        1 => Just(CondKind::Any),
        4 => (compare_op(), expr(), expr()).prop_map(|(op, l, r)| CondKind::Compare(op, l, r)),
        1 => (thread_ref(), name()).prop_map(|(thread, label)| CondKind::At(thread, label)),
    ];
    let leaf = leaf.prop_map(|kind| Cond {
        kind,
        span: NOWHERE,
    });
    leaf.prop_recursive(3, 8, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        let kind = prop_oneof![
            inner.prop_map(|c| CondKind::Not(Box::new(c))),
            two.clone()
                .prop_map(|(l, r)| CondKind::And(Box::new(l), Box::new(r))),
            two.prop_map(|(l, r)| CondKind::Or(Box::new(l), Box::new(r))),
        ];
        kind.prop_map(|kind| Cond {
            kind,
            span: NOWHERE,
        })
    })
    .boxed()
}

fn compare_op() -> impl Strategy<Value = CompareOp> {
    prop_oneof![
        Just(CompareOp::Eq),
        Just(CompareOp::Ne),
        Just(CompareOp::Lt),
        Just(CompareOp::Le),
        Just(CompareOp::Gt),
        Just(CompareOp::Ge),
    ]
}

fn spec_kind() -> impl Strategy<Value = SpecKind> {
    prop_oneof![
        Just(SpecKind::Invariant),
        Just(SpecKind::Forbid),
        Just(SpecKind::Finally),
    ]
}

fn name() -> BoxedStrategy<Name> {
    let text = prop_oneof![
        Just("x".to_owned()),
        Just("_y2".to_owned()),
        Just("tso".to_owned()),
        Just("loops".to_owned()),
        Just("tid0".to_owned()),
        "[A-Z][a-z_0-9]{0,3}",
    ];
    text.prop_map(|text| Name {
        text,
        span: NOWHERE,
    })
    .boxed()
}

fn trivia() -> BoxedStrategy<Trivia> {
    let none = Just(Trivia::default());
    let some = (any::<bool>(), comments(), any::<bool>(), line_comments()).prop_map(
        |(blank_before, mut leading, blank_behind, trailing)| {
            if leading.first().is_some_and(String::is_empty) {
                leading.remove(0);
            }
            if blank_behind && !leading.is_empty() {
                leading.push(String::new());
            }
            Trivia {
                blank_before,
                leading,
                trailing,
            }
        },
    );
    prop_oneof![3 => none, 1 => some].boxed()
}

/// Comments on lines of their own, with single blank lines between them and perhaps before them.
fn comments() -> BoxedStrategy<Vec<String>> {
    let comment = (any::<bool>(), comment());
    let some = vec(comment, 1..3).prop_map(|comments| {
        let mut lines = Vec::new();
        for (blank, comment) in comments {
            if blank {
                lines.push(String::new());
            }
            lines.push(comment);
        }
        lines
    });
    prop_oneof![3 => Just(Vec::new()), 1 => some].boxed()
}

/// Comments that fit behind something on its line.
fn line_comments() -> BoxedStrategy<Vec<String>> {
    let some = (vec(block_comment(), 0..2), of(line_comment())).prop_map(|(mut blocks, line)| {
        blocks.extend(line);
        blocks
    });
    prop_oneof![4 => Just(Vec::new()), 1 => some].boxed()
}

fn comment() -> BoxedStrategy<String> {
    prop_oneof![line_comment(), block_comment()].boxed()
}

fn line_comment() -> impl Strategy<Value = String> {
    "//( [a-z;{}\"/*]{1,6})?"
}

fn block_comment() -> BoxedStrategy<String> {
    prop_oneof![
        Just("/**/".to_owned()),
        Just("/* one; \" { line */".to_owned()),
        Just("/* two\n   // lines */".to_owned()),
        Just("/* a\n\n blank */".to_owned()),
    ]
    .boxed()
}

fn closing(mut comments: Vec<String>, first: bool) -> Vec<String> {
    if first && comments.first().is_some_and(String::is_empty) {
        comments.remove(0);
    }
    comments
}

fn first_has_no_blank<'a>(mut trivia: impl Iterator<Item = &'a mut Trivia>) {
    if let Some(first) = trivia.next() {
        first.blank_before = false;
    }
}
