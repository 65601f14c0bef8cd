//! The stage: how far a table has come, and what has become of a bucket of its level.

use core::iter;

use super::Lanes16;
use crate::layout::Bucket;

/// All that there is to a table, but for its words and where it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// That of the hint.
    pub(crate) level: u32,
    /// While the table grows: so many buckets of this level are split, from the first on. Beyond them some may be.
    pub(crate) cursor: Option<usize>,
}

impl Stage {
    pub(crate) fn at_rest(level: u32) -> Self {
        let cursor = None;
        Self { level, cursor }
    }

    /// The level that it has when a growth that is under way is over.
    pub(crate) fn size(self) -> u32 {
        self.level + u32::from(self.cursor.is_some())
    }

    /// Whether the sweep has passed a bucket, by its place in the level.
    pub(crate) fn has_passed(self, place: usize) -> bool {
        self.cursor.is_some_and(|cursor| place < cursor)
    }
}

/// A bucket, or what it has become when it was split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Whole(Bucket<Lanes16>),
    /// Its children.
    Split([Bucket<Lanes16>; 2]),
}

impl Region {
    /// The numbers of the buckets that it consists of, and what they hold.
    pub(crate) fn buckets(self, bucket: usize) -> impl Iterator<Item = (usize, Bucket<Lanes16>)> {
        let (first, second) = match self {
            Self::Whole(content) => ((bucket, content), None),
            Self::Split([first, second]) => {
                let child = bucket << 1;
                ((child, first), Some((child | 1, second)))
            }
        };
        iter::once(first).chain(second)
    }

    /// The number of tokens.
    pub(crate) fn len(self) -> usize {
        self.buckets(1).map(|(_, content)| content.len()).sum()
    }
}
