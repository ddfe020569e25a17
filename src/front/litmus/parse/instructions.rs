//! The table of threads: columns of instructions.

use pest::iterators::Pair;

use crate::front::cup::ast::Span;

use super::super::instruction::{Address, Instruction, Operand, Operation, Part, Width};
use super::super::registers::Architecture;
use super::mnemonic::{self, Kind};
use super::{Reader, Rule, one_line, span_of};

/// The instructions that are modelled.
const MODELLED: &str = "the instructions are MOV, MOVZX, MOVSX, XCHG, XADD, CMPXCHG, INC, DEC, NEG, NOT, ADD, SUB, AND, OR, XOR, SHL, SHR, CMP, TEST, jumps, NOP, ENDBR64, MFENCE, SFENCE and LFENCE";
/// What may have a prefix.
const LOCKABLE: &str = "LOCK stands before XCHG, XADD, CMPXCHG, INC, DEC, NEG, NOT, ADD, SUB, AND, OR and XOR whose target is in memory";

/// An instruction as it is written.
pub(super) type Written = Instruction<Address, Option<Width>>;

/// A thread as it is written.
pub(super) struct WrittenThread {
    pub number: u32,
    pub span: Span,
    pub instructions: Vec<Written>,
    /// Labels that wait for the next instruction, or for the end.
    pub labels: Vec<String>,
}

/// What stands in a cell behind the labels.
struct Draft<'t> {
    text: &'t str,
    place: Span,
    locked: bool,
    /// The widths that the name and the words before memory say.
    widths: Vec<Width>,
    operands: Vec<Operand<Address>>,
}

impl Reader {
    /// Reads the table and notes the numbers of the threads.
    pub(super) fn program(&mut self, program: Pair<'_, Rule>) -> Vec<WrittenThread> {
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

    fn thread_names(&mut self, names: Pair<'_, Rule>) -> Vec<WrittenThread> {
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
            threads.push(WrittenThread {
                number,
                span: span_of(&name),
                instructions: Vec::new(),
                labels: Vec::new(),
            });
        }
        threads
    }

