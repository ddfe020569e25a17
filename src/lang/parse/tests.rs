//! Tests of the parser.

use super::*;
use crate::lang::{load, print};

#[test]
fn the_examples_load_and_print() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cup") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let file = SourceFile::new(path.display().to_string(), text.as_str());
        match load(&file) {
            Ok(checked) => {
                let printed = print(&checked.tree);
                let (again, mistakes) = parse(&SourceFile::new("again", printed.as_str()));
                assert_eq!(mistakes, []);
                assert_eq!(print(&again), printed);
            }
            Err(diagnostics) => panic!("{}: {diagnostics:#?}", path.display()),
        }
        count += 1;
    }
    assert!(count > 0);
}
