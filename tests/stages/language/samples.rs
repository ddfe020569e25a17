//! Programs that the tests start from.

use std::path::{Path, PathBuf};

use codespan_reporting::term::emit_to_string;
use cupola::source::{Diagnostic, SourceFile};

/// A program that uses every construct of the language.
pub const EVERYTHING: &str = r#"// a header

const N = 2, LAST = N - 1;
shared x, y = -3, a[N] = { 1, 2 }, any = *, some = 0..N;

thread P[2] {
  local r, s[3] = 7, t[N + 1] = -1..1;
  fifo q;
  fifo b { f, g };
  background {
    pop(q);
    assume(r > 0);
    if (*) {
      x = r;
    } else {
      skip;
    }
    r = r - 1;
  }

start: r = x;
  append(q, r + 1);
  append(b, x, b_newest_g + 1);
  assume(q_len > 0 && b_oldest_f == q_newest);
  a[tid] = r + 1;
  s[r] = -r * 2 - (r - 1);
  s[0] = r / 2 % (N + 1) * N - -r % 3;
  r = *;
  s[LAST] = choose(-1, tid + N);
  fence;
  fence? f;
  r = cas(x, 0, 1);
  r = swap(a[1 - tid], s[0]);
  r = fetch_add(y, -1);
  assume(r == 0 || r != 1 && !(r < 2));
  assert(x <= y, "x is at most y");
  if (r >= 1) {
    goto start;
  } else if (r == 1) {
    skip;
  } else {
    r = 0;
  }
  while (true) {
    continue;
  }
  do {
    r = x;
    break;
  } while (false);
  loop {
    atomic {
      x = 1;
      y = 2;
    }
  }
}

thread Q {
end: skip;
}

fences tso: f;
fences pso: f;
invariant bound: x <= 10;
forbid P[0]@start && Q@end;
finally P[LAST].r == a[0] || P[0].s[2] == 7;
"#;

/// The example programs, in order.
pub fn examples() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cup"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("examples are text");
            (path, text)
        })
        .collect()
}

/// Diagnostics as the user sees them.
pub fn render(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let style = diagnostic.style(file);
        emit_to_string(
            &mut text,
            &style,
            file.codespan(),
            &diagnostic.to_codespan(),
        )
        .expect("diagnostics can be rendered");
    }
    text
}
