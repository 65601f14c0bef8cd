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
mod filter;
mod fixed;
pub mod format;
#[cfg(feature = "std")]
mod growing;
pub mod guide;
mod kernel;
mod random_state;
mod rotating;
mod sync;
#[doc(hidden)]
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(not(feature = "testing"))]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "checked even so")]
mod testing;

pub use codec::chunks::Chunks;
pub use engine::clock::RotationClock;
pub use engine::measures::Measures;
pub use engine::operations::{Rotates, StoresValues};
pub use engine::values::Values;
pub use error::{
    BuildError, GrowthError, InsertError, InsertManyError, OutOfMemory, ReadError, RotateError,
    SnapshotError, ValueError,
};
pub use filter::{
    AnyLayout, Buildable, CuckooFilter, CuckooFilterBuilder, Dyn, DynFilter, Engine, Filter,
    FilterBuilder, RotatingCuckooFilter, RotatingCuckooFilterBuilder,
};
#[cfg(feature = "std")]
pub use filter::{GrowingCuckooFilter, GrowingCuckooFilterBuilder, Grows};
pub use fixed::Fixed;
#[cfg(feature = "std")]
pub use growing::Growing;
pub use kernel::layout::{Kind, Lanes, Layout, SemiSorted, Shape, WithValues};
pub use random_state::{RandomState, SeededHasher};
pub use rotating::Rotating;
