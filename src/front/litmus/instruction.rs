//! x86 instructions as they are understood: operations on parts of registers, numbers and memory.
//!
//! `parse` makes them with [`Address`]es for memory, `resolve` puts the name of a location in place of each address,
//! and `sizes` gives each its width; `flags` and `code` read the result. Operands are in the order of neither
//! dialect but named. Not here: what an instruction does, which `code` says.

use crate::front::cup::ast::Span;

use super::condition::Condition;
use super::syntax::Register;

/// How many bits an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Word,
    /// 32 bits.
    Double,
    /// 64 bits.
    Quad,
}

/// A part of a register that has a name: all of it, its lowest bits, or bits 8 to 15.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// The register.
    pub register: Register,
    /// The width of the part.
    pub width: Width,
    /// The width of the register.
    pub whole: Width,
    /// Whether the part is bits 8 to 15, such as `AH`.
    pub high: bool,
    /// The name of the part.
    pub name: String,
}

/// An address as it is written: the sum of what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A location.
    pub symbol: Option<String>,
    /// Registers, each with its factor.
    pub registers: Vec<(Part, i64)>,
    /// A number of bytes.
    pub offset: i64,
    /// Whether it is written relative to the instruction pointer, which leaves no place for other registers.
    pub relative: bool,
    /// Where it stands.
    pub span: Span,
}

/// An operand; `M` is what stands for memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand<M = String> {
    /// A part of a register.
    Part(Part),
    /// A number.
    Number(i128),
    /// `$x`: the address of a location.
    AddressOf(String),
    /// What memory holds there.
    Memory(M),
}

/// An instruction where it stands, with the labels before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction<M = String, W = Width> {
    /// The labels.
    pub labels: Vec<String>,
    /// What it does.
    pub operation: Operation<M>,
    /// The width of what it does it with.
    pub width: W,
    /// Whether it has the prefix `LOCK`, or acts as if it had.
    pub locked: bool,
    /// How it is written, on one line.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What instructions do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation<M = String> {
    /// `MOV`
    Move {
        /// The target.
        to: Operand<M>,
        /// The source.
        from: Operand<M>,
    },
    /// `MOVZX`, `MOVSX`: from a narrow source, whose width is that of the instruction, to a wider register.
    Extend {
        /// The target.
        to: Part,
        /// The source.
        from: Operand<M>,
        /// Whether the sign is kept.
        signed: bool,
    },
    /// `XCHG`; only the first may be memory.
    Exchange(Operand<M>, Part),
    /// `XADD`
    ExchangeAdd {
        /// What is added to.
        to: Operand<M>,
        /// What is added, and receives the old value.
        from: Part,
    },
    /// `CMPXCHG`
    CompareExchange {
        /// What is compared and perhaps replaced.
        to: Operand<M>,
        /// What replaces it.
        from: Part,
        /// What it is compared with.
        accumulator: Part,
    },
    /// `INC`, `DEC`, `NEG`, `NOT`
    Unary(Unary, Operand<M>),
    /// `ADD`, `SUB`, `AND`, `OR`, `XOR`, and those that set flags alone.
    Binary {
        /// Which.
        op: Binary,
        /// The first operand.
        to: Operand<M>,
        /// The second.
        from: Operand<M>,
        /// Whether only flags are set: `CMP` is `SUB`, and `TEST` is `AND`, without its result.
        flags_only: bool,
    },
    /// `SHL`, `SHR`
    Shift {
        /// Whether to the left.
        left: bool,
        /// What is shifted.
        to: Operand<M>,
        /// By how much: a number, or the register CL.
        count: Operand<M>,
    },
    /// `JMP`, and those that jump if a condition holds.
    Jump(Option<Condition>, String),
    /// `JECXZ` and its kind: jumps if the register is zero.
    JumpIfZero(Part, String),
    /// `MFENCE`
    Fence,
    /// `SFENCE`
    StoreFence,
    /// `LFENCE`, `NOP`, `ENDBR64`: nothing that the models see.
    Nothing,
}

