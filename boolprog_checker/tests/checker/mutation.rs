//! Two hundred broken texts: each is refused by the command with exit code 2 and a diagnostic.

use crate::support::command::run;
use boolprog_checker::parse;

/// How many broken texts are tried.
const MUTATIONS: usize = 200;

const TEXT: &str = include_str!("../programs/peterson.bp");

/// A small generator of numbers, always the same ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// One change of the text: a byte dropped, doubled or replaced, a piece cut out, the end cut off.
fn mutate(text: &str, numbers: &mut Numbers) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = numbers.below(bytes.len());
    match numbers.below(5) {
        0 => {
            bytes.remove(at);
        }
        1 => bytes.insert(at, bytes[at]),
        2 => bytes[at] = b"();:=&|!'[]{}*?#\"x0"[numbers.below(19)],
        3 => {
            let end = (at + 1 + numbers.below(20)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => bytes.truncate(at),
    }
    String::from_utf8(bytes).expect("the text is plain ASCII")
}

#[test]
fn broken_input_is_exit_code_2_with_a_diagnostic() {
    let mut numbers = Numbers(42);
    let mut broken = 0;
    while broken < MUTATIONS {
        let text = mutate(TEXT, &mut numbers);
        if parse(&text).is_ok() {
            continue;
        }
        broken += 1;
        let output = run(&text, &[]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}\n{message}");
        assert!(output.stdout.is_empty(), "{text}");
        let placed = message.contains("-:");
        assert!(
            message.starts_with("error: ") && placed,
            "{text}\n{message}"
        );
    }
}
