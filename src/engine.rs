//! Engines: what a filter does with a hash.
//!
//! There are three: [`Fixed`], one table; [`Growing`], a table that doubles; and [`Rotating`], a ring of tables. The
//! public filter is written once, over the trait [`Operations`]. [`Dyn`](crate::Dyn) boxes any of them, for a choice at
//! run time.

#[cfg(feature = "std")]
pub(crate) mod growing;
mod operations;
pub(crate) mod plan;
pub(crate) mod rotating;

#[cfg(feature = "std")]
pub use growing::Growing;
pub(crate) use operations::{Build, Operations, check_lengths};
pub use operations::{Fixed, Rotates};
pub(crate) use plan::{Filling, Plan, Size};
pub use rotating::Rotating;
