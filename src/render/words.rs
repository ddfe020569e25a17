//! The words that several reports have in common: counts, verdicts, limits, properties.

use crate::engine::explore::ExploreConfig;
use crate::verdict::{Limit, VerdictKind};

use super::{Advice, Page, Tone};

/// `1 state`, `2 states`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Which limit an exploration met.
pub fn limit(limit: Limit, config: &ExploreConfig) -> String {
    match limit {
        Limit::Overflow => "a buffer of the reduced program overflows".to_owned(),
        Limit::Interrupted => "it was interrupted".to_owned(),
        Limit::Memory => "the memory was full".to_owned(),
        Limit::Timeout => "the time was up".to_owned(),
        Limit::States => format!("there are more than {} states", config.max_states),
        Limit::Buffer => format!(
            "a store met a full buffer, the limit being {}",
            config.buffer
        ),
        Limit::Values => "a value did not fit 64 bits".to_owned(),
        Limit::Havoc => {
            let (low, high) = config.havoc.ends();
            format!("arbitrary values were tried only from {low} to {high}")
        }
    }
}

/// Which limit an exploration met, and what to try.
pub fn limit_and_advice(which: Limit, config: &ExploreConfig, page: &Page) -> String {
    let advice = page.advise(Advice::on(which));
    format!("{}: {advice}", limit(which, config))
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A text as a sentence.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

/// Why nothing is known, in a few words.
pub fn reason(limit: Limit) -> &'static str {
    match limit {
        Limit::Overflow => "overflow",
        Limit::Interrupted => "interrupted",
        Limit::Memory => "out of memory",
        Limit::Timeout => "out of time",
        Limit::States => "too many states",
        Limit::Buffer => "full buffer",
        Limit::Values => "values beyond 64 bits",
        Limit::Havoc => "arbitrary values",
    }
}

impl From<VerdictKind> for Tone {
    fn from(kind: VerdictKind) -> Self {
        match kind {
            VerdictKind::Verified => Tone::Good,
            VerdictKind::Violated => Tone::Bad,
            VerdictKind::Unknown => Tone::Open,
        }
    }
}
