//! How wide each access and each location is.
//!
//! Input: instructions whose width is known where a register, a letter or a word says it. Output: the same with a
//! width each, and the width of every location: its type, or else that of the accesses to it, or else 32 bits. **All
//! accesses to a location have its width**: what accesses of mixed sizes do depends on how the bytes of a location lie
//! in memory, which the models do not say, so they are refused. Numbers must fit the width, and wrap at it.

use indexmap::IndexMap;

use crate::front::cup::ast::Span;

use super::instruction::{Instruction, Operand, Operation, Part, Width};
use super::report::Report;

type Resolved = Instruction<String, Option<Width>>;

/// The widths of the locations.
#[derive(Default)]
pub(super) struct Sizes {
    known: IndexMap<String, Width>,
    /// The types, by the name of a location or of an array.
    types: IndexMap<String, Width>,
}

impl Sizes {
    /// With these types, and what the instructions of all threads say.
    pub(super) fn new<'i>(
        types: IndexMap<String, Width>,
        instructions: impl Iterator<Item = &'i Resolved>,
        report: &mut Report,
    ) -> Self {
        let mut sizes = Sizes {
            known: IndexMap::new(),
            types,
        };
        for instruction in instructions {
            if let (Some(location), Some(width)) =
                (instruction.operation.memory(), instruction.width)
            {
                sizes.see(location, width, instruction.span, report);
            }
        }
        sizes
    }

    fn see(&mut self, location: &str, width: Width, span: Span, report: &mut Report) {
        let declared = self.types.get(base(location)).copied();
        let known = declared.or_else(|| self.known.get(location).copied());
        match known {
            None => {
                self.known.insert(location.to_owned(), width);
            }
            Some(known) if known != width => {
                let (bits, others) = (width.bits(), known.bits());
                let message = format!(
                    "mixed sizes: `{location}` has {others} bits and is accessed with {bits}"
                );
                let note = "accesses of mixed sizes are not modelled: give all accesses to a location, and its type, one width";
                report.refuse(message, span, "mixed sizes", note);
            }
            Some(_) => {}
        }
    }

    /// The width of a location.
    pub(super) fn of(&self, location: &str) -> Width {
        let declared = self.types.get(base(location));
        let known = declared.or_else(|| self.known.get(location));
        known.copied().unwrap_or(Width::Double)
    }

    /// The instruction with its width; `whole` is that of registers.
    pub(super) fn sized(
        &self,
        instruction: Resolved,
        whole: Width,
        report: &mut Report,
    ) -> Instruction {
        let memory = instruction.operation.memory();
        let from_memory = memory.map(|location| self.of(location));
        let width = instruction.width.or(from_memory).unwrap_or(whole);
        let span = instruction.span;
        let to_register = matches!(
            &instruction.operation,
            Operation::Move {
                to: Operand::Part(_),
                ..
            }
        );
        let is_shift = matches!(instruction.operation, Operation::Shift { .. });
        let mut part = |part: Part| sized_part(part, width);
        let mut operand = |operand: Operand| match operand {
            Operand::Part(part) => Operand::Part(sized_part(part, width)),
            Operand::Number(number) if is_shift => Operand::Number(number),
            Operand::Number(number) => {
                Operand::Number(fitted(number, width, to_register, span, report))
            }
            other => other,
        };
        let operation = instruction.operation.map(&mut operand, &mut part);
        Instruction {
            labels: instruction.labels,
            operation: with_accumulator(operation, width),
            width,
            locked: instruction.locked,
            text: instruction.text,
            span,
        }
    }

    /// The widths of all locations that have one.
    pub(super) fn known(self) -> IndexMap<String, Width> {
        self.types.into_iter().chain(self.known).collect()
    }
}

fn sized_part(part: Part, width: Width) -> Part {
    match part.is_symbolic() {
        true => part.with_width(width),
        false => part,
    }
}

fn with_accumulator(operation: Operation, width: Width) -> Operation {
    match operation {
        Operation::CompareExchange {
            to,
            from,
            accumulator,
        } => Operation::CompareExchange {
            to,
            from,
            accumulator: accumulator.with_width(width),
        },
        other => other,
    }
}

/// The number as the instruction has it. Only `MOV` to a register has numbers of 64 bits; elsewhere they are those of
/// 32 bits with a sign.
fn fitted(number: i128, width: Width, to_register: bool, span: Span, report: &mut Report) -> i128 {
    let fits = match width {
        Width::Quad if !to_register => i32::try_from(number).is_ok(),
        _ => true,
    };
    match width.fit(number).filter(|_| fits) {
        Some(value) => i128::from(value),
        None => {
            let message = format!("the number {number} does not fit this instruction");
            let note = format!("it works with {} bits", width.bits());
            report.error(message, span, "out of range", &note);
            0
        }
    }
}

/// The location or the array that a location is or belongs to.
pub(super) fn base(location: &str) -> &str {
    location.split('[').next().unwrap_or(location)
}
