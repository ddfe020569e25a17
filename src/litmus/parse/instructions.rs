//! The table of threads: columns of instructions.

use pest::iterators::Pair;

use crate::lang::ast::Span;

use super::super::registers::{Architecture, Named};
use super::super::syntax::{Instruction, InstructionKind, Register, Thread, Value};
use super::{Reader, Rule, one_line, span_of};

/// An operand as it is understood.
enum Operand {
    Register(Register),
    Number(i64),
    Memory(String),
}

/// What `MOV` and `XCHG` may look like.
const SHAPES: &str = "MOV goes between registers, or between a register or number and memory; XCHG exchanges a register with another or with memory";
/// The instructions that are modelled.
const MODELLED: &str = "the instructions are MOV, MFENCE and XCHG, the operands registers, numbers and `[x]`; there are no labels and jumps";

impl Reader {
    /// Reads the table and notes the numbers of the threads.
    pub(super) fn program(&mut self, program: Pair<'_, Rule>) -> Vec<Thread> {
        let mut threads = Vec::new();
        for part in program.into_inner() {
            match part.as_rule() {
                Rule::threads => threads = self.thread_names(part),
                Rule::row => self.row(part, &mut threads),
                _ => {}
            }
        }
        threads
    }

    fn thread_names(&mut self, names: Pair<'_, Rule>) -> Vec<Thread> {
        let mut threads = Vec::new();
        for name in names
            .into_inner()
            .filter(|name| name.as_rule() == Rule::thread)
        {
            let Ok(number) = name.as_str()[1..].parse() else {
                let note = "number the threads P0, P1, …";
                self.error(
                    "this thread's number is too large",
                    span_of(&name),
                    "too large",
                    note,
                );
                continue;
            };
            if self.threads.contains(&number) {
                let note = "give each thread a number of its own";
                let message = format!("there are two threads P{number}");
                self.error(message, span_of(&name), "the second one", note);
            }
            self.threads.push(number);
            threads.push(Thread {
                number,
                span: span_of(&name),
                instructions: Vec::new(),
            });
        }
        threads
    }

    fn row(&mut self, row: Pair<'_, Rule>, threads: &mut [Thread]) {
        let cells = row.into_inner().filter(|part| part.as_rule() == Rule::cell);
        for (column, cell) in cells.enumerate() {
            let Some(content) = cell.into_inner().next() else {
                continue;
            };
            let place = span_of(&content);
            let instruction = match content.as_rule() {
                Rule::instruction => self.instruction(content),
                _ => {
                    self.not_modelled(content.as_str().trim_end(), place);
                    None
                }
            };
            match (instruction, threads.get_mut(column)) {
                (Some(kind), Some(thread)) => {
                    thread.instructions.push(Instruction { kind, span: place });
                }
                (_, None) => self.error(
                    "this instruction belongs to no thread",
                    place,
                    "there is no such column",
                    "the first line of the table names the threads",
                ),
                (None, Some(_)) => {}
            }
        }
    }

    fn instruction(&mut self, instruction: Pair<'_, Rule>) -> Option<InstructionKind> {
        let place = span_of(&instruction);
        let text = instruction.as_str().trim_end();
        let mut parts = instruction.into_inner().peekable();
        let locked = parts.next_if(|part| part.as_rule() == Rule::lock).is_some();
        let mnemonic = parts.next().expect("an instruction has a mnemonic");
        let operands: Vec<Pair<'_, Rule>> = parts.collect();
        match (
            mnemonic.as_str().to_ascii_uppercase().as_str(),
            operands.as_slice(),
            locked,
        ) {
            ("MFENCE", [], false) => Some(InstructionKind::Fence),
            ("MOV" | "MOVL" | "MOVQ", [first, second], false) => {
                let (target, source) = match self.architecture {
                    Architecture::X86 => (first, second),
                    Architecture::X86_64 => (second, first),
                };
                let operands = (self.operand(target)?, self.operand(source)?);
                self.or_illegal(moved(operands), text, place)
            }
            ("XCHG" | "XCHGL" | "XCHGQ", [first, second], _) => {
                let operands = (self.operand(first)?, self.operand(second)?);
                let exchange = exchanged(operands);
                let locks_registers = matches!(
                    exchange,
                    Some(InstructionKind::ExchangeRegisters(..)) if locked
                );
                self.or_illegal(exchange.filter(|_| !locks_registers), text, place)
            }
            _ => {
                self.not_modelled(text, place);
                None
            }
        }
    }

    fn operand(&mut self, operand: &Pair<'_, Rule>) -> Option<Operand> {
        let inner = operand
            .clone()
            .into_inner()
            .next()
            .expect("an operand is of some kind");
        match inner.as_rule() {
            Rule::number => self.number(&inner).map(Operand::Number),
            Rule::register => self.register(&inner).map(Operand::Register),
            _ => self.memory(&inner).map(Operand::Memory),
        }
    }

    fn memory(&mut self, memory: &Pair<'_, Rule>) -> Option<String> {
        let symbol = memory
            .clone()
            .into_inner()
            .next()
            .expect("memory has an address");
        match self.architecture.lookup(symbol.as_str()) {
            Named::Other => Some(symbol.as_str().to_owned()),
            Named::Register(_) | Named::NotModelled => {
                let message = "an address in a register is not modelled";
                let note = "name the location, as in `[x]`";
                self.error(
                    message,
                    span_of(memory),
                    "the address is in a register",
                    note,
                );
                None
            }
        }
    }

    fn or_illegal(
        &mut self,
        kind: Option<InstructionKind>,
        text: &str,
        place: Span,
    ) -> Option<InstructionKind> {
        if kind.is_none() {
            let message = format!("`{}` is not an instruction of x86", one_line(text));
            self.error(message, place, "these operands do not go together", SHAPES);
        }
        kind
    }

    fn not_modelled(&mut self, text: &str, place: Span) {
        let message = format!("the instruction `{}` is not modelled", one_line(text));
        self.error(message, place, "not modelled", MODELLED);
    }
}

/// What `MOV` does with a target and a source.
fn moved(operands: (Operand, Operand)) -> Option<InstructionKind> {
    match operands {
        (Operand::Register(target), Operand::Memory(source)) => {
            Some(InstructionKind::Load(target, source))
        }
        (Operand::Register(target), source) => {
            Some(InstructionKind::Move(target, as_value(source)?))
        }
        (Operand::Memory(target), source) => {
            Some(InstructionKind::Store(target, as_value(source)?))
        }
        (Operand::Number(_), _) => None,
    }
}

/// What `XCHG` does with its operands, whose order does not matter.
fn exchanged(operands: (Operand, Operand)) -> Option<InstructionKind> {
    match operands {
        (Operand::Register(register), Operand::Memory(memory))
        | (Operand::Memory(memory), Operand::Register(register)) => {
            Some(InstructionKind::Exchange(register, memory))
        }
        (Operand::Register(left), Operand::Register(right)) => {
            Some(InstructionKind::ExchangeRegisters(left, right))
        }
        (Operand::Number(_), _) | (_, Operand::Number(_)) | (Operand::Memory(_), _) => None,
    }
}

fn as_value(operand: Operand) -> Option<Value> {
    match operand {
        Operand::Register(register) => Some(Value::Register(register)),
        Operand::Number(number) => Some(Value::Number(number)),
        Operand::Memory(_) => None,
    }
}
