//! Predicate abstraction: from a program and predicates to a boolean program.
//!
//! Input: an SC program (the source's, or a reduced one) and a list of predicates. Output:
//! [`Abstraction`], a boolean program for `boolprog_checker` in which each predicate is a variable.
//! Each step becomes a parallel assignment of the predicates that it may change, the strongest that
//! the cube search justifies (Fig. 6 of the SAS 2013 paper); conditions become the cubes that decide
//! them; specs are checked by the environment. `enforce` excludes inconsistent cubes.
//!
//! Invariant: every run of the program has a matching run of the boolean program, in which a broken
//! property is a failing assertion. Called by the pipeline.

mod block;
pub mod cubes;
mod effects;
mod emit;
mod expr;
mod forget;
pub mod lazy;

use indexmap::{IndexMap, IndexSet};

use crate::front::cup::ast::Span;
use crate::logic::axioms::Axioms;
use crate::logic::{
    Atom, Cube, Flag, Formula, Linear, Predicate, PredicateId, Symbol, TooLarge, within,
};
use crate::program::{
    Cond, EdgeId, Init, LocId, Program, PropertyId, ThreadId, VarId, location_name,
};
use crate::reduce::BufferVars;
use crate::run::stop::Stop;
use crate::smt::Effort;
use crate::source::SourceFile;
use crate::verdict::CubeSizes;
use block::Case;
use cubes::{AsInPaper, Implicants, Question, Search, SearchContext, Spent, Vocabulary};
use effects::{Effect, Effects};
pub use emit::line_number;
use expr::Names;

/// How questions are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transformers {
    /// Each question once, and only what matters to it.
    #[default]
    Optimized,
    /// As the paper's Fig. 6 has it ([`cubes::AsInPaper`]).
    AsInPaper,
}

/// How a program is abstracted.
#[derive(Clone, Debug)]
pub struct AbstractionConfig {
    /// How cubes are looked for.
    pub search: Search,
    /// How large they may be.
    pub sizes: CubeSizes,
    /// How the solver is asked.
    pub transformers: Transformers,
    /// The number of threads that look for them.
    pub jobs: usize,
    /// What the search may use.
    pub context: SearchContext,
    /// Buffers whose unused slots are forgotten.
    pub buffers: Vec<BufferVars>,
    /// How much the questions may cost ([`Spent`]) that were not answered before; what is answered then is kept in the
    /// memo of the context.
    pub allowance: u64,
}

/// A boolean program and how it came about.
#[derive(Debug)]
pub struct Abstraction {
    /// The boolean program.
    pub program: boolprog_checker::Program,
    /// What the tags of its statements stand for.
    pub origins: Vec<Origin>,
    /// The predicates: those given, then the flags of locations.
    pub predicates: Vec<Predicate>,
    /// The cubes of two literals or more that its updates and conditions use.
    pub cubes: IndexSet<Cube>,
    /// What the questions took.
    pub spent: Spent,
    /// The most solver calls that a single update or condition took.
    pub most_calls: u64,
    names: Names,
    /// The labels of the program's locations.
    locations: IndexMap<String, (ThreadId, LocId)>,
}

/// Where a statement of the boolean program comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The step of the program; `None` for the check of a spec.
    pub edge: Option<EdgeId>,
    /// The steps before it, where it ends a background block that is one step.
    pub before: Vec<EdgeId>,
    /// The property that an assertion stands for.
    pub property: Option<PropertyId>,
    /// The place in the source.
    pub span: Span,
    /// Whether the statement does nothing: no predicate sees the step.
    pub idle: bool,
}

/// Why there is no abstraction.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum AbstractionError {
    /// A number at this place is too large to reason about.
    #[error("{error}")]
    TooLarge {
        /// The place.
        span: Span,
        /// What is wrong.
        error: TooLarge,
    },
    /// It was to stop before it was built.
    #[error("the work was to stop")]
    Stopped,
    /// The allowance for its questions was used up.
    #[error("there are more questions")]
    Paused(Spent),
}

/// Answers to the questions of a program's effects.
type Answers = IndexMap<Question, Implicants>;

