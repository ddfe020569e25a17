//! What a test asks of its final states.

use pest::iterators::Pair;

use crate::front::cup::ast::Span;

use super::super::instruction::Width;
use super::super::resolve::Registers;
use super::super::sizes::base;
use super::super::syntax::{Condition, Location, Prop, Quantifier, Side, Test};
use super::scan::too_deep;
use super::{Reader, Rule, span_of};

/// How many propositions may stand in a row, or negations and implications in one another.
const MAX_OPERATORS: usize = 500;

impl Reader {
    /// The locations to show and the condition. A test without a condition asks nothing: `forall
    /// (true)`.
    pub(super) fn conclusion(
        &mut self,
        conclusion: Pair<'_, Rule>,
    ) -> (Vec<Location>, Option<Prop>, Condition) {
        let mut shown = Vec::new();
        let mut filter = None;
        let mut condition = Condition {
            quantifier: Quantifier::Forall,
            prop: Prop::Constant(true),
            span: Span::default(),
        };
        for part in conclusion.into_inner() {
            match part.as_rule() {
                Rule::locations => shown = self.shown(part),
                Rule::filter => {
                    let prop = part.into_inner().find(|part| part.as_rule() == Rule::prop);
                    filter = prop.map(|prop| self.prop(prop));
                }
                Rule::condition => condition = self.condition(part),
                _ => self.not_modelled_conclusion(part),
            }
        }
        (shown, filter, condition)
    }

    fn shown(&mut self, locations: Pair<'_, Rule>) -> Vec<Location> {
        let items = locations
            .into_inner()
            .filter(|part| part.as_rule() == Rule::shown);
        items
            .filter_map(|item| item.into_inner().next())
            .flat_map(|location| self.shown_location(location))
            .collect()
    }

    /// A location to show; of an array all elements.
    fn shown_location(&mut self, location: Pair<'_, Rule>) -> Vec<Location> {
        let name = location.as_str().trim().trim_matches(['[', ']']);
        if let Some((length, _)) = self.initial.arrays.get(name) {
            let elements = (0..*length).map(|index| format!("{name}[{index}]"));
            return elements.map(Location::Memory).collect();
        }
        self.location(location).into_iter().collect()
    }

    fn not_modelled_conclusion(&mut self, conclusion: Pair<'_, Rule>) {
        let word = conclusion
            .into_inner()
            .next()
            .expect("a word tells which it is");
        self.refuse(
            format!("`{}` is not modelled", word.as_str()),
            span_of(&word),
            "not modelled",
            "ask with `exists`, `~exists`, `forall` or `final`",
        );
    }

    /// What stands behind `with` is what others claim of the test; herd takes no notice of it.
    fn condition(&mut self, condition: Pair<'_, Rule>) -> Condition {
        let mut parts = condition.into_inner();
        let quantifier = parts.next().expect("a condition has a quantifier");
        let prop = parts.next().expect("a condition has a proposition");
        let span = span_of(&quantifier).to(span_of(&prop));
        let word = quantifier
            .into_inner()
            .next()
            .expect("a quantifier is a word");
        Condition {
            quantifier: match word.as_rule() {
                Rule::kw_forall => Quantifier::Forall,
                Rule::not_exists => Quantifier::NotExists,
                _ => Quantifier::Exists,
            },
            prop: self.prop(prop),
            span,
        }
    }

    fn prop(&mut self, prop: Pair<'_, Rule>) -> Prop {
        match prop.as_rule() {
            Rule::prop => self.list(prop, Prop::Or),
            Rule::conjunction => self.list(prop, Prop::And),
            Rule::implication => self.implication(prop),
            Rule::negation => self.negation(prop),
            Rule::comparison => self.comparison(prop),
            Rule::truth => Prop::Constant(true),
            _ => Prop::Constant(false),
        }
    }

    fn parts(&mut self, prop: Pair<'_, Rule>) -> Vec<Prop> {
        let place = span_of(&prop);
        let operands = prop
            .into_inner()
            .filter(|part| !matches!(part.as_rule(), Rule::and | Rule::or | Rule::implies));
        let parts: Vec<Prop> = operands.map(|part| self.prop(part)).collect();
        if parts.len() > MAX_OPERATORS {
            let message = "this condition is too long";
            let note = format!("at most {MAX_OPERATORS} propositions in a row are read");
            self.error(message, place, "too long", &note);
        }
        parts
    }

    fn list(&mut self, prop: Pair<'_, Rule>, joined: fn(Vec<Prop>) -> Prop) -> Prop {
        let mut parts = self.parts(prop);
        match parts.len() {
            1 => parts.remove(0),
            _ => joined(parts),
        }
    }

