//! Access for tests to items that users do not need. Not covered by semantic versioning.

pub use crate::sync::hooks;

use alloc::vec::Vec;
use core::ops::Range;

use crate::engine::{Fixed, Operations};
use crate::filter::{Buildable, Engine, Filter, FilterBuilder};
use crate::layout::Layout;
use crate::table::MAX_DESCRIPTORS;

/// Relocation on request. Inserts do this on their own.
pub trait Relocate {
    /// Moves one copy from the bucket that the hash selects to its alternate, if it is there and the other has room.
    fn relocate_hash(&self, hash: u64) -> bool;
}

/// In the oldest generation that has such a copy, or in the finest table.
impl<E: Engine, S> Relocate for Filter<E, S> {
    fn relocate_hash(&self, hash: u64) -> bool {
        self.engine().relocate_one(hash)
    }
}

/// Growth at will. Inserts do this on their own when there is no room.
pub trait Double {
    /// Begins to double the finest table. Returns false if it cannot.
    fn begin_to_double(&self) -> bool;

    /// Adds a table behind the finest, which then takes the inserts. Returns false if the finest can still double.
    fn add_table(&self) -> bool;

    /// The share of the finest table's buckets that were split, while it doubles.
    fn doubled(&self) -> Option<f64>;
}

impl<E: Engine, S> Double for Filter<E, S> {
    fn begin_to_double(&self) -> bool {
        self.engine().begin_to_double()
    }

    fn add_table(&self) -> bool {
        self.engine().add_table()
    }

    fn doubled(&self) -> Option<f64> {
        self.engine().doubled()
    }
}

/// The number of taken slots, whatever holds them.
pub trait Taken {
    /// The number of taken slots. Exact while no thread writes.
    fn taken(&self) -> usize;
}

impl<E: Engine, S> Taken for Filter<E, S> {
    fn taken(&self) -> usize {
        self.engine().taken()
    }
}

/// The locations of a filter's parts in memory.
pub trait Places {
    /// The addresses of the memory that changes while the filter is shared, with the name of each part.
    fn places(&self) -> Vec<(&'static str, Range<usize>)>;
}

impl<L: Layout, S> Places for Filter<Fixed<L>, S> {
    fn places(&self) -> Vec<(&'static str, Range<usize>)> {
        self.engine().table.places()
    }
}

/// A filter with few descriptors.
pub trait Descriptors {
    /// Sets the number of descriptors, which bounds the number of inserts that can relocate at once.
    #[must_use]
    fn descriptors(self, descriptors: usize) -> Self;
}

impl<E: Buildable, S> Descriptors for FilterBuilder<E, S> {
    fn descriptors(self, descriptors: usize) -> Self {
        self.with_descriptors(descriptors.clamp(1, MAX_DESCRIPTORS))
    }
}
