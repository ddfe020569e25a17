//! A litmus test as a program of the input language.
//!
//! Input: a [`Test`]. Output: a [`Tree`] that obeys all static rules, with the spans of the test. Called
//! by [`super::decide`] and for `cupola litmus --to-cup`.
//!
//! | instruction | statement |
//! | --- | --- |
//! | `MOV EAX,[x]` | `EAX = x;` |
//! | `MOV [x],$1` | `x = 1;` |
//! | `MFENCE` | `fence;` |
//! | `XCHG EAX,[x]` | `EAX = swap(x, EAX);` |
//! | `XCHG EAX,EBX` | three assignments of locals |
//!
//! The condition becomes a spec that is violated where the answer shows: `forall p` is `finally p`,
//! while `exists p` and `~exists p` are `finally !p`, so that a violation is a state in which p
//! holds.

use crate::front::cup::ast::{
    Block, CompareOp, Cond, CondKind, Expr, ExprKind, Init, Item, ItemKind, LocalLine, Mark, Name,
    Place, Rhs, Span, Spec, SpecKind, Stmt, StmtKind, Thread as ThreadItem, ThreadRef, Tree,
    Trivia, VarDecl,
};

use super::names::{Names, thread_name};
use super::syntax::{
    Condition, Instruction, InstructionKind, Location, Prop, Quantifier, Register, Side, Test,
    Thread, Value,
};

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
        let locals = self.locals(thread);
        let statements = thread.instructions.iter();
        let stmts = statements.flat_map(|instruction| self.statements(thread.number, instruction));
        let body = Block {
            stmts: stmts.collect(),
            span: thread.span,
            ..Block::default()
        };
        let thread_item = ThreadItem {
            name: name_at(&thread_name(thread.number), thread.span),
            copies: None,
            locals: locals.into_iter().collect(),
            fifos: Vec::new(),
            backgrounds: Vec::new(),
            body,
        };
        item(ItemKind::Thread(thread_item), Vec::new(), thread.span)
    }

    fn locals(&self, thread: &Thread) -> Option<LocalLine> {
        let locals = &self.names.threads[&thread.number];
        let registers = locals.registers.iter().map(|(register, name)| {
            self.variable(&Location::Register(thread.number, register.clone()), name)
        });
        let exchange = locals.exchange.iter().map(|name| VarDecl {
            name: name_at(name, thread.span),
            size: None,
            init: None,
            span: thread.span,
        });
        let vars: Vec<VarDecl> = registers.chain(exchange).collect();
        (!vars.is_empty()).then(|| LocalLine {
            vars,
            trivia: Trivia::default(),
            span: thread.span,
        })
    }

    fn statements(&self, thread: u32, instruction: &Instruction) -> Vec<Stmt> {
        let span = instruction.span;
        let local = |register: &Register| place(None, self.names.local(thread, register), span);
        let shared = |memory: &str| place(None, self.names.shared(memory), span);
        let value = |value: &Value| match value {
            Value::Number(number) => number_expr(*number, span),
            Value::Register(register) => place_expr(local(register)),
        };
        let kinds = match &instruction.kind {
            InstructionKind::Load(to, from) => vec![assign(local(to), place_expr(shared(from)))],
            InstructionKind::Store(to, from) => vec![assign(shared(to), value(from))],
            InstructionKind::Move(to, from) => vec![assign(local(to), value(from))],
            InstructionKind::Fence => vec![StmtKind::Fence],
            InstructionKind::Exchange(register, memory) => {
                let swap = Rhs::Swap(shared(memory), place_expr(local(register)));
                vec![StmtKind::Assign(local(register), swap)]
            }
            InstructionKind::ExchangeRegisters(left, right) => {
                let name = self.names.threads[&thread].exchange.as_deref();
                let old = place(
                    None,
                    name.expect("the thread has a variable for this"),
                    span,
                );
                vec![
                    assign(old.clone(), place_expr(local(left))),
                    assign(local(left), place_expr(local(right))),
                    assign(local(right), place_expr(old)),
                ]
            }
        };
        kinds.into_iter().map(|kind| stmt(kind, span)).collect()
    }

    fn spec(&self, condition: &Condition) -> Item {
        let span = condition.span;
        let cond = self.cond(&condition.prop, span);
        let cond = match condition.quantifier {
            Quantifier::Forall => cond,
            Quantifier::Exists | Quantifier::NotExists => negated(cond),
        };
        let spec = Spec {
            kind: SpecKind::Finally,
            name: None,
            cond,
        };
        let comments = vec![format!("// {condition}")];
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
        let either = |left, right| Cond {
            kind: CondKind::Or(Box::new(left), Box::new(right)),
            span,
        };
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
        place_expr(match location {
            Location::Memory(name) => place(None, self.names.shared(name), span),
            Location::Register(thread, register) => {
                place(Some(*thread), self.names.local(*thread, register), span)
            }
        })
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

fn item(kind: ItemKind, comments: Vec<String>, span: Span) -> Item {
    let trivia = Trivia {
        blank_before: true,
        leading: comments,
        trailing: Vec::new(),
    };
    Item { kind, trivia, span }
}

fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt {
        labels: Vec::new(),
        kind,
        trivia: Trivia::default(),
        span,
        start: span.start,
        mark: Mark::default(),
    }
}

fn assign(target: Place, source: Expr) -> StmtKind {
    StmtKind::Assign(target, Rhs::Expr(source))
}

fn name_at(text: &str, span: Span) -> Name {
    Name {
        text: text.to_owned(),
        span,
    }
}

fn place(thread: Option<u32>, name: &str, span: Span) -> Place {
    Place {
        thread: thread.map(|number| ThreadRef {
            name: name_at(&thread_name(number), span),
            copy: None,
            span,
        }),
        name: name_at(name, span),
        index: None,
        span,
    }
}

fn place_expr(place: Place) -> Expr {
    Expr {
        span: place.span,
        kind: ExprKind::Place(place),
    }
}

/// A number; the parser makes a negative one the negation of another.
fn number_expr(number: i64, span: Span) -> Expr {
    let expr = |kind| Expr { kind, span };
    match number.checked_neg() {
        Some(magnitude) if number < 0 => {
            expr(ExprKind::Neg(Box::new(expr(ExprKind::Num(magnitude)))))
        }
        _ => expr(ExprKind::Num(number)),
    }
}

/// The negation of a condition; of a comparison, the opposite one.
fn negated(cond: Cond) -> Cond {
    let span = cond.span;
    let kind = match cond.kind {
        CondKind::Compare(CompareOp::Eq, left, right) => {
            CondKind::Compare(CompareOp::Ne, left, right)
        }
        kind => CondKind::Not(Box::new(Cond { kind, span })),
    };
    Cond { kind, span }
}
