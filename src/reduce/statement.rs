//! Translates one statement by the rules of its model.
//!
//! A statement of the source is one step, so its translation is one atomic group. Statements that
//! touch no buffer stay as they are: locals are not affected by a memory model, and neither are
//! conditions, which read locals only.
//!
//! An array element that is picked by variables is expanded to a chain over all elements, since each
//! element is a variable of its own to the memory model. A group first checks that all indices of
//! its statement are in range, before it looks at buffers: this is the order of the semantics.

use itertools::Itertools;

use super::access::{Access, Scopes, Target};
use super::build::Build;
use super::comment::Comments;
use super::number::number;
use super::rules::Rules;
use crate::front::cup::ast::{
    CompareOp, Cond, CondKind, Expr, ExprKind, Place, Rhs, Role, Stmt, StmtKind,
};

/// Translates the statements of one thread.
pub(super) struct Statements<'a> {
    /// The comments on the statements of the source.
    pub comments: &'a Comments,
    /// The names in the thread's text.
    pub scopes: Scopes<'a>,
    /// The model's rules and the variable that an overflow sets, if there is one, if the thread has buffers.
    pub buffers: Option<(&'a dyn Rules, Option<&'a str>)>,
}

impl Statements<'_> {
    /// The statement, outside atomic sections: itself, another one, or an atomic group.
    pub(super) fn group(&self, stmt: &Stmt) -> Stmt {
        let build = Build::at(stmt.span);
        match self.parts(stmt) {
            None => stmt.clone(),
            Some(parts) => {
                let whole = match <[Stmt; 1]>::try_from(parts) {
                    Ok([part]) if !matches!(part.kind, StmtKind::If(..)) => part,
                    Ok([part]) => build.stmt(StmtKind::Atomic(build.block(vec![part]))),
                    Err(parts) => build.stmt(StmtKind::Atomic(build.block(parts))),
                };
                self.in_place_of(stmt, whole)
            }
        }
    }

    /// The statement within an atomic section: the parts of the group, bare.
    pub(super) fn bare(&self, stmt: &Stmt) -> Vec<Stmt> {
        let Some(parts) = self.parts(stmt) else {
            return vec![stmt.clone()];
        };
        let mut parts = parts.into_iter();
        let first = parts.next().map(|first| self.in_place_of(stmt, first));
        first.into_iter().chain(parts).collect()
    }

    /// Gives what stands for a statement its labels and comments, and says what it stands for. What would stand behind the
    /// end of a block stands before it.
    fn in_place_of(&self, stmt: &Stmt, made: Stmt) -> Stmt {
        let mut trivia = stmt.trivia.clone();
        let line = self.comments.of(stmt);
        trivia.leading.retain(|comment| *comment != line);
        if !made.kind.blocks().is_empty() {
            trivia.leading.append(&mut trivia.trailing);
        }
        trivia.leading.push(line);
        Stmt {
            labels: stmt.labels.clone(),
            trivia,
            ..made
        }
    }

    /// What the statement becomes, or nothing if it stays.
    fn parts(&self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let mut parts = self.translate(stmt)?;
        let further = Some(Role::Further(number(stmt)));
        if let Some(first) = parts.first_mut().filter(|part| part.mark.role == further) {
            first.mark.role = Some(Role::First(number(stmt)));
        }
        Some(parts)
    }

    /// The same before the first part is told from the others.
    fn translate(&self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let build = part(stmt);
        let access = self.scopes.access(stmt)?;
        let Some((rules, overflow)) = self.buffers else {
            let is_fence = matches!(access, Access::Fence);
            return is_fence.then(|| vec![build.stmt(StmtKind::Skip)]);
        };
        match access {
            Access::Fence => Some(vec![build.assume(rules.all_empty(build))]),
            Access::Store(target, value) => {
                let stop = build.with_role(Role::Overflow(number(stmt)));
                let store = |scalar: &str| store((build, rules), (stop, overflow), scalar, value);
                Some(self.guarded(stmt, choose(build, &target, store)))
            }
            Access::Load(into, target) => {
                let mut scalars = target.scalars().iter();
                scalars.any(|scalar| rules.holds(scalar)).then(|| {
                    let load = |scalar: &str| vec![load(build, rules, scalar, into)];
                    self.guarded(stmt, choose(build, &target, load))
                })
            }
            Access::Update(into, rhs, target) => self.update(stmt, rules, (into, rhs), &target),
        }
    }

    /// An atomic operation that waits until the stores before it, as far as the model orders them,
    /// have reached memory.
    fn update(
        &self,
        stmt: &Stmt,
        rules: &dyn Rules,
        (into, rhs): (&Place, &Rhs),
        target: &Target,
    ) -> Option<Vec<Stmt>> {
        let build = part(stmt);
        let waits_for = |scalar: &str| rules.update_waits_for(build, scalar);
        let mut all = target.scalars().iter().map(|scalar| waits_for(scalar));
        if all.all_equal() {
            let wait = build.assume(waits_for(target.scalars().first()?)?);
            return Some(vec![wait, build.stmt(stmt.kind.clone())]);
        }
        let parts = choose(build, target, |scalar| {
            let wait = waits_for(scalar).map(|cond| build.assume(cond));
            let update = StmtKind::Assign(into.clone(), on_scalar(build, rhs, scalar));
            wait.into_iter().chain([build.stmt(update)]).collect()
        });
        Some(self.guarded(stmt, parts))
    }

    /// The parts of a group behind the check that the statement's indices are in range.
    fn guarded(&self, stmt: &Stmt, parts: Vec<Stmt>) -> Vec<Stmt> {
        let build = part(stmt).with_role(Role::Bounds(number(stmt)));
        let in_range = |(size, index): (usize, &Expr)| {
            let size = i64::try_from(size).expect("array sizes fit in 64 bits");
            let low = build.compare(build.num(0), CompareOp::Le, index.clone());
            let high = build.compare(index.clone(), CompareOp::Lt, build.num(size));
            build.and(low, high)
        };
        let bounds = build.all(self.choices(stmt).into_iter().map(in_range));
        let check = bounds.map(|bounds| build.assert(bounds, "bounds"));
        check.into_iter().chain(parts).collect()
    }

    /// The sizes and indices of the arrays of which an assignment picks elements by variables.
    fn choices<'s>(&self, stmt: &'s Stmt) -> Vec<(usize, &'s Expr)> {
        let StmtKind::Assign(place, rhs) = &stmt.kind else {
            return Vec::new();
        };
        let (on, exprs): (Option<&Place>, Vec<&Expr>) = match rhs {
            Rhs::Any(_) | Rhs::Choose(..) => (None, Vec::new()),
            Rhs::Expr(value) => (None, vec![value]),
            Rhs::Cas(on, old, new) => (Some(on), vec![old, new]),
            Rhs::Swap(on, value) | Rhs::FetchAdd(on, value) => (Some(on), vec![value]),
        };
        let places = std::iter::once(place).chain(on);
        let of_places = places.flat_map(|place| self.scopes.choices_of_place(place));
        let of_exprs = exprs
            .into_iter()
            .flat_map(|expr| self.scopes.choices_of_expr(expr));
        of_places.chain(of_exprs).collect()
    }
}

