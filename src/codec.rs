//! The stored form of a filter: bytes to engines and back.
//!
//! [`format`](crate::format) documents the form for users: a header, a list of tables, their words,
//! and checksums. Before memory for the words is allocated, all numbers in header and list are
//! checked to be in range. Reading trusts nothing unchecked.

pub(crate) mod chunks;
pub(crate) mod header;
pub(crate) mod reading;
pub(crate) mod source;
