//! Advice in terms of the command line: the one place that says which option helps.
//!
//! [`text`] has the words for most commands, [`of_engines`] those for the commands that ask engines.

use cupola::render::Advice;
use cupola::verdict::Method;

/// The words for an advice: an order, in lower case and without a final dot.
pub fn text(advice: Advice) -> String {
    let text = match advice {
        Advice::LetItRun => "let it run",
        Advice::MoreTime => "raise --timeout",
        Advice::MoreMemory => "raise --max-memory",
        Advice::MoreStates => "raise --max-states",
        Advice::LongerBuffers => "raise --buffer; stores in a loop without a fence fill any buffer",
        Advice::MoreAbstractStates => "raise --max-states",
        Advice::LargerBound => "translate with a larger -k",
        Advice::LargerProofBound => {
            "try a larger bound (`-k`, `--max-k`), or another fence placement (`--fences`)"
        }
        Advice::OtherFences => "try another fence placement (`--fences`)",
        Advice::OtherMethod(method) => return other_method(method),
        Advice::SmallerValues => "keep values small with `assume`",
        Advice::MoreValues => "widen --star to look further; no range covers all values",
        Advice::MorePlacements => "raise --max-sets",
        Advice::OtherPlaces => "look for fences elsewhere: --places all",
        Advice::EasierPlacements => {
            "raise --explore-states or --buffer, give a proof with --proof, or mark other places"
        }
    };
    text.to_owned()
}

/// The same for a command with the options of engines, where `--max-states` is about the checker of abstractions and
/// `--star` does not exist.
pub fn of_engines(advice: Advice) -> String {
    match advice {
        Advice::MoreStates => "raise --explore-states".to_owned(),
        Advice::MoreValues => "no range covers all values, only a proof does".to_owned(),
        other => text(other),
    }
}

/// The same where fences were looked for at all places: advice does not name what was done.
pub fn of_fences_everywhere(advice: Advice) -> String {
    match advice {
        Advice::OtherPlaces => "no fence of this program helps: change the algorithm".to_owned(),
        other => of_engines(other),
    }
}

/// What to try where no predicate is known that would help an abstraction built in this way.
fn other_method(method: Method) -> String {
    let other = match method {
        Method::Lazy => "`--method auto`, which splits unknown values where it has to",
        Method::Ce => {
            "`--method pe`, which looks for more cubes, or `--method lazy`, which needs none"
        }
        Method::Pe => "`--method lazy`, which needs no cubes, or larger cubes (`--cube-size`)",
        Method::Trad => "larger cubes (`--cube-size`)",
    };
    format!("try {other}")
}
