//! Promela, for Spin.
//!
//! Each thread is a process, each location a label, each way (see [`super::steps`]) a `d_step` behind its guard: that
//! a `d_step` blocks can only be at its beginning, so it is exactly one step of the program. A property over states is a
//! process that can move only where the property is broken. All labels begin with `end`, since to wait for ever is no
//! error here. Names have prefixes, since Spin makes a C program of the model, with words of its own. Numbers of Promela
//! have 32 bits: what a program computes is checked against a range in which no expression of the program overflows; a
//! program with constants beyond it, or with arbitrary integers, is refused. A flush forgets the entry of the buffer that
//! it has freed, so that Spin has no more states than the model.

use std::fmt::Write;

use itertools::Itertools;

use crate::front::cup::ast::ArithOp;
use crate::program::{
    Action, EdgeId, Init, LocId, Place, Program, PropertyKind, Term, ThreadId, VarId,
};
use crate::reduce::BufferVars;

use super::expr::{Syntax, Writer};
use super::names::Names;
use super::range::{in_32_bits, stays};
use super::specs::{broken, located};
use super::steps::{End, Way};
use super::symbolic::{Symbolic, added, as_term};
use super::{Exported, Refused};

/// Most values of all choices of a way together.
const MOST_VALUES: i128 = 1024;

/// Spin has at most 255 processes; one of them may be `init`, and one looks at properties.
const MOST_PROCESSES: usize = 253;

const ANY_HINT: &str =
    "choose from a range, `choose(lo, hi)` or `= lo..hi`, or export to C or to Horn clauses";

/// What becomes of runs in which a buffer overflows.
const OVERFLOW: &str =
    "#ifdef CUT_OVERFLOW /* spin -DCUT_OVERFLOW -a: leave out runs in which a buffer overflows */
#define overflow_counts false
#else
#define overflow_counts true
#endif
hidden byte buffers_suffice;
";

/// The program in Promela.
pub(super) fn text(exported: Exported<'_>) -> Result<String, Refused> {
    let program = exported.program();
    let mut export = Promela {
        exported,
        program,
        names: Names::with_prefixes(program, &[], ["v_", "thread_"]),
        located: located(program),
        range: in_32_bits(exported)?,
        held: exported.rests_in_sections()?,
        out: String::new(),
    };
    export.check_processes()?;
    export.header();
    export.declarations()?;
    for thread in program.thread_ids() {
        export.thread(thread)?;
        export.backgrounds(thread)?;
    }
    export.monitor();
    export.init();
    Ok(export.out)
}

struct Promela<'a> {
    exported: Exported<'a>,
    program: &'a Program,
    names: Names,
    /// The threads whose location some property reads.
    located: Vec<bool>,
    /// Whether `held` says that a thread rests in an atomic section.
    held: bool,
    /// The greatest absolute value of a variable at which nothing overflows.
    range: i64,
    out: String,
}

