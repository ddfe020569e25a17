//! The ways to try at one bound take turns, so that a hopeless one does not eat the time of the others.
//!
//! Tries stand in lanes. Behind a try in a lane stands one that goes on with its abstraction, or that only follows
//! where the first is too coarse. In each turn every lane may go on until it has taken its share of states and questions,
//! which grows by a quarter from turn to turn; the first lane, of what is most likely to succeed, has two shares. A lazy
//! search is paused and goes on; the questions for cubes that were answered stay answered; a check of a boolean program begins
//! again, with at least twice the states, and what it took before counts.
//!
//! So when a try ends that takes the effort E, with all before it in its lane and the states of checks that began again (less
//! than three times those of the last), each other lane has taken at most a quarter more than E, the first one twice that: with four
//! lanes six times E in all, or the head start of the first lane ([`HEAD_START`], or some times the states under SC) and a share for each where E is smaller. Shares are counts that no solver and no number of threads changes, so that the answer is the same for all.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use boolprog_checker::Options;

use super::PredicateError;
use super::attempt::{Built, Try, is_worth_a_retry, lazy_stats, solver_stats};
use super::stage::{forgotten, not_abstracted};
use crate::abstraction::lazy::Pausing;
use crate::extrapolate::Extrapolation;
use crate::reduce::BufferVars;
use crate::smt::Effort;
use crate::verdict::{Attempt, Method, Stats};

/// The states and questions that the first lane may take before the others begin, at least.
const HEAD_START: u64 = 5000;

/// How many times the states under SC the first lane may take before the others begin: it has the settings that verified SC, and
/// buffers multiply states, so that less would begin the others too early where there are many states.
pub(super) const STATES_OVER_SC: u64 = 16;

/// The same where FIFOs come first: a search without cubes asks dozens of questions about each state.
pub(super) const STATES_OVER_SC_WITH_FIFOS: u64 = 128;

/// The share of a lane in the first turn.
const SHARE: u64 = 250;

/// The fewest states that a check begins with.
const FEWEST_STATES: usize = 100;

/// What lazy searches share; it lives as long as they do.
#[derive(Default)]
pub(super) struct Ground {
    proof: OnceCell<Extrapolation>,
    buffers: OnceCell<Vec<BufferVars>>,
}

impl Ground {
    fn proof(&self, this: &Try<'_>) -> Result<&Extrapolation, PredicateError> {
        if self.proof.get().is_none() {
            let proof = this.extrapolated()?;
            return Ok(self.proof.get_or_init(|| proof));
        }
        Ok(self.proof.get().expect("it is there"))
    }

    fn buffers(&self, this: &Try<'_>) -> &[BufferVars] {
        self.buffers
            .get_or_init(|| forgotten(this.stage, this.config))
    }
}

/// Lets lanes of tries take turns until one of them decides, overflows, or is to stop; all attempts, that one last. The
/// tries of one program share their ground.
pub(super) fn in_turns<'a>(
    lanes: Vec<(Vec<Try<'a>>, &'a Ground)>,
    head_start: u64,
) -> Result<Vec<Attempt>, PredicateError> {
    let head_start = head_start.max(HEAD_START);
    let lanes = lanes.into_iter();
    let mut lanes: Vec<Lane<'_>> = lanes
        .map(|(tries, ground)| Lane::new(tries, ground))
        .collect();
    let mut log = Vec::new();
    let mut share = SHARE;
    loop {
        for number in 0..lanes.len() {
            let is_alone = lanes.iter().filter(|lane| !lane.has_ended()).count() <= 1;
            let until = match (is_alone, number) {
                (true, _) => u64::MAX,
                (false, 0) => head_start.max(2 * share),
                (false, _) => share,
            };
            for attempt in lanes[number].go_on(until)? {
                let goes_on = is_worth_a_retry(&attempt.verdict);
                if !goes_on {
                    log.extend(lanes.iter().filter_map(Lane::unfinished));
                    log.push(attempt);
                    return Ok(log);
                }
                log.push(attempt);
            }
        }
        if lanes.iter().all(Lane::has_ended) {
            return Ok(log);
        }
        share += share / 4;
    }
}

/// Tries one after the other.
struct Lane<'a> {
    /// The tries that have not begun, the last one first.
    waiting: Vec<Try<'a>>,
    running: Option<Running<'a>>,
    ground: &'a Ground,
    /// The states and questions so far.
    spent: u64,
}

impl<'a> Lane<'a> {
    fn new(mut tries: Vec<Try<'a>>, ground: &'a Ground) -> Self {
        tries.reverse();
        Lane {
            waiting: tries,
            running: None,
            ground,
            spent: 0,
        }
    }

    fn has_ended(&self) -> bool {
        self.waiting.is_empty() && self.running.is_none()
    }

    /// The try that is not finished, if it has begun.
    fn unfinished(&self) -> Option<Attempt> {
        self.running.as_ref().map(Running::unfinished)
    }

