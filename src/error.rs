//! What can go wrong. Each error says what was asked for, what is possible, and what to do.

mod build;
mod false_positives;
mod growth;
mod insert;
mod memory;
mod rate;
mod read;
mod rotate;
mod snapshot;
mod value;

pub use build::BuildError;
pub(crate) use build::Cause;
pub(crate) use false_positives::{Content, Shapes, TooManyFalsePositives};
pub use growth::GrowthError;
#[cfg(feature = "std")]
pub(crate) use growth::Limit;
pub use insert::{InsertError, InsertManyError};
pub use memory::OutOfMemory;
pub(crate) use rate::Rate;
pub use read::ReadError;
pub use rotate::RotateError;
pub use snapshot::SnapshotError;
pub use value::ValueError;
