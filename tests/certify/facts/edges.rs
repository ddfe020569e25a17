//! Programs made by hand for the edges of the rules about FIFOs, in `tests/programs/edges`.
//!
//! Each says what exploration finds under TSO and PSO, and has predicates from which facts about its buffers are made. No program that is
//! broken is verified, and the reduced program has the verdict of the source. Then properties are dropped, so that no
//! search ends early, and all abstract states are listed with their steps: every concrete state with short FIFOs must be inside
//! a listed one, and every concrete step from a state that a listed one stands for must end where the list says. The
//! interpreter and the meaning of facts are those of `enumerate` and `runs`, which share nothing with the abstraction. The
//! list is accepted as a certificate, too.

use std::path::{Path, PathBuf};

use cupola::abstraction::lazy::{self, LazyFinding, LazyLimits, Listed, Unknowns};
use cupola::certificate::{
    Body, Certificate, FactsState, FactsStep, FactsTable, Literal, Predicate, Way, fact_text,
    plain_text, read_predicates,
};
use cupola::certify::{self, CertifyError, Report, Solver, Verdict};
use cupola::engine::Context;
use cupola::engine::explore::{ExploreConfig, explore};
use cupola::engine::predicate::{extrapolated, fifo_stage};
use cupola::extrapolate::ExtrapolateConfig;
use cupola::front::cup;
use cupola::front::cup::ast::{Block, ItemKind, StmtKind};
use cupola::front::cup::range::Range;
use cupola::logic::{self, Meaning};
use cupola::memory::Model;
use cupola::program::{Action, Init, Program, lower};
use cupola::reduce::Reduction;
use cupola::run::stop::Stop;
use cupola::source::SourceFile;
use cupola::verdict::{Method, VerdictKind};
use indexmap::IndexSet;
use itertools::Itertools;

use super::runs::{follow, stands_for};
use crate::enumerate::{self, State};
use crate::support::proofs::Proved;
use crate::support::random::Random;
use crate::why;

/// FIFOs in concrete runs are at most this long.
const LONGEST: usize = 3;

/// How many concrete states are seen.
const CONCRETE: usize = 100;

/// The most abstract states of a list that is checked as a certificate.
const CERTIFIED: usize = 30;

/// The values that are tried for an arbitrary one.
const ANY: (i64, i64) = (-1, 1);

const MODELS: [Model; 2] = [Model::Tso, Model::Pso];

/// The texts of the programs, by name.
fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/edges");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    let named = paths.into_iter().sorted().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("a text");
        (name.into_owned(), text)
    });
    named.collect()
}

/// The rest of the comment that begins with these words.
fn comment<'t>(text: &'t str, words: &str) -> &'t str {
    let mut lines = text.lines();
    let found = lines.find_map(|line| line.strip_prefix("// ")?.strip_prefix(words));
    found.unwrap_or_else(|| panic!("there is no comment `{words}`"))
}

/// A program reduced to FIFOs, with the predicates about it.
struct Edge {
    name: String,
    proved: Proved,
    stage: Reduction,
    predicates: Vec<logic::Predicate>,
}

impl Edge {
    fn new(name: &str, text: &str, predicates: &str, model: Model) -> Self {
        let proof = format!("predicates {predicates}");
        let proved = Proved::new(name, text, Some(&proof));
        let input = proved.input();
        let stage = fifo_stage(&input, model, &IndexSet::new()).expect("it can be reduced");
        let rules = ExtrapolateConfig::default();
        let found = extrapolated(&input, &stage, Method::Lazy, &rules);
        Edge {
            name: format!("{name}, {model}"),
            predicates: found.expect("numbers are small").predicates,
            stage,
            proved,
        }
    }

    fn is_verified(&self) -> bool {
        [Unknowns::Kept, Unknowns::Split].iter().any(|unknowns| {
            let (program, predicates) = (&self.stage.program, &self.predicates);
            let outcome = lazy::search(program, predicates, &[], *unknowns, limits());
            let finding = outcome.expect("numbers are small").finding;
            matches!(finding, LazyFinding::Verified)
        })
    }

