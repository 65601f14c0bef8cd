//! Atomics, fences and the identity of a thread: real ones, or the model checker's.
//!
//! This is the only room that knows of the model checker. Everything above is the shipping code in both
//! builds. The checker is chosen by `--cfg loom` together with the feature `loom`, because the cfg alone is
//! global and reaches every dependency of the program that sets it.

#[cfg(not(all(loom, feature = "loom")))]
mod real;
#[cfg(not(all(loom, feature = "loom")))]
pub(crate) use real::*;

#[cfg(all(loom, feature = "loom"))]
mod model;
#[cfg(all(loom, feature = "loom"))]
pub(crate) use model::*;

#[cfg(all(loom, feature = "loom"))]
pub mod hooks;
/// Hooks for checks; only the model checker's build has any.
#[cfg(not(all(loom, feature = "loom")))]
pub mod hooks {}

pub(crate) use core::sync::atomic::Ordering;
