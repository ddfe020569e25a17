//! Random programs of Memorax: what they do by its manual is what their translations do, and what comes out
//! of a conversion to Cupola's language and back. `CUPOLA_RANDOM_PROGRAMS=N` sets how many programs there
//! are, `CUPOLA_RANDOM_SEED=S` the first seed.

use cupola::engine::Context;
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::front::cup::check::Checked;
use cupola::front::{Format, cup, load, rmm};
use cupola::memory::Model;
use cupola::program::lower;
use cupola::source::SourceFile;
use cupola::verdict::VerdictKind;
use indexmap::IndexSet;

use crate::support::memorax;
use crate::support::random::{Flavour, Random, program_of};
use crate::support::rounds;

const SHORT_RUN: u64 = 250;

fn setting(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().expect("a number"))
}

/// The text of a program, statement by statement, so that it can be shrunk.
#[derive(Clone, Debug)]
struct Text {
    processes: Vec<Vec<String>>,
    /// The condition for the end to be forbidden.
    ends: Vec<String>,
}

impl Text {
    fn draw(random: &mut Random) -> Self {
        let passing = random.one_in(3);
        let shape = match passing {
            true => {
                let flag = random.pick(&["write: y := 1", "locked write: y := 1"]);
                [["write: x := 1", flag], ["read: $a := y", "read: $b := x"]]
            }
            false => {
                let first =
                    random.pick(&["write: x := 1", "write: x := 1", "locked write: x := 1"]);
                let second = random.pick(&["write: y := 1", "locked write: y := 1"]);
                [[first, "read: $a := y"], [second, "read: $a := x"]]
            }
        };
        let mut processes = Vec::new();
        for accesses in shape {
            let mut list: Vec<String> = accesses.map(str::to_owned).to_vec();
            for _ in 0..1 + random.below(3) {
                let at = random.below(list.len() + 1);
                list.insert(at, statement(random, 2));
            }
            processes.push(list);
        }
        let mut end = |likely: &str| match random.one_in(2) {
            true => likely.to_owned(),
            false => condition(random),
        };
        let ends = match passing {
            true => vec![end("true"), end("$a = 1 && $b = 0")],
            false => vec![end("$a = 0"), end("$a = 0")],
        };
        Text { processes, ends }
    }

    fn print(&self) -> String {
        let mut text = "forbidden E E\ndata x = 0 : [0:2] y = 0 : [0:2] z = * : [0:1]\n".to_owned();
        for (list, end) in self.processes.iter().zip(&self.ends) {
            text += "process data own = 0 : [0:1]\nregisters $a = 0 : [0:2] $b = * : [0:2] $c = 1 : [0:1]\ntext\n";
            for statement in list {
                text += &format!("  {statement};\n");
            }
            text += &format!("  assume: {end};\n  E: nop\n\n");
        }
        text
    }

    /// Texts with one statement less.
    fn smaller(&self) -> Vec<Text> {
        let mut found = Vec::new();
        for process in 0..self.processes.len() {
            for at in 0..self.processes[process].len() {
                let mut text = self.clone();
                text.processes[process].remove(at);
                found.push(text);
            }
        }
        found
    }
}

fn expr(random: &mut Random) -> String {
    let texts = [
        "0",
        "1",
        "2",
        "$a",
        "$b",
        "$a + 1",
        "$b - 1",
        "1 - $c",
        "-($a - 2)",
        "$a + $b",
    ];
    random.pick(&texts).to_owned()
}

fn condition(random: &mut Random) -> String {
    let texts = [
        "true",
        "$a = 0",
        "$a = 1 && $b != 2",
        "not [$a = $b || $c = 1]",
        "$b >= 1",
        "$a < $b",
        "$a != 2",
    ];
    random.pick(&texts).to_owned()
}

fn memory(random: &mut Random) -> String {
    let texts = ["x", "y", "x", "y", "z", "own[my]", "own[0]", "[$a]", "[1]"];
    random.pick(&texts).to_owned()
}

/// A location that is no pointer.
fn named(random: &mut Random) -> String {
    random.pick(&["x", "y", "own[my]", "own[0]"]).to_owned()
}

fn register(random: &mut Random) -> String {
    random.pick(&["$a", "$b", "$b", "$c"]).to_owned()
}

