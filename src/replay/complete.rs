//! Paths with the steps that an abstraction does not see.
//!
//! A step that changes no predicate does nothing in a boolean program, and the checker leaves it out of its
//! traces. Input: the steps that it tells, and which steps it does not see. Output: the same path with the
//! unseen steps put back in: a shortest way between two steps of one thread. What finishes an atomic
//! section or a background block comes at once, since nothing else may happen before; the rest comes
//! when the thread goes on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::program::{LocId, Program, Thread, ThreadId};

use super::path::{EdgeId, Path, background};

/// A step of a completed path, with its place among the told ones if it is one of them.
pub type Completed = (EdgeId, Option<usize>);

/// Puts the unseen steps back into a path; `None` if a gap cannot be closed. Where `breaks` is set, the last
/// step breaks a property, so nothing comes behind it.
pub fn complete(
    program: &Program,
    told: &[EdgeId],
    unseen: impl Fn(EdgeId) -> bool,
    breaks: bool,
) -> Option<Vec<Completed>> {
    let threads = program.threads.iter();
    let mut completion = Completion {
        program,
        unseen,
        blocks: threads.clone().map(background).collect(),
        waiting: threads.map(|_| Vec::new()).collect(),
        path: Vec::new(),
    };
    for id in program.thread_ids() {
        let entry = program.threads[id.index()].entry;
        completion.lead_in(id, entry, told)?;
    }
    for number in 0..told.len() {
        let is_end = breaks && number + 1 == told.len();
        completion.add(told, number, is_end)?;
    }
    Some(completion.path)
}

struct Completion<'p, U> {
    program: &'p Program,
    unseen: U,
    /// The locations of each thread's background blocks.
    blocks: Vec<BTreeSet<LocId>>,
    /// Unseen steps that a thread takes before its next told one.
    waiting: Vec<Vec<EdgeId>>,
    path: Vec<Completed>,
}

impl<U: Fn(EdgeId) -> bool> Completion<'_, U> {
    /// Adds a told step with the unseen ones before and behind it.
    fn add(&mut self, told: &[EdgeId], number: usize, is_end: bool) -> Option<()> {
        let step = told[number];
        let thread = step.0;
        if self.is_background(step) {
            return self.add_background(told, number, is_end);
        }
        let before = std::mem::take(&mut self.waiting[thread.index()]);
        self.push(before);
        self.path.push((step, Some(number)));
        if is_end {
            return Some(());
        }
        let target = Path::edge(self.program, step).target;
        self.lead_in(thread, target, &told[number + 1..])
    }

    /// Finds the unseen steps from `from` to the thread's next told step. Those that finish an atomic
    /// section are taken, the others wait.
    fn lead_in(&mut self, thread: ThreadId, from: LocId, rest: &[EdgeId]) -> Option<()> {
        let mut next = rest.iter().filter(|step| step.0 == thread);
        let next = next.find(|step| !self.is_background(**step));
        let way = match next {
            Some(&(_, at, _)) => self.way(thread, from, |to| to == at)?,
            None => self.way(thread, from, |to| !self.thread(thread).location(to).held)?,
        };
        let held = |&(_, at, _): &EdgeId| self.thread(thread).location(at).held;
        let finishing = way.iter().take_while(|step| held(step)).count();
        let (finishing, waiting) = way.split_at(finishing);
        self.push(finishing.to_vec());
        self.waiting[thread.index()] = waiting.to_vec();
        Some(())
    }

    /// Adds a step of a background block: the first of a run comes behind the unseen ones from the block's
    /// entry, the last before those to its end.
    fn add_background(&mut self, told: &[EdgeId], number: usize, is_end: bool) -> Option<()> {
        let step @ (thread, at, _) = told[number];
        let runs_on = number > 0 && self.continues(told[number - 1], step);
        if !runs_on {
            let blocks = &self.thread(thread).backgrounds;
            let mut entries = blocks.iter().map(|block| block.entry);
            let way = entries.find_map(|entry| self.way(thread, entry, |to| to == at))?;
            self.push(way);
        }
        self.path.push((step, Some(number)));
        let target = Path::edge(self.program, step).target;
        let next = told.get(number + 1);
        let next = next.filter(|next| self.continues(step, **next));
        let to = next.map_or(self.thread(thread).end, |&(_, at, _)| at);
        if !is_end {
            let way = self.way(thread, target, |location| location == to)?;
            self.push(way);
        }
        Some(())
    }

    /// Whether a step belongs to the same run of a background block as the one before.
    fn continues(&self, before: EdgeId, step: EdgeId) -> bool {
        let (thread, at, _) = step;
        let target = Path::edge(self.program, before).target;
        before.0 == thread
            && self.is_background(before)
            && self.is_background(step)
            && self.way(thread, target, |to| to == at).is_some()
    }

    /// A shortest way of unseen steps to a location that is wanted.
    fn way(
        &self,
        thread: ThreadId,
        from: LocId,
        wanted: impl Fn(LocId) -> bool,
    ) -> Option<Vec<EdgeId>> {
        let mut came_by: BTreeMap<LocId, EdgeId> = BTreeMap::new();
        let mut work = VecDeque::from([from]);
        while let Some(at) = work.pop_front() {
            if wanted(at) {
                return Some(way_back(&came_by, from, at));
            }
            for (number, edge) in self.thread(thread).location(at).edges.iter().enumerate() {
                let step = (thread, at, number);
                let is_new = edge.target != from && !came_by.contains_key(&edge.target);
                if is_new && (self.unseen)(step) {
                    came_by.insert(edge.target, step);
                    work.push_back(edge.target);
                }
            }
        }
        None
    }

    fn push(&mut self, steps: Vec<EdgeId>) {
        self.path.extend(steps.into_iter().map(|step| (step, None)));
    }

    fn is_background(&self, (thread, at, _): EdgeId) -> bool {
        self.blocks[thread.index()].contains(&at)
    }

    fn thread(&self, id: ThreadId) -> &Thread {
        &self.program.threads[id.index()]
    }
}

