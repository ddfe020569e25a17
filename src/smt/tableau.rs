//! Whether conditions about differences contradict each other, decided by cases that closed bounds cut off early.
//!
//! Input: formulas as [`Parts`], trees of `and` and `or` over bounds `x - y <= c` and flags. A table has the least bound that
//! is known for each two nodes; it is kept closed under sums, so that a look into it tells whether another bound is implied
//! or excluded. From each disjunction the alternatives that are excluded are dropped; one that is left alone is
//! taken; only then cases are tried, those of the shortest disjunction first. Questions about facts have a dozen disjunctions of which nearly
//! all settle without a case.
//!
//! An atom that is none of a difference is left out, which makes the formula weaker: so a contradiction is always
//! one, and its absence counts only if nothing was left out.
//!
//! Each bound and each flag remembers from which of the given formulas it follows, so that a contradiction comes with those that take part
//! in it ([`Reasons`]). Where there is none, the closed bounds give values.

use std::rc::Rc;
use std::sync::Arc;

use super::cases::{CasesOf, Difference, Node};
use super::difference::Solution;
use crate::logic::{Atom, Formula, Symbol};

/// The most cases that are tried for one question.
const MAX_CASES: usize = 2_000;

/// No bound is known. Sums of a few of these fit into `i64`.
const NONE: i64 = i64::MAX / 8;

/// A formula for this search.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    part: Part,
    /// The nodes that it mentions, as bits.
    nodes: Nodes,
    /// Whether no atom was left out.
    exact: bool,
}

/// A condition without negation.
#[derive(Clone, Debug)]
enum Part {
    Bound(Difference),
    Flag(usize, bool),
    And(Vec<Part>),
    Or(Vec<Part>),
}

/// A set of nodes.
#[derive(Clone, Debug, Default)]
struct Nodes(Vec<u64>);

/// Something that holds in every state. It matters only to formulas that mention one of its keys: values for
/// its nodes can always be found if none of those is mentioned.
#[derive(Clone, Debug)]
pub(super) struct Background {
    parts: Parts,
    keys: Nodes,
}

impl Parts {
    /// The parts of a formula.
    pub fn of(formula: &Formula, cases: &mut CasesOf) -> Self {
        let mut parts = Parts {
            part: Part::And(Vec::new()),
            nodes: Nodes::default(),
            exact: true,
        };
        parts.part = parts.convert(formula, cases);
        parts
    }

    fn convert(&mut self, formula: &Formula, cases: &mut CasesOf) -> Part {
        match formula {
            Formula::True => Part::And(Vec::new()),
            Formula::False => Part::Or(Vec::new()),
            Formula::Atom(atom) => self.atom(atom, cases),
            Formula::And(all) => Part::And(all.iter().map(|f| self.convert(f, cases)).collect()),
            Formula::Or(all) => Part::Or(all.iter().map(|f| self.convert(f, cases)).collect()),
        }
    }

    fn atom(&mut self, atom: &Atom, cases: &mut CasesOf) -> Part {
        match atom {
            Atom::Zero(term) => self.difference(cases.difference(term), |difference| {
                let both = [difference, difference.swapped()];
                Part::And(both.map(Part::Bound).into())
            }),
            Atom::NonZero(term) => self.difference(cases.difference(term), |difference| {
                let sides = [difference.lowered(), difference.swapped().lowered()];
                Part::Or(sides.map(Part::Bound).into())
            }),
            Atom::NotPositive(term) => self.difference(cases.difference(term), Part::Bound),
            Atom::At(flag, value) => Part::Flag(cases.flag(Symbol::Flag(flag.clone())), *value),
            Atom::Fact(fact, value) => {
                Part::Flag(cases.flag(Symbol::Fact(Arc::clone(fact))), *value)
            }
        }
    }

    fn difference(
        &mut self,
        difference: Option<Difference>,
        part: impl FnOnce(Difference) -> Part,
    ) -> Part {
        let Some(difference) = difference else {
            self.exact = false;
            return Part::And(Vec::new());
        };
        self.nodes.insert(difference.high);
        self.nodes.insert(difference.low);
        part(difference)
    }
}

