//! A litmus test of herd for x86, so that an execution can be looked for on hardware.
//!
//! A test has no jumps and asks about final states. So the threads must be straight lines of loads, stores of numbers and
//! of locals, `swap`, fences and copies of locals, and the properties must be `finally`. The test is the source itself,
//! never a reduced program: hardware has store buffers of its own. It asks `exists` for what breaks a property.

use std::fmt::Write;

use crate::front::cup::ast::{CompareOp, SpecKind};
use crate::front::litmus::syntax::Architecture;
use crate::program::{Action, Cond, EdgeId, Init, Place, Program, Term, Thread, ThreadId, VarId};

use super::{Exported, Refused};

/// The registers of a thread, one for each local.
const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

/// The test of a program.
pub(super) fn text(exported: Exported<'_>) -> Result<String, Refused> {
    let litmus = Litmus {
        exported,
        program: &exported.reduction.source,
    };
    let mut columns = Vec::new();
    let mut notes = String::new();
    for (id, thread) in litmus.program.thread_ids().zip(&litmus.program.threads) {
        let instructions = litmus.instructions(id, thread, &mut notes)?;
        columns.push((format!("P{}", id.index()), instructions));
    }
    if columns.is_empty() {
        return Err(Refused::new(
            "a program without threads",
            None,
            "declare a thread",
        ));
    }
    let mut out = format!(
        "X86 {}\n(* {} *)\n{notes}",
        litmus.name(),
        comment(exported.file.name())
    );
    let _ = writeln!(out, "{{ {}}}", litmus.initial()?);
    table(&columns, &mut out);
    let _ = writeln!(out, "exists ({})", litmus.question()?);
    Ok(out)
}

struct Litmus<'a> {
    exported: Exported<'a>,
    program: &'a Program,
}

