//! The conditions of conditional jumps, by the flags that they ask for.
//!
//! Zero, sign and parity are always set together, from one result, so that they are one [`Group`]; the carry and
//! the overflow flag are the two others.

/// The flags that instructions set and leave together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// ZF, SF and PF, which say something of a result.
    Result,
    /// CF
    Carry,
    /// OF
    Overflow,
}

/// What a jump asks of the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What must hold.
    pub test: Test,
    /// Whether it must not hold instead.
    pub negated: bool,
}

/// The tests of which there is one for each condition and its contrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// OF
    Overflow,
    /// CF
    Below,
    /// ZF
    Equal,
    /// CF or ZF
    BelowOrEqual,
    /// SF
    Sign,
    /// PF
    Parity,
    /// SF is not OF
    Less,
    /// ZF, or SF is not OF
    LessOrEqual,
}

/// The letters behind `J`, with `LT` and `GT` as herd writes them.
const NAMES: [(&str, Test, bool); 32] = [
    ("O", Test::Overflow, false),
    ("NO", Test::Overflow, true),
    ("B", Test::Below, false),
    ("C", Test::Below, false),
    ("NAE", Test::Below, false),
    ("AE", Test::Below, true),
    ("NB", Test::Below, true),
    ("NC", Test::Below, true),
    ("E", Test::Equal, false),
    ("Z", Test::Equal, false),
    ("NE", Test::Equal, true),
    ("NZ", Test::Equal, true),
    ("BE", Test::BelowOrEqual, false),
    ("NA", Test::BelowOrEqual, false),
    ("A", Test::BelowOrEqual, true),
    ("NBE", Test::BelowOrEqual, true),
    ("S", Test::Sign, false),
    ("NS", Test::Sign, true),
    ("P", Test::Parity, false),
    ("PE", Test::Parity, false),
    ("NP", Test::Parity, true),
    ("PO", Test::Parity, true),
    ("L", Test::Less, false),
    ("LT", Test::Less, false),
    ("NGE", Test::Less, false),
    ("GE", Test::Less, true),
    ("NL", Test::Less, true),
    ("LE", Test::LessOrEqual, false),
    ("NG", Test::LessOrEqual, false),
    ("G", Test::LessOrEqual, true),
    ("GT", Test::LessOrEqual, true),
    ("NLE", Test::LessOrEqual, true),
];

impl Condition {
    /// The condition with these letters, in capitals.
    pub fn named(letters: &str) -> Option<Self> {
        let (_, test, negated) = NAMES.iter().find(|(name, ..)| *name == letters)?;
        Some(Condition {
            test: *test,
            negated: *negated,
        })
    }

    /// The flags that it asks for.
    pub fn groups(self) -> &'static [Group] {
        match self.test {
            Test::Overflow => &[Group::Overflow],
            Test::Below => &[Group::Carry],
            Test::Equal | Test::Sign | Test::Parity => &[Group::Result],
            Test::BelowOrEqual => &[Group::Result, Group::Carry],
            Test::Less | Test::LessOrEqual => &[Group::Result, Group::Overflow],
        }
    }
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 3] = [Group::Result, Group::Carry, Group::Overflow];

    /// The names of its flags, for messages.
    pub fn flags(self) -> &'static str {
        match self {
            Group::Result => "ZF, SF and PF",
            Group::Carry => "CF",
            Group::Overflow => "OF",
        }
    }
}
