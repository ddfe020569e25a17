//! A small x86 machine with store buffers, written from the instruction manuals.
//!
//! It knows nothing of Cupola: values are bits without a sign, flags are flags, and an instruction is carried out as the
//! *Operation* sections of the manuals say. A flag that they leave undefined is `None`, and a jump that asks for one ends
//! the comparison. An unlocked read-modify-write instruction is a load and, later, a store; a locked one waits for an
//! empty buffer and is one step. All interleavings are tried.

use std::collections::BTreeSet;

/// A width in bits: 8, 16, 32 or 64.
pub type Bits = u32;

/// A part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg {
    /// 0 is rax, then rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 …
    pub number: usize,
    pub bits: Bits,
    /// Bits 8 to 15.
    pub high: bool,
}

/// An operand; memory is a location and the form in which its address is written, which changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Reg(Reg),
    Imm(i64),
    Mem(usize, u64),
}

/// The instructions, all with Intel's order of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ins {
    Mov(Op, Op),
    /// Target, source, width of the source, whether the sign is kept.
    Movx(Reg, Op, Bits, bool),
    Xchg(Op, Op),
    Xadd(Op, Reg),
    Cmpxchg(Op, Reg),
    Inc(Op),
    Dec(Op),
    Neg(Op),
    Not(Op),
    Add(Op, Op),
    Sub(Op, Op),
    And(Op, Op),
    Or(Op, Op),
    Xor(Op, Op),
    Cmp(Op, Op),
    Test(Op, Op),
    Shl(Op, Op),
    Shr(Op, Op),
    /// The letters behind J, and the number of the instruction to go on with.
    Jump(&'static str, usize),
    Mfence,
    Sfence,
    Lfence,
    Nop,
    Endbr64,
}

/// An instruction with its width and its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub ins: Ins,
    pub bits: Bits,
    pub lock: bool,
}

/// A program: the lines of each thread, and the initial values.
#[derive(Clone, Debug)]
pub struct Machine {
    pub wide: bool,
    pub threads: Vec<Vec<Line>>,
    pub registers: Vec<[u64; 16]>,
    pub memory: Vec<u64>,
    pub buffered: bool,
}

/// The five flags that jumps ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Flags {
    zero: Option<bool>,
    sign: Option<bool>,
    parity: Option<bool>,
    carry: Option<bool>,
    overflow: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    at: usize,
    registers: [u64; 16],
    flags: Flags,
    /// What an unlocked instruction has loaded and not yet stored.
    loaded: Option<u64>,
    buffer: Vec<(usize, u64)>,
}

/// A state; final ones have all threads at their ends and empty buffers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    threads: Vec<Thread>,
    memory: Vec<u64>,
}

/// A final state: the registers of all threads, and memory.
pub type Final = (Vec<[u64; 16]>, Vec<u64>);

/// What all executions come to.
pub enum Answer {
    Finals(BTreeSet<Final>),
    /// A jump asks for an undefined flag.
    Undefined,
    /// There are too many states.
    TooMany,
}

/// One of the ways on from a state.
enum Next {
    State(State),
    Undefined,
}

fn mask(bits: Bits) -> u64 {
    u64::MAX >> (64 - bits)
}

fn top(value: u64, bits: Bits) -> bool {
    value >> (bits - 1) & 1 == 1
}

impl Thread {
    fn get(&self, reg: Reg) -> u64 {
        let shift = if reg.high { 8 } else { 0 };
        self.registers[reg.number] >> shift & mask(reg.bits)
    }

    fn set(&mut self, reg: Reg, value: u64) {
        let whole = &mut self.registers[reg.number];
        match (reg.bits, reg.high) {
            (64, _) => *whole = value,
            // In 64-bit mode the upper half is cleared; in 32-bit mode there is none.
            (32, _) => *whole = value & mask(32),
            (8, true) => *whole = *whole & !0xff00 | (value & 0xff) << 8,
            (bits, _) => *whole = *whole & !mask(bits) | value & mask(bits),
        }
    }

    fn load(&self, location: usize, memory: &[u64]) -> u64 {
        let own = self.buffer.iter().rev().find(|entry| entry.0 == location);
        own.map_or(memory[location], |entry| entry.1)
    }

    fn by_result(&mut self, result: u64, bits: Bits) {
        self.flags.zero = Some(result == 0);
        self.flags.sign = Some(top(result, bits));
        self.flags.parity = Some((result & 0xff).count_ones().is_multiple_of(2));
    }

