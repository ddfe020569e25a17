//! Reads a `.proof` file.
//!
//! The grammar finds the entries; the language's parser reads each as a condition; then all of them
//! are checked and lowered at once as if they were specs of the program, which are conditions over
//! the same names. So names mean in a proof what they mean in a spec, and mistakes get the same messages.

use indexmap::IndexSet;
use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};

use super::Proof;
use super::copies::Starred;
use crate::front::cup::ast::{Cond, CondKind, Item, ItemKind, Span, Spec, SpecKind, Tree, Trivia};
use crate::front::cup::check::Checked;
use crate::front::cup::{self};
use crate::logic::{Cube, Formula, Literal, Predicate, PredicateId};
use crate::program::{self};
use crate::source::{Diagnostic, SourceFile};

/// The parser that pest makes from the grammar.
mod grammar {
    #![allow(
        missing_docs,
        reason = "pest derives an item for each rule of the grammar"
    )]

    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/proof.pest"]
    pub(super) struct Grammar;
}

use grammar::{Grammar, Rule};

/// Reads a proof about a program. Warnings come with the proof.
pub fn parse(
    file: &SourceFile,
    checked: &Checked,
) -> Result<(Proof, Vec<Diagnostic>), Vec<Diagnostic>> {
    let starred = Starred::new(file);
    let program = program::lower(checked, &IndexSet::new());
    let entries = entries(&starred.file).map_err(|error| vec![error])?;
    let mut nodes = Nodes::default();
    let mut errors = Vec::new();
    let mut roots = Vec::new();
    for entry in entries {
        match cup::parse::condition(&starred.file, entry.span) {
            Ok(cond) => {
                errors.extend(unfit_parts(&cond));
                match starred.copies(&cond, &program) {
                    Ok(copies) => {
                        let copies = copies.into_iter();
                        roots.extend(copies.map(|cond| (entry.kind, nodes.add(cond))));
                    }
                    Err(star) => errors.push(misplaced(star)),
                }
            }
            Err(mistakes) => errors.extend(mistakes),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let lowered = lower(checked, &nodes)?;
    assemble(&nodes, &roots, lowered)
}

fn misplaced(star: Span) -> Diagnostic {
    let what = "`[*]` stands for the copies of a thread";
    Diagnostic::error(what, star, "this is an array")
        .with_note("write one predicate for each element")
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Predicate,
    Cube,
}

struct Entry {
    kind: Kind,
    span: Span,
}

/// Conditions and, for conjunctions, their parts.
#[derive(Default)]
struct Nodes {
    conds: Vec<Cond>,
    parts: Vec<Vec<usize>>,
}

impl Nodes {
    fn add(&mut self, cond: Cond) -> usize {
        let parts = match &cond.kind {
            CondKind::And(a, b) => vec![self.add((**a).clone()), self.add((**b).clone())],
            CondKind::True
            | CondKind::False
            | CondKind::Any
            | CondKind::Not(_)
            | CondKind::Or(..)
            | CondKind::Compare(..)
            | CondKind::At(..) => Vec::new(),
        };
        self.conds.push(cond);
        self.parts.push(parts);
        self.conds.len() - 1
    }
}

fn entries(file: &SourceFile) -> Result<Vec<Entry>, Diagnostic> {
    let mut parsed = Grammar::parse(Rule::proof, file.text()).map_err(|error| mistake(&error))?;
    let proof = parsed.next().expect("a rule that matches yields its pair");
    let mut entries = Vec::new();
    for section in proof
        .into_inner()
        .filter(|pair| pair.as_rule() == Rule::section)
    {
        let mut parts = section.into_inner();
        let heading = parts.next().expect("a section has a heading");
        let kind = match heading.as_str() {
            "cubes" => Kind::Cube,
            _ => Kind::Predicate,
        };
        // The entry's semicolon follows it at once.
        let parts = parts.filter(|part| part.as_rule() == Rule::entry);
        entries.extend(parts.map(|entry| Entry {
            kind,
            span: span(entry.as_span().start(), entry.as_span().end() + 1),
        }));
    }
    Ok(entries)
}

fn mistake(error: &pest::error::Error<Rule>) -> Diagnostic {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    Diagnostic::error("this is no proof", span(at, at), expected(error)).with_note(
        "a proof is `predicates { … }` and perhaps `cubes { … }`, each entry a condition and `;`",
    )
}

/// What should stand at the place of a mistake.
fn expected(error: &pest::error::Error<Rule>) -> &'static str {
    let rules = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
        ErrorVariant::CustomError { .. } => &[],
    };
    let is = |rule| rules.contains(&rule);
    if is(Rule::semicolon) {
        "`;` is expected here, behind the entry"
    } else if is(Rule::closing) {
        "an entry or `}` is expected here"
    } else if is(Rule::opening) {
        "`{` is expected here"
    } else {
        "`predicates`, `cubes` or the end is expected here"
    }
}

