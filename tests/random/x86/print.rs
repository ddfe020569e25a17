//! Programs of the machine as litmus tests, in both dialects and in many spellings.

use super::machine::{Bits, Ins, Line, Machine, Op, Reg};

/// The locations: two of their own, and the elements of an array. Each has a width in bits.
#[derive(Clone, Debug)]
pub struct Locations {
    pub widths: [Bits; 2],
    pub element: Bits,
}

/// How many locations there are: `x`, `y`, `a[0]`, `a[1]`.
pub const LOCATIONS: usize = 4;
/// Their names.
pub const NAMES: [&str; LOCATIONS] = ["[x]", "[y]", "a[0]", "a[1]"];

impl Locations {
    /// The width of a location.
    pub fn bits(&self, location: usize) -> Bits {
        match location {
            0 | 1 => self.widths[location],
            _ => self.element,
        }
    }
}

/// The name of a register, without `%`.
pub fn register(reg: Reg, wide: bool) -> String {
    const OLD: [&str; 8] = ["ax", "bx", "cx", "dx", "si", "di", "bp", "sp"];
    let name = match (OLD.get(reg.number), reg.bits) {
        (Some(old), 64) => format!("r{old}"),
        (Some(old), 32) => format!("e{old}"),
        (Some(old), 16) => (*old).to_owned(),
        (Some(old), _) if reg.high => format!("{}h", &old[..1]),
        (Some(old), _) => format!("{}l", old.trim_end_matches('x')),
        (None, bits) => {
            let ending = match bits {
                64 => "",
                32 => "d",
                16 => "w",
                _ => "b",
            };
            format!("r{}{ending}", reg.number)
        }
    };
    if wide { name } else { name.to_uppercase() }
}

/// The text of a test, which shows all that `shown` names.
pub fn test(machine: &Machine, locations: &Locations, shown: &[String]) -> String {
    let (name, wide) = if machine.wide {
        ("X86_64", true)
    } else {
        ("X86", false)
    };
    let mut text = format!("{name} random\n{{\n");
    for (at, symbol) in ["x", "y"].into_iter().enumerate() {
        let bits = locations.widths[at];
        text += &format!("uint{bits}_t {symbol}={:#x};\n", machine.memory[at]);
    }
    let [first, second] = [machine.memory[2], machine.memory[3]];
    text += &format!("uint{}_t a[2]={{{first},{second}}};\n", locations.element);
    for (thread, registers) in machine.registers.iter().enumerate() {
        for (number, value) in registers.iter().enumerate() {
            let bits = if wide { 64 } else { 32 };
            let reg = Reg {
                number,
                bits,
                high: false,
            };
            let name = register(reg, wide);
            match number {
                4 => text += &format!("{thread}:{name}=x; "),
                5 => text += &format!("{thread}:{name}=a; "),
                _ if *value != 0 => text += &format!("{thread}:{name}={value:#x}; "),
                _ => {}
            }
        }
    }
    text += "\n}\n";
    let threads: Vec<String> = (0..machine.threads.len())
        .map(|at| format!("P{at}"))
        .collect();
    text += &format!("{} ;\n", threads.join(" | "));
    let longest = machine.threads.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..=longest {
        let cells = machine.threads.iter().map(|lines| {
            let label = if row <= lines.len() {
                format!("L{row}: ")
            } else {
                String::new()
            };
            let line = lines.get(row).map(|line| self::line(line, locations, wide));
            label + &line.unwrap_or_default()
        });
        text += &format!("{} ;\n", cells.collect::<Vec<_>>().join(" | "));
    }
    text + &format!("locations [{};]\nforall (true)\n", shown.join("; "))
}

