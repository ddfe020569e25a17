//! Every parser on texts that are nearly right: an answer or errors with places, never a panic.
//!
//! The texts are those of the examples and of the tests, with pieces dropped, doubled, swapped,
//! replaced by other pieces of the same and of other files, or by odd characters.
//! `CUPOLA_RANDOM_PROGRAMS=N` sets how many texts each parser gets, `CUPOLA_RANDOM_SEED=S` the seed.

use std::path::{Path, PathBuf};

use crate::support::proofs::Proved;
use crate::support::random::Random;
use assert_cmd::Command;
use cupola::certificate;
use cupola::certify::{self, Solver};
use cupola::engine::predicate::{Bound, MethodChoice};
use cupola::front::cup::check::Checked;
use cupola::front::cup::placement::Placement;
use cupola::front::{cup, rmm};
use cupola::memory::{BufferSizes, Model};
use cupola::render::{self, Page};
use cupola::source::{Diagnostic, SourceFile};
use cupola::{litmus, proof};
use tempfile::TempDir;

/// Texts for each parser where nothing else is asked for.
const SHORT_RUN: u64 = 400;

/// One in so many texts is also given to the command line.
const COMMANDS: u64 = 40;

fn setting(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().expect("a number"))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The texts of all files of a kind in a folder.
fn texts(folder: &str, extension: &str) -> Vec<String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a text");
    let texts: Vec<String> = files.iter().map(read).collect();
    assert!(!texts.is_empty(), "{folder} has no .{extension} files");
    texts
}

/// Gives a parser its texts: a text of the list, changed in up to four places. `check` says whether the
/// parser read the text.
fn for_all(texts: &[String], check: impl FnMut(u64, &str) -> bool) -> Answers {
    for_some(1, texts, check)
}

/// The same with one in `step` texts.
fn for_some(step: usize, texts: &[String], mut check: impl FnMut(u64, &str) -> bool) -> Answers {
    let mut answers = Answers::default();
    let first = setting("CUPOLA_RANDOM_SEED", 0);
    let seeds = first..first + setting("CUPOLA_RANDOM_PROGRAMS", SHORT_RUN);
    for seed in seeds.step_by(step) {
        let mut random = Random::new(seed);
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(4) {
            let other = &texts[random.below(texts.len())];
            text = changed(&text, other, &mut random);
        }
        match check(seed, &text) {
            true => answers.read += 1,
            false => answers.refused += 1,
        }
    }
    answers
}

/// How many texts a parser read, and how many it refused.
#[derive(Debug, Default)]
struct Answers {
    read: usize,
    refused: usize,
}

impl Answers {
    /// Asserts that the texts are not all alike: of both kinds there is one in forty.
    #[track_caller]
    fn assert_both(&self) {
        let least = (self.read + self.refused).div_ceil(40);
        assert!(self.read >= least && self.refused >= least, "{self:?}");
    }
}

/// One change.
fn changed(text: &str, other: &str, random: &mut Random) -> String {
    let piece = piece(text, random);
    let (before, after) = (&text[..piece.0], &text[piece.1..]);
    let within = &text[piece.0..piece.1];
    match random.below(7) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{within}{within}{after}"),
        2 => before.to_owned(),
        3 => {
            let (start, end) = self::piece(other, random);
            format!("{before}{}{after}", &other[start..end])
        }
        4 => {
            let (start, end) = self::piece(after, random);
            let swapped = &after[start..end];
            format!(
                "{before}{swapped}{}{within}{}",
                &after[..start],
                &after[end..]
            )
        }
        5 => format!("{before}{}{after}", random.pick(&ODD)),
        _ => format!("{before}{within}{}{after}", random.pick(&ODD)),
    }
}

/// A short piece of a text, by its ends.
fn piece(text: &str, random: &mut Random) -> (usize, usize) {
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let start = random.below(ends.len());
    let longest = if random.one_in(4) { 60 } else { 6 };
    let end = (start + random.below(longest)).min(ends.len() - 1);
    (ends[start], ends[end])
}

