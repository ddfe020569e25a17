//! The rules of the reduction to SC with FIFOs of any length: exact, nothing overflows.
//!
//! **PSO**: thread `t0` has for each variable `X` that it stores to a FIFO `X_t0` of values.
//!
//! **TSO**: thread `t0` has one FIFO `buffer_t0` of *snapshots*: records with a field for every variable that the
//! thread stores to. A store appends the newest record (or memory, where there is none) with one field changed, a
//! flush writes the oldest record. For a variable that no other thread writes this is what the model does: the field of
//! a record is the value that memory has once all older records are flushed, so writing it again changes nothing.
//! For a variable `X` that others write too, a record has the field `no_X`, the number of the thread's stores to `X`
//! so far, and the local `done_X_t0` is the number of the last one flushed. So a record holds a store to `X` that
//! memory has not seen if and only if `no_X > done_X_t0`: then a flush writes `X`, and a load reads it. A mere flag
//! would not do, since younger records inherit it and the next flush would write `X` once more. Numbers
//! start anew when the FIFO is empty, so that they stay small.
//!
//! The idea is that of the single-buffer semantics of Abdulla, Atig, Chen, Leonardsson and Rezine (TACAS 2012).

use indexmap::{IndexMap, IndexSet};
use itertools::Itertools;

use super::build::Build;
use super::names::Names;
use super::rules::{FifoLocal, Flushing, Rules, Scalar, StoredIn};
use super::slots::BufferVars;
use crate::front::cup::ast::{ArithOp, CompareOp, Cond, Expr, Place, Rhs, Role, Stmt, StmtKind};
use crate::front::cup::symbols::Fifo;
use crate::program::{ThreadId, VarId};
#[cfg(test)]
use crate::run::wrong::{self, Wrong};

/// The FIFOs of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fifos(Vec<Queue>);

/// A FIFO.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Queue {
    name: String,
    /// How its parts are called.
    shape: Fifo,
    fields: Vec<Field>,
}

/// What an entry says of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    scalar: String,
    var: VarId,
    /// For a scalar that other threads write too.
    number: Option<Number>,
}

/// The numbering of a thread's stores to a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Number {
    /// The place of the number among the fields.
    field: usize,
    /// The local with the number of the last store that reached memory.
    done: String,
}

/// What the end of a FIFO that an entry is made from is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    /// The FIFO is empty: memory.
    Memory,
    /// The newest entry.
    Newest,
}

impl Fifos {
    /// One FIFO for each scalar.
    pub(super) fn of_values(scalars: Vec<Scalar>, thread: usize, names: &mut Names) -> Self {
        let queues = scalars.into_iter().map(|scalar| {
            let shape = shape(Vec::new());
            Queue {
                name: names.fresh_fifo(format!("{}_t{thread}", scalar.name), &shape),
                shape,
                fields: vec![Field {
                    scalar: scalar.name,
                    var: scalar.var,
                    number: None,
                }],
            }
        });
        Fifos(queues.collect())
    }

    /// One FIFO of snapshots; others write the scalars `contested`.
    pub(super) fn of_records(
        scalars: Vec<Scalar>,
        contested: &IndexSet<String>,
        thread: usize,
        names: &mut Names,
    ) -> Self {
        let mut own: IndexSet<String> = scalars.iter().map(|scalar| scalar.name.clone()).collect();
        let fields = scalars.into_iter().map(|scalar| {
            let number = contested.contains(&scalar.name).then(|| {
                let mut field = format!("no_{}", scalar.name);
                while own.contains(&field) {
                    field.push('_');
                }
                Number {
                    field: own.insert_full(field).0,
                    done: names.fresh(format!("done_{}_t{thread}", scalar.name)),
                }
            });
            Field {
                scalar: scalar.name,
                var: scalar.var,
                number,
            }
        });
        let fields = fields.collect();
        let shape = shape(own.into_iter().collect());
        Fifos(vec![Queue {
            name: names.fresh_fifo(format!("buffer_t{thread}"), &shape),
            shape,
            fields,
        }])
    }