impl Background {
    /// What holds in every state. Its keys are its nodes from `first` on, if there are any, else all of them.
    pub fn new(formula: &Formula, first: Node, cases: &mut CasesOf) -> Self {
        let parts = Parts::of(formula, cases);
        let nodes = parts.nodes.list();
        let is_named = nodes.iter().any(|&node| node >= first);
        let mut keys = Nodes::default();
        for node in nodes {
            if node > 0 && (!is_named || node >= first) {
                keys.insert(node);
            }
        }
        Background { parts, keys }
    }
}

/// What was found out about some formulas.
#[derive(Debug)]
pub(super) enum Decision {
    /// They contradict each other or what holds in every state.
    Contradiction(Reasons),
    /// They do not.
    Consistent(Solution),
}

/// Which of the given formulas something follows from, by their numbers; numbers from [`Reasons::LAST`] on are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reasons(u128);

impl Reasons {
    const LAST: usize = 127;

    fn only(number: usize) -> Self {
        Reasons(1 << number.min(Reasons::LAST))
    }

    fn and(self, other: Reasons) -> Self {
        Reasons(self.0 | other.0)
    }

    /// Whether a formula is among them.
    pub fn has(self, number: usize) -> bool {
        self.0 >> number.min(Reasons::LAST) & 1 == 1
    }
}

/// Whether some formulas contradict each other or what holds in every state; `None` if that is not found out.
pub(super) fn decide(given: &[&Parts], background: &[Background]) -> Option<Decision> {
    let (parts, nodes) = with_background(given, background);
    let mut table = Table::new(&nodes);
    let mut open = Vec::new();
    let reasons = |number: usize| match number < given.len() {
        true => Reasons::only(number),
        false => Reasons::default(),
    };
    let mut numbered = parts.iter().enumerate();
    let assumed = numbered
        .try_for_each(|(number, part)| table.assume(&part.part, reasons(number), &mut open));
    let decided = match assumed {
        Ok(()) => table.possible(open, &mut 0)?,
        Err(reasons) => Err(reasons),
    };
    match decided {
        Err(reasons) => Some(Decision::Contradiction(reasons)),
        Ok(table) => {
            let exact = parts.iter().all(|part| part.exact);
            exact.then(|| Decision::Consistent(table.solution(&nodes)))
        }
    }
}

/// The formulas with what matters to them of what holds in every state, and their nodes.
fn with_background<'p>(
    given: &[&'p Parts],
    background: &'p [Background],
) -> (Vec<&'p Parts>, Nodes) {
    let mut parts = given.to_vec();
    let mut nodes = Nodes::default();
    given.iter().for_each(|part| nodes.add(&part.nodes));
    let mut left: Vec<&Background> = background.iter().collect();
    loop {
        let before = left.len();
        left.retain(|always| {
            let matters = always.keys.meets(&nodes);
            if matters {
                nodes.add(&always.parts.nodes);
                parts.push(&always.parts);
            }
            !matters
        });
        if left.len() == before {
            return (parts, nodes);
        }
    }
}

/// The bounds and flags that are assumed.
#[derive(Clone)]
struct Table {
    /// For each node its row; nodes that are not mentioned have none.
    rows: Rc<[usize]>,
    size: usize,
    /// The least bound known for the difference of two nodes, row by row.
    bounds: Vec<i64>,
    /// Where each bound comes from.
    reasons: Vec<Reasons>,
    flags: Vec<(usize, bool, Reasons)>,
}

/// A disjunction that is open, and where it comes from.
type Open<'p> = (&'p [Part], Reasons);

/// What is possible, or why nothing is.
type Possible<T> = Result<T, Reasons>;

