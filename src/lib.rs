#![doc = include_str!("links.md")]
#![doc = include_str!("../README.md")]
// Unit tests always use the standard library.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod allocate;
mod codec;
pub mod design;
mod engine;
mod error;
pub mod filter;
mod fixed;
pub mod format;
#[cfg(feature = "growing")]
mod growing;
pub mod guide;
mod kernel;
mod random_state;
mod rotating;
#[cfg(feature = "shared")]
mod shared;
mod sync;
#[doc(hidden)]
#[cfg(feature = "_testing")]
pub mod testing;
#[cfg(not(feature = "_testing"))]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "checked even so")]
mod testing;
mod typed_hasher;

pub use engine::clock::RotationClock;
#[cfg(feature = "shared")]
pub use error::SharedError;
pub use error::{
    BuildError, GrowthError, InsertError, InsertManyError, OutOfMemory, ReadError, RotateError,
    SnapshotError, ValueError,
};
pub use filter::{
    CuckooFilter, CuckooFilterBuilder, DynFilter, Filter, FilterBuilder, RotatingCuckooFilter,
    RotatingCuckooFilterBuilder,
};
#[cfg(feature = "growing")]
pub use filter::{GrowingCuckooFilter, GrowingCuckooFilterBuilder};
#[cfg(feature = "shared")]
pub use filter::{SharedFilter, SharedReader};
pub use random_state::RandomState;
pub use typed_hasher::TypedHasher;

/// The layouts of a bucket: how many slots, and how many bits of a fingerprint and of a value.
///
/// The [guide](crate::guide::layouts) says which one to choose.
pub mod layout {
    pub use crate::kernel::layout::{Lanes, Layout, SemiSorted, Shape, WithValues};
}

/// What hashes the items of a filter.
///
/// The [guide](crate::guide::hashing) says what a hasher must provide.
pub mod hash {
    pub use crate::random_state::SeededHasher;
    pub use crate::typed_hasher::{FilterHasher, HashesItem};
}
