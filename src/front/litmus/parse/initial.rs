//! The initial state: values, types, arrays, and registers that hold addresses.

use indexmap::{IndexMap, IndexSet};
use pest::iterators::Pair;

use crate::front::cup::ast::Span;

use super::super::instruction::{Part, Width};
use super::super::resolve::{Arrays, Held, Registers};
use super::super::syntax::Location;
use super::{Reader, Rule, one_line, span_of};

/// The greatest number of elements of an array.
const MAX_ELEMENTS: usize = 1024;

/// What the initial state says.
#[derive(Default)]
pub(super) struct Initial {
    /// What registers hold, whole ones, and locations in memory as they are written.
    values: IndexMap<Location, (Value, Span)>,
    /// The widths of locations, and of the elements of arrays, that have a type.
    pub types: IndexMap<String, Width>,
    /// The locations and arrays whose type has no sign.
    pub unsigned: IndexSet<String>,
    /// The arrays.
    pub arrays: Arrays,
}

/// An initial value as it is written.
enum Value {
    Number(i128),
    AddressOf(String),
}

/// A type as it is understood.
struct Type {
    width: Width,
    unsigned: bool,
}

impl Initial {
    /// What the registers of a thread hold at the start.
    pub(super) fn registers(&self, thread: u32) -> Registers {
        let mut registers = Registers::default();
        for (location, (value, _)) in &self.values {
            if let Location::Register(number, part) = location
                && *number == thread
            {
                let held = match value {
                    Value::Number(number) => Held::Number(part.width.fit(*number)),
                    Value::AddressOf(name) => Held::Address(name.clone()),
                };
                registers.set(part.register.clone(), held);
            }
        }
        registers
    }
}

impl Reader {
    /// Reads the initial state.
    pub(super) fn read_initial(&mut self, initial: Pair<'_, Rule>) {
        for entry in initial.into_inner() {
            match entry.as_rule() {
                Rule::setting => self.setting(entry),
                Rule::array => self.array(entry),
                Rule::other_setting => self.refuse(
                    format!("`{}` is not modelled", one_line(entry.as_str())),
                    span_of(&entry),
                    "in the initial state",
                    "values are numbers, as in `x=1`, `0:EAX=1` or `int x=1`, and addresses in registers, as in `0:EAX=x`; arrays are `int a[2]={1,2}`",
                ),
                _ => {}
            }
        }
    }

    /// The initial values as numbers of the widths of their locations.
    pub(super) fn values(&mut self) -> IndexMap<Location, i64> {
        let mut values = IndexMap::new();
        for (location, (value, place)) in std::mem::take(&mut self.initial.values) {
            let width = match &location {
                Location::Register(_, part) => part.width,
                Location::Memory(name) => self.sizes.of(name),
            };
            let number = match value {
                Value::Number(number) => self.fitting(number, width, place),
                Value::AddressOf(_) => Some(0),
            };
            values.extend(number.map(|number| (location, number)));
        }
        values
    }

    fn setting(&mut self, setting: Pair<'_, Rule>) {
        let place = span_of(&setting);
        let mut value = Some(Value::Number(0));
        let (mut location, mut of_type) = (None, None);
        for part in setting.into_inner() {
            match part.as_rule() {
                Rule::type_name => of_type = self.type_named(&part),
                Rule::location => location = self.location(part),
                Rule::number => value = self.number(&part).map(Value::Number),
                _ => {
                    let name = part.into_inner().next().expect("an address has a name");
                    value = Some(Value::AddressOf(name.as_str().to_owned()));
                }
            }
        }
        let (Some(location), Some(value)) = (location, value) else {
            return;
        };
        match (&location, &value) {
            (Location::Memory(name), Value::Number(_)) if !name.ends_with(']') => {
                self.declare(name.clone(), of_type);
            }
            (Location::Register(_, part), Value::AddressOf(_)) if part.is_whole() => {}
            (Location::Register(..), Value::Number(_)) => {}
            _ => {
                let message = "this initial value is not modelled";
                let note = "addresses are initial values of whole registers, and elements have their values where the array is declared";
                self.refuse(message, place, "in the initial state", note);
                return;
            }
        }
        let (location, value) = self.whole(location, value, place);
        self.initialise(location, value, place);
    }