/// The operations with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `INC`
    Increment,
    /// `DEC`
    Decrement,
    /// `NEG`
    Negate,
    /// `NOT`
    Complement,
}

/// The operations with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `ADD`
    Add,
    /// `SUB`
    Sub,
    /// `AND`
    And,
    /// `OR`
    Or,
    /// `XOR`
    Xor,
}

impl Width {
    /// Its number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Width::Byte => 8,
            Width::Word => 16,
            Width::Double => 32,
            Width::Quad => 64,
        }
    }

    /// Its number of bytes.
    pub fn bytes(self) -> i64 {
        i64::from(self.bits() / 8)
    }

    /// The number with these bits, taken as a signed one, if the number has no more of them.
    pub fn fit(self, number: i128) -> Option<i64> {
        let range = -(1_i128 << (self.bits() - 1))..1_i128 << self.bits();
        range.contains(&number).then(|| self.wrap(number))
    }

    /// The lowest bits of a number, taken as a signed number.
    pub fn wrap(self, number: i128) -> i64 {
        let unused = 128 - self.bits();
        let wrapped = (number << unused) >> unused;
        i64::try_from(wrapped).expect("at most 64 bits are kept")
    }
}

impl Part {
    /// All of a register with this width.
    pub fn whole(register: &Register, width: Width) -> Part {
        Part {
            register: register.clone(),
            width,
            whole: width,
            high: false,
            name: register.name.clone(),
        }
    }

    /// Whether it is all of its register.
    pub fn is_whole(&self) -> bool {
        self.width == self.whole
    }

    /// Whether its register is a symbolic one, which takes the width of its instruction.
    pub fn is_symbolic(&self) -> bool {
        self.register.is_symbolic()
    }

    /// The same register with another width.
    #[must_use]
    pub fn with_width(&self, width: Width) -> Part {
        Part {
            width,
            ..self.clone()
        }
    }

    /// The value of the part where the register holds `whole`.
    pub fn extract(&self, whole: i64) -> i64 {
        let shift = if self.high { 8 } else { 0 };
        self.width.wrap(i128::from(whole >> shift))
    }

    /// What a register that holds `whole` holds when the part is set. A write of 32 bits clears the upper half of
    /// a register of 64; narrower ones keep the rest.
    pub fn insert(&self, whole: i64, value: i64) -> i64 {
        let shift = if self.high { 8 } else { 0 };
        let mask = ((1_i128 << self.width.bits()) - 1) << shift;
        let kept = match self.width {
            Width::Double | Width::Quad => 0,
            Width::Byte | Width::Word => i128::from(whole) & !mask,
        };
        self.whole.wrap(kept | (i128::from(value) << shift & mask))
    }
}

impl<M> Operation<M> {
    /// The operands, in order, that are neither labels nor implied.
    pub fn operands(&self) -> Vec<&Operand<M>> {
        match self {
            Operation::Move { to, from }
            | Operation::Binary { to, from, .. }
            | Operation::Shift {
                to, count: from, ..
            } => vec![to, from],
            Operation::Extend { from, .. } => vec![from],
            Operation::Exchange(to, _)
            | Operation::ExchangeAdd { to, .. }
            | Operation::CompareExchange { to, .. }
            | Operation::Unary(_, to) => vec![to],
            Operation::Jump(..)
            | Operation::JumpIfZero(..)
            | Operation::Fence
            | Operation::StoreFence
            | Operation::Nothing => Vec::new(),
        }
    }

    /// The registers that stand apart from the operands.
    pub fn parts(&self) -> Vec<&Part> {
        match self {
            Operation::Extend { to, .. } => vec![to],
            Operation::Exchange(_, from) | Operation::ExchangeAdd { from, .. } => vec![from],
            Operation::CompareExchange {
                from, accumulator, ..
            } => vec![from, accumulator],
            Operation::JumpIfZero(part, _) => vec![part],
            Operation::Move { .. }
            | Operation::Binary { .. }
            | Operation::Shift { .. }
            | Operation::Unary(..)
            | Operation::Jump(..)
            | Operation::Fence
            | Operation::StoreFence
            | Operation::Nothing => Vec::new(),
        }
    }