/// Abstracts a program with some predicates.
pub fn abstract_program(
    program: &Program,
    file: &SourceFile,
    predicates: &[Predicate],
    config: &AbstractionConfig,
) -> Result<Abstraction, AbstractionError> {
    let flags = effects::flags(program)?;
    let (predicates, flags) = with_flags(predicates, flags);
    let (vocabulary, effort) = Vocabulary::new(
        &predicates,
        Axioms::of(program, &predicates),
        &config.search,
        config.context.clone(),
    );
    let effects = Effects::new(program, &predicates, config.sizes, &config.buffers);
    let blocks = block_effects(program, &effects)?;
    let stop = &config.context.stop;
    let edges = edge_effects(program, &effects, &blocks, stop)?;
    let specs = program.specs.iter().map(|spec| effects.of_spec(spec));
    let specs: Vec<Vec<Effect>> = specs.collect::<Result<_, _>>()?;
    let in_blocks = || blocks.iter().flat_map(|block| &block.cases);
    let in_blocks = || in_blocks().flat_map(|(_, effects)| effects);
    let all = || {
        let elsewhere = edges.iter().flatten().flatten().chain(&specs);
        elsewhere.flatten().chain(in_blocks())
    };

    let questions = all().flat_map(Effect::questions).cloned();
    let (answers, mut spent) = match config.transformers {
        Transformers::Optimized => {
            let (answers, spent) = answer_sparingly(&vocabulary, questions.collect(), config);
            let spent = spent.plus(vocabulary_cost(effort, &vocabulary));
            (answers.ok_or(AbstractionError::Paused(spent))?, spent)
        }
        Transformers::AsInPaper => answer_as_printed(&vocabulary, questions.collect(), config),
    };
    let (initial, effort) = initial_values(program, &vocabulary, &predicates, &config.buffers);
    spent.effort = spent.effort.plus(effort);
    go_on(stop)?;

    let names = Names::new(variable_names(program, &predicates));
    let input = emit::Input {
        program,
        file,
        predicates: &predicates,
        flags: &flags,
        edges: &edges,
        blocks: &blocks,
        specs: &specs,
        answers: &answers,
        initial: &initial,
        inconsistent: vocabulary.inconsistent(),
    };
    let (tree, origins) = emit::emit(&input, &names);
    go_on(stop)?;
    let cubes = used_cubes(all(), &answers);
    let most_calls = most_calls(all(), &answers);
    Ok(Abstraction {
        program: boolprog_checker::Program::new(tree)
            .expect("the program is built from declared names and labels"),
        origins,
        cubes,
        spent,
        most_calls,
        names,
        locations: emit::location_labels(program),
        predicates,
    })
}

impl Abstraction {
    /// The size of the largest cube in use.
    pub fn largest_cube(&self) -> usize {
        self.cubes.iter().map(Cube::size).max().unwrap_or(1)
    }

    /// The cube at a place of the boolean program.
    pub fn cube(&self, expr: &boolprog_checker::ast::Expr) -> Option<Cube> {
        self.names.cube(expr)
    }

    /// The steps that change no predicate.
    pub fn idle_steps(&self) -> IndexSet<EdgeId> {
        let idle = self.origins.iter().filter(|origin| origin.idle);
        idle.filter_map(|origin| origin.edge).collect()
    }

    /// The location of the program that a thread is at which is about to execute a statement, if it is
    /// one and not in the middle of a step.
    pub fn location_of(&self, stmt: boolprog_checker::ast::StmtId) -> Option<(ThreadId, LocId)> {
        let mut labels = self.program.stmt(stmt).labels.iter();
        labels.find_map(|label| self.locations.get(label.name.as_str()).copied())
    }

    /// The predicate that a boolean variable stands for.
    pub fn predicate_of(&self, variable: &str) -> Option<PredicateId> {
        let ids = (0..self.predicates.len()).map(PredicateId::new);
        ids.into_iter().find(|id| self.names.name(*id) == variable)
    }
}

fn answer_sparingly(
    vocabulary: &Vocabulary<'_>,
    questions: IndexSet<Question>,
    config: &AbstractionConfig,
) -> (Option<Answers>, Spent) {
    let questions: Vec<Question> = questions.into_iter().collect();
    let (search, jobs) = (&config.search, config.jobs);
    let (found, spent) = vocabulary.answer_within(&questions, search, jobs, config.allowance);
    (
        found.map(|found| questions.into_iter().zip(found).collect()),
        spent,
    )
}

