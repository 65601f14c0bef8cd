//! Constructors: make new filters, and read stored ones.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use lockfree_cuckoo::{
    BuildError, CuckooFilterBuilder, DynFilter, GrowingCuckooFilterBuilder, RandomState, ReadError,
    RotatingCuckooFilterBuilder,
    filter::{Kind, Rotates},
};

use super::Filter;
use crate::clock::Clock;
use crate::deletions::Deletions;
use crate::engine::Engine;
use crate::error::Error;
use crate::settings::{Layout, Settings, Window};

impl Filter {
    /// Makes a filter that takes at most `left` bytes now, and may grow to `most` if it grows.
    ///
    /// # Errors
    ///
    /// If that is too little, if the capacity is less than two buckets of one slot, and as the
    /// builders of the library. Nothing large is allocated then.
    pub fn new(settings: Settings, left: usize, most: usize) -> Result<Self, Error> {
        Self::with_seed(settings, RandomState::new().seed(), left, most)
    }

    /// Makes a filter with this seed of its hasher. Filters with one seed and one [`Settings`] are
    /// the same, bit for bit, if the same is done to them.
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
        let besides = Self::besides_of(&settings);
        let bytes = left.saturating_sub(besides);
        let built = match settings.window {
            Some(window) => rotating(settings, window, hasher, bytes),
            None if settings.grows() => {
                grown(settings, hasher, bytes, most.saturating_sub(besides))
            }
            None => fixed(settings, hasher, bytes),
        };
        let filter = built.map_err(|error| match error {
            BuildError::MemoryLimit { needed, .. } => {
                let needed = needed.saturating_add(besides);
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

    /// Reads a stored filter. A growing one may grow to `most` bytes. One that rotates gets a
    /// window of this length.
    pub(crate) fn read(
        mut settings: Settings,
        deleted: u64,
        length: Option<Duration>,
        source: &mut dyn Read,
        most: usize,
    ) -> Result<Self, ReadError> {
        let mut filter = DynFilter::read_from(source)?;
        let kind = match length {
            Some(_) => Kind::Rotating,
            None if settings.grows() => Kind::Growing,
            None => Kind::Fixed,
        };
        if filter.kind() != kind {
            return Err(io::Error::other("it is a filter of another kind").into());
        }
        let generations = filter.rotating().map(Rotates::generations);
        let window = length.zip(generations);
        settings.window = window.and_then(|(length, generations)| Window::new(length, generations));
        // Set the limit of this reader, not that of the writer.
        filter.set_max_memory_usage(most.saturating_sub(Self::BESIDES));
        Ok(Self::of(filter, settings, deleted, most))
    }

    pub(super) fn of(filter: DynFilter, mut settings: Settings, deleted: u64, most: usize) -> Self {
        settings.layout = Layout::Shape(filter.shape());
        let rotations = filter.rotating().map(Rotates::rotations);
        Self {
            seen: filter.memory_usage().into(),
            engine: Engine::new(filter),
            settings,
            deletions: Deletions::starting_at(deleted),
            clock: settings
                .window
                .zip(rotations)
                .map(|(window, rotations)| Box::new(Clock::new(window, rotations))),
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

/// Makes a filter with a window: each generation has room for the items of a period.
fn rotating(
    settings: Settings,
    window: Window,
    hasher: RandomState,
    bytes: usize,
) -> Result<DynFilter, BuildError> {
    let builder = RotatingCuckooFilterBuilder::with_hasher(hasher)
        .capacity(settings.capacity)
        .generations(window.generations())
        .max_memory_usage(bytes);
    match settings.layout {
        Layout::Shape(shape) => builder.build_shape(shape),
        Layout::Rate(rate) => builder.build_smallest(rate),
    }
}

/// Makes a growing filter that takes at most `bytes` now, and `most` later.
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
