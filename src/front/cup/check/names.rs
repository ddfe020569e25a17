//! What a program declares: the symbol table, and the rules about names and sizes.

use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};

use super::evaluate::{Constants, empty_range};
use super::fifos;
use super::{MAX_SCALARS, MAX_SIZE};
use crate::front::cup::ast::{self, ConstDecl, Expr, ItemKind, Name, Span, Thread, Tree, VarDecl};
use crate::front::cup::range::Range;
use crate::front::cup::symbols::{Constant, Init, Symbols, ThreadSymbols, Variable, split_element};
use crate::source::Diagnostic;

/// What a program declares.
pub(super) struct Names {
    /// The symbol table; of names that are declared twice it has the first.
    pub symbols: Symbols,
    /// Constants without a value, which were complained about.
    pub broken: IndexSet<String>,
    /// The numbers of the items that are threads whose name was taken.
    duplicates: IndexSet<usize>,
}

impl Names {
    /// The threads whose names are their own.
    pub(super) fn threads<'t>(&self, tree: &'t Tree) -> impl Iterator<Item = &'t Thread> {
        let items = tree.items.iter().enumerate();
        items.filter_map(|(at, item)| match &item.kind {
            ItemKind::Thread(thread) if !self.duplicates.contains(&at) => Some(thread),
            ItemKind::Thread(_)
            | ItemKind::Const(_)
            | ItemKind::Shared(_)
            | ItemKind::Placement(_)
            | ItemKind::Spec(_) => None,
        })
    }
}

/// Collects all declarations.
pub(super) fn collect(tree: &Tree, found: &mut Vec<Diagnostic>) -> Names {
    let mut collector = Collector {
        constants: Constants::of(tree, found),
        symbols: Symbols::default(),
        broken: IndexSet::new(),
        sizes_known: true,
        globals: IndexMap::new(),
        duplicates: IndexSet::new(),
        found,
    };
    for (at, item) in tree.items.iter().enumerate() {
        match &item.kind {
            ItemKind::Const(constants) => collector.constants(constants),
            ItemKind::Shared(vars) => collector.shared(vars),
            ItemKind::Thread(thread) => collector.thread(at, thread),
            ItemKind::Placement(_) | ItemKind::Spec(_) => {}
        }
    }
    collector.locals(tree);
    collector.reserved_globals();
    collector.total();
    Names {
        symbols: collector.symbols,
        broken: collector.broken,
        duplicates: collector.duplicates,
    }
}

/// What a name of the outermost scope is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Global {
    Constant,
    Shared,
    Thread,
}

/// What a number in brackets counts.
#[derive(Clone, Copy)]
enum Counted {
    Elements,
    Copies,
}

impl Counted {
    fn in_words(self) -> &'static str {
        match self {
            Counted::Elements => "size",
            Counted::Copies => "number of copies",
        }
    }
}

struct Collector<'a> {
    constants: Constants<'a>,
    symbols: Symbols,
    broken: IndexSet<String>,
    /// Whether all sizes and numbers of copies are known.
    sizes_known: bool,
    /// Constants, shared variables and threads with the places where they are declared.
    globals: IndexMap<String, (Global, Span)>,
    duplicates: IndexSet<usize>,
    found: &'a mut Vec<Diagnostic>,
}

