//! Small safe programs whose certificates the tests check and mutate.

use cupola::certificate::Stored;
use cupola::certify;
use cupola::engine::predicate::{Bound, MethodChoice};
use cupola::front::cup::placement::Placement;
use cupola::memory::Model;
use cupola::program::Program;
use cupola::reduce::{Flush, ReduceConfig, Reduction};
use cupola::source::SourceFile;

use crate::enumerate::{self, Listing, Reached};
use crate::support::proofs::Proved;

/// A program with all its states and the certificate that they make, right or wrong.
pub struct Base {
    /// What it is called in messages.
    pub name: String,
    /// The reduction.
    pub reduction: Reduction,
    /// The states of the reduced program.
    pub reached: Reached,
    /// The certificate, stored.
    pub stored: Stored,
}

impl Base {
    /// The reduced program.
    pub fn program(&self) -> &Program {
        &self.reduction.program
    }
}

/// A program, and what to reduce it for.
pub struct Case {
    pub name: &'static str,
    pub text: &'static str,
    pub model: Model,
    pub k: &'static str,
    pub fences: &'static [&'static str],
    pub flush: Flush,
    pub listing: Listing,
}

impl Case {
    pub fn source(&self) -> SourceFile {
        SourceFile::new(format!("{}.cup", self.name), self.text)
    }

    pub fn config(&self) -> ReduceConfig {
        ReduceConfig {
            model: self.model,
            sizes: self.k.parse().expect("sizes of buffers"),
            fences: self.fences.iter().map(|&name| name.to_owned()).collect(),
            flush: self.flush,
        }
    }

    pub fn base(&self) -> Base {
        let (source, config) = (self.source(), self.config());
        let base = base(self.name, &source, &config, self.listing);
        base.filter(|base| !base.reached.broken)
            .unwrap_or_else(|| panic!("{} is safe and small", self.name))
    }
}

impl Case {
    /// The case with the certificate that the predicate engine makes, if it verifies it.
    pub fn verified(&self) -> Option<Base> {
        let proved = Proved::new(&format!("{}.cup", self.name), self.text, None);
        let config = self.config();
        let placement = Placement::Named(config.fences.into_iter().collect());
        let how = (Bound::Fixed(config.sizes), MethodChoice::Auto);
        let report = proved.verify(&[self.model], how, placement);
        let made = proved.certificate(&report.results[0])?;
        let reduction = enumerate::reduced(&made.source, &made.config)?;
        Some(Base {
            name: self.name.to_owned(),
            reached: enumerate::reach(&reduction.program)?,
            reduction,
            stored: certify::prepare(&made).expect("it makes sense"),
        })
    }

    /// The case with another listing.
    pub fn listing(mut self, listing: Listing) -> Self {
        self.listing = listing;
        self
    }
}

/// The certificate of a program, if it is small.
pub fn base(
    name: &str,
    source: &SourceFile,
    config: &ReduceConfig,
    listing: Listing,
) -> Option<Base> {
    let reduction = enumerate::reduced(source, config)?;
    let reached = enumerate::reach(&reduction.program)?;
    let certificate = enumerate::certificate(source, &reduction, &reached, listing);
    Some(Base {
        name: name.to_owned(),
        reduction,
        reached,
        stored: certify::prepare(&certificate).expect("the certificate makes sense"),
    })
}

const SB: &str = include_str!("../../examples/litmus_sb.cup");
const MP: &str = include_str!("../../examples/litmus_mp.cup");

const LOCK: &str = "\
shared lock, x;
thread P[2] {
  local r, t;
  do { r = cas(lock, 0, 1); } while (r == 0);
  t = x;
  assert(t == 0 || t == 1, \"count\");
  x = t + 1;
  fence? f;
cs: skip;
  lock = 0;
}
forbid mutex: P[0]@cs && P[1]@cs;
finally both: x == 2;
";

const SECTION: &str = "\
shared x, y;
thread P {
  atomic { x = 1; y = 1; x = 2; }
  fence? f;
}
thread Q {
  local a, b, n;
  atomic {
    a = x;
    while (n < 2) { n = n + 1; }
    b = y;
  }
  assert(n == 2);
}
invariant counted: Q.n >= 0 && Q.n <= 2;
finally order: a <= 2;
";

const ARRAY: &str = "\
shared A[3], top;
thread P {
  local i, s;
  while (i < 3) { A[i] = i + 1; i = i + 1; fence? f; }
  top = i;
  s = fetch_add(top, -1);
}
thread Q {
  local t, v;
  t = top;
  if (t > 0) { v = A[t - 1]; assert(v == t, \"filled\"); }
  v = swap(A[1], 2);
}
invariant range: top >= 0 && top <= 3;
";

const CHOICES: &str = "\
const N = 3, HALF = N / 2;
shared x = -1..HALF, y;
thread P {
  local r, i, b[2];
  i = choose(0, HALF);
  b[i] = choose(HALF, N);
  r = b[i];
  atomic { y = r; r = choose(-N, -HALF); }
  r = r / 2;
  assert(-2 <= r && r < 0, \"down\");
}
thread Q {
  local s, t, u;
  s = y;
  assert(s <= N, \"chosen\");
  u = x;
  t = (u - s) % N;
}
invariant remainder: 0 <= Q.t && Q.t % N == Q.t;
invariant start: x + 2 >= HALF;
";

/// The cases, each with another side of the checker in it.
pub fn cases() -> Vec<Case> {
    use Flush::{Background, Inline};
    use Listing::{AllPairs as All, FreePairs as Free};
    use Model::{Pso, Sc, Tso};
    let case = |name, text, model, k, fences, flush, listing| Case {
        name,
        text,
        model,
        k,
        fences,
        flush,
        listing,
    };
    vec![
        case("sb_sc", SB, Sc, "1", &[] as &[_], Background, Free),
        case("sb_tso", SB, Tso, "1", &["a", "b"], Background, Free),
        case("sb_pso_inline", SB, Pso, "1", &["a", "b"], Inline, Free),
        case("mp_tso", MP, Tso, "2", &[], Background, Free),
        case("mp_pso", MP, Pso, "1", &["a"], Background, All),
        case("lock_sc", LOCK, Sc, "1", &[], Background, Free),
        case("lock_tso", LOCK, Tso, "2", &[], Background, Free),
        case("section_sc", SECTION, Sc, "1", &[], Background, All),
        case("section_tso", SECTION, Tso, "3", &[], Background, All),
        case("section_pso", SECTION, Pso, "2", &["f"], Background, All),
        case("choices_sc", CHOICES, Sc, "1", &[], Background, Free),
        case("choices_tso", CHOICES, Tso, "1", &[], Background, All),
        case("array_sc", ARRAY, Sc, "1", &[], Background, Free),
        case("array_tso", ARRAY, Tso, "1", &["f"], Background, Free),
        case(
            "section_pso_sizes",
            SECTION,
            Pso,
            "1,x=2",
            &["f"],
            Background,
            All,
        ),
    ]
}
