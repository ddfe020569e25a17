//! Simple actions as text of the input language.

use super::text::{cond_text, term_text};
use super::{Action, Place, Program, Term};

/// An action as a statement, without its semicolon.
pub fn action_text(program: &Program, action: &Action) -> String {
    let place = |place: &Place| place_text(program, place);
    let term = |term: &Term| term_text(program, term);
    match action {
        Action::Append(fifo, values) => {
            let values: Vec<String> = values.iter().map(term).collect();
            format!("append({}, {})", fifo.name, values.join(", "))
        }
        Action::Pop(fifo) => format!("pop({})", fifo.name),
        Action::Skip => "skip".to_owned(),
        Action::Fence => "fence".to_owned(),
        Action::Assume(cond) => format!("assume({})", cond_text(program, cond)),
        Action::Assert(cond, property) => {
            let message = match &program.property(*property).name {
                None => String::new(),
                Some(message) => format!(", \"{message}\""),
            };
            format!("assert({}{message})", cond_text(program, cond))
        }
        Action::Assign(to, value) | Action::Store(to, value) => {
            format!("{} = {}", place(to), term(value))
        }
        Action::Havoc(to) => format!("{} = *", place(to)),
        Action::Choose(to, range) => {
            let (low, high) = range.ends();
            format!("{} = choose({low}, {high})", place(to))
        }
        Action::Load(to, from) => format!("{} = {}", place(to), place(from)),
        Action::Swap(to, on, new) => format!("{} = swap({}, {})", place(to), place(on), term(new)),
        Action::FetchAdd(to, on, difference) => {
            let difference = term(difference);
            format!("{} = fetch_add({}, {difference})", place(to), place(on))
        }
        Action::Cas(to, on, expected, new) => {
            let (expected, new) = (term(expected), term(new));
            format!("{} = cas({}, {expected}, {new})", place(to), place(on))
        }
    }
}

fn place_text(program: &Program, place: &Place) -> String {
    match place {
        Place::Var(var) => program.var_display_name(*var),
        Place::Choice(index, vars) => {
            let elements = vars.iter().map(|var| Term::Var(*var)).collect();
            term_text(program, &Term::Choice(Box::new(index.clone()), elements))
        }
    }
}
