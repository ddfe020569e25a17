//! Random programs of the machine: all instructions, widths and flags, two to four threads.

use super::machine::{Bits, Ins, Line, Machine, Op, Reg};
use super::print::{LOCATIONS, Locations};
use crate::support::random::Random;

const CONDITIONS: [&str; 31] = [
    "O", "NO", "B", "C", "NAE", "AE", "NB", "NC", "E", "Z", "NE", "NZ", "BE", "NA", "A", "NBE",
    "S", "NS", "P", "PE", "NP", "PO", "L", "NGE", "GE", "NL", "LE", "NG", "G", "NLE", "MP",
];

/// A program and its locations.
pub fn program(seed: u64) -> (Machine, Locations) {
    let mut draw = Draw {
        random: Random::new(seed),
        wide: seed % 2 == 1,
        locations: Locations {
            widths: [32, 32],
            element: 32,
        },
    };
    draw.locations = Locations {
        widths: [draw.width(), draw.width()],
        element: draw.width(),
    };
    let threads = 2 + draw.random.below(3);
    let longest = [6, 4, 3][threads - 2];
    let threads: Vec<Vec<Line>> = (0..threads).map(|_| draw.thread(longest)).collect();
    let registers = threads.iter().map(|_| draw.registers()).collect();
    let memory = (0..LOCATIONS)
        .map(|location| draw.value(draw.locations.bits(location)))
        .collect();
    let machine = Machine {
        wide: draw.wide,
        threads,
        registers,
        memory,
        buffered: true,
    };
    (machine, draw.locations)
}

/// Whether the last of these instructions that sets flags leaves none undefined, as far as jumps are not looked at.
fn defines_flags(lines: &[Line]) -> bool {
    let sets = |line: &Line| match line.ins {
        Ins::Xadd(..)
        | Ins::Cmpxchg(..)
        | Ins::Neg(_)
        | Ins::Add(..)
        | Ins::Sub(..)
        | Ins::And(..)
        | Ins::Or(..)
        | Ins::Xor(..)
        | Ins::Cmp(..)
        | Ins::Test(..) => Some(true),
        Ins::Shl(..) | Ins::Shr(..) => Some(false),
        _ => None,
    };
    lines.iter().rev().find_map(sets).unwrap_or(false)
}

/// The instruction with the low byte in place of a high one, if it needs the prefix REX, with which there are no high bytes.
fn encodable(mut line: Line) -> Line {
    let mut registers = registers(&mut line.ins);
    let needs_rex = registers
        .iter()
        .any(|reg| reg.number >= 8 || reg.bits == 64);
    for reg in &mut registers {
        reg.high &= !needs_rex;
    }
    line
}

fn registers(ins: &mut Ins) -> Vec<&mut Reg> {
    let (operands, plain): (Vec<&mut Op>, Option<&mut Reg>) = match ins {
        Ins::Mov(to, from)
        | Ins::Xchg(to, from)
        | Ins::Add(to, from)
        | Ins::Sub(to, from)
        | Ins::And(to, from)
        | Ins::Or(to, from)
        | Ins::Xor(to, from)
        | Ins::Cmp(to, from)
        | Ins::Test(to, from)
        | Ins::Shl(to, from)
        | Ins::Shr(to, from) => (vec![to, from], None),
        Ins::Movx(to, from, ..) => (vec![from], Some(to)),
        Ins::Xadd(to, from) | Ins::Cmpxchg(to, from) => (vec![to], Some(from)),
        Ins::Inc(to) | Ins::Dec(to) | Ins::Neg(to) | Ins::Not(to) => (vec![to], None),
        Ins::Jump(..) | Ins::Mfence | Ins::Sfence | Ins::Lfence | Ins::Nop | Ins::Endbr64 => {
            (Vec::new(), None)
        }
    };
    let operands = operands.into_iter().filter_map(|operand| match operand {
        Op::Reg(reg) => Some(reg),
        Op::Imm(_) | Op::Mem(..) => None,
    });
    operands.chain(plain).collect()
}

struct Draw {
    random: Random,
    wide: bool,
    locations: Locations,
}

impl Draw {
    fn width(&mut self) -> Bits {
        match self.wide {
            true => self.random.pick(&[8, 16, 32, 32, 64, 64]),
            false => self.random.pick(&[8, 16, 32, 32, 32]),
        }
    }

