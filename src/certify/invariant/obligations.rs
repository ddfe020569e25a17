//! The proof obligations of an inductive invariant.
//!
//! Input: a reduced program with predicates, and an [`Invariant`]. Output: [`Group`]s of claims, each to
//! be refuted by a solver: if no claim has a model, the program breaks no property.
//!
//! **Steps.** From a listed vector each thread that may step does: all threads if it is free, else the
//! holder. A step is followed statement by statement until it comes to a *stop*: a location at which the
//! thread does not hold the atomic section, or one at which some pair has this thread. There the
//! invariant must hold again. A path that comes back to where it has been before it comes to a stop must
//! be impossible. So an invariant may list held vectors or leave them out, where an atomic section
//! is then one large step; a loop inside a section that can be run through needs a stop. A background
//! block runs whole at every free vector.
//!
//! **Why this is enough.** Every state of a run whose thread is at a stop is in the invariant: by
//! induction over the stops of the run, since between two of them only one thread steps and its
//! statements are one of the paths followed from a pair. A state between stops lies on such a path, and
//! assertions and bounds are claimed on every path, completed or not. Specs need to hold in free
//! states only, all of which are stops.

use indexmap::IndexMap;

use crate::certificate::Subject;
use crate::program::{Action, Cond, Edge, LocId, Spec, Thread, ThreadId};
use crate::source::SourceFile;

use super::vectors::{Invariant, VectorId};
use crate::certify::describe;
use crate::certify::smt::path::{Path, Run, Versions};
use crate::certify::smt::smtlib;
use crate::certify::specs::{applies, broken_spec};

/// How many statements may be followed before the certificate counts as too large, each counted
/// once for every vector it is followed from.
const BUDGET: usize = 5_000_000;

/// Claims about the same run.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What is done: a step, or nothing.
    pub title: String,
    /// What a model of a claim would show.
    pub failure: String,
    /// The line of the source that it is about.
    pub line: Option<usize>,
    /// What is done, in SMT-LIB.
    pub run: Run,
    /// The names of the variables after the step.
    pub after: Vec<String>,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// That no state of the group's run satisfies this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The state is in the invariant at this vector, if there is one.
    pub from: Option<VectorId>,
    /// The state is in this pair, one of the vector's.
    pub pair: Option<usize>,
    /// Afterwards the invariant does not hold at this vector, if there is one.
    pub to: Option<VectorId>,
}

/// The obligations are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// What a walk that comes back to where it has been would show.
const ENDLESS: &str =
    "a loop in an atomic section is entered that has no pairs (list some at one of its locations)";

/// The obligations, in a fixed order.
pub(super) fn derive(
    subject: &Subject,
    invariant: &Invariant,
    source: &SourceFile,
) -> Result<Vec<Group>, TooMany> {
    let mut derivation = Derivation {
        subject,
        invariant,
        source,
        groups: vec![initial(subject, invariant)],
        versions: Versions::default(),
        spent: 0,
    };
    for thread in subject.program.thread_ids() {
        derivation.steps(thread)?;
        derivation.backgrounds(thread)?;
    }
    for spec in &subject.program.specs {
        derivation.spec(spec);
    }
    Ok(derivation.groups)
}

/// That every initial state is in the invariant.
fn initial(subject: &Subject, invariant: &Invariant) -> Group {
    let program = &subject.program;
    let names = smtlib::names(program);
    let entries: Vec<LocId> = program.threads.iter().map(|thread| thread.entry).collect();
    Group {
        title: "the initial states".to_owned(),
        failure: "an initial state is not in the invariant".to_owned(),
        line: None,
        run: Run {
            definitions: Vec::new(),
            conditions: smtlib::initial(program, &names),
        },
        after: names,
        claims: vec![Claim {
            from: None,
            pair: None,
            to: invariant.find(&entries),
        }],
    }
}

/// Obligations under construction.
struct Derivation<'a> {
    subject: &'a Subject,
    invariant: &'a Invariant,
    source: &'a SourceFile,
    groups: Vec<Group>,
    versions: Versions,
    spent: usize,
}

/// A step that is being followed.
struct Walk<'a> {
    thread: ThreadId,
    /// The number of the background block, if it is one.
    background: Option<usize>,
    /// The vectors that it may start from.
    from: &'a [VectorId],
}

