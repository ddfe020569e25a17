//! Conditions as conjunctions of clauses, so that assuming them teaches something.
//!
//! A condition is taken apart into its conjuncts, and each conjunct is distributed into at most
//! [`MAX_CLAUSES`] clauses. A clause whose literals are all false but one makes that one true; that
//! is how `assume` learns (section 6.1 of Dan et al., SAS 2013, speaks of handling assume
//! statements cleverly). A conjunct that would need more clauses is only evaluated.
//! `*` counts as true wherever it occurs after negations have been pushed inwards: some choice lets
//! the condition hold. That can only weaken the clauses.

use super::FrameBit;
use super::code::{Code, Tri, Valuation};

/// Most clauses that one conjunct may be distributed into.
const MAX_CLAUSES: usize = 64;

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Literal {
    pub bit: FrameBit,
    pub positive: bool,
}

/// A disjunction of literals over different variables.
pub(crate) type Clause = Vec<Literal>;

/// What a clause says about a valuation.
pub(crate) enum ClauseState {
    /// A literal is true, or two are unknown.
    Open,
    /// All literals are false but this one, which is unknown.
    Unit(Literal),
    /// All literals are false.
    Conflict,
}

/// The state of a clause.
pub(crate) fn clause_state(clause: &Clause, valuation: &impl Valuation) -> ClauseState {
    let mut unknown = None;
    for literal in clause {
        match valuation.get(literal.bit) {
            Some(value) if value == literal.positive => return ClauseState::Open,
            Some(_) => {}
            None if unknown.is_some() => return ClauseState::Open,
            None => unknown = Some(*literal),
        }
    }
    unknown.map_or(ClauseState::Conflict, ClauseState::Unit)
}

/// A condition that a step assumes.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// Clauses that follow from the condition.
    pub clauses: Vec<Clause>,
    /// Whether the clauses say all that the condition says; if not, it must be evaluated too.
    pub complete: bool,
    /// The variables of each conjunct.
    pub groups: Vec<Vec<FrameBit>>,
    /// All variables, in the order of their bits.
    pub bits: Vec<FrameBit>,
    code: Code,
}

impl Condition {
    /// The condition that `code` is true.
    pub(crate) fn new(code: Code) -> Self {
        let code = code.pushed();
        let mut conjuncts = Vec::new();
        collect_conjuncts(&code, &mut conjuncts);
        let groups: Vec<_> = conjuncts.iter().map(|part| sorted_bits(part)).collect();
        let parts: Vec<_> = conjuncts
            .iter()
            .map(|part| clauses_of(part, true))
            .collect();
        let complete = parts.iter().all(Option::is_some) && !code.chooses();
        let clauses = parts.into_iter().flatten().flatten().collect();
        let bits = sorted_bits(&code);
        Self {
            clauses,
            complete,
            groups,
            bits,
            code,
        }
    }

    /// The value of the condition.
    pub(crate) fn eval(&self, valuation: &impl Valuation) -> Tri {
        self.code.eval(valuation)
    }
}

fn sorted_bits(code: &Code) -> Vec<FrameBit> {
    let mut bits = Vec::new();
    code.collect_bits(&mut bits);
    bits.sort_unstable();
    bits.dedup();
    bits
}

fn collect_conjuncts<'a>(code: &'a Code, conjuncts: &mut Vec<&'a Code>) {
    match code {
        Code::And(parts) => parts
            .iter()
            .for_each(|part| collect_conjuncts(part, conjuncts)),
        Code::Const(_)
        | Code::Nondet
        | Code::Var(_)
        | Code::Not(_)
        | Code::Or(_)
        | Code::Xor(..)
        | Code::Ite(..)
        | Code::Schoose(..) => conjuncts.push(code),
    }
}

/// The clauses of `code`, or of its negation; `None` if there would be too many.
fn clauses_of(code: &Code, positive: bool) -> Option<Vec<Clause>> {
    match code {
        Code::Const(value) if *value == positive => Some(Vec::new()),
        Code::Const(_) => Some(vec![Clause::new()]),
        Code::Nondet => Some(Vec::new()),
        Code::Var(bit) => Some(vec![vec![Literal {
            bit: *bit,
            positive,
        }]]),
        Code::Not(e) => clauses_of(e, !positive),
        Code::And(parts) if positive => {
            conjunction(parts.iter().map(|part| clauses_of(part, true)))
        }
        Code::And(parts) => disjunction(parts.iter().map(|part| clauses_of(part, false))),
        Code::Or(parts) if positive => disjunction(parts.iter().map(|part| clauses_of(part, true))),
        Code::Or(parts) => conjunction(parts.iter().map(|part| clauses_of(part, false))),
        Code::Xor(e, f) => conjunction([
            disjunction([clauses_of(e, true), clauses_of(f, positive)]),
            disjunction([clauses_of(e, false), clauses_of(f, !positive)]),
        ]),
        Code::Ite(c, e, f) => conjunction([
            disjunction([clauses_of(c, false), clauses_of(e, positive)]),
            disjunction([clauses_of(c, true), clauses_of(f, positive)]),
        ]),
        Code::Schoose(yes, no) if positive => {
            disjunction([clauses_of(yes, true), clauses_of(no, false)])
        }
        Code::Schoose(yes, _) => clauses_of(yes, false),
    }
}

fn conjunction(parts: impl IntoIterator<Item = Option<Vec<Clause>>>) -> Option<Vec<Clause>> {
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
        if all.len() > MAX_CLAUSES {
            return None;
        }
    }
    Some(all)
}

fn disjunction(parts: impl IntoIterator<Item = Option<Vec<Clause>>>) -> Option<Vec<Clause>> {
    let mut all = vec![Clause::new()];
    for part in parts {
        let part = part?;
        all = all
            .iter()
            .flat_map(|left| part.iter().filter_map(|right| union(left, right)))
            .collect();
        all.sort_unstable();
        all.dedup();
        if all.len() > MAX_CLAUSES {
            return None;
        }
    }
    Some(all)
}

/// Both clauses as one; `None` if it always holds.
fn union(left: &Clause, right: &Clause) -> Option<Clause> {
    let mut both: Clause = left.iter().chain(right).copied().collect();
    both.sort_unstable();
    both.dedup();
    let opposite = both.windows(2).any(|pair| pair[0].bit == pair[1].bit);
    (!opposite).then_some(both)
}