    /// A value with at most these bits, often one at the edge of something.
    fn value(&mut self, bits: Bits) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        let edge = 1_u64 << (bits - 1);
        let any = (self.random.below(1 << 30) as u64) << self.random.below(35);
        self.random
            .pick(&[0, 0, 1, 1, 2, 3, 0x80, edge, edge - 1, u64::MAX, any])
            & mask
    }

    /// A number that an instruction of this width can have.
    fn number(&mut self, bits: Bits, to_register: bool) -> i64 {
        let value = self.value(bits);
        let signed = (value << (64 - bits)) as i64 >> (64 - bits);
        match bits {
            64 if !to_register => i64::from(signed as i32),
            64 => signed,
            _ if self.random.one_in(2) => value as i64,
            _ => signed,
        }
    }

    fn registers(&mut self) -> [u64; 16] {
        let whole = if self.wide { 64 } else { 32 };
        let mut registers = [0; 16];
        for number in [0, 1, 2, 3, 8, 9] {
            if number < 4 || self.wide {
                registers[number] = self.value(whole);
            }
        }
        registers[6] = 1;
        registers
    }

    fn reg(&mut self, bits: Bits) -> Reg {
        let number = match self.wide {
            true => self.random.pick(&[0, 0, 1, 2, 3, 8, 9]),
            false => self.random.pick(&[0, 0, 1, 2, 3]),
        };
        Reg {
            number,
            bits,
            high: bits == 8 && number < 4 && self.random.one_in(3),
        }
    }

    fn memory(&mut self) -> (Op, Bits) {
        let location = self.random.pick(&[0, 0, 0, 1, 1, 2, 3]);
        let form = self.random.below(60) as u64;
        (Op::Mem(location, form), self.locations.bits(location))
    }

    /// A target, and its width.
    fn target(&mut self) -> (Op, Bits) {
        if self.random.one_in(2) {
            return self.memory();
        }
        let bits = self.width();
        (Op::Reg(self.reg(bits)), bits)
    }

    /// A target and a source, not both in memory.
    fn operands(&mut self, to_register: bool) -> (Op, Op, Bits) {
        let (to, bits) = self.target();
        let from = match to {
            Op::Reg(_) if self.random.one_in(3) => {
                let (memory, bits) = self.memory();
                return (Op::Reg(self.reg(bits)), memory, bits);
            }
            _ if self.random.one_in(2) => {
                let wide = to_register && matches!(to, Op::Reg(_));
                Op::Imm(self.number(bits, wide))
            }
            _ => Op::Reg(self.reg(bits)),
        };
        (to, from, bits)
    }

    fn thread(&mut self, longest: usize) -> Vec<Line> {
        let length = 1 + self.random.below(longest);
        let mut lines: Vec<Line> = Vec::new();
        while lines.len() < length {
            if lines.len() + 3 <= length && self.random.one_in(12) {
                self.wait(&mut lines);
                continue;
            }
            let line = encodable(self.line(lines.len(), length));
            // Most jumps ask for flags that are defined.
            let asks =
                matches!(line.ins, Ins::Jump(letters, _) if CONDITIONS[..30].contains(&letters));
            if asks && !defines_flags(&lines) && !self.random.one_in(20) {
                let line = encodable(self.binary());
                lines.push(line);
                continue;
            }
            lines.push(line);
        }
        lines
    }

    /// A loop that waits for a value.
    fn wait(&mut self, lines: &mut Vec<Line>) {
        let at = lines.len();
        let (memory, bits) = self.memory();
        let reg = Op::Reg(self.reg(bits));
        let number = Op::Imm(self.number(bits, false));
        let condition = self.random.pick(&CONDITIONS[..30]);
        let plain = |ins| Line {
            ins,
            bits,
            lock: false,
        };
        lines.push(plain(Ins::Mov(reg, memory)));
        lines.push(plain(Ins::Cmp(reg, number)));
        lines.push(plain(Ins::Jump(condition, at)));
    }

    fn line(&mut self, at: usize, length: usize) -> Line {
        let plain = |ins| Line {
            ins,
            bits: 32,
            lock: false,
        };
        let after = |random: &mut Random| at + 1 + random.below(length - at);
        match self.random.below(24) {
            0..=2 => {
                let (to, from, bits) = self.operands(true);
                Line {
                    bits,
                    ..plain(Ins::Mov(to, from))
                }
            }
            3 => self.extension(),
            4 | 5 => self.exchange(),
            6 => self.shift(),
            7..=9 => self.unary(),
            10..=15 => self.binary(),
            16..=19 => plain(Ins::Jump(
                self.random.pick(&CONDITIONS),
                after(&mut self.random),
            )),
            20 => {
                let zero = if self.wide && self.random.one_in(2) {
                    "RCXZ"
                } else {
                    "ECXZ"
                };
                plain(Ins::Jump(zero, after(&mut self.random)))
            }
            21 => plain(Ins::Mfence),
            _ => plain(self.random.pick(&[
                Ins::Mfence,
                Ins::Sfence,
                Ins::Lfence,
                Ins::Nop,
                Ins::Endbr64,
            ])),
        }
    }

    fn extension(&mut self) -> Line {
        let whole = if self.wide { 64 } else { 32 };
        let from = match self.random.one_in(2) {
            true => self.memory(),
            false => {
                let bits = self.width();
                (Op::Reg(self.reg(bits)), bits)
            }
        };
        let signed = self.random.one_in(2);
        let (from, source) = from;
        let too_wide = source >= whole || source == 32 && !signed;
        if too_wide {
            let to = Op::Reg(self.reg(source));
            return Line {
                ins: Ins::Mov(to, from),
                bits: source,
                lock: false,
            };
        }
        let wider = [16, 32, 64].into_iter();
        let wider: Vec<Bits> = wider
            .filter(|&bits| bits > source && bits <= whole)
            .filter(|&bits| source < 32 || bits == 64)
            .collect();
        let bits = self.random.pick(&wider);
        let to = Reg {
            high: false,
            ..self.reg(bits)
        };
        Line {
            ins: Ins::Movx(to, from, source, signed),
            bits: source,
            lock: false,
        }
    }

    fn exchange(&mut self) -> Line {
        let (to, bits) = self.target();
        let from = self.reg(bits);
        let in_memory = matches!(to, Op::Mem(..));
        let ins = match self.random.below(5) {
            0 if self.random.one_in(2) => Ins::Xchg(Op::Reg(from), to),
            0 => Ins::Xchg(to, Op::Reg(from)),
            1 | 2 => Ins::Xadd(to, from),
            _ => Ins::Cmpxchg(to, from),
        };
        Line {
            ins,
            bits,
            lock: in_memory && self.random.one_in(2),
        }
    }

    fn shift(&mut self) -> Line {
        let (to, bits) = self.target();
        let by_register = matches!(to, Op::Reg(_)) && self.random.one_in(2);
        let count = match by_register {
            true => Op::Reg(Reg {
                number: 2,
                bits: 8,
                high: false,
            }),
            false => Op::Imm(self.random.pick(&[1, 1, 1, 2, 3, 7, 8, 15, 17, 31])),
        };
        let ins = match self.random.one_in(2) {
            true => Ins::Shl(to, count),
            false => Ins::Shr(to, count),
        };
        Line {
            ins,
            bits,
            lock: false,
        }
    }

    fn unary(&mut self) -> Line {
        let (to, bits) = self.target();
        let ins = match self.random.below(4) {
            0 => Ins::Inc(to),
            1 => Ins::Dec(to),
            2 => Ins::Neg(to),
            _ => Ins::Not(to),
        };
        Line {
            ins,
            bits,
            lock: matches!(to, Op::Mem(..)) && self.random.one_in(2),
        }
    }

    fn binary(&mut self) -> Line {
        let (to, from, bits) = self.operands(false);
        let (ins, keeps) = match self.random.below(7) {
            0 => (Ins::Add(to, from), true),
            1 => (Ins::Sub(to, from), true),
            2 => (Ins::And(to, from), true),
            3 => (Ins::Or(to, from), true),
            4 => (Ins::Xor(to, from), true),
            5 => (Ins::Cmp(to, from), false),
            _ => (Ins::Test(to, from), false),
        };
        Line {
            ins,
            bits,
            lock: keeps && matches!(to, Op::Mem(..)) && self.random.one_in(2),
        }
    }
}
