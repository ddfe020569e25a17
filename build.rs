//! Tells the compiler the commit that a release is built from, if this is a repository and git is there.
//!
//! Other builds do not ask: they would be made anew after each commit.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    // The package that a user builds may lie inside another repository.
    let ours = git(&["ls-files", "--error-unmatch", "build.rs"]).is_some();
    if let (true, Some(commit)) = (ours, git(&["rev-parse", "--short=12", "HEAD"])) {
        println!("cargo:rustc-env=CUPOLA_COMMIT={commit}");
    }
    for path in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", path]).filter(|_| ours) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
}

/// What git says, in one line.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    (output.status.success()).then(|| said.trim().to_owned())
}
