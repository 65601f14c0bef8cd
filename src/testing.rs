//! Access for tests to items that users do not need. Not covered by semantic versioning.

#[cfg(any(test, feature = "_testing"))]
pub use crate::engine::internals::Internals;
pub use crate::sync::hooks;
#[cfg(all(feature = "std", feature = "_testing"))]
pub use crate::sync::on_processors;

use alloc::vec::Vec;
use core::ops::Range;

#[cfg(any(test, feature = "_testing"))]
use crate::engine::operations::RawFilter;
#[cfg(any(test, feature = "_testing"))]
use crate::filter::Engine;
use crate::filter::{Buildable, Filter, FilterBuilder};
use crate::fixed::Fixed;
#[cfg(feature = "growing")]
use crate::growing::Growing;
use crate::kernel::layout::Layout;
use crate::kernel::pool::PoolSize;
use crate::kernel::word::MAX_DESCRIPTORS;

#[cfg(any(test, feature = "_testing"))]
impl<E: Engine, S> Internals for Filter<E, S> {
    fn relocate_hash(&self, hash: u64) -> bool {
        self.engine().internals().relocate_hash(hash)
    }

    fn taken(&self) -> usize {
        self.engine().internals().taken()
    }

    fn begin_to_double(&self) -> bool {
        self.engine().internals().begin_to_double()
    }

    fn add_table(&self) -> bool {
        self.engine().internals().add_table()
    }

    fn doubled(&self) -> Option<f64> {
        self.engine().internals().doubled()
    }

    fn claimed(&self) -> usize {
        self.engine().internals().claimed()
    }
}

/// A filter that tells where its parts are.
pub trait Places {
    /// The addresses of memory that changes while the filter is shared, with the name of each part.
    fn places(&self) -> Vec<(&'static str, Range<usize>)>;
}

impl<L: Layout, S> Places for Filter<Fixed<L>, S> {
    fn places(&self) -> Vec<(&'static str, Range<usize>)> {
        self.engine().table.places()
    }
}

#[cfg(feature = "growing")]
impl<S> Places for Filter<Growing, S> {
    fn places(&self) -> Vec<(&'static str, Range<usize>)> {
        self.engine().newest_tokens().places()
    }
}

/// A filter with few descriptors. Tables that a growing filter adds have the usual number.
pub trait Descriptors: Sized {
    /// Sets the number of descriptors, which bounds the number of inserts that can relocate at
    /// once: none is added.
    #[must_use]
    fn descriptors(self, descriptors: usize) -> Self;

    /// Sets the number of descriptors that the filter begins with, and the number up to which it
    /// adds some.
    #[must_use]
    fn descriptors_from(self, first: usize, most: usize) -> Self;
}

impl<E: Buildable, S> Descriptors for FilterBuilder<E, S> {
    fn descriptors(self, descriptors: usize) -> Self {
        self.with_descriptors(PoolSize::exactly(descriptors.clamp(1, MAX_DESCRIPTORS)))
    }

    fn descriptors_from(self, first: usize, most: usize) -> Self {
        let first = first.clamp(1, MAX_DESCRIPTORS);
        self.with_descriptors(PoolSize { first, most })
    }
}