impl Promela<'_> {
    fn check_processes(&self) -> Result<(), Refused> {
        let backgrounds: usize = self
            .program
            .threads
            .iter()
            .map(|thread| thread.backgrounds.len())
            .sum();
        if self.program.threads.len() + backgrounds > MOST_PROCESSES {
            let message = "more threads and flushes than Spin has processes";
            return Err(Refused::new(message, None, "export fewer threads"));
        }
        Ok(())
    }

    fn header(&mut self) {
        for line in self.exported.header() {
            let _ = writeln!(self.out, "/* {line} */");
        }
        let _ = writeln!(
            self.out,
            "/* Check with: spin -a FILE && gcc -O2 -DSAFETY -o pan pan.c && ./pan -m1000000\n   \
             No error means safe. Values have 32 bits: a failed assertion about {} says that one is too large. */",
            self.range
        );
    }

    /// All variables are global, since properties look at them.
    fn declarations(&mut self) -> Result<(), Refused> {
        for var in self.program.var_ids() {
            let start = match self.program.vars[var.index()].init {
                Init::Value(value) => value,
                Init::Range(range) => range.ends().0,
                Init::Any => {
                    let name = self.program.var_display_name(var);
                    let message = format!(
                        "`{name}` starts with an arbitrary integer, which Promela cannot tell"
                    );
                    return Err(Refused::new(message, None, ANY_HINT));
                }
            };
            let _ = writeln!(self.out, "int {} = {start};", self.names.var(var));
        }
        for thread in self
            .program
            .thread_ids()
            .filter(|thread| self.located[thread.index()])
        {
            let entry = self.program.threads[thread.index()].entry.index();
            let kind = match self.program.threads[thread.index()].locations.len() {
                ..=255 => "byte",
                256..=32767 => "short",
                _ => "int",
            };
            let _ = writeln!(
                self.out,
                "{kind} at_{} = {entry};",
                self.names.thread(thread)
            );
        }
        if self.held {
            self.out
                .push_str("bool held = false; /* a thread is in an atomic section */\n");
        }
        self.out.push_str("hidden int tmp;\n");
        if self.exported.reduction.overflow().is_some() {
            self.out.push_str(OVERFLOW);
        }
        Ok(())
    }

    /// The word before a process: it begins by itself unless `init` has something to choose before.
    fn process(&self, name: &str) -> String {
        match self.ranges().is_empty() {
            true => format!("active proctype {name}() {{\n"),
            false => format!("proctype {name}() {{\n"),
        }
    }

    fn thread(&mut self, thread: ThreadId) -> Result<(), Refused> {
        let head = self.process(self.names.thread(thread));
        let _ = write!(self.out, "\n{head}");
        let graph = &self.program.threads[thread.index()];
        let mut locations = self.exported.resting(thread)?;
        locations.sort_by_key(|location| *location != graph.entry);
        for location in locations {
            let labels = graph.location(location).labels.iter();
            let labels: String = labels.map(|label| format!(" /* {label} */")).collect();
            let _ = writeln!(self.out, "end{}:{labels}", location.index());
            let ways = self.exported.ways(thread, location)?;
            if ways.is_empty() {
                self.out.push_str("  false\n");
                continue;
            }
            self.out.push_str("  if\n");
            for way in &ways {
                let target = match way.end {
                    End::At(target) => target,
                    End::Breaks(..) => location,
                };
                self.way(thread, way, Some(target))?;
            }
            self.out.push_str("  fi;\n");
        }
        // The last `;` separates nothing.
        if self.out.ends_with(";\n") {
            self.out.truncate(self.out.len() - 2);
            self.out.push('\n');
        }
        self.out.push_str("}\n");
        Ok(())
    }

    fn backgrounds(&mut self, thread: ThreadId) -> Result<(), Refused> {
        let graph = &self.program.threads[thread.index()];
        for (number, background) in graph.backgrounds.iter().enumerate() {
            let head = self.process(&format!("step_{}_{number}", self.names.thread(thread)));
            let _ = write!(self.out, "\n{head}end:\n  do\n");
            for way in self.exported.ways(thread, background.entry)? {
                self.way(thread, &way, None)?;
            }
            self.out.push_str("  od\n}\n");
        }
        Ok(())
    }

    /// One alternative for each combination of the values that the way chooses.
    fn way(&mut self, thread: ThreadId, way: &Way, target: Option<LocId>) -> Result<(), Refused> {
        let mut ranges = Vec::new();
        let mut combinations: i128 = 1;
        for id in &way.edges {
            match &self.program.edge(*id).action {
                Action::Havoc(_) => {
                    let message = "an arbitrary integer, which Promela cannot tell";
                    return Err(Refused::new(message, self.exported.span(*id), ANY_HINT));
                }
                Action::Choose(_, range) => {
                    let (low, high) = range.ends();
                    combinations =
                        combinations.saturating_mul(i128::from(high) - i128::from(low) + 1);
                    if combinations > MOST_VALUES {
                        let message = format!("a choice among more than {MOST_VALUES} values");
                        let hint = "choose among fewer values, or export to C or to Horn clauses";
                        return Err(Refused::new(message, self.exported.span(*id), hint));
                    }
                    ranges.push(low..=high);
                }
                _ => {}
            }
        }
        if ranges.is_empty() {
            self.alternative(thread, way, target, &[]);
            return Ok(());
        }
        for values in ranges.into_iter().multi_cartesian_product() {
            self.alternative(thread, way, target, &values);
        }
        Ok(())
    }

    fn alternative(&mut self, thread: ThreadId, way: &Way, target: Option<LocId>, values: &[i64]) {
        let mut steps = self.guards(way, values);
        steps.extend(self.takes_or_leaves(thread, way));
        steps.extend(self.actions(way, values));
        steps.extend(self.emptied(way));
        if let End::Breaks(property, _) = &way.end {
            let fails = match self.program.property(*property).kind {
                PropertyKind::Overflow => "assert(buffers_suffice)",
                _ => "assert(false)",
            };
            steps.push(format!(
                "{fails} /* {} */",
                self.exported.property(*property)
            ));
        }
        if let Some(target) = target
            && self.located[thread.index()]
        {
            steps.push(format!(
                "at_{} = {}",
                self.names.thread(thread),
                target.index()
            ));
        }
        if steps.is_empty() {
            steps.push("skip".to_owned());
        }
        let goto = match target {
            Some(target) => format!("; goto end{}", target.index()),
            None => String::new(),
        };
        let comments = way.edges.iter().map(|id| self.exported.comment(*id));
        let comment = comments.unique().join(" | ");
        let _ = writeln!(
            self.out,
            "  :: d_step {{ {} }}{goto} /* {} */",
            steps.join("; "),
            comment
        );
    }

    /// What must hold for a way to be gone, over the values at its beginning.
    fn guards(&self, way: &Way, values: &[i64]) -> Vec<String> {
        let mut values = values.iter();
        let mut chosen = |_| {
            let value = values.next().expect("there is a value for each choice");
            self.writer(|writer| writer.constant(*value))
        };
        let start = self
            .program
            .var_ids()
            .map(|var| self.names.var(var).to_owned());
        let mut symbolic =
            Symbolic::new(self.program, Syntax::Promela, start.collect(), &mut chosen);
        let (last, before) = way.edges.split_last().expect("a way has an edge");
        before.iter().for_each(|id| symbolic.pass(*id));
        match &way.end {
            End::At(_) => symbolic.pass(*last),
            End::Breaks(property, cond) => symbolic.fail(*last, *property, cond),
        }
        if let End::Breaks(property, _) = &way.end
            && self.program.property(*property).kind == PropertyKind::Overflow
        {
            symbolic.guards.insert(0, "overflow_counts".to_owned());
        }
        if self.held && !self.begins_in_section(way) {
            symbolic.guards.insert(0, "!held".to_owned());
        }
        match symbolic.guards.is_empty() {
            true => Vec::new(),
            false => vec![symbolic.guard()],
        }
    }

    /// Whether the thread holds the section where the way begins; that of a `background` block begins outside.
    fn begins_in_section(&self, way: &Way) -> bool {
        let EdgeId { thread, at, .. } = way.edges[0];
        let graph = &self.program.threads[thread.index()];
        let background = graph.backgrounds.iter().any(|block| block.entry == at);
        graph.location(at).held && !background
    }

    /// What becomes of `held` along a way.
    fn takes_or_leaves(&self, thread: ThreadId, way: &Way) -> Option<String> {
        let End::At(target) = way.end else {
            return None;
        };
        let after = self.program.threads[thread.index()].location(target).held;
        let changes = self.held && after != self.begins_in_section(way);
        changes.then(|| format!("held = {after}"))
    }

    /// What the edges of a way do, one after the other; of an edge that breaks a property nothing.
    fn actions(&self, way: &Way, values: &[i64]) -> Vec<String> {
        let mut values = values.iter().copied();
        let edges = match way.end {
            End::At(_) => &way.edges[..],
            End::Breaks(..) => &way.edges[..way.edges.len() - 1],
        };
        edges
            .iter()
            .flat_map(|id| self.action(*id, &mut values))
            .collect()
    }

    /// Forgets the entry that a flush has taken out of its buffer. Nothing reads it again, but states that differ in
    /// such entries alone would be different states for Spin: very many of them.
    fn emptied(&self, way: &Way) -> Vec<String> {
        let counted_down = |count: VarId| {
            way.edges
                .iter()
                .any(|id| match &self.program.edge(*id).action {
                    Action::Assign(Place::Var(var), Term::Binary(ArithOp::Sub, ..)) => {
                        *var == count
                    }
                    _ => false,
                })
        };
        let buffers = self.exported.reduction.buffers().iter();
        let flushed = buffers.filter(|buffer| counted_down(buffer.count));
        let forget = |buffer: &BufferVars| {
            let count = self.names.var(buffer.count);
            let cases = buffer.slots.iter().enumerate().map(|(left, slot)| {
                let vars = slot.lhs.into_iter().chain([slot.value]);
                let cleared = vars.map(|var| format!("{} = 0", self.names.var(var)));
                format!(
                    ":: {count} == {left} -> {}",
                    cleared.collect::<Vec<_>>().join("; ")
                )
            });
            format!("if {} :: else fi", cases.collect::<Vec<_>>().join(" "))
        };
        flushed.map(forget).collect()
    }

    fn action(&self, id: EdgeId, values: &mut impl Iterator<Item = i64>) -> Vec<String> {
        self.writer(|w| {
            let set = |place: &Place, value: &str| self.set(w, place, value);
            match &self.program.edge(id).action {
                Action::Skip | Action::Fence | Action::Assume(_) | Action::Assert(..) => Vec::new(),
                Action::Append(..) | Action::Pop(_) => {
                    unreachable!("programs with FIFOs are refused")
                }
                Action::Havoc(_) => unreachable!("arbitrary integers are refused"),
                Action::Choose(place, _) => {
                    let value = values.next().expect("there is a value for each choice");
                    vec![set(place, &w.constant(value))]
                }
                Action::Assign(place, term) | Action::Store(place, term) => {
                    let mut steps = self.in_range(w, term);
                    steps.push(set(place, &w.term(term)));
                    steps
                }
                Action::Load(place, source) => vec![set(place, &w.term(&as_term(source)))],
                Action::Cas(place, target, expected, new) => {
                    let is = w.equal(&w.term(&as_term(target)), &w.term(expected));
                    let mut steps = self.in_range(w, new);
                    let (yes, no) = (set(place, &w.constant(1)), set(place, &w.constant(0)));
                    let new = set(target, &w.term(new));
                    steps.push(format!("if :: {is} -> {new}; {yes} :: else -> {no} fi"));
                    steps
                }
                Action::Swap(place, target, new) => {
                    let mut steps = self.in_range(w, new);
                    steps.push(format!("tmp = {}", w.term(&as_term(target))));
                    steps.push(set(target, &w.term(new)));
                    steps.push(set(place, "tmp"));
                    steps
                }
                Action::FetchAdd(place, target, difference) => {
                    let (old, new) = (as_term(target), added(target, difference));
                    let mut steps = self.in_range(w, &new);
                    steps.push(format!("tmp = {}", w.term(&old)));
                    steps.push(set(target, &w.term(&new)));
                    steps.push(set(place, "tmp"));
                    steps
                }
            }
        })
    }

    fn set(&self, writer: &Writer<'_>, place: &Place, value: &str) -> String {
        match place {
            Place::Var(var) => format!("{} = {value}", self.names.var(*var)),
            Place::Choice(index, vars) => {
                let index = writer.term(index);
                let cases = vars.iter().enumerate().map(|(number, var)| {
                    let is = writer.equal(&index, &number.to_string());
                    format!(":: {is} -> {} = {value}", self.names.var(*var))
                });
                format!("if {} fi", cases.collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// That a value which is computed stays in the range, unless it cannot leave it.
    fn in_range(&self, writer: &Writer<'_>, term: &Term) -> Vec<String> {
        if stays(term, self.range) {
            return Vec::new();
        }
        let (value, range) = (writer.term(term), self.range);
        vec![format!("assert({value} >= -{range} && {value} <= {range})")]
    }

    fn monitor(&mut self) {
        if self.program.specs.is_empty() {
            return;
        }
        let head = self.process("monitor");
        let _ = write!(
            self.out,
            "\n/* The properties of states */\n{head}end:\n  do\n"
        );
        for spec in &self.program.specs {
            let mut cond = self.writer(|writer| writer.cond(&broken(spec, self.program)));
            if self.held {
                cond = format!("(!held && {cond})");
            }
            let property = self.exported.property(spec.property);
            let _ = writeln!(
                self.out,
                "  :: d_step {{ {cond} -> assert(false) }} /* {property} */"
            );
        }
        self.out.push_str("  od\n}\n");
    }

    fn ranges(&self) -> Vec<(VarId, i64, i64)> {
        let of = |var: VarId| match self.program.vars[var.index()].init {
            Init::Range(range) => Some((var, range.ends().0, range.ends().1)),
            Init::Value(_) | Init::Any => None,
        };
        self.program.var_ids().filter_map(of).collect()
    }

    /// Chooses initial values, then lets all processes begin.
    fn init(&mut self) {
        let ranges = self.ranges();
        if ranges.is_empty() {
            return;
        }
        self.out.push_str("\ninit {\n  atomic {\n");
        for (var, low, high) in ranges {
            let _ = writeln!(
                self.out,
                "    select({} : {low} .. {high});",
                self.names.var(var)
            );
        }
        for thread in self.program.thread_ids() {
            let name = self.names.thread(thread).to_owned();
            let _ = writeln!(self.out, "    run {name}();");
            for number in 0..self.program.threads[thread.index()].backgrounds.len() {
                let _ = writeln!(self.out, "    run step_{name}_{number}();");
            }
        }
        if !self.program.specs.is_empty() {
            self.out.push_str("    run monitor();\n");
        }
        self.out.push_str("    skip\n  }\n}\n");
    }

    fn writer<T>(&self, with: impl FnOnce(&Writer<'_>) -> T) -> T {
        with(&Writer {
            syntax: Syntax::Promela,
            var: &|var| self.names.var(var).to_owned(),
            at: &|thread| format!("at_{}", self.names.thread(thread)),
        })
    }
}
