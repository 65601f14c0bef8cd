#![doc = include_str!("../README.md")]
// Unit tests always use the standard library.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod allocate;
mod counted;
pub mod design;
mod engine;
mod error;
mod filter;
pub mod format;
pub mod guide;
mod layout;
mod random_state;
mod stored;
mod sync;
mod table;
#[doc(hidden)]
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(not(feature = "testing"))]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "checked even so")]
mod testing;
mod tokens;

#[cfg(feature = "std")]
pub use engine::Growing;
pub use engine::{Fixed, Rotates, Rotating};
pub use error::{
    BuildError, GrowthError, InsertError, InsertManyError, OutOfMemory, ReadError, RotateError,
    SnapshotError, ValueError,
};
pub use filter::{
    AnyLayout, Buildable, CuckooFilter, CuckooFilterBuilder, Dyn, DynFilter, Engine, Filter,
    FilterBuilder, RotatingCuckooFilter, RotatingCuckooFilterBuilder, Values,
};
#[cfg(feature = "std")]
pub use filter::{GrowingCuckooFilter, GrowingCuckooFilterBuilder, Grows};
pub use layout::{Kind, Lanes, Layout, SemiSorted, Shape, WithValues};
pub use random_state::{RandomState, SeededHasher};
pub use stored::Chunks;
