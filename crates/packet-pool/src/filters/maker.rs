//! Makes the filters of a run.

use lockfree_cuckoo::{
    AnyLayout, BuildError, CuckooFilterBuilder, FilterBuilder, GrowingCuckooFilterBuilder, Hashed,
    RandomState,
};
use std::sync::Arc;

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
    /// The most answers that may be wrong by the filters. None: as many as the default layout has, and of a filter that
    /// grows any number.
    rate: Option<f64>,
}

impl Maker {
    pub(crate) fn new(room: Room, rotating: bool, rate: Option<f64>) -> Self {
        Self {
            room,
            hasher: RandomState::new(),
            rotating,
            rate,
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
        // A packet is looked up in two filters, if they rotate.
        let rate = self
            .rate
            .map(|rate| if self.rotating { rate / 2.0 } else { rate });
        match self.room {
            Room::Fixed(keys) => {
                let builder = CuckooFilterBuilder::with_hasher(hasher);
                Ok(build(builder.capacity(keys), rate)?.into())
            }
            Room::Growing(keys) => {
                let builder = GrowingCuckooFilterBuilder::with_hasher(hasher);
                let builder = builder.capacity(keys.max(expected));
                let builder = match rate {
                    Some(rate) => builder.max_false_positive_rate(rate),
                    None => builder,
                };
                Ok(Arc::new(builder.build()?))
            }
        }
    }

    /// The rate that was asked for.
    pub(super) fn rate(&self) -> Option<f64> {
        self.rate
    }
}

/// The smallest filter of one size with this rate of false positives; without one, that of the default layout.
pub(super) fn build<E: AnyLayout>(
    builder: FilterBuilder<E>,
    rate: Option<f64>,
) -> Result<Box<dyn Hashed>, BuildError> {
    match rate {
        Some(rate) => builder.build_smallest(rate),
        None => Ok(Box::new(builder.build()?)),
    }
}
