//! Reads predicates that may be facts about the entries of FIFOs.
//!
//! The body of a fact is read like any predicate, in a program with a further thread: its locals stand for the
//! fields of the entries that the fact names. So the language's own parser, checks and lowering say what it means.

use super::facts::{fields, is_fact};
use super::predicate::{PredicateError, conditions, error, parse};
use crate::front::cup::ast::{
    Cond as CondTree, CondKind, Expr, ExprKind, Item, ItemKind, Name, Place, ThreadRef,
};
use crate::front::cup::{self, Checked, is_name};
use crate::program::{Cond, Fifo, Program, VarId};
use crate::source::SourceFile;

/// A predicate over the states of a program with FIFOs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// A condition.
    Plain(Cond),
    /// A fact.
    Fact(Fact),
}

/// What is said of every entry of a FIFO, or of every two in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The FIFO.
    pub fifo: Fifo,
    /// The variables that stand for the fields of the entry, or of the older and the younger one; they are behind
    /// those of the program.
    pub entries: Vec<Vec<VarId>>,
    /// What is said.
    pub body: Cond,
}

/// The words of a fact's text.
struct Quantified<'a> {
    /// The names of one entry or two.
    entries: Vec<&'a str>,
    fifo: &'a Fifo,
    body: &'a str,
}

/// Reads predicates over the variables of a checked reduced tree and its program.
pub fn read_predicates(
    reduced: &Checked,
    program: &Program,
    texts: &[String],
) -> Result<Vec<Predicate>, PredicateError> {
    let spare = Spare::new(program);
    let mut tree = reduced.tree.clone();
    tree.items.push(spare.thread());
    let mut items = Vec::new();
    let mut facts = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let read = Quantified::read(program, text);
        let fact = read.map_err(|reason| error(index, text, reason))?;
        let body = fact.as_ref().map_or(text.as_str(), |fact| fact.body);
        let mut item = parse(body).map_err(|reason| error(index, text, reason))?;
        if let Some(fact) = &fact {
            let renamed = fact.rename(program, &spare, &mut item);
            renamed.map_err(|reason| error(index, text, reason))?;
        }
        items.push(item);
        facts.push(fact);
    }
    let (_, conds) = conditions(&tree, texts, &items)?;
    let predicates = conds.into_iter().zip(facts).map(|(body, fact)| match fact {
        None => Predicate::Plain(body),
        Some(fact) => {
            let width = fact.fifo.width();
            let entries = (0..fact.entries.len())
                .map(|entry| (0..width).map(|field| spare.var(entry, field)).collect());
            Predicate::Fact(Fact {
                fifo: fact.fifo.clone(),
                entries: entries.collect(),
                body,
            })
        }
    });
    Ok(predicates.collect())
}

impl<'a> Quantified<'a> {
    /// The words of a fact, `every e in P.b: …` or `every e before f in P.b: …`; `None` if it is no fact.
    fn read(program: &'a Program, text: &'a str) -> Result<Option<Self>, String> {
        if !is_fact(text) {
            return Ok(None);
        }
        let (head, body) = text.split_once(':').unwrap_or((text, ""));
        let words: Vec<&str> = head.split_whitespace().collect();
        let (entries, name) = match words[..] {
            ["every", e, "in", fifo] => (vec![e], fifo),
            ["every", e, "before", f, "in", fifo] => (vec![e, f], fifo),
            _ => {
                let forms = "`every e in P.b: …` or `every e before f in P.b: …`";
                return Err(format!("a fact is {forms}"));
            }
        };
        if let Some(entry) = entries.iter().find(|entry| !is_name(entry)) {
            return Err(format!("`{entry}` is no name"));
        }
        if entries.len() == 2 && entries[0] == entries[1] {
            return Err(format!("two entries are called `{}`", entries[0]));
        }
        let mut fifos = program.fifos.iter();
        let fifo = fifos.find(|fifo| {
            let owner = &program.threads[fifo.owner.index()].name;
            name.strip_prefix(owner.as_str())
                .and_then(|rest| rest.strip_prefix('.'))
                == Some(fifo.name.as_str())
        });
        let fifo = fifo.ok_or_else(|| format!("there is no FIFO `{name}`"))?;
        Ok(Some(Quantified {
            entries,
            fifo,
            body,
        }))
    }

