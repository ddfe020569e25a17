//! Text to syntax tree.
//!
//! pest matches the grammar in `grammar/boolprog.pest`; this file builds declarations, procedures
//! and statements from the matched pairs, and `expr_parser` builds expressions. `scan` sees the text
//! before pest does and refuses one that is nested too deeply, because pest recurses. A long text
//! is first tried in `chunks`; all that is wrong is found in the whole.

use pest::Parser;
use pest::error::{Error as PestError, ErrorVariant, InputLocation};
use pest::iterators::Pair;

use super::ast::{
    Branch, Decl, Expr, Ident, Origin, Procedure, Span, Stmt, StmtKind, Target, ThreadStart, Tree,
};
use super::chunks;
use super::expr_parser::{Stacks, expression};
use super::scan::scan;
use crate::error::{ErrorKind, Errors, ProgramError};

/// How deeply expressions and statements may be nested.
pub(crate) const MAX_NESTING: usize = 200;

/// Most results of a procedure.
const MAX_RESULTS: u32 = 10_000;

#[derive(pest_derive::Parser)]
#[grammar = "grammar/boolprog.pest"]
pub(super) struct Grammar;

/// The least length of the chunks of a long text. The matches of one take a few megabytes, so the
/// next one finds the memory ready.
const CHUNK: usize = 64 << 10;

/// Builds the tree of `text`, or tells what is wrong with it.
pub(crate) fn parse_tree(text: &str) -> Result<Tree, Errors> {
    parse_in_chunks(text, CHUNK)
}

/// The same for chunks of another length; that makes no difference to the result.
pub(super) fn parse_in_chunks(text: &str, chunk: usize) -> Result<Tree, Errors> {
    if u32::try_from(text.len()).is_err() {
        return Err(ProgramError::new(ErrorKind::TooLong, None).into());
    }
    let scanned = scan(text, MAX_NESTING, chunk)?;
    if let Some(tree) = chunks::tree(&scanned) {
        return Ok(tree);
    }
    let pairs =
        Grammar::parse(Rule::program, &scanned.text).map_err(|error| syntax_error(&error, text))?;
    let mut builder = Builder::default();
    let tree = builder.tree(pairs.flat_map(Pair::into_inner));
    Errors::check(builder.errors)?;
    Ok(tree)
}

/// Builds nodes from pairs and collects what the grammar cannot refuse.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) errors: Vec<ProgramError>,
    /// What waits in the expressions that are being built.
    pub(super) stacks: Stacks,
    /// Where the text of the pairs begins.
    offset: u32,
}

impl Builder {
    /// A builder for a chunk of a text that begins at `offset`.
    pub(super) fn at(offset: usize) -> Self {
        Self {
            offset: offset as u32,
            ..Self::default()
        }
    }

    /// Where the pair stands; the text is shorter than 4 GB, so the offsets fit.
    pub(super) fn span_of(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span {
            start: self.offset + span.start() as u32,
            end: self.offset + span.end() as u32,
        }
    }

    pub(super) fn report(&mut self, kind: ErrorKind, span: Span) {
        self.errors.push(ProgramError::new(kind, Some(span)));
    }

