//! The buffer variables of a reduced program, as extrapolation sees them.
//!
//! Input: the reduced program and the layout of its buffers. [`Slots`] says which variables may hold
//! a buffered value of which shared variable; that a thread has slots only for the variables that it
//! stores to is rule 5 (PSO) and rule 12 (TSO).

use indexmap::IndexMap;

use crate::program::{Program, VarId};
use crate::reduce::{Buffers, Layout};

/// The buffer variables of a reduced program.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// For each shared variable that some thread stores to: where its buffered values may be.
    pub values: IndexMap<VarId, Vec<VarId>>,
    /// The counters, each with the number of slots that it counts.
    pub counts: Vec<(VarId, usize)>,
    /// Under TSO, the variables that name what is in a slot, each with the possible numbers.
    pub names: Vec<(VarId, Vec<i64>)>,
    /// Slots of one buffer, the oldest first, with the shared variables that they may hold.
    pub rows: Vec<(Vec<VarId>, Vec<VarId>)>,
    /// The overflow flag.
    pub overflow: Option<VarId>,
}

impl Slots {
    /// The buffer variables that a layout names.
    pub fn new(program: &Program, layout: &Layout) -> Self {
        let vars: IndexMap<String, VarId> = program
            .var_ids()
            .map(|var| (program.var_name(var), var))
            .collect();
        let find = |name: &str| {
            *vars
                .get(name)
                .expect("the reduced program declares the variables of its layout")
        };
        let mut slots = Slots {
            overflow: layout.overflow.as_deref().map(find),
            ..Slots::default()
        };
        for (thread, buffers) in &layout.threads {
            let local = |name: &str| find(&format!("{thread}.{name}"));
            match buffers {
                Buffers::Pso(buffers) => {
                    for (scalar, buffer) in &buffers.0 {
                        let row: Vec<VarId> = buffer.slots.iter().map(|s| local(s)).collect();
                        slots.add_row(row, vec![find(scalar)], local(&buffer.count));
                    }
                }
                Buffers::Tso(buffer) => {
                    let numbers: Vec<i64> = buffer.scalars.values().copied().collect();
                    let names = buffer.slots.iter().map(|slot| local(&slot.lhs));
                    slots.names.extend(names.map(|lhs| (lhs, numbers.clone())));
                    let row = buffer.slots.iter().map(|slot| local(&slot.rhs)).collect();
                    let scalars = buffer.scalars.keys().map(|scalar| find(scalar)).collect();
                    slots.add_row(row, scalars, local(&buffer.count));
                }
            }
        }
        slots
    }

    /// Whether a variable holds a buffered value.
    pub fn is_buffered(&self, var: VarId) -> bool {
        self.rows.iter().any(|(row, _)| row.contains(&var))
    }

    fn add_row(&mut self, row: Vec<VarId>, scalars: Vec<VarId>, count: VarId) {
        self.counts.push((count, row.len()));
        for scalar in &scalars {
            self.values.entry(*scalar).or_default().extend(&row);
        }
        self.rows.push((row, scalars));
    }
}
