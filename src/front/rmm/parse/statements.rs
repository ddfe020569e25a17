//! Statements.

use pest::iterators::Pair;

use crate::front::cup::ast::{Cond, Expr, Name};
use crate::source::Span;

use super::super::syntax::{Memory, Statement, StatementKind};
use super::{Reader, Rule, parts, span_of};

impl Reader<'_> {
    pub(super) fn statements(&mut self, statements: Pair<'_, Rule>) -> Vec<Statement> {
        let labelled = parts(statements, Rule::labelled);
        labelled.map(|part| self.labelled(part)).collect()
    }

    fn labelled(&mut self, labelled: Pair<'_, Rule>) -> Statement {
        let mut label = None;
        let mut statement = None;
        for part in labelled.into_inner() {
            match part.as_rule() {
                Rule::label => {
                    let name = parts(part, Rule::name).next();
                    label = name.map(|name| self.name(&name));
                }
                _ => statement = Some((self.place(&part), self.statement(part))),
            }
        }
        let (span, kind) = statement.expect("a label stands before a statement");
        Statement { label, kind, span }
    }

    fn statement(&mut self, statement: Pair<'_, Rule>) -> StatementKind {
        let place = span_of(&statement);
        let rule = statement.as_rule();
        let mut operands = Operands::default();
        for part in statement.into_inner() {
            match part.as_rule() {
                Rule::name => operands.name = Some(self.name(&part)),
                Rule::register => operands.register = Some(self.name(&part)),
                Rule::memory => operands.memory = Some(self.memory(part)),
                Rule::expr => {
                    let expr = self.expr(part);
                    operands.exprs.push(expr);
                }
                Rule::condition => operands.cond = Some(self.condition(part)),
                Rule::statements => {
                    let list = self.statements(part);
                    operands.lists.push(list);
                }
                Rule::labelled => {
                    let inner = self.labelled(part);
                    operands.inner.push(inner);
                }
                _ => {}
            }
        }
        match operands.statement(rule) {
            Some(kind) => kind,
            None => {
                self.not_modelled(rule, place);
                StatementKind::Nop
            }
        }
    }

    fn not_modelled(&mut self, rule: Rule, place: Span) {
        let (what, why, note) = match rule {
            Rule::ssfence => (
                "the store-store fence `ssfence`",
                "keeps stores in order and lets loads pass",
                "under sc and tso stores keep their order without it, so leave it out; pso here has full fences alone: write `fence`, which is stronger",
            ),
            Rule::slocked => (
                "`slocked write`, a store with a store-store fence,",
                "keeps stores in order and lets loads pass",
                "under sc and tso stores keep their order without it, so write `write: …`; pso here has full fences alone: write `write: …; fence`, which is stronger",
            ),
            Rule::syncwr => (
                "`syncwr`, a store past the caches of VIPS-M,",
                "the models here have store buffers and no caches",
                "write `locked write: …` for a store that is in memory at once",
            ),
            _ => (
                "`syncrd`, a load past the caches of VIPS-M,",
                "the models here have store buffers and no caches",
                "write `fence; read: …` for a load that sees memory alone",
            ),
        };
        self.error(format!("{what} is not modelled"), place, why, note);
    }
}

/// The parts of a statement that carry its meaning.
#[derive(Default)]
struct Operands {
    name: Option<Name>,
    register: Option<Name>,
    memory: Option<Memory>,
    exprs: Vec<Expr>,
    cond: Option<Cond>,
    lists: Vec<Vec<Statement>>,
    inner: Vec<Statement>,
}

impl Operands {
    /// The statement with these parts; `None` if it is not modelled.
    fn statement(self, rule: Rule) -> Option<StatementKind> {
        let mut exprs = self.exprs.into_iter();
        let mut inner = self.inner.into_iter().map(Box::new);
        Some(match rule {
            Rule::nop => StatementKind::Nop,
            Rule::fence => StatementKind::Fence,
            Rule::llfence => StatementKind::LoadFence,
            Rule::read => match self.register {
                Some(register) => StatementKind::ReadTo(register, self.memory?),
                None => StatementKind::ReadEqual(self.memory?, exprs.next()?),
            },
            Rule::write => StatementKind::Write(self.memory?, exprs.next()?),
            Rule::locked_write => StatementKind::LockedWrite(self.memory?, exprs.next()?),
            Rule::cas => StatementKind::Cas(self.memory?, exprs.next()?, exprs.next()?),
            Rule::set => StatementKind::Set(self.register?, exprs.next()?),
            Rule::assume => StatementKind::Assume(self.cond?),
            Rule::locked => StatementKind::Locked(self.lists),
            Rule::either => StatementKind::Either(self.lists),
            Rule::block => StatementKind::Block(self.lists.into_iter().next()?),
            Rule::if_ => StatementKind::If(self.cond?, inner.next()?, inner.next()),
            Rule::while_ => StatementKind::While(self.cond?, inner.next()?),
            Rule::goto => StatementKind::Goto(self.name?),
            _ => return None,
        })
    }
}
