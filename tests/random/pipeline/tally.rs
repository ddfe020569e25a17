//! How a run goes: what is counted, and told on standard error.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use cupola::memory::Model;
use cupola::verdict::VerdictKind;

use super::RELAXED;
use super::judge::Judged;
use crate::support::compared::Compared;

/// How often progress is told.
const INTERVAL: usize = 250;

/// What was found so far.
pub struct Tally {
    /// What went wrong.
    pub failures: Vec<String>,
    counts: BTreeMap<(Model, &'static str, &'static str), usize>,
    /// Of each model the safe programs that were verified in the usual way, and all that were tried in it.
    usual: BTreeMap<Model, (usize, usize)>,
    bounds: BTreeMap<(Model, usize), usize>,
    programs: usize,
    /// The seeds that are done, from the first one that is not.
    done: std::collections::BTreeSet<u64>,
    next: u64,
}

impl Tally {
    /// Nothing so far.
    pub fn new(first: u64) -> Self {
        Tally {
            failures: Vec::new(),
            counts: BTreeMap::new(),
            usual: BTreeMap::new(),
            bounds: BTreeMap::new(),
            programs: 0,
            done: std::collections::BTreeSet::new(),
            next: first,
        }
    }

    /// Counts a program; failures and, from time to time, progress are told at once.
    pub fn add(&mut self, seed: u64, results: [(Model, Result<Judged, String>); 2]) {
        for (model, result) in results {
            match result {
                Ok(judged) => {
                    let key = (model, explored(judged.explored), judged.verdict.word());
                    *self.counts.entry(key).or_default() += 1;
                    if judged.usual && judged.explored == VerdictKind::Verified {
                        let (verified, safe) = self.usual.entry(model).or_default();
                        *verified += usize::from(judged.verdict == VerdictKind::Verified);
                        *safe += 1;
                        if judged.verdict != VerdictKind::Verified {
                            eprintln!("seed {seed}, {model}: safe, but not verified");
                        }
                    }
                    if judged.verdict == VerdictKind::Verified {
                        *self.bounds.entry((model, judged.k)).or_default() += 1;
                    }
                }
                Err(failure) => {
                    eprintln!("{failure}");
                    self.failures.push(failure);
                }
            }
        }
        self.programs += 1;
        self.done.insert(seed);
        while self.done.remove(&self.next) {
            self.next += 1;
        }
        if self.programs.is_multiple_of(INTERVAL) {
            eprintln!("{self}go on with CUPOLA_RANDOM_SEED={}", self.next);
        }
    }

    /// How many programs got a verdict that something else confirmed: `certify` or the interpreter.
    pub fn confirmed(&self, model: Model) -> Compared {
        let mut total = Compared::default();
        for ((of, _, found), &count) in &self.counts {
            if *of == model {
                total += Compared::times(count, *found != VerdictKind::Unknown.word());
            }
        }
        total
    }

    /// How many programs are safe, and how many of them are verified, of those tried in the usual way.
    pub fn share(&self, model: Model) -> (usize, usize) {
        let (verified, safe) = self.usual.get(&model).copied().unwrap_or_default();
        (safe, verified)
    }
}

const SAFE: &str = "safe";

fn explored(verdict: VerdictKind) -> &'static str {
    match verdict {
        VerdictKind::Verified => SAFE,
        VerdictKind::Violated => "violated",
        VerdictKind::Unknown => "not exhausted",
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (programs, failures) = (self.programs, self.failures.len());
        writeln!(f, "{programs} programs, {failures} failures")?;
        for model in RELAXED {
            let (safe, verified) = self.share(model);
            let share = 100.0 * verified as f64 / safe.max(1) as f64;
            writeln!(
                f,
                "{model}: {verified} of {safe} safe programs verified in the usual way, {share:.1} %"
            )?;
            for ((of, explored, verdict), count) in &self.counts {
                if *of == model {
                    writeln!(
                        f,
                        "  explorer: {explored}, predicate engine: {verdict}: {count}"
                    )?;
                }
            }
            let bounds = self.bounds.iter().filter(|((of, _), _)| *of == model);
            let bounds: Vec<String> = bounds.map(|((_, k), n)| format!("k = {k}: {n}")).collect();
            writeln!(f, "  verified with {}", bounds.join(", "))?;
        }
        Ok(())
    }
}