fn statement(random: &mut Random, depth: usize) -> String {
    let kinds = if depth == 0 { 17 } else { 22 };
    match random.below(kinds) {
        0 => "nop".to_owned(),
        1 => random.pick(&["fence", "llfence"]).to_owned(),
        2 => format!("{} := {}", register(random), expr(random)),
        3 => format!("assume: {}", condition(random)),
        4 => format!("read: {} = {}", memory(random), expr(random)),
        5..=7 => format!("read: {} := {}", register(random), memory(random)),
        8..=10 => format!("write: {} := {}", memory(random), expr(random)),
        11 => format!("locked write: {} := {}", memory(random), expr(random)),
        12 => format!(
            "cas({}, {}, {})",
            memory(random),
            expr(random),
            expr(random)
        ),
        13 => {
            let (location, register) = (named(random), register(random));
            let value = expr(random);
            format!("locked {{ read: {register} := {location}; write: {location} := {value} }}")
        }
        14 => {
            let (location, other) = (named(random), named(random));
            format!(
                "locked {{ read: $b := {location}; write: {other} := $b or write: {location} := 2; read: $a := {location} }}"
            )
        }
        15 => format!(
            "locked {{ read: $a := {}; read: $b := {} }}",
            named(random),
            named(random)
        ),
        16 => format!(
            "locked {{ read: {} = 0; {{ locked write: {} := 1; $a := 0 }} }}",
            named(random),
            named(random)
        ),
        17 => format!(
            "either {{ {} or {} }}",
            statement(random, depth - 1),
            statement(random, depth - 1)
        ),
        18 => format!(
            "if {} then {}",
            condition(random),
            statement(random, depth - 1)
        ),
        19 => format!(
            "if {} then {{ {} }} else {{ {} }}",
            condition(random),
            statement(random, depth - 1),
            statement(random, depth - 1)
        ),
        20 => format!(
            "while $b > 0 do {{ $b := $b - 1; {} }}",
            statement(random, depth - 1)
        ),
        _ => format!("{{ $b := 2; {{ {} }} }}", statement(random, depth - 1)),
    }
}

/// Whether a program is violated, if exploration can tell.
fn explored(checked: &Checked, model: Model) -> Option<bool> {
    let config = ExploreConfig {
        buffer: 8,
        max_states: 200_000,
        ..ExploreConfig::default()
    };
    let program = lower(checked, &IndexSet::new());
    let found = explore(&program, model, &config, &Context::default());
    match found.expect("there is no background block").kind() {
        VerdictKind::Verified => Some(false),
        VerdictKind::Violated => Some(true),
        VerdictKind::Unknown => None,
    }
}

fn checked(text: &str) -> Checked {
    let loaded = load(SourceFile::new("random.rmm", text), Format::Rmm);
    loaded
        .unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.diagnostics))
        .checked
}

/// What is compared; the numbers of comparisons with both verdicts.
#[derive(Debug, Default)]
struct Compared {
    safe: usize,
    violated: usize,
    /// Violated under a weaker model only.
    relaxed: usize,
    /// Programs that were written in the language of Memorax again.
    again: usize,
}

/// The difference that a program shows, if it shows one.
fn difference(text: &str, compared: &mut Compared) -> Option<String> {
    let source = rmm::parse(&SourceFile::new("random.rmm", text)).expect("the text is right");
    let program = checked(text);
    let written = rmm::write(&program, &IndexSet::new());
    let written = written.ok().map(|model| rmm::print(&model));
    compared.again += usize::from(written.is_some());
    let mut sc = None;
    for model in Model::ALL {
        let Some(expected) = memorax::reachable(&source, model) else {
            continue;
        };
        let Some(found) = explored(&program, model) else {
            continue;
        };
        if found != expected {
            return Some(format!(
                "{model}: by the manual {expected}, explored {found}"
            ));
        }
        if let Some(written) = &written {
            match explored(&checked(written), model) {
                Some(again) if again != expected => {
                    return Some(format!("{model}: written again it is {again}:\n{written}"));
                }
                Some(_) | None => {}
            }
        }
        compared.relaxed += usize::from(found && sc == Some(false));
        sc = sc.or(Some(found));
        match found {
            true => compared.violated += 1,
            false => compared.safe += 1,
        }
    }
    None
}

