//! Calls: what a thread does, one after the other, and what it is told.

use std::fmt::{self, Display};

use clap::ValueEnum;
use model::Value;

/// What is called. No machine knows all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Kind {
    Insert,
    Unique,
    Remove,
    Contains,
    Count,
    /// One relocation, from a candidate to the other.
    Move,
    /// The split of the live word on a side, if the table grows.
    Split,
    /// One step of a sweep.
    Sweep,
    /// Sweeps to the end of the growth.
    Double,
    /// Adds the next level.
    Grow,
    /// Gives back the blocks that the table has left.
    Release,
    /// Appends another table.
    Append,
    Snapshot,
    /// `insert_unique_value`: with a value, `unique` is another kind than without.
    #[value(name = "unique")]
    UniqueValue,
    Value,
    Values,
    /// `replace_value`
    Replace,
    /// `remove_value`
    Take,
}

/// One call. Not all kinds have an item, and few the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call<Item> {
    pub kind: Kind,
    pub item: Item,
    pub value: Value,
    /// What it is replaced by.
    pub new: Value,
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
    Number(usize),
    /// `value`, or what an `insert_unique` with a value was told.
    Value(Option<Value>),
    Copy(Copied),
    NoCopy,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> String {
        let value = self.to_possible_value().expect("none is left out");
        value.get_name().into()
    }

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