impl Table {
    fn new(nodes: &Nodes) -> Self {
        let mut rows = vec![usize::MAX; nodes.0.len() * 64];
        let mut size = 0;
        for node in nodes.list() {
            rows[node] = size;
            size += 1;
        }
        let mut bounds = vec![NONE; size * size];
        for row in 0..size {
            bounds[row * size + row] = 0;
        }
        Table {
            rows: rows.into(),
            size,
            reasons: vec![Reasons::default(); bounds.len()],
            bounds,
            flags: Vec::new(),
        }
    }

    fn place(&self, high: Node, low: Node) -> usize {
        self.rows[high] * self.size + self.rows[low]
    }

    fn bound(&self, high: Node, low: Node) -> i64 {
        self.bounds[self.place(high, low)]
    }

    /// Whether what is assumed implies a part, or excludes it.
    fn status(&self, part: &Part) -> Option<bool> {
        match part {
            Part::Bound(d) => {
                if self.bound(d.high, d.low) <= d.value {
                    Some(true)
                } else if self.bound(d.low, d.high) + d.value < 0 {
                    Some(false)
                } else {
                    None
                }
            }
            Part::Flag(number, value) => {
                let known = self.flags.iter().find(|(known, ..)| known == number);
                known.map(|(_, known, _)| known == value)
            }
            Part::And(all) => self.status_of_all(all, false),
            Part::Or(all) => self.status_of_all(all, true),
        }
    }

    /// The value `decisive` if some part has it, the opposite if all parts have that.
    fn status_of_all(&self, parts: &[Part], decisive: bool) -> Option<bool> {
        let mut all_opposite = true;
        for part in parts {
            match self.status(part) {
                Some(value) if value == decisive => return Some(decisive),
                Some(_) => {}
                None => all_opposite = false,
            }
        }
        all_opposite.then_some(!decisive)
    }

    /// Why a part is excluded; of one that is not, nothing.
    fn exclusion(&self, part: &Part) -> Reasons {
        match part {
            Part::Bound(d) => self.reasons[self.place(d.low, d.high)],
            Part::Flag(number, _) => {
                let known = self.flags.iter().find(|(known, ..)| known == number);
                known.map_or(Reasons::default(), |(_, _, reasons)| *reasons)
            }
            Part::And(all) => {
                let excluded = all.iter().find(|part| self.status(part) == Some(false));
                excluded.map_or(Reasons::default(), |part| self.exclusion(part))
            }
            Part::Or(all) => self.exclusions(all),
        }
    }

    /// Why those of some parts are excluded that are.
    fn exclusions(&self, parts: &[Part]) -> Reasons {
        let excluded = parts.iter().filter(|part| self.status(part) == Some(false));
        excluded.fold(Reasons::default(), |all, part| {
            all.and(self.exclusion(part))
        })
    }