#[test]
fn translations_do_what_the_manual_says() {
    let first = setting("CUPOLA_RANDOM_SEED", 0);
    let count = setting("CUPOLA_RANDOM_PROGRAMS", SHORT_RUN);
    let mut compared = Compared::default();
    for seed in first..first + count {
        let mut text = Text::draw(&mut Random::new(seed));
        let Some(mut found) = difference(&text.print(), &mut compared) else {
            continue;
        };
        let mut ignored = Compared::default();
        while let Some((smaller, other)) = text.smaller().into_iter().find_map(|smaller| {
            let found = difference(&smaller.print(), &mut ignored)?;
            Some((smaller, found))
        }) {
            (text, found) = (smaller, other);
        }
        panic!("seed {seed}: {found}\n{}", text.print());
    }
    let least = usize::try_from(count).expect("a small number");
    assert!(compared.safe >= least / 2, "{compared:?}");
    assert!(compared.violated >= least / 2, "{compared:?}");
    assert!(compared.relaxed >= least / 25, "{compared:?}");
    assert!(compared.again >= least / 10, "{compared:?}");
}

#[test]
fn programs_that_fit_are_the_same_after_a_round() {
    let first = setting("CUPOLA_RANDOM_SEED", 0);
    let count = setting("CUPOLA_RANDOM_PROGRAMS", 4 * SHORT_RUN);
    let (mut fit, mut compared, mut finals) = (0, 0, 0);
    let flavours = [
        Flavour::Mixed,
        Flavour::Arrays,
        Flavour::Sections,
        Flavour::Locations,
    ];
    for seed in first..first + count {
        let flavour = flavours[usize::try_from(seed % 4).expect("a small number")];
        let tree = rounds::with_trivial_property(program_of(flavour, seed));
        let Ok(program) = cup::check(tree.clone()) else {
            continue;
        };
        match rounds::compare(&program) {
            Ok(None) => {}
            Ok(Some((models, states))) => {
                fit += 1;
                compared += models;
                finals += states;
            }
            Err(found) => panic!("seed {seed}: {found}\n{}", cup::print(&tree)),
        }
    }
    let least = usize::try_from(count / 20).expect("a small number");
    assert!(
        fit >= least && compared >= 2 * least,
        "{fit} fit, {compared} compared"
    );
    assert!(finals > compared, "{finals} final states");
}

/// A change of the text of a translated program.
type Change = fn(&str) -> String;

/// Ways to get the translation wrong, as changes of the program that comes out.
const WRONG: [(&str, Change); 6] = [
    ("no fence at all", |text| text.replace("fence;", "skip;")),
    ("no fence before a locked write", |text| {
        without_fence(text, true)
    }),
    ("no fence behind a locked write", |text| {
        without_fence(text, false)
    }),
    ("sections that others interrupt", |text| {
        text.replace("atomic {", "if (true) {")
    }),
    ("values outside their domains", |text| {
        let lines = text.lines().map(|line| match line.contains(" <= ") {
            true => line.replace("assume(", "assume(true || "),
            false => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    }),
    ("loads of any value", |text| {
        text.replace("assume(seen == ", "assume(true || seen == ")
    }),
];

/// The text without a fence that stands before, or behind, a store and another fence.
fn without_fence(text: &str, before: bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for at in 2..lines.len() {
        let is_fence = |at: usize| lines[at].trim_end().ends_with("fence;");
        if is_fence(at - 2) && is_fence(at) {
            let dropped = if before { at - 2 } else { at };
            lines[dropped] = lines[dropped].replace("fence;", "skip;");
        }
    }
    lines.join("\n")
}

#[test]
fn wrong_translations_are_found_out() {
    let mut found = [0; WRONG.len()];
    for seed in 0..SHORT_RUN {
        let text = Text::draw(&mut Random::new(seed)).print();
        let source = rmm::parse(&SourceFile::new("random.rmm", text.as_str()));
        let source = source.expect("the text is right");
        let program = cup::print(&checked(&text).tree);
        for (number, (what, change)) in WRONG.iter().enumerate() {
            let changed = change(&program);
            if found[number] > 0 || changed == program {
                continue;
            }
            let changed = cup::load(&SourceFile::new("changed.cup", changed.as_str()));
            let changed = changed.unwrap_or_else(|errors| panic!("{what}: {errors:?}"));
            let differs = Model::ALL.iter().any(|&model| {
                let expected = memorax::reachable(&source, model);
                let explored = explored(&changed, model);
                expected
                    .zip(explored)
                    .is_some_and(|(left, right)| left != right)
            });
            found[number] += usize::from(differs);
        }
    }
    for ((what, _), found) in WRONG.iter().zip(found) {
        assert!(found > 0, "nothing shows {what}");
    }
}