/// What does not often stand where it is put.
const ODD: [&str; 24] = [
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "é",
    "∧",
    "\u{202e}",
    "\u{feff}",
    "(",
    ")",
    "{",
    "}",
    "[0]",
    ";",
    "//",
    "/*",
    "\"",
    "99999999999999999999",
    "-9223372036854775808",
    "@",
    "!(",
    "atomic {",
];

/// That the places of diagnostics are in the text, at the ends of characters, and that there are some.
#[track_caller]
fn assert_placed(text: &str, diagnostics: &[Diagnostic]) {
    assert!(
        !diagnostics.is_empty(),
        "it is refused without a reason:\n{text}"
    );
    for diagnostic in diagnostics {
        let spans = diagnostic.secondary.iter().chain([&diagnostic.primary]);
        for (span, _) in spans {
            let piece = text.get(span.range());
            assert!(piece.is_some(), "{diagnostic:?} is outside of\n{text}");
        }
    }
}

/// That a command refuses the text with exit code 2, with a message and with nothing else.
#[track_caller]
fn assert_refused(name: &str, text: &str, arguments: &[&str]) {
    let folder = TempDir::new().expect("there is room");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("it can be written");
    let mut command = Command::cargo_bin("cupola").expect("the binary is built");
    let output = command
        .args(arguments)
        .arg(&file)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        output.stdout.is_empty() && !output.stderr.is_empty(),
        "{text}"
    );
}

#[test]
fn programs() {
    let answers = for_all(&texts("examples", "cup"), |seed, text| {
        let file = SourceFile::new("random.cup", text);
        let loaded = cup::load(&file);
        let read = loaded.is_ok();
        match loaded {
            Ok(checked) => {
                let printed = cup::print(&checked.tree);
                let again = SourceFile::new("again.cup", printed.as_str());
                let again = cup::load(&again).expect("what is printed can be read");
                assert_eq!(cup::print(&again.tree), printed);
            }
            Err(diagnostics) => {
                assert_placed(text, &diagnostics);
                if seed % COMMANDS == 0 {
                    assert_refused("random.cup", text, &["verify", "--model", "sc"]);
                }
            }
        }
        read
    });
    answers.assert_both();
}

#[test]
fn proofs() {
    let source = std::fs::read_to_string(root().join("examples/peterson.cup")).expect("a text");
    let file = SourceFile::new("peterson.cup", source);
    let checked: Checked = cup::load(&file).expect("a program");
    let program = cupola::program::lower(&checked, &Default::default());
    // Most of the texts are proofs of this program, since the others name variables of their own.
    let own = std::fs::read_to_string(root().join("examples/peterson.proof")).expect("a text");
    let mut texts = texts("examples", "proof");
    texts.extend(std::iter::repeat_n(own, 3 * texts.len()));
    let answers = for_all(&texts, |seed, text| {
        let file = SourceFile::new("random.proof", text);
        let parsed = proof::parse(&file, &checked);
        let read = parsed.is_ok();
        match parsed {
            Ok((proof, _)) => {
                let printed = SourceFile::new("again.proof", proof.text(&program));
                let (again, _) = proof::parse(&printed, &checked).expect("it can be read again");
                assert_eq!(again.text(&program), proof.text(&program));
            }
            Err(diagnostics) => {
                assert_placed(text, &diagnostics);
                if seed % COMMANDS == 0 {
                    let option = ["prove", "examples/peterson.cup", "--proof"];
                    assert_refused("random.proof", text, &option);
                }
            }
        }
        read
    });
    answers.assert_both();
}

