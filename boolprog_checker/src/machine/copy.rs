//! Copies of procedures: every call gets one, and every procedure that threads begin in.
//!
//! A copy has bits of its own for its variables, locations of its own for its statements, in the
//! order of their numbers, and its own reading of the procedure's `enforce`. A copy made for a call has one more
//! location, for the end of its text, from where control goes back to the caller. The `enforce` there is that of
//! the place where the caller goes on; where results are still to be written, there is none, since it is about them, too.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::Code;
use super::condition::Condition;
use super::lower::{Lowering, MAX_LOCATIONS, Step, effect};
use super::scope::{Scope, first_local};
use super::{
    Action, Assignment, Enforce, EnforceId, FrameBit, Image, ImageId, LocId, Location, Start, Write,
};
use crate::error::ErrorKind;
use crate::syntax::ast::{Decl, Expr, Procedure, Stmt, StmtId, Target, Tree};

/// A procedure and the numbers of its statements.
pub(super) struct Text<'a> {
    pub(super) procedure: &'a Procedure,
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) labels: FxHashMap<&'a str, StmtId>,
}

/// One inlined copy of a procedure.
#[derive(Clone)]
pub(super) struct Instance<'a> {
    pub(super) text: usize,
    pub(super) scope: Scope<'a>,
    pub(super) image: ImageId,
    pub(super) enforce: Option<EnforceId>,
    /// The location of the procedure's first statement; the others follow.
    pub(super) base: u32,
    pub(super) leave: Leave<'a>,
}

/// What happens when a copy is left.
#[derive(Clone)]
pub(super) enum Leave<'a> {
    /// The thread ends.
    Thread,
    /// The results go to these bits, the copy's variables are forgotten, the caller goes on.
    Call {
        results: Vec<Option<FrameBit>>,
        frame: Vec<FrameBit>,
        next: LocId,
        call: &'a Stmt,
    },
}

impl<'a> Lowering<'a> {
    /// The image of a procedure that threads begin in, and where they begin.
    pub(super) fn root(&mut self, text: usize) -> LocId {
        if !self.roots.contains_key(&text) {
            let image = ImageId(self.images.len() as u32);
            self.images.push(Image::default());
            let (instance, frame) = self.instance(text, image, None, Leave::Thread);
            self.images[image.0 as usize].own = frame.len();
            self.roots.insert(text, instance);
        }
        let instance = &self.roots[&text];
        self.entry(instance)
    }

    pub(super) fn lower_root(&mut self, index: usize) {
        let instance = self.roots[index].clone();
        self.body(&instance);
    }

    /// Where a thread that enters the copy begins.
    fn entry(&self, instance: &Instance<'a>) -> LocId {
        match (self.texts[instance.text].count, &instance.leave) {
            (0, Leave::Thread) => LocId::ENDED,
            _ => LocId(instance.base),
        }
    }

    /// Makes a copy of a procedure: its variables, its `enforce`, its locations without edges; `behind` is
    /// the `enforce` behind its text. Gives back the bits of its variables too.
    fn instance(
        &mut self,
        text: usize,
        image: ImageId,
        behind: Option<EnforceId>,
        leave: Leave<'a>,
    ) -> (Instance<'a>, Vec<FrameBit>) {
        let procedure = self.texts[text].procedure;
        let mut scope = self.globals.clone();
        let decls = procedure.parameters.iter().chain(&procedure.locals);
        let inlined = matches!(leave, Leave::Call { .. });
        let frame: Vec<_> = decls
            .map(|decl| self.local(decl, procedure, image, inlined, &mut scope))
            .collect();
        let enforce = procedure
            .enforce
            .as_ref()
            .map(|expr| self.enforce(expr, &scope));
        let base = self.locations.len() as u32;
        let (first, count) = (self.texts[text].first, self.texts[text].count);
        for id in first..first + count {
            self.location(image, enforce, Some(StmtId(id)));
        }
        if inlined {
            let behind = behind.filter(|_| procedure.results == 0);
            self.location(image, behind, None);
        }
        (
            Instance {
                text,
                scope,
                image,
                enforce,
                base,
                leave,
            },
            frame,
        )
    }

    fn local(
        &mut self,
        decl: &'a Decl,
        procedure: &Procedure,
        image: ImageId,
        inlined: bool,
        scope: &mut Scope<'a>,
    ) -> FrameBit {
        let locals = &mut self.images[image.0 as usize].locals;
        let bit = first_local(self.global_names.len()) + locals.len() as u32;
        let name = &decl.name.name;
        locals.push(if inlined {
            format!("{}.{name}", procedure.name)
        } else {
            name.clone()
        });
        scope.declare(name, bit);
        bit
    }

    fn enforce(&mut self, expr: &Expr, scope: &Scope<'a>) -> EnforceId {
        let condition = Condition::new(scope.code(expr));
        let first_local = first_local(self.global_names.len());
        let mut clauses_of: FxHashMap<FrameBit, Vec<u32>> = FxHashMap::default();
        for (clause, index) in condition.clauses.iter().zip(0..) {
            for literal in clause {
                clauses_of.entry(literal.bit).or_default().push(index);
            }
        }
        let global = condition.bits.iter().all(|bit| *bit < first_local);
        self.enforces.push(Enforce {
            condition,
            global,
            clauses_of,
        });
        EnforceId(self.enforces.len() as u32 - 1)
    }

