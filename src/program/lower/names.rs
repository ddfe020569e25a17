//! The scalars and threads of a program, and what the names of its source stand for among them.

use indexmap::IndexMap;

use crate::front::cup::ast::{self, ThreadRef};
use crate::front::cup::symbols::{self, Meaning, Scope, Symbols, Variable, element_name};
use crate::program::{Fifo, FifoId, Init, ThreadId, Var, VarId};

/// The tables that lowering looks names up in.
pub(super) struct Names<'a> {
    symbols: &'a Symbols,
    instances: Vec<Instance<'a>>,
    ids: IndexMap<(Option<ThreadId>, String), VarId>,
    vars: Vec<Var>,
    fifos: Vec<Fifo>,
}

/// A thread of the program: a thread of the source, or one of its copies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance<'a> {
    /// The name of the thread in the source.
    pub text: &'a str,
    /// The number of the copy.
    pub copy: Option<usize>,
}

/// What a name stands for once it is known whose it is.
pub(super) enum Resolved {
    /// A constant.
    Constant(i64),
    /// A scalar, or an element of an array that is named as one.
    Scalar(VarId),
    /// An array: its elements.
    Array(Vec<VarId>),
}

impl<'a> Names<'a> {
    pub(super) fn new(symbols: &'a Symbols) -> Self {
        let instances = symbols.threads.iter().flat_map(|(text, thread)| {
            let copies: Vec<Option<usize>> = match thread.copies {
                Some(copies) => (0..copies).map(Some).collect(),
                None => vec![None],
            };
            copies.into_iter().map(move |copy| Instance { text, copy })
        });
        let mut names = Names {
            symbols,
            instances: instances.collect(),
            ids: IndexMap::new(),
            vars: Vec::new(),
            fifos: Vec::new(),
        };
        names.declare_all();
        names
    }

    /// The threads, by id.
    pub(super) fn instances(&self) -> &[Instance<'a>] {
        &self.instances
    }

    /// The tables of scalars and of FIFOs.
    pub(super) fn into_tables(self) -> (Vec<Var>, Vec<Fifo>) {
        (self.vars, self.fifos)
    }

    /// The FIFO with this name of a thread.
    pub(super) fn fifo(&self, owner: ThreadId, name: &str) -> Fifo {
        let mut fifos = self.fifos.iter();
        let fifo = fifos.find(|fifo| fifo.owner == owner && fifo.name == name);
        fifo.expect("the checks know every FIFO that is named")
            .clone()
    }

    /// Whether a variable is shared.
    pub(super) fn is_shared(&self, var: VarId) -> bool {
        self.vars[var.index()].owner.is_none()
    }

    /// The thread that a reference means.
    pub(super) fn thread(&self, reference: &ThreadRef) -> ThreadId {
        let copy = self.symbols.copy(reference);
        let position = self
            .instances
            .iter()
            .position(|instance| instance.text == reference.name.text && instance.copy == copy);
        ThreadId::new(position.expect("the checks know every thread that is named"))
    }

    /// What the name of `place` stands for, in the thread `here` or in a spec.
    pub(super) fn resolve(&self, here: Option<ThreadId>, place: &ast::Place) -> Resolved {
        let name = place.name.text.as_str();
        let scope = match &place.thread {
            Some(reference) => Some(self.thread(reference)),
            None => here.or_else(|| self.only_owner(name)),
        };
        let text = scope.map(|thread| self.instances[thread.index()].text);
        let meaning = self.symbols.meaning(text, name);
        match meaning.expect("the checks know every variable that is named") {
            Meaning::Constant(value) => Resolved::Constant(value),
            Meaning::Scalar(kind, name) => Resolved::Scalar(self.id(owner(kind, scope), name)),
            Meaning::Element(kind, array, index) => {
                Resolved::Scalar(self.id(owner(kind, scope), &element_name(array, index)))
            }
            Meaning::Array(kind, array, size) => {
                let elements = (0..size).map(|index| element_name(array, index));
                let owner = owner(kind, scope);
                Resolved::Array(elements.map(|name| self.id(owner, &name)).collect())
            }
        }
    }

    /// The thread that has a local of this name, if the name is not shared: specs may then leave
    /// the thread out.
    fn only_owner(&self, name: &str) -> Option<ThreadId> {
        if self.symbols.meaning(None, name).is_some() {
            return None;
        }
        let mut instances = self.instances.iter();
        let position = instances
            .position(|instance| self.symbols.meaning(Some(instance.text), name).is_some());
        position.map(ThreadId::new)
    }

    fn id(&self, owner: Option<ThreadId>, name: &str) -> VarId {
        self.ids[&(owner, name.to_owned())]
    }

    fn declare_all(&mut self) {
        let symbols = self.symbols;
        for (name, variable) in &symbols.shared {
            self.declare(None, name, variable);
        }
        for index in 0..self.instances.len() {
            let thread = &symbols.threads[self.instances[index].text];
            for (name, variable) in &thread.locals {
                self.declare(Some(ThreadId::new(index)), name, variable);
            }
            for (name, fifo) in &thread.fifos {
                self.declare_fifo(ThreadId::new(index), name, fifo);
            }
        }
    }

    fn declare(&mut self, owner: Option<ThreadId>, name: &str, variable: &Variable) {
        let Some(size) = variable.size else {
            self.declare_scalar(owner, name.to_owned(), name.to_owned(), variable.init[0]);
            return;
        };
        for (index, &init) in variable.init.iter().enumerate().take(size) {
            let printed = element_name(name, index);
            self.declare_scalar(owner, printed, format!("{name}[{index}]"), init);
        }
    }

    /// Enters a FIFO, whose views are locals.
    fn declare_fifo(&mut self, owner: ThreadId, name: &str, fifo: &symbols::Fifo) {
        let views = |names: Vec<String>| {
            let ids = names.iter().map(|view| self.id(Some(owner), view));
            ids.collect()
        };
        let fifo = Fifo {
            id: FifoId::new(self.fifos.len()),
            name: name.to_owned(),
            owner,
            length: self.id(Some(owner), &symbols::Fifo::length(name)),
            oldest: views(fifo.oldest(name)),
            newest: views(fifo.newest(name)),
        };
        self.fifos.push(fifo);
    }

    fn declare_scalar(
        &mut self,
        owner: Option<ThreadId>,
        name: String,
        display_name: String,
        init: Init,
    ) {
        let id = VarId::new(self.vars.len());
        self.ids.insert((owner, name.clone()), id);
        self.vars.push(Var {
            name,
            display_name,
            owner,
            init,
        });
    }
}

fn owner(kind: Scope, scope: Option<ThreadId>) -> Option<ThreadId> {
    match kind {
        Scope::Shared => None,
        Scope::Local => Some(scope.expect("a local belongs to a thread")),
    }
}
