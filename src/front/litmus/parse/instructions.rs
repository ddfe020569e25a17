//! The table of threads: columns of instructions.

use pest::iterators::Pair;

use crate::front::cup::ast::Span;

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
            let number = name.as_str()[1..].parse().unwrap_or_else(|_| {
                let note = "number the threads P0, P1, …";
                self.error(
                    "this thread's number is too large",
                    span_of(&name),
                    "too large",
                    note,
                );
                u32::MAX
            });
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
        let place = span_of(&row);
        let cells = row.into_inner().filter(|part| part.as_rule() == Rule::cell);
        let cells: Vec<Pair<'_, Rule>> = cells.collect();
        if cells.len() != self.threads.len() {
            let cells = counted(cells.len(), "cell");
            let threads = counted(self.threads.len(), "thread");
            let are = if self.threads.len() == 1 { "is" } else { "are" };
            self.error(
                format!("this row has {cells}, but there {are} {threads}"),
                place,
                "every thread has a cell, which may be empty",
                "put `|` between the cells of a row, also around those that are empty",
            );
        }
        for (cell, thread) in cells.into_iter().zip(threads) {
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
            if let Some(kind) = instruction {
                thread.instructions.push(Instruction { kind, span: place });
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
                let (target, source) = (self.operand(target)?, self.operand(source)?);
                let note = match moved(&source, &target) {
                    Some(_) => self.order(),
                    None => SHAPES,
                };
                self.or_illegal(moved(&target, &source), text, place, note)
            }
            ("XCHG" | "XCHGL" | "XCHGQ", [first, second], _) => {
                let operands = (self.operand(first)?, self.operand(second)?);
                let exchange = exchanged(operands);
                let locks_registers = matches!(
                    exchange,
                    Some(InstructionKind::ExchangeRegisters(..)) if locked
                );
                self.or_illegal(exchange.filter(|_| !locks_registers), text, place, SHAPES)
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
        note: &str,
    ) -> Option<InstructionKind> {
        if kind.is_none() {
            let message = format!("`{}` is not an instruction of x86", one_line(text));
            self.error(message, place, "these operands do not go together", note);
        }
        kind
    }

    /// In which order the architecture's tests have their operands.
    fn order(&self) -> &'static str {
        match self.architecture {
            Architecture::X86 => {
                "the operands of an X86 test stand in Intel's order, the target first: `MOV [x],$1`"
            }
            Architecture::X86_64 => {
                "the operands of an X86_64 test stand in AT&T's order, the source first: `movl $1,[x]`"
            }
        }
    }

    fn not_modelled(&mut self, text: &str, place: Span) {
        let message = format!("the instruction `{}` is not modelled", one_line(text));
        self.error(message, place, "not modelled", MODELLED);
    }
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// What `MOV` does with a target and a source.
fn moved(target: &Operand, source: &Operand) -> Option<InstructionKind> {
    match (target, source) {
        (Operand::Register(target), Operand::Memory(source)) => {
            Some(InstructionKind::Load(target.clone(), source.clone()))
        }
        (Operand::Register(target), source) => {
            Some(InstructionKind::Move(target.clone(), as_value(source)?))
        }
        (Operand::Memory(target), source) => {
            Some(InstructionKind::Store(target.clone(), as_value(source)?))
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

fn as_value(operand: &Operand) -> Option<Value> {
    match operand {
        Operand::Register(register) => Some(Value::Register(register.clone())),
        Operand::Number(number) => Some(Value::Number(*number)),
        Operand::Memory(_) => None,
    }
}
