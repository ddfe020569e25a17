//! Which location each memory operand means.
//!
//! Input: the instructions of a thread with addresses as they are written. Output: the same with names of locations.
//! An address may be in a register, which got it from the initial state or by `MOV`; what each register holds before
//! each instruction, a number or the address of a location, is found by going through the thread along all ways that
//! control may take. What cannot be known so is refused: an address that depends on a value which was loaded, a
//! number that is made of an address. A shift by a register whose value is known becomes a shift by that number.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::front::cup::ast::Span;

use super::flow::Flow;
use super::instruction::{Address, Binary, Instruction, Operand, Operation, Part, Width};
use super::report::Report;
use super::syntax::Register;

/// What a register holds at some place, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// This number, or some number.
    Number(Option<i64>),
    /// The address of this location.
    Address(String),
    /// A number or an address, it depends.
    Unknown,
}

/// What the registers of a thread hold at some place; a register that is not listed holds 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers(BTreeMap<Register, Held>);

/// The arrays of a test: how many elements each has, and how many bytes an element.
pub(super) type Arrays = IndexMap<String, (usize, i64)>;

type Written = Instruction<Address, Option<Width>>;
type Resolved = Instruction<String, Option<Width>>;

/// Puts locations in place of addresses. Also says what the registers hold at the end, if it is reached.
pub(super) fn resolve(
    instructions: Vec<Written>,
    flow: &Flow,
    start: Registers,
    arrays: &Arrays,
    report: &mut Report,
) -> (Vec<Resolved>, Option<Registers>) {
    let step = |at: usize, before: &Registers| before.after(&instructions[at]);
    let mut held = flow.forward(start, step, Registers::join);
    let end = held.pop().flatten();
    let mut resolved = Vec::new();
    for (mut instruction, before) in instructions.into_iter().zip(held) {
        if before.is_none() {
            // It is never reached, so that it does not matter what it would do.
            instruction.operation = Operation::Nothing;
        }
        let before = before.unwrap_or_default();
        before.check_numbers(&instruction, report);
        let instruction = before.resolve(instruction, arrays, report);
        resolved.push(instruction);
    }
    (resolved, end)
}

impl Registers {
    /// Sets what a register holds.
    pub(super) fn set(&mut self, register: Register, held: Held) {
        self.0.insert(register, held);
    }

    /// What a register holds.
    pub(super) fn get(&self, register: &Register) -> &Held {
        self.0.get(register).unwrap_or(&Held::Number(Some(0)))
    }

    fn join(&self, other: &Registers) -> Registers {
        let registers = self.0.keys().chain(other.0.keys());
        let joined = registers.map(|register| {
            let held = self.get(register).join(other.get(register));
            (register.clone(), held)
        });
        Registers(joined.collect())
    }

    /// What a part of a register holds.
    fn part(&self, part: &Part) -> Held {
        match self.get(&part.register) {
            held if part.is_whole() => held.clone(),
            Held::Number(number) => Held::Number(number.map(|whole| part.extract(whole))),
            Held::Address(_) | Held::Unknown => Held::Unknown,
        }
    }

    fn set_part(&mut self, part: &Part, held: Held) {
        let whole = match (self.get(&part.register), held) {
            (_, held) if part.is_whole() => held,
            (Held::Number(Some(whole)), Held::Number(Some(value))) => {
                Held::Number(Some(part.insert(*whole, value)))
            }
            (Held::Number(_), Held::Number(_)) => Held::Number(None),
            (_, Held::Number(_)) if part.width == Width::Double => Held::Number(None),
            _ => Held::Unknown,
        };
        self.set(part.register.clone(), whole);
    }

    /// What the registers hold behind an instruction.
    fn after(&self, instruction: &Written) -> Registers {
        let mut after = self.clone();
        let sized = |part: &Part| sized(part, instruction.width);
        let some = || Held::Number(None);
        match &instruction.operation {
            Operation::Move {
                to: Operand::Part(to),
                from,
            } => {
                let to = sized(to);
                let held = match from {
                    Operand::Number(number) => Held::Number(to.width.fit(*number)),
                    Operand::AddressOf(location) => Held::Address(location.clone()),
                    Operand::Part(from) => self.part(&sized(from)),
                    Operand::Memory(_) => some(),
                };
                after.set_part(&to, held);
            }
            Operation::Exchange(Operand::Part(left), right) => {
                let (left, right) = (sized(left), sized(right));
                after.set_part(&left, self.part(&right));
                after.set_part(&right, self.part(&left));
            }
            Operation::Binary {
                op: Binary::Xor | Binary::Sub,
                to: Operand::Part(to),
                from: Operand::Part(from),
                flags_only: false,
            } if to == from => after.set_part(&sized(to), Held::Number(Some(0))),
            operation => {
                for part in written(operation) {
                    after.set_part(&sized(part), some());
                }
            }
        }
        after
    }

