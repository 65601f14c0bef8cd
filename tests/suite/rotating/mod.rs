//! Rotating filters: which items are stored, and for how long.
//!
//! 1. Lives: an item stays for exactly as many rotations as there are generations; a remove takes
//!    the oldest copy; a refusal depends on the young generation alone.
//! 2. Several threads, while the filter rotates: an item is found until it expires and not later,
//!    `insert_unique` adds it for exactly one thread in each of its lives, and the count of tokens
//!    is exact.
//! 3. Rotations by a clock: at least a period passes between two rotations, whatever thread stops.
//!
//! `oracle` checks that copies behave as the original.

mod clock;
mod lives;
mod threads;

use lockfree_cuckoo::RotatingCuckooFilter;
use model::Layout;
use model::geometry::{Geometry, distinct};
use model::hashers::AsGiven;

fn as_given(capacity: usize, generations: usize) -> RotatingCuckooFilter<AsGiven> {
    let builder = RotatingCuckooFilter::builder()
        .capacity(capacity)
        .generations(generations);
    builder.hasher(AsGiven).build().expect("memory")
}

/// Returns the geometry of each generation.
fn geometry<S>(filter: &RotatingCuckooFilter<S>) -> Geometry {
    Geometry::with_slots(Layout::DEFAULT, filter.slots() / filter.generations())
}
