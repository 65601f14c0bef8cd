//! Calls: what a thread does, one after the other.

use model::Value;

/// What is called. No machine knows all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `insert`
    Insert,
    /// `insert_unique`
    Unique,
    /// `remove`
    Remove,
    /// `contains`
    Contains,
    /// `count`
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
    /// `snapshot`
    Snapshot,
    /// `insert_unique_value`
    UniqueValue,
    /// `value`
    Value,
    /// `values`
    Values,
    /// `replace_value`
    Replace,
    /// `remove_value`
    Take,
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

impl Kind {
    /// The word for it. With a value, `unique` is another kind than without.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Unique | Self::UniqueValue => "unique",
            Self::Remove => "remove",
            Self::Contains => "contains",
            Self::Count => "count",
            Self::Move => "move",
            Self::Split => "split",
            Self::Sweep => "sweep",
            Self::Double => "double",
            Self::Grow => "grow",
            Self::Release => "release",
            Self::Append => "append",
            Self::Snapshot => "snapshot",
            Self::Value => "value",
            Self::Values => "values",
            Self::Replace => "replace",
            Self::Take => "take",
        }
    }

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