    fn row(&mut self, row: Pair<'_, Rule>, threads: &mut [WrittenThread]) {
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
            self.cell(cell, thread);
        }
    }

    fn cell(&mut self, cell: Pair<'_, Rule>, thread: &mut WrittenThread) {
        for content in cell.into_inner() {
            let place = span_of(&content);
            match content.as_rule() {
                Rule::label => {
                    let name = content.into_inner().next().expect("a label has a name");
                    thread.labels.push(name.as_str().to_owned());
                }
                Rule::instruction => {
                    if let Some(mut instruction) = self.instruction(content) {
                        instruction.labels = std::mem::take(&mut thread.labels);
                        thread.instructions.push(instruction);
                    }
                }
                _ => self.unknown(content.as_str().trim_end(), place),
            }
        }
    }

    fn instruction(&mut self, instruction: Pair<'_, Rule>) -> Option<Written> {
        let place = span_of(&instruction);
        let text = instruction.as_str().trim_end();
        let mut parts = instruction.into_inner().peekable();
        let locked = parts.next_if(|part| part.as_rule() == Rule::lock).is_some();
        let name = parts.next().expect("an instruction has a mnemonic");
        let Some((kind, width)) = mnemonic::named(name.as_str()) else {
            self.unknown(text, place);
            return None;
        };
        let mut draft = Draft {
            text,
            place,
            locked,
            widths: Vec::new(),
            operands: Vec::new(),
        };
        if let Kind::Jump(_) | Kind::JumpIfZero(_) = kind {
            return self.jump(kind, &draft, &parts.collect::<Vec<_>>());
        }
        for operand in parts {
            let operand = self.operand(operand, &mut draft.widths)?;
            draft.operands.push(operand);
        }
        // The long forms of NOP have an operand, which they do not access.
        let is_nop = name.as_str().to_ascii_uppercase().starts_with("NOP");
        if is_nop && !draft.operands.is_empty() {
            self.unknown(text, place);
            return None;
        }
        if let (Architecture::X86_64, [_, _]) = (self.architecture, draft.operands.as_slice()) {
            draft.operands.reverse();
        }
        let to_quad = matches!(kind, Kind::Extend(_, Some(Width::Quad)));
        if let Some(high) = draft.high_part().filter(|_| to_quad || draft.needs_rex()) {
            let note = format!(
                "it needs the prefix REX, and with that prefix there is no `{}`; use the lowest byte of a register",
                high.name
            );
            return self.illegal(&draft, &note);
        }
        match kind {
            Kind::Extend(signed, to) => self.extension(signed, (width, to), draft),
            _ => {
                draft.widths.extend(width);
                self.general(kind, draft)
            }
        }
    }

    fn jump(
        &mut self,
        kind: Kind,
        draft: &Draft<'_>,
        operands: &[Pair<'_, Rule>],
    ) -> Option<Written> {
        let [target] = operands else {
            return self.illegal(draft, "a jump has one operand, the label that it goes to");
        };
        let label = target.as_str().trim();
        if draft.locked || label.starts_with(['%', '$', '[', '(']) {
            return self.illegal(draft, "a jump goes to a label, without a prefix");
        }
        let label = label.to_owned();
        let operation = match kind {
            Kind::JumpIfZero(width) => {
                let known = match self.architecture {
                    Architecture::X86 => width < Width::Quad,
                    Architecture::X86_64 => width > Width::Word,
                };
                if !known {
                    return self.illegal(draft, "this mode of the processor does not have it");
                }
                Operation::JumpIfZero(self.architecture.counter(width), label)
            }
            Kind::Jump(condition) => Operation::Jump(condition, label),
            _ => unreachable!("only jumps come here"),
        };
        Some(draft.finished(operation, Some(self.architecture.width())))
    }

    /// `MOVZX` and `MOVSX`, whose operands have different widths.
    fn extension(
        &mut self,
        signed: bool,
        (from_width, to_width): (Option<Width>, Option<Width>),
        mut draft: Draft<'_>,
    ) -> Option<Written> {
        let note = "the target is a register that is wider than the source, a register or memory";
        let from = draft.operands.pop();
        let to = draft.operands.pop();
        let (Some(Operand::Part(to)), Some(from), true) = (to, from, draft.operands.is_empty())
        else {
            return self.illegal(&draft, note);
        };
        let to = match to_width {
            Some(width) if to.is_symbolic() => to.with_width(width),
            Some(width) if width != to.width => return self.illegal(&draft, note),
            _ => to,
        };
        draft.widths.extend(from_width);
        let width = match &from {
            Operand::Part(part) if !part.is_symbolic() => {
                draft.widths.push(part.width);
                self.width(&draft, &[])?
            }
            Operand::Part(_) | Operand::Memory(_) => self.width(&draft, &[])?,
            Operand::Number(_) | Operand::AddressOf(_) => return self.illegal(&draft, note),
        };
        if draft.locked || to.width == Width::Byte || width.is_some_and(|width| width >= to.width) {
            return self.illegal(&draft, note);
        }
        if !signed && width == Some(Width::Double) {
            let note = "every write of 32 bits clears the upper half of the register: use MOV";
            return self.illegal(&draft, note);
        }
        Some(draft.finished(Operation::Extend { to, from, signed }, width))
    }

    /// All instructions whose operands have one width.
    fn general(&mut self, kind: Kind, mut draft: Draft<'_>) -> Option<Written> {
        let mut operands = std::mem::take(&mut draft.operands);
        let count = match (kind, operands.len()) {
            (Kind::Shift(_), 1) => Some(Operand::Number(1)),
            (Kind::Shift(_), 2) => operands.pop(),
            _ => None,
        };
        let width = self.width(&draft, &operands)?;
        let width = width.filter(|_| !operands.is_empty());
        let in_memory = operands
            .iter()
            .filter(|operand| matches!(operand, Operand::Memory(_)))
            .count();
        if in_memory > 1 {
            return self.illegal(&draft, "at most one operand is in memory");
        }
        let fits = width.is_none_or(|width| width <= self.architecture.width());
        let operation = operation(kind, operands, count).filter(|_| fits);
        let Some(mut operation) = operation else {
            let note = format!("these operands do not go with it; {}", self.order());
            return self.illegal(&draft, &note);
        };
        if draft.locked && !is_lockable(&operation) {
            return self.illegal(&draft, LOCKABLE);
        }
        if let Operation::CompareExchange { accumulator, .. } = &mut operation {
            *accumulator = self.architecture.accumulator(self.architecture.width());
        }
        draft.locked |= matches!(operation, Operation::Exchange(Operand::Memory(_), _));
        Some(draft.finished(operation, width))
    }

    /// The one width of an instruction with these operands, if it can be told from them; `None` if they differ.
    #[allow(
        clippy::option_option,
        reason = "no width and different widths are two things"
    )]
    fn width(&mut self, draft: &Draft<'_>, operands: &[Operand<Address>]) -> Option<Option<Width>> {
        let named = operands.iter().filter_map(|operand| match operand {
            Operand::Part(part) if !part.is_symbolic() => Some(part.width),
            _ => None,
        });
        let mut widths: Vec<Width> = draft.widths.iter().copied().chain(named).collect();
        widths.dedup();
        match widths.as_slice() {
            [] => Some(None),
            [width] => Some(Some(*width)),
            _ => {
                self.illegal(draft, "the operands have different widths");
                None
            }
        }
    }

    fn operand(
        &mut self,
        operand: Pair<'_, Rule>,
        widths: &mut Vec<Width>,
    ) -> Option<Operand<Address>> {
        let inner = operand.into_inner().next();
        let inner = inner.expect("an operand is of some kind");
        match inner.as_rule() {
            Rule::number => self.number(&inner).map(Operand::Number),
            Rule::register => self.register(&inner).map(Operand::Part),
            Rule::address_of => {
                let name = inner.into_inner().next().expect("the name of a location");
                Some(Operand::AddressOf(name.as_str().to_owned()))
            }
            _ => self.memory(inner, widths).map(Operand::Memory),
        }
    }

    fn illegal(&mut self, draft: &Draft<'_>, note: &str) -> Option<Written> {
        let message = format!("`{}` is not an instruction of x86", one_line(draft.text));
        self.error(message, draft.place, "not an instruction", note);
        None
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

    fn unknown(&mut self, text: &str, place: Span) {
        let message = format!("the instruction `{}` is not modelled", one_line(text));
        self.refuse(message, place, "not modelled", MODELLED);
    }
}

