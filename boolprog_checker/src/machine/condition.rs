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
            .map(|part| Sides::of(part).positive)
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

/// Clauses, or `None` if there would be too many.
type Clauses = Option<Vec<Clause>>;

/// The clauses of an expression and those of its negation. `^` and `? :` need both of what is inside
/// them, so both are made at once, from the inside out.
struct Sides {
    positive: Clauses,
    negative: Clauses,
}

impl Sides {
    fn of(code: &Code) -> Self {
        match code {
            Code::Const(true) => Self::new(Vec::new(), vec![Clause::new()]),
            Code::Const(false) => Self::new(vec![Clause::new()], Vec::new()),
            Code::Nondet => Self::new(Vec::new(), Vec::new()),
            Code::Var(bit) => {
                let [positive, negative] = [true, false].map(|positive| Literal {
                    bit: *bit,
                    positive,
                });
                Self::new(vec![vec![positive]], vec![vec![negative]])
            }
            Code::Not(e) => Self::of(e).negated(),
            Code::And(parts) => Self::all(parts.iter().map(Self::of)),
            Code::Or(parts) => {
                Self::all(parts.iter().map(|part| Self::of(part).negated())).negated()
            }
            Code::Xor(e, f) => {
                let (e, f) = (Self::of(e), Self::of(f));
                Self {
                    positive: e.chooses(&f.negative, &f.positive),
                    negative: e.chooses(&f.positive, &f.negative),
                }
            }
            Code::Ite(c, e, f) => {
                let (c, e, f) = (Self::of(c), Self::of(e), Self::of(f));
                Self {
                    positive: c.chooses(&e.positive, &f.positive),
                    negative: c.chooses(&e.negative, &f.negative),
                }
            }
            Code::Schoose(yes, no) => {
                let (yes, no) = (Self::of(yes), Self::of(no));
                Self {
                    positive: either(&yes.positive, &no.negative),
                    negative: yes.negative,
                }
            }
        }
    }

    fn new(positive: Vec<Clause>, negative: Vec<Clause>) -> Self {
        Self {
            positive: Some(positive),
            negative: Some(negative),
        }
    }

    fn negated(self) -> Self {
        Self {
            positive: self.negative,
            negative: self.positive,
        }
    }

    /// The clauses of `self ? yes : no`.
    fn chooses(&self, yes: &Clauses, no: &Clauses) -> Clauses {
        both(either(&self.negative, yes), either(&self.positive, no))
    }

    /// The sides of a conjunction.
    fn all(parts: impl Iterator<Item = Self>) -> Self {
        let start = Self::new(Vec::new(), vec![Clause::new()]);
        parts.fold(start, |all, part| Self {
            positive: both(all.positive, part.positive),
            negative: either(&all.negative, &part.negative),
        })
    }
}

/// The clauses of a conjunction.
fn both(left: Clauses, right: Clauses) -> Clauses {
    let mut all = left?;
    all.extend(right?);
    (all.len() <= MAX_CLAUSES).then_some(all)
}

/// The clauses of a disjunction.
fn either(left: &Clauses, right: &Clauses) -> Clauses {
    let (left, right) = (left.as_ref()?, right.as_ref()?);
    let pairs = left
        .iter()
        .flat_map(|left| right.iter().filter_map(|right| union(left, right)));
    let mut all: Vec<Clause> = pairs.collect();
    all.sort_unstable();
    all.dedup();
    (all.len() <= MAX_CLAUSES).then_some(all)
}

/// Both clauses as one; `None` if it always holds.
fn union(left: &Clause, right: &Clause) -> Option<Clause> {
    let mut both: Clause = left.iter().chain(right).copied().collect();
    both.sort_unstable();
    both.dedup();
    let opposite = both.windows(2).any(|pair| pair[0].bit == pair[1].bit);
    (!opposite).then_some(both)
}