    fn queue(&self, scalar: &str) -> Option<(&Queue, &Field)> {
        let mut queues = self.0.iter();
        queues.find_map(|queue| {
            let mut fields = queue.fields.iter();
            Some((queue, fields.find(|field| field.scalar == scalar)?))
        })
    }

    fn numbers(&self) -> impl Iterator<Item = &Number> {
        let fields = self.0.iter().flat_map(|queue| &queue.fields);
        fields.filter_map(|field| field.number.as_ref())
    }
}

/// A FIFO with these fields; where it is declared is not known yet.
fn shape(fields: Vec<String>) -> Fifo {
    Fifo {
        fields,
        span: crate::source::Span::default(),
    }
}

impl Rules for Fifos {
    fn holds(&self, scalar: &str) -> bool {
        self.queue(scalar).is_some()
    }

    fn store(&self, build: Build, scalar: &str, value: &Expr) -> (Option<Cond>, Vec<Stmt>) {
        let (queue, _) = self.queue(scalar).expect("stores go through a buffer");
        let append = |base| queue.append(build, base, scalar, value);
        let (first, later) = (append(Base::Memory), append(Base::Newest));
        if first.kind == later.kind {
            return (None, vec![first]);
        }
        let is_empty = build.test(&queue.length(), CompareOp::Eq, 0);
        let arms = vec![(is_empty, vec![first])];
        (None, vec![build.chain(arms, Some(vec![later]))])
    }

    fn load(&self, build: Build, scalar: &str, into: &Place) -> Stmt {
        let (queue, field) = self.queue(scalar).expect("loads of buffered scalars");
        let read = |source: &str| {
            let value = Rhs::Expr(build.var(source));
            vec![build.stmt(StmtKind::Assign(into.clone(), value))]
        };
        let position = queue.position(field);
        let newest = queue.shape.newest(&queue.name);
        let mut buffered = build.test(&queue.length(), CompareOp::Gt, 0);
        if let Some(number) = &field.number {
            let pending = pending(build, &newest[number.field], &number.done);
            buffered = build.and(buffered, pending);
        }
        let arms = vec![(buffered, read(&newest[position]))];
        build.chain(arms, Some(read(scalar)))
    }

    fn update_waits_for(&self, build: Build, scalar: &str) -> Option<Cond> {
        // Under TSO the one FIFO of the thread must be empty, whichever the scalar is.
        let records = self.0.iter().find(|queue| !queue.shape.fields.is_empty());
        let queue = records.or_else(|| Some(self.queue(scalar)?.0))?;
        Some(build.test(&queue.length(), CompareOp::Eq, 0))
    }

    fn flushes(&self, build: Build) -> Vec<Flushing> {
        let flush = |queue: &Queue| Flushing {
            what: match queue.shape.fields.is_empty() {
                true => format!("flush the oldest entry of {}", queue.fields[0].scalar),
                false => "flush the oldest entry".to_owned(),
            },
            stmts: queue.flush(build),
        };
        self.0.iter().map(flush).collect()
    }

    fn counters(&self) -> Vec<String> {
        self.0.iter().map(Queue::length).collect()
    }

    fn locals(&self) -> Vec<(String, Vec<&str>)> {
        let numbers: Vec<&str> = self.numbers().map(|number| number.done.as_str()).collect();
        match numbers.is_empty() {
            true => Vec::new(),
            false => vec![("the numbers of the last stores flushed".to_owned(), numbers)],
        }
    }

    fn fifos(&self) -> Vec<FifoLocal> {
        let queues = self.0.iter().map(|queue| {
            let scalars = queue.fields.iter().map(|field| &field.scalar);
            FifoLocal {
                name: queue.name.clone(),
                fields: queue.shape.fields.clone(),
                comment: format!("the buffer for {}", scalars.format(", ")),
            }
        });
        queues.collect()
    }