    /// The whole register of which a part is set, and its value.
    fn whole(&mut self, location: Location, value: Value, place: Span) -> (Location, Value) {
        match (location, value) {
            (Location::Register(thread, part), Value::Number(number)) => {
                let value = self.fitting(number, part.width, place).unwrap_or(0);
                let whole = part.insert(0, value);
                let register = Part::whole(&part.register, part.whole);
                let value = Value::Number(i128::from(whole));
                (Location::Register(thread, register), value)
            }
            other => other,
        }
    }

    fn initialise(&mut self, location: Location, value: Value, place: Span) {
        let twice = format!("{location} has two initial values");
        if self
            .initial
            .values
            .insert(location, (value, place))
            .is_some()
        {
            self.error(twice, place, "the second one", "keep one of them");
        }
    }

    fn declare(&mut self, name: String, of_type: Option<Type>) {
        let Some(of_type) = of_type else { return };
        if of_type.unsigned {
            self.initial.unsigned.insert(name.clone());
        }
        self.initial.types.insert(name, of_type.width);
    }

    fn array(&mut self, array: Pair<'_, Rule>) {
        let place = span_of(&array);
        let (mut of_type, mut name, mut length) = (None, "", 0);
        let mut numbers = Vec::new();
        for part in array.into_inner() {
            match part.as_rule() {
                Rule::type_name => of_type = self.type_named(&part),
                Rule::name => name = part.as_str(),
                Rule::size => length = part.as_str().parse().unwrap_or(usize::MAX),
                _ => numbers.push((self.number(&part), span_of(&part))),
            }
        }
        let Some(of_type) = of_type else { return };
        let fits = numbers.is_empty() || numbers.len() == length;
        if length == 0 || length > MAX_ELEMENTS || !fits {
            let message = format!("this is no list of values for `{name}`");
            let note =
                format!("an array has 1 to {MAX_ELEMENTS} elements, with a value for each or none");
            self.error(message, place, "an array", &note);
            return;
        }
        let bytes = of_type.width.bytes();
        self.initial.arrays.insert(name.to_owned(), (length, bytes));
        self.declare(name.to_owned(), Some(of_type));
        numbers.resize(length, (Some(0), place));
        for (index, (number, place)) in numbers.into_iter().enumerate() {
            let location = Location::Memory(format!("{name}[{index}]"));
            self.initialise(location, Value::Number(number.unwrap_or(0)), place);
        }
    }

    fn type_named(&mut self, name: &Pair<'_, Rule>) -> Option<Type> {
        let words: Vec<&str> = name.as_str().split_whitespace().collect();
        let found = type_of(&words);
        if found.is_none() {
            let message = format!("`{}` is not a type that is modelled", words.join(" "));
            let note = "types are those of C's integers: char, short, int, long, int8_t … int64_t, with or without a sign";
            self.refuse(message, span_of(name), "a type", note);
        }
        found
    }
}

/// The type with this name, on 64-bit Linux.
fn type_of(words: &[&str]) -> Option<Type> {
    let unsigned = words.first() == Some(&"unsigned");
    let rest = match words {
        ["unsigned" | "signed", rest @ ..] => rest,
        words => words,
    };
    let (width, fixed) = match rest {
        ["char"] => (Width::Byte, None),
        ["short"] | ["short", "int"] => (Width::Word, None),
        ["int"] => (Width::Double, None),
        [] if words.len() == 1 => (Width::Double, None),
        ["long"] | ["long", "int"] | ["long", "long"] | ["long", "long", "int"] => {
            (Width::Quad, None)
        }
        [fixed] if words.len() == 1 => {
            let (unsigned, name) = match fixed.strip_prefix('u') {
                Some(name) => (true, name),
                None => (false, *fixed),
            };
            let width = match name {
                "int8_t" => Width::Byte,
                "int16_t" => Width::Word,
                "int32_t" => Width::Double,
                "int64_t" => Width::Quad,
                _ => return None,
            };
            (width, Some(unsigned))
        }
        _ => return None,
    };
    Some(Type {
        width,
        unsigned: fixed.unwrap_or(unsigned),
    })
}
