//! Bases that are changed at random: those that a run shows to be wrong are rejected.

use std::collections::BTreeMap;

use cupola::certificate::{BasisTable, BufferSet, MarkSet, Reached, StateSet, Stored};
use cupola::certify::{self, Solver, Verdict};
use cupola::memory::Model;

use crate::basis::{Sample, is_violated, sample, table};
use crate::basis_runs::{Buffer, Claim, Whole};
use crate::support::random::Random;

/// Programs whose only property is about locations.
const PROGRAMS: [&str; 5] = [
    "examples/dekker.cup",
    "examples/dekker_simple.cup",
    "examples/peterson.cup",
    "examples/burns.cup",
    "tests/programs/backward/rules/sb_fences.cup",
];

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// A set is left out.
    SetDropped,
    /// A letter, or the mark of an own store, has one value less.
    LetterNarrowed,
    /// A set demands one letter more.
    LetterAdded,
    /// What memory may hold in a set has one value less.
    MemoryNarrowed,
    /// The invariant has one line more.
    InvariantWeakened,
    /// Fences are taken out of the program.
    FencesTakenOut,
}

/// The changes of the basis itself.
const CHANGES: [Change; 5] = [
    Change::SetDropped,
    Change::LetterNarrowed,
    Change::LetterAdded,
    Change::MemoryNarrowed,
    Change::InvariantWeakened,
];

/// The most lines of the invariant at which a state of a set is looked for.
const MAX_LINES: usize = 12;

/// The sets of values of a set's buffers, and of its memory.
fn masks(set: &mut StateSet, of_memory: bool) -> Vec<&mut u64> {
    if of_memory {
        return set.memory.iter_mut().collect();
    }
    let mut found: Vec<&mut u64> = Vec::new();
    for buffers in &mut set.buffers {
        match buffers {
            BufferSet::Store(words) => {
                found.extend(words.iter_mut().flat_map(|(letters, _)| letters));
            }
            BufferSet::Load { word, own } => {
                found.extend(word.iter_mut().map(|(_, values)| values));
                found.extend(own.iter_mut().filter_map(|mark| match mark {
                    MarkSet::Past(_) => None,
                    MarkSet::Kept(values, ..) => Some(values),
                }));
            }
        }
    }
    found
}

/// Takes a value from a set of values that has several; what is left is another set, whose states are those that are lost.
fn narrow(set: &mut StateSet, of_memory: bool, random: &mut Random) -> Option<StateSet> {
    let all = masks(set, of_memory);
    let several = all.iter().enumerate();
    let several = several.filter(|(_, mask)| mask.count_ones() > 1);
    let several: Vec<usize> = several.map(|(place, _)| place).collect();
    let place = *several.get(random.below(several.len().max(1)))?;
    let mask = *masks(set, of_memory)[place];
    let bits: Vec<u32> = (0..64).filter(|bit| mask >> bit & 1 == 1).collect();
    let gone = 1 << bits[random.below(bits.len())];
    let mut lost = set.clone();
    *masks(&mut lost, of_memory)[place] = gone;
    *masks(set, of_memory)[place] = mask & !gone;
    Some(lost)
}

/// Adds an oldest letter, with any value; the set as it was.
fn lengthen(set: &mut StateSet, random: &mut Random) -> StateSet {
    let old = set.clone();
    let thread = random.below(set.buffers.len());
    let var = random.below(set.memory.len());
    match &mut set.buffers[thread] {
        BufferSet::Store(words) => words[var].0.insert(0, u64::MAX),
        BufferSet::Load { word, own } => {
            word.insert(0, (var, u64::MAX));
            for mark in own {
                if let MarkSet::Kept(_, older, _) = mark {
                    *older += 1;
                }
            }
        }
    }
    old
}

/// Changes a basis; a few states that may show that it is wrong then.
fn apply(
    change: Change,
    stored: &Stored,
    table: &mut BasisTable,
    random: &mut Random,
) -> Option<Vec<Whole>> {
    let of_memory = change == Change::MemoryNarrowed;
    let narrows = of_memory || change == Change::LetterNarrowed;
    let several = |set: &mut StateSet| {
        let mut masks = masks(set, of_memory).into_iter();
        masks.any(|mask| mask.count_ones() > 1)
    };
    let sets = table.sets.iter_mut().enumerate();
    let sets = sets.filter_map(|(number, set)| (!narrows || several(set)).then_some(number));
    let sets: Vec<usize> = sets.collect();
    if sets.is_empty() {
        return None;
    }
    let number = sets[random.below(sets.len())];
    let lost = match change {
        Change::SetDropped => Some(table.sets.remove(number)),
        Change::LetterNarrowed | Change::MemoryNarrowed => {
            narrow(&mut table.sets[number], of_memory, random)
        }
        Change::LetterAdded => Some(lengthen(&mut table.sets[number], random)),
        Change::InvariantWeakened => return Some(weakened(stored, table, random)),
        Change::FencesTakenOut => None,
    };
    let lost = lost.filter(|lost| !lost.after)?;
    let claim = Claim::new(stored, table);
    let lines = table.invariant.iter();
    let states = lines.filter_map(|line| state_of(&claim, &lost, line));
    Some(states.take(MAX_LINES).collect())
}

