//! Makes the filters of a run.

use lockfree_cuckoo::{BuildError, CuckooFilter, GrowingCuckooFilter, Hashed, Lanes, RandomState};
use std::sync::Arc;

/// The layout of the buckets of all filters: the default.
pub(crate) type BucketLayout = Lanes<4, 16>;

/// For how many keys a filter is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// It refuses keys when it is full.
    Fixed(usize),
    /// It starts with room for so many keys, and makes itself more.
    Growing(usize),
}

impl Room {
    /// The keys that a filter has room for at first.
    pub(crate) fn keys(self) -> usize {
        let (Self::Fixed(keys) | Self::Growing(keys)) = self;
        keys
    }

    /// Whether a filter makes itself more room.
    pub(crate) fn grows(self) -> bool {
        matches!(self, Self::Growing(_))
    }
}

#[derive(Clone)]
pub(crate) struct Maker {
    room: Room,
    /// One for all filters, so that a key is hashed once.
    hasher: RandomState,
    rotating: bool,
}

impl Maker {
    pub(crate) fn new(room: Room, rotating: bool) -> Self {
        Self {
            room,
            hasher: RandomState::new(),
            rotating,
        }
    }

    /// What a filter is made for.
    pub(crate) fn room(&self) -> Room {
        self.room
    }

    pub(crate) fn hasher(&self) -> &RandomState {
        &self.hasher
    }

    /// Whether the filters of a run ever rotate.
    pub(crate) fn rotates(&self) -> bool {
        self.rotating
    }

    /// Whether one filter that rotates serves all periods.
    pub(crate) fn makes_a_ring(&self) -> bool {
        self.rotating && !self.room.grows()
    }

    /// An empty filter. One that grows has room for `expected` keys from the start, so that it does not have to grow
    /// in every period again.
    pub(super) fn filter(&self, expected: usize) -> Result<Arc<dyn Hashed>, BuildError> {
        let hasher = self.hasher.clone();
        match self.room {
            Room::Fixed(keys) => {
                let filter = CuckooFilter::try_with_capacity_and_hasher(keys, hasher)?;
                Ok(Arc::new(filter))
            }
            Room::Growing(keys) => {
                let keys = keys.max(expected);
                let filter = GrowingCuckooFilter::try_with_capacity_and_hasher(keys, hasher)?;
                Ok(Arc::new(filter))
            }
        }
    }
}