impl Collector<'_> {
    fn constants(&mut self, constants: &[ConstDecl]) {
        for constant in constants {
            let name = &constant.name;
            if !self.global(name, Global::Constant) {
                continue;
            }
            match self.constants.value(&name.text) {
                Some(value) => {
                    let span = name.span;
                    let constant = Constant { value, span };
                    self.symbols.constants.insert(name.text.clone(), constant);
                }
                None => _ = self.broken.insert(name.text.clone()),
            }
        }
    }

    fn shared(&mut self, vars: &[VarDecl]) {
        for var in vars {
            let variable = self.variable(var);
            if self.global(&var.name, Global::Shared) {
                self.symbols.shared.insert(var.name.text.clone(), variable);
            }
        }
    }

    fn thread(&mut self, at: usize, thread: &Thread) {
        let copies = thread.copies.as_ref();
        let copies = copies.map(|copies| self.size(copies, Counted::Copies));
        self.global(&thread.name, Global::Thread);
        if self.symbols.threads.contains_key(&thread.name.text) {
            self.duplicates.insert(at);
            return;
        }
        let symbols = ThreadSymbols {
            copies,
            ..ThreadSymbols::default()
        };
        self.symbols
            .threads
            .insert(thread.name.text.clone(), symbols);
    }

    /// Enters a name of the outermost scope; says whether it was free.
    fn global(&mut self, name: &Name, global: Global) -> bool {
        match self.globals.entry(name.text.clone()) {
            Entry::Vacant(entry) => {
                entry.insert((global, name.span));
                true
            }
            Entry::Occupied(entry) => {
                let (_, first) = *entry.get();
                self.found.push(declared_twice(name, first));
                false
            }
        }
    }

    /// Enters the locals of all threads, once all names of the outermost scope are known.
    fn locals(&mut self, tree: &Tree) {
        for (at, item) in tree.items.iter().enumerate() {
            if let ItemKind::Thread(thread) = &item.kind
                && !self.duplicates.contains(&at)
            {
                let mut locals = self.thread_locals(thread);
                let fifos = fifos::declare(thread, &mut locals, &self.globals_at(), self.found);
                if let Some(symbols) = self.symbols.threads.get_mut(&thread.name.text) {
                    symbols.locals = locals;
                    symbols.fifos = fifos;
                }
            }
        }
    }

    /// Where the names of the outermost scope are declared.
    fn globals_at(&self) -> IndexMap<String, Span> {
        let globals = self.globals.iter();
        globals
            .map(|(name, &(_, span))| (name.clone(), span))
            .collect()
    }

    fn thread_locals(&mut self, thread: &Thread) -> IndexMap<String, Variable> {
        let mut locals: IndexMap<String, Variable> = IndexMap::new();
        let vars = || thread.locals.iter().flat_map(|line| &line.vars);
        for var in vars() {
            let variable = self.variable(var);
            if let Some(first) = locals.get(&var.name.text) {
                self.found.push(declared_twice(&var.name, first.span));
                continue;
            }
            if let Some(&(global, first)) = self.globals.get(&var.name.text) {
                self.found.push(hides_global(&var.name, global, first));
            }
            locals.insert(var.name.text.clone(), variable);
        }
        for var in vars() {
            let owner = self
                .reserved_by_global(&var.name)
                .or_else(|| reserved_by_array(&locals, &var.name));
            self.found
                .extend(owner.map(|owner| reserved(&var.name, &owner.text, owner.span)));
        }
        locals
    }

    /// The shared array or replicated thread that has `name` for an element or a copy.
    fn reserved_by_global(&self, name: &Name) -> Option<Owner> {
        let (base, number) = split_element(&name.text)?;
        let &(_, span) = self.globals.get(base)?;
        let copies = self.symbols.threads.get(base).and_then(|t| t.copies);
        if copies.is_some_and(|copies| number < copies) {
            let text = format!("copy {number} of the thread `{base}`");
            return Some(Owner { text, span });
        }
        reserved_by_array(&self.symbols.shared, name)
    }

    /// Finds shared variables and threads that are called like an element or a copy.
    fn reserved_globals(&mut self) {
        let mut local_arrays: IndexMap<&str, &Variable> = IndexMap::new();
        for thread in self.symbols.threads.values() {
            let arrays = thread.locals.iter().filter(|(_, var)| var.size.is_some());
            for (name, array) in arrays {
                let known = local_arrays.entry(name).or_insert(array);
                if known.size < array.size {
                    *known = array;
                }
            }
        }
        let mut broken = Vec::new();
        for (text, &(_, span)) in &self.globals {
            let name = Name {
                text: text.clone(),
                span,
            };
            let local = || {
                let (base, number) = split_element(text)?;
                element_of(base, number, local_arrays.get(base)?)
            };
            let owner = self.reserved_by_global(&name).or_else(local);
            broken.extend(owner.map(|owner| reserved(&name, &owner.text, owner.span)));
        }
        self.found.extend(broken);
    }

    fn variable(&mut self, var: &VarDecl) -> Variable {
        let size = var.size.as_ref();
        let size = size.map(|size| self.size(size, Counted::Elements));
        Variable {
            size,
            init: self.init(var, size),
            span: var.name.span,
        }
    }

    /// A size or number of copies, brought into its limits if it breaks them. One that is not known is
    /// the largest, so that every index is in range.
    fn size(&mut self, number: &Expr, what: Counted) -> usize {
        let Some(value) = self.constants.evaluate(number, self.found) else {
            self.sizes_known = false;
            return MAX_SIZE;
        };
        let size = usize::try_from(value).unwrap_or(0);
        let what = what.in_words();
        let (message, label, note) = if value < 1 {
            (
                format!("a {what} is at least 1"),
                "this is too small",
                "leave out the brackets for a single variable or thread",
            )
        } else if size > MAX_SIZE {
            (
                format!("a {what} is at most {MAX_SIZE}"),
                "this is too large",
                "every element is a variable of its own, every copy a thread of its own",
            )
        } else {
            return size;
        };
        self.found
            .push(Diagnostic::error(message, number.span, label).with_note(note));
        size.clamp(1, MAX_SIZE)
    }

    fn init(&mut self, var: &VarDecl, size: Option<usize>) -> Vec<Init> {
        let length = size.unwrap_or(1);
        let (values, span) = match &var.init {
            None => return vec![Init::Value(0); length],
            Some(ast::Init::Any(_)) => return vec![Init::Any; length],
            Some(ast::Init::Value(value)) => return vec![self.initial(value); length],
            Some(ast::Init::Range(low, high)) => return vec![self.range(low, high); length],
            Some(ast::Init::List(values, span)) => (values, *span),
        };
        if size.is_none() {
            self.found.push(list_for_scalar(var, values.len(), span));
        } else if values.len() != length {
            self.found
                .push(list_length(var, values.len(), length, span));
        }
        let values: Vec<Init> = values.iter().map(|value| self.initial(value)).collect();
        let filled = values.into_iter().chain(std::iter::repeat(Init::Value(0)));
        filled.take(length).collect()
    }

    fn initial(&mut self, value: &Expr) -> Init {
        let value = self.constants.evaluate(value, self.found);
        Init::Value(value.unwrap_or(0))
    }

    fn range(&mut self, low: &Expr, high: &Expr) -> Init {
        let [least, greatest] = [low, high].map(|end| self.constants.evaluate(end, self.found));
        let (Some(least), Some(greatest)) = (least, greatest) else {
            return Init::Any;
        };
        match Range::new(least, greatest) {
            Some(range) => Init::within(range),
            None => {
                let ends = ((low.span, least), (high.span, greatest));
                self.found.push(empty_range(ends.0, ends.1));
                Init::Any
            }
        }
    }

    /// Checks the number of scalars.
    fn total(&mut self) {
        let scalars = |variables: &IndexMap<String, Variable>| -> usize {
            variables.values().map(|var| var.init.len()).sum()
        };
        let shared = scalars(&self.symbols.shared);
        let mut total = shared;
        let mut last = self.symbols.shared.values().next_back();
        for thread in self.symbols.threads.values() {
            total = total.saturating_add(scalars(&thread.locals) * thread.copies.unwrap_or(1));
            if total > MAX_SCALARS {
                last = thread.locals.values().next_back();
                break;
            }
        }
        let too_many = self.sizes_known && total > MAX_SCALARS;
        if let Some(last) = last.filter(|_| too_many) {
            self.found.push(too_many_scalars(last.span));
        }
    }
}