    /// Refuses the use of an address as a number.
    fn check_numbers(&self, instruction: &Written, report: &mut Report) {
        let mut parts = Vec::new();
        instruction
            .operation
            .visit_parts(&mut |part| parts.push(part.clone()));
        let copies = matches!(
            &instruction.operation,
            Operation::Move {
                to: Operand::Part(_),
                ..
            } | Operation::Exchange(Operand::Part(_), _)
        );
        let replaced = replaced(&instruction.operation);
        for part in parts {
            let is_number = matches!(self.get(&part.register), Held::Number(_));
            let is_copied = copies && sized(&part, instruction.width).is_whole();
            let is_replaced = replaced == Some(&part) && part.width >= Width::Double;
            if !is_number && !is_copied && !is_replaced {
                let message = format!("`{}` may hold an address here", part.name);
                let note = "addresses can be moved between whole registers and used as addresses, nothing else";
                report.refuse(message, instruction.span, "an address as a number", note);
            }
        }
        if let Operation::Move {
            to: Operand::Memory(_),
            from: Operand::AddressOf(_),
        } = &instruction.operation
        {
            let note = "memory holds numbers";
            report.refuse(
                "an address in memory is not modelled",
                instruction.span,
                "an address",
                note,
            );
        }
    }

    fn resolve(&self, instruction: Written, arrays: &Arrays, report: &mut Report) -> Resolved {
        let mut operand = |operand: Operand<Address>| match operand {
            Operand::Part(part) => Operand::Part(part),
            Operand::Number(number) => Operand::Number(number),
            Operand::AddressOf(location) => Operand::AddressOf(location),
            Operand::Memory(address) => {
                let span = address.span;
                let location = self.location(&address, report);
                let location = location
                    .and_then(|(symbol, offset)| element(symbol, offset, arrays, span, report));
                Operand::Memory(location.unwrap_or_default())
            }
        };
        let mut operation = instruction.operation.map(&mut operand, &mut |part| part);
        if let Operation::Shift { count, .. } = &mut operation
            && let Operand::Part(part) = count
            && let Held::Number(Some(known)) = self.part(part)
        {
            *count = Operand::Number(i128::from(known.rem_euclid(256)));
        }
        Instruction {
            labels: instruction.labels,
            operation,
            width: instruction.width,
            locked: instruction.locked,
            text: instruction.text,
            span: instruction.span,
        }
    }

    /// The location and the number of bytes behind its beginning that an address means.
    fn location(&self, address: &Address, report: &mut Report) -> Option<(String, i64)> {
        let mut symbol = address.symbol.clone();
        let mut offset = i128::from(address.offset);
        let note = "an address is that of a location; a register has it from the initial state (`0:EAX=x`) or by MOV, an index is a number that is known before the test runs";
        for (part, factor) in &address.registers {
            match self.get(&part.register) {
                Held::Number(Some(number)) => offset += i128::from(*number) * i128::from(*factor),
                Held::Address(location) if *factor == 1 && symbol.is_none() => {
                    symbol = Some(location.clone());
                }
                _ => {
                    let message = format!("the address in `{}` is not known", part.name);
                    report.refuse(
                        message,
                        address.span,
                        "an address that depends on values",
                        note,
                    );
                    return None;
                }
            }
        }
        let Some(symbol) = symbol else {
            report.refuse(
                "this address is that of no location",
                address.span,
                "a number",
                note,
            );
            return None;
        };
        Some((symbol, i64::try_from(offset).unwrap_or(i64::MAX)))
    }
}

/// The location so many bytes behind the beginning of another.
fn element(
    symbol: String,
    offset: i64,
    arrays: &Arrays,
    span: Span,
    report: &mut Report,
) -> Option<String> {
    let &(length, bytes) = arrays.get(&symbol).unwrap_or(&(0, 1));
    if length == 0 && offset == 0 {
        return Some(symbol);
    }
    let index = usize::try_from(offset.div_euclid(bytes)).ok();
    match index.filter(|&index| index < length && offset.rem_euclid(bytes) == 0) {
        Some(index) => Some(format!("{symbol}[{index}]")),
        None => {
            let message = format!("`{symbol}` has no element at {offset} bytes from its beginning");
            let note = "an access is to a location, or to an element of an array like `int a[2]`; what lies beside it, or across two of them, is not modelled";
            report.refuse(message, span, "no location", note);
            None
        }
    }
}

/// A part with the width of its instruction, if it takes that.
fn sized(part: &Part, width: Option<Width>) -> Part {
    match width {
        Some(width) if part.is_symbolic() => part.with_width(width),
        _ => part.clone(),
    }
}

/// The register that an instruction writes without reading it; a write of 32 or 64 bits leaves nothing of it.
fn replaced(operation: &Operation<Address>) -> Option<&Part> {
    match operation {
        Operation::Move {
            to: Operand::Part(to),
            from: Operand::Memory(_) | Operand::Number(_),
        }
        | Operation::Extend {
            to,
            from: Operand::Memory(_),
            ..
        } if !to.is_symbolic() => Some(to),
        _ => None,
    }
}

/// The registers that an instruction writes.
fn written(operation: &Operation<Address>) -> Vec<&Part> {
    let mut written = match operation {
        Operation::Extend { to, .. } => vec![to],
        Operation::Exchange(_, from) | Operation::ExchangeAdd { from, .. } => vec![from],
        Operation::CompareExchange { accumulator, .. } => vec![accumulator],
        _ => Vec::new(),
    };
    if let Operation::Move { to, .. }
    | Operation::ExchangeAdd { to, .. }
    | Operation::CompareExchange { to, .. }
    | Operation::Unary(_, to)
    | Operation::Binary {
        to,
        flags_only: false,
        ..
    }
    | Operation::Shift { to, .. } = operation
        && let Operand::Part(part) = to
    {
        written.push(part);
    }
    written
}

impl Held {
    fn join(&self, other: &Held) -> Held {
        match (self, other) {
            (left, right) if left == right => left.clone(),
            (Held::Number(_), Held::Number(_)) => Held::Number(None),
            _ => Held::Unknown,
        }
    }
}