    fn add(&mut self, left: u64, right: u64, bits: Bits) -> u64 {
        let sum = u128::from(left) + u128::from(right);
        let result = (sum as u64) & mask(bits);
        self.flags.carry = Some(sum > u128::from(mask(bits)));
        let same = top(left, bits) == top(right, bits);
        self.flags.overflow = Some(same && top(result, bits) != top(left, bits));
        self.by_result(result, bits);
        result
    }

    fn sub(&mut self, left: u64, right: u64, bits: Bits) -> u64 {
        let result = left.wrapping_sub(right) & mask(bits);
        self.flags.carry = Some(left < right);
        let same = top(left, bits) == top(right, bits);
        self.flags.overflow = Some(!same && top(result, bits) != top(left, bits));
        self.by_result(result, bits);
        result
    }

    fn logic(&mut self, result: u64, bits: Bits) -> u64 {
        self.flags.carry = Some(false);
        self.flags.overflow = Some(false);
        self.by_result(result, bits);
        result
    }

    fn shift(&mut self, left: bool, value: u64, count: u64, bits: Bits) -> u64 {
        let count = count & if bits == 64 { 0x3f } else { 0x1f };
        if count == 0 {
            return value;
        }
        let (mut result, mut out) = (value, false);
        for _ in 0..count {
            if left {
                out = top(result, bits);
                result = result << 1 & mask(bits);
            } else {
                out = result & 1 == 1;
                result >>= 1;
            }
        }
        self.flags.carry = (count < u64::from(bits)).then_some(out);
        let overflow = if left {
            top(result, bits) != out
        } else {
            top(value, bits)
        };
        self.flags.overflow = (count == 1).then_some(overflow);
        self.by_result(result, bits);
        result
    }

    /// Whether a condition holds, by the letters behind J; `None` if it is undefined.
    fn holds(&self, letters: &str) -> Option<bool> {
        let flags = self.flags;
        let less = || Some(flags.sign? != flags.overflow?);
        Some(match letters {
            "O" => flags.overflow?,
            "NO" => !flags.overflow?,
            "B" | "C" | "NAE" => flags.carry?,
            "AE" | "NB" | "NC" => !flags.carry?,
            "E" | "Z" => flags.zero?,
            "NE" | "NZ" => !flags.zero?,
            "BE" | "NA" => flags.carry? | flags.zero?,
            "A" | "NBE" => !(flags.carry? | flags.zero?),
            "S" => flags.sign?,
            "NS" => !flags.sign?,
            "P" | "PE" => flags.parity?,
            "NP" | "PO" => !flags.parity?,
            "L" | "NGE" => less()?,
            "GE" | "NL" => !less()?,
            "LE" | "NG" => flags.zero? | less()?,
            "G" | "NLE" => !(flags.zero? | less()?),
            "MP" => true,
            "ECXZ" => self.registers[2] & mask(32) == 0,
            "RCXZ" => self.registers[2] == 0,
            other => panic!("J{other}"),
        })
    }
}

impl Line {
    /// `XCHG` with memory is locked with and without the prefix.
    fn is_locked(&self) -> bool {
        self.lock || matches!(self.ins, Ins::Xchg(..))
    }

    /// The operand in memory, and whether it is read and written.
    fn memory(&self) -> Option<(usize, bool, bool)> {
        let location = |op: Op| match op {
            Op::Mem(location, _) => Some(location),
            Op::Reg(_) | Op::Imm(_) => None,
        };
        let (first, second, reads, writes) = match self.ins {
            Ins::Mov(to, from) => (to, from, false, true),
            Ins::Cmp(a, b) | Ins::Test(a, b) => (a, b, true, false),
            Ins::Movx(_, from, ..) => (from, from, true, false),
            Ins::Xchg(a, b) => (a, b, true, true),
            Ins::Xadd(to, _) | Ins::Cmpxchg(to, _) => (to, to, true, true),
            Ins::Inc(to) | Ins::Dec(to) | Ins::Neg(to) | Ins::Not(to) => (to, to, true, true),
            Ins::Add(to, from)
            | Ins::Sub(to, from)
            | Ins::And(to, from)
            | Ins::Or(to, from)
            | Ins::Xor(to, from)
            | Ins::Shl(to, from)
            | Ins::Shr(to, from) => (to, from, true, true),
            Ins::Jump(..) | Ins::Mfence | Ins::Sfence | Ins::Lfence | Ins::Nop | Ins::Endbr64 => {
                return None;
            }
        };
        match (location(first), location(second)) {
            (Some(location), _) => Some((location, reads, writes)),
            // A source is read; that of XCHG is written too.
            (None, Some(location)) => Some((location, true, matches!(self.ins, Ins::Xchg(..)))),
            (None, None) => None,
        }
    }

