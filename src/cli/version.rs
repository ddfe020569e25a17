//! What `--version` says: the version, the commit where it is known, and the solver.

use std::sync::OnceLock;

use cupola::smt;

/// The commit that a release was built from; unknown where there was no repository.
const COMMIT: Option<&str> = option_env!("CUPOLA_COMMIT");

/// `0.1.0 (commit 0123456789ab, libz3 4.13.3)`.
pub fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let (version, solver) = (env!("CARGO_PKG_VERSION"), smt::version());
        match COMMIT {
            Some(commit) => format!("{version} (commit {commit}, libz3 {solver})"),
            None => format!("{version} (libz3 {solver})"),
        }
    })
}
