//! The registers of the two dialects of x86 tests.
//!
//! A register goes by one name whatever the width of an access: in an `X86` test `EAX`, in an
//! `X86_64` test `rax`, which `eax` is a part of. That is right as long as values fit both widths, and
//! the parser refuses numbers that do not. Parts of 8 and 16 bits, flags and the instruction pointer are not modelled.

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
    /// A register that is modelled.
    Register(Register),
    /// A register that is not.
    NotModelled,
    /// No register.
    Other,
}

/// The registers that have old names, in herd's order; `E` or `r` stands before them.
const OLD: [&str; 8] = ["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];
/// What is a register of both dialects, but not a general one.
const SPECIAL: [&str; 4] = ["EIP", "ZF", "SF", "CF"];

impl Architecture {
    /// The architecture with this name.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_uppercase().as_str() {
            "X86" => Some(Architecture::X86),
            "X86_64" => Some(Architecture::X86_64),
            _ => None,
        }
    }

    /// What `name`, which may begin with `%`, stands for.
    pub fn lookup(self, name: &str) -> Named {
        let bare = name.strip_prefix('%');
        let upper = bare.unwrap_or(name).to_ascii_uppercase();
        match (self.general(&upper), bare) {
            (Some(register), None) => Named::Register(register),
            (Some(register), Some(_)) if self == Architecture::X86_64 => Named::Register(register),
            // herd takes `%EAX` in an X86 test for a symbolic register, apart from EAX: a trap.
            (Some(_), Some(_)) => Named::NotModelled,
            (None, _) if self.is_special(&upper) => Named::NotModelled,
            (None, Some(_)) => Named::Register(symbolic(name)),
            (None, None) => Named::Other,
        }
    }

    /// The registers that are modelled, for messages.
    pub fn registers(self) -> &'static str {
        match self {
            Architecture::X86 => {
                "EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, and symbolic ones like %a"
            }
            Architecture::X86_64 => {
                "rax … rsp, r8 … r15, their 32-bit parts, and symbolic ones like %a"
            }
        }
    }

    fn general(self, upper: &str) -> Option<Register> {
        match self {
            Architecture::X86 => {
                let rank = old(upper.strip_prefix('E')?)?;
                Some(register(rank, format!("E{}", OLD[rank])))
            }
            Architecture::X86_64 => {
                let prefixed = upper.strip_prefix(['E', 'R']);
                if let Some(rank) = prefixed.and_then(old) {
                    return Some(register(
                        rank,
                        format!("r{}", OLD[rank].to_ascii_lowercase()),
                    ));
                }
                let number = upper.strip_prefix('R')?;
                let number = new(number.strip_suffix('D').unwrap_or(number))?;
                Some(register(number, format!("r{number}")))
            }
        }
    }

    fn is_special(self, upper: &str) -> bool {
        SPECIAL.contains(&upper) || self == Architecture::X86_64 && is_part(upper)
    }
}

fn register(rank: usize, name: String) -> Register {
    Register { rank, name }
}

/// A register that herd would choose; its name begins with `%`.
fn symbolic(name: &str) -> Register {
    register(usize::MAX, name.to_owned())
}

fn old(name: &str) -> Option<usize> {
    OLD.iter().position(|old| *old == name)
}

/// The number of one of the registers r8 … r15.
fn new(number: &str) -> Option<usize> {
    let value: usize = number
        .parse()
        .ok()
        .filter(|value| (8..16).contains(value))?;
    (number == value.to_string()).then_some(value)
}

/// Whether the name is that of 8 or 16 bits of a register, or of the instruction pointer.
fn is_part(upper: &str) -> bool {
    let numbered = upper
        .strip_prefix('R')
        .and_then(|rest| rest.strip_suffix(['W', 'B']));
    upper == "RIP"
        || old(upper).is_some()
        || upper.strip_suffix('L').and_then(old).is_some()
        || matches!(upper, "AL" | "BL" | "CL" | "DL" | "AH" | "BH" | "CH" | "DH")
        || numbered.and_then(new).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(architecture: Architecture, name: &str) -> String {
        match architecture.lookup(name) {
            Named::Register(register) => register.name,
            Named::NotModelled => "not modelled".to_owned(),
            Named::Other => "other".to_owned(),
        }
    }

    #[test]
    fn registers_go_by_one_name() {
        let wide = |text| name(Architecture::X86_64, text);
        assert_eq!(wide("rax"), "rax");
        assert_eq!(wide("%eax"), "rax");
        assert_eq!(wide("%R10D"), "r10");
        assert_eq!(wide("r8"), "r8");
        assert_eq!(wide("%tmp"), "%tmp");
        assert_eq!(wide("x"), "other");
        let narrow = |text| name(Architecture::X86, text);
        assert_eq!(narrow("eax"), "EAX");
        assert_eq!(narrow("%a"), "%a");
        assert_eq!(narrow("RAX"), "other");
    }

    #[test]
    fn parts_of_registers_are_not_modelled() {
        for part in [
            "al", "ax", "%ah", "sil", "r8w", "r15b", "rip", "eip", "zf", "%sp",
        ] {
            assert_eq!(name(Architecture::X86_64, part), "not modelled", "{part}");
        }
        for other in ["EIP", "CF", "%EAX"] {
            assert_eq!(name(Architecture::X86, other), "not modelled", "{other}");
        }
    }

    #[test]
    fn numbers_of_registers_have_no_leading_zeros() {
        assert_eq!(name(Architecture::X86_64, "r08"), "other");
        assert_eq!(name(Architecture::X86_64, "r16"), "other");
    }
}
