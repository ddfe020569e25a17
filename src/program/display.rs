//! Control-flow graphs as text, for golden tests and for debugging: one line per step. Conditions here have all
//! their parentheses and name locations by number; as text of the input language `logic` prints them.
//!
//! ```text
//! thread P
//!   0 cs: x = r + 1 -> 1
//!   1 (held): assume !(r < 2) -> end
//! ```

use std::fmt::{self, Display, Formatter, Write};

use crate::front::cup::ast::SpecKind;

use super::{
    Action, Background, Cond, Edge, Init, LocId, Location, Place, Program, Spec, Term, Thread,
    VarId,
};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for var in self.var_ids() {
            let init = match self.vars[var.index()].init {
                Init::Value(value) => value.to_string(),
                Init::Range(range) => {
                    let (low, high) = range.ends();
                    format!("{low}..{high}")
                }
                Init::Any => "*".to_owned(),
            };
            writeln!(f, "var {} = {init}", self.var_name(var))?;
        }
        for thread in &self.threads {
            self.fmt_thread(thread, f)?;
        }
        for spec in &self.specs {
            self.fmt_spec(spec, f)?;
        }
        Ok(())
    }
}

impl Program {
    /// An action as text.
    pub fn action_text(&self, action: &Action) -> String {
        let place = |place| self.place_text(place);
        let term = |term| self.term_text(term);
        match action {
            Action::Append(fifo, values) => {
                let values: Vec<String> = values.iter().map(term).collect();
                format!("append {} {}", fifo.name, values.join(", "))
            }
            Action::Pop(fifo) => format!("pop {}", fifo.name),
            Action::Skip => "skip".to_owned(),
            Action::Fence => "fence".to_owned(),
            Action::Assume(cond) => format!("assume {}", self.cond_text(cond)),
            Action::Assert(cond, _) => format!("assert {}", self.cond_text(cond)),
            Action::Assign(target, value) => format!("{} = {}", place(target), term(value)),
            Action::Havoc(target) => format!("{} = *", place(target)),
            Action::Choose(target, range) => {
                let (low, high) = range.ends();
                format!("{} = choose({low}, {high})", place(target))
            }
            Action::Load(target, source) => format!("{} = load {}", place(target), place(source)),
            Action::Store(target, value) => format!("store {} = {}", place(target), term(value)),
            Action::Cas(target, source, expected, new) => format!(
                "{} = cas({}, {}, {})",
                place(target),
                place(source),
                term(expected),
                term(new)
            ),
            Action::Swap(target, source, new) => {
                format!("{} = swap({}, {})", place(target), place(source), term(new))
            }
            Action::FetchAdd(target, source, by) => {
                let (target, source) = (place(target), place(source));
                format!("{target} = fetch_add({source}, {})", term(by))
            }
        }
    }

    /// A term as text.
    pub fn term_text(&self, term: &Term) -> String {
        match term {
            Term::Const(value) => value.to_string(),
            Term::Var(var) => self.var_name(*var),
            Term::Choice(index, elements) => {
                let elements = elements.iter().map(|element| self.term_text(element));
                choice_text(&self.term_text(index), elements)
            }
            Term::Neg(inner) => format!("-({})", self.term_text(inner)),
            Term::Binary(op, left, right) => {
                let op = op.symbol();
                format!("({} {op} {})", self.term_text(left), self.term_text(right))
            }
        }
    }

    /// A condition as text.
    pub fn cond_text(&self, cond: &Cond) -> String {
        match cond {
            Cond::Const(value) => value.to_string(),
            Cond::Not(inner) => format!("!({})", self.cond_text(inner)),
            Cond::And(left, right) => {
                format!("({} && {})", self.cond_text(left), self.cond_text(right))
            }
            Cond::Or(left, right) => {
                format!("({} || {})", self.cond_text(left), self.cond_text(right))
            }
            Cond::Compare(op, left, right) => {
                let op = op.symbol();
                format!("{} {op} {}", self.term_text(left), self.term_text(right))
            }
            Cond::At(thread, locations) => {
                let locations: Vec<String> =
                    locations.iter().map(|id| id.index().to_string()).collect();
                let thread = &self.threads[thread.index()].name;
                format!("{thread}@{{{}}}", locations.join(","))
            }
        }
    }

    fn place_text(&self, place: &Place) -> String {
        match place {
            Place::Var(var) => self.var_name(*var),
            Place::Choice(index, elements) => {
                let elements = elements.iter().map(|&var: &VarId| self.var_name(var));
                choice_text(&self.term_text(index), elements)
            }
        }
    }

    fn fmt_thread(&self, thread: &Thread, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "thread {} from {}",
            thread.name,
            location_text(thread, thread.entry)
        )?;
        for Background { entry, .. } in &thread.backgrounds {
            writeln!(f, "  background from {}", location_text(thread, *entry))?;
        }
        for (index, location) in thread.locations.iter().enumerate() {
            let heading = heading(thread, LocId::new(index), location);
            for edge in &location.edges {
                writeln!(f, "  {heading}: {}", self.edge_text(thread, edge))?;
            }
        }
        Ok(())
    }

    fn edge_text(&self, thread: &Thread, edge: &Edge) -> String {
        let mut text = String::new();
        if let Some(bounds) = &edge.bounds {
            let _ = write!(text, "[{}] ", self.cond_text(&bounds.cond));
        }
        let action = self.action_text(&edge.action);
        let _ = write!(text, "{action} -> {}", location_text(thread, edge.target));
        text
    }

    fn fmt_spec(&self, spec: &Spec, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match spec.kind {
            SpecKind::Invariant => "invariant",
            SpecKind::Forbid => "forbid",
            SpecKind::Finally => "finally",
        };
        write!(f, "{kind}: ")?;
        if let Some(bounds) = &spec.bounds {
            write!(f, "[{}] ", self.cond_text(&bounds.cond))?;
        }
        writeln!(f, "{}", self.cond_text(&spec.cond))
    }
}

fn heading(thread: &Thread, id: LocId, location: &Location) -> String {
    let mut heading = location_text(thread, id);
    for label in &location.labels {
        let _ = write!(heading, " {label}");
    }
    if location.held {
        heading.push_str(" (held)");
    }
    heading
}

fn location_text(thread: &Thread, id: LocId) -> String {
    match id == thread.end {
        true => "end".to_owned(),
        false => id.index().to_string(),
    }
}

fn choice_text(index: &str, elements: impl Iterator<Item = String>) -> String {
    let elements: Vec<String> = elements.collect();
    format!("{{{}}}[{index}]", elements.join(", "))
}