/// What it took to find the inconsistent cubes, unless they were known.
fn vocabulary_cost(effort: Effort, vocabulary: &Vocabulary<'_>) -> Spent {
    let cost = match effort.calls {
        0 => 0,
        _ => vocabulary.predicates().len() + vocabulary.inconsistent().len(),
    };
    Spent {
        cost: cost as u64,
        effort,
    }
}

/// Asks every question as often as it occurs.
fn answer_as_printed(
    vocabulary: &Vocabulary<'_>,
    questions: Vec<Question>,
    config: &AbstractionConfig,
) -> (Answers, Spent) {
    let printed = AsInPaper {
        predicates: vocabulary.predicates(),
        axioms: vocabulary.axioms(),
        inconsistent: vocabulary.inconsistent(),
        search: &config.search,
        stop: &config.context.stop,
        progress: &config.context.progress,
    };
    let (found, effort) = printed.answer(&questions);
    let cost = effort.calls;
    let spent = Spent { cost, effort };
    (questions.into_iter().zip(found).collect(), spent)
}

/// Appends a predicate for each flag.
fn with_flags(
    predicates: &[Predicate],
    flags: IndexSet<Flag>,
) -> (Vec<Predicate>, Vec<(Flag, PredicateId)>) {
    let mut all = predicates.to_vec();
    let mut numbered = Vec::new();
    for flag in flags {
        numbered.push((flag.clone(), PredicateId::new(all.len())));
        all.push(Predicate::flag(&flag));
    }
    (all, numbered)
}

/// That it is not to stop.
fn go_on(stop: &Stop) -> Result<(), AbstractionError> {
    match stop.should_stop() {
        true => Err(AbstractionError::Stopped),
        false => Ok(()),
    }
}

/// A background block that is one step.
struct BlockEffects {
    thread: ThreadId,
    entry: LocId,
    /// The ways through it.
    cases: Vec<(Case, Vec<Effect>)>,
}

fn block_effects(
    program: &Program,
    effects: &Effects<'_>,
) -> Result<Vec<BlockEffects>, AbstractionError> {
    let blocks = block::all(program)?.into_iter();
    let with_effects = |case: Case| {
        let effects = effects.of_case(&case);
        (case, effects)
    };
    let blocks = blocks.map(|(thread, entry, cases)| BlockEffects {
        thread,
        entry,
        cases: cases.into_iter().map(with_effects).collect(),
    });
    Ok(blocks.collect())
}

/// The effects of all edges; those of blocks that are one step have none.
fn edge_effects(
    program: &Program,
    effects: &Effects<'_>,
    blocks: &[BlockEffects],
    stop: &Stop,
) -> Result<Vec<Vec<Vec<Vec<Effect>>>>, AbstractionError> {
    let cases = blocks.iter().flat_map(|block| &block.cases);
    let composed = cases.flat_map(|(case, _)| case.edges.iter().copied());
    let composed: IndexSet<EdgeId> = composed.collect();
    let of = |id: EdgeId| match composed.contains(&id) {
        true => Ok(Vec::new()),
        false => effects.of_edge(program.edge(id)),
    };
    let threads = program.thread_ids().zip(&program.threads);
    threads
        .map(|(thread, graph)| {
            let locations = graph.locations.iter().enumerate();
            locations
                .map(|(at, location)| {
                    go_on(stop)?;
                    let at = LocId::new(at);
                    let edges = 0..location.edges.len();
                    edges
                        .map(|number| of(EdgeId { thread, at, number }))
                        .collect()
                })
                .collect()
        })
        .collect()
}

