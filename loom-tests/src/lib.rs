//! What the models share: the bounds of a check, tiny filters with hashes made to order, and races whose outcome is
//! explained.
//!
//! Everything here and in `tests/` is compiled only by `cargo loom`.
#![cfg(all(loom, feature = "loom"))]

pub mod check;
pub mod race;
pub mod tiny;
