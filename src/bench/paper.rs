//! The paper's own figures: Tables 1 and 2 of Dan, Meshman, Vechev and Yahav (SAS 2013).
//!
//! They were measured with Yices 1.0.34 on a Xeon at 2.13 GHz with 250 GB of memory, at k = 1 and
//! with a fence placement that is minimal there. A row without a number of calls ran for ten hours
//! without an end ("T/O"). Figures that the tables lack are `None`.

use serde::{Deserialize, Serialize};

use crate::memory::Model;
use crate::verdict::Method;

/// A row of the paper's tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaperFigures {
    /// The number of predicates.
    pub predicates: u32,
    /// The number of cubes given to cube extrapolation.
    pub cubes: Option<u32>,
    /// Solver calls, in thousands; `None` if the time was not enough.
    pub smt_calls_k: Option<f64>,
    /// Time to build the boolean program.
    pub build_seconds: Option<f64>,
    /// Cubes of two literals or more in the boolean program.
    pub cubes_used: Option<u32>,
    /// The size of the largest cube; the tables give it once for each algorithm.
    pub largest_cube: u32,
    /// States, in thousands.
    pub states_k: Option<f64>,
    /// Time to check the boolean program.
    pub check_seconds: Option<f64>,
}

/// Predicates and cubes; calls in thousands, build time, cubes used; states in thousands, time.
type Line = (
    (u32, Option<u32>),
    Option<(f64, f64, u32)>,
    Option<(f64, Option<f64>)>,
);

/// The figures of a row; `None` if the tables have no such row.
pub fn figures(algorithm: &str, model: Model, method: Method) -> Option<PaperFigures> {
    let largest_cube = match algorithm {
        "dekker" => 1,
        "peterson" | "abp" | "szymanski" => 2,
        _ => 4,
    };
    let ((predicates, cubes), built, checked) = line(algorithm, model, method)?;
    Some(PaperFigures {
        predicates,
        cubes,
        smt_calls_k: built.map(|(calls, ..)| calls),
        build_seconds: built.map(|(_, seconds, _)| seconds),
        cubes_used: built.map(|(.., cubes)| cubes),
        largest_cube,
        states_k: checked.map(|(states, _)| states),
        check_seconds: checked.and_then(|(_, seconds)| seconds),
    })
}

fn line(algorithm: &str, model: Model, method: Method) -> Option<Line> {
    use Method::{Ce, Pe, Trad};
    use Model::{Pso, Sc, Tso};
    let ended = |calls, seconds, cubes| Some((calls, seconds, cubes));
    let checked = |states, seconds| Some((states, Some(seconds)));
    Some(match (algorithm, model, method) {
        ("dekker", Sc, Trad) => ((7, None), ended(0.7, 0.1, 0), checked(14.0, 1.0)),
        ("dekker", Pso, Pe) => ((20, None), ended(26.0, 6.0, 0), checked(80.0, 5.0)),
        ("dekker", Tso, Pe) => ((18, None), ended(22.0, 5.0, 0), checked(45.0, 3.0)),
        ("peterson", Sc, Trad) => ((7, None), ended(0.6, 0.1, 2), checked(7.0, 1.0)),
        ("peterson", Pso, Pe) => ((20, None), ended(15.0, 3.0, 2), checked(31.0, 3.0)),
        ("peterson", Tso, Pe) => ((18, None), ended(13.0, 3.0, 2), checked(25.0, 2.0)),
        ("abp", Sc, Trad) => ((8, None), ended(2.0, 0.5, 5), checked(0.6, 0.6)),
        ("abp", Pso, Pe) => ((15, None), ended(20.0, 4.0, 5), checked(2.0, 1.0)),
        ("abp", Tso, Pe) => ((17, None), ended(23.0, 5.0, 5), checked(2.0, 1.0)),
        ("szymanski", Sc, Trad) => ((20, None), ended(16.0, 3.3, 1), checked(12.0, 2.0)),
        ("szymanski", Pso, Pe) => ((35, None), ended(152.0, 33.0, 1), checked(61.0, 4.0)),
        ("szymanski", Tso, Pe) => ((37, None), ended(165.0, 35.0, 1), checked(61.0, 5.0)),
        ("queue", Sc, Trad) => ((7, None), ended(20.0, 5.0, 50), checked(1.0, 1.0)),
        ("queue", Pso, Pe) => ((15, None), ended(5_747.0, 1_475.0, 412), checked(1.0, 1.0)),
        ("queue", Pso, Ce) => ((15, Some(99)), ended(98.0, 17.0, 99), checked(11.0, 2.0)),
        ("queue", Tso, Pe) => (
            (16, None),
            ended(11_133.0, 2_778.0, 412),
            checked(12.0, 1.0),
        ),
        ("queue", Tso, Ce) => ((16, Some(99)), ended(163.0, 31.0, 99), checked(12.0, 2.0)),
        ("bakery", Sc, Trad) => ((15, None), ended(1_552.0, 355.0, 161), Some((20.0, None))),
        ("bakery", Pso, Pe) => ((38, None), None, None),
        ("bakery", Pso, Ce) => (
            (38, Some(422)),
            ended(9_018.0, 1_773.0, 381),
            checked(979.0, 104.0),
        ),
        ("bakery", Tso, Pe) => ((36, None), None, None),
        ("bakery", Tso, Ce) => (
            (36, Some(422)),
            ended(7_048.0, 1_386.0, 383),
            checked(730.0, 121.0),
        ),
        ("ticket", Sc, Trad) => ((11, None), ended(218.0, 51.0, 134), Some((2.0, None))),
        ("ticket", Pso, Pe) => ((56, None), None, None),
        ("ticket", Pso, Ce) => (
            (56, Some(622)),
            ended(15_644.0, 2_163.0, 380),
            checked(193.0, 40.0),
        ),
        ("ticket", Tso, Pe) => ((48, None), None, None),
        ("ticket", Tso, Ce) => (
            (48, Some(622)),
            ended(6_941.0, 1_518.0, 582),
            checked(71.0, 545.0),
        ),
        _ => return None,
    })
}
