//! Every rule of the language has a program that breaks it, with the messages that the user sees.
//!
//! The programs stand in `broken/` (rejected) and `warned/` (accepted with a warning), the messages in
//! `snapshots/`; `INSTA_UPDATE=always cargo test --test stages language::` brings them up to date.

use std::path::Path;

use cupola::front::cup::load;
use cupola::source::SourceFile;

use super::samples::render;

fn file(path: &Path) -> SourceFile {
    let name = path.file_name().expect("globs find files");
    let text = std::fs::read_to_string(path).expect("programs are text");
    SourceFile::new(name.to_string_lossy(), text)
}

fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings
}

#[test]
fn broken_programs_are_explained() {
    settings().bind(|| {
        insta::glob!("broken/*.cup", |path| {
            let file = file(path);
            let messages = load(&file).expect_err("the program breaks a rule");
            insta::assert_snapshot!("broken", render(&file, &messages));
        });
    });
}

#[test]
fn doubtful_programs_are_accepted_with_a_warning() {
    settings().bind(|| {
        insta::glob!("warned/*.cup", |path| {
            let file = file(path);
            let checked = load(&file).expect("the program obeys all rules");
            insta::assert_snapshot!("warned", render(&file, &checked.warnings));
        });
    });
}
