//! What the tests of `lockfree-cuckoo` share with the fuzzing. The tests are the targets beside it.

#![cfg(feature = "growing")]

pub mod oracle;

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{CuckooFilter, DynFilter, layout::Shape};
use model::geometry::Geometry;
use model::hashers::AsGiven;

/// A filter with given hashes.
pub type Subject = DynFilter<AsGiven>;

/// Reads a filter with given hashes from these bytes.
pub fn read(bytes: &[u8]) -> Subject {
    DynFilter::from_bytes_with_hasher(bytes, AsGiven).expect("just stored")
}

/// Returns the same layout in the second implementation. With values, only the geometry is the
/// same.
pub fn model_of(shape: Shape) -> model::Layout {
    model::Layout::of(shape.slots(), shape.fingerprint_bits())
}

/// Returns the geometry of a table of this filter. A rotating filter has several such tables.
pub fn geometry_of<S>(filter: &DynFilter<S>) -> Geometry {
    let tables = filter.rotating().map_or(1, |filter| filter.generations());
    Geometry::with_slots(model_of(filter.shape()), filter.slots() / tables)
}

/// Returns a fixed filter with given hashes.
pub fn fixed(shape: Shape, buckets: usize, budget: usize, descriptors: Option<usize>) -> Subject {
    let builder = CuckooFilter::builder().hasher(AsGiven).buckets(buckets);
    let mut builder = builder.search_budget(budget);
    if let Some(descriptors) = descriptors {
        builder = builder.descriptors(descriptors);
    }
    builder.build_shape(shape).expect("a possible geometry")
}