impl Litmus<'_> {
    /// The name of the file, as far as it can be the name of a test.
    fn name(&self) -> String {
        let file = self.exported.file.name();
        let base = file.rsplit('/').next().unwrap_or(file);
        let base = base.split('.').next().unwrap_or(base);
        let name: String = base
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "_-+".contains(*c))
            .collect();
        match name.is_empty() {
            true => "test".to_owned(),
            false => name,
        }
    }

    /// The steps of a thread one after the other, as instructions; a note for each says where it comes from.
    fn instructions(
        &self,
        id: ThreadId,
        thread: &Thread,
        notes: &mut String,
    ) -> Result<Vec<String>, Refused> {
        let mut instructions = Vec::new();
        let mut at = thread.entry;
        let mut passed = Vec::new();
        while at != thread.end {
            let edge_id = EdgeId {
                thread: id,
                at,
                number: 0,
            };
            let location = thread.location(at);
            if location.edges.len() != 1 || passed.contains(&at) {
                return Err(self.refused("a condition or a loop", edge_id));
            }
            if location.held || thread.location(location.edges[0].target).held {
                return Err(self.refused("an atomic section", edge_id));
            }
            passed.push(at);
            let edge = &location.edges[0];
            let made = self.instruction(&edge.action, edge_id)?;
            let _ = writeln!(
                notes,
                "(* P{}, {}: {} *)",
                id.index(),
                comment(&self.exported.source_comment(edge_id)),
                if made.is_empty() {
                    "nothing".to_owned()
                } else {
                    made.join("; ")
                }
            );
            instructions.extend(made);
            at = edge.target;
        }
        Ok(instructions)
    }

    fn instruction(&self, action: &Action, id: EdgeId) -> Result<Vec<String>, Refused> {
        let what = match action {
            Action::Skip => return Ok(Vec::new()),
            Action::Fence => return Ok(vec!["MFENCE".to_owned()]),
            Action::Assign(place, term) => {
                let (register, value) = (self.register(place, id)?, self.operand(term, id)?);
                return Ok(vec![format!("MOV {register},{value}")]);
            }
            Action::Load(place, source) => {
                let register = self.register(place, id)?;
                return Ok(vec![format!("MOV {register},{}", self.memory(source, id)?)]);
            }
            Action::Store(place, term) => {
                let value = self.operand(term, id)?;
                return Ok(vec![format!("MOV {},{value}", self.memory(place, id)?)]);
            }
            Action::Swap(place, target, new) => {
                let (register, value) = (self.register(place, id)?, self.operand(new, id)?);
                let exchange = format!("XCHG {},{register}", self.memory(target, id)?);
                return Ok(match value == register {
                    true => vec![exchange],
                    false => vec![format!("MOV {register},{value}"), exchange],
                });
            }
            Action::Assume(_) => "`assume`",
            Action::Assert(..) => "an assertion",
            Action::Havoc(_) | Action::Choose(..) => "a choice",
            Action::Cas(..) => "`cas`",
            Action::FetchAdd(..) => "`fetch_add`",
            Action::Append(..) | Action::Pop(_) => "a FIFO",
        };
        Err(self.refused(what, id))
    }

    fn register(&self, place: &Place, id: EdgeId) -> Result<String, Refused> {
        match place {
            Place::Var(var) => self
                .register_of(*var)
                .ok_or_else(|| self.refused("more than 6 locals of a thread", id)),
            Place::Choice(..) => Err(self.refused("an index that depends on variables", id)),
        }
    }

    /// The register of a local.
    fn register_of(&self, var: VarId) -> Option<String> {
        let owner = self.program.vars[var.index()].owner;
        let mut locals = self
            .program
            .var_ids()
            .filter(|other| self.program.vars[other.index()].owner == owner);
        let place = locals.position(|other| other == var)?;
        REGISTERS.get(place).map(|register| (*register).to_owned())
    }

    fn memory(&self, place: &Place, id: EdgeId) -> Result<String, Refused> {
        match place {
            Place::Var(var) => match self.shared(*var) {
                Some(name) => Ok(format!("[{name}]")),
                None => Err(self.refused("a location with the name of a register or a word", id)),
            },
            Place::Choice(..) => Err(self.refused("an index that depends on variables", id)),
        }
    }

    /// The name of a shared variable, unless it means something else in a test.
    fn shared(&self, var: VarId) -> Option<String> {
        let name = self.program.var_name(var);
        Architecture::X86.is_location(&name).then_some(name)
    }

    /// A number or a register.
    fn operand(&self, term: &Term, id: EdgeId) -> Result<String, Refused> {
        match term {
            Term::Const(value) if i32::try_from(*value).is_ok() => Ok(format!("${value}")),
            Term::Const(_) => Err(self.refused("a number of more than 32 bits", id)),
            Term::Var(var) => self.register(&Place::Var(*var), id),
            Term::Choice(..) | Term::Neg(_) | Term::Binary(..) => {
                Err(self.refused("a computed value", id))
            }
        }
    }

    fn initial(&self) -> Result<String, Refused> {
        let mut initial = String::new();
        for var in self.program.var_ids() {
            let Init::Value(value) = self.program.vars[var.index()].init else {
                let name = self.program.var_display_name(var);
                let message = format!(
                    "a litmus test cannot say that `{name}` starts with one of several values"
                );
                return Err(Refused::new(message, None, HINT));
            };
            if i32::try_from(value).is_err() {
                let name = self.program.var_display_name(var);
                let message = format!(
                    "a litmus test cannot say that `{name}` starts with a number of more than 32 bits"
                );
                return Err(Refused::new(message, None, HINT));
            }
            if self.program.vars[var.index()].owner.is_none() || value != 0 {
                let _ = write!(initial, "{}={value}; ", self.location(var)?);
            }
        }
        Ok(initial)
    }

    fn location(&self, var: VarId) -> Result<String, Refused> {
        match self.program.vars[var.index()].owner {
            None => self.shared(var).ok_or_else(|| {
                let name = self.program.var_name(var);
                let message = format!("a litmus test cannot have a location `{name}`: the name means something else there");
                Refused::new(message, None, "give the variable another name")
            }),
            Some(thread) => match self.register_of(var) {
                Some(register) => Ok(format!("{}:{register}", thread.index())),
                None => Err(Refused::new(
                    "a litmus test cannot have more than 6 locals of a thread",
                    None,
                    HINT,
                )),
            },
        }
    }

    /// What breaks a property.
    fn question(&self) -> Result<String, Refused> {
        let mut parts = Vec::new();
        for spec in &self.program.specs {
            let property = self.program.property(spec.property);
            let refused = |message: &str| {
                let span = self.program.statement(property.stmt).span;
                Refused::new(
                    format!("a litmus test cannot ask for {message}"),
                    Some(span),
                    HINT,
                )
            };
            if spec.kind != SpecKind::Finally || spec.bounds.is_some() {
                return Err(refused("states that are not final"));
            }
            let part = self
                .cond(&spec.cond, false)
                .ok_or_else(|| refused("this condition"))?;
            parts.push(part);
        }
        Ok(match parts.is_empty() {
            // Nothing can be broken.
            true => "false".to_owned(),
            false => parts.join(" \\/ "),
        })
    }

    /// A condition, or its negation if it is not `wanted`; nothing if it compares anything but equality with a number of
    /// 32 bits.
    fn cond(&self, cond: &Cond, wanted: bool) -> Option<String> {
        let both = |a: &Cond, b: &Cond, sign: &str| {
            Some(format!(
                "({} {sign} {})",
                self.cond(a, wanted)?,
                self.cond(b, wanted)?
            ))
        };
        match cond {
            Cond::Const(value) => Some((*value == wanted).to_string()),
            Cond::Not(inner) => self.cond(inner, !wanted),
            Cond::And(a, b) => both(a, b, if wanted { "/\\" } else { "\\/" }),
            Cond::Or(a, b) => both(a, b, if wanted { "\\/" } else { "/\\" }),
            Cond::Compare(op, Term::Var(var), Term::Const(value))
                if i32::try_from(*value).is_ok() =>
            {
                let equal = match op {
                    CompareOp::Eq => wanted,
                    CompareOp::Ne => !wanted,
                    CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => return None,
                };
                let is = format!("{}={value}", self.location(*var).ok()?);
                Some(if equal { is } else { format!("~({is})") })
            }
            Cond::Compare(..) | Cond::At(..) => None,
        }
    }

    fn refused(&self, what: &str, id: EdgeId) -> Refused {
        let span = self.program.statement(self.program.edge(id).stmt).span;
        Refused::new(
            format!("a litmus test cannot have {what}"),
            Some(span),
            HINT,
        )
    }
}

const HINT: &str =
    "litmus tests are straight lines of loads, stores, swaps and fences, with `finally` properties";

/// The columns of the threads.
fn table(columns: &[(String, Vec<String>)], out: &mut String) {
    let width = |(name, rows): &(String, Vec<String>)| {
        let rows = rows.iter().map(String::len);
        rows.chain([name.len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let height = columns
        .iter()
        .map(|(_, rows)| rows.len())
        .max()
        .unwrap_or(0);
    let mut line = |cells: Vec<&str>| {
        let cells = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(out, " {} ;", cells.collect::<Vec<_>>().join(" | "));
    };
    line(columns.iter().map(|(name, _)| name.as_str()).collect());
    for row in 0..height {
        line(
            columns
                .iter()
                .map(|(_, rows)| rows.get(row).map_or("", String::as_str))
                .collect(),
        );
    }
}

/// A text that ends no comment of herd and begins no other one.
fn comment(text: &str) -> String {
    text.replace("(*", "( *").replace("*)", "* )")
}
