//! What the models share: the bounds of a check, tiny filters, and hashes made to order.
//!
//! Everything here and in `tests/` is compiled only by `cargo loom`.
#![cfg(all(loom, feature = "loom"))]

pub mod check;
pub mod tiny;
