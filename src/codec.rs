//! The stored form of a filter as bytes: header, list of tables, words.
//!
//! [`format`](crate::format) documents the form for users. Before memory for the words is allocated,
//! all numbers in header and list are checked to be in range. Reading trusts nothing unchecked.

pub(crate) mod header;
pub(crate) mod manifest;
pub(crate) mod reading;
pub(crate) mod source;