impl Derivation<'_> {
    fn thread(&self, id: ThreadId) -> &Thread {
        &self.subject.program.threads[id.index()]
    }

    /// The steps of a thread itself.
    fn steps(&mut self, thread: ThreadId) -> Result<(), TooMany> {
        let locations = (0..self.thread(thread).locations.len()).map(LocId::new);
        for location in locations {
            let from = self.vectors(|invariant, vector| {
                let may_step = invariant
                    .holder(vector)
                    .is_none_or(|holder| holder == thread);
                may_step && invariant.at(vector)[thread.index()] == location
            });
            if !from.is_empty() {
                let walk = Walk {
                    thread,
                    background: None,
                    from: &from,
                };
                self.follow(&walk, location)?;
            }
        }
        Ok(())
    }

    /// The steps of a thread's background blocks.
    fn backgrounds(&mut self, thread: ThreadId) -> Result<(), TooMany> {
        let from = self.vectors(|invariant, vector| invariant.holder(vector).is_none());
        let entries: Vec<LocId> = self
            .thread(thread)
            .backgrounds
            .iter()
            .map(|block| block.entry)
            .collect();
        for (index, &entry) in entries.iter().enumerate() {
            let walk = Walk {
                thread,
                background: Some(index),
                from: &from,
            };
            self.follow(&walk, entry)?;
        }
        Ok(())
    }

    fn vectors(&self, wanted: impl Fn(&Invariant, VectorId) -> bool) -> Vec<VectorId> {
        let vectors = self.invariant.vectors();
        vectors
            .filter(|&vector| wanted(self.invariant, vector))
            .collect()
    }

    /// Follows every path from a location.
    fn follow(&mut self, walk: &Walk, start: LocId) -> Result<(), TooMany> {
        let subject = self.subject;
        let thread = &subject.program.threads[walk.thread.index()];
        let mut open = vec![(vec![start], Path::new(&subject.program))];
        while let Some((visited, path)) = open.pop() {
            let here = *visited.last().expect("a path begins somewhere");
            let edges = &thread.location(here).edges;
            self.spent += edges.len() * walk.from.len();
            if self.spent > BUDGET {
                return Err(TooMany);
            }
            let mut next = Vec::new();
            for edge in edges {
                let path = self.statement(walk, edge, path.clone());
                if path.is_blocked() {
                    continue;
                }
                if self.is_stop(walk, edge.target) {
                    self.arrive(walk, edge.target, &path);
                } else if visited.contains(&edge.target) {
                    self.claim(walk, &path, ENDLESS, |_| None);
                } else {
                    let mut visited = visited.clone();
                    visited.push(edge.target);
                    next.push((visited, path));
                }
            }
            open.extend(next.into_iter().rev());
        }
        Ok(())
    }

    /// Runs one statement, claiming that it does not fail.
    fn statement(&mut self, walk: &Walk, edge: &Edge, mut path: Path) -> Path {
        path.enter(edge.span);
        if let Some(bounds) = &edge.bounds {
            let property = self.subject.program.property(bounds.property);
            self.holds(walk, &path, &bounds.cond, &describe::broken(property));
            path.assume(&bounds.cond);
        }
        if let Action::Assert(cond, property) = &edge.action {
            let property = self.subject.program.property(*property);
            self.holds(walk, &path, cond, &describe::broken(property));
        }
        path.run(&edge.action, &mut self.versions);
        path
    }

    /// Claims that the condition holds at the end of the path.
    fn holds(&mut self, walk: &Walk, path: &Path, cond: &Cond, failure: &str) {
        let mut failing = path.clone();
        failing.assume_not(cond);
        if !failing.is_blocked() {
            self.claim(walk, &failing, failure, |_| None);
        }
    }

    /// Whether the step is over at a location.
    fn is_stop(&self, walk: &Walk, location: LocId) -> bool {
        let thread = self.thread(walk.thread);
        match walk.background {
            Some(_) => location == thread.end,
            None => !thread.location(location).held || self.invariant.lists(walk.thread, location),
        }
    }

    /// Claims that the invariant holds where the step is over.
    fn arrive(&mut self, walk: &Walk, location: LocId, path: &Path) {
        let invariant = self.invariant;
        self.claim(walk, path, "the step leads out of the invariant", |from| {
            let mut at = invariant.at(from).to_vec();
            if walk.background.is_none() {
                at[walk.thread.index()] = location;
            }
            invariant.find(&at)
        });
    }

    fn claim(
        &mut self,
        walk: &Walk,
        path: &Path,
        failure: &str,
        to: impl Fn(VectorId) -> Option<VectorId>,
    ) {
        let thread = self.thread(walk.thread);
        let title = describe::step(self.source, thread, walk.background, path.trail());
        let claims = walk.from.iter().map(|&from| Claim {
            from: Some(from),
            pair: None,
            to: to(from),
        });
        self.groups.push(Group {
            title,
            failure: failure.to_owned(),
            line: path.trail().last().map(|span| self.source.line(span.start)),
            run: path.so_far().clone(),
            after: path.names().to_vec(),
            claims: claims.collect(),
        });
    }

    /// Claims that a spec holds wherever it must.
    fn spec(&mut self, spec: &Spec) {
        let wanted = self.vectors(|invariant, vector| {
            let applies = applies(&self.subject.program, spec, invariant.at(vector));
            applies && invariant.holder(vector).is_none()
        });
        // Vectors that make the same of the spec's control locations share a group.
        let mut failures: IndexMap<(Cond, &str), Vec<Claim>> = IndexMap::new();
        for vector in wanted {
            for (failure, reason) in broken_spec(spec, self.invariant.at(vector)) {
                let claim = Claim {
                    from: Some(vector),
                    pair: None,
                    to: None,
                };
                failures.entry((failure, reason)).or_default().push(claim);
            }
        }
        let names = smtlib::names(&self.subject.program);
        for ((failure, reason), claims) in failures {
            let property = self.subject.program.property(spec.property);
            let name = describe::spec(self.source, property);
            self.groups.push(Group {
                title: name.clone(),
                failure: format!("{name} {reason}"),
                line: Some(self.source.line(property.span.start)),
                run: Run {
                    definitions: Vec::new(),
                    conditions: vec![smtlib::cond(&failure, &names)],
                },
                after: names.clone(),
                claims,
            });
        }
    }
}