    /// All abstract states; `None` if a limit is hit.
    fn listing(&self, unknowns: Unknowns) -> Option<Listing<'_>> {
        let listed = lazy::list(&self.stage.program, &self.predicates, unknowns, limits());
        let listed = listed.expect("numbers are small")?;
        let table = table(&self.stage.program, &self.predicates, listed);
        let read = read_predicates(&self.stage.checked, &self.stage.program, &table.predicates);
        Some(Listing {
            edge: self,
            predicates: read.expect("the text of predicates"),
            table,
        })
    }
}

fn limits() -> LazyLimits {
    LazyLimits {
        max_states: 3_000,
        max_calls: 30_000,
        stop: Stop::default(),
        differences: true,
    }
}

fn table(program: &Program, predicates: &[logic::Predicate], listed: Listed) -> FactsTable {
    let texts = predicates.iter().map(|predicate| match &predicate.meaning {
        Meaning::Cond(cond) => plain_text(program, cond),
        Meaning::Fact(fact) => fact_text(program, &fact.fifo, &fact.bound(), &fact.cond),
    });
    let literal = |(predicate, value): (usize, &Option<bool>)| {
        value.map(|holds| Literal { predicate, holds })
    };
    let states = listed
        .states
        .into_iter()
        .map(|(at, values, steps)| FactsState {
            at,
            cube: values.iter().enumerate().filter_map(literal).collect(),
            steps: steps
                .into_iter()
                .map(|step| FactsStep::new(program, &step.edges, step.left, step.to))
                .collect(),
        });
    FactsTable {
        predicates: texts.map(|text| text.expect("no location")).collect(),
        start: vec![listed.start],
        states: states.collect(),
    }
}

/// The abstract states of a program, with their steps.
#[derive(Clone)]
struct Listing<'a> {
    edge: &'a Edge,
    predicates: Vec<Predicate>,
    table: FactsTable,
}

impl Listing<'_> {
    /// The listed states that stand for a state.
    fn around(&self, state: &State) -> Vec<usize> {
        let listed = 0..self.table.states.len();
        listed
            .filter(|&listed| stands_for(&self.table, &self.predicates, listed, state))
            .collect()
    }

    /// A concrete state or step that is not where the list says.
    fn refutation(&self) -> Option<String> {
        let program = tame(&self.edge.stage.program);
        let mut seen = starts(&program);
        let start = self.table.start[0];
        if let Some(state) = seen.iter().find(|s| !self.around(s).contains(&start)) {
            return Some(format!("the start {state:?}"));
        }
        let mut next = 0;
        while next < seen.len().min(CONCRETE) {
            let state = seen[next].clone();
            next += 1;
            let around = self.around(&state);
            if around.is_empty() {
                return Some(format!("{state:?} is outside"));
            }
            for (way, to) in successors(&program, &state) {
                let behind = self.around(&to);
                let leads = |&from: &usize| {
                    let mut steps = self.table.states[from].steps.iter();
                    let step = steps.find(|step| step.way == way);
                    step.is_some_and(|step| step.to.iter().any(|to| behind.contains(to)))
                };
                if let Some(from) = around.iter().find(|from| !leads(from)) {
                    return Some(format!("from state {from} by {way:?} to {to:?}"));
                }
                if to.fifos.iter().all(|fifo| fifo.len() <= LONGEST) {
                    seen.insert(to);
                }
            }
        }
        None
    }

    fn report(&self) -> Result<Report, CertifyError> {
        let certificate = Certificate {
            source: self.edge.proved.file.clone(),
            config: self.edge.stage.config.clone(),
            body: Body::Facts(self.table.clone()),
        };
        let stored = certify::prepare(&certificate)?;
        certify::check(&stored, &Solver::Library)
    }
}