    /// Assumes a part; its disjunctions are left open.
    fn assume<'p>(
        &mut self,
        part: &'p Part,
        reasons: Reasons,
        open: &mut Vec<Open<'p>>,
    ) -> Possible<()> {
        match part {
            Part::Bound(difference) => self.tighten(*difference, reasons),
            Part::Flag(number, value) => match self.status(part) {
                Some(true) => Ok(()),
                Some(false) => Err(reasons.and(self.exclusion(part))),
                None => {
                    self.flags.push((*number, *value, reasons));
                    Ok(())
                }
            },
            Part::And(all) => {
                let mut all = all.iter();
                all.try_for_each(|part| self.assume(part, reasons, open))
            }
            Part::Or(all) => {
                open.push((all, reasons));
                Ok(())
            }
        }
    }

    /// Assumes a bound, with all sums that it makes smaller.
    fn tighten(&mut self, new: Difference, reasons: Reasons) -> Possible<()> {
        if self.bound(new.high, new.low) <= new.value {
            return Ok(());
        }
        let opposite = self.place(new.low, new.high);
        if self.bounds[opposite] + new.value < 0 {
            return Err(reasons.and(self.reasons[opposite]));
        }
        let (high, low) = (self.rows[new.high], self.rows[new.low]);
        let from = low * self.size..(low + 1) * self.size;
        let down = self.bounds[from.clone()].to_vec();
        let down_reasons = self.reasons[from].to_vec();
        for row in (0..self.size).map(|row| row * self.size) {
            let up = self.bounds[row + high];
            if up >= NONE {
                continue;
            }
            let (up, up_reasons) = (up + new.value, reasons.and(self.reasons[row + high]));
            for (column, down) in down.iter().enumerate() {
                if *down < NONE && up + down < self.bounds[row + column] {
                    self.bounds[row + column] = up + down;
                    self.reasons[row + column] = up_reasons.and(down_reasons[column]);
                }
            }
        }
        Ok(())
    }

    /// A table in which one alternative of each disjunction holds, if that is possible together with what is assumed; `None` after
    /// too many cases.
    fn possible(mut self, mut open: Vec<Open<'_>>, cases: &mut usize) -> Option<Possible<Table>> {
        loop {
            let mut left = Vec::new();
            let mut taken = false;
            for (parts, reasons) in std::mem::take(&mut open) {
                if self.status_of_all(parts, true) == Some(true) {
                    continue;
                }
                let mut possible = parts.iter().filter(|part| self.status(part) != Some(false));
                match (possible.next(), possible.next()) {
                    (None, _) => return Some(Err(reasons.and(self.exclusions(parts)))),
                    (Some(only), None) => {
                        taken = true;
                        let reasons = reasons.and(self.exclusions(parts));
                        if let Err(reasons) = self.assume(only, reasons, &mut left) {
                            return Some(Err(reasons));
                        }
                    }
                    (Some(_), Some(_)) => left.push((parts, reasons)),
                }
            }
            open = left;
            if !taken {
                return self.by_cases(open, cases);
            }
        }
    }

    /// Tries the alternatives of the disjunction that has the fewest.
    fn by_cases(self, mut open: Vec<Open<'_>>, cases: &mut usize) -> Option<Possible<Table>> {
        let possible = |part: &&Part| self.status(part) != Some(false);
        let alternatives = |parts: &[Part]| parts.iter().filter(possible).count();
        let Some(shortest) = (0..open.len()).min_by_key(|&number| alternatives(open[number].0))
        else {
            return Some(Ok(self));
        };
        let (parts, reasons) = open.swap_remove(shortest);
        let mut conflict = reasons.and(self.exclusions(parts));
        for part in parts.iter().filter(possible) {
            *cases += 1;
            if *cases > MAX_CASES {
                return None;
            }
            let (mut table, mut open) = (self.clone(), open.clone());
            let found = match table.assume(part, reasons, &mut open) {
                Ok(()) => table.possible(open, cases)?,
                Err(reasons) => Err(reasons),
            };
            match found {
                Ok(table) => return Some(Ok(table)),
                Err(reasons) => conflict = conflict.and(reasons),
            }
        }
        Some(Err(conflict))
    }

    /// Values with all of these differences. Bounds that are closed under sums allow for each node the least of those for its
    /// differences with others and of 0.
    fn solution(&self, nodes: &Nodes) -> Solution {
        let nodes = nodes.list();
        let mut values = vec![0; nodes.last().map_or(1, |last| last + 1)];
        for (row, node) in nodes.into_iter().enumerate() {
            let bounds = &self.bounds[row * self.size..(row + 1) * self.size];
            values[node] = bounds.iter().fold(0, |least, bound| least.min(*bound));
        }
        let flags = self.flags.iter();
        Solution {
            values,
            flags: flags.map(|&(number, value, _)| (number, value)).collect(),
        }
    }
}

impl Nodes {
    fn insert(&mut self, node: Node) {
        let word = node / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (node % 64);
    }

    fn meets(&self, other: &Nodes) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn add(&mut self, other: &Nodes) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, more) in self.0.iter_mut().zip(&other.0) {
            *own |= more;
        }
    }

    fn list(&self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (place, word) in self.0.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                nodes.push(place * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
        nodes
    }
}