    fn stored(&self) -> Vec<StoredIn<'_>> {
        let queues = self.0.iter().flat_map(|queue| {
            let fields = queue.fields.iter();
            fields.map(move |field| StoredIn {
                fifo: &queue.name,
                var: field.var,
                field: queue.position(field),
                number: field.number.as_ref().map(|n| (n.field, n.done.as_str())),
            })
        });
        queues.collect()
    }

    fn vars(&self, _thread: ThreadId, added: &mut dyn Iterator<Item = VarId>) -> Vec<BufferVars> {
        // The slots of buffers: there are none.
        added.for_each(drop);
        Vec::new()
    }
}

/// That a store with this number has not reached memory.
fn pending(build: Build, number: &str, done: &str) -> Cond {
    build.compare(build.var(number), CompareOp::Gt, build.var(done))
}

impl Queue {
    fn length(&self) -> String {
        Fifo::length(&self.name)
    }

    /// The place of a field among those of an entry: the scalars come first.
    fn position(&self, field: &Field) -> usize {
        let mut fields = self.fields.iter();
        let position = fields.position(|other| other.scalar == field.scalar);
        position.expect("it is one of the fields")
    }

    /// `append(b, …);` for a store, from memory or from the newest entry.
    fn append(&self, build: Build, base: Base, scalar: &str, value: &Expr) -> Stmt {
        let newest = self.shape.newest(&self.name);
        let mut entry: IndexMap<usize, Expr> = IndexMap::new();
        for (position, field) in self.fields.iter().enumerate() {
            let stored = field.scalar == scalar;
            let kept = match base {
                Base::Memory => &field.scalar,
                Base::Newest => &newest[position],
            };
            let kept = if stored {
                value.clone()
            } else {
                build.var(kept)
            };
            entry.insert(position, kept);
            if let Some(number) = &field.number {
                let last = match base {
                    Base::Memory => &number.done,
                    Base::Newest => &newest[number.field],
                };
                let count = match stored {
                    true => build.one_off(ArithOp::Add, last),
                    false => build.var(last),
                };
                entry.insert(number.field, count);
            }
        }
        entry.sort_unstable_keys();
        let values = entry.into_values().collect();
        build.stmt(StmtKind::Append(build.name(&self.name), values))
    }

    /// The oldest entry goes to memory.
    fn flush(&self, build: Build) -> Vec<Stmt> {
        let oldest = self.shape.oldest(&self.name);
        let is_record = !self.shape.fields.is_empty();
        let mut stmts = vec![build.assume(build.test(&self.length(), CompareOp::Gt, 0))];
        for (position, field) in self.fields.iter().enumerate() {
            let role = match is_record {
                true => Role::Flushing,
                false => Role::Flush(field.var.index()),
            };
            let value = build.var(&oldest[position]);
            let write = build.with_role(role).assign(&field.scalar, value);
            stmts.push(match &field.number {
                None => write,
                #[cfg(test)]
                Some(_) if wrong::is(Wrong::InheritedWritten) => write,
                Some(number) => {
                    let current = &oldest[number.field];
                    let done = build.assign(&number.done, build.var(current));
                    let waits = pending(build, current, &number.done);
                    build.when(waits, vec![write, done])
                }
            });
        }
        let role = if is_record {
            Role::FlushOldest
        } else {
            Role::Flushing
        };
        let pop = StmtKind::Pop(build.name(&self.name));
        stmts.push(build.with_role(role).stmt(pop));
        let numbers = self.fields.iter().filter_map(|field| field.number.as_ref());
        let reset: Vec<Stmt> = numbers
            .map(|number| build.assign(&number.done, build.num(0)))
            .collect();
        if !reset.is_empty() {
            let is_empty = build.test(&self.length(), CompareOp::Eq, 0);
            stmts.push(build.when(is_empty, reset));
        }
        stmts
    }
}
