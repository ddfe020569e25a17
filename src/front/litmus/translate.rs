//! A litmus test as a program of the input language.
//!
//! Input: a [`Test`]. Output: a [`Tree`] that obeys all static rules, with the spans of the test. Called
//! by [`super::decide`] and for `cupola litmus --to-cup`.
//!
//! `code` has the statements that stand for each instruction. This file has what stands around them.
//!
//! The condition becomes a spec that is violated where the answer shows: `forall p` is `finally p`,
//! while `exists p` and `~exists p` are `finally !p`, so that a violation is a state in which p
//! holds.

use std::collections::BTreeSet;

use crate::front::build::{item, name_at, number_expr, place, place_expr, place_of};
use crate::front::cup::ast::{
    Block, CompareOp, Cond, CondKind, Expr, Init, Item, ItemKind, LocalLine, Span, Spec, SpecKind,
    Stmt, Thread as ThreadItem, Tree, Trivia, VarDecl,
};

use super::bits;
use super::code::Code;
use super::flags;
use super::flow::Flow;
use super::instruction::Part;
use super::names::{Names, Temporary, thread_name};
use super::report::Report;
use super::syntax::{Condition, Location, Prop, Quantifier, Side, Test, Thread};

/// The program of a test.
pub fn translate(test: &Test) -> Tree {
    let names = Names::new(test);
    let translation = Translation {
        test,
        names: &names,
    };
    let mut items = Vec::new();
    items.extend(translation.shared());
    items.extend(test.threads.iter().map(|thread| translation.thread(thread)));
    items.push(translation.spec(&test.condition));
    if let Some(first) = items.first_mut() {
        first.trivia = Trivia {
            leading: heading(test),
            ..Trivia::default()
        };
    }
    Tree {
        items,
        end_comments: Vec::new(),
    }
}

struct Translation<'t> {
    test: &'t Test,
    names: &'t Names,
}