    /// Puts spare variables in place of the fields of its entries.
    fn rename(&self, program: &Program, spare: &Spare, item: &mut Item) -> Result<(), String> {
        let ItemKind::Spec(spec) = &mut item.kind else {
            return Ok(());
        };
        let fields: Vec<Option<&str>> = fields(program, self.fifo).collect();
        rename_cond(
            &mut spec.cond,
            &|place| {
                let (entry, field) = match &place.thread {
                    None => (&place.name.text, None),
                    Some(thread) if thread.copy.is_none() => {
                        (&thread.name.text, Some(place.name.text.as_str()))
                    }
                    Some(_) => return Ok(None),
                };
                let Some(entry) = self.entries.iter().position(|name| name == entry) else {
                    return Ok(None);
                };
                match fields.iter().position(|name| *name == field) {
                    Some(field) if place.index.is_none() => Ok(Some(spare.name(entry, field))),
                    Some(_) => Err("a part of an entry has no elements".to_owned()),
                    None => Err(match field {
                        Some(field) => {
                            format!("the entries of {} have no field `{field}`", self.fifo.name)
                        }
                        None => format!("the entries of {} are records", self.fifo.name),
                    }),
                }
            },
            &spare.prefix,
        )
    }
}

/// Variables that stand for the fields of two entries of any FIFO: locals of a thread behind all others.
struct Spare {
    /// No name of the program begins like this.
    prefix: String,
    first: usize,
    width: usize,
}

impl Spare {
    fn new(program: &Program) -> Self {
        let vars = program
            .vars
            .iter()
            .flat_map(|var| [&var.name, &var.display_name]);
        let threads = program.threads.iter().map(|thread| &thread.name);
        let fifos = program.fifos.iter().map(|fifo| &fifo.name);
        let taken: Vec<&String> = vars.chain(threads).chain(fifos).collect();
        let mut prefix = "entry".to_owned();
        while taken.iter().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        Spare {
            prefix,
            first: program.vars.len(),
            width: program.fifos.iter().map(Fifo::width).max().unwrap_or(0),
        }
    }

    fn var(&self, entry: usize, field: usize) -> VarId {
        VarId::new(self.first + entry * self.width + field)
    }

    fn name(&self, entry: usize, field: usize) -> String {
        format!("{}_{entry}_{field}", self.prefix)
    }

    /// The thread that has them.
    fn thread(&self) -> Item {
        let names =
            (0..2).flat_map(|entry| (0..self.width).map(move |field| self.name(entry, field)));
        let names: Vec<String> = names.collect();
        let locals = match names.is_empty() {
            true => String::new(),
            false => format!("local {};", names.join(", ")),
        };
        let text = format!("thread {} {{ {locals} skip; }}", self.prefix);
        let (mut tree, _) = cup::parse(&SourceFile::new("entries", text));
        tree.items.pop().expect("the text is one thread")
    }
}

/// Names a local of the thread `owner` in place of each place that `with` has a name for.
fn rename_cond(
    cond: &mut CondTree,
    with: &impl Fn(&Place) -> Result<Option<String>, String>,
    owner: &str,
) -> Result<(), String> {
    match &mut cond.kind {
        CondKind::True | CondKind::False | CondKind::Any | CondKind::At(..) => Ok(()),
        CondKind::Not(inner) => rename_cond(inner, with, owner),
        CondKind::And(left, right) | CondKind::Or(left, right) => {
            rename_cond(left, with, owner)?;
            rename_cond(right, with, owner)
        }
        CondKind::Compare(_, left, right) => {
            rename_expr(left, with, owner)?;
            rename_expr(right, with, owner)
        }
    }
}

fn rename_expr(
    expr: &mut Expr,
    with: &impl Fn(&Place) -> Result<Option<String>, String>,
    owner: &str,
) -> Result<(), String> {
    match &mut expr.kind {
        ExprKind::Num(_) | ExprKind::Tid => Ok(()),
        ExprKind::Neg(inner) => rename_expr(inner, with, owner),
        ExprKind::Binary(_, left, right) => {
            rename_expr(left, with, owner)?;
            rename_expr(right, with, owner)
        }
        ExprKind::Place(place) => {
            if let Some(index) = &mut place.index {
                rename_expr(index, with, owner)?;
            }
            if let Some(name) = with(place)? {
                *place = local(owner, name, place);
            }
            Ok(())
        }
    }
}

/// `owner.name`, where `place` stands.
fn local(owner: &str, name: String, place: &Place) -> Place {
    let at = |text: String| Name {
        text,
        span: place.span,
    };
    Place {
        thread: Some(ThreadRef {
            name: at(owner.to_owned()),
            copy: None,
            span: place.span,
        }),
        name: at(name),
        index: None,
        span: place.span,
    }
}