    /// Carries the instruction out on a thread, with `loaded` for what memory holds; what memory gets.
    fn run(&self, thread: &mut Thread, loaded: u64) -> u64 {
        let bits = self.bits;
        let get = |thread: &Thread, op: Op| match op {
            Op::Reg(reg) => thread.get(reg),
            Op::Imm(number) => (number as u64) & mask(bits),
            Op::Mem(..) => loaded,
        };
        let mut stored = loaded;
        let mut set = |thread: &mut Thread, op: Op, value: u64| match op {
            Op::Reg(reg) => thread.set(reg, value),
            Op::Mem(..) => stored = value,
            Op::Imm(_) => panic!("a number is no target"),
        };
        match self.ins {
            Ins::Mov(to, from) => {
                let value = get(thread, from);
                set(thread, to, value);
            }
            Ins::Movx(to, from, source, signed) => {
                let value = get(thread, from) & mask(source);
                let ones = if signed && top(value, source) {
                    !mask(source)
                } else {
                    0
                };
                thread.set(to, (value | ones) & mask(to.bits));
            }
            Ins::Xchg(a, b) => {
                let (left, right) = (get(thread, a), get(thread, b));
                set(thread, a, right);
                set(thread, b, left);
            }
            Ins::Xadd(to, from) => {
                let (left, right) = (get(thread, to), thread.get(from));
                let sum = thread.add(left, right, bits);
                thread.set(from, left);
                set(thread, to, sum);
            }
            Ins::Cmpxchg(to, from) => {
                let accumulator = Reg {
                    number: 0,
                    bits,
                    high: false,
                };
                let (old, expected) = (get(thread, to), thread.get(accumulator));
                thread.sub(expected, old, bits);
                if expected == old {
                    let new = thread.get(from);
                    set(thread, to, new);
                } else {
                    thread.set(accumulator, old);
                    set(thread, to, old);
                }
            }
            Ins::Inc(to) | Ins::Dec(to) => {
                let (carry, value) = (thread.flags.carry, get(thread, to));
                let result = match self.ins {
                    Ins::Inc(_) => thread.add(value, 1, bits),
                    _ => thread.sub(value, 1, bits),
                };
                thread.flags.carry = carry;
                set(thread, to, result);
            }
            Ins::Neg(to) => {
                let value = get(thread, to);
                let result = thread.sub(0, value, bits);
                set(thread, to, result);
            }
            Ins::Not(to) => {
                let value = !get(thread, to) & mask(bits);
                set(thread, to, value);
            }
            Ins::Add(to, from) => {
                let result = thread.add(get(thread, to), get(thread, from), bits);
                set(thread, to, result);
            }
            Ins::Sub(to, from) => {
                let result = thread.sub(get(thread, to), get(thread, from), bits);
                set(thread, to, result);
            }
            Ins::And(to, from) => {
                let result = thread.logic(get(thread, to) & get(thread, from), bits);
                set(thread, to, result);
            }
            Ins::Or(to, from) => {
                let result = thread.logic(get(thread, to) | get(thread, from), bits);
                set(thread, to, result);
            }
            Ins::Xor(to, from) => {
                let result = thread.logic(get(thread, to) ^ get(thread, from), bits);
                set(thread, to, result);
            }
            Ins::Cmp(a, b) => {
                thread.sub(get(thread, a), get(thread, b), bits);
            }
            Ins::Test(a, b) => {
                thread.logic(get(thread, a) & get(thread, b), bits);
            }
            Ins::Shl(to, count) | Ins::Shr(to, count) => {
                let by = match count {
                    Op::Reg(reg) => thread.get(reg),
                    Op::Imm(number) => number as u64,
                    Op::Mem(..) => panic!("a count is not in memory"),
                };
                let left = matches!(self.ins, Ins::Shl(..));
                let result = thread.shift(left, get(thread, to), by, bits);
                set(thread, to, result);
            }
            Ins::Jump(..) | Ins::Mfence | Ins::Sfence | Ins::Lfence | Ins::Nop | Ins::Endbr64 => {}
        }
        stored
    }
}

