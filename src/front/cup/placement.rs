//! Which optional fences are in force.

use indexmap::IndexSet;

use super::ast::ItemKind;
use super::check::Checked;
use crate::memory::Model;

/// How the optional fences in force are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// By the program's `fences` line for the model.
    #[default]
    Declared,
    /// None of them.
    None,
    /// All of them.
    All,
    /// The named ones.
    Named(Vec<String>),
}

/// A placement names an optional fence that the program does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program has no optional fence `{name}`{}", known_places(.known))]
pub struct UnknownPlace {
    /// The name.
    pub name: String,
    /// The optional fences that there are.
    pub known: Vec<String>,
}

impl Placement {
    /// The names of the optional fences that are in force under `model`, in source order.
    pub fn in_force(
        &self,
        checked: &Checked,
        model: Model,
    ) -> Result<IndexSet<String>, UnknownPlace> {
        let all = optional_fences(checked);
        match self {
            Placement::Declared => Ok(declared(checked, model)),
            Placement::None => Ok(IndexSet::new()),
            Placement::All => Ok(all),
            Placement::Named(names) => match names.iter().find(|&name| !all.contains(name)) {
                Some(name) => Err(UnknownPlace {
                    name: name.clone(),
                    known: all.into_iter().collect(),
                }),
                None => Ok(all
                    .into_iter()
                    .filter(|name| names.contains(name))
                    .collect()),
            },
        }
    }
}

/// The names of all optional fences of a program, in source order.
pub fn optional_fences(checked: &Checked) -> IndexSet<String> {
    let threads = checked.symbols.threads.values();
    threads
        .flat_map(|thread| thread.optional_fences.keys().cloned())
        .collect()
}

fn declared(checked: &Checked, model: Model) -> IndexSet<String> {
    let placements = checked
        .tree
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Placement(placement) if placement.model == model => Some(placement),
            _ => None,
        });
    placements
        .flat_map(|placement| placement.places.iter().map(|name| name.text.clone()))
        .collect()
}

fn known_places(known: &[String]) -> String {
    match known {
        [] => "; it has none at all".to_owned(),
        names => format!("; it has {}", names.join(", ")),
    }
}
