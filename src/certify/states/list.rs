//! Lists of states over the variables of a program, and as tables with names.

use indexmap::IndexSet;

use crate::certificate::{State, StateTable};
use crate::certify::describe;
use crate::certify::locations::{Locations, holders};
use crate::certify::rebuild::Rebuilt;
use crate::program::{LocId, Program, ThreadId};

/// Why a list of states makes no sense for a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// The threads are not those of the program.
    #[error("the states are about the threads `{found}`, but the program has `{wanted}`")]
    Threads {
        /// The names in the list.
        found: String,
        /// The names in the program.
        wanted: String,
    },
    /// A variable is unknown.
    #[error("the states name the variable `{0}`, which the reduced program does not have")]
    Variable(String),
    /// A variable has two columns.
    #[error("the states name the variable `{0}` twice")]
    Twice(String),
    /// A state makes no sense.
    #[error("state {state} {reason}")]
    State {
        /// Its number, from 1.
        state: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl ListError {
    /// An error about the state with this index.
    pub(super) fn state(index: usize, reason: impl Into<String>) -> Self {
        ListError::State {
            state: index + 1,
            reason: reason.into(),
        }
    }
}

/// The states of a table over all variables of the program; those that have no column are left out of all states. The
/// locations of each state are ones at which no thread holds the atomic section.
pub(super) fn resolve(program: &Program, table: &StateTable) -> Result<Vec<State>, ListError> {
    let threads: Vec<&str> = program.threads.iter().map(|t| t.name.as_str()).collect();
    if table.threads != threads {
        return Err(ListError::Threads {
            found: table.threads.join(" "),
            wanted: threads.join(" "),
        });
    }
    let columns = columns(program, &table.variables)?;
    let locations = Locations::of(program);
    let states = table.states.iter().enumerate();
    let states = states.map(|(index, state)| {
        check_state(program, &locations, state, &columns)
            .map_err(|reason| ListError::state(index, reason))?;
        let mut values = vec![None; program.vars.len()];
        for (&column, &value) in columns.iter().zip(&state.values) {
            values[column] = value;
        }
        Ok(State {
            at: state.at.clone(),
            values,
        })
    });
    states.collect()
}

/// The place of each named variable in the program's table.
fn columns(program: &Program, names: &[String]) -> Result<Vec<usize>, ListError> {
    let known: IndexSet<String> = program.var_ids().map(|var| program.var_name(var)).collect();
    assert_eq!(known.len(), program.vars.len(), "names are unique");
    let mut columns = IndexSet::new();
    for name in names {
        let column = known.get_index_of(name);
        let column = column.ok_or_else(|| ListError::Variable(name.clone()))?;
        if !columns.insert(column) {
            return Err(ListError::Twice(name.clone()));
        }
    }
    Ok(columns.into_iter().collect())
}

fn check_state(
    program: &Program,
    locations: &Locations<'_>,
    state: &State,
    columns: &[usize],
) -> Result<(), String> {
    let (found, wanted) = (state.values.len(), columns.len());
    if found != wanted {
        return Err(format!(
            "has {found} values, but {wanted} variables are named"
        ));
    }
    locations.check(&state.at)?;
    match holders(program, &state.at).next() {
        Some(thread) => {
            let name = &program.threads[thread.index()].display_name;
            Err(format!("has {name} hold the atomic section"))
        }
        None => Ok(()),
    }
}

/// The table of states over all variables of a program that was reduced anew: sorted, and each of them once.
pub(in crate::certify) fn table(
    rebuilt: &Rebuilt<'_>,
    states: &[State],
) -> Result<StateTable, ListError> {
    let program = &rebuilt.reduction.program;
    let names: Vec<String> = program.var_ids().map(|var| program.var_name(var)).collect();
    let mut states = states.to_vec();
    states.sort_unstable();
    states.dedup();
    let table = StateTable {
        comments: comments(rebuilt),
        threads: program.threads.iter().map(|t| t.name.clone()).collect(),
        variables: names,
        states,
    };
    resolve(program, &table)?;
    Ok(table)
}

/// What the table is, and where the numbered locations are in the source.
fn comments(rebuilt: &Rebuilt<'_>) -> Vec<String> {
    let program = &rebuilt.reduction.program;
    let title =
        "The states of `reduced.cup` between its atomic groups. Locations of threads by number:";
    let threads = program.thread_ids().map(|id| {
        let name = &program.threads[id.index()].name;
        let places: Vec<String> = places(rebuilt, id).collect();
        format!("{name}: {}", places.join(", "))
    });
    std::iter::once(title.to_owned()).chain(threads).collect()
}

/// The locations of a thread at which it does not hold the atomic section.
fn places<'a>(rebuilt: &'a Rebuilt<'_>, id: ThreadId) -> impl Iterator<Item = String> + 'a {
    let thread = &rebuilt.reduction.program.threads[id.index()];
    let locations = thread.locations.iter().enumerate();
    let free = locations.filter(|(_, location)| !location.held);
    free.map(|(number, _)| {
        let place = describe::location(rebuilt.source, thread, LocId::new(number));
        format!("{number} {place}")
    })
}
