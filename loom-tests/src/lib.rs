//! The parts that the models share: bounds of a check, tiny filters with chosen hashes, and races
//! whose results must be explained.
//!
//! Everything here and in `tests/` is compiled only by `cargo verify loom`.
#![cfg(all(loom, feature = "loom"))]

pub mod check;
pub mod race;
pub mod tiny;