/// Parts of a condition that a proof cannot have.
fn unfit_parts(cond: &Cond) -> Vec<Diagnostic> {
    match &cond.kind {
        CondKind::True | CondKind::False | CondKind::Compare(..) => Vec::new(),
        CondKind::Any => vec![
            Diagnostic::error(
                "`*` is no predicate",
                cond.span,
                "it has no value that could be tracked",
            )
            .with_note("a predicate is a condition over shared variables and locals"),
        ],
        CondKind::At(..) => vec![
            Diagnostic::error(
                "a predicate cannot name a control location",
                cond.span,
                "control locations are always tracked",
            )
            .with_note("remove the location; specs may name it all the same"),
        ],
        CondKind::Not(a) => unfit_parts(a),
        CondKind::And(a, b) | CondKind::Or(a, b) => {
            let mut found = unfit_parts(a);
            found.extend(unfit_parts(b));
            found
        }
    }
}

/// Checks and lowers the conditions as specs of the program.
fn lower(checked: &Checked, nodes: &Nodes) -> Result<Vec<Predicate>, Vec<Diagnostic>> {
    let mut tree: Tree = checked.tree.clone();
    tree.items
        .retain(|item| !matches!(item.kind, ItemKind::Spec(_)));
    tree.items.extend(nodes.conds.iter().map(as_spec));
    let checked = cup::check(tree)?;
    let program = program::lower(&checked, &IndexSet::new());
    let lowered = program.specs.into_iter().zip(&nodes.conds);
    let mut predicates = Vec::new();
    let mut errors = Vec::new();
    for (spec, cond) in lowered {
        match Predicate::new(spec.cond) {
            Ok(predicate) => predicates.push(predicate),
            Err(error) => errors.push(Diagnostic::error(error.to_string(), cond.span, "here")),
        }
    }
    if errors.is_empty() {
        Ok(predicates)
    } else {
        Err(errors)
    }
}

fn as_spec(cond: &Cond) -> Item {
    Item {
        kind: ItemKind::Spec(Spec {
            kind: SpecKind::Invariant,
            name: None,
            cond: cond.clone(),
        }),
        trivia: Trivia::default(),
        span: cond.span,
    }
}

fn assemble(
    nodes: &Nodes,
    roots: &[(Kind, usize)],
    lowered: Vec<Predicate>,
) -> Result<(Proof, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut proof = Proof::default();
    let mut warnings = Vec::new();
    for (_, root) in roots.iter().filter(|(kind, _)| *kind == Kind::Predicate) {
        if !proof.add(lowered[*root].clone()) {
            let span = nodes.conds[*root].span;
            warnings.push(Diagnostic::warning(
                "this predicate is left out",
                span,
                "it is constant, or stands in the list already",
            ));
        }
    }
    let mut errors = Vec::new();
    let cubes = roots.iter().filter(|(kind, _)| *kind == Kind::Cube);
    let mut found: IndexSet<Cube> = IndexSet::new();
    for (_, root) in cubes.clone() {
        let mut literals = Vec::new();
        errors.extend(collect_literals(
            nodes,
            *root,
            &lowered,
            &proof,
            &mut literals,
        ));
        let reason = match Cube::new(literals) {
            Some(cube) if cube.size() >= 2 => {
                let is_new = found.insert(cube);
                (!is_new).then_some("it stands in the list already")
            }
            Some(_) => Some("a single predicate is always tried"),
            None => Some("it contradicts itself"),
        };
        warnings.extend(reason.map(|reason| {
            let span = nodes.conds[*root].span;
            Diagnostic::warning("this cube is left out", span, reason)
        }));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    proof.cubes = (cubes.count() > 0).then(|| found.into_iter().collect());
    Ok((proof, warnings))
}

/// The literals of a cube: the condition itself, or those of its conjuncts.
fn collect_literals(
    nodes: &Nodes,
    node: usize,
    lowered: &[Predicate],
    proof: &Proof,
    literals: &mut Vec<Literal>,
) -> Vec<Diagnostic> {
    if let Some(literal) = find(&lowered[node].formula, proof) {
        literals.push(literal);
        return Vec::new();
    }
    let parts = &nodes.parts[node];
    if parts.is_empty() {
        return vec![
            Diagnostic::error(
                "this literal is no predicate of the list",
                nodes.conds[node].span,
                "neither this condition nor its negation stands under `predicates`",
            )
            .with_note("add the predicate, or let `cupola prove` compute the cubes"),
        ];
    }
    let parts = parts.iter();
    parts
        .flat_map(|part| collect_literals(nodes, *part, lowered, proof, literals))
        .collect()
}

fn find(formula: &Formula, proof: &Proof) -> Option<Literal> {
    let position = |formula: &Formula| {
        let mut predicates = proof.predicates.iter();
        predicates.position(|predicate| predicate.formula == *formula)
    };
    let literal = |positive| {
        move |index| Literal {
            predicate: PredicateId::new(index),
            positive,
        }
    };
    let found = position(formula).map(literal(true));
    found.or_else(|| position(&formula.negated()).map(literal(false)))
}

fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span {
        start: offset(start),
        end: offset(end),
    }
}