fn line(line: &Line, locations: &Locations, wide: bool) -> String {
    let bits = line.bits;
    let op = |op: Op| operand(op, bits, locations, wide);
    let reg = |reg: Reg| op(Op::Reg(reg));
    let (name, operands) = match line.ins {
        Ins::Mov(to, from) => ("mov", vec![op(to), op(from)]),
        Ins::Movx(to, from, source, signed) => {
            let from = operand(from, source, locations, wide);
            let letters = |bits| if wide { letter(bits) } else { "" };
            let name = match (signed, source, wide) {
                (true, 32, _) => "movsxd".to_owned(),
                (true, _, true) => format!("movs{}{}", letters(source), letters(to.bits)),
                (false, _, true) => format!("movz{}{}", letters(source), letters(to.bits)),
                (true, ..) => "movsx".to_owned(),
                (false, ..) => "movzx".to_owned(),
            };
            return written(&name, vec![reg(to), from], wide);
        }
        Ins::Xchg(a, b) => ("xchg", vec![op(a), op(b)]),
        Ins::Xadd(to, from) => ("xadd", vec![op(to), reg(from)]),
        Ins::Cmpxchg(to, from) => ("cmpxchg", vec![op(to), reg(from)]),
        Ins::Inc(to) => ("inc", vec![op(to)]),
        Ins::Dec(to) => ("dec", vec![op(to)]),
        Ins::Neg(to) => ("neg", vec![op(to)]),
        Ins::Not(to) => ("not", vec![op(to)]),
        Ins::Add(to, from) => ("add", vec![op(to), op(from)]),
        Ins::Sub(to, from) => ("sub", vec![op(to), op(from)]),
        Ins::And(to, from) => ("and", vec![op(to), op(from)]),
        Ins::Or(to, from) => ("or", vec![op(to), op(from)]),
        Ins::Xor(to, from) => ("xor", vec![op(to), op(from)]),
        Ins::Cmp(to, from) => ("cmp", vec![op(to), op(from)]),
        Ins::Test(to, from) => ("test", vec![op(to), op(from)]),
        Ins::Shl(to, count) => ("shl", vec![op(to), op(count)]),
        Ins::Shr(to, count) => ("shr", vec![op(to), op(count)]),
        Ins::Jump(letters, target) => return format!("J{letters} L{target}"),
        Ins::Mfence => return "MFENCE".to_owned(),
        Ins::Sfence => return "SFENCE".to_owned(),
        Ins::Lfence => return "LFENCE".to_owned(),
        Ins::Nop => return "NOP".to_owned(),
        Ins::Endbr64 => return "ENDBR64".to_owned(),
    };
    let name = format!("{name}{}", if wide { letter(bits) } else { "" });
    let prefix = if line.lock { "lock " } else { "" };
    format!("{prefix}{}", written(&name, operands, wide))
}

/// AT&T writes the target last.
fn written(name: &str, mut operands: Vec<String>, wide: bool) -> String {
    if wide {
        operands.reverse();
        format!("{name} {}", operands.join(","))
    } else {
        format!("{} {}", name.to_uppercase(), operands.join(","))
    }
}

fn letter(bits: Bits) -> &'static str {
    match bits {
        8 => "b",
        16 => "w",
        32 => "l",
        _ => "q",
    }
}

fn operand(op: Op, bits: Bits, locations: &Locations, wide: bool) -> String {
    match op {
        Op::Reg(reg) if wide => format!("%{}", register(reg, wide)),
        Op::Reg(reg) => register(reg, wide),
        Op::Imm(number) => format!("${number}"),
        Op::Mem(location, form) if wide => wide_memory(location, form, locations),
        Op::Mem(location, form) => {
            let word = match (form % 3, bits) {
                (0, _) => "",
                (_, 8) => "byte ptr ",
                (_, 16) => "word ptr ",
                (_, 32) => "dword ptr ",
                _ => "qword ptr ",
            };
            format!("{word}{}", narrow_memory(location, form, locations))
        }
    }
}

fn wide_memory(location: usize, form: u64, locations: &Locations) -> String {
    let bytes = locations.element / 8;
    match (location, form % 5) {
        (0, 0) => "(x)".to_owned(),
        (0, 1) => "x(%rip)".to_owned(),
        (0, 2) => "(%rsi)".to_owned(),
        (0, _) => "0(%rsi)".to_owned(),
        (1, 0) => "[y]".to_owned(),
        (1, _) => "(y)".to_owned(),
        (2, 0) => "(a)".to_owned(),
        (2, _) => "(%rdi)".to_owned(),
        (_, 0) => format!("{bytes}(a)"),
        (_, 1) => format!("a+{bytes}(%rip)"),
        (_, 2) => format!("{bytes}(%rdi)"),
        // rbp is 1.
        (_, 3) => format!("(%rdi,%rbp,{bytes})"),
        (_, _) => format!("a(,%rbp,{bytes})"),
    }
}

fn narrow_memory(location: usize, form: u64, locations: &Locations) -> String {
    let bytes = locations.element / 8;
    match (location, form % 5) {
        (0, 0) => "[x]".to_owned(),
        (0, 1) => "(x)".to_owned(),
        (0, 2) => "[ESI]".to_owned(),
        (0, _) => "[ESI+0]".to_owned(),
        (1, _) => "[y]".to_owned(),
        (2, 0) => "[a]".to_owned(),
        (2, _) => "[EDI]".to_owned(),
        (_, 0) => format!("[a+{bytes}]"),
        (_, 1) => format!("[EDI+{bytes}]"),
        (_, 2) => format!("[EDI+EBP*{bytes}]"),
        (_, 3) => format!("[a+EBP*{bytes}]"),
        (_, _) => format!("[EDI+{}-{bytes}]", 2 * bytes),
    }
}