/// Makes the parts of what stands for a statement.
fn part(stmt: &Stmt) -> Build {
    Build::at(stmt.span).with_role(Role::Further(number(stmt)))
}

/// A store into the buffer. A full buffer stops the run at once, so that nothing goes on from a
/// state that the model does not have, and says so even within an atomic section.
fn store(
    (build, rules): (Build, &dyn Rules),
    (stop, overflow): (Build, Option<&str>),
    scalar: &str,
    value: &Expr,
) -> Vec<Stmt> {
    let (is_full, append) = rules.store(build, scalar, value);
    let (Some(is_full), Some(overflow)) = (is_full, overflow) else {
        return append;
    };
    let stop = vec![
        stop.assign(overflow, stop.num(1)),
        stop.overflow_check(overflow),
        stop.assume(stop.cond(CondKind::False)),
    ];
    let check = build.when(is_full, stop);
    std::iter::once(check).chain(append).collect()
}

fn load(build: Build, rules: &dyn Rules, scalar: &str, into: &Place) -> Stmt {
    if rules.holds(scalar) {
        rules.load(build, scalar, into)
    } else {
        let value = Rhs::Expr(build.var(scalar));
        build.stmt(StmtKind::Assign(into.clone(), value))
    }
}

/// What happens to the scalar that the target means.
fn choose(build: Build, target: &Target, of: impl Fn(&str) -> Vec<Stmt>) -> Vec<Stmt> {
    match target {
        Target::Scalar(scalar) => of(scalar),
        Target::Choice(scalars, index) => {
            let arms = scalars.iter().zip(0..).map(|(scalar, number)| {
                let index: Expr = (*index).clone();
                let is_it: Cond = build.compare(index, CompareOp::Eq, build.num(number));
                (is_it, of(scalar))
            });
            vec![build.chain(arms.collect(), None)]
        }
    }
}

/// The same atomic operation on one scalar.
fn on_scalar(build: Build, rhs: &Rhs, scalar: &str) -> Rhs {
    let on = build.place(scalar);
    match rhs {
        Rhs::Cas(_, old, new) => Rhs::Cas(on, old.clone(), new.clone()),
        Rhs::Swap(_, value) => Rhs::Swap(on, value.clone()),
        Rhs::FetchAdd(_, value) => Rhs::FetchAdd(on, value.clone()),
        Rhs::Any(_) | Rhs::Choose(..) => rhs.clone(),
        Rhs::Expr(_) => Rhs::Expr(build.expr(ExprKind::Place(on))),
    }
}