fn way_back(came_by: &BTreeMap<LocId, EdgeId>, from: LocId, to: LocId) -> Vec<EdgeId> {
    let mut way = Vec::new();
    let mut at = to;
    while at != from {
        let step = came_by[&at];
        way.push(step);
        at = step.1;
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;
    use crate::lang::source::SourceFile;
    use crate::program::{Action, lower};
    use indexmap::IndexSet;

    /// The actions of the completed path, where skips are unseen, with `+` for those put back.
    fn check(text: &str, told: &[(usize, usize)], expected: &str) {
        let file = SourceFile::new("test.cup", text);
        let program = lower(&lang::load(&file).expect("it is right"), &IndexSet::new());
        let told: Vec<EdgeId> = told
            .iter()
            .map(|&(thread, at)| (ThreadId::new(thread), LocId::new(at), 0))
            .collect();
        let unseen = |step| matches!(Path::edge(&program, step).action, Action::Skip);
        let completed = complete(&program, &told, unseen, false);
        let tell = |(step, number): &Completed| {
            let sign = if number.is_some() { "" } else { "+" };
            format!("{sign}t{}.{}", step.0.index(), step.1.index())
        };
        let path = completed.map(|path| path.iter().map(tell).collect::<Vec<_>>().join(" "));
        assert_eq!(path.as_deref().unwrap_or("none"), expected, "{program}");
    }

    #[test]
    fn skips_come_back_before_the_next_step() {
        let text = "shared x; thread P { x = 1; skip; skip; x = 2; } thread Q { skip; x = 3; }";
        check(
            text,
            &[(0, 0), (1, 1), (0, 3)],
            "t0.0 +t1.0 t1.1 +t0.1 +t0.2 t0.3",
        );
    }

    #[test]
    fn atomic_sections_are_finished_first() {
        let text =
            "shared x; thread P { atomic { x = 1; skip; } skip; x = 2; } thread Q { x = 3; }";
        check(
            text,
            &[(0, 0), (1, 0), (0, 3)],
            "t0.0 +t0.1 t1.0 +t0.2 t0.3",
        );
    }

    #[test]
    fn a_gap_that_cannot_be_closed_is_told() {
        let text = "shared x; thread P { x = 1; x = 2; x = 3; }";
        check(text, &[(0, 0), (0, 2)], "none");
    }
}