    fn tree<'i>(&mut self, pairs: impl Iterator<Item = Pair<'i, Rule>>) -> Tree {
        let mut tree = Tree::default();
        pairs.for_each(|pair| self.part(pair, &mut tree));
        tree
    }

    /// Adds a global declaration or a procedure to the tree.
    pub(super) fn part(&mut self, pair: Pair<'_, Rule>, tree: &mut Tree) {
        match pair.as_rule() {
            Rule::decl => tree.globals.extend(self.decls(pair)),
            Rule::procedure | Rule::open_procedure => tree.procedures.push(self.procedure(pair)),
            _ => {}
        }
    }

    fn decls(&mut self, pair: Pair<'_, Rule>) -> Vec<Decl> {
        let names = self.names(pair);
        let decl = |name: Ident| Decl {
            origin: Origin {
                span: name.span,
                ..Origin::default()
            },
            name,
        };
        names.into_iter().map(decl).collect()
    }

    /// All names inside the pair, one level of `names` included.
    fn names(&mut self, pair: Pair<'_, Rule>) -> Vec<Ident> {
        let mut names = Vec::new();
        for inner in pair.into_inner() {
            match inner.as_rule() {
                Rule::name => names.push(self.name(&inner)),
                Rule::names => names.extend(self.names(inner)),
                _ => {}
            }
        }
        names
    }

    fn procedure(&mut self, pair: Pair<'_, Rule>) -> Procedure {
        let span = self.span_of(&pair);
        let mut procedure = Procedure::new("", Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::abortif => self.report(
                    ErrorKind::Unsupported("abortif".into()),
                    self.span_of(&part),
                ),
                Rule::result => procedure.results = self.results(part),
                Rule::name => procedure.name = self.name(&part),
                Rule::parameters => procedure.parameters = self.decls(part),
                Rule::decl => procedure.locals.extend(self.decls(part)),
                Rule::enforce => procedure.enforce = self.exprs(part).pop(),
                Rule::block => procedure.body = self.block(part),
                _ => {}
            }
        }
        procedure.origin = Origin::at(Span {
            start: span.start,
            end: procedure.name.span.map_or(span.end, |s| s.end),
        });
        procedure
    }

    fn results(&mut self, pair: Pair<'_, Rule>) -> u32 {
        let void = pair.as_str().starts_with("void");
        match pair
            .into_inner()
            .find(|part| part.as_rule() == Rule::number)
        {
            None => u32::from(!void),
            Some(number) => match number.as_str().parse() {
                Ok(results) if results <= MAX_RESULTS => results,
                _ => {
                    self.report(
                        ErrorKind::Results(number.as_str().into()),
                        self.span_of(&number),
                    );
                    1
                }
            },
        }
    }

    /// The statements of a block, each behind its labels.
    pub(super) fn block(&mut self, pair: Pair<'_, Rule>) -> Vec<Stmt> {
        let mut block = Vec::new();
        let mut labels = Vec::new();
        for part in pair.into_inner() {
            if part.as_rule() == Rule::label {
                for word in part.into_inner() {
                    let label = self.ident(&word);
                    if !labels.contains(&label) {
                        labels.push(label);
                    }
                }
            } else {
                block.push(Stmt {
                    labels: std::mem::take(&mut labels),
                    origin: Origin::at(self.span_of(&part)),
                    kind: self.statement(part),
                });
            }
        }
        block
    }

    fn statement(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        match pair.as_rule() {
            Rule::goto => StmtKind::Goto(self.words(pair)),
            Rule::assume => StmtKind::Assume(self.condition(pair)),
            Rule::assert => StmtKind::Assert(self.condition(pair)),
            Rule::if_ => self.if_statement(pair),
            Rule::while_ => self.while_statement(pair),
            Rule::return_ => StmtKind::Return(self.exprs(pair)),
            Rule::dead => StmtKind::Dead(self.names(pair)),
            Rule::atomic_begin => StmtKind::AtomicBegin,
            Rule::atomic_end => StmtKind::AtomicEnd,
            Rule::start_thread => self.start_thread(pair),
            Rule::end_thread => StmtKind::EndThread,
            Rule::print => StmtKind::Print(self.exprs(pair)),
            Rule::call | Rule::store => self.store(pair),
            Rule::unsupported => {
                let word = pair
                    .clone()
                    .into_inner()
                    .next()
                    .map_or("", |word| word.as_str());
                self.report(ErrorKind::Unsupported(word.into()), self.span_of(&pair));
                StmtKind::Skip
            }
            _ => StmtKind::Skip,
        }
    }

    fn exprs(&mut self, pair: Pair<'_, Rule>) -> Vec<Expr> {
        let exprs = pair
            .into_inner()
            .filter(|part| part.as_rule() == Rule::expr);
        exprs.map(|part| expression(self, part)).collect()
    }

    /// The only expression directly inside a pair.
    fn condition(&mut self, pair: Pair<'_, Rule>) -> Expr {
        self.exprs(pair)
            .pop()
            .expect("the grammar puts an expression here")
    }

    fn if_statement(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let mut branches = Vec::new();
        let mut otherwise = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expr => {
                    let condition = expression(self, part);
                    branches.push(Branch {
                        condition,
                        body: Vec::new(),
                    });
                }
                Rule::block => {
                    let body = self.block(part);
                    branches
                        .last_mut()
                        .expect("a condition comes before its block")
                        .body = body;
                }
                Rule::otherwise => otherwise = self.last_block(part),
                _ => {}
            }
        }
        StmtKind::If {
            branches,
            otherwise,
        }
    }

    fn while_statement(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let condition = self.condition(pair.clone());
        let body = self.last_block(pair).unwrap_or_default();
        StmtKind::While { condition, body }
    }

    fn last_block(&mut self, pair: Pair<'_, Rule>) -> Option<Vec<Stmt>> {
        let block = pair
            .into_inner()
            .find(|part| part.as_rule() == Rule::block)?;
        Some(self.block(block))
    }

    fn start_thread(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let start = pair
            .into_inner()
            .last()
            .expect("the grammar puts a beginning here");
        let goto = start.as_rule() == Rule::start_goto;
        let span = self.span_of(&start);
        let mut names = if goto {
            self.words(start)
        } else {
            self.names(start)
        };
        if names.len() > 1 {
            self.report(
                ErrorKind::Unsupported("start_thread goto A, B".into()),
                span,
            );
        }
        let name = names.pop().expect("the grammar puts a name here");
        StmtKind::StartThread(if goto {
            ThreadStart::Goto(name)
        } else {
            ThreadStart::Procedure(name)
        })
    }

    fn store(&mut self, pair: Pair<'_, Rule>) -> StmtKind {
        let mut targets = Vec::new();
        let mut values = Vec::new();
        let mut constrain = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => targets.push(self.target(&part)),
                Rule::invocation => return self.invocation(part, targets),
                Rule::expr => values.push(expression(self, part)),
                Rule::constrain => constrain = self.exprs(part).pop(),
                _ => {}
            }
        }
        StmtKind::Assign {
            targets,
            values,
            constrain,
        }
    }

    fn target(&mut self, name: &Pair<'_, Rule>) -> Target {
        if name.as_str() == "_" {
            Target::Sink
        } else {
            Target::Var(self.name(name))
        }
    }

    fn invocation(&mut self, pair: Pair<'_, Rule>, targets: Vec<Target>) -> StmtKind {
        let name = pair
            .clone()
            .into_inner()
            .next()
            .expect("the grammar puts a name here");
        let procedure = self.name(&name);
        StmtKind::Call {
            targets,
            procedure,
            arguments: self.exprs(pair),
        }
    }

    fn words(&self, pair: Pair<'_, Rule>) -> Vec<Ident> {
        pair.into_inner()
            .filter(|part| part.as_rule() == Rule::word)
            .map(|word| self.ident(&word))
            .collect()
    }

    /// The name of a variable or procedure.
    pub(super) fn name(&mut self, pair: &Pair<'_, Rule>) -> Ident {
        let text = pair.as_str();
        if is_keyword(text) {
            self.report(ErrorKind::Keyword(text.into()), self.span_of(pair));
        } else if text.starts_with(|c: char| c.is_ascii_digit()) {
            self.report(ErrorKind::NotAName(text.into()), self.span_of(pair));
        }
        self.ident(pair)
    }

    fn ident(&self, pair: &Pair<'_, Rule>) -> Ident {
        Ident {
            name: pair.as_str().to_owned(),
            span: Some(self.span_of(pair)),
        }
    }
}

