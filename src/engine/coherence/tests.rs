//! The rules against real buffers: what a rule does is what real buffers of a few stores do, no less and no more; and wrong
//! rules, which this must notice.

use std::collections::BTreeSet;

use indexmap::IndexSet;

use super::buffer::{Buffer, Rules, Semantics, Slot, entries, flushes, one, store};
use super::mutants::{COUNT, Mutant};
use crate::verdict::Domain;

/// A store of a real buffer: its variable and its number.
type Letter = (Slot, u8);

/// A real buffer, the oldest store first.
type Word = Vec<Letter>;

const LETTERS: [Letter; 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

/// The longest real buffers.
const LONGEST: usize = 5;

/// Whether a buffer stands for a real one, as the documentation defines it.
fn stands_for(domain: Domain, buffer: &Buffer, word: &[Letter]) -> bool {
    let Some(tail) = word.strip_prefix(&buffer.head[..]) else {
        return false;
    };
    (0..buffer.sets.len()).all(|slot| {
        let of = |letters: &[Letter]| -> Vec<u8> {
            let own = letters.iter().filter(|(of, _)| *of == slot);
            own.map(|(_, entry)| *entry).collect()
        };
        let held: BTreeSet<u8> = of(tail).into_iter().collect();
        let set: BTreeSet<u8> = entries(buffer.sets[slot]).collect();
        let sets = match domain {
            Domain::Set | Domain::Fd => held == set,
            Domain::Pd => held.is_subset(&set) && held.is_empty() == set.is_empty(),
        };
        sets && (domain == Domain::Set || buffer.last[slot] == of(word).last().copied())
    })
}

/// All real buffers that are not too long.
fn words() -> Vec<Word> {
    let mut words: Vec<Word> = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..LONGEST {
        let end = words.len();
        for number in start..end {
            for letter in LETTERS {
                let mut longer = words[number].clone();
                longer.push(letter);
                words.push(longer);
            }
        }
        start = end;
    }
    words
}

/// The pairs of a real buffer and one that stands for it that steps lead to; or what is wrong with the rules.
fn pairs(rules: &impl Rules, (domain, k): (Domain, usize)) -> Result<Vec<(Word, Buffer)>, String> {
    let mut pairs: IndexSet<(Word, String)> = IndexSet::new();
    let mut found = vec![(Word::new(), Buffer::empty(2))];
    let mut next = 0;
    while let Some((word, buffer)) = found.get(next).cloned() {
        next += 1;
        if buffer.head.len() > k {
            return Err(format!("{buffer:?} has more than {k} in order"));
        }
        same_answers(rules, domain, &buffer, &word)?;
        let mut add = |word: Word, buffer: Buffer| {
            if pairs.insert((word.clone(), format!("{buffer:?}"))) {
                found.push((word, buffer));
            }
        };
        if word.len() < LONGEST {
            for (slot, entry) in LETTERS {
                let mut longer = word.clone();
                longer.push((slot, entry));
                match store(rules, &buffer, slot, entry) {
                    Some(after) if stands_for(domain, &after, &longer) => add(longer, after),
                    other => return Err(format!("{buffer:?} with {entry} in {slot}: {other:?}")),
                }
            }
        }
        if let Some((&oldest, rest)) = word.split_first() {
            let flushed = flushes(rules, &buffer).into_iter().filter(|flush| {
                (flush.slot, flush.entry) == oldest && stands_for(domain, &flush.left, rest)
            });
            let flushed: Vec<Buffer> = flushed.map(|flush| flush.left).collect();
            if flushed.is_empty() {
                return Err(format!(
                    "{buffer:?} for {word:?}: {oldest:?} is not flushed"
                ));
            }
            flushed
                .into_iter()
                .for_each(|left| add(rest.to_vec(), left));
        }
    }
    Ok(found)
}

/// Loads, atomic operations and fences see what is really there.
fn same_answers(
    rules: &impl Rules,
    domain: Domain,
    buffer: &Buffer,
    word: &[Letter],
) -> Result<(), String> {
    for slot in 0..2 {
        let last = word
            .iter()
            .rfind(|(of, _)| *of == slot)
            .map(|(_, entry)| *entry);
        let read = rules.load_b(buffer, slot);
        let is_right = match (last, domain) {
            (None, _) => read.is_none(),
            (Some(last), Domain::Set) => {
                read == Some(buffer.sets[slot]) && buffer.sets[slot] & one(last) != 0
            }
            (Some(last), Domain::Fd | Domain::Pd) => read == Some(one(last)),
        };
        if !is_right
            || rules.load_g(buffer, slot) != last.is_none()
            || rules.emp(buffer, slot) != last.is_none()
        {
            return Err(format!("{buffer:?} for {word:?}: loads of {slot}"));
        }
    }
    match rules.fence(buffer) == word.is_empty() {
        true => Ok(()),
        false => Err(format!("{buffer:?} for {word:?}: a fence")),
    }
}

/// What is wrong with some rules: they miss what real buffers do, or do what none does.
fn wrong(rules: &impl Rules, (domain, k): (Domain, usize)) -> Option<String> {
    let pairs = match pairs(rules, (domain, k)) {
        Ok(pairs) => pairs,
        Err(error) => return Some(error),
    };
    let mut texts = IndexSet::new();
    let buffers: Vec<&Buffer> = pairs
        .iter()
        .map(|(_, buffer)| buffer)
        .filter(|buffer| texts.insert(format!("{buffer:?}")))
        .collect();
    let words = words();
    for &buffer in &buffers {
        let meant: Vec<&Word> = words
            .iter()
            .filter(|word| stands_for(domain, buffer, word))
            .collect();
        for flush in flushes(rules, buffer) {
            let is_real = meant.iter().any(|word| {
                word.first() == Some(&(flush.slot, flush.entry))
                    && stands_for(domain, &flush.left, &word[1..])
            });
            if !is_real {
                return Some(format!("{buffer:?}: no real buffer does {flush:?}"));
            }
        }
        for &other in &buffers {
            let covered = rules.covers(other, buffer);
            let all = meant.iter().all(|word| stands_for(domain, other, word));
            if covered && !all {
                return Some(format!("{other:?} does not cover {buffer:?}"));
            }
        }
    }
    None
}

const ABSTRACTIONS: [(Domain, usize); 7] = [
    (Domain::Set, 0),
    (Domain::Fd, 0),
    (Domain::Fd, 1),
    (Domain::Fd, 2),
    (Domain::Pd, 0),
    (Domain::Pd, 1),
    (Domain::Pd, 2),
];

/// Every rule does what real buffers do, and nothing that none of them does.
#[test]
fn rules_are_those_of_real_buffers() {
    for (domain, k) in ABSTRACTIONS {
        assert_eq!(
            wrong(&Semantics::new(domain, k), (domain, k)),
            None,
            "{domain:?} {k}"
        );
    }
}

macro_rules! noticed {
    ($($number:literal)*) => {
        [$(($number, ABSTRACTIONS.iter().any(|&(domain, k)| {
            wrong(&Mutant::<$number>(Semantics::new(domain, k)), (domain, k)).is_some()
        }))),*]
    };
}

#[test]
fn wrong_rules_are_noticed() {
    let noticed = noticed!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
    assert_eq!(noticed.len(), COUNT, "every mutant is tried");
    let missed = noticed
        .iter()
        .filter(|(number, noticed)| (*number == 0) == *noticed);
    let missed: Vec<usize> = missed.map(|(number, _)| *number).collect();
    assert!(missed.is_empty(), "not noticed, or wrongly: {missed:?}");
}