    /// Goes on until so much is spent in all; the attempts that end, of which only the last may decide.
    fn go_on(&mut self, until: u64) -> Result<Vec<Attempt>, PredicateError> {
        let mut ended = Vec::new();
        while !self.has_ended() && self.spent < until {
            let mut running = match self.running.take() {
                Some(running) => running,
                None => {
                    let this = self.waiting.pop().expect("a try waits");
                    Running::begin(this, self.ground)?
                }
            };
            let most = match until {
                u64::MAX => until,
                until => until - self.spent,
            };
            let (spent, attempt) = running.go_on(most)?;
            self.spent = self.spent.saturating_add(spent);
            match attempt {
                None => {
                    self.running = Some(running);
                    break;
                }
                Some(attempt) => {
                    let goes_on = is_worth_a_retry(&attempt.verdict);
                    ended.push(attempt);
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        Ok(ended)
    }
}

/// A try that has begun.
struct Running<'a> {
    this: Try<'a>,
    work: Work<'a>,
    taken: Taken,
}

/// What it goes on with.
enum Work<'a> {
    Lazy {
        proof: &'a Extrapolation,
        search: Box<Pausing<'a>>,
    },
    Boolean {
        proof: Box<Extrapolation>,
        built: Option<Box<Built>>,
        /// The states that the last check was given.
        states: usize,
    },
}

/// What was taken before the part that ends a try.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    states: usize,
    effort: Effort,
    build_time: Duration,
    time: Duration,
}

/// What was spent, and the attempt if the try has ended.
type Part = (u64, Option<Attempt>);

impl<'a> Running<'a> {
    fn begin(this: Try<'a>, ground: &'a Ground) -> Result<Self, PredicateError> {
        let work = match this.tuning.method {
            Method::Lazy => {
                let proof = ground.proof(&this)?;
                let (program, buffers) = (&this.stage.program, ground.buffers(&this));
                let (predicates, limits) = (&proof.predicates, this.lazy_limits());
                let search = Pausing::new(program, predicates, buffers, this.unknowns(), limits);
                Work::Lazy {
                    proof,
                    search: Box::new(search.map_err(not_abstracted)?),
                }
            }
            Method::Trad | Method::Pe | Method::Ce => Work::Boolean {
                proof: Box::new(this.extrapolated()?),
                built: None,
                states: 0,
            },
        };
        Ok(Running {
            this,
            work,
            taken: Taken::default(),
        })
    }

    /// Goes on for about as many states and questions.
    fn go_on(&mut self, most: u64) -> Result<Part, PredicateError> {
        self.this.announce();
        if self.this.context.stop.should_stop() {
            return Ok((0, Some(self.this.ended_early())));
        }
        let start = Instant::now();
        let part = match &mut self.work {
            Work::Lazy { proof, search } => {
                let before = search.spent();
                let found = search.go_on(before.saturating_add(most));
                self.taken.time += start.elapsed();
                let attempt = found.map(|found| {
                    let time = self.taken.time;
                    self.this.judge_lazy(proof, &found, time)
                });
                Ok((search.spent() - before, attempt))
            }
            Work::Boolean { .. } => self.build_and_check(most),
        };
        match part {
            Err(PredicateError::Stopped) => Ok((0, Some(self.this.ended_early()))),
            part => part,
        }
    }

    /// Builds the abstraction, if that is not done, and checks it.
    fn build_and_check(&mut self, most: u64) -> Result<Part, PredicateError> {
        let Work::Boolean {
            proof,
            built,
            states,
        } = &mut self.work
        else {
            unreachable!("it is the work of a boolean program")
        };
        let start = Instant::now();
        let mut spent = 0;
        if built.is_none() {
            match self.this.build_within(proof, most)? {
                Err(paused) => {
                    self.taken.effort = self.taken.effort.plus(paused.effort);
                    self.taken.build_time += start.elapsed();
                    return Ok((paused.cost, None));
                }
                Ok(done) => {
                    spent = done.abstraction.spent.cost;
                    *built = Some(Box::new(done));
                }
            }
        }
        let built = built.as_deref().expect("it is built");
        let all = self.this.max_states();
        let left = usize::try_from(most.saturating_sub(spent)).unwrap_or(usize::MAX);
        let given = left.min(all);
        if given < all && given < FEWEST_STATES.max(2 * *states) {
            return Ok((spent, None));
        }
        *states = given;
        let outcome = boolprog_checker::check(&built.abstraction.program, &{
            let mut options: Options = self.this.options();
            options.limits.max_states = given;
            options
        });
        spent += outcome.stats.states as u64;
        if given < all && self.this.ran_out(built, &outcome) {
            self.taken.states += outcome.stats.states;
            self.taken.time += Duration::from_secs_f64(outcome.stats.seconds);
            return Ok((spent, None));
        }
        let attempt = self.this.judge(built, &outcome);
        Ok((spent, Some(self.with_taken(attempt))))
    }

    /// The attempt with what was taken before.
    fn with_taken(&self, mut attempt: Attempt) -> Attempt {
        let Taken {
            states,
            effort,
            build_time,
            time,
        } = self.taken;
        let stats = &mut attempt.stats;
        stats.states += states;
        stats.time += time;
        if let Some(solver) = &mut stats.solver {
            let before = solver_stats(effort);
            solver.calls += before.calls;
            solver.z3_calls += before.z3_calls;
            solver.unanswered += before.unanswered;
            solver.time += before.time;
        }
        if let Some(abstraction) = &mut stats.abstraction {
            abstraction.build_time += build_time;
        }
        attempt
    }

    /// The attempt where others have decided before it ends.
    fn unfinished(&self) -> Attempt {
        match &self.work {
            Work::Lazy { proof, search } => {
                let (states, effort) = search.effort();
                let stats = lazy_stats(proof, states, effort, self.taken.time);
                self.this.unfinished(stats)
            }
            Work::Boolean { built, .. } => {
                let effort = match built {
                    Some(built) => built.abstraction.spent.effort,
                    None => Effort::default(),
                };
                self.with_taken(self.this.unfinished(Stats {
                    solver: Some(solver_stats(effort)),
                    ..Stats::default()
                }))
            }
        }
    }
}
