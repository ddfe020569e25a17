//! What single steps do to sets of buffers, backwards; written from the definitions in `docs/exact.md`.
//!
//! Under TSO a set of load buffers has a word, whose letters are among the messages of each buffer in this order, and a
//! demand on the newest own store of each variable. Under PSO a set of store buffers has a word for each variable.

use crate::certificate::{BufferSet, MarkSet};
use crate::memory::Model;

type Mask = u64;

/// Whether a set is one for a model with so many shared variables, and its numbers make sense.
pub(super) fn fits_model(set: &BufferSet, model: Model, vars: usize) -> bool {
    match (set, model) {
        (BufferSet::Load { word, own }, Model::Tso) => {
            own.len() == vars
                && word.iter().all(|(var, values)| *var < vars && *values != 0)
                && own.iter().all(|mark| match *mark {
                    MarkSet::Past(newer) => newer <= word.len(),
                    MarkSet::Kept(values, older, newer) => {
                        values != 0
                            && older
                                .checked_add(newer)
                                .is_some_and(|both| both <= word.len())
                    }
                })
        }
        (BufferSet::Store(words), Model::Sc | Model::Pso) => {
            words.len() == vars
                && words
                    .iter()
                    .all(|(letters, _)| letters.iter().all(|letter| *letter != 0))
        }
        (BufferSet::Load { .. }, Model::Sc | Model::Pso) | (BufferSet::Store(_), Model::Tso) => {
            false
        }
    }
}

/// All buffers.
pub(super) fn any(model: Model, vars: usize) -> BufferSet {
    match model {
        Model::Tso => BufferSet::Load {
            word: Vec::new(),
            own: vec![MarkSet::Past(0); vars],
        },
        Model::Sc | Model::Pso => BufferSet::Store(vec![(Vec::new(), false); vars]),
    }
}

/// The buffers of a final state. Memory of the load-buffer semantics is that of a state with empty store buffers.
pub(super) fn flushed(model: Model, stores: &[Mask]) -> BufferSet {
    match model {
        Model::Tso => any(model, stores.len()),
        Model::Sc | Model::Pso => {
            let words = stores.iter().map(|stores| (Vec::new(), *stores != 0));
            BufferSet::Store(words.collect())
        }
    }
}

/// Whether empty buffers are in the set.
pub(super) fn has_empty(set: &BufferSet) -> bool {
    match set {
        BufferSet::Load { word, own } => {
            word.is_empty() && own.iter().all(|mark| matches!(mark, MarkSet::Past(_)))
        }
        BufferSet::Store(words) => words.iter().all(|(letters, _)| letters.is_empty()),
    }
}

/// Whether some buffer of the set holds only values that may be there.
pub(super) fn may_hold(set: &BufferSet, sent: &[Mask], own: &[Mask]) -> bool {
    match set {
        BufferSet::Load { word, own: marks } => {
            word.iter().all(|(var, values)| values & sent[*var] != 0)
                && marks.iter().zip(own).all(|(mark, own)| match mark {
                    MarkSet::Past(_) => true,
                    MarkSet::Kept(values, ..) => values & own != 0,
                })
        }
        BufferSet::Store(words) => {
            let mut words = words.iter().zip(own);
            words.all(|((letters, _), own)| letters.iter().all(|letter| letter & own != 0))
        }
    }
}

/// Whether each buffer of a set is one of a larger set.
pub(super) fn is_part(set: &BufferSet, larger: &BufferSet) -> bool {
    match (set, larger) {
        (
            BufferSet::Load { word, own },
            BufferSet::Load {
                word: large,
                own: large_own,
            },
        ) => Embedding {
            word,
            own,
            large,
            large_own,
        }
        .exists(0, 0, &mut Vec::new()),
        (BufferSet::Store(words), BufferSet::Store(large)) => {
            let mut words = words.iter().zip(large);
            words.all(|(word, large)| is_part_word(word, large))
        }
        _ => false,
    }
}

fn is_part_word(
    (word, closed): &(Vec<Mask>, bool),
    (large, large_closed): &(Vec<Mask>, bool),
) -> bool {
    match (large_closed, large.split_last(), word.split_last()) {
        (false, ..) => is_subword(large, word),
        (true, None, None) => *closed,
        (true, Some((last, rest)), Some((of_last, of_rest))) => {
            *closed && of_last & !last == 0 && is_subword(rest, of_rest)
        }
        (true, ..) => false,
    }
}