    pub(super) fn location(
        &mut self,
        image: ImageId,
        enforce: Option<EnforceId>,
        stmt: Option<StmtId>,
    ) -> LocId {
        if self.locations.len() >= MAX_LOCATIONS {
            self.refused = Some(ErrorKind::TooLarge(MAX_LOCATIONS));
        }
        let edges = Vec::new();
        self.locations.push(Location {
            image,
            enforce,
            stmt,
            atomic: false,
            reducible: false,
            forget: Vec::new(),
            edges,
        });
        LocId(self.locations.len() as u32 - 1)
    }

    /// The statements of a copy, and what happens at its end.
    fn body(&mut self, instance: &Instance<'a>) {
        let text = &self.texts[instance.text];
        let (procedure, count) = (text.procedure, text.count);
        match &instance.leave {
            Leave::Thread => self.block(instance, &procedure.body, LocId::ENDED),
            Leave::Call { call, .. } => {
                let end = LocId(instance.base + count);
                self.block(instance, &procedure.body, end);
                let values = vec![Code::Nondet; procedure.results as usize];
                let leave = self.leave(instance, values);
                self.edge(end, self.id(call), leave);
            }
        }
    }

    pub(super) fn start(
        &mut self,
        instance: &Instance<'a>,
        name: &str,
        arguments: &[Expr],
        next: LocId,
    ) -> Step {
        let entry = self.root(self.procedure_named(name));
        if entry == LocId::ENDED {
            return Step::to(next);
        }
        let first = first_local(self.global_names.len());
        let value = |(place, argument): (usize, &Expr)| Write {
            bit: first + place as u32,
            value: instance.scope.code(argument),
            place,
        };
        let arguments = arguments.iter().enumerate().map(value).collect();
        Step::new(
            Action::Start(Arc::new(Start {
                entry,
                copy: false,
                repeated: false,
                arguments,
            })),
            next,
        )
    }

    pub(super) fn call(
        &mut self,
        instance: &Instance<'a>,
        stmt: &'a Stmt,
        targets: &[Target],
        name: &str,
        arguments: &[Expr],
        next: LocId,
    ) {
        let text = self.procedure_named(name);
        let results = targets
            .iter()
            .map(|target| instance.scope.target(target))
            .collect();
        let leave = Leave::Call {
            results,
            frame: Vec::new(),
            next,
            call: stmt,
        };
        let behind = match next {
            LocId::ENDED => None,
            next => self.locations[next.index()].enforce,
        };
        let (mut callee, frame) = self.instance(text, instance.image, behind, leave);
        let values = arguments
            .iter()
            .map(|argument| instance.scope.code(argument));
        let values = values.chain(std::iter::repeat(Code::Nondet));
        let writes = frame.iter().zip(values).enumerate();
        let writes = writes
            .map(|(place, (bit, value))| Write {
                bit: *bit,
                value,
                place,
            })
            .collect();
        let enter = Assignment {
            writes,
            ..Assignment::default()
        };
        let step = Step::new(effect(enter), LocId(callee.base));
        self.edge(self.at(instance, stmt), self.id(stmt), step);
        if let Leave::Call {
            frame: forgotten, ..
        } = &mut callee.leave
        {
            *forgotten = frame;
        }
        self.body(&callee);
    }

    /// The step that leaves a copy with these results.
    pub(super) fn leave(&self, instance: &Instance<'a>, values: Vec<Code>) -> Step {
        match &instance.leave {
            Leave::Thread => Step::to(LocId::ENDED),
            Leave::Call {
                results,
                frame,
                next,
                ..
            } => {
                let pairs = results.iter().zip(values).enumerate();
                let write = |(place, (bit, value)): (usize, (&Option<FrameBit>, Code))| {
                    bit.map(|bit| Write { bit, value, place })
                };
                let writes = pairs.filter_map(write).collect();
                let assignment = Assignment {
                    writes,
                    constrain: None,
                    forget: frame.clone(),
                };
                Step::new(effect(assignment), *next)
            }
        }
    }
}

pub(super) fn texts<'a>(tree: &'a Tree, ids: &FxHashMap<*const Stmt, StmtId>) -> Vec<Text<'a>> {
    let mut first = 0;
    let mut texts = Vec::new();
    for procedure in &tree.procedures {
        let mut text = Text {
            procedure,
            first,
            count: 0,
            labels: FxHashMap::default(),
        };
        number(&procedure.body, ids, &mut text);
        first += text.count;
        texts.push(text);
    }
    texts
}

fn number<'a>(block: &'a [Stmt], ids: &FxHashMap<*const Stmt, StmtId>, text: &mut Text<'a>) {
    for stmt in block {
        text.count += 1;
        let id = ids[&std::ptr::from_ref(stmt)];
        text.labels
            .extend(stmt.labels.iter().map(|label| (label.name.as_str(), id)));
        stmt.blocks()
            .into_iter()
            .for_each(|inner| number(inner, ids, text));
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    #[test]
    fn the_enforce_of_each_copy_lists_its_own_variables_only() {
        let calls = 200;
        let program = parse(&format!(
            "decl g;\n\
             void f() begin decl x; enforce x | g; g := x; end\n\
             void main() begin {} end\n",
            "f();".repeat(calls)
        ));
        let program = program.expect("it is a program");
        let enforces = &program.machine().enforces;
        assert_eq!(enforces.len(), calls);
        assert!(enforces.iter().all(|enforce| enforce.clauses_of.len() == 2));
    }
}