/// The program with a few values for each arbitrary one.
fn tame(program: &Program) -> Program {
    let mut program = program.clone();
    let few = Range::new(ANY.0, ANY.1).expect("some values");
    for thread in &mut program.threads {
        let edges = thread.locations.iter_mut().flat_map(|at| &mut at.edges);
        for edge in edges {
            if let Action::Havoc(place) = &edge.action {
                edge.action = Action::Choose(place.clone(), few);
            }
        }
    }
    for var in &mut program.vars {
        if var.init == Init::Any {
            var.init = Init::Range(few);
        }
    }
    program
}

fn starts(program: &Program) -> IndexSet<State> {
    let values = program.vars.iter().map(|var| match var.init {
        Init::Value(value) => vec![value],
        Init::Range(range) => range.values().collect(),
        Init::Any => unreachable!("a few values are tried"),
    });
    let start = |values| State {
        at: program.threads.iter().map(|thread| thread.entry).collect(),
        values,
        fifos: vec![Vec::new(); program.fifos.len()],
    };
    values.multi_cartesian_product().map(start).collect()
}

/// All steps from a state: edges, and whole background blocks.
fn successors(program: &Program, state: &State) -> Vec<(Way, State)> {
    let free = enumerate::is_free(program, &state.at);
    let mut steps = Vec::new();
    for thread in program.thread_ids() {
        let graph = &program.threads[thread.index()];
        let at = state.at[thread.index()];
        let way = |block, path| Way {
            thread,
            block,
            path,
            left: Vec::new(),
        };
        let edges = graph.location(at).edges.iter().enumerate();
        for (number, edge) in edges.filter(|_| free || graph.location(at).held) {
            for to in enumerate::after(program, state, thread.index(), edge) {
                let mut way = way(None, vec![number]);
                if let Action::Pop(fifo) = &edge.action {
                    way.left.push(!to.fifos[fifo.id.index()].is_empty());
                }
                steps.push((way, to));
            }
        }
        for (index, block) in graph.backgrounds.iter().enumerate().filter(|_| free) {
            let mut found = Vec::new();
            let way = way(Some(index), Vec::new());
            follow(program, (thread, block.entry), state, way, &mut found);
            steps.extend(found.into_iter().map(|(way, mut to)| {
                to.at[thread.index()] = at;
                (way, to)
            }));
        }
    }
    steps
}

/// What exploration says; of endless programs it sees a part.
fn explored(program: &Program, model: Model) -> &'static str {
    let config = ExploreConfig {
        buffer: 4,
        max_states: 4_000,
        ..ExploreConfig::default()
    };
    let explored = explore(program, model, &config, &Context::default());
    match explored.expect("it can be explored").kind() {
        VerdictKind::Verified => "safe",
        VerdictKind::Violated => "violated",
        _ => "unknown",
    }
}

/// What is broken under a model is broken after the reduction, and not verified.
#[test]
fn programs_on_the_edges_have_their_verdicts() {
    let mut verified = 0;
    let programs = programs();
    for (name, text) in &programs {
        for model in MODELS {
            let edge = Edge::new(name, text, comment(text, "predicates "), model);
            let source = lower(&edge.proved.checked, &IndexSet::new());
            let verdict = explored(&source, model);
            let said = format!("{}={verdict}", model.name());
            assert!(
                comment(text, "explored: ").contains(&said),
                "{name}: {said}"
            );
            let reduced = explored(&edge.stage.program, Model::Sc);
            assert_eq!(verdict, reduced, "{}", edge.name);
            let is_verified = edge.is_verified();
            assert!(!is_verified || verdict != "violated", "{}", edge.name);
            verified += usize::from(is_verified);
        }
    }
    assert!(programs.len() >= 37 && verified >= VERIFIED, "{verified}");
}

/// How many of the programs are verified with their predicates, models counted.
const VERIFIED: usize = 10;

#[test]
fn abstract_states_of_programs_on_the_edges_are_right() {
    let certified = hold_against_runs(Unknowns::Kept);
    assert!(certified >= 30, "{certified}");
}

/// The same where unknowns are split, so that a step has several targets.
#[test]
fn split_states_of_programs_on_the_edges_are_right() {
    let certified = hold_against_runs(Unknowns::Split);
    assert!(certified >= 10, "{certified}");
}

