//! The registers of the two dialects of x86 tests, and their parts.
//!
//! Input: a name. Output: what it stands for. `EAX`, `AX`, `AL` and `AH` are parts of one register, which goes by
//! the name of its widest part: `EAX` in an `X86` test, `rax` in an `X86_64` test. Flags and the instruction
//! pointer have names too, but are no operands.

use super::instruction::{Part, Width};
use super::syntax::Register;

/// The dialect of a test: registers, and the order of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// `X86`: 32 bits, Intel's order of operands, the target first.
    X86,
    /// `X86_64`: 64 bits, AT&T's order of operands, the target last.
    X86_64,
}

/// What a name stands for where a register may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A register that is modelled, or a part of it.
    Register(Part),
    /// The instruction pointer, to which addresses may be relative.
    InstructionPointer,
    /// A register that is not modelled.
    NotModelled,
    /// No register.
    Other,
}

/// The registers that have old names, in herd's order; `E` or `r` stands before them.
const OLD: [&str; 8] = ["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];
/// What is a register of both dialects, but no operand.
const SPECIAL: [&str; 6] = ["EIP", "ZF", "SF", "CF", "OF", "PF"];
/// Words of initial states and of conditions.
const WORDS: [&str; 24] = [
    "exists",
    "forall",
    "final",
    "filter",
    "locations",
    "observed",
    "with",
    "true",
    "false",
    "not",
    "unsigned",
    "signed",
    "char",
    "short",
    "int",
    "long",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
];

impl Architecture {
    /// The architecture with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_uppercase().as_str() {
            "X86" => Some(Architecture::X86),
            "X86_64" => Some(Architecture::X86_64),
            _ => None,
        }
    }

    /// The width of its registers.
    pub fn width(self) -> Width {
        match self {
            Architecture::X86 => Width::Double,
            Architecture::X86_64 => Width::Quad,
        }
    }

    /// What `name`, which may begin with `%`, stands for.
    pub fn lookup(self, name: &str) -> Named {
        let bare = name.strip_prefix('%');
        let upper = bare.unwrap_or(name).to_ascii_uppercase();
        match (self.general(&upper), bare) {
            (Some(part), None) => Named::Register(part),
            (Some(part), Some(_)) if self == Architecture::X86_64 => Named::Register(part),
            // herd takes `%EAX` in an X86 test for a symbolic register, apart from EAX: a trap.
            (Some(_), Some(_)) => Named::NotModelled,
            (None, _) if self == Architecture::X86_64 && upper == "RIP" => {
                Named::InstructionPointer
            }
            (None, _) if SPECIAL.contains(&upper.as_str()) => Named::NotModelled,
            (None, Some(_)) => Named::Register(self.symbolic(name)),
            (None, None) => Named::Other,
        }
    }

    /// Whether a name can be that of a location: it is none of a register, and no word of a test.
    pub fn is_location(self, name: &str) -> bool {
        self.lookup(name) == Named::Other && !WORDS.contains(&name)
    }

    /// The part of the accumulator, `EAX`, with this width.
    pub fn accumulator(self, width: Width) -> Part {
        self.old(0, width, false)
    }

    /// The part of the counter, `ECX`, with this width.
    pub fn counter(self, width: Width) -> Part {
        self.old(2, width, false)
    }

    /// The registers that are modelled, for messages.
    pub fn registers(self) -> &'static str {
        match self {
            Architecture::X86 => {
                "EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, their parts AX … SP, AL … DL, AH … DH, and symbolic ones like %a"
            }
            Architecture::X86_64 => {
                "rax … rsp, r8 … r15, their parts of 32, 16 and 8 bits, and symbolic ones like %a"
            }
        }
    }

    fn general(self, upper: &str) -> Option<Part> {
        if let Some(rank) = rank(upper) {
            return Some(self.old(rank, Width::Word, false));
        }
        if let Some(rank) = upper.strip_prefix('E').and_then(rank) {
            return Some(self.old(rank, Width::Double, false));
        }
        let letter = |suffix| upper.strip_suffix(suffix).filter(|rest| rest.len() == 1);
        let byte = |rest: &str| rank(&format!("{rest}X")).filter(|&rank| rank < 4);
        if let Some(rank) = letter('L').and_then(byte) {
            return Some(self.old(rank, Width::Byte, false));
        }
        if let Some(rank) = letter('H').and_then(byte) {
            return Some(self.old(rank, Width::Byte, true));
        }
        match self {
            Architecture::X86 => None,
            Architecture::X86_64 => self.wide(upper),
        }
    }

    /// The names that only 64-bit mode has.
    fn wide(self, upper: &str) -> Option<Part> {
        if let Some(rank) = upper
            .strip_suffix('L')
            .and_then(rank)
            .filter(|&rank| rank >= 4)
        {
            return Some(self.old(rank, Width::Byte, false));
        }
        let rest = upper.strip_prefix('R')?;
        if let Some(rank) = rank(rest) {
            return Some(self.old(rank, Width::Quad, false));
        }
        let (number, width) = match rest.as_bytes().last()? {
            b'D' => (&rest[..rest.len() - 1], Width::Double),
            b'W' => (&rest[..rest.len() - 1], Width::Word),
            b'B' | b'L' => (&rest[..rest.len() - 1], Width::Byte),
            _ => (rest, Width::Quad),
        };
        let number = numbered(number)?;
        let name = format!("r{number}");
        let ending = match width {
            Width::Byte => "b",
            Width::Word => "w",
            Width::Double => "d",
            Width::Quad => "",
        };
        Some(Part {
            name: format!("{name}{ending}"),
            register: Register { rank: number, name },
            width,
            whole: Width::Quad,
            high: false,
        })
    }

    /// A part of the register with an old name and this rank.
    fn old(self, rank: usize, width: Width, high: bool) -> Part {
        let word = OLD[rank];
        let name = match width {
            Width::Quad => format!("R{word}"),
            Width::Double => format!("E{word}"),
            Width::Word => word.to_owned(),
            Width::Byte if high => format!("{}H", &word[..1]),
            Width::Byte if rank < 4 => format!("{}L", &word[..1]),
            Width::Byte => format!("{word}L"),
        };
        let (name, whole) = match self {
            Architecture::X86 => (name, format!("E{word}")),
            Architecture::X86_64 => (
                name.to_ascii_lowercase(),
                format!("r{}", word.to_ascii_lowercase()),
            ),
        };
        Part {
            register: Register { rank, name: whole },
            width,
            whole: self.width(),
            high,
            name,
        }
    }

    /// A register that herd would choose; its name begins with `%`.
    fn symbolic(self, name: &str) -> Part {
        Part {
            register: Register::symbolic(name),
            width: self.width(),
            whole: self.width(),
            high: false,
            name: name.to_owned(),
        }
    }
}