    /// `=>` groups to the right.
    fn implication(&mut self, implication: Pair<'_, Rule>) -> Prop {
        let mut parts = self.parts(implication).into_iter().rev();
        let last = parts.next().expect("an implication has at least one part");
        parts.fold(last, |right, left| {
            Prop::Implies(Box::new(left), Box::new(right))
        })
    }

    fn negation(&mut self, negation: Pair<'_, Rule>) -> Prop {
        let place = span_of(&negation);
        let (nots, primary): (Vec<_>, Vec<_>) = negation
            .into_inner()
            .partition(|part| part.as_rule() == Rule::not);
        if nots.len() > MAX_OPERATORS {
            self.report.push(too_deep(place));
            return Prop::Constant(false);
        }
        let primary = primary
            .into_iter()
            .next()
            .expect("a negation is one of something");
        let prop = self.prop(primary);
        nots.iter().fold(prop, |prop, _| Prop::Not(Box::new(prop)))
    }

    fn comparison(&mut self, comparison: Pair<'_, Rule>) -> Prop {
        let mut parts = comparison.into_inner();
        let mut next = || {
            parts
                .next()
                .expect("a comparison has two sides and a relation")
        };
        let (left, relation, right) = (next(), next(), next());
        let Some(left) = self.location(left) else {
            return Prop::Constant(false);
        };
        let width = self.width_of(&left);
        let Some(right) = self.side(right, width) else {
            return Prop::Constant(false);
        };
        let relation = relation
            .into_inner()
            .next()
            .expect("a relation is a symbol");
        let equal = Prop::Equal(left, right);
        match relation.as_rule() {
            Rule::equal => equal,
            _ => Prop::Not(Box::new(equal)),
        }
    }

    fn width_of(&self, location: &Location) -> Width {
        match location {
            Location::Register(_, part) => part.width,
            Location::Memory(name) => self.sizes.of(name),
        }
    }

    /// The right side of a comparison with a value of this width.
    fn side(&mut self, side: Pair<'_, Rule>, width: Width) -> Option<Side> {
        let inner = side.into_inner().next().expect("a side is of some kind");
        let place = span_of(&inner);
        let location = match inner.as_rule() {
            Rule::number => {
                let number = self.number(&inner)?;
                return self.fitting(number, width, place).map(Side::Number);
            }
            Rule::register_location => self.register_location(inner)?,
            Rule::dereference => self.memory_location(inner)?,
            _ => {
                let note = format!("its value is written `[{}]`", inner.as_str());
                let message = format!("the address of `{}` is not modelled", inner.as_str());
                self.refuse(message, place, "means the address", &note);
                return None;
            }
        };
        if self.width_of(&location) != width {
            let note = "compare values of one width";
            let message = format!("{location} has another width than what it is compared with");
            self.error(message, place, "of another width", note);
        }
        Some(Side::Location(location))
    }

    /// Refuses a condition about a location that appears nowhere else, as herd does: it is a slip. Refuses final values
    /// of registers that hold addresses, too.
    pub(super) fn check_condition(&mut self, test: &Test, ends: &[Option<Registers>]) {
        let is_known = |name: &str| {
            let instructions = test.threads.iter().flat_map(|thread| &thread.instructions);
            let mut accessed =
                instructions.filter_map(|instruction| instruction.operation.memory());
            let initial = Location::Memory(name.to_owned());
            accessed.any(|accessed| accessed == name)
                || test.initial.contains_key(&initial)
                || self.initial.types.contains_key(base(name))
        };
        let asked = |location: &Location| {
            let mut asked = test.filtered();
            test.condition.prop.visit(&mut |location| {
                asked.insert(location.clone());
            });
            asked.contains(location)
        };
        let (mut unknown, mut registers) = (Vec::new(), Vec::new());
        for location in test.displayed().union(&test.filtered()) {
            match location {
                Location::Memory(name) if !is_known(name) && asked(location) => {
                    unknown.push(name.clone());
                }
                Location::Register(thread, part) => registers.push((*thread, part.clone())),
                Location::Memory(_) => {}
            }
        }
        for name in unknown {
            let message = format!("no thread and no initial value names `{name}`");
            let note = "mend the name, or give it a value in the initial state";
            self.error(message, test.condition.span, "the condition does", note);
        }
        for (number, part) in registers {
            let threads = test.threads.iter().zip(ends);
            let end = threads.filter(|(thread, _)| thread.number == number);
            for held in end.filter_map(|(_, end)| end.as_ref()) {
                let location = Location::Register(number, part.clone());
                let held = held.get(&part.register);
                self.check_is_number(held, &location, test.condition.span);
            }
        }
    }
}
