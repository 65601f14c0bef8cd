//! Engines: what a filter does with a hash.
//!
//! There are three: [`Fixed`], one table; [`Growing`], a table that doubles; and [`Rotating`], a ring of tables. The
//! facade above is written once, over the trait [`Operations`].

pub(crate) mod choice;
mod filling;
mod fixed;
#[cfg(feature = "std")]
pub(crate) mod growing;
mod operations;
mod plan;
pub(crate) mod rotating;
mod size;

pub(crate) use filling::Filling;
pub use fixed::Fixed;
#[cfg(feature = "std")]
pub use growing::Growing;
pub(crate) use operations::Operations;
pub(crate) use plan::Plan;
pub use rotating::Rotating;
pub(crate) use size::Size;
