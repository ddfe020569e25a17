//! What the names of a program of Memorax stand for, and the names of the program that it becomes.
//!
//! A global memory location becomes a shared variable, that of a process a shared variable with the process's
//! number behind its name, a register a local of its thread. Names stay as they are where the input language
//! allows it; elsewhere underscores are added until the name is no keyword and different from all others.

use indexmap::{IndexMap, IndexSet};

use crate::front::build::unused;
use crate::front::cup::ast::Name;
use crate::front::cup::suggest::closest;
use crate::source::Diagnostic;

use super::syntax::{
    Domain, Memory, MemoryKind, Model, Process, Statement, StatementKind, Variable,
};

/// A variable of the program.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// Its name there.
    pub name: String,
    /// The values that it may have.
    pub domain: Domain,
    /// Its initial value.
    pub initial: Option<i64>,
}

/// The names that all processes see.
pub(super) struct Names<'m> {
    /// The processes, each copy by itself.
    pub processes: Vec<&'m Process>,
    /// The global locations, in order.
    pub globals: IndexMap<&'m str, Declared>,
    /// The locations of the processes, by their owner's number.
    pub owned: IndexMap<(usize, &'m str), Declared>,
    taken: IndexSet<String>,
}

/// The names of a process.
pub(super) struct OwnNames<'m> {
    /// The registers, `$` and all.
    pub registers: IndexMap<&'m str, Declared>,
    /// The labels.
    pub labels: IndexMap<&'m str, String>,
    /// A local for values that are only compared, or not looked at.
    pub scratch: String,
}

impl<'m> Names<'m> {
    /// Names everything that processes share.
    pub(super) fn new(model: &'m Model, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let copies = |process: &'m Process| std::iter::repeat_n(process, process.copies);
        let processes: Vec<&Process> = model.processes.iter().flat_map(copies).collect();
        let threads = 0..processes.len();
        let mut names = Names {
            globals: IndexMap::new(),
            owned: IndexMap::new(),
            taken: threads.map(thread_name).collect(),
            processes,
        };
        twice(&model.data, diagnostics);
        for variable in &model.data {
            let name = variable.name.text.as_str();
            let declared = Declared::new(variable, unused(name, &mut names.taken));
            names.globals.insert(name, declared);
        }
        for (number, process) in names.processes.clone().into_iter().enumerate() {
            twice(&process.data, diagnostics);
            for variable in &process.data {
                let name = variable.name.text.as_str();
                let wanted = format!("{name}_{number}");
                let declared = Declared::new(variable, unused(&wanted, &mut names.taken));
                names.owned.insert((number, name), declared);
            }
        }
        names
    }

    /// Names the registers and labels of a process.
    pub(super) fn own(&self, number: usize, diagnostics: &mut Vec<Diagnostic>) -> OwnNames<'m> {
        let process = self.processes[number];
        let mut taken = self.taken.clone();
        twice(&process.registers, diagnostics);
        let mut registers = IndexMap::new();
        for variable in &process.registers {
            let name = variable.name.text.as_str();
            let own = unused(name.trim_start_matches('$'), &mut taken);
            registers.insert(name, Declared::new(variable, own));
        }
        let mut labels = Vec::new();
        collect_labels(&process.body, &mut labels);
        let mut names = IndexMap::new();
        let mut taken_labels = IndexSet::new();
        for label in labels {
            let text = label.text.as_str();
            if names.contains_key(text) {
                let message = format!("there are two labels `{text}` in this process");
                diagnostics.push(error(
                    label,
                    message,
                    "the second one",
                    "give each label a name of its own",
                ));
                continue;
            }
            names.insert(text, unused(text, &mut taken_labels));
        }
        OwnNames {
            registers,
            labels: names,
            scratch: unused("seen", &mut taken),
        }
    }

    /// The variable that a process means by the name of a memory location; for a pointer see
    /// [`Names::globals`].
    pub(super) fn memory<'n>(
        &'n self,
        process: usize,
        memory: &'n Memory,
    ) -> Result<&'n Declared, Diagnostic> {
        match &memory.kind {
            MemoryKind::Global(name) => self.global(process, name),
            MemoryKind::Own(name) => self.of_owner(process, name, memory),
            MemoryKind::Other(name, other) => {
                let owner = if *other < process {
                    *other
                } else {
                    other.saturating_add(1)
                };
                if owner >= self.processes.len() {
                    let others = self.processes.len() - 1;
                    let message = format!(
                        "process {process} has {others} others, and no number {other} among them"
                    );
                    let note = "the others are numbered from 0, the process itself left out; its own is `[my]`";
                    return Err(
                        Diagnostic::error(message, memory.span, "no such process").with_note(note)
                    );
                }
                self.of_owner(owner, name, memory)
            }
            MemoryKind::Pointer(_) => unreachable!("a pointer is taken apart before"),
        }
    }

    fn global(&self, process: usize, name: &Name) -> Result<&Declared, Diagnostic> {
        let found = self.globals.get(name.text.as_str());
        found.ok_or_else(|| {
            let message = format!("there is no global memory location `{}`", name.text);
            let own = self.owned.contains_key(&(process, name.text.as_str()));
            let known = closest(&name.text, self.globals.keys().copied());
            let note = match known {
                _ if own => format!("the process's own is `{}[my]`", name.text),
                Some(known) => format!("did you mean `{known}`?"),
                None => "declare it behind `data`, before the processes".to_owned(),
            };
            error(name, message, "unknown", &note)
        })
    }

    fn of_owner<'n>(
        &'n self,
        owner: usize,
        name: &'n Name,
        memory: &Memory,
    ) -> Result<&'n Declared, Diagnostic> {
        let found = self.owned.get(&(owner, name.text.as_str()));
        found.ok_or_else(|| {
            let message = format!(
                "process {owner} declares no memory location `{}`",
                name.text
            );
            let label = format!("this is that of process {owner}");
            let note = match self.globals.contains_key(name.text.as_str()) {
                true => format!("the global one is `{}`, without brackets", name.text),
                false => "declare it behind `data` in that process".to_owned(),
            };
            Diagnostic::error(message, memory.span, label).with_note(note)
        })
    }
}

impl Declared {
    fn new(variable: &Variable, name: String) -> Self {
        Declared {
            name,
            domain: variable.domain,
            initial: variable.initial,
        }
    }
}

/// The name of the thread of the process with this number.
pub(super) fn thread_name(number: usize) -> String {
    format!("P{number}")
}

/// The labels of statements, in order.
fn collect_labels<'m>(statements: &'m [Statement], labels: &mut Vec<&'m Name>) {
    for statement in statements {
        labels.extend(&statement.label);
        match &statement.kind {
            StatementKind::Locked(lists) | StatementKind::Either(lists) => {
                lists.iter().for_each(|list| collect_labels(list, labels));
            }
            StatementKind::Block(list) => collect_labels(list, labels),
            StatementKind::If(_, then, otherwise) => {
                collect_labels(std::slice::from_ref(then), labels);
                let otherwise = otherwise.as_deref();
                collect_labels(otherwise.map_or(&[], std::slice::from_ref), labels);
            }
            StatementKind::While(_, body) => collect_labels(std::slice::from_ref(body), labels),
            _ => {}
        }
    }
}

fn twice(variables: &[Variable], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = IndexSet::new();
    for variable in variables {
        let name = &variable.name;
        if !seen.insert(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            diagnostics.push(error(
                name,
                message,
                "the second one",
                "leave out one of them",
            ));
        }
    }
}

fn error(name: &Name, message: String, label: &str, note: &str) -> Diagnostic {
    Diagnostic::error(message, name.span, label).with_note(note)
}