impl Translation<'_> {
    fn shared(&self) -> Option<Item> {
        let memory = self.names.memory.iter();
        let vars: Vec<VarDecl> = memory
            .map(|(location, name)| self.variable(&Location::Memory(location.clone()), name))
            .collect();
        let shared = ItemKind::Shared(vars);
        (!self.names.memory.is_empty()).then(|| item(shared, Vec::new(), self.test.span))
    }

    fn variable(&self, location: &Location, name: &str) -> VarDecl {
        let span = self.test.span;
        let value = self.test.initial.get(location).copied();
        let init = value.filter(|&value| value != 0);
        VarDecl {
            name: name_at(name, span),
            size: None,
            init: init.map(|value| Init::Value(number_expr(value, span))),
            span,
        }
    }

    fn thread(&self, thread: &Thread) -> Item {
        let (stmts, used) = self.body(thread);
        let body = Block {
            stmts,
            span: thread.span,
            ..Block::default()
        };
        let thread_item = ThreadItem {
            name: name_at(&thread_name(thread.number), thread.span),
            copies: None,
            locals: self.locals(thread, &used).into_iter().collect(),
            fifos: Vec::new(),
            backgrounds: Vec::new(),
            body,
        };
        item(ItemKind::Thread(thread_item), Vec::new(), thread.span)
    }

    /// The statements of a thread, and what they need to remember.
    fn body(&self, thread: &Thread) -> (Vec<Stmt>, BTreeSet<Temporary>) {
        let flow = Flow::new(
            &thread.instructions,
            &thread.end_labels,
            &mut Report::default(),
        );
        let live = flags::live(&thread.instructions, &flow);
        let mut code = Code::new(self.names, thread.number);
        for (instruction, live) in thread.instructions.iter().zip(&live) {
            code.instruction(instruction, live);
        }
        code.end(&thread.end_labels, thread.span)
    }

    fn locals(&self, thread: &Thread, used: &BTreeSet<Temporary>) -> Option<LocalLine> {
        let locals = &self.names.threads[&thread.number];
        let registers = locals.registers.iter().map(|(register, name)| {
            let whole = Part::whole(register, self.test.architecture.width());
            self.variable(&Location::Register(thread.number, whole), name)
        });
        let temporaries = used.iter().map(|temporary| VarDecl {
            name: name_at(&locals.temporaries[temporary], thread.span),
            size: None,
            init: None,
            span: thread.span,
        });
        let vars: Vec<VarDecl> = registers.chain(temporaries).collect();
        (!vars.is_empty()).then(|| LocalLine {
            vars,
            trivia: Trivia::default(),
            span: thread.span,
        })
    }

    fn spec(&self, condition: &Condition) -> Item {
        let span = condition.span;
        let cond = self.cond(&condition.prop, span);
        let cond = match condition.quantifier {
            Quantifier::Forall => cond,
            Quantifier::Exists | Quantifier::NotExists => negated(cond),
        };
        let cond = match &self.test.filter {
            Some(filter) => either(negated(self.cond(filter, span)), cond),
            None => cond,
        };
        let spec = Spec {
            kind: SpecKind::Finally,
            name: None,
            cond,
        };
        let filter = self.test.filter.iter();
        let filter = filter.map(|filter| format!("// filter ({filter})"));
        let comments = filter.chain([format!("// {condition}")]).collect();
        item(ItemKind::Spec(spec), comments, span)
    }

    fn cond(&self, prop: &Prop, span: Span) -> Cond {
        let kind = match prop {
            Prop::Constant(true) => CondKind::True,
            Prop::Constant(false) => CondKind::False,
            Prop::Equal(left, right) => {
                let right = match right {
                    Side::Number(number) => number_expr(*number, span),
                    Side::Location(location) => self.location(location, span),
                };
                CondKind::Compare(CompareOp::Eq, self.location(left, span), right)
            }
            Prop::Not(prop) => return negated(self.cond(prop, span)),
            Prop::And(props) => return self.joined(props, CondKind::And, CondKind::True, span),
            Prop::Or(props) => return self.joined(props, CondKind::Or, CondKind::False, span),
            Prop::Implies(..) => return self.implication(prop, span),
        };
        Cond { kind, span }
    }

    /// `a => b => c` as `!a || !b || c`: a chain of any length nests no brackets.
    fn implication(&self, mut prop: &Prop, span: Span) -> Cond {
        let mut disjuncts = Vec::new();
        while let Prop::Implies(left, right) = prop {
            disjuncts.push(negated(self.cond(left, span)));
            prop = right;
        }
        let last = self.cond(prop, span);
        let premises = disjuncts.into_iter().reduce(either);
        match premises {
            Some(premises) => either(premises, last),
            None => last,
        }
    }

    fn joined(
        &self,
        props: &[Prop],
        join: fn(Box<Cond>, Box<Cond>) -> CondKind,
        of_none: CondKind,
        span: Span,
    ) -> Cond {
        let conds = props.iter().map(|prop| self.cond(prop, span));
        let joined = conds.reduce(|left, right| Cond {
            kind: join(Box::new(left), Box::new(right)),
            span,
        });
        joined.unwrap_or(Cond {
            kind: of_none,
            span,
        })
    }

    fn location(&self, location: &Location, span: Span) -> Expr {
        match location {
            Location::Memory(name) => place_expr(place(self.names.shared(name), span)),
            Location::Register(thread, part) => {
                let local = self.names.local(*thread, &part.register);
                let local = place_of(&thread_name(*thread), local, span);
                bits::extracted(place_expr(local), part)
            }
        }
    }
}

/// The comments at the head of the program.
fn heading(test: &Test) -> Vec<String> {
    let title = test.title.iter().map(|title| {
        let words: Vec<&str> = title.split_whitespace().collect();
        format!("// {}", words.join(" "))
    });
    std::iter::once(format!("// litmus test {}", test.name))
        .chain(title)
        .collect()
}

/// One of two conditions.
pub(super) fn either(left: Cond, right: Cond) -> Cond {
    let span = left.span;
    Cond {
        kind: CondKind::Or(Box::new(left), Box::new(right)),
        span,
    }
}

/// The negation of a condition; of a comparison, the opposite one.
pub(super) fn negated(cond: Cond) -> Cond {
    let span = cond.span;
    let kind = match cond.kind {
        CondKind::Compare(CompareOp::Eq, left, right) => {
            CondKind::Compare(CompareOp::Ne, left, right)
        }
        kind => CondKind::Not(Box::new(Cond { kind, span })),
    };
    Cond { kind, span }
}
