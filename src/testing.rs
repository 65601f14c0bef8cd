//! Access for tests to items that users do not need. Not covered by semantic versioning.

pub use crate::sync::hooks;
#[cfg(all(feature = "std", feature = "_testing"))]
pub use crate::sync::on_processors;

use alloc::vec::Vec;
use core::ops::Range;

use crate::engine::operations::RawFilter;
use crate::filter::{Buildable, Engine, Filter, FilterBuilder};
use crate::fixed::Fixed;
use crate::kernel::layout::Layout;
use crate::kernel::pool::PoolSize;
use crate::kernel::word::MAX_DESCRIPTORS;

/// What inserts do on their own, at will; and what a filter does not tell its users.
pub trait Internals {
    /// Moves one copy from the bucket that the hash selects to its alternate, if it is there and
    /// the other has room: in the oldest generation that has such a copy, or in the newest table.
    fn relocate_hash(&self, hash: u64) -> bool;

    /// Begins to double the newest table. Returns false if it cannot.
    fn begin_to_double(&self) -> bool;

    /// Adds a table behind the newest, which then takes the inserts. Returns false if the newest
    /// can still double.
    fn add_table(&self) -> bool;

    /// The share of the newest table's buckets that were split, while it doubles.
    fn doubled(&self) -> Option<f64>;

    /// The number of taken slots, whatever holds them. Exact while no thread writes.
    fn taken(&self) -> usize;
}

impl<E: Engine, S> Internals for Filter<E, S> {
    fn relocate_hash(&self, hash: u64) -> bool {
        self.engine().relocate_one(hash)
    }

    fn begin_to_double(&self) -> bool {
        self.engine().begin_to_double()
    }

    fn add_table(&self) -> bool {
        self.engine().add_table()
    }

    fn doubled(&self) -> Option<f64> {
        self.engine().doubled()
    }

    fn taken(&self) -> usize {
        self.engine().taken()
    }
}

/// The addresses of the memory that changes while a filter is shared, with the name of each part.
pub fn places<L: Layout, S>(filter: &Filter<Fixed<L>, S>) -> Vec<(&'static str, Range<usize>)> {
    filter.engine().table.places()
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