impl Draft<'_> {
    /// An operand that is bits 8 to 15 of a register, such as `AH`.
    fn high_part(&self) -> Option<&Part> {
        self.operands.iter().find_map(|operand| match operand {
            Operand::Part(part) if part.high => Some(part),
            _ => None,
        })
    }

    /// Whether some operand can only be encoded with the prefix REX of 64-bit mode: 64 bits, a register that only
    /// this mode has, also in an address, or the lowest byte of rsi, rdi, rbp or rsp.
    fn needs_rex(&self) -> bool {
        let is_new = |part: &Part| !part.is_symbolic() && part.register.rank >= 8;
        self.operands.iter().any(|operand| match operand {
            Operand::Part(part) if part.is_symbolic() => false,
            Operand::Part(part) => {
                let new_byte = part.width == Width::Byte && !part.high && part.register.rank >= 4;
                is_new(part) || new_byte || part.width == Width::Quad
            }
            Operand::Memory(address) => address.registers.iter().any(|(part, _)| is_new(part)),
            Operand::Number(_) | Operand::AddressOf(_) => false,
        })
    }

    fn finished(&self, operation: Operation<Address>, width: Option<Width>) -> Written {
        Instruction {
            labels: Vec::new(),
            operation,
            width,
            locked: self.locked,
            text: one_line(self.text),
            span: self.place,
        }
    }
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// What an instruction of this kind does with these operands, the target first; `None` if there is no such
/// instruction. The accumulator is filled in later.
fn operation(
    kind: Kind,
    operands: Vec<Operand<Address>>,
    count: Option<Operand<Address>>,
) -> Option<Operation<Address>> {
    let mut operands = operands.into_iter();
    let operation = match (kind, operands.next(), operands.next(), count) {
        (Kind::Fence, None, None, None) => Operation::Fence,
        (Kind::StoreFence, None, None, None) => Operation::StoreFence,
        (Kind::Nothing, None, None, None) => Operation::Nothing,
        (Kind::Move, Some(to), Some(from), None) if is_target(&to) => Operation::Move { to, from },
        (Kind::Exchange, Some(Operand::Part(from)), Some(to @ Operand::Memory(_)), None)
        | (Kind::Exchange, Some(to), Some(Operand::Part(from)), None)
            if is_target(&to) =>
        {
            Operation::Exchange(to, from)
        }
        (Kind::ExchangeAdd, Some(to), Some(Operand::Part(from)), None) if is_target(&to) => {
            Operation::ExchangeAdd { to, from }
        }
        (Kind::CompareExchange, Some(to), Some(Operand::Part(from)), None) if is_target(&to) => {
            Operation::CompareExchange {
                to,
                accumulator: from.clone(),
                from,
            }
        }
        (Kind::Unary(op), Some(to), None, None) if is_target(&to) => Operation::Unary(op, to),
        (Kind::Binary(op, flags_only), Some(to), Some(from), None)
            if is_target(&to) && !matches!(from, Operand::AddressOf(_)) =>
        {
            Operation::Binary {
                op,
                to,
                from,
                flags_only,
            }
        }
        (Kind::Shift(left), Some(to), None, Some(count)) if is_target(&to) && is_count(&count) => {
            Operation::Shift { left, to, count }
        }
        _ => return None,
    };
    operands.next().is_none().then_some(operation)
}

fn is_target(operand: &Operand<Address>) -> bool {
    matches!(operand, Operand::Part(_) | Operand::Memory(_))
}

fn is_count(operand: &Operand<Address>) -> bool {
    match operand {
        Operand::Number(count) => (0..256).contains(count),
        Operand::Part(part) => part.name.eq_ignore_ascii_case("CL"),
        Operand::AddressOf(_) | Operand::Memory(_) => false,
    }
}

/// Whether the prefix `LOCK` may stand before it.
fn is_lockable(operation: &Operation<Address>) -> bool {
    match operation {
        Operation::Exchange(to, _)
        | Operation::ExchangeAdd { to, .. }
        | Operation::CompareExchange { to, .. }
        | Operation::Unary(_, to)
        | Operation::Binary {
            to,
            flags_only: false,
            ..
        } => matches!(to, Operand::Memory(_)),
        _ => false,
    }
}