/// Adds a line for a state with empty buffers.
fn weakened(stored: &Stored, table: &mut BasisTable, random: &mut Random) -> Vec<Whole> {
    let vars = table.variables.len();
    let threads = table.threads.iter();
    let at: Vec<usize> = threads
        .map(|thread| random.below(thread.nodes.len()))
        .collect();
    let values = table.variables.iter();
    let memory: Vec<usize> = values.map(|var| random.below(var.values.len())).collect();
    let mut lines = table.invariant.iter();
    if lines.any(|line| line.at == at && line.memory == memory) {
        return Vec::new();
    }
    table.invariant.push(Reached {
        sent: vec![vec![0; vars]; at.len()],
        own: vec![vec![0; vars]; at.len()],
        at: at.clone(),
        memory: memory.clone(),
    });
    let claim = Claim::new(stored, table);
    vec![claim.state(&at, &memory, claim.empty())]
}

/// A state of a set that a line stands for.
fn state_of(claim: &Claim<'_>, set: &StateSet, line: &Reached) -> Option<Whole> {
    let mut nodes = set.at.iter().zip(&line.at);
    let mut memory = set.memory.iter().zip(&line.memory);
    let fits = nodes.all(|(node, at)| node.is_none_or(|node| node == *at))
        && memory.all(|(mask, value)| mask >> value & 1 == 1);
    if !fits {
        return None;
    }
    let pick = |var: usize, mask: u64| {
        let first = (mask != 0).then(|| mask.trailing_zeros());
        first.map(|number| claim.value(var, number))
    };
    let threads = set.buffers.iter().zip(line.sent.iter().zip(&line.own));
    let buffers = threads.map(|(buffers, (sent, own))| match buffers {
        BufferSet::Store(words) => {
            let words = words.iter().enumerate().map(|(var, (letters, _))| {
                let letters = letters.iter().map(|letter| pick(var, letter & own[var]));
                letters.collect::<Option<Vec<i64>>>()
            });
            Some(Buffer::Stores(words.collect::<Option<_>>()?))
        }
        BufferSet::Load { word, own: marks } => {
            let word = word.iter().map(|&(var, values)| {
                let value = pick(var, values & sent[var]);
                value.map(|value| (var, value))
            });
            let marks = marks.iter().enumerate().map(|(var, mark)| match *mark {
                MarkSet::Past(_) => Some(None),
                MarkSet::Kept(values, older, _) => {
                    let value = pick(var, values & own[var]);
                    value.map(|value| Some((value, older)))
                }
            });
            Some(Buffer::Loads(
                word.collect::<Option<_>>()?,
                marks.collect::<Option<_>>()?,
            ))
        }
    });
    let buffers = buffers.collect::<Option<Vec<Buffer>>>()?;
    Some(claim.state(&line.at, &line.memory, buffers))
}

/// Takes each set of fences out of the program; how often an exploration finds that a property is broken then, and the basis, which
/// cannot show the contrary, is rejected.
fn without_fences(stored: &Stored, right: &BasisTable) -> usize {
    let fences: Vec<String> = stored.config.fences.iter().cloned().collect();
    let mut rejected = 0;
    for taken in 1_u32..1 << fences.len().min(4) {
        let mut changed = stored.clone();
        *table(&mut changed) = right.clone();
        let left = fences.iter().enumerate();
        let left = left.filter(|(place, _)| taken >> place & 1 == 0);
        changed.config.fences = left.map(|(_, name)| name.clone()).collect();
        if is_violated(&changed) {
            let found = certify::check(&changed, &Solver::Library);
            let accepted = found.is_ok_and(|report| report.verdict == Verdict::Accepted);
            assert!(!accepted, "without {taken:b} of {fences:?}");
            rejected += 1;
        }
    }
    rejected
}

/// At least 200 changed bases of which a run shows that an obligation does not hold are rejected, some of each kind.
#[test]
fn changed_bases_that_a_run_refutes_are_rejected() {
    let mut random = Random::new(18);
    let mut rejected: BTreeMap<(Change, Model), usize> = BTreeMap::new();
    for name in PROGRAMS {
        for model in [Model::Tso, Model::Pso] {
            let Sample { mut stored, .. } = sample(name, model);
            let right = table(&mut stored).clone();
            for change in CHANGES {
                let rounds = match change {
                    Change::InvariantWeakened => 50,
                    _ => 15,
                };
                for round in 0..rounds {
                    let mut changed = right.clone();
                    let states = apply(change, &stored, &mut changed, &mut random);
                    let claim = Claim::new(&stored, &changed);
                    let mut states = states.into_iter().flatten();
                    if !states.any(|state| claim.is_refuted_by(&state)) {
                        continue;
                    }
                    *table(&mut stored) = changed.clone();
                    let found = certify::check(&stored, &Solver::Library).expect("it makes sense");
                    assert!(
                        matches!(found.verdict, Verdict::Rejected(_)),
                        "{name} {model} round {round}: {change:?}"
                    );
                    *rejected.entry((change, model)).or_default() += 1;
                }
            }
            *rejected.entry((Change::FencesTakenOut, model)).or_default() +=
                without_fences(&stored, &right);
            // No run says anything against the right one.
            *table(&mut stored) = right.clone();
            let claim = Claim::new(&stored, &right);
            for set in &right.sets {
                let lines = right.invariant.iter();
                let states = lines.filter_map(|line| state_of(&claim, set, line));
                let mut states = states.take(1);
                assert!(!states.any(|state| claim.is_refuted_by(&state)), "{name}");
            }
        }
    }
    let of = |change: Change| -> usize {
        let counts = rejected.iter().filter(|((of, _), _)| *of == change);
        counts.map(|(_, count)| count).sum()
    };
    assert!(
        CHANGES.iter().all(|&change| of(change) >= 15),
        "{rejected:?}"
    );
    assert!(of(Change::FencesTakenOut) >= 8, "{rejected:?}");
    assert!(rejected.values().sum::<usize>() >= 200, "{rejected:?}");
}
