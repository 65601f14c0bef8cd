//! Engines: what a filter does with a hash.
//!
//! There are three: [`Fixed`], one table; [`Growing`], a table that doubles; and [`Rotating`], a ring of tables. The
//! facade above is written once, over the trait [`Operations`].

#[cfg(feature = "std")]
pub(crate) mod growing;
mod operations;
pub(crate) mod plan;
pub(crate) mod rotating;

#[cfg(feature = "std")]
pub use growing::Growing;
pub use operations::Fixed;
pub(crate) use operations::Operations;
pub(crate) use plan::{Filling, Plan, Size};
pub use rotating::Rotating;