/// Holds all abstract states against concrete steps and has them certified; how many programs were.
fn hold_against_runs(unknowns: Unknowns) -> usize {
    let mut certified = 0;
    for (name, text) in programs() {
        for model in MODELS {
            let edge = Edge::new(&name, &bare(&text), comment(&text, "predicates "), model);
            let Some(listing) = edge.listing(unknowns) else {
                assert_eq!(unknowns, Unknowns::Split, "{}: a limit is hit", edge.name);
                continue;
            };
            assert_eq!(listing.refutation(), None, "{}", edge.name);
            if listing.table.states.len() > CERTIFIED {
                continue;
            }
            certified += 1;
            let report = listing.report();
            let report = report.unwrap_or_else(|error| panic!("{}: {error}", edge.name));
            let (verdict, why) = (&report.verdict, why(&report));
            assert_eq!(*verdict, Verdict::Accepted, "{}: {why:?}", edge.name);
        }
    }
    certified
}

/// A list that claims a fact too much, or leads a step to another state, is rejected where a run contradicts it: with numbers
/// of stores, and with flushes in an atomic section.
#[test]
fn wrong_lists_of_programs_on_the_edges_are_rejected() {
    let mut wrong = [0; 2];
    for (name, text) in programs() {
        if name != "foreign_cas" && name != "section_three" {
            continue;
        }
        let predicates = comment(&text, "predicates ");
        let edge = Edge::new(&name, &bare(&text), predicates, Model::Tso);
        let right = edge.listing(Unknowns::Kept).expect("no limit is hit");
        let mut random = Random::new(3);
        for number in 0..CHANGES {
            let mut listing = right.clone();
            listing.change(number % 2, &mut random);
            if let Some(refutation) = listing.refutation() {
                wrong[number % 2] += 1;
                let accepted = listing
                    .report()
                    .is_ok_and(|r| r.verdict == Verdict::Accepted);
                assert!(!accepted, "{name}: {refutation}\n{}", listing.table.print());
            }
        }
    }
    assert!(wrong.iter().all(|&wrong| wrong >= 2), "{wrong:?}");
}

/// How many changes are tried for each program.
const CHANGES: usize = 30;

impl Listing<'_> {
    /// Claims a fact that is not known in a state, or leads a step to another state at the same place.
    fn change(&mut self, kind: usize, random: &mut Random) {
        let states = &mut self.table.states;
        let number = random.below(states.len());
        if kind == 0 {
            let is_fact = |place: &usize| matches!(self.predicates[*place], Predicate::Fact(_));
            let facts: Vec<usize> = (0..self.predicates.len()).filter(is_fact).collect();
            let predicate = random.pick(&facts);
            let cube = &mut states[number].cube;
            cube.retain(|literal| literal.predicate != predicate);
            cube.push(Literal {
                predicate,
                holds: true,
            });
            return;
        }
        let places: Vec<_> = states.iter().map(|state| state.at.clone()).collect();
        let steps = &mut states[number].steps;
        if !steps.is_empty() {
            let place = random.below(steps.len());
            let to = &mut steps[place].to[0];
            let same = (0..places.len()).filter(|&other| places[other] == places[*to]);
            let same: Vec<usize> = same.collect();
            *to = random.pick(&same);
        }
    }
}

/// The program without its properties.
fn bare(text: &str) -> String {
    let file = SourceFile::new("edge.cup", text);
    let checked = cup::load(&file).expect("a program");
    let mut tree = checked.tree.clone();
    tree.items
        .retain(|item| !matches!(item.kind, ItemKind::Spec(_)));
    for item in &mut tree.items {
        if let ItemKind::Thread(thread) = &mut item.kind {
            drop_assertions(&mut thread.body);
        }
    }
    cup::print(&tree)
}

fn drop_assertions(block: &mut Block) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Assert(..) => stmt.kind = StmtKind::Skip,
            StmtKind::Atomic(block) => drop_assertions(block),
            _ => {}
        }
    }
}
