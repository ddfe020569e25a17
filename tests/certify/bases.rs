//! Small safe programs whose certificates the tests check and mutate.

use cupola::certificate::Stored;
use cupola::certify;
use cupola::lang::placement::Placement;
use cupola::lang::source::SourceFile;
use cupola::model::Model;
use cupola::pipeline::{self, Bound, MethodChoice, PipelineConfig};
use cupola::program::Program;
use cupola::reduce::{Flush, ReduceConfig};

use crate::enumerate::{self, Listing, Reached};
use crate::support::proofs::Proved;

/// A program with all its states and the certificate that they make, right or wrong.
pub struct Base {
    /// What it is called in messages.
    pub name: String,
    /// The reduced program.
    pub program: Program,
    /// Its states.
    pub reached: Reached,
    /// The certificate, stored.
    pub stored: Stored,
    /// Its obligations.
    pub obligations: String,
}

/// A program, and what to reduce it for.
pub struct Case {
    pub name: &'static str,
    pub text: &'static str,
    pub model: Model,
    pub k: usize,
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
            k: self.k,
            fences: self.fences.iter().map(|&name| name.to_owned()).collect(),
            flush: self.flush,
        }
    }

    pub fn base(&self) -> Base {
        let (source, config) = (self.source(), self.config());
        let base = base(self.name, &source, &config, self.listing);
        base.filter(|base| !base.reached.broken)
            .expect("the case is safe and small")
    }
}

impl Case {
    /// The case with the certificate that the pipeline makes, if it verifies it.
    pub fn verified(&self) -> Option<Base> {
        let proved = Proved::new(&format!("{}.cup", self.name), self.text, None);
        let fences = self.fences.iter().map(|&name| name.to_owned());
        let placement = Placement::Named(fences.collect());
        let how = (Bound::Fixed(self.k), MethodChoice::Auto);
        let report = proved.verify(&[self.model], how, placement.clone());
        let config = PipelineConfig {
            placement,
            ..PipelineConfig::default()
        };
        let made = pipeline::certificate(&proved.task(), &report.results[0], &config);
        let certificate = made.expect("no limit is hit")?;
        let (stored, obligations) = certify::seal(&certificate).expect("it makes sense");
        let program = enumerate::reduced(&certificate.source, &certificate.config)?;
        Some(Base {
            name: self.name.to_owned(),
            reached: enumerate::reach(&program)?,
            program,
            stored,
            obligations,
        })
    }
}

/// The certificate of a program, if it is small.
pub fn base(
    name: &str,
    source: &SourceFile,
    config: &ReduceConfig,
    listing: Listing,
) -> Option<Base> {
    let program = enumerate::reduced(source, config)?;
    let reached = enumerate::reach(&program)?;
    let certificate = enumerate::certificate(source, config, &program, &reached, listing);
    let (stored, obligations) = certify::seal(&certificate).expect("the certificate makes sense");
    Some(Base {
        name: name.to_owned(),
        program,
        reached,
        stored,
        obligations,
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

/// The cases, each with another side of the checker in it.
pub fn cases() -> Vec<Case> {
    use Flush::{Background, Inline};
    use Listing::{All, Free};
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
        case("sb_sc", SB, Sc, 1, &[] as &[_], Background, Free),
        case("sb_tso", SB, Tso, 1, &["a", "b"], Background, Free),
        case("sb_pso_inline", SB, Pso, 1, &["a", "b"], Inline, Free),
        case("mp_tso", MP, Tso, 2, &[], Background, Free),
        case("mp_pso", MP, Pso, 1, &["a"], Background, All),
        case("lock_sc", LOCK, Sc, 1, &[], Background, Free),
        case("lock_tso", LOCK, Tso, 2, &[], Background, Free),
        case("section_sc", SECTION, Sc, 1, &[], Background, All),
        case("section_tso", SECTION, Tso, 3, &[], Background, All),
        case("section_pso", SECTION, Pso, 2, &["f"], Background, All),
        case("array_sc", ARRAY, Sc, 1, &[], Background, Free),
        case("array_tso", ARRAY, Tso, 1, &["f"], Background, Free),
    ]
}