/// The values of the predicates before the first step; `None` where both are possible.
fn initial_values(
    program: &Program,
    vocabulary: &Vocabulary<'_>,
    predicates: &[Predicate],
    buffers: &[BufferVars],
) -> (Vec<Option<bool>>, Effort) {
    let initial = Initial::of(program);
    let at_start = |predicate: &Predicate| match &predicate.formula {
        Formula::Atom(Atom::At(flag, _)) => {
            let entry = program.threads[flag.thread.index()].entry;
            let holds = flag.locations.contains(&entry);
            [Formula::constant(holds), Formula::constant(!holds)]
        }
        // FIFOs are empty in the beginning.
        Formula::Atom(Atom::Fact(..)) => [Formula::True, Formula::False],
        formula => initial.goals(formula),
    };
    let always = |goal: Formula| Question { goal, size: 0 };
    let questions = predicates.iter().flat_map(at_start).map(always);
    let questions: Vec<Question> = questions.collect();
    let (answers, effort) = vocabulary.answer(&questions, &Search::Fast, 1);
    let value = |pair: &[Implicants]| match (pair[0].cubes.len(), pair[1].cubes.len()) {
        (1, 0) => Some(true),
        (0, 1) => Some(false),
        _ => None,
    };
    let values = predicates.iter().zip(answers.chunks(2));
    let values = values.map(|(predicate, pair)| {
        let unused = forget::is_unused(program, buffers, predicate);
        value(pair).filter(|_| !unused)
    });
    (values.collect(), effort)
}

/// What is known of the variables before the first step. Of a value that is too large to reason about, and of
/// a range with such an end, nothing is known.
struct Initial {
    /// The values that are fixed.
    fixed: Vec<(VarId, Linear)>,
    /// The ranges of others.
    ranges: IndexMap<VarId, Formula>,
}

impl Initial {
    fn of(program: &Program) -> Self {
        let mut initial = Initial {
            fixed: Vec::new(),
            ranges: IndexMap::new(),
        };
        let small = |value: i64| Linear::constant(value.into()).is_small();
        for (id, var) in program.var_ids().zip(&program.vars) {
            match var.init {
                Init::Value(value) if small(value) => {
                    initial.fixed.push((id, Linear::constant(value.into())));
                }
                Init::Range(range) if small(range.ends().0) && small(range.ends().1) => {
                    let range = within(&Linear::var(id), range);
                    initial.ranges.insert(id, range);
                }
                Init::Value(_) | Init::Range(_) | Init::Any => {}
            }
        }
        initial
    }

    /// What must be valid for a formula to hold before the first step, and for its negation to hold.
    fn goals(&self, formula: &Formula) -> [Formula; 2] {
        let formula = formula.substitute(&self.fixed);
        let ranges = formula
            .symbols()
            .into_iter()
            .filter_map(|symbol| match symbol {
                Symbol::Var(var) => self.ranges.get(&var).cloned(),
                Symbol::Flag(_) | Symbol::Fact(_) => None,
            });
        let outside = Formula::and(ranges).negated();
        let negated = formula.negated();
        [formula, negated].map(|goal| Formula::or([outside.clone(), goal]))
    }
}

/// `b0`, `b1`, … for predicates, `at_P0_cs` for flags.
fn variable_names(program: &Program, predicates: &[Predicate]) -> Vec<String> {
    let mut names: IndexSet<String> = IndexSet::new();
    for (index, predicate) in predicates.iter().enumerate() {
        let mut name = match predicate.cond() {
            Some(Cond::At(thread, locations)) => {
                let location = location_name(program, *thread, locations);
                format!("at_{}_{location}", program.threads[thread.index()].name)
            }
            _ => format!("b{index}"),
        };
        while names.contains(&name) {
            name.push('_');
        }
        names.insert(name);
    }
    names.into_iter().collect()
}

fn used_cubes<'a>(effects: impl Iterator<Item = &'a Effect>, answers: &Answers) -> IndexSet<Cube> {
    let questions = effects.flat_map(Effect::questions);
    let cubes = questions.flat_map(|question| &answers[question].cubes);
    cubes.filter(|cube| cube.size() >= 2).cloned().collect()
}

fn most_calls<'a>(effects: impl Iterator<Item = &'a Effect>, answers: &Answers) -> u64 {
    let calls = |question: &Question| answers[question].calls;
    let of = |effect: &Effect| match effect {
        Effect::Assume(question) => calls(question),
        Effect::Assert(questions, _) => questions.iter().map(calls).max().unwrap_or(0),
        Effect::Update(changes) => changes
            .iter()
            .map(|change| calls(&change.becomes_true) + calls(&change.becomes_false))
            .max()
            .unwrap_or(0),
        Effect::Forget(kept) => {
            let calls = kept.iter().map(|kept| calls(&kept.kept_while));
            calls.max().unwrap_or(0)
        }
    };
    effects.map(of).max().unwrap_or(0)
}
