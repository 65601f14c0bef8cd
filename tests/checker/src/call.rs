//! Calls: what a thread does, one after the other, and what it is told.

use std::fmt::{self, Display};

use model::Value;

/// What can be called: the word for it, and what it is.
macro_rules! kinds {
    ($($kind:ident $name:literal $doc:literal)*) => {
        /// What is called. No machine knows all of these.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $(#[doc = $doc] $kind),*
        }

        impl Kind {
            /// All there are. The first of a word is the one that a text means by it.
            pub const EVERY: &[Self] = &[$(Self::$kind),*];

            /// The word for it. With a value, `unique` is another kind than without.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name),*
                }
            }
        }
    };
}

kinds! {
    Insert "insert" "`insert`"
    Unique "unique" "`insert_unique`"
    Remove "remove" "`remove`"
    Contains "contains" "`contains`"
    Count "count" "`count`"
    Move "move" "One relocation, from a candidate to the other."
    Split "split" "The split of the live word on a side, if the table grows."
    Sweep "sweep" "One step of a sweep."
    Double "double" "Sweeps to the end of the growth."
    Grow "grow" "Adds the next level."
    Release "release" "Gives back the blocks that the table has left."
    Append "append" "Appends another table."
    Snapshot "snapshot" "`snapshot`"
    UniqueValue "unique" "`insert_unique_value`"
    Value "value" "`value`"
    Values "values" "`values`"
    Replace "replace" "`replace_value`"
    Take "take" "`remove_value`"
}

/// One call. Not all kinds have an item, and few the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call<Item> {
    /// What is called.
    pub kind: Kind,
    /// With what.
    pub item: Item,
    /// The value that is inserted, removed or replaced.
    pub value: Value,
    /// What it is replaced by.
    pub new: Value,
    /// On which side.
    pub side: u8,
    /// Whether it must succeed, or must not, in every schedule.
    pub expected: Option<bool>,
}

/// What a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<Copied> {
    /// Whether it did what its name says, or found what it looked for.
    Bool(bool),
    /// An insert that found no room, or was disturbed too often.
    Full,
    /// An insert that found both buckets full of copies.
    TooManyCopies,
    /// `count`
    Number(usize),
    /// `value`, or what an `insert_unique` with a value was told.
    Value(Option<Value>),
    /// `snapshot` and `values`
    Copy(Copied),
    /// A snapshot that was not taken.
    NoCopy,
}

impl Kind {
    /// Whether its calls have an item.
    pub fn has_item(self) -> bool {
        use Kind::{Append, Double, Grow, Release, Snapshot, Sweep};
        ![Sweep, Double, Grow, Release, Append, Snapshot].contains(&self)
    }

    /// Whether its calls have a side, where tables grow.
    pub fn has_side(self) -> bool {
        [Self::Move, Self::Split].contains(&self)
    }
}

impl<Item> Call<Item> {
    /// A call that may return what the tokens make it.
    pub fn new(kind: Kind, item: Item) -> Self {
        Self {
            kind,
            item,
            value: 0,
            new: 0,
            side: 0,
            expected: None,
        }
    }
}

impl<Copied: Display> Display for Answer<Copied> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(answer) => write!(out, "{answer}"),
            Self::Full => write!(out, "\"full\""),
            Self::TooManyCopies => write!(out, "\"too many copies\""),
            Self::Number(copies) => write!(out, "{copies}"),
            Self::Value(Some(value)) => write!(out, "value {value}"),
            Self::Value(None) => write!(out, "no value"),
            Self::Copy(copy) => write!(out, "a copy {copy}"),
            Self::NoCopy => write!(out, "no copy"),
        }
    }
}