#[test]
fn boolean_programs() {
    let folder = "boolprog_checker/tests/programs";
    let answers = for_all(&texts(folder, "bp"), |seed, text| {
        let parsed = boolprog_checker::parse(text);
        let read = parsed.is_ok();
        match parsed {
            Ok(program) => {
                let printed = program.to_string();
                let again = boolprog_checker::parse(&printed).expect("what is printed can be read");
                assert_eq!(again.to_string(), printed);
            }
            Err(errors) => {
                assert!(errors.iter().count() > 0);
                for span in errors.iter().filter_map(|error| error.span) {
                    let piece = text.get(span.start as usize..span.end as usize);
                    assert!(piece.is_some(), "{errors} is outside of\n{text}");
                }
                if seed % COMMANDS == 0 {
                    assert_refused("random.bp", text, &["check"]);
                }
            }
        }
        read
    });
    answers.assert_both();
}

#[test]
fn programs_of_memorax() {
    let mut all = texts("examples/rmm", "rmm");
    // Short texts are more often nearly right, and have the rest of the language.
    all.push(
        "forbidden L * predicates $0 = 1 macro m(a) write: a := 1 endmacro data x = * : Z process(2) text L: m(x)"
            .to_owned(),
    );
    let answers = for_all(&all, |seed, text| {
        let file = SourceFile::new("random.rmm", text);
        let found = rmm::parse(&file).and_then(|model| rmm::translate(&model));
        match found {
            Ok(tree) => {
                let printed = SourceFile::new("random.cup", cup::print(&tree));
                let checked = cup::load(&printed);
                checked.unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
                true
            }
            Err(diagnostics) => {
                assert_placed(text, &diagnostics);
                if seed % COMMANDS == 0 {
                    assert_refused("random.rmm", text, &["explore", "--model", "tso"]);
                }
                false
            }
        }
    });
    answers.assert_both();
}

#[test]
fn litmus_tests() {
    let answers = for_all(&texts("tests/litmus", "litmus"), |seed, text| {
        let file = SourceFile::new("random.litmus", text);
        let parsed = litmus::parse(&file);
        if let Err(rejection) = &parsed {
            assert_placed(text, &rejection.diagnostics);
            if seed % COMMANDS == 0 && !rejection.not_modelled {
                assert_refused("random.litmus", text, &["litmus", "--model", "tso"]);
            }
        }
        parsed.is_ok()
    });
    answers.assert_both();
}

/// A certificate with one of its files changed is refused, rejected or, where nothing but layout
/// changed, accepted.
#[test]
fn certificates() {
    let folder = TempDir::new().expect("there is room");
    let source = prepared();
    let dir = folder.path().join("certificate");
    let mut total = Answers::default();
    for name in ["certificate.json", "source.cup", "reduced.cup"] {
        let original = read_back(&source, &dir, name);
        let answers = for_some(4, &[original], |_, text| {
            std::fs::write(dir.join(name), text).expect("it can be written");
            let Ok(stored) = certificate::read(&dir) else {
                return false;
            };
            let Ok(report) = certify::check(&stored, &Solver::Library) else {
                return false;
            };
            let text = render::certify::text(&report, &Page::unlimited());
            assert!(!text.is_empty());
            true
        });
        total.read += answers.read;
        total.refused += answers.refused;
    }
    total.assert_both();
}

/// A small certificate.
fn prepared() -> certificate::Stored {
    let source = std::fs::read_to_string(root().join("examples/litmus_sb.cup")).expect("a text");
    let proved = Proved::new("litmus_sb.cup", &source, None);
    let how = (Bound::Fixed(BufferSizes::ONE), MethodChoice::Auto);
    let report = proved.verify(&[Model::Tso], how, Placement::Declared);
    let made = proved.certificate(&report.results[0]);
    let made = made.expect("it is verified");
    certify::prepare(&made).expect("it makes sense")
}

/// Writes the certificate anew and reads one of its files.
fn read_back(stored: &certificate::Stored, dir: &Path, name: &str) -> String {
    certificate::write(dir, stored, certificate::Existing::Replace).expect("it can be written");
    std::fs::read_to_string(dir.join(name)).expect("a text")
}
