//! Paths with the steps that an abstraction does not see.
//!
//! A step that changes no predicate does nothing in a boolean program, and the checker leaves it out of its
//! traces. Input: the steps that it shows, and which steps it does not see. Output: the same path with the
//! idle steps put back in: a shortest way between two steps of one thread. What finishes an atomic
//! section or a background block comes at once, since nothing else may happen before; the rest comes
//! when the thread goes on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::program::{EdgeId, LocId, Program, Thread, ThreadId};

use super::path::background;

/// A step of a completed path, with its place among the shown ones if it is one of them.
pub type Completed = (EdgeId, Option<usize>);

/// Puts the idle steps back into a path; `None` if a gap cannot be closed. Where `breaks` is set, the last
/// step breaks a property, so nothing comes behind it.
pub fn complete(
    program: &Program,
    shown: &[EdgeId],
    idle: impl Fn(EdgeId) -> bool,
    breaks: bool,
) -> Option<Vec<Completed>> {
    let threads = program.threads.iter();
    let mut completion = Completion {
        program,
        idle,
        blocks: threads.clone().map(background).collect(),
        waiting: threads.map(|_| Vec::new()).collect(),
        path: Vec::new(),
    };
    for id in program.thread_ids() {
        let entry = program.threads[id.index()].entry;
        completion.lead_in(id, entry, shown)?;
    }
    for number in 0..shown.len() {
        let is_end = breaks && number + 1 == shown.len();
        completion.add(shown, number, is_end)?;
    }
    Some(completion.path)
}

struct Completion<'p, U> {
    program: &'p Program,
    idle: U,
    /// The locations of each thread's background blocks.
    blocks: Vec<BTreeSet<LocId>>,
    /// Idle steps that a thread takes before its next shown one.
    waiting: Vec<Vec<EdgeId>>,
    path: Vec<Completed>,
}

impl<U: Fn(EdgeId) -> bool> Completion<'_, U> {
    /// Adds a shown step with the idle ones before and behind it.
    fn add(&mut self, shown: &[EdgeId], number: usize, is_end: bool) -> Option<()> {
        let step = shown[number];
        let thread = step.thread;
        if self.is_background(step) {
            return self.add_background(shown, number, is_end);
        }
        let before = std::mem::take(&mut self.waiting[thread.index()]);
        self.push(before);
        self.path.push((step, Some(number)));
        if is_end {
            return Some(());
        }
        let target = self.program.edge(step).target;
        self.lead_in(thread, target, &shown[number + 1..])
    }

    /// Finds the idle steps from `from` to the thread's next shown step. Those that finish an atomic
    /// section are taken, the others wait.
    fn lead_in(&mut self, thread: ThreadId, from: LocId, rest: &[EdgeId]) -> Option<()> {
        let mut next = rest.iter().filter(|step| step.thread == thread);
        let next = next.find(|step| !self.is_background(**step));
        let way = match next {
            Some(next) => self.way(thread, from, |to| to == next.at)?,
            None => self.way(thread, from, |to| !self.thread(thread).location(to).held)?,
        };
        let held = |step: &EdgeId| self.thread(thread).location(step.at).held;
        let finishing = way.iter().take_while(|step| held(step)).count();
        let (finishing, waiting) = way.split_at(finishing);
        self.push(finishing.to_vec());
        self.waiting[thread.index()] = waiting.to_vec();
        Some(())
    }

    /// Adds a step of a background block: the first of a run comes behind the idle ones from the block's
    /// entry, the last before those to its end.
    fn add_background(&mut self, shown: &[EdgeId], number: usize, is_end: bool) -> Option<()> {
        let step @ EdgeId { thread, at, .. } = shown[number];
        let runs_on = number > 0 && self.continues(shown[number - 1], step);
        if !runs_on {
            let blocks = &self.thread(thread).backgrounds;
            let mut entries = blocks.iter().map(|block| block.entry);
            let way = entries.find_map(|entry| self.way(thread, entry, |to| to == at))?;
            self.push(way);
        }
        self.path.push((step, Some(number)));
        let target = self.program.edge(step).target;
        let next = shown.get(number + 1);
        let next = next.filter(|next| self.continues(step, **next));
        let to = next.map_or(self.thread(thread).end, |next| next.at);
        if !is_end {
            let way = self.way(thread, target, |location| location == to)?;
            self.push(way);
        }
        Some(())
    }

    /// Whether a step belongs to the same run of a background block as the one before.
    fn continues(&self, before: EdgeId, step: EdgeId) -> bool {
        let EdgeId { thread, at, .. } = step;
        let target = self.program.edge(before).target;
        before.thread == thread
            && self.is_background(before)
            && self.is_background(step)
            && self.way(thread, target, |to| to == at).is_some()
    }

    /// A shortest way of idle steps to a location that is wanted.
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
                let step = EdgeId { thread, at, number };
                let is_new = edge.target != from && !came_by.contains_key(&edge.target);
                if is_new && (self.idle)(step) {
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

    fn is_background(&self, step: EdgeId) -> bool {
        self.blocks[step.thread.index()].contains(&step.at)
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
        at = step.at;
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::cup;
    use crate::program::{Action, lower};
    use crate::source::SourceFile;
    use indexmap::IndexSet;

    /// The actions of the completed path, where skips are idle, with `+` for those put back.
    fn check(text: &str, shown: &[(usize, usize)], expected: &str) {
        let file = SourceFile::new("test.cup", text);
        let program = lower(&cup::load(&file).expect("it is right"), &IndexSet::new());
        let shown: Vec<EdgeId> = shown
            .iter()
            .map(|&(thread, at)| EdgeId {
                thread: ThreadId::new(thread),
                at: LocId::new(at),
                number: 0,
            })
            .collect();
        let idle = |step| matches!(program.edge(step).action, Action::Skip);
        let completed = complete(&program, &shown, idle, false);
        let tell = |(step, number): &Completed| {
            let sign = if number.is_some() { "" } else { "+" };
            format!("{sign}t{}.{}", step.thread.index(), step.at.index())
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