fn rank(name: &str) -> Option<usize> {
    OLD.iter().position(|old| *old == name)
}

/// The number of one of the registers r8 … r15.
fn numbered(number: &str) -> Option<usize> {
    let value: usize = number
        .parse()
        .ok()
        .filter(|value| (8..16).contains(value))?;
    (number == value.to_string()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The register, the name and the bits of what `name` stands for.
    fn found(architecture: Architecture, name: &str) -> String {
        match architecture.lookup(name) {
            Named::Register(part) => {
                let high = if part.high { " high" } else { "" };
                let bits = part.width.bits();
                format!("{} {} {bits}{high}", part.register.name, part.name)
            }
            Named::InstructionPointer => "instruction pointer".to_owned(),
            Named::NotModelled => "not modelled".to_owned(),
            Named::Other => "other".to_owned(),
        }
    }

    #[test]
    fn parts_belong_to_their_register() {
        let wide = |text| found(Architecture::X86_64, text);
        assert_eq!(wide("rax"), "rax rax 64");
        assert_eq!(wide("%eax"), "rax eax 32");
        assert_eq!(wide("%ah"), "rax ah 8 high");
        assert_eq!(wide("%sil"), "rsi sil 8");
        assert_eq!(wide("%sp"), "rsp sp 16");
        assert_eq!(wide("%R10D"), "r10 r10d 32");
        assert_eq!(wide("r15w"), "r15 r15w 16");
        assert_eq!(wide("r15b"), "r15 r15b 8");
        assert_eq!(wide("r8"), "r8 r8 64");
        assert_eq!(wide("%tmp"), "%tmp %tmp 64");
        assert_eq!(wide("x"), "other");
        let narrow = |text| found(Architecture::X86, text);
        assert_eq!(narrow("eax"), "EAX EAX 32");
        assert_eq!(narrow("Bx"), "EBX BX 16");
        assert_eq!(narrow("DL"), "EDX DL 8");
        assert_eq!(narrow("CH"), "ECX CH 8 high");
        assert_eq!(narrow("%a"), "%a %a 32");
        assert_eq!(narrow("RAX"), "other");
        assert_eq!(narrow("SIL"), "other");
    }

    #[test]
    fn some_registers_are_no_operands() {
        for name in ["eip", "zf", "%cf"] {
            assert_eq!(found(Architecture::X86_64, name), "not modelled", "{name}");
        }
        assert_eq!(found(Architecture::X86_64, "%rip"), "instruction pointer");
        for name in ["EIP", "CF", "%EAX", "%AL"] {
            assert_eq!(found(Architecture::X86, name), "not modelled", "{name}");
        }
    }

    #[test]
    fn registers_and_words_are_no_locations() {
        let free = |name| Architecture::X86.is_location(name);
        assert!(free("x") && free("flag0") && free("RAX"));
        for name in ["EAX", "al", "cf", "exists", "int"] {
            assert!(!free(name), "{name}");
        }
        assert!(!Architecture::X86_64.is_location("rax"));
    }

    #[test]
    fn numbers_of_registers_have_no_leading_zeros() {
        for name in ["r08", "r16", "r7", "rd"] {
            assert_eq!(found(Architecture::X86_64, name), "other", "{name}");
        }
    }
}
