//! Filters that rotate: what is in, and for how long.
//!
//! 1. A life: an item is in for exactly as many rotations as there are generations; a remove takes the oldest copy; a
//!    refusal concerns the young generation alone.
//! 2. Several threads, and rotations under way: no item is missed in its time, none is in after it, each is new to
//!    exactly one thread once in its life, and tokens are counted exactly.
//!
//! That copies go on as the original is in `oracle`.

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

/// Of each generation.
fn geometry<S>(filter: &RotatingCuckooFilter<S>) -> Geometry {
    Geometry::with_slots(Layout::DEFAULT, filter.slots() / filter.generations())
}