impl Machine {
    /// The first state.
    pub fn start(&self) -> State {
        let threads = self.registers.iter().map(|registers| Thread {
            at: 0,
            registers: *registers,
            flags: Flags::default(),
            loaded: None,
            buffer: Vec::new(),
        });
        State {
            threads: threads.collect(),
            memory: self.memory.clone(),
        }
    }

    /// All final states, if there are at most so many states.
    pub fn finals(&self, limit: usize) -> Answer {
        let mut seen = BTreeSet::from([self.start()]);
        let mut open = vec![self.start()];
        let mut finals = BTreeSet::new();
        while let Some(state) = open.pop() {
            if let Some(last) = self.final_state(&state) {
                finals.insert(last);
            }
            for thread in 0..self.threads.len() {
                for next in [
                    self.step(&state, thread),
                    self.flush(&state, thread).map(Next::State),
                ] {
                    match next {
                        Some(Next::Undefined) => return Answer::Undefined,
                        Some(Next::State(next)) if seen.insert(next.clone()) => open.push(next),
                        Some(Next::State(_)) | None => {}
                    }
                }
            }
            if seen.len() > limit {
                return Answer::TooMany;
            }
        }
        Answer::Finals(finals)
    }

    /// The final state that a state is, if it is one.
    pub fn final_state(&self, state: &State) -> Option<Final> {
        let mut threads = state.threads.iter().zip(&self.threads);
        let ended =
            threads.all(|(thread, lines)| thread.at == lines.len() && thread.buffer.is_empty());
        let registers = state.threads.iter().map(|thread| thread.registers);
        ended.then(|| (registers.collect(), state.memory.clone()))
    }

    /// The oldest buffered store reaches memory.
    pub fn flush(&self, state: &State, thread: usize) -> Option<State> {
        let mut next = state.clone();
        if next.threads[thread].buffer.is_empty() {
            return None;
        }
        let (location, value) = next.threads[thread].buffer.remove(0);
        next.memory[location] = value;
        Some(next)
    }

    /// Whether the next step of a thread, if there is one, does not access memory.
    pub fn is_local(&self, state: &State, thread: usize) -> bool {
        let line = self.threads[thread].get(state.threads[thread].at);
        line.is_some_and(|line| line.memory().is_none())
    }

    /// Whether the next instruction of a thread is a locked one.
    pub fn is_locked(&self, state: &State, thread: usize) -> bool {
        let line = self.threads[thread].get(state.threads[thread].at);
        line.is_some_and(Line::is_locked)
    }

    /// A step of a thread, which must not ask for an undefined flag.
    pub fn stepped(&self, state: &State, thread: usize) -> Option<State> {
        match self.step(state, thread)? {
            Next::State(state) => Some(state),
            Next::Undefined => None,
        }
    }

    fn step(&self, state: &State, thread: usize) -> Option<Next> {
        let line = self.threads[thread].get(state.threads[thread].at)?;
        let mut next = state.clone();
        let own = &mut next.threads[thread];
        let locked = line.is_locked();
        match line.memory() {
            None => {
                if line.ins == Ins::Mfence && !own.buffer.is_empty() {
                    return None;
                }
                line.run(own, 0);
                match line.ins {
                    Ins::Jump(letters, target) => match own.holds(letters) {
                        Some(true) => own.at = target,
                        Some(false) => own.at += 1,
                        None => return Some(Next::Undefined),
                    },
                    _ => own.at += 1,
                }
            }
            Some((location, true, true)) if locked => {
                if !own.buffer.is_empty() {
                    return None;
                }
                next.memory[location] = line.run(own, state.memory[location]);
                own.at += 1;
            }
            Some((location, true, true)) if own.loaded.is_none() => {
                own.loaded = Some(own.load(location, &state.memory));
            }
            Some((location, reads, true)) => {
                let loaded = own.loaded.take().filter(|_| reads).unwrap_or(0);
                let stored = line.run(own, loaded);
                own.at += 1;
                match self.buffered {
                    true => own.buffer.push((location, stored)),
                    false => next.memory[location] = stored,
                }
            }
            Some((location, _, false)) => {
                let loaded = own.load(location, &state.memory);
                line.run(own, loaded);
                own.at += 1;
            }
        }
        Some(Next::State(next))
    }
}
