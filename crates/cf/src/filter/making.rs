//! How a filter comes to be: new, or as it was stored.

use std::io::Read;

use lockfree_cuckoo::{
    BuildError, CuckooFilter, FilterBuilder, Fixed, Growing, GrowingCuckooFilter, Hashed,
    RandomState, ReadError,
};

use super::{Filter, with_snapshot, without_snapshot};
use crate::deletions::Deletions;
use crate::engine::Engine;
use crate::layout::Layout;
use crate::origin::Origin;
use crate::settings::{Kind, Settings};

/// Bytes of a bucket of the library's filters.
const BUCKET_BYTES: usize = 8;

impl Filter {
    /// A filter that takes at most `left` bytes now, and may grow to `most` if it grows.
    ///
    /// An expansion with which the second segment would take more than half of `most` is lowered.
    ///
    /// # Errors
    ///
    /// If that is too little, and as the builders of the library. Nothing of note is allocated then.
    pub fn new(settings: Settings, left: usize, most: usize) -> Result<Self, NotMade> {
        Self::with_origin(settings, Origin::random(), left, most)
    }

    /// The same, of this origin.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_origin(
        settings: Settings,
        origin: Origin,
        left: usize,
        most: usize,
    ) -> Result<Self, NotMade> {
        let grows = settings.expansion != 0;
        Self::build(settings, origin, left, most).map_err(|error| match error.memory_needed() {
            Some(needed) if grows && needed > most => NotMade::TooLarge { needed, most },
            Some(needed) => NotMade::NoMemory {
                needed: with_snapshot(needed),
                left,
            },
            None => NotMade::Build(error),
        })
    }

    fn build(
        mut settings: Settings,
        origin: Origin,
        left: usize,
        most: usize,
    ) -> Result<Self, BuildError> {
        let Settings {
            capacity,
            expansion,
            layout,
            ..
        } = settings;
        // What its first snapshot adds has to fit too.
        let left = without_snapshot(left);
        let hasher = RandomState::with_seed(origin.seed);
        let (filter, kind) = if expansion == 0 {
            let builder = FilterBuilder::<Fixed>::with_hasher(hasher.clone());
            let builder = builder.capacity(capacity).max_memory_usage(left);
            (build(builder, layout)?, Kind::Fixed)
        } else {
            let left = left.min(most);
            let build = |expansion: u16| {
                let builder = FilterBuilder::<Growing>::with_hasher(hasher.clone());
                let builder = builder.growth_factor(expansion.into());
                let builder = match (origin.growth_rate, layout) {
                    (Some(rate), Layout::Shape(_)) => builder.max_false_positive_rate(rate),
                    _ => builder,
                };
                build(builder.capacity(capacity).max_memory_usage(left), layout)
            };
            let mut filter = build(expansion)?;
            // The table of the second segment may take a half, so that what else it needs fits too.
            let table = filter.slots() / filter.shape().slots() * BUCKET_BYTES;
            let times = (most / 2 / table).max(2);
            if usize::from(expansion) > times {
                // Below an expansion, so that it is one.
                settings.expansion = 1 << times.ilog2();
                filter = build(settings.expansion)?;
            }
            filter.set_max_memory_usage(most);
            (filter, Kind::Growing)
        };
        let engine = Engine::new(filter, kind);
        Ok(Self::of(
            engine,
            hasher,
            settings,
            Deletions::default(),
            most,
        ))
    }

    /// A filter that was stored. A growing one may grow to `most` bytes.
    pub(crate) fn read(
        kind: Kind,
        settings: Settings,
        deleted: u64,
        source: impl Read,
        most: usize,
    ) -> Result<Self, ReadError> {
        let mut filter = match kind {
            Kind::Fixed => CuckooFilter::read_from_any_layout(source)?,
            Kind::Growing => GrowingCuckooFilter::read_from_any_layout(source)?,
        };
        // Not what the one who stored it allowed.
        filter.set_max_memory_usage(most);
        // It would not have been read with another one.
        let hasher = filter.hasher().downcast_ref::<RandomState>().cloned();
        let hasher = hasher.ok_or(ReadError::HasherNeeded)?;
        let engine = Engine::new(filter, kind);
        let deletions = Deletions::starting_at(deleted);
        Ok(Self::of(engine, hasher, settings, deletions, most))
    }

    fn of(
        engine: Engine,
        hasher: RandomState,
        mut settings: Settings,
        deletions: Deletions,
        most: usize,
    ) -> Self {
        let seen = engine.access().memory_usage().into();
        settings.layout = Layout::Shape(engine.access().shape());
        Self {
            engine,
            hasher,
            settings,
            deletions,
            budget: None,
            most,
            seen,
        }
    }
}

/// Builds a filter with the layout, or with one for the rate.
fn build<E: lockfree_cuckoo::Engine>(
    builder: FilterBuilder<E>,
    layout: Layout,
) -> Result<Box<dyn Hashed>, BuildError> {
    match layout {
        Layout::Shape(shape) => builder.build_shape(shape),
        Layout::Rate(rate) => builder.build_smallest(rate),
    }
}

/// Why no filter was made.
#[derive(Debug, thiserror::Error)]
pub enum NotMade {
    /// It would take more than there is left.
    #[error("what is left is {left} bytes, and this filter needs {needed}")]
    NoMemory {
        /// With what a snapshot adds.
        needed: usize,
        /// What was said to be left.
        left: usize,
    },
    /// It would take more than one that grows may.
    #[error("a filter that grows can take at most {most} bytes, and this one needs {needed}")]
    TooLarge {
        /// To begin with.
        needed: usize,
        /// What it may take.
        most: usize,
    },
    /// It cannot be built.
    #[error(transparent)]
    Build(BuildError),
}