    /// The same with each operand and each register changed.
    pub fn map<N>(
        self,
        operand: &mut impl FnMut(Operand<M>) -> Operand<N>,
        part: &mut impl FnMut(Part) -> Part,
    ) -> Operation<N> {
        match self {
            Operation::Move { to, from } => Operation::Move {
                to: operand(to),
                from: operand(from),
            },
            Operation::Extend { to, from, signed } => Operation::Extend {
                to,
                from: operand(from),
                signed,
            },
            Operation::Exchange(to, from) => Operation::Exchange(operand(to), part(from)),
            Operation::ExchangeAdd { to, from } => Operation::ExchangeAdd {
                to: operand(to),
                from: part(from),
            },
            Operation::CompareExchange {
                to,
                from,
                accumulator,
            } => Operation::CompareExchange {
                to: operand(to),
                from: part(from),
                accumulator: part(accumulator),
            },
            Operation::Unary(op, to) => Operation::Unary(op, operand(to)),
            Operation::Binary {
                op,
                to,
                from,
                flags_only,
            } => Operation::Binary {
                op,
                to: operand(to),
                from: operand(from),
                flags_only,
            },
            Operation::Shift { left, to, count } => Operation::Shift {
                left,
                to: operand(to),
                count: operand(count),
            },
            Operation::Jump(condition, label) => Operation::Jump(condition, label),
            Operation::JumpIfZero(part, label) => Operation::JumpIfZero(part, label),
            Operation::Fence => Operation::Fence,
            Operation::StoreFence => Operation::StoreFence,
            Operation::Nothing => Operation::Nothing,
        }
    }

    /// The location in memory that is accessed; an instruction has at most one.
    pub fn memory(&self) -> Option<&M> {
        self.operands()
            .into_iter()
            .find_map(|operand| match operand {
                Operand::Memory(memory) => Some(memory),
                Operand::Part(_) | Operand::Number(_) | Operand::AddressOf(_) => None,
            })
    }

    /// Calls `f` with every part of a register that is used, addresses apart.
    pub fn visit_parts(&self, f: &mut impl FnMut(&Part)) {
        for operand in self.operands() {
            if let Operand::Part(part) = operand {
                f(part);
            }
        }
        self.parts().into_iter().for_each(f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(width: Width, high: bool) -> Part {
        Part {
            register: Register::symbolic("%a"),
            width,
            whole: Width::Quad,
            high,
            name: "%a".to_owned(),
        }
    }

    #[test]
    fn numbers_wrap_at_their_width() {
        assert_eq!(Width::Byte.fit(255), Some(-1));
        assert_eq!(Width::Byte.fit(-128), Some(-128));
        assert_eq!(Width::Byte.fit(256), None);
        assert_eq!(Width::Byte.fit(-129), None);
        assert_eq!(Width::Quad.fit(i128::from(u64::MAX)), Some(-1));
        assert_eq!(Width::Word.wrap(0x1_8000), -0x8000);
    }

    /// The rules of 64-bit mode: 32 bits clear the upper half, 8 and 16 keep the rest.
    #[test]
    fn parts_are_written_as_x86_does() {
        let all = 0x1122_3344_5566_7788_i64;
        let set = |width, high, value| part(width, high).insert(all, value);
        assert_eq!(set(Width::Byte, false, -1), 0x1122_3344_5566_77ff);
        assert_eq!(set(Width::Byte, true, -1), 0x1122_3344_5566_ff88);
        assert_eq!(set(Width::Word, false, -1), 0x1122_3344_5566_ffff);
        assert_eq!(set(Width::Double, false, -1), 0xffff_ffff);
        assert_eq!(set(Width::Quad, false, -1), -1);
        assert_eq!(part(Width::Byte, true).extract(all), 0x77);
        assert_eq!(part(Width::Byte, false).extract(all), -0x78);
    }
}