/// Whether the word has a meaning of its own.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "decl"
            | "void"
            | "bool"
            | "begin"
            | "end"
            | "enforce"
            | "dfs"
            | "abortif"
            | "skip"
            | "goto"
            | "assume"
            | "assert"
            | "if"
            | "then"
            | "elsif"
            | "else"
            | "fi"
            | "while"
            | "do"
            | "od"
            | "return"
            | "dead"
            | "atomic_begin"
            | "atomic_end"
            | "start_thread"
            | "end_thread"
            | "sync"
            | "print"
            | "constrain"
            | "schoose"
            | "T"
            | "F"
            | "_"
    )
}

fn syntax_error(error: &PestError<Rule>, text: &str) -> ProgramError {
    let start = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    if let Some(error) = foreign_operator(text, start) {
        return error;
    }
    let width = text[start..].chars().next().map_or(0, char::len_utf8);
    let span = Span {
        start: start as u32,
        end: (start + width) as u32,
    };
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => {
            expectation(positives, may_end(positives, &text[..start]))
        }
        ErrorVariant::CustomError { message } => message.clone(),
    };
    ProgramError::new(ErrorKind::Syntax(expected), Some(span))
}

/// An operator of another language, if its second half stands here.
fn foreign_operator(text: &str, at: usize) -> Option<ProgramError> {
    let start = at.checked_sub(1)?;
    let doubled = text.get(start..at + 1)?;
    let operators = [("==", "="), ("&&", "&"), ("||", "|")];
    let (found, meant) = operators.into_iter().find(|(found, _)| *found == doubled)?;
    let span = Span {
        start: start as u32,
        end: at as u32 + 1,
    };
    Some(ProgramError::new(
        ErrorKind::Operator { found, meant },
        Some(span),
    ))
}

/// Whether a statement may end behind this text. The grammar does not tell when it expects a `;`, but it
/// expects `constrain` in the same place, and a closing parenthesis makes it likely.
fn may_end(rules: &[Rule], before: &str) -> bool {
    let closed = rules.contains(&Rule::operator) && before.trim_end().ends_with(')');
    closed || rules.contains(&Rule::constrain)
}

/// The rules that could have matched, in the words of the language, without repetition, and `;` if a
/// statement may end.
fn expectation(rules: &[Rule], end: bool) -> String {
    let mut words: Vec<&str> = rules.iter().map(|rule| rule_word(*rule)).collect();
    words.extend(end.then_some("`;`"));
    words.sort_unstable();
    words.dedup();
    match words.as_slice() {
        [] => "`;` or another separator".to_owned(),
        [one] => (*one).to_owned(),
        [init @ .., last] => format!("{} or {last}", init.join(", ")),
    }
}

/// What a rule is called in messages.
fn rule_word(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end of the text",
        Rule::decl | Rule::kw_decl => "`decl`",
        Rule::procedure | Rule::result | Rule::dfs => "a procedure",
        Rule::name | Rule::names | Rule::parameters => "a name",
        Rule::word | Rule::label => "a label",
        Rule::number => "a number",
        Rule::expr | Rule::value | Rule::nondet | Rule::next | Rule::schoose | Rule::not => {
            "an expression"
        }
        Rule::operator | Rule::ternary => "an operator",
        Rule::kw_begin => "`begin`",
        Rule::kw_end => "`end`",
        Rule::kw_then => "`then`",
        Rule::kw_elsif => "`elsif`",
        Rule::kw_else | Rule::otherwise => "`else`",
        Rule::kw_fi => "`fi`",
        Rule::kw_do => "`do`",
        Rule::kw_od => "`od`",
        Rule::constrain => "`constrain`",
        _ => "a statement",
    }
}
