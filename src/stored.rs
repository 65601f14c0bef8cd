//! The stored form of a filter: bytes to engines and back.
//!
//! [`format`](crate::format) documents the form for users: a header, a list of tables, their words, and checksums.
//! Before memory for the words is allocated, all numbers in header and list are checked to be in range. Reading trusts
//! nothing unchecked.

mod chunks;
mod frame;
#[cfg(feature = "std")]
mod growing;
mod reading;
mod sized;
mod source;

pub use chunks::Chunks;
pub(crate) use chunks::{Stored, to_vec};
pub(crate) use frame::{Frame, Identity};
pub(crate) use reading::{Restored, read};
#[cfg(feature = "std")]
pub(crate) use source::Stream;
pub(crate) use source::{Slice, Source};