/// Who else a name belongs to.
struct Owner {
    text: String,
    span: Span,
}

fn reserved_by_array(variables: &IndexMap<String, Variable>, name: &Name) -> Option<Owner> {
    let (base, number) = split_element(&name.text)?;
    element_of(base, number, variables.get(base)?)
}

fn element_of(base: &str, number: usize, array: &Variable) -> Option<Owner> {
    array.size.filter(|&size| number < size).map(|_| Owner {
        text: format!("element {number} of the array `{base}`"),
        span: array.span,
    })
}

pub(super) fn declared_twice(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error(
        format!("`{}` is declared twice", name.text),
        name.span,
        "declared again here",
    )
    .with_secondary(first, "first declared here")
    .with_note("remove or rename one of the two")
}

fn hides_global(name: &Name, global: Global, first: Span) -> Diagnostic {
    let what = match global {
        Global::Constant => "a constant",
        Global::Shared => "a shared variable",
        Global::Thread => "a thread",
    };
    Diagnostic::error(
        format!("the local `{}` has the name of {what}", name.text),
        name.span,
        "this name is taken",
    )
    .with_secondary(first, format!("{what} since here"))
    .with_note("rename the local")
}

pub(super) fn reserved(name: &Name, owner: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        format!("`{}` is the name of {owner}", name.text),
        name.span,
        "this name is reserved",
    )
    .with_secondary(span, "declared here")
    .with_note(format!("choose another name than `{}`", name.text))
}

fn list_for_scalar(var: &VarDecl, count: usize, span: Span) -> Diagnostic {
    let name = &var.name.text;
    Diagnostic::error(
        format!("`{name}` is not an array"),
        span,
        "a list of initial values is for arrays",
    )
    .with_note(format!(
        "declare an array, `{name}[{count}] = …`, or give one value"
    ))
}

fn list_length(var: &VarDecl, count: usize, size: usize, span: Span) -> Diagnostic {
    let name = &var.name.text;
    Diagnostic::error(
        format!("the array `{name}` has {size} elements, its list has {count}"),
        span,
        format!("{size} values are expected"),
    )
    .with_secondary(var.name.span, "declared here")
    .with_note("give one value for each element, or a single value for all of them")
}

fn too_many_scalars(span: Span) -> Diagnostic {
    Diagnostic::error(
        format!("the program has more than {MAX_SCALARS} variables"),
        span,
        "array elements and the locals of all copies are counted",
    )
    .with_note("make arrays smaller or copies fewer")
}
