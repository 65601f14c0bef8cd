//! How a filter comes to be: new, or as it was stored.

use std::io::{self, Read};
use std::sync::Arc;

use lockfree_cuckoo::{
    BuildError, CuckooFilterBuilder, DynFilter, GrowingCuckooFilterBuilder, Kind, RandomState,
    ReadError,
};

use super::Filter;
use crate::deletions::Deletions;
use crate::engine::Engine;
use crate::error::Error;
use crate::settings::{Layout, Settings};

impl Filter {
    /// A filter that takes at most `left` bytes now, and may grow to `most` if it grows.
    ///
    /// # Errors
    ///
    /// If that is too little, if the capacity is less than two buckets of one slot, and as the builders of the library. Nothing of note is allocated then.
    pub fn new(settings: Settings, left: usize, most: usize) -> Result<Self, Error> {
        Self::with_seed(settings, RandomState::new().seed(), left, most)
    }

    /// The same, with this seed of its hasher. Filters with one seed and one [`Settings`] are the same, bit for bit, if the
    /// same is done to them.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_seed(
        settings: Settings,
        seed: u64,
        left: usize,
        most: usize,
    ) -> Result<Self, Error> {
        if settings.capacity < 2 {
            return Err(Error::CapacityTooSmall);
        }
        let hasher = RandomState::with_seed(seed);
        let bytes = left.saturating_sub(Self::BESIDES);
        let built = if settings.grows() {
            grown(settings, hasher, bytes, most.saturating_sub(Self::BESIDES))
        } else {
            fixed(settings, hasher, bytes)
        };
        let filter = built.map_err(|error| match error {
            BuildError::MemoryLimit { needed, .. } => {
                let needed = needed.saturating_add(Self::BESIDES);
                if settings.grows() && needed > most {
                    Error::TooLarge { needed, most }
                } else {
                    Error::NoMemory { needed, left }
                }
            }
            BuildError::FalsePositiveRate {
                requested, rate, ..
            } if settings.grows() => Error::RateOfGrowing {
                asked: requested,
                least: rate,
            },
            BuildError::FalsePositiveRate { .. } | BuildError::RateOutOfRange { .. } => {
                Error::NoLayout(error)
            }
            error => Error::NotAllocated(error),
        })?;
        Ok(Self::of(filter, settings, 0, most))
    }

    /// A filter that was stored. A growing one may grow to `most` bytes.
    pub(crate) fn read(
        settings: Settings,
        deleted: u64,
        source: &mut dyn Read,
        most: usize,
    ) -> Result<Self, ReadError> {
        let mut filter = DynFilter::read_from(source)?;
        let kind = if settings.grows() {
            Kind::Growing
        } else {
            Kind::Fixed
        };
        if filter.kind() != kind {
            return Err(io::Error::other("it is a filter of another kind").into());
        }
        // Not what the one who stored it allowed.
        filter.set_max_memory_usage(most.saturating_sub(Self::BESIDES));
        Ok(Self::of(filter, settings, deleted, most))
    }

    pub(super) fn of(filter: DynFilter, mut settings: Settings, deleted: u64, most: usize) -> Self {
        settings.layout = Layout::Shape(filter.shape());
        Self {
            seen: filter.memory_usage().into(),
            engine: Engine::new(filter),
            settings,
            deletions: Deletions::starting_at(deleted),
            own: Arc::default(),
            budget: None,
            most,
        }
    }
}

fn fixed(settings: Settings, hasher: RandomState, bytes: usize) -> Result<DynFilter, BuildError> {
    let builder = CuckooFilterBuilder::with_hasher(hasher);
    let builder = builder.capacity(settings.capacity).max_memory_usage(bytes);
    match settings.layout {
        Layout::Shape(shape) => builder.build_shape(shape),
        Layout::Rate(rate) => builder.build_smallest(rate),
    }
}

/// One that takes at most `bytes` now, and `most` later.
fn grown(
    settings: Settings,
    hasher: RandomState,
    bytes: usize,
    most: usize,
) -> Result<DynFilter, BuildError> {
    let builder = GrowingCuckooFilterBuilder::with_hasher(hasher);
    let builder = builder
        .capacity(settings.capacity)
        .max_memory_usage(bytes.min(most));
    let mut filter = match settings.layout {
        Layout::Shape(_) => builder,
        Layout::Rate(rate) => builder.max_false_positive_rate(rate),
    }
    .build()?;
    filter.set_max_memory_usage(most);
    Ok(filter.into())
}