/// Whether each letter of a word has one inside it in another word, in the same order.
fn is_subword(letters: &[Mask], word: &[Mask]) -> bool {
    match (letters, word) {
        ([], _) => true,
        (_, []) => false,
        ([letter, rest @ ..], [first, others @ ..]) if first & !letter == 0 => {
            is_subword(rest, others)
        }
        (letters, [_, others @ ..]) => is_subword(letters, others),
    }
}

/// The search for places of the letters of a larger set's word among those of a set's.
struct Embedding<'a> {
    word: &'a [(usize, Mask)],
    own: &'a [MarkSet],
    large: &'a [(usize, Mask)],
    large_own: &'a [MarkSet],
}

impl Embedding<'_> {
    /// Whether the letters from `letter` on have places from `next` on, so that all marks are as the larger set says.
    fn exists(&self, letter: usize, next: usize, places: &mut Vec<usize>) -> bool {
        let Some((var, values)) = self.large.get(letter) else {
            return self.marks_fit(places);
        };
        for place in next..self.word.len() {
            let (of, inside) = self.word[place];
            if of == *var && inside & !values == 0 {
                places.push(place);
                if self.exists(letter + 1, place + 1, places) {
                    return true;
                }
                places.pop();
            }
        }
        false
    }

    fn marks_fit(&self, places: &[usize]) -> bool {
        let mut marks = self.own.iter().zip(self.large_own);
        marks.all(|(mark, large)| match (*large, *mark) {
            (MarkSet::Past(newer), mark) => self.is_older(places, newer, mark),
            (MarkSet::Kept(..), MarkSet::Past(_)) => false,
            (MarkSet::Kept(values, older, newer), MarkSet::Kept(inside, of_older, _)) => {
                inside & !values == 0
                    && self.is_older(places, newer, *mark)
                    && (older == 0 || places[older - 1] < of_older)
            }
        })
    }

    /// Whether a mark is for sure older than the places of so many newest letters.
    fn is_older(&self, places: &[usize], newer: usize, mark: MarkSet) -> bool {
        let (MarkSet::Past(of_newer) | MarkSet::Kept(_, _, of_newer)) = mark;
        newer == 0 || (of_newer > 0 && places[places.len() - newer] >= self.word.len() - of_newer)
    }
}

/// Before a store to a buffer.
pub(super) fn before_store(set: &BufferSet, var: usize, value: usize) -> Option<BufferSet> {
    match set {
        BufferSet::Load { word, own } => {
            // The new mark is newer than every message.
            let fits = match own[var] {
                MarkSet::Past(newer) => newer == 0,
                MarkSet::Kept(values, _, newer) => newer == 0 && values >> value & 1 == 1,
            };
            let mut own = own.clone();
            own[var] = MarkSet::Past(0);
            let word = word.clone();
            fits.then_some(BufferSet::Load { word, own })
        }
        BufferSet::Store(words) => {
            let mut words = words.clone();
            let (letters, closed) = &mut words[var];
            match letters.last() {
                Some(last) if last >> value & 1 == 1 => {
                    letters.pop();
                    *closed = false;
                }
                Some(_) | None if *closed => return None,
                Some(_) | None => {}
            }
            Some(BufferSet::Store(words))
        }
    }
}

/// Before a load that yields one of these values; with what memory holds for the variable.
pub(super) fn before_load(
    set: &BufferSet,
    stores: &[Mask],
    (var, accepted): (usize, Mask),
    memory: Mask,
) -> Vec<(BufferSet, Mask)> {
    match set {
        BufferSet::Load { word, own } => {
            let found = before_load_tso((word, own), stores[var], (var, accepted));
            found.into_iter().map(|set| (set, memory)).collect()
        }
        BufferSet::Store(words) => {
            let mut found = Vec::new();
            let own = accepted & stores[var];
            let (letters, closed) = &words[var];
            let with = |letters: Vec<Mask>| {
                let mut words = words.clone();
                words[var] = (letters, true);
                BufferSet::Store(words)
            };
            if own != 0 && !closed {
                let longer = letters.iter().copied().chain([own]).collect();
                found.push((with(longer), memory));
            }
            if let Some((last, rest)) = letters.split_last()
                && last & own != 0
            {
                let narrowed = rest.iter().copied().chain([last & own]).collect();
                found.push((with(narrowed), memory));
            }
            if memory & accepted != 0 && letters.is_empty() {
                let before = match stores[var] {
                    0 => set.clone(),
                    _ => with(Vec::new()),
                };
                found.push((before, memory & accepted));
            }
            found
        }
    }
}

