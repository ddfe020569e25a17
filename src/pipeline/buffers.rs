//! The store buffers of a reduced program, as the abstraction forgets them.

use indexmap::IndexMap;

use crate::abstraction::Buffer;
use crate::program::{Program, VarId};
use crate::reduce::{Buffers, Layout};

/// The buffers that a layout names.
pub(super) fn of(program: &Program, layout: &Layout) -> Vec<Buffer> {
    let vars: IndexMap<String, VarId> = program
        .var_ids()
        .map(|var| (program.var_name(var), var))
        .collect();
    let mut all = Vec::new();
    for (thread, buffers) in &layout.threads {
        let local = |name: &String| vars[&format!("{thread}.{name}")];
        match buffers {
            Buffers::Tso(buffer) => {
                let slots = buffer.slots.iter();
                all.push(Buffer {
                    count: local(&buffer.count),
                    slots: slots
                        .map(|slot| vec![local(&slot.lhs), local(&slot.rhs)])
                        .collect(),
                });
            }
            Buffers::Pso(buffers) => all.extend(buffers.0.values().map(|buffer| Buffer {
                count: local(&buffer.count),
                slots: buffer.slots.iter().map(|slot| vec![local(slot)]).collect(),
            })),
        }
    }
    all
}
