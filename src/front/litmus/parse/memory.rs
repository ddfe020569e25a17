//! Operands in memory: the forms of addresses in both dialects.

use pest::iterators::Pair;

use super::super::instruction::{Address, Part, Width};
use super::super::registers::Named;
use super::{Reader, Rule, span_of};

impl Reader {
    /// An operand in memory; a word like `dword ptr` before it says its width.
    pub(super) fn memory(
        &mut self,
        memory: Pair<'_, Rule>,
        widths: &mut Vec<Width>,
    ) -> Option<Address> {
        let mut address = Address {
            symbol: None,
            registers: Vec::new(),
            offset: 0,
            relative: false,
            span: span_of(&memory),
        };
        for part in memory.into_inner() {
            match part.as_rule() {
                Rule::width => widths.push(named_width(&part)),
                Rule::outer => self.sum(part, &mut address)?,
                _ => self.inner(part, &mut address)?,
            }
        }
        Some(address)
    }

    fn inner(&mut self, inner: Pair<'_, Rule>, address: &mut Address) -> Option<()> {
        let form = inner.into_inner().next().expect("an address has a form");
        match form.as_rule() {
            Rule::sum => self.sum(form, address),
            _ => self.indexed(form, address),
        }
    }

    /// `x+EBX*4-8`
    fn sum(&mut self, sum: Pair<'_, Rule>, address: &mut Address) -> Option<()> {
        let mut sign = 1;
        for part in sum.into_inner() {
            match part.as_rule() {
                Rule::sign => sign = if part.as_str().trim() == "-" { -1 } else { 1 },
                _ => self.term(part, sign, address)?,
            }
        }
        Some(())
    }

    fn term(&mut self, term: Pair<'_, Rule>, sign: i64, address: &mut Address) -> Option<()> {
        let mut parts = term.into_inner();
        let first = parts.next().expect("a term is a number or a name");
        if first.as_rule() == Rule::number {
            return self.offset(&first, sign, address);
        }
        let factor = match parts.next() {
            Some(number) => self.factor(&number)?,
            None => 1,
        };
        self.named(&first, sign * factor, address)
    }

    /// `%rbx,%rcx,4` in AT&T's form.
    fn indexed(&mut self, indexed: Pair<'_, Rule>, address: &mut Address) -> Option<()> {
        let has_base = !indexed.as_str().trim_start().starts_with(',');
        let mut parts: Vec<Pair<'_, Rule>> = indexed.into_inner().collect();
        let scale = match parts.last().map(Pair::as_rule) {
            Some(Rule::number) => parts.pop(),
            _ => None,
        };
        let factor = match scale {
            Some(number) => self.factor(&number)?,
            None => 1,
        };
        for (at, part) in parts.iter().enumerate() {
            let is_base = has_base && at == 0;
            self.named(part, if is_base { 1 } else { factor }, address)?;
        }
        Some(())
    }

    fn offset(&mut self, number: &Pair<'_, Rule>, sign: i64, address: &mut Address) -> Option<()> {
        let value = self.number(number)?;
        let offset = i64::try_from(value).ok().and_then(|value| {
            let fits = i32::try_from(value).is_ok();
            fits.then(|| address.offset + sign * value)
        });
        match offset {
            Some(offset) => address.offset = offset,
            None => {
                let note = "an offset has 32 bits";
                self.error(
                    "this offset is too large",
                    span_of(number),
                    "too large",
                    note,
                );
                return None;
            }
        }
        Some(())
    }

    fn factor(&mut self, number: &Pair<'_, Rule>) -> Option<i64> {
        let value = self.number(number)?;
        match value {
            1 | 2 | 4 | 8 => i64::try_from(value).ok(),
            _ => {
                let note = "x86 has the factors 1, 2, 4 and 8";
                self.error(
                    "this is no factor of an index",
                    span_of(number),
                    "a factor",
                    note,
                );
                None
            }
        }
    }

    /// A register or a location in an address.
    fn named(&mut self, name: &Pair<'_, Rule>, factor: i64, address: &mut Address) -> Option<()> {
        match self.architecture.lookup(name.as_str()) {
            Named::InstructionPointer if factor == 1 && address.registers.is_empty() => {
                address.relative = true;
            }
            Named::Register(part) => return self.in_register(name, part, factor, address),
            Named::Other if factor == 1 && address.symbol.is_none() => {
                address.symbol = Some(name.as_str().to_owned());
            }
            _ => {
                let message = "this is not the form of an address";
                let note = "an address is a location or a register, perhaps an index in a register with a factor, and a number";
                self.error(message, span_of(name), "does not belong here", note);
                return None;
            }
        }
        Some(())
    }

    fn in_register(
        &mut self,
        name: &Pair<'_, Rule>,
        part: Part,
        factor: i64,
        address: &mut Address,
    ) -> Option<()> {
        if !part.is_whole() || address.relative || address.registers.len() == 2 || factor < 1 {
            let message = format!("`{}` is not part of an address", name.as_str());
            let note =
                "an address has at most two registers, whole ones, which are added, or rip alone";
            self.error(message, span_of(name), "in an address", note);
            return None;
        }
        address.registers.push((part, factor));
        Some(())
    }
}

fn named_width(width: &Pair<'_, Rule>) -> Width {
    let bits = width.clone().into_inner().next();
    let bits = bits
        .expect("a width is a word")
        .as_str()
        .to_ascii_uppercase();
    match bits.as_str() {
        "BYTE" => Width::Byte,
        "WORD" => Width::Word,
        "DWORD" => Width::Double,
        _ => Width::Quad,
    }
}