fn before_load_tso(
    (word, own): (&[(usize, Mask)], &[MarkSet]),
    stores: Mask,
    (var, accepted): (usize, Mask),
) -> Vec<BufferSet> {
    let mut found = Vec::new();
    let kept = match own[var] {
        MarkSet::Past(newer) => MarkSet::Kept(accepted & stores, 0, newer),
        MarkSet::Kept(values, older, newer) => {
            MarkSet::Kept(values & accepted & stores, older, newer)
        }
    };
    if let MarkSet::Kept(1.., ..) = kept {
        let mut own = own.to_vec();
        own[var] = kept;
        let word = word.to_vec();
        found.push(BufferSet::Load { word, own });
    }
    if let MarkSet::Kept(..) = own[var] {
        return found;
    }
    // The oldest message is read: the first letter, or one before it. All marks that are kept are newer than it.
    let mut words = vec![[&[(var, accepted)], word].concat()];
    if let Some(((of, values), rest)) = word.split_first()
        && *of == var
        && values & accepted != 0
    {
        words.push([&[(var, values & accepted)], rest].concat());
    }
    for read in words {
        let added = read.len() - word.len();
        let mut own: Vec<MarkSet> = own.to_vec();
        for mark in &mut own {
            if let MarkSet::Kept(_, older, _) = mark {
                *older = (*older + added).max(1);
            }
        }
        if stores != 0 {
            own[var] = MarkSet::Past(read.len());
        }
        let possible = own.iter().all(|mark| match mark {
            MarkSet::Past(_) => true,
            MarkSet::Kept(_, older, newer) => older + newer <= read.len(),
        });
        if possible {
            found.push(BufferSet::Load { word: read, own });
        }
    }
    found
}

/// Before a step that needs the buffers of these variables to be empty; under TSO the whole buffer.
pub(super) fn before_empty(set: &BufferSet, stores: &[Mask], vars: &[usize]) -> Option<BufferSet> {
    match set {
        BufferSet::Load { .. } => has_empty(set).then(|| set.clone()),
        BufferSet::Store(words) => {
            let mut words = words.clone();
            for &var in vars.iter().filter(|&&var| stores[var] != 0) {
                let (letters, closed) = &mut words[var];
                if !letters.is_empty() {
                    return None;
                }
                *closed = true;
            }
            Some(BufferSet::Store(words))
        }
    }
}

/// Before memory sends a message (TSO) or takes the oldest store (PSO); with the variable and what memory held for it.
pub(super) fn before_delivery(
    set: &BufferSet,
    stores: &[Mask],
    memory: &[Mask],
) -> Vec<(BufferSet, usize, Mask)> {
    match set {
        BufferSet::Load { word, own } => {
            let Some(((var, values), rest)) = word.split_last() else {
                return Vec::new();
            };
            let newest_is_mark = own.iter().any(|mark| match mark {
                MarkSet::Past(_) => false,
                MarkSet::Kept(_, older, _) => *older == word.len(),
            });
            let sent = memory[*var] & values;
            if sent == 0 || newest_is_mark {
                return Vec::new();
            }
            let own = own.iter().map(|mark| match *mark {
                MarkSet::Past(newer) => MarkSet::Past(newer.saturating_sub(1)),
                MarkSet::Kept(values, older, newer) => {
                    MarkSet::Kept(values, older, newer.saturating_sub(1))
                }
            });
            let set = BufferSet::Load {
                word: rest.to_vec(),
                own: own.collect(),
            };
            vec![(set, *var, sent)]
        }
        BufferSet::Store(words) => {
            let vars = (0..words.len()).filter(|&var| memory[var] & stores[var] != 0);
            let flushes = vars.map(|var| {
                let mut words = words.clone();
                words[var].0.insert(0, memory[var] & stores[var]);
                (BufferSet::Store(words), var, Mask::MAX)
            });
            flushes.collect()
        }
    }
}
